"""What stands in for names that left Python, NumPy, Pillow and protobuf where no other name is the same thing."""

from __future__ import annotations

import collections
import functools
import html
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import os
import shlex
import sys
import types
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple


class Computed:
    """A value that is known only once its module is loaded."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self.function = function


def implementation_type() -> str:
    """protobuf's default implementation as it was named: "cpp" for a compiled one (upb today), or "python"."""
    from google.protobuf.internal import api_implementation

    return "python" if api_implementation.Type() == "python" else "cpp"


def ragged_arrays(numpy: Any) -> None:
    """numpy.array of lists of different lengths: an array of objects, as to NumPy 1.23; from 1.24 on it is an error."""
    for name in ("array", "asarray"):
        setattr(numpy, name, _ragged(getattr(numpy, name)))


def _ragged(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def array(*args: Any, **kwargs: Any) -> Any:
        try:
            return original(*args, **kwargs)
        except ValueError as problem:
            if "inhomogeneous" not in str(problem) or len(args) != 1 or kwargs.get("dtype") is not None:
                raise
        return original(*args, **dict(kwargs, dtype=object))

    return array


ArgSpec = collections.namedtuple("ArgSpec", "args varargs keywords defaults")


def getargspec(func: Callable[..., Any]) -> ArgSpec:
    """inspect.getargspec: the arguments of a function that has no keyword-only ones and no annotations."""
    found = inspect.getfullargspec(func)
    if found.kwonlyargs or found.annotations:
        raise ValueError("Function has keyword-only parameters or annotations, use inspect.signature() API which can support them")
    return ArgSpec(found.args, found.varargs, found.varkw, found.defaults)


def formatargspec(args: Sequence[str], varargs: Optional[str] = None, varkw: Optional[str] = None, defaults: Optional[Tuple[Any, ...]] = None) -> str:
    """inspect.formatargspec, for what getargspec returns."""
    first = len(args) - len(defaults or ())
    parts = [name if at < first else "%s=%r" % (name, (defaults or ())[at - first]) for at, name in enumerate(args)]
    parts += ["*" + varargs] if varargs else []
    parts += ["**" + varkw] if varkw else []
    return "(%s)" % ", ".join(parts)


def escape(s: str, quote: bool = False) -> str:
    """cgi.escape: html.escape, which has the other default."""
    return html.escape(s, quote)


def unescape(s: str) -> str:
    """HTMLParser().unescape."""
    return html.unescape(s)


def linux_distribution(*ignored: Any, **also_ignored: Any) -> Tuple[str, str, str]:
    """platform.linux_distribution, from /etc/os-release."""
    found: Dict[str, str] = {}
    if os.path.exists("/etc/os-release"):
        with open("/etc/os-release", encoding="utf-8") as lines:
            for line in lines:
                key, _, value = line.strip().partition("=")
                found[key] = value.strip("\"'")
    return (found.get("NAME", ""), found.get("VERSION_ID", ""), found.get("VERSION_CODENAME", ""))


def make_suite(testCaseClass: Any, prefix: str = "test", sortUsing: Any = None, suiteClass: Any = None) -> Any:
    """unittest.makeSuite."""
    import unittest

    loader = unittest.TestLoader()
    loader.testMethodPrefix = prefix
    if suiteClass is not None:
        loader.suiteClass = suiteClass
    return loader.loadTestsFromTestCase(testCaseClass)


def module(name: str) -> Any:
    return importlib.import_module(name)


def asscalar(a: Any) -> Any:
    """numpy.asscalar."""
    return a.item()


def msort(a: Any) -> Any:
    """numpy.msort."""
    import numpy

    return numpy.sort(a, axis=0)


def asfarray(a: Any, dtype: Any = None) -> Any:
    """numpy.asfarray: an array of a floating point type."""
    import numpy

    wanted = numpy.dtype(numpy.float64 if dtype is None else dtype)
    return numpy.asarray(a, dtype=wanted if numpy.issubdtype(wanted, numpy.inexact) else numpy.float64)


def find_common_type(array_types: Sequence[Any], scalar_types: Sequence[Any]) -> Any:
    """numpy.find_common_type; scalars count only where there are no arrays or where their kind is higher."""
    import numpy

    arrays = [numpy.dtype(item) for item in array_types]
    scalars = [numpy.dtype(item) for item in scalar_types]
    kinds = "buifc"
    of_arrays = numpy.result_type(*arrays) if arrays else None
    of_scalars = numpy.result_type(*scalars) if scalars else None
    if of_arrays is None or of_scalars is None:
        return of_scalars if of_arrays is None else of_arrays
    return of_scalars if kinds.find(of_scalars.kind) > kinds.find(of_arrays.kind) else of_arrays


def obj2sctype(rep: Any, default: Any = None) -> Any:
    """numpy.obj2sctype."""
    import numpy

    try:
        return numpy.dtype(getattr(rep, "dtype", rep)).type
    except TypeError:
        return default


def issctype(rep: Any) -> bool:
    """numpy.issctype."""
    found = obj2sctype(rep)
    return found is not None and found.__name__ != "object_"


def maximum_sctype(t: Any) -> Any:
    """numpy.maximum_sctype."""
    import numpy

    kind = numpy.dtype(t).kind
    return {"i": numpy.int64, "u": numpy.uint64, "f": numpy.longdouble, "c": numpy.clongdouble}.get(kind, numpy.dtype(t).type)


def recfromcsv(fname: Any, **kwargs: Any) -> Any:
    """numpy.recfromcsv, by genfromtxt."""
    import numpy

    defaults = {"case_sensitive": "lower", "names": True, "delimiter": ",", "dtype": None}
    return numpy.genfromtxt(fname, **dict(defaults, **kwargs)).view(numpy.recarray)


def deprecate(*args: Any, **kwargs: Any) -> Any:
    """numpy.deprecate, which here only hands the function back."""
    return args[0] if args and callable(args[0]) else lambda function: function


class Cast:
    """numpy.cast: type -> a function that makes arrays of it."""

    def __getitem__(self, kind: Any) -> Callable[[Any], Any]:
        import numpy

        return lambda value: numpy.asarray(value).astype(kind)


class _Sctypes(Dict[str, List[type]]):
    """numpy.sctypes, filled when it is asked: NumPy is not loaded before the program loads it."""

    def __missing__(self, key: str) -> List[type]:
        import numpy

        names = {"int": "int8 int16 int32 int64", "uint": "uint8 uint16 uint32 uint64", "float": "float16 float32 float64 longdouble",
                 "complex": "complex64 complex128 clongdouble"}  # fmt: skip
        if key == "others":
            self[key] = [bool, object, bytes, str, numpy.void]
        else:
            self[key] = [getattr(numpy, name) for name in names[key].split()]
        return self[key]


SCTYPES = _Sctypes()


def font_getsize(self: Any, text: str, *args: Any, **kwargs: Any) -> Tuple[int, int]:
    """ImageFont.getsize: width and height from the box that getbbox gives."""
    left, top, right, bottom = self.getbbox(text, *args, **kwargs)
    return int(right - left), int(bottom)


def draw_textsize(self: Any, text: str, font: Any = None, spacing: int = 4, *args: Any, **kwargs: Any) -> Tuple[int, int]:
    """ImageDraw.textsize."""
    left, top, right, bottom = self.textbbox((0, 0), text, font=font, spacing=spacing)
    return int(right - left), int(bottom)


def prototype(descriptor: Any) -> Any:
    """SymbolDatabase.GetPrototype, MessageFactory.GetPrototype: the class of a message."""
    from google.protobuf import message_factory

    return message_factory.GetMessageClass(descriptor)


class MessageFactory:
    """google.protobuf.message_factory.MessageFactory: what is left of it is a function."""

    def __init__(self, pool: Any = None) -> None:
        self.pool = pool

    def GetPrototype(self, descriptor: Any) -> Any:
        return prototype(descriptor)


def _load_source(name: str, pathname: str, file: Any = None) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(name, pathname, loader=importlib.machinery.SourceFileLoader(name, pathname))
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made


def _find_module(name: str, path: Optional[Sequence[str]] = None) -> Tuple[Any, str, Tuple[str, str, int]]:
    spec = importlib.machinery.PathFinder.find_spec(name, path)
    if spec is None or spec.origin is None:
        raise ImportError("No module named %r" % name, name=name)
    return open(spec.origin, "rb"), spec.origin, (os.path.splitext(spec.origin)[1], "rb", 1)


class GoneModules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `imp`, `pipes`, `cgi` and `distutils` where Python has them no longer; asked last of all finders."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        if fullname in ("imp", "pipes", "cgi"):
            return importlib.machinery.ModuleSpec(fullname, self)
        if fullname == "distutils" and importlib.util.find_spec("setuptools") is not None:
            importlib.import_module("setuptools")  # it brings distutils along
            found = sys.modules.get("distutils")
            return getattr(found, "__spec__", None)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        made = types.ModuleType(spec.name)
        if spec.name == "imp":
            contents = {"reload": importlib.reload, "load_source": _load_source, "new_module": types.ModuleType, "find_module": _find_module,
                        "PY_SOURCE": 1, "PY_COMPILED": 2, "C_EXTENSION": 3, "PKG_DIRECTORY": 5,
                        "acquire_lock": lambda: None, "release_lock": lambda: None}  # fmt: skip
        elif spec.name == "pipes":
            contents = {"quote": shlex.quote}
        else:
            contents = {"escape": escape}
        made.__dict__.update(contents)
        return made

    def exec_module(self, module: types.ModuleType) -> None:
        pass
