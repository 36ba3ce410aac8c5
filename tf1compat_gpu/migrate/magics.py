"""IPython's cells as Python: magics, shell commands and help become as much neutral Python, and every line and column stays.

What IPython takes for its own is in IPython/core/inputtransformer2.py (7 and later): cell magics, escapes at the start of a
logical line (`%`, `!`, `?`, `,`, `;`, `/`), `name = %magic`, `name = !command`, and `name?` at a line's end.
"""

from __future__ import annotations

import re
from typing import List, NamedTuple, Optional, Tuple

from tf1compat_gpu.migrate import old_python
from tf1compat_gpu.migrate.parsing import parse_text

#: What a cell is to the notebook: its code, a program of its own, a shell script, or nothing that is read.
NOTEBOOK, PROGRAM, SHELL, OTHER = "notebook", "program", "shell", "other"
#: Cell magics whose body is the notebook's Python.
_PYTHON = frozenset(("time", "timeit", "capture", "prun", "memit", "mprun", "lprun", "snakeviz", "scalene", "px", "wandb", "skip", "tb", "debug"))
_OWN = frozenset(("python", "python3", "pypy"))
_SHELLS = frozenset(("bash", "sh", "ksh", "zsh", "!", "sx", "system", "shell"))
_CELL_MAGIC = re.compile(r"(?:[ \t]*\r?\n)*[ \t]*%%(?P<name>!|\w+)(?P<rest>[^\r\n]*)")
#: A line that may be IPython's alone; most cells have none, and are not looked at more closely.
_SUSPECT = re.compile(r"^[ \t]*(?:[%!?,;/]|(?:pip3?|conda|cd|mkdir|rm|cp|mv|cat)[ \t])|=[ \t]*[%!]|\?[ \t]*\r?$", re.M)
_ESCAPE = re.compile(r"[%!?,;/]")
_AUTOMAGIC = re.compile(r"(?:pip3?|conda|cd|mkdir|rm|cp|mv|cat)[ \t]+(?!(?:in|is|and|or|if|not)\b)[\w./~-]")
_HELP = re.compile(r"%{0,2}(?!\d)[\w*]+(?:\.\w+|\[-?\d+\])*\?\??[ \t]*\r?$", re.M)
#: The rest of a line, and of those that a backslash joins to it.
_REST = re.compile(r"(?:[^\\\r\n]|\\\r?\n|\\)*")
_ASSIGNED = re.compile(r"[ \t]*[%!](?=\S)")
_TIMED = re.compile(r"%(?:time|timeit|prun|memit)[ \t]+(?:-[a-zA-Z][ \t]*[\w.]*[ \t]+)*")
_STRING = re.compile(r"\"\"\"(?:[^\\]|\\.)*?\"\"\"|'''(?:[^\\]|\\.)*?'''|\"(?:[^\\\r\n\"]|\\.)*\"?|'(?:[^\\\r\n']|\\.)*'?", re.S)


class Neutral(NamedTuple):
    """A cell as Python.

    Attributes:
        text: As long as the cell, with each line and each column where it was.
        kind: NOTEBOOK, PROGRAM (`%%writefile x.py`), SHELL (`%%bash`) or OTHER.
        magics: Where IPython's own parts stand in the cell: offsets of the first character and after the last.
    """

    text: str
    kind: str
    magics: Tuple[Tuple[int, int], ...]


def problem(source: str) -> Optional[SyntaxError]:
    """What stops Python's parser, or None."""
    tree = parse_text(source)
    return tree if isinstance(tree, SyntaxError) else None


def neutral(source: str) -> Neutral:
    """A cell's source as Python, and what in it was IPython's."""
    head = _CELL_MAGIC.match(source)
    kind, start = NOTEBOOK, 0
    spans: List[Tuple[int, int]] = []
    text = plain(source)
    if head is not None and not head.group("rest").rstrip().endswith("?"):
        kind, start = _kind(head.group("name"), head.group("rest").split()), head.end()
        spans.append((head.start("name") - 2, start))
        text = text[: spans[0][0]] + _filled(text, *spans[0]) + text[start:]
    if kind != NOTEBOOK or not _SUSPECT.search(source, start):
        return Neutral(text, kind, tuple(spans))
    parts, at = [text[:start]], start
    for first, last in _magics(text, start):
        kept = _TIMED.match(text, first, last)
        if kept is not None and _is_simple(text[kept.end() : last]):
            last = kept.end()
            parts += [text[at:first], "0;" + " " * (last - first - 2)]
        else:
            parts += [text[at:first], _filled(text, first, last)]
        spans.append((first, last))
        at = last
    return Neutral("".join(parts) + text[at:], kind, tuple(spans))


def plain(source: str) -> str:
    """The text without what no source file can hold, lone surrogates, and so that a line end after it is one of its own."""
    text = source if source.isascii() else "".join("?" if "\ud800" <= character <= "\udfff" else character for character in source)
    return text[:-1] + "\n" if text.endswith("\r") else text


def _kind(name: str, words: List[str]) -> str:
    if name in _PYTHON:
        return NOTEBOOK
    if name in _SHELLS or name == "script" and any(word.rpartition("/")[2] in _SHELLS for word in words):
        return SHELL
    return PROGRAM if name in _OWN or name in ("writefile", "file") and any(word.strip("\"'").endswith(".py") for word in words) else OTHER


def _filled(text: str, start: int, end: int) -> str:
    """As much Python that does nothing: it is a statement and an expression, and no line ends in it are lost."""
    return "0" + re.sub(r"[^\r\n]", " ", text[start + 1 : end].replace("\\\r\n", " \r\n").replace("\\\n", " \n"))


def _is_simple(statement: str) -> bool:
    tree = old_python.tree_of(statement.strip())
    return tree is not None and bool(tree.body) and not any(hasattr(node, "body") for node in tree.body)


def _magics(text: str, at: int) -> List[Tuple[int, int]]:
    """The spans of magics: at the start of a logical line, or after an assignment's `=`; never in a string, a comment or brackets."""
    found: List[Tuple[int, int]] = []
    depth, fresh, begin = 0, True, at
    while at < len(text):
        character = text[at]
        if fresh and character in " \t\f\r\n":
            at += 1
            continue
        if fresh and (_ESCAPE.match(text, at) or _AUTOMAGIC.match(text, at) or _HELP.match(text, at)):
            end = _end(text, at)
            found.append((at, end))
            at = end
            continue
        if fresh:
            fresh, begin = False, at
        if character == "#":
            at = _line_end(text, at)
        elif character in "\"'":
            string = _STRING.match(text, at)
            at = string.end() if string is not None and string.end() > at else at + 1
        elif character == "\\":
            at += 3 if text[at + 1 : at + 3] == "\r\n" else 2
        elif character in "\r\n":
            fresh = depth == 0
            at += 1
        elif character == "=" and depth == 0 and text[at - 1 : at] not in ("=", "!", "<", ">") and _ASSIGNED.match(text, at + 1):
            at = text.index(text[at + 1 :].lstrip(" \t")[0], at + 1)
            end = _end(text, at)
            found.append((at, end))
            at = end
        elif character == "?" and depth == 0:  # `x = name?`: no Python has one here
            at = _end(text, begin)
            found.append((begin, at))
        else:
            depth = depth + 1 if character in "([{" else max(0, depth - 1) if character in ")]}" else depth
            at += 1
    return found


def _line_end(text: str, at: int) -> int:
    ends = [end for end in (text.find("\n", at), text.find("\r", at)) if end >= 0]
    return min(ends) if ends else len(text)


def _end(text: str, at: int) -> int:
    rest = _REST.match(text, at)
    return rest.end() if rest is not None else len(text)
