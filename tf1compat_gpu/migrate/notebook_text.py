"""Edits of a notebook's JSON text: inside the source strings of cells, and nowhere else.

The document is never written anew, so that outputs, ids, key order, indentation, escapes and line ends stay as they are.
"""

from __future__ import annotations

import json
import re
from typing import Callable, List, Mapping, NamedTuple, Sequence, Tuple

from tf1compat_gpu.migrate.fix import Fix

_SPACE = re.compile(r"[ \t\n\r]*")
#: What stands for one character in a JSON string, as it is written.
_NEWLINES = (["\\n"], ["\\u000a"], ["\\u000A"])
_CHARACTER = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.", re.S)


class Literals(NamedTuple):
    """A cell's source in the JSON text.

    Attributes:
        start: The offset of its first character.
        end: The offset after its last.
        strings: The offsets of its strings, quotes included: one for each item of a list, or the one that it is.
        listed: Whether it is a list.
        old: Whether the notebook is of version 3, whose lists of lines may leave the lines' ends away.
    """

    start: int
    end: int
    strings: Tuple[Tuple[int, int], ...]
    listed: bool
    old: bool


def joiner(lines: Sequence[str], old: bool) -> str:
    """What joins a list of lines: nothing, or in version 3 a line end where the lines have none (nbformat/v3/rwbase.py, `_join_lines`)."""
    return "\n" if old and lines and not lines[0].endswith(("\n", "\r")) else ""


class _Reader:
    """Walks a JSON text that json.loads has read already."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.decoder = json.JSONDecoder()
        self.cells: List[Literals] = []
        self.old = False

    def space(self, at: int) -> int:
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def skip(self, at: int) -> int:
        return self.decoder.raw_decode(self.text, at)[1]

    def members(self, at: int, visit: Callable[[str, int], int]) -> int:
        """Read an object; visit is told each key and where its value starts, and says where it ends."""
        at = self.space(at + 1)
        while self.text[at] != "}":
            key, at = self.decoder.raw_decode(self.text, at)
            at = self.space(visit(key, self.space(self.space(at) + 1)))
            at = self.space(at + 1) if self.text[at] == "," else at
        return at + 1

    def items(self, at: int, visit: Callable[[int], int]) -> int:
        """Read a list; visit is told where each item starts, and says where it ends."""
        at = self.space(at + 1)
        while self.text[at] != "]":
            at = self.space(visit(at))
            at = self.space(at + 1) if self.text[at] == "," else at
        return at + 1

    def document(self, key: str, at: int) -> int:
        if key in ("cells", "worksheets") and self.text[at] == "[":
            self.old = self.old or key == "worksheets"
            return self.items(at, self.cell if key == "cells" else self.sheet)
        return self.skip(at)

    def sheet(self, at: int) -> int:
        return self.members(at, self.document) if self.text[at] == "{" else self.skip(at)

    def cell(self, at: int) -> int:
        found: List[Literals] = []

        def member(key: str, at: int) -> int:
            if key not in ("source", "input"):
                return self.skip(at)
            strings: List[Tuple[int, int]] = []

            def item(at: int) -> int:
                strings.append((at, self.skip(at)))
                return strings[-1][1]

            listed = self.text[at] == "["
            end = self.items(at, item) if listed else item(at)
            found.append(Literals(at, end, tuple(strings), listed, self.old))
            return end

        end = self.members(at, member) if self.text[at] == "{" else self.skip(at)
        self.cells.append(found[-1] if found else Literals(at, at, (), False, self.old))
        return end


def sources(text: str) -> List[Literals]:
    """Where the source of each cell stands, in order, for a notebook that json.loads has read."""
    reader = _Reader(text)
    reader.members(reader.space(0), reader.document)
    return reader.cells


class _Line(NamedTuple):
    """A string as it is written: what stands for each character, and the character's place in the cell."""

    characters: List[str]
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.characters)


def edited(text: str, edits: Mapping[int, Sequence[Fix]]) -> str:
    """The notebook with fixes in the text of cells.

    Args:
        text: The notebook, JSON.
        edits: Number of a cell, from 1 -> fixes at offsets in its text.
    """
    changes: List[Fix] = []
    found = sources(text)
    for number, fixes in edits.items():
        changes += _Cell(text, found[number - 1]).changes(sorted(fixes))
    for change in sorted(changes, reverse=True):
        text = text[: change.start] + change.replacement + text[change.end :]
    return text


class _Cell:
    """A cell's source, to be edited."""

    def __init__(self, text: str, literals: Literals) -> None:
        self.text, self.literals = text, literals
        self.ascii = text.isascii()
        lines = [json.loads(text[start:end]) for start, end in literals.strings]
        self.joiner = joiner(lines, literals.old) if literals.listed else ""
        self.lines: List[_Line] = []
        at = 0
        for start, end in literals.strings:
            self.lines.append(_Line(_CHARACTER.findall(text, start + 1, end - 1), at))
            at = self.lines[-1].end + len(self.joiner)

    def written(self, replacement: str) -> List[str]:
        """New text as the document writes it: in ASCII where all of it is."""
        return [json.dumps(character, ensure_ascii=self.ascii)[1:-1] for character in replacement]

    def changes(self, fixes: Sequence[Fix]) -> List[Fix]:
        """The changes of the JSON text."""
        if not self.lines:
            return [Fix(self.literals.start, self.literals.end, "[%s]" % self.listed(self.written("".join(fix.replacement for fix in fixes)), ", "))]
        return [change for group in self.groups(fixes) for change in self.group(*group)]

    def touched(self, fix: Fix) -> Tuple[int, int]:
        """The first and last string that a fix is in."""
        inside = [at for at, line in enumerate(self.lines) if line.start < max(fix.end, fix.start + 1) and line.end + len(self.joiner) > fix.start]
        return (inside[0], inside[-1]) if inside else (len(self.lines) - 1, len(self.lines) - 1)

    def groups(self, fixes: Sequence[Fix]) -> List[Tuple[int, int, List[Fix]]]:
        """Fixes by the strings that they are in: first, last, fixes. What a fix joins to a line takes that line in."""
        done: List[Tuple[int, int, List[Fix]]] = []
        for fix in fixes:
            first, last = self.touched(fix)
            together = [fix]
            while True:
                if done and done[-1][1] >= first:
                    first, last, together = done[-1][0], max(last, done[-1][1]), done.pop()[2] + together
                elif self.in_place(first, last, together):
                    break
                elif not self.joiner and last + 1 < len(self.lines) and self.after(first, last, together)[-1:] not in _NEWLINES:
                    last += 1
                elif first > 0 and not self.after(first, last, together):
                    first -= 1
                else:
                    break
            done.append((first, last, together))
        return done

    def in_place(self, first: int, last: int, fixes: Sequence[Fix]) -> bool:
        """Whether fixes are in one string, and leave its number of lines."""
        if not self.literals.listed:
            return True
        start = self.lines[first].start
        old = sum([each] in _NEWLINES for fix in fixes for each in self.lines[first].characters[fix.start - start : fix.end - start])
        return first == last and old == sum(fix.replacement.count("\n") for fix in fixes) and all(fix.end <= self.lines[first].end for fix in fixes)

    def after(self, first: int, last: int, fixes: Sequence[Fix]) -> List[str]:
        """The characters of strings, one after the other, with fixes."""
        characters: List[str] = []
        for at in range(first, last + 1):
            characters += self.lines[at].characters + (["\\n"] if self.joiner and at < last else [])
        start = self.lines[first].start
        for fix in sorted(fixes, reverse=True):
            characters[fix.start - start : fix.end - start] = self.written(fix.replacement)
        return characters

    def group(self, first: int, last: int, fixes: Sequence[Fix]) -> List[Fix]:
        """The changes for neighbouring strings."""
        characters = self.after(first, last, fixes)
        strings = self.literals.strings
        if self.in_place(first, last, fixes):
            return [Fix(strings[first][0] + 1, strings[first][1] - 1, "".join(characters))]
        lines = self.split(characters)
        if len(lines) == last - first + 1:
            return [Fix(start + 1, end - 1, line) for (start, end), line in zip(strings[first : last + 1], lines)]
        before = self.text[self.literals.start + 1 : strings[0][0]]
        between = self.text[strings[0][1] : strings[1][0]] if len(strings) > 1 else "," + (before or " ")
        return [Fix(strings[first][0], strings[last][1], self.listed(characters, between))]

    def split(self, characters: Sequence[str]) -> List[str]:
        """Lines as they are written, with their ends, or without where the list has none."""
        lines = [[]]  # type: List[List[str]]
        for character in characters:
            ends = [character] in _NEWLINES
            if not (ends and self.joiner):
                lines[-1].append(character)
            if ends:
                lines.append([])
        if not self.joiner and not lines[-1] and len(lines) > 1:
            lines.pop()
        return ["".join(line) for line in lines]

    def listed(self, characters: Sequence[str], between: str) -> str:
        return between.join('"%s"' % line for line in self.split(characters))
