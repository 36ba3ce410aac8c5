"""Which TensorFlow distributions an environment holds, and which of them don't go together. Imports none of them."""

from __future__ import annotations

import importlib
import re
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Tuple

from tf1compat_gpu.profiles.fields import parse_release

#: Distributions that hold the module tensorflow.
TENSORFLOW = (
    "tensorflow",
    "tensorflow-cpu",
    "tensorflow-gpu",
    "tensorflow-rocm",
    "tensorflow-macos",
    "tensorflow-intel",
    "tensorflow-cpu-aws",
    "intel-tensorflow",
    "tf-nightly",
    "tf-nightly-cpu",
    "tf-nightly-gpu",
    "nvidia-tensorflow",
)
#: tensorflow requires one of these on some platforms: the two are one TensorFlow.
_PARTS = {"tensorflow-intel": "tensorflow", "tensorflow-cpu-aws": "tensorflow", "tensorflow-macos": "tensorflow"}
#: Others that matter to TensorFlow 1 programs.
COMPANIONS = ("keras", "tf-keras", "tf-slim", "tensorflow-estimator", "protobuf", "numpy", "horovod", "nvidia-ml-py", "pynvml", "tf1compat-gpu")


class Problem(NamedTuple):
    """What is wrong with the environment, and what to do."""

    message: str
    help: str


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _everything() -> Iterator[Tuple[str, str]]:
    """Name and version of each distribution, in the order of sys.path; broken ones have neither."""
    try:
        metadata: Any = importlib.import_module("importlib.metadata")
    except ImportError:  # Python 3.7
        for found in importlib.import_module("pkg_resources").working_set:
            yield found.project_name, found.version
    else:
        for found in metadata.distributions():
            if found.metadata["Name"] and found.version:
                yield found.metadata["Name"], found.version


def installed() -> Dict[str, str]:
    """Name (normalised, as `tensorflow-cpu`) to version, of the distributions named above."""
    found: Dict[str, str] = {}
    for name, version in _everything():
        found.setdefault(_normal(name), version)  # the first on sys.path is the one that is imported
    return {name: found[name] for name in TENSORFLOW + COMPANIONS if name in found}


def tensorflows(found: Mapping[str, str]) -> List[str]:
    """Which of the distributions hold a TensorFlow; one that another one requires does not count beside it."""
    return [name for name in TENSORFLOW if name in found and _PARTS.get(name) not in found]


def _keras(found: Mapping[str, str], tensorflow: str, legacy: bool) -> List[Problem]:
    release = parse_release(found[tensorflow])
    cure = 'pip install --no-deps "tf_keras==%d.%d.*"' % release
    keras = found.get("tf-keras")
    if release < (2, 0):
        return []
    if keras and parse_release(keras) != release:
        return [Problem("tf_keras %s does not belong to %s %s" % (keras, tensorflow, found[tensorflow]), cure)]
    if legacy and not keras and release >= (2, 16):
        return [Problem("TF_USE_LEGACY_KERAS is set, and there is no tf_keras: tf.keras can't be used", cure)]
    return []


def problems(found: Mapping[str, str], legacy_keras: bool = False) -> List[Problem]:
    """What does not go together in an environment.

    Args:
        found: What `installed` returns.
        legacy_keras: Whether TF_USE_LEGACY_KERAS asks for tf_keras.
    """
    rows: List[Problem] = []
    several = tensorflows(found)
    if not several:
        rows.append(Problem("no TensorFlow is installed in this environment", "pip install tensorflow-cpu, or tensorflow, or your vendor's build"))
    if len(several) > 1:
        text = "%s are installed together: they write the same files, and the one that was installed last is half of what is imported"
        names = " ".join(several)
        rows.append(Problem(text % " and ".join(several), "pip uninstall %s; then install one of them: pip install %s" % (names, several[-1])))
    if several:
        rows += _keras(found, several[0], legacy_keras)
    if "pynvml" in found:
        rows.append(Problem("the distribution pynvml is an old name of nvidia-ml-py", "pip uninstall pynvml; pip install nvidia-ml-py"))
    return rows
