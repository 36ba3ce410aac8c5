"""The command line: one module a command, loaded when that command is called."""
