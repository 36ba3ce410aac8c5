"""The wheel holds what the package needs at run time."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import zipfile

from tests.programs import ROOT


def test_wheel(tmp_path: pathlib.Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--disable-pip-version-check", "-w", str(tmp_path), str(ROOT)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        entry_points = archive.read(next(name for name in names if name.endswith("entry_points.txt"))).decode()
        metadata = archive.read(next(name for name in names if name.endswith("METADATA"))).decode()
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "tf1compat_gpu").rglob("*.py")}
    assert modules | {"tf1compat_gpu/py.typed", "tf1compat_gpu/profiles/config_proto.json"} <= names
    assert not any(name.startswith(("tests", "benchmarks", "examples")) for name in names)
    assert "tf1compat = tf1compat_gpu.__main__:main" in entry_points
    assert "Requires-Dist: tensorflow\n" not in metadata and "Provides-Extra: tensorflow-cpu" in metadata
