"""What the grammar of older Pythons has and today's has not, and as many characters that today's reads in its place.

Python 2 (docs.python.org/2.7/reference; PEP 3100, 3105, 3109, 3110, 3113, 3127): print and exec as statements, `except E, e`,
`raise E, value`, backquotes, `<>`, numbers as 0777 and 10L, ur"", parameters that are tuples, strings of bytes with a backslash
before u, U or N. Before Python 3.7 (PEP 492): `async` and `await` as names.
"""

from __future__ import annotations

import re
from typing import Iterator, List, NamedTuple, Optional, Sequence

#: A source's parts. What no quote ends goes on to the line's end, or the text's: it is looked through once.
TOKEN = re.compile(
    r"""
    (?P<string>(?:[uU][rR]?|[bB][rR]?|[rR][bBfF]?|[fF][rR]?)?
        (?:'''(?:[^\\]|\\.)*?(?:'''|\Z)|\"\"\"(?:[^\\]|\\.)*?(?:\"\"\"|\Z)|'(?:[^\\\r\n']|\\(?:\r\n|.))*'?|"(?:[^\\\r\n"]|\\(?:\r\n|.))*"?))
    |(?P<skipped>[ \t\f]+|\\\r?\n|\#[^\r\n]*)
    |(?P<number>0[xX][0-9a-fA-F]+[lL]?|0[bBoO]\w+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[jJlL]?)
    |(?P<name>[^\W\d]\w*)
    |(?P<end>\r?\n|\r)
    |(?P<sign><>|.)
    """,
    re.X | re.S,
)
_OCTAL = re.compile(r"0[0-7]+[lL]?\Z")
#: Signs that start what a print statement prints and that a name can't be followed by. Python 3 reads `print (x), y` and `print >>f, x`.
_PRINTED = ("{", "`", "[", "~")
#: How many tokens are looked through for the end of a list of parameters.
_MOST = 2000
_ESCAPE = re.compile(r"((?<!\\)(?:\\\\)*)\\([uUN])")
LINE_END = re.compile(r"\r\n?|\n")


class Token(NamedTuple):
    """A part of a source; no space, comment or line end within brackets is one.

    Attributes:
        kind: "string", "number", "name", "sign" or "end".
        text: As written.
        start: The offset of its first character.
        depth: How many brackets it stands in; those of a bracket itself count only around it.
        begins: Whether a statement begins here.
    """

    kind: str
    text: str
    start: int
    depth: int
    begins: bool


class Edit(NamedTuple):
    """As many characters in the place of others.

    Attributes:
        start: The offset of the first.
        text: The new ones.
        what: What was there, in words.
        two: Whether only Python 2 reads it.
    """

    start: int
    text: str
    what: str
    two: bool = True


def tokens_of(text: str) -> Iterator[Token]:
    """The parts of a source."""
    depth, begins = 0, True
    for match in TOKEN.finditer(text):
        kind, found = str(match.lastgroup), match.group()
        if kind == "skipped" or kind == "end" and depth:
            continue
        if kind == "sign" and found in ")]}":
            depth = max(0, depth - 1)
        yield Token(kind, found, match.start(), depth, begins and kind != "end")
        begins = depth == 0 and (kind == "end" or found in (";", ":")) or begins and kind == "end"
        if kind == "sign" and found in "([{":
            depth += 1


def edits_of(source: str, tokens: Sequence[Token]) -> Iterator[Edit]:
    """What in a source is to be written otherwise."""
    quoted = False
    coroutines = any(token.text == "async" and after.text == "def" for token, after in zip(tokens, tokens[1:]))
    for at, token in enumerate(tokens):
        kind, text = token.kind, token.text
        after = tokens[at + 1] if at + 1 < len(tokens) else Token("end", "", token.start, 0, False)
        if token.begins and text in ("print", "exec"):
            if after.kind in ("string", "number", "name") or after.text in _PRINTED:
                yield Edit(token.start, "0;".ljust(len(text)), "the statement %s" % text)
        elif token.begins and text in ("except", "raise"):
            yield from _separated(text, _statement(tokens, at))
        elif text == "def" or text == "lambda":
            yield from _tuples(source, tokens, at + 2 if text == "def" else at)
        elif text == "`":
            quoted = not quoted
            yield Edit(token.start, "(" if quoted else ")", "backquotes")
        elif text == "<>":
            yield Edit(token.start, "!=", "the operator <>")
        elif kind == "number" and (_OCTAL.match(text) and text.strip("0lL") or text[-1] in "lL"):
            digits = text.rstrip("lL")
            yield Edit(token.start, (str(int(digits, 8)) if _OCTAL.match(digits) else digits).ljust(len(text)), "the number %s" % text)
        elif kind == "string" and text[:2].lower() == "ur" and not token.begins:
            yield Edit(token.start, " r", "the prefix %s" % text[:2])
        elif text == "async" and after.text not in ("def", "for", "with"):
            yield Edit(token.start, "asyn_", "async as a name", False)
        elif text == "await" and not coroutines:
            yield Edit(token.start, "awai_", "await as a name", False)


def escapes_of(tokens: Sequence[Token]) -> Iterator[Edit]:
    """Strings of bytes, where a backslash before u, U or N is one: a name stands for them, whose value nobody knows."""
    for token in tokens:
        if token.kind == "string" and token.text[0] in "\"'" and _ESCAPE.search(token.text):
            new = _ESCAPE.sub(r"\1_\2", token.text) if token.text[:3] in ('"""', "'''") else "_" * len(token.text)
            yield Edit(token.start, new, "a string of bytes with \\u, \\U or \\N")


def _statement(tokens: Sequence[Token], at: int) -> List[Token]:
    """The tokens after the one that a statement begins with, to its colon or its end; without those in brackets."""
    found = []
    for place in range(at + 1, len(tokens)):
        token = tokens[place]
        if token.kind == "end" or token.depth == 0 and token.text in (";", ":"):
            found.append(token)
            break
        if token.depth == 0:
            found.append(token)
    return found


def _separated(keyword: str, statement: Sequence[Token]) -> Iterator[Edit]:
    """`except E, e:` loses its name, and what `raise E, value` gives the exception becomes a statement."""
    commas = [token for token in statement if token.text == ","]
    if commas and keyword == "raise":
        yield Edit(commas[0].start, ";", "raise E, value")
    elif len(commas) == 1 and statement[-1].text == ":":
        yield Edit(commas[0].start, " " * (statement[-1].start - commas[0].start), "except E, name")


def _tuples(source: str, tokens: Sequence[Token], at: int) -> Iterator[Edit]:
    """Parameters that are tuples, each as one name: those after a lambda, or in the brackets after a function's name."""
    if at >= len(tokens) or tokens[at].text not in ("(", "lambda"):
        return
    depth = tokens[at].depth + (tokens[at].text == "(")
    opened: Optional[Token] = None
    for place in range(at + 1, min(at + _MOST, len(tokens))):
        before, token = tokens[place - 1], tokens[place]
        if token.depth < depth or token.kind == "end" or token.depth == depth and token.text == ":":
            return
        if token.depth > depth:
            continue
        if token.text == "(" and (before is tokens[at] or before.depth == depth and before.text == ","):
            opened = token
        elif token.text == ")" and opened is not None:
            written = source[opened.start : token.start + 1]
            if not LINE_END.search(written):
                yield Edit(opened.start, re.sub(r"\W", "_", written), "a parameter that is a tuple")
            opened = None
