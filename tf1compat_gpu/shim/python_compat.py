"""Names that left Python, NumPy, Pillow and protobuf, put back for programs of TensorFlow 1's time.

Only with `--python-compat`: the names are put back for the whole process, because it is old installed packages that
need them most. Each row gives the release that a name left in, from that project's own release notes. Without the
switch the table serves to say what a failed program has met.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
import types
from typing import Any, Dict, List, NamedTuple, Optional

from tf1compat_gpu.runtime.after_import import when_loaded
from tf1compat_gpu.shim import python_stand_ins as stand_ins


class Row(NamedTuple):
    """A name that is gone.

    Attributes:
        module: The module, or the class within a module ("threading:Thread"), that had the name.
        name: The name.
        now: What it was: "module:name" where that is there today, or the thing itself.
        gone: The project and the release that took it away, "Python 3.10".
    """

    module: str
    name: str
    now: Any
    gone: str

    def value(self) -> Any:
        """What the name is to mean."""
        if isinstance(self.now, stand_ins.Computed):
            return self.now.function()
        if not isinstance(self.now, str):
            return self.now
        module, _, path = self.now.partition(":")
        found: Any = importlib.import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
        return found


def _rows(module: str, gone: str, names: Dict[str, Any]) -> List[Row]:
    return [Row(module, name, now, gone) for name, now in names.items()]


_ABSTRACT = """
Awaitable Coroutine AsyncIterable AsyncIterator AsyncGenerator Hashable Iterable Iterator Generator Reversible Sized Container Callable
Collection Set MutableSet Mapping MutableMapping MappingView KeysView ItemsView ValuesView Sequence MutableSequence
"""
_ASSERTIONS = {
    "assertEquals": "assertEqual", "assertNotEquals": "assertNotEqual", "assert_": "assertTrue", "assertAlmostEquals": "assertAlmostEqual",
    "assertNotAlmostEquals": "assertNotAlmostEqual", "assertRegexpMatches": "assertRegex", "assertNotRegexpMatches": "assertNotRegex",
    "assertRaisesRegexp": "assertRaisesRegex", "failUnlessEqual": "assertEqual", "failIfEqual": "assertNotEqual",
    "failUnless": "assertTrue", "failIf": "assertFalse", "failUnlessRaises": "assertRaises", "failUnlessAlmostEqual": "assertAlmostEqual",
}  # fmt: skip

#: Python's "What's New", section "Removed", of the release named.
PYTHON = (
    _rows("collections", "Python 3.10", {name: "collections.abc:" + name for name in _ABSTRACT.split()})
    + _rows("inspect", "Python 3.11", {"getargspec": stand_ins.getargspec, "ArgSpec": stand_ins.ArgSpec, "formatargspec": stand_ins.formatargspec})
    + _rows("time", "Python 3.8", {"clock": "time:perf_counter" if sys.platform == "win32" else "time:process_time"})
    + _rows("cgi", "Python 3.8", {"escape": stand_ins.escape})
    + _rows("platform", "Python 3.8", {"linux_distribution": stand_ins.linux_distribution, "dist": stand_ins.linux_distribution})
    + _rows("fractions", "Python 3.9", {"gcd": "math:gcd"})
    + _rows("base64", "Python 3.9", {"encodestring": "base64:encodebytes", "decodestring": "base64:decodebytes"})
    + _rows("threading:Thread", "Python 3.9", {"isAlive": "threading:Thread.is_alive"})
    + _rows("html.parser:HTMLParser", "Python 3.9", {"unescape": staticmethod(stand_ins.unescape)})
    + _rows("asyncio", "Python 3.11", {"coroutine": "types:coroutine"})
    + _rows("configparser", "Python 3.12", {"SafeConfigParser": "configparser:ConfigParser"})
    + _rows("configparser:RawConfigParser", "Python 3.12", {"readfp": "configparser:RawConfigParser.read_file"})
    + _rows("unittest", "Python 3.13", {"makeSuite": stand_ins.make_suite})
    + _rows("unittest:TestCase", "Python 3.12", {old: "unittest:TestCase." + new for old, new in _ASSERTIONS.items()})
    + _rows("os", "Python 3.7", {"errno": stand_ins.module("errno")})
)
#: NumPy's release notes: 1.20 deprecated the builtins' names and 1.24 took them away; the rest "NumPy 2.0 migration guide".
NUMPY = (
    _rows("numpy", "NumPy 1.24", {"bool": bool, "int": int, "float": float, "complex": complex, "object": object, "str": str, "long": int, "unicode": str})
    + _rows("numpy", "NumPy 1.23", {"asscalar": stand_ins.asscalar})
    + _rows("numpy", "NumPy 1.18", {"rank": "numpy:ndim"})
    + _rows(
        "numpy", "NumPy 2.0",
        {"float_": "numpy:float64", "complex_": "numpy:complex128", "cfloat": "numpy:complex128", "singlecomplex": "numpy:complex64",
         "clongfloat": "numpy:clongdouble", "longcomplex": "numpy:clongdouble", "longfloat": "numpy:longdouble", "string_": "numpy:bytes_",
         "unicode_": "numpy:str_", "Inf": "numpy:inf", "Infinity": "numpy:inf", "infty": "numpy:inf", "PINF": "numpy:inf", "NINF": -float("inf"),
         "NaN": "numpy:nan", "NAN": "numpy:nan", "PZERO": 0.0, "NZERO": -0.0, "product": "numpy:prod", "cumproduct": "numpy:cumprod",
         "alltrue": "numpy:all", "sometrue": "numpy:any", "round_": "numpy:round", "row_stack": "numpy:vstack", "msort": stand_ins.msort,
         "asfarray": stand_ins.asfarray, "mat": "numpy:asmatrix", "find_common_type": stand_ins.find_common_type, "issctype": stand_ins.issctype,
         "obj2sctype": stand_ins.obj2sctype, "cast": stand_ins.Cast(), "sctypes": stand_ins.SCTYPES, "typeDict": "numpy:sctypeDict",
         "issubsctype": "numpy:issubdtype", "maximum_sctype": stand_ins.maximum_sctype, "recfromcsv": stand_ins.recfromcsv,
         "geterrobj": "numpy:geterr", "deprecate": stand_ins.deprecate, "byte_bounds": "numpy.lib.array_utils:byte_bounds"},
    )
    + _rows("numpy", "NumPy 2.4", {"in1d": "numpy:isin", "trapz": "numpy:trapezoid"})
)  # fmt: skip
#: Pillow's "Deprecations and removals".
PILLOW = (
    _rows("PIL.Image", "Pillow 10", {"ANTIALIAS": "PIL.Image:LANCZOS", "LINEAR": "PIL.Image:BILINEAR", "CUBIC": "PIL.Image:BICUBIC"})
    + _rows("PIL.ImageFont:FreeTypeFont", "Pillow 10", {"getsize": stand_ins.font_getsize})
    + _rows("PIL.ImageFont:ImageFont", "Pillow 10", {"getsize": stand_ins.font_getsize})
    + _rows("PIL.ImageDraw:ImageDraw", "Pillow 10", {"textsize": stand_ins.draw_textsize})
    + _rows("PIL", "Pillow 9", {"PILLOW_VERSION": "PIL:__version__"})
)
#: protobuf's release notes; code of the time asks which implementation runs before it picks another.
PROTOBUF = (
    _rows("google.protobuf.internal.api_implementation", "protobuf 4.21", {"_default_implementation_type": stand_ins.Computed(stand_ins.implementation_type)})
    + _rows("google.protobuf.message_factory", "protobuf 5.26", {"MessageFactory": stand_ins.MessageFactory})
    + _rows("google.protobuf.symbol_database:SymbolDatabase", "protobuf 5.26", {"GetPrototype": staticmethod(stand_ins.prototype)})
)
ROWS = PYTHON + NUMPY + PILLOW + PROTOBUF
#: Whole modules that left Python, and what stands in for each: `import imp` and the like.
MODULES = {"imp": "Python 3.12", "pipes": "Python 3.13", "distutils": "Python 3.12", "cgi": "Python 3.13"}


def row(module: str, name: str) -> Optional[Row]:
    """The row of a name that a module, or a class of it, lacks."""
    for found in ROWS:
        owner = found.module.replace(":", ".")
        if found.name == name and module in (found.module.partition(":")[0], owner, owner.rpartition(".")[2]):
            return found
    return None


def put_back(found: Row) -> None:
    """Give a name back to the module or class that had it, unless it is there."""
    module, _, path = found.module.partition(":")
    owner: Any = sys.modules[module]
    if path:
        owner = getattr(owner, path, None)
        if owner is None:
            return
    if found.name in vars(owner):
        return
    if not isinstance(owner, type) and isinstance(owner, types.ModuleType) and module != "numpy" and hasattr(owner, found.name):
        return
    # Where its successor is not there yet, in the release installed, the old name still is.
    with contextlib.suppress(AttributeError, ImportError, TypeError):
        setattr(owner, found.name, found.value())


def install() -> None:
    """Put the names back, of what is loaded now and of what will be."""
    by_module: Dict[str, List[Row]] = {}
    for found in ROWS:
        by_module.setdefault(found.module.partition(":")[0], []).append(found)
    for name, rows in by_module.items():
        when_loaded(name, _Putting(rows))
    when_loaded("numpy", stand_ins.ragged_arrays)
    if not any(isinstance(finder, stand_ins.GoneModules) for finder in sys.meta_path):
        sys.meta_path.append(stand_ins.GoneModules())


class _Putting:
    """Puts one module's names back."""

    def __init__(self, rows: List[Row]) -> None:
        self.rows = rows

    def __call__(self, module: Any) -> None:
        for found in self.rows:
            put_back(found)
