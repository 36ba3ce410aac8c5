"""What shell scripts, batch files, Dockerfiles, compose files and makefiles set of TensorFlow's and CUDA's variables, and pin of TensorFlow."""

from __future__ import annotations

import bisect
import re
from typing import Callable, Dict, Iterator, List, Optional, Sequence, Set, Tuple

from tf1compat_gpu.diagnostics import Source, Span
from tf1compat_gpu.migrate import finding
from tf1compat_gpu.migrate.finding import Finding, Report
from tf1compat_gpu.migrate.fix import Positions
from tf1compat_gpu.migrate.shell_text import Word, commands
from tf1compat_gpu.plans.variables import START, find
from tf1compat_gpu.profiles.secrets import MASK, is_secret

MARKS = (b"CUDA_", b"TF_", b"TF1COMPAT_", b"NVIDIA_", b"KMP_", b"OMP_NUM_THREADS", b"tensorflow", b"TF2_BEHAVIOR", b"XLA_FLAGS")
_NAME = r"(?:(?:CUDA|TF|TF1COMPAT|NVIDIA|KMP)_\w+|OMP_NUM_THREADS|TF2_BEHAVIOR|XLA_FLAGS)"
_DIALECTS = (
    (re.compile(r".*\.(?:sh|bash|ksh|zsh|slurm|sbatch|pbs)\Z", re.I), "sh"), (re.compile(r".*\.(?:bat|cmd)\Z", re.I), "batch"),
    (re.compile(r".*\.ps1\Z", re.I), "powershell"), (re.compile(r"Dockerfile(?:\..*)?\Z|.*\.dockerfile\Z", re.I), "docker"),
    (re.compile(r"(?:docker-)?compose.*\.ya?ml\Z", re.I), "compose"), (re.compile(r"(?:GNU)?makefile\Z", re.I), "make"),
)  # fmt: skip
#: An assignment in a word, also behind an option that takes one: docker's, mpirun's, Slurm's.
_SET = re.compile(r"(?:-e|-x|--env=|--build-arg=|--export=(?:[^,]+,)*)?(?P<name>%s)=(?P<value>.*)\Z" % _NAME, re.S)
_ANY = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?P<value>.*)\Z", re.S)
#: Commands whose words are text, or variables of their own.
_TEXT = ("echo", "printf", "grep", "sed", "awk", "test", "[", "[[", "make", "cmake", "rem", "::")
_PIN = re.compile(
    r"(?P<name>(?:intel-|nvidia-)?tensorflow(?:[-_](?:gpu|cpu))?)(?:\[[\w,-]+\])?\s*(?P<sign>===?|~=|!=|[<>]=?|=|-(?=[0-9]))\s*v?(?P<release>[0-9][\w.*]*)",
    re.I,
)
_CAPPED = re.compile(r",\s*(?P<sign><=?)\s*(?P<release>[0-9][\w.]*)")
_IMAGE = re.compile(r"(?:[\w.-]+/)*tensorflow:(?P<tag>[\w.-]+)\Z")
_POWERSHELL = re.compile(r"""\$(?:env:|\{env:)(?P<name>%s)\}?\s*=\s*(?P<value>"[^"\n]*"|'[^'\n]*'|[^\s;]+)""" % _NAME, re.I)
_POWERSHELL_CALL = re.compile(r"""SetEnvironmentVariable\(\s*["'](?P<name>%s)["']\s*,\s*["']?(?P<value>[^"',)\n]*)""" % _NAME, re.I)
_BATCH = re.compile(r"""(?:^|[&|(])[ \t]*@?set[ \t]+(?P<quote>"?)(?P<name>%s)=(?P<value>[^"&|\r\n]*)""" % _NAME, re.I | re.M)
_MAKE = re.compile(r"^(?:[^\s:=#]+[ \t]*:[ \t]*)?(?P<export>export[ \t]+)?(?P<name>%s)[ \t]*[:?+]*=[ \t]*(?P<value>[^\r\n#]*)" % _NAME, re.M)
_COMPOSE = re.compile(r"""^[ \t]*(?:-[ \t]*)?["']?(?P<name>%s)["']?[ \t]*(?:=|:[ \t])[ \t]*(?P<value>[^\r\n]*)""" % _NAME, re.M)
_COMPOSE_IMAGE = re.compile(r"""^[ \t]*(?:-[ \t]*)?image:[ \t]*["']?(?P<image>[^\s"'#]+)""", re.M)
_DIRECTIVE = re.compile(r"^#(?:SBATCH|PBS)[ \t]+.*?(?:--export=|-v[ \t]+)(?:[^,\s]+,)*?(?P<name>%s)=(?P<value>[^,\s]*)" % _NAME, re.M)
_INSTRUCTION = re.compile(r"^[ \t]*(?P<word>FROM|ENV|ARG|RUN|CMD|ENTRYPOINT|ONBUILD)[ \t]+(?P<rest>(?:[^\\\r\n]|\\\r?\n|\\)*)", re.M | re.I)

#: Variable -> the field that says the same of each session, from the value; None where a value has no such field.
_FIELDS: Dict[str, Callable[[str], Optional[str]]] = {
    "TF_FORCE_GPU_ALLOW_GROWTH": lambda value: "gpu_options: {allow_growth: %s}" % value if value in ("true", "false") else None,
    "TF_NUM_INTRAOP_THREADS": lambda value: "intra_op_parallelism_threads: %s" % value,
    "TF_NUM_INTEROP_THREADS": lambda value: "inter_op_parallelism_threads: %s" % value,
    "TF_GPU_ALLOCATOR": lambda value: "gpu_options: {experimental: {use_cuda_malloc_async: true}}" if value == "cuda_malloc_async" else None,
    "TF_ENABLE_ONEDNN_OPTS": lambda value: "profile: {numerics: tf1}" if value == "0" else None,
    "NVIDIA_TF32_OVERRIDE": lambda value: "profile: {numerics: tf1}" if value == "0" else None,
    "CUDA_VISIBLE_DEVICES": lambda value: (
        "device_count: {GPU: 0}" if value in ("", "-1") else "gpu_options: {visible_device_list: '%s'}" % value if re.match(r"[\d,]+\Z", value) else None
    ),
}


def dialect(path: str) -> str:
    """How a file is to be read, by its name; "" for what is no script."""
    name = re.split(r"[/\\]", path)[-1]
    return next((kind for pattern, kind in _DIALECTS if pattern.match(name)), "")


def instead(name: str, value: str) -> str:
    """What a profile can say in the variable's place, or ""."""
    known = find(name)
    if name.startswith("TF1COMPAT_") or known is None or known.deadline == START:
        return "it is a variable of this package" if name.startswith("TF1COMPAT_") else ""
    field = _FIELDS[name](value) if name in _FIELDS else None
    entry = "profile: {environment: {%s: '%s'}}" % (name, value.replace("'", "''"))
    return "a profile says %s. %s" % (field + ", or " + entry if field else entry, known.effect)


def scan_file(path: str) -> Report:
    """What a script holds. Bytes that are no UTF-8 are read as Latin-1: nothing here is ever written."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as problem:
        return Report(path, skipped=problem.strerror or str(problem))
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        data = data.decode("utf-16", "replace").encode("utf-8")
    if not any(mark in data for mark in MARKS):
        return Report(path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return Report(path, tuple(scan_text(Source(path, text), dialect(path), text)), None, True)


def scan_text(source: Source, kind: str, text: str) -> List[Finding]:
    """What a script holds.

    Args:
        source: What findings point into.
        kind: A dialect, as `dialect` tells it.
        text: What is read; as long as the source's text, which may hold more.
    """
    return _Script(source, kind, text).findings()


class _Script:
    def __init__(self, source: Source, kind: str, text: str) -> None:
        self.source, self.kind, self.text = source, kind, text
        self.starts = Positions(text).starts
        self.found: Dict[Tuple[int, str], Finding] = {}
        self.values: Dict[str, str] = {}
        self.exported: Set[str] = set(re.findall(r"\bexport[ \t]+(%s)\b" % _NAME, text))

    def findings(self) -> List[Finding]:
        kind = self.kind
        if kind == "docker":
            self.docker()
        elif kind == "compose":
            for match in _COMPOSE.finditer(self.text):
                self.setting(match.group("name"), match.group("value").strip().strip("\"'"), match.start("name"))
            for match in _COMPOSE_IMAGE.finditer(self.text):
                self.image(match.group("image"), match.start("image"))
        else:
            if kind == "make":  # a recipe's @ and - are make's own
                self.text = re.sub(r"^\t[ \t]*[@+-]+", lambda match: " " * len(match.group()), self.text, flags=re.M)
            for pattern in {"batch": (_BATCH,), "powershell": (_POWERSHELL, _POWERSHELL_CALL), "make": (_MAKE,), "sh": (_DIRECTIVE,)}[kind]:
                self.lines(pattern)
            for command in commands(self.text, 0, len(self.text), kind):
                self.command(command)
        return [self.found[key] for key in sorted(self.found)]

    def lines(self, pattern: re.Pattern[str]) -> None:
        for match in pattern.finditer(self.text):
            start = self.text.rfind("\n", 0, match.start("name")) + 1
            if self.kind == "powershell" and "#" in self.text[start : match.start()]:
                continue
            name = match.group("name")
            if self.kind == "make" and not match.group("export") and name not in self.exported and find(name) is None:
                continue  # a variable of make's own
            self.setting(name, match.group("value").strip().strip("\"'"), match.start("name"))

    def docker(self) -> None:
        # Docker drops lines that are comments, also between joined lines: spaces and a joined line end keep all offsets.
        self.text = re.sub(r"^[ \t]*#[^\r\n]*(?=\r?\n)", lambda match: " " * (len(match.group()) - 1) + "\\", self.text, flags=re.M)
        for match in _INSTRUCTION.finditer(self.text):
            word, start, end = match.group("word").upper(), match.start("rest"), match.end("rest")
            for command in commands(self.text, start, end, "docker"):
                if word in ("ENV", "ARG") and command:
                    self.docker_settings(command, end)
                elif word == "FROM":
                    self.images(command)
                else:
                    self.command(command)

    def docker_settings(self, words: List[Word], end: int) -> None:
        if "=" not in words[0].text and len(words) > 1:  # ENV NAME VALUE
            self.assigned(Word("%s=%s" % (words[0].text, " ".join(word.text for word in words[1:])), words[0].start, False))
            return
        for word in words:
            self.assigned(word)

    def assigned(self, word: Word) -> None:
        """Remember what a word sets, and report it where it matters."""
        plain, match = _ANY.match(word.text), _SET.match(word.text)
        if plain is not None:
            self.values[plain.group("name")] = plain.group("value")
        if match is not None:
            at = self.text.find(match.group("name"), word.start)
            self.setting(match.group("name"), match.group("value"), at if at >= 0 else word.start)

    def command(self, words: List[Word]) -> None:
        if not words:
            return
        first = next((word for word in words if not _ANY.match(word.text)), None)
        name = first.text.rpartition("/")[2].lstrip("@-").lower() if first is not None else ""
        if name in _TEXT:
            words = words[: words.index(first)] if first is not None else words
        for word in words:
            match = _SET.match(word.text)
            bare = first is None and match is not None and match.group("name") not in self.exported and find(match.group("name")) is None
            if bare and match is not None:  # the script's own variable, which no program sees
                self.values[match.group("name")] = match.group("value")
            elif self.kind == "batch" and name == "set":
                pass  # the rest of the line is the value, spaces included
            else:
                self.assigned(word)
            if word.quoted and " " in word.text and match is None and name not in _TEXT:
                self.nested(word)
        if name in ("setenv", "setx") or name == "set" and any(word.text in ("-x", "-gx") for word in words):
            for at, word in enumerate(words[:-1]):
                if re.match(_NAME + r"\Z", word.text):
                    self.setting(word.text, words[at + 1].text, word.start)
        self.images(words)
        if "install" in [word.text for word in words]:
            self.pins(words)

    def nested(self, word: Word) -> None:
        """A command in quotes: bash -c "X=1 python a.py"."""
        at = self.text.find(word.text, word.start)
        if at >= 0 and re.search(_NAME + "=", word.text):
            for command in commands(self.text, at, at + len(word.text)):
                self.command(command)

    def setting(self, name: str, value: str, start: int) -> None:
        shown = MASK if is_secret([name]) else value
        self.add(start, "environment", "%s is set to %s" % (name, shown or "nothing"), instead(name, shown), False)

    def pins(self, words: Sequence[Word]) -> None:
        for word in words:
            text = re.sub(r"\$\{?(\w+)\}?", lambda match: self.values.get(match.group(1), match.group()), word.text)
            match = re.search(r"(?:^|/)" + _PIN.pattern, text, re.I)
            if match is not None:
                capped = _CAPPED.search(text, match.end())
                if match.group("sign") in (">", ">=", "!=") and capped is None:
                    continue
                sign, release = (capped or match).group("sign"), (capped or match).group("release")
                sign = "==" if sign in ("=", "-", "===") else sign
                self.pin("%s%s%s" % (match.group("name"), sign, release), release, sign == "<", word.start)

    def images(self, words: Sequence[Word]) -> None:
        for word in words:
            self.image(word.text, word.start)

    def image(self, text: str, start: int) -> None:
        text = re.sub(r"\$\{?(\w+)(?::-([^}]*))?\}?", lambda match: self.values.get(match.group(1), match.group(2) or match.group()), text)
        match = _IMAGE.match(text)
        if match is not None and re.match(r"[0-9]", match.group("tag")):
            tag = match.group("tag")
            major = re.search(r"-tf([12])\b", tag)  # nvcr.io/nvidia/tensorflow:20.12-tf1-py3 is named by year and month
            self.pin("the image " + text, major.group(1) if major else tag, False, start)

    def pin(self, what: str, release: str, below: bool, start: int) -> None:
        number = re.match(r"([0-9]+)(?:\.([0-9]+))?", release)
        major, minor = (int(number.group(1)), int(number.group(2) or 0)) if number else (2, 0)
        old = major < 2 or below and (major, minor) == (2, 0)
        help = "profiles and the runner work on 1.15 and on 2.x: raise it when the code runs there" if old else ""
        self.add(start, "tensorflow-pin", "%s holds TensorFlow %s" % (what, "below 2" if old else "at 2 or later"), help, old)

    def add(self, start: int, code: str, message: str, help: str, serious: bool) -> None:
        line = bisect.bisect_right(self.starts, start)
        span = Span(self.source, line, start - self.starts[line - 1] + 1)
        self.found.setdefault((start, code), Finding(code, span, message, help, finding.SESSION if code == "environment" else finding.RUN, serious))


def magics(source: Source, spans: Sequence[Tuple[int, int]], whole: bool) -> Iterator[Finding]:
    """What a notebook's cell sets by %env and by shell commands, and the TensorFlow that it asks for.

    Args:
        source: The cell.
        spans: Where IPython's own parts stand in it.
        whole: Whether the rest of the cell is a shell script too.
    """
    text = source.text
    kept = re.sub(r"[^\r\n]", " ", text)
    if whole and spans:
        kept = kept[: spans[0][1]] + text[spans[0][1] :]
    for start, end in spans:
        magic = text[start:end]
        version = re.match(r"%tensorflow_version\s+(?P<release>\S+)", magic)
        if version is not None:
            yield from _version(source, start, version.group("release"))
        shell = re.match(r"!!?|%(?:set_env|sx|system|env|%bash)\b|%(?=pip|conda)|(?=pip|conda)", magic)
        if shell is not None and not whole:
            command, before = magic[shell.end() :], " " * shell.end()
            if shell.group() in ("%env", "%set_env"):
                command, before = re.sub(r"^(\s+\w+)[ \t](?=\S)", r"\1=", command), "env".rjust(shell.end())
            kept = kept[:start] + before + command + kept[end:]
    yield from scan_text(source, "sh", kept)


def _version(source: Source, start: int, release: str) -> Iterator[Finding]:
    script = _Script(source, "sh", source.text)
    script.pin("%tensorflow_version " + release, release, False, start)
    yield from script.found.values()
