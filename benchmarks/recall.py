"""What `tf1compat scan` finds of ConfigProto calls in public TF1 code, in samples of 60 drawn at random and read by hand.

    python -m benchmarks.recall FOLDER

FOLDER holds the repositories, each as OWNER__REPO, at the commits that recall_sites.json names. The truth, in the same file,
was written by reading the sources, not from what the scan says: what the program itself sets, without what TensorFlow adds (its
TestCase.session writes optimizer options into the config that it is given, InteractiveSession place_pruned_graph). A site counts
where the scan has a config at its line, with the same certain fields and values, and the same fields that are dynamic.

A sample is a fair measure only until the scan is changed because of it. What was right when each was first compared with the scan:

- the first, 53 of 60; the scan was changed because of it;
- the second, 55 of 60; the other five were in sources of Python 2, which the scan did not read then and reads since;
- the third, 60 of 60; nothing was changed because of it, so this figure is the fair one.

The second and the third were each drawn from the calls that were in no sample before, in all .py files and notebooks of the
repositories, by random.Random(seed).sample of the list sorted by file, cell and line, and their truth was committed before the scan
was first compared with it. A regular expression finds 203 calls there, of which 23 are in no sample. The samples are not strangers
to each other: 17 sites of the third are in files where an earlier one has a site too, and three of those are of Python 2, in the
two files of the second's misses: the scan as it was before it read them finds 57 of the third.

Exit status 1 where a sample is below the bar. Needs Python 3.9 or later, as the scan does, and no TensorFlow.
"""

from __future__ import annotations

import json
import os
import pathlib
import sys
from typing import Any, Dict, Iterable, List, Mapping, Tuple

from tf1compat_gpu.migrate import files
from tf1compat_gpu.migrate.configs import PER_PROCESS, RANKED
from tf1compat_gpu.migrate.finding import Finding
from tf1compat_gpu.migrate.scan import scan
from tf1compat_gpu.profiles import fields

SITES = pathlib.Path(__file__).with_name("recall_sites.json")
#: The least number of a sample's 60 sites that are found and right.
BAR = 57
#: Numbers that differ by no more are equal: a float field keeps fewer digits than the source.
TOLERANCE = 1e-9

#: File, cell of a notebook (from 1, counted over cells of all kinds; 0 for a file of code), line.
Place = Tuple[str, int, int]
Found = Mapping[Place, Tuple[Mapping[str, Any], Mapping[str, str]]]


def path_below(folder: str, file: str) -> str:
    """Where the file OWNER/REPO/path is below a folder that holds OWNER__REPO."""
    owner, repo, rest = file.split("/", 2)
    return os.path.join(folder, "%s__%s" % (owner, repo), *rest.split("/"))


def configs_of(folder: str, names: Iterable[str], facts: str) -> Dict[Place, Finding]:
    """What the scan has of ConfigProtos in files of the repositories; prints which files are not read.

    Args:
        folder: Holds the repositories, each as OWNER__REPO.
        names: The files, each as OWNER/REPO/path.
        facts: The file that names their commits.

    Raises:
        SystemExit: A file is not there.
    """
    paths = sorted({path_below(folder, name) for name in names})
    missing = [path for path in paths if not os.path.isfile(path)]
    if missing:
        raise SystemExit("%s: no such file; FOLDER holds the repositories, each as OWNER__REPO, at the commits in %s" % (missing[0], facts))
    found: Dict[Place, Finding] = {}
    for report in scan(files.find(paths)):
        if report.skipped is not None:
            print("%s: not read: %s" % (report.path, report.skipped))
        found.update(((report.path, each.span.source.cell, each.span.line), each) for each in report.findings if each.code == "config")
    return found


def comparable(path: str, value: Any) -> Any:
    """A field's value, so that lists and tuples are alike, and an enum's number and its member's name."""
    if isinstance(value, (list, tuple)):
        return [comparable(path, item) for item in value]
    known = fields.paths().get(path)
    if known is not None and known.field.is_enum and isinstance(value, int):
        member = fields.member_by_number(known.field.type, value)
        return member.name if member else value
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def equal(path: str, one: Any, other: Any) -> bool:
    """Whether two values of a field are the same; true is not 1, as in YAML."""
    one, other = comparable(path, one), comparable(path, other)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(equal(path, *pair) for pair in zip(one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return abs(one - other) <= TOLERANCE
    return bool(one == other)


def differences(site: Mapping[str, Any], found: Found, path: str) -> List[str]:
    """What the scan says otherwise of a site, a line each; empty where it is found and right."""
    ours = found.get((path, site.get("cell", 0), site["line"]))
    if ours is None:
        return ["no config is found here"]
    static, dynamic = ours
    lines = []
    for path in sorted(set(static) | set(site["fields"])):
        if path not in static:
            lines.append("%s is %r, which is not found" % (path, site["fields"][path]))
        elif path not in site["fields"]:
            lines.append("%s is found as %r, which is not certain" % (path, static[path]))
        elif not equal(path, static[path], site["fields"][path]):
            lines.append("%s is %r, and found as %r" % (path, site["fields"][path], static[path]))
    lines += ["%s is dynamic, which is not found" % path for path in sorted(set(site["dynamic"]) - set(dynamic))]
    lines += ["%s is found as dynamic (%s), which it is not" % (path, dynamic[path]) for path in sorted(set(dynamic) - set(site["dynamic"]))]
    return lines


def _ranked(static: Dict[str, Any], dynamic: Dict[str, str]) -> Tuple[Dict[str, Any], Dict[str, str]]:
    """The local rank's GPU, which the scan names by the profile's setting, is a dynamic field to who reads the source."""
    if static.pop(PER_PROCESS, None) is not None:
        dynamic[RANKED] = "the local rank"
    return static, dynamic


def measure(folder: str) -> List[Tuple[int, int, int]]:
    """Of each sample its seed, the sites that are found and right, and all of them; prints each difference.

    Args:
        folder: Holds the repositories, each as OWNER__REPO.

    Raises:
        SystemExit: A file of a site is not there.
    """
    samples: List[Dict[str, Any]] = json.loads(SITES.read_text(encoding="utf-8"))["samples"]
    configs = configs_of(folder, [site["file"] for sample in samples for site in sample["sites"]], SITES.name)
    found = {place: _ranked(dict(each.fields), dict(each.dynamic)) for place, each in configs.items()}
    results = []
    for sample in samples:
        right = 0
        for site in sample["sites"]:
            lines = differences(site, found, path_below(folder, site["file"]))
            right += not lines
            cell = "cell %d:" % site["cell"] if "cell" in site else ""
            for line in lines:
                print("%s:%s%d: %s" % (site["file"], cell, site["line"], line))
        results.append((sample["seed"], right, len(sample["sites"])))
    return results


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m benchmarks.recall FOLDER")
    results = measure(sys.argv[1])
    for seed, right, total in results:
        print("sample of seed %d: found and right: %d of %d (bar: %d)" % (seed, right, total, BAR))
    sys.exit(1 if any(right < BAR for _, right, _ in results) else 0)
