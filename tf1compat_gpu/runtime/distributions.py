"""Which TensorFlow distributions an environment holds, and which of them don't go together. Imports none of them."""

from __future__ import annotations

import re
from typing import Dict, List, NamedTuple

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


def installed() -> Dict[str, str]:
    """Name (normalised, as `tensorflow-cpu`) to version, of the distributions named above."""
    wanted = set(TENSORFLOW + COMPANIONS)
    try:
        from importlib import metadata
    except ImportError:  # Python 3.7
        import pkg_resources

        found = {_normal(d.project_name): d.version for d in pkg_resources.working_set}
    else:
        # A broken installation leaves distributions without a name behind.
        found = {_normal(d.metadata["Name"]): d.version for d in metadata.distributions() if d.metadata["Name"]}
    return {name: found[name] for name in TENSORFLOW + COMPANIONS if name in found and name in wanted}


def problems(found: Dict[str, str]) -> List[Problem]:
    """What does not go together in an environment."""
    rows: List[Problem] = []
    several = [name for name in TENSORFLOW if name in found and _PARTS.get(name) not in found]
    if len(several) > 1:
        rows.append(
            Problem(
                "%s are installed together: they write the same files, and the one that was installed last is half of what is imported" % " and ".join(several),
                "pip uninstall %s, and install one of them again" % " ".join(several),
            )
        )
    if several and "tf-keras" in found:
        release = parse_release(found[several[0]])
        if release >= (2, 0) and parse_release(found["tf-keras"]) != release:
            rows.append(
                Problem(
                    "tf_keras %s does not belong to TensorFlow %s" % (found["tf-keras"], found[several[0]]),
                    'pip install --no-deps "tf_keras==%d.%d.*"' % release,
                )
            )
    if "pynvml" in found:
        rows.append(Problem("the distribution pynvml is an old name of nvidia-ml-py", "pip uninstall pynvml, pip install nvidia-ml-py"))
    return rows
