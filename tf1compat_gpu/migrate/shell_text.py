"""Shell scripts as commands, and the words of each with their places. It reads what people write, and never gives up on a file."""

from __future__ import annotations

import re
from typing import List, NamedTuple

#: A line that is joined to the next: by a backslash, in batch files a caret, in PowerShell a backtick.
_JOINED = {"sh": "\\", "docker": "\\", "make": "\\", "batch": "^", "powershell": "`"}
_HEREDOC = re.compile(r"<<-?[ \t]*(['\"]?)(\w+)\1")


class Word(NamedTuple):
    """A word of a command: its text without quotes, the offset of its first character, and whether quotes are in it."""

    text: str
    start: int
    quoted: bool


def commands(text: str, start: int, end: int, dialect: str = "sh") -> List[List[Word]]:
    """The commands of a part of a text.

    Args:
        text: The whole file.
        start: Where the part starts.
        end: Where it ends.
        dialect: "sh", "docker", "make", "batch" or "powershell".
    """
    reader = _Reader(text, end, _JOINED[dialect], dialect == "batch")
    reader.read(start)
    return [command for command in reader.done if command]


class _Reader:
    def __init__(self, text: str, end: int, joined: str, batch: bool) -> None:
        self.text, self.end, self.joined, self.batch = text, end, joined, batch
        self.done: List[List[Word]] = [[]]
        self.until: List[str] = []

    def read(self, at: int) -> None:
        """Split from an offset on."""
        while at < self.end:
            character = self.text[at]
            if character in "\r\n":
                self.done.append([])
                at = self.here_document(at)
            elif character in " \t\f":
                at += 1
            elif self.line_end(at):
                at = self.line_end(at)
            elif character == "#" and not self.batch:
                while at < self.end and self.text[at] not in "\r\n":
                    at += 1
            elif character in ";&|(){}`" or self.text.startswith("$(", at):
                self.done.append([])
                at += 1 if character != "$" else 2
            elif character in "<>":
                at = self.redirected(at)
            else:
                at = self.word(at)

    def line_end(self, at: int) -> int:
        """The offset after a line end that joins two lines, or 0."""
        if self.text[at] == self.joined:
            for newline in ("\n", "\r\n"):
                if self.text.startswith(newline, at + 1):
                    return at + 1 + len(newline)
        return 0

    def redirected(self, at: int) -> int:
        match = None if self.batch else _HEREDOC.match(self.text, at, self.end)
        if match is None:
            return at + 1
        program = any(word.text.rpartition("/")[2].startswith("python") for word in self.done[-1][:1])
        self.until.append(("-" if program else "+") + match.group(2))
        return match.end()

    def here_document(self, at: int) -> int:
        """The offset after a line end, and after what a here-document gives Python to read."""
        at += 1
        for word in self.until:
            close = re.compile(r"^[ \t]*%s[ \t]*\r?$" % re.escape(word[1:]), re.M).search(self.text, at, self.end)
            if close is not None and word[0] == "-":
                at = close.end()
        self.until = []
        return at

    def word(self, at: int) -> int:
        start, parts, quoted = at, [], False
        while at < self.end:
            character = self.text[at]
            if self.line_end(at):
                at = self.line_end(at)
            elif character in "\"'" and not (self.batch and character == "'"):
                close = self.closing(at)
                if close < 0:  # an apostrophe
                    parts.append(character)
                    at += 1
                    continue
                parts.append(self.text[at + 1 : close])
                at, quoted = close + 1, True
            elif character == "\\" and self.joined == "\\" and at + 1 < self.end:
                parts.append(self.text[at + 1])
                at += 2
            elif self.text.startswith("${", at) and self.text.find("}", at, self.end) > 0:
                close = self.text.index("}", at) + 1
                parts.append(self.text[at:close])
                at = close
            elif character in " \t\f\r\n;&|(){}<>`" or self.text.startswith("$(", at):
                break
            else:
                parts.append(character)
                at += 1
        self.done[-1].append(Word("".join(parts), start, quoted))
        return at

    def closing(self, at: int) -> int:
        """The offset of the quote that closes one, or -1; in a batch file it is on the same line."""
        quote, end = self.text[at], self.end
        if self.batch:
            newline = self.text.find("\n", at, end)
            end = newline if newline >= 0 else end
        close = self.text.find(quote, at + 1, end)
        while close > 0 and quote == '"' and self.joined != "^" and self.text[close - 1] == self.joined and self.text[close - 2] != self.joined:
            close = self.text.find(quote, close + 1, end)
        return close
