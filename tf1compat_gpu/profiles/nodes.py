"""YAML text to a tree of raw text: every scalar as written, with its place; no typing, no guessing.

Built from the parser's events, so that depth and size are bounded while reading: an alias counts as the whole of
what it stands for, and a document that would unfold beyond the limits is an error before it does.
"""

from __future__ import annotations

import base64
import collections.abc
import re
from functools import lru_cache
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple, Union

import yaml

from tf1compat_gpu.diagnostics import Diagnostic, Source, Span, error

MAX_BYTES = 256 * 1024
MAX_DEPTH = 40
MAX_NODES = 10000
_STANDARD = "tag:yaml.org,2002:"
_PLAIN_TAGS = tuple(_STANDARD + name for name in ("int", "float", "bool", "null", "map", "seq"))
#: YAML's printable characters; the rest is refused by both parsers, with different words.
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


class Scalar(NamedTuple):
    """A scalar as written.

    Attributes:
        text: Its text; of a quoted one, what stands between the quotes.
        span: Where it stands.
        quoted: Whether it is quoted, a block scalar or tagged `!!str`: then `null` and nothing are text.
        binary: Whether it is tagged `!!binary`, base64 of bytes.
    """

    text: str
    span: Span
    quoted: bool = False
    binary: bool = False

    @property
    def is_null(self) -> bool:
        return not self.quoted and self.text in ("", "~", "null", "Null", "NULL")


class Sequence(NamedTuple):
    items: Tuple[Any, ...]  # of Node: NamedTuple can't be recursive for mypy
    span: Span


class Mapping(NamedTuple):
    pairs: Tuple[Tuple[Scalar, Any], ...]
    span: Span


Node = Union[Scalar, Sequence, Mapping]


class _Invalid(Exception):
    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


class _Open:
    """A collection that is still being read."""

    def __init__(self, event: Any, anchor: Optional[str], flow: bool) -> None:
        self.event, self.anchor, self.flow = event, anchor, flow
        self.children: List[Node] = []
        self.size, self.height = 1, 1


class _Builder:
    """Turns parser events into nodes within the limits."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.diagnostics: List[Diagnostic] = []
        self.stack: List[_Open] = []
        self.anchors: Dict[str, Tuple[Node, int, int]] = {}
        self.pending: List[str] = []
        self.root: Optional[Node] = None
        self.documents = 0

    def span(self, start: Any, end: Any) -> Span:
        stop = end.column if end.line == start.line else len(self.source.line(start.line + 1) or "")
        return Span(self.source, start.line + 1, start.column + 1, max(stop, start.column + 1) + 1)

    def fail(self, code: str, message: str, event: Any, help: Optional[str] = None) -> _Invalid:
        return _Invalid(error(code, message, self.span(event.start_mark, event.end_mark), help))

    def tag(self, event: Any) -> str:
        """'' for what may be ignored, 'str' or 'binary'; any other tag is an error."""
        tag = event.tag
        if tag in (None, "!") or tag in _PLAIN_TAGS:
            return "str" if tag == "!" and isinstance(event, yaml.ScalarEvent) else ""
        if tag in (_STANDARD + "str", _STANDARD + "binary"):
            return str(tag[len(_STANDARD) :])
        shown = tag.replace(_STANDARD, "!!")
        raise self.fail("tag", "the tag %s is not for profiles" % shown, event, "a profile holds plain values; take the tag out")

    def add(self, node: Node, size: int, height: int, event: Any) -> None:
        if not self.stack:
            self.root = node
            return
        parent = self.stack[-1]
        parent.children.append(node)
        parent.size += size
        parent.height = max(parent.height, height + 1)
        if sum(open.size for open in self.stack) > MAX_NODES:
            raise self.fail(
                "too-large", "the document unfolds to more than %d values" % MAX_NODES, event, "a profile is small; look for an alias that repeats itself"
            )
        if len(self.stack) + height > MAX_DEPTH:
            raise self.fail("too-deep", "nested more than %d levels deep" % MAX_DEPTH, event)

    def feed(self, event: Any) -> None:
        if isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                raise self.fail("several-documents", "a second YAML document", event, "a profile is one document; put variants under profile.variants")
        elif isinstance(event, yaml.ScalarEvent):
            tag = self.tag(event)
            span = self.span(event.start_mark, event.end_mark) if event.value or event.style else self.place_of_nothing()
            node = Scalar(event.value, span, event.style in ("'", '"', "|", ">") or tag == "str", tag == "binary")
            if event.anchor:
                self.anchors[event.anchor] = (node, 1, 1)
            self.add(node, 1, 1, event)
        elif isinstance(event, (yaml.SequenceStartEvent, yaml.MappingStartEvent)):
            self.tag(event)
            if len(self.stack) >= MAX_DEPTH:
                raise self.fail("too-deep", "nested more than %d levels deep" % MAX_DEPTH, event)
            self.stack.append(_Open(event, event.anchor, bool(event.flow_style)))
            if event.anchor:
                self.pending.append(event.anchor)
        elif isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
            self.close(event)
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor in self.pending:
                raise self.fail("recursive-alias", "the alias *%s stands inside what it names" % event.anchor, event)
            if event.anchor not in self.anchors:
                raise self.fail(
                    "unknown-alias", "the alias *%s has no anchor &%s before it" % (event.anchor, event.anchor), event, "quote the value if the * is part of it"
                )
            target, size, height = self.anchors[event.anchor]
            self.add(target, size, height, event)

    def place_of_nothing(self) -> Span:
        """Where a value that is not written stands: at its key, or what else comes before it (the two parsers differ on it)."""
        if not self.stack:
            return Span(self.source, 1, 1, 1)
        parent = self.stack[-1]
        return parent.children[-1].span if parent.children else self.span(parent.event.start_mark, parent.event.start_mark)

    def close(self, event: Any) -> None:
        done = self.stack.pop()
        start = done.event.start_mark
        end = event.end_mark if done.flow else start
        span = self.span(start, end)
        if isinstance(event, yaml.SequenceEndEvent):
            node: Node = Sequence(tuple(done.children), span)
        else:
            node = Mapping(self.pairs(done.children), span)
        if done.anchor:
            self.pending.remove(done.anchor)
            self.anchors[done.anchor] = (node, done.size, done.height)
        self.add(node, done.size, done.height, event)

    def pairs(self, children: List[Node]) -> Tuple[Tuple[Scalar, Node], ...]:
        """Keys and values, merge keys (<<) taken in, a key written twice reported with both places."""
        own: Dict[str, Tuple[Scalar, Node]] = {}
        merged: List[Mapping] = []
        for key, value in zip(children[::2], children[1::2]):
            if not isinstance(key, Scalar):
                self.diagnostics.append(error("key", "a key must be a plain name", key.span, self.interpolation_help(key.span)))
            elif key.text == "<<" and not key.quoted:
                merged += self.merge_sources(value)
            elif key.text in own:
                first = own[key.text][0].span
                self.diagnostics.append(
                    error(
                        "duplicate-key",
                        "'%s' is written twice: here and in line %d" % (key.text, first.line),
                        key.span,
                        "keep one of the two",
                        ((first, "first written here"),),
                    )
                )
            else:
                own[key.text] = (key, value)
        for mapping in merged:  # an earlier source wins over a later one, the mapping's own keys over both
            for key, value in mapping.pairs:
                own.setdefault(key.text, (key, value))
        return tuple(own.values())

    def merge_sources(self, value: Node) -> List[Mapping]:
        candidates = value.items if isinstance(value, Sequence) else (value,)
        sources = [c for c in candidates if isinstance(c, Mapping)]
        if len(sources) != len(candidates):
            self.diagnostics.append(
                error("merge-key", "a merge key (<<) takes a mapping or a list of mappings", value.span, "write <<: *name with the anchor of a mapping")
            )
        return sources

    def interpolation_help(self, span: Span) -> Optional[str]:
        line = span.source.line(span.line) or ""
        return 'quote the value: "${NAME}"' if "${" in line else None


def _events(text: str, loader: Any) -> Iterator[Any]:
    return iter(yaml.parse(text, Loader=loader))


def _build(source: Source, loader: Any) -> _Builder:
    builder = _Builder(source)
    for event in _events(source.text, loader):
        builder.feed(event)
    return builder


def _syntax(source: Source, problem: yaml.YAMLError) -> Diagnostic:
    """PyYAML's syntax error in our words."""
    mark = getattr(problem, "problem_mark", None) or getattr(problem, "context_mark", None)
    line_number, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
    context_mark = getattr(problem, "context_mark", None)
    words = str(getattr(problem, "problem", None) or problem)
    context = str(getattr(problem, "context", None) or "")
    line = source.line(line_number)
    if line is None or (not line.strip() and line_number > 1):  # the end of the text: point at what was left open, or the last line
        if context_mark is not None and source.line(context_mark.line + 1) is not None:
            line_number, column = context_mark.line + 1, context_mark.column + 1
        line = source.line(line_number) or ""
    span = Span(source, line_number, column, column + 1)
    start = source.line(context_mark.line + 1) or "" if context_mark is not None else ""
    if "\t" in line[: max(column, len(line) - len(line.lstrip()))] or "'\\t'" in words:
        tab = line.find("\t") + 1 or column
        return error("tab", "a tab where YAML wants blanks", Span(source, line_number, tab, tab + 1), "indent with blanks")
    if "${" in line or "${" in start:
        return error(
            "syntax", "YAML can't read this: " + words, span, "quote a value with ${...} that stands inside {} or [], or holds ': ' or ' #': \"${NAME:-a: b}\""
        )
    if "mapping values are not allowed" in words:
        if line[:column].count(":") > 1:
            return error("syntax", "a second ': ' in one line", span, "quote the value if the colon is part of it, or begin a new line")
        above = next((n for n in range(line_number - 1, 0, -1) if (source.line(n) or "").strip()), line_number)
        text = source.line(above) or ""
        first = len(text) - len(text.lstrip()) + 1
        return error(
            "syntax",
            "this line and the next do not fit together",
            Span(source, above, first, len(text) + 1),
            "write `field: value`, each on a line of its own, the fields of one level indented alike",
        )
    if context_mark is not None and ("quoted scalar" in context or "flow" in context):
        opened = Span(source, context_mark.line + 1, context_mark.column + 1, context_mark.column + 2)
        if "quoted scalar" in context:
            return error("syntax", "a quote that is not closed", opened, "close it, in the same line if you can")
        return error(
            "syntax",
            "a bracket that is not closed, or a ',' that is missing",
            opened,
            "close every { with } and every [ with ], and put ',' between the items",
            ((span, "noticed here"),),
        )
    if "could not find expected ':'" in words:
        return error("syntax", "a line that is not `field: value`", span, "write `field: value`, with a blank after the colon")
    if "block mapping" in context or "block collection" in context or "block sequence" in context:
        return error("syntax", "the indentation does not fit", span, "indent the fields of one level alike, with blanks")
    return error("syntax", "YAML can't read this: " + (words or context), span)


def check_text(source: Source) -> List[Diagnostic]:
    """What makes a text no YAML at all: its size, or characters that YAML does not have."""
    if len(source.text) > MAX_BYTES:
        return [error("too-large", "larger than %d KiB" % (MAX_BYTES // 1024), Span(source), "a profile is a small file; is this the right one?")]
    found = _UNPRINTABLE.search(source.text)
    if found is None:
        return []
    line = source.text.count("\n", 0, found.start()) + 1
    column = found.start() - (source.text.rfind("\n", 0, found.start()) + 1) + 1
    what = "a NUL byte: this is a binary file" if found.group() == "\0" else "the character U+%04X, which YAML does not allow" % ord(found.group())
    return [error("unprintable", what, Span(source, line, column, column + 1))]


#: What libyaml accepts and PyYAML's own parser refuses, found by feeding both at random: tabs between tokens, a comment
#: right after | or >, a ? at the end of a word in [] or {}, and the line breaks that YAML 1.2 no longer has. Such texts are left to the latter alone.
_DIFFER = re.compile("[\t\x85\u2028\u2029]|[|>][-+0-9]*#|\\S\\?\\s")


@lru_cache(maxsize=64)
def parse(source: Source, libyaml: bool = True) -> Tuple[Optional[Node], Tuple[Diagnostic, ...]]:
    """The tree of a YAML text, or None for an empty one, and what is wrong.

    libyaml reads where it is present. What it refuses PyYAML's own parser reads again: its answer counts, so that the
    result is the same on machines that have only that one. `libyaml=False` leaves libyaml out.
    """
    problems = check_text(source)
    if problems:
        return None, tuple(problems)
    loaders = [yaml.CSafeLoader] if libyaml and hasattr(yaml, "CSafeLoader") and not _DIFFER.search(source.text) else []
    for loader in loaders + [yaml.SafeLoader]:
        try:
            builder = _build(source, loader)
        except _Invalid as invalid:
            return None, (invalid.diagnostic,)
        except yaml.YAMLError as problem:
            failure = _syntax(source, problem)
            continue
        return builder.root, tuple(builder.diagnostics)
    return None, (failure,)


def from_python(value: object, span: Span, literal: bool = False) -> Node:
    """A tree from plain Python values: a dict, lists, bool, int, float, str, bytes and None.

    Args:
        value: The value.
        span: The place that every node gets.
        literal: Whether texts mean themselves, so that a `$` is no variable.

    Raises:
        TypeError: A value of another type, or nested beyond the limits (as a dict that holds itself is).
    """
    return _FromPython(span, literal).build(value, 1)


class _FromPython:
    def __init__(self, span: Span, literal: bool) -> None:
        self.span, self.literal, self.budget = span, literal, MAX_NODES

    def build(self, value: object, depth: int) -> Node:
        self.budget -= 1
        if depth > MAX_DEPTH or self.budget < 0:
            raise TypeError("nested too deep or too large for a profile")
        if isinstance(value, collections.abc.Mapping):
            return Mapping(tuple((Scalar(str(key), self.span), self.build(item, depth + 1)) for key, item in value.items()), self.span)
        if isinstance(value, (list, tuple)):
            return Sequence(tuple(self.build(item, depth + 1) for item in value), self.span)
        if hasattr(value, "item"):  # a NumPy scalar
            value = value.item()
        return self.scalar(value)

    def scalar(self, value: object) -> Scalar:
        if value is None:
            return Scalar("null", self.span)
        if isinstance(value, bool):
            return Scalar("true" if value else "false", self.span)
        if isinstance(value, (int, float)):
            return Scalar(repr(value), self.span)
        if isinstance(value, str):
            return Scalar(value.replace("$", "$$") if self.literal else value, self.span, quoted=True)
        if isinstance(value, bytes):
            return Scalar(base64.b64encode(value).decode("ascii"), self.span, quoted=True, binary=True)
        raise TypeError("a profile can't hold a %s: %r" % (type(value).__name__, value))
