"""What a scan costs, as ratios of CPU time in one run: to reading and parsing, and to tf_upgrade_v2; and how it grows.

python -m benchmarks.scan_cost FOLDER [--grow]

FOLDER holds Python files, as many as there are at hand. Each measurement is a process of its own; its CPU time counts those it
starts. tf_upgrade_v2 is driven file by file, so that its crashes cost it no files; it needs TensorFlow 2. With --grow the files
are multiplied to 1,000 and to 50,000: the time for one file at both sizes, and what the larger scan needs more in memory.
"""

from __future__ import annotations

import ast
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import warnings
from typing import Dict, List

#: At most these times reading and parsing, and at least these times less than tf_upgrade_v2.
PARSE_BAR, UPGRADE_BAR = 3.0, 15.0
SMALL, LARGE = 1_000, 50_000


def _files(folder: str) -> List[str]:
    from tf1compat_gpu.migrate import files

    return [path for path in files.find([folder]) if path.endswith(".py")]


def parse(folder: str) -> None:
    """Read every file, and parse those that name what a scan looks for."""
    from tf1compat_gpu.migrate import files

    warnings.simplefilter("ignore")
    for path in _files(folder):
        with open(path, "rb") as file:
            data = file.read()
        if any(mark in data for mark in files.MARKS):
            with contextlib.suppress(SyntaxError, ValueError):
                ast.parse(data)


def scan(folder: str) -> None:
    """Scan every file, and say how many findings there are."""
    from tf1compat_gpu.migrate import scan

    print(sum(len(report.findings) for report in scan.scan(_files(folder))))


def upgrade(folder: str) -> None:
    """Give every file to tf_upgrade_v2's classes."""
    import io

    from tensorflow.tools.compatibility import ast_edits, tf_upgrade_v2

    for path in _files(folder):
        with contextlib.suppress(Exception), open(path, encoding="utf-8") as source:
            upgrader = ast_edits.ASTCodeUpgrader(tf_upgrade_v2.TFAPIChangeSpec(import_rename=True))
            upgrader.process_opened_file(path, source, path, io.StringIO())


def nothing(folder: str) -> None:
    """Find the files and import what the others import."""
    from tf1compat_gpu.migrate import scan

    assert scan
    _files(folder)


def nothing_of_upgrade(folder: str) -> None:
    """Find the files and import what tf_upgrade_v2 imports."""
    from tensorflow.tools.compatibility import ast_edits, tf_upgrade_v2

    assert ast_edits and tf_upgrade_v2
    _files(folder)


MEASURED = {each.__name__: each for each in (parse, scan, upgrade, nothing, nothing_of_upgrade)}


def measure(name: str, folder: str) -> Dict[str, float]:
    """CPU seconds, and the largest resident size of the process itself in KiB."""
    code = (
        "import resource, sys\nfrom benchmarks import scan_cost\n"
        "if __name__ == '__main__':\n"
        "    scan_cost.MEASURED[sys.argv[1]](sys.argv[2])\n"
        "    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]\n"
        "    print('@', sum(each.ru_utime + each.ru_stime for each in used), used[0].ru_maxrss)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, name, folder], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    cpu, size = done.stdout.rpartition("@")[2].split()
    return {"cpu": float(cpu), "size": float(size)}


def _multiplied(sources: List[str], number: int, folder: pathlib.Path) -> str:
    """A folder with so many files: the sources over and over, a hundred in each folder."""
    for at in range(number):
        place = folder / ("%d" % (at // 100))
        place.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(sources[at % len(sources)], place / ("m%d.py" % at))
    return str(folder)


def grow(folder: str) -> None:
    """Time for one file at both sizes, and memory for each file more."""
    # Evenly spread, so that the small size holds files of the same kinds.
    every = _files(folder)
    sources = every[:: max(1, len(every) // SMALL)][:SMALL]
    with tempfile.TemporaryDirectory() as scratch:
        small, large = (measure("scan", _multiplied(sources, number, pathlib.Path(scratch) / str(number))) for number in (SMALL, LARGE))
    per_file = (large["cpu"] / LARGE) / (small["cpu"] / SMALL)
    print("CPU for one file, %d files to %d: %.2f" % (LARGE, SMALL, per_file))
    print("memory: %.2f KiB for each file more" % ((large["size"] - small["size"]) / (LARGE - SMALL)))


def main(folder: str) -> bool:
    """Print the ratios; whether they keep the bars."""
    base, base_upgrade = measure("nothing", folder)["cpu"], measure("nothing_of_upgrade", folder)["cpu"]
    parsing, scanning = measure("parse", folder)["cpu"] - base, measure("scan", folder)["cpu"] - base
    upgrading = measure("upgrade", folder)["cpu"] - base_upgrade
    print("%d files: scan %.2f times reading and parsing (bar: at most %.0f)" % (len(_files(folder)), scanning / parsing, PARSE_BAR))
    print("tf_upgrade_v2 %.1f times scan (bar: at least %.0f)" % (upgrading / scanning, UPGRADE_BAR))
    return scanning <= PARSE_BAR * parsing and upgrading >= UPGRADE_BAR * scanning


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if not arguments or not os.path.isdir(arguments[0]) or arguments[1:] not in ([], ["--grow"]):
        raise SystemExit("usage: python -m benchmarks.scan_cost FOLDER [--grow]")
    kept = main(arguments[0])
    if arguments[1:]:
        grow(arguments[0])
    raise SystemExit(0 if kept else 1)
