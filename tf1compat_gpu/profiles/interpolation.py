"""`${NAME}`, `${NAME:-default}`, `${NAME:?message}`, `$$` and `${rank.local}` in the text of a scalar."""

from __future__ import annotations

import re
from typing import List, Mapping, NamedTuple, Optional, Tuple

from tf1compat_gpu.profiles import launchers
from tf1compat_gpu.profiles.scalars import Unreadable

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RANK = re.compile(r"rank\.([a-z_]+)")
_RANK_KINDS = ("local", "global", "local_size")
_MAX_DEPTH = 20
#: A result longer than this is a mistake, or an attempt.
_MAX_LENGTH = 65536


class Substituted(NamedTuple):
    """A text with everything filled in.

    Attributes:
        text: The result.
        variables: The names that were asked for, in order.
        warnings: What a user should know although there is a result: (message, help).
    """

    text: str
    variables: Tuple[str, ...]
    warnings: Tuple[Tuple[str, str], ...]


class _Substitution:
    def __init__(self, text: str, environ: Mapping[str, str]) -> None:
        self.text, self.environ = text, environ
        self.variables: List[str] = []
        self.warnings: List[Tuple[str, str]] = []

    def run(self, start: int, closing: bool, depth: int, active: bool) -> Tuple[str, int]:
        """Substitute from `start` to the end, or to the brace that closes a default; returns text and position."""
        if depth > _MAX_DEPTH:
            raise Unreadable("${...} nested more than %d deep" % _MAX_DEPTH)
        text, at = self.text, start
        out: List[str] = []
        while at < len(text):
            character = text[at]
            if character == "}" and closing:
                return "".join(out), at
            if character != "$":
                out.append(character)
                at += 1
            elif text[at + 1 : at + 2] == "$":
                out.append("$")
                at += 2
            elif text[at + 1 : at + 2] == "{":
                value, at = self.expression(at + 2, depth, active)
                out.append(value)
            elif _NAME.match(text, at + 1):
                name = _NAME.match(text, at + 1).group()  # type: ignore[union-attr]
                raise Unreadable("'$%s' without braces" % name, "write ${%s}; a plain $ is written $$" % name)
            else:
                out.append("$")
                at += 1
        if closing:
            raise self.unclosed()
        return "".join(out), at

    def unclosed(self) -> Unreadable:
        return Unreadable("'${' is not closed by '}'", "close it; a value with ' #' or ': ' in it must be quoted: \"${NAME:-a #b}\"")

    def expression(self, start: int, depth: int, active: bool) -> Tuple[str, int]:
        text = self.text
        matched = _RANK.match(text, start) or _NAME.match(text, start)
        if matched is None:
            if "}" not in text[start:]:
                raise self.unclosed()
            raise Unreadable("'${%s' names no variable" % text[start:].split("}")[0], "write ${NAME}, or $$ for a plain $")
        name, at = matched.group(), matched.end()
        if matched.re is _RANK and matched.group(1) not in _RANK_KINDS:
            raise Unreadable("'${%s}' is not known" % name, "write one of " + ", ".join("${rank.%s}" % kind for kind in _RANK_KINDS))
        if active:
            self.variables.append(name)
        value = self.look_up(name) if active else ""
        operator = text[at : at + 2]
        if text[at : at + 1] == "}":
            if value is None:
                raise self.unset(name)
            return value, at + 1
        if operator not in (":-", ":?"):
            if "}" not in text[at:]:
                raise self.unclosed()
            raise Unreadable("'${%s' is not understood" % text[start:].split("}")[0], "write ${%s}, ${%s:-default} or ${%s:?message}" % (name, name, name))
        default, end = self.run(at + 2, True, depth + 1, active and not value)
        if value:
            return value, end + 1
        if operator == ":?":
            raise Unreadable("%s is not set: %s" % (name, default or "it is required"), "set %s before the program starts" % name)
        if active:
            self.note_default(name, default)
        return default, end + 1

    def look_up(self, name: str) -> Optional[str]:
        if name.startswith("rank."):
            kind = name[len("rank.") :]
            found = launchers.rank(kind, self.environ)
            if found is None:
                return None
            if found.disagreeing:
                self.warnings.append(
                    (
                        "%s=%d is taken for ${%s}, but %s says otherwise" % (found.variable, found.value, name, " and ".join(found.disagreeing)),
                        "unset the variable that is left over from another launcher",
                    )
                )
            return str(found.value)
        if name == "HOSTNAME" and name not in self.environ:
            import socket

            return socket.gethostname()
        return self.environ.get(name)

    def unset(self, name: str) -> Unreadable:
        if name.startswith("rank."):
            kind = name[len("rank.") :]
            what = "the number of processes on the host" if kind == "local_size" else "a rank"
            help = "start the job with its launcher (%s), or give a default: ${%s:-%d}" % (", ".join(launchers.variables(kind)), name, kind == "local_size")
            return Unreadable("${%s}: no launcher has set %s" % (name, what), help)
        return Unreadable("the environment variable %s is not set" % name, "set it, or give a default: ${%s:-value}" % name)

    def note_default(self, name: str, default: str) -> None:
        """A rank that falls back to its default while another launcher is at work puts every process on one card."""
        if name in launchers.rank_variables() or name.startswith("rank."):
            others = launchers.present(self.environ)
            if others:
                self.warnings.append(
                    (
                        "%s is not set and %r is used in its place, but %s started this process: every process gets the same value"
                        % (name, default, others[0].name),
                        "write ${rank.local}, or ${%s}" % others[0].local,
                    )
                )


def substitute(text: str, environ: Mapping[str, str]) -> Substituted:
    """Fill in every `${...}` of a text.

    Args:
        text: The text of a scalar.
        environ: The environment to look names up in.

    Raises:
        Unreadable: A name without a value and without a default, or a `${` that is not understood.
    """
    if "$" not in text:
        return Substituted(text, (), ())
    work = _Substitution(text, environ)
    result, _ = work.run(0, False, 0, True)
    if len(result) > _MAX_LENGTH:
        raise Unreadable("the text is longer than %d characters once its variables are filled in" % _MAX_LENGTH)
    return Substituted(result, tuple(dict.fromkeys(work.variables)), tuple(work.warnings))


def escape(text: str) -> str:
    """The text that `substitute` turns back into this one."""
    return re.sub(r"\$(?=[$A-Za-z_{])", "$$", text)
