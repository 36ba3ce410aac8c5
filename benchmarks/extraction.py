"""Whether `tf1compat extract` gives the configs that TensorFlow 1.15.5 received when public TF1 programs ran under it.

    python -m benchmarks.extraction FOLDER

FOLDER holds the repositories, each as OWNER__REPO, at the commits that extraction_cases.json and recall_sites.json name. A case
is a program, the place where the config of its sessions is built, found by reading, and the text of what TensorFlow received. It
counts where the profile of that place equals what was received, up to fields that were written with their default, and where each
field that differs is reported as dynamic; a config of which the scan says that it can't be followed claims nothing. The profile is
written out and loaded again, by a process of local rank 0, as the one that received was. InteractiveSession adds place_pruned_graph
itself (session.py). Exit status 1 where a case does not count. Needs Python 3.9, and no TensorFlow.
"""

from __future__ import annotations

import json
import pathlib
import sys
from typing import Any, Dict, List, Mapping

import yaml

from benchmarks.recall import configs_of, equal, path_below
from tf1compat_gpu.migrate import extract
from tf1compat_gpu.migrate.finding import Finding
from tf1compat_gpu.profiles import fields
from tf1compat_gpu.profiles.profile import FrozenMapping
from tf1compat_gpu.profiles.protos import profile_from_text
from tf1compat_gpu.profiles.reader import load_profile
from tf1compat_gpu.profiles.writer import to_yaml

CASES = pathlib.Path(__file__).with_name("extraction_cases.json")
_FIRST = {"HOROVOD_LOCAL_RANK": "0", "HOROVOD_RANK": "0", "HOROVOD_LOCAL_SIZE": "1"}
_ADDED = "graph_options.place_pruned_graph"
EQUAL, DYNAMIC, NOT_FOLLOWED = "equal", "equal but for fields named as dynamic", "reported as not followed"


def _written(values: Mapping[str, Any]) -> Dict[str, Any]:
    """A profile's values without defaults and empty messages, device_count's items as paths of their own."""
    found: Dict[str, Any] = {}
    for path, value in values.items():
        if isinstance(value, FrozenMapping):
            found.update(("%s.%s" % (path, key), number) for key, number in value.items())
        elif path != _ADDED and not equal(path, value, fields.default(path)):
            found[path] = value
    return found


def judge(case: Mapping[str, Any], finding: Finding) -> str:
    """How the place's profile stands to what TensorFlow received: one of the three, or what is wrong.

    Args:
        case: The program, with the text of the config received.
        finding: What the scan has at its place.
    """
    if not all(path in fields.paths() or path.startswith("device_count.") for path in finding.dynamic):
        return NOT_FOLLOWED
    profile, _ = extract.profile_of(finding.fields)
    if profile is None:
        return "no profile can be made of it"
    loaded = load_profile(yaml.safe_load(to_yaml(profile)), environ=_FIRST)
    ours, theirs = _written(loaded.values()), _written(profile_from_text(case["received"]).values())
    wrong = []
    for path in sorted(set(ours) | set(theirs)):
        if path in ours and path in theirs and equal(path, ours[path], theirs[path]):
            continue
        if not any(path == dynamic or path.startswith(dynamic + ".") for dynamic in finding.dynamic):
            wrong.append("%s is %r, and was received as %r" % (path, ours.get(path), theirs.get(path)))
    return "; ".join(wrong) or (DYNAMIC if finding.dynamic else EQUAL)


def measure(folder: str) -> int:
    """The number of cases that don't count; prints a line for each case.

    Args:
        folder: Holds the repositories, each as OWNER__REPO.

    Raises:
        SystemExit: A file is not there.
    """
    cases: List[Dict[str, Any]] = json.loads(CASES.read_text(encoding="utf-8"))["cases"]
    found = configs_of(folder, [case["file"] for case in cases], CASES.name)
    results = []
    for case in cases:
        finding = found.get((path_below(folder, case["file"]), 0, case["line"]))
        results.append("no config is found here" if finding is None else judge(case, finding))
        print("%s: %s" % (case["program"], results[-1]))
    counts = {kind: results.count(kind) for kind in (EQUAL, DYNAMIC, NOT_FOLLOWED)}
    print("%d cases: %s" % (len(cases), ", ".join("%d %s" % (number, kind) for kind, number in counts.items())))
    return len(cases) - sum(counts.values())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m benchmarks.extraction FOLDER")
    sys.exit(1 if measure(sys.argv[1]) else 0)
