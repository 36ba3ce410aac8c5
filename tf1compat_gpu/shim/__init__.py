"""Programs as they are: TensorFlow 1 names for a program's own files, in every process that it starts."""
