"""Dependencies point one way, and importing the package loads nothing heavy."""

from __future__ import annotations

import ast
import pathlib
from typing import Iterator, Set

import pytest

import tf1compat_gpu
from tests.programs import ROOT, reports

PACKAGE = ROOT / "tf1compat_gpu"
#: What each part may import of this package.
ALLOWED = {
    "diagnostics": set(),
    "errors": {"diagnostics"},
    "profiles": {"diagnostics", "errors"},
    "plans": {"diagnostics", "errors", "profiles"},
    "runtime": {"diagnostics", "errors", "profiles", "plans"},
    "tf1": {"diagnostics", "errors", "profiles", "plans", "runtime"},
    "shim": {"diagnostics", "errors", "profiles", "plans", "runtime", "tf1"},
    "migrate": {"diagnostics", "errors", "profiles", "plans"},
    "cli": {"diagnostics", "errors", "profiles", "plans", "runtime", "shim", "migrate", "__init__"},
    "__main__": {"diagnostics", "errors", "cli"},
}
IMPORTS_TENSORFLOW = {"runtime", "shim", "tf1"}
FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "manager", "engine", "misc", "common"}


def part(path: pathlib.Path) -> str:
    return path.relative_to(PACKAGE).parts[0].replace(".py", "")


def imported(path: pathlib.Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            for alias in node.names:
                yield "%s.%s" % (node.module, alias.name)


FILES = sorted(path for path in PACKAGE.rglob("*.py") if path.name != "__init__.py" or path.parent != PACKAGE)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_direction(path: pathlib.Path) -> None:
    own = part(path)
    parts: Set[str] = set()
    for name in imported(path):
        if name.startswith("tf1compat_gpu."):
            parts.add(name.split(".")[1])
        if name.split(".")[0] == "tensorflow":
            assert own in IMPORTS_TENSORFLOW, name
    parts &= {p.stem for p in PACKAGE.iterdir()}
    assert parts - {own} <= ALLOWED[own]


def test_names_say_what_is_in_them() -> None:
    assert not {path.stem for path in PACKAGE.rglob("*.py")} & FORBIDDEN_NAMES


def test_importing_the_package_loads_nothing_heavy() -> None:
    found = reports(
        """
        import sys
        import tf1compat_gpu
        heavy = ["tensorflow", "google.protobuf", "rich", "click", "yaml", "numpy"]
        report(package=[name for name in heavy if name in sys.modules])
        tf1compat_gpu.load_profile({"allow_growth": True})
        report(profile=[name for name in heavy if name in sys.modules])
        """
    )
    assert found["package"] == []
    assert set(found["profile"]) <= {"yaml"}


def test_every_public_name_is_there() -> None:
    for name in tf1compat_gpu.__all__:
        assert getattr(tf1compat_gpu, name) is not None
    assert set(tf1compat_gpu.__all__) <= set(dir(tf1compat_gpu))
    with pytest.raises(AttributeError):
        tf1compat_gpu.no_such_name  # noqa: B018
