"""Proving plans with the runtime: what the eager context's own ConfigProto says after a plan was carried out.

`context.context().config` is made by TensorFlow from everything that was set; it is the inverse of a plan. A context
that has not started can be configured again and again, so that one process proves many profiles.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Tuple

from tests.profiles.test_every_field import settings_of, tree_of
from tf1compat_gpu.profiles import fields

#: The program that proves rows of [path, tree, settings] read from rows.json; it reports what agreed and what did not.
PROGRAM = """
import json, warnings
warnings.simplefilter("ignore")
import tensorflow as tf
from tensorflow.python.eager import context
from tf1compat_gpu import ProfileError, configure, load_profile, make_plan
from tf1compat_gpu.plans.code import python_of
from tf1compat_gpu.plans.rules import Fidelity
from tf1compat_gpu.plans.steps import Kind
from tf1compat_gpu.runtime import eager_context
from tf1compat_gpu.runtime.tensorflow import release

def at(config, path):
    for part in path.split("."):
        config = getattr(config, part)
    return config

def text(config, path, key=None):
    value = at(config, path)
    if hasattr(value, "SerializeToString"):
        return value.SerializeToString(deterministic=True).hex()
    if key is not None:
        return repr(dict(value).get(key))
    return repr([item.SerializeToString(deterministic=True).hex() if hasattr(item, "SerializeToString") else item for item in value]
                if hasattr(value, "append") or hasattr(value, "add") else value)

def claims(plan, own):
    kinds = [step.kind for step in plan.steps if own in step.paths]
    if not gpus and set(kinds) & {Kind.VISIBLE, Kind.GROWTH, Kind.LOGICAL_GPUS}:
        return False  # printed Python does nothing about GPUs where there is none
    return Kind.NOTHING not in kinds and plan.fidelity(own) in (Fidelity.EXACT, Fidelity.CARRIED)

gpus = tf.config.experimental.list_physical_devices("GPU")
fresh = eager_context.Snapshot()
agreed, wrong, refused, paths = {"configure": 0, "printed": 0}, [], [], {"configure": set(), "printed": set()}
for path, tree, settings in json.load(open("rows.json")):
    try:
        profile = load_profile(tree)
    except ProfileError as problem:
        refused.append([path, str(problem)])
        continue
    wanted = build(tf.compat.v1.ConfigProto(), settings)
    own, key = path.split("[]")[0], None
    step = own
    if own == "device_count":
        (key,) = tree["device_count"]
        step = "device_count[%s]" % key
    for way in ("configure", "printed"):
        fresh.restore()
        plan = make_plan(profile, release(), carry=False) if way == "printed" else configure(profile)
        if not claims(plan, step) or plan.problems:
            continue
        if way == "printed":
            exec(python_of(plan), {})
        have = context.context().config
        if text(have, own, key) == text(wanted, own, key):
            agreed[way] += 1
            paths[way].add(path)
        else:
            wrong.append([way, path, tree, text(have, own, key), text(wanted, own, key)])
report(agreed=agreed, wrong=wrong, refused=refused, paths={way: sorted(found) for way, found in paths.items()}, started=eager_context.started(),
       release=list(release()))
"""


def _values(path: str, release: fields.Release) -> Iterator[List[Tuple[str, Any]]]:
    """Settings that have the field, with several values each where its type has several."""
    field = fields.paths()[path].field
    first = settings_of(path)
    if field.is_enum and not field.repeated:
        names = [m.name for m in fields.enums()[field.type] if m.first <= release <= m.last and m.number != 0]
        for name in dict.fromkeys(names):
            yield first[:-1] + [(path, name)]
    elif path == "device_count":
        for count in (2, 4):
            yield [(path, {"CPU": count})]
    else:
        yield first
        if field.type in ("int32", "int64") and not field.repeated and "virtual" not in path:
            yield first[:-1] + [(path, 7)]
        if field.type in ("float", "double") and not field.repeated:
            yield first[:-1] + [(path, 0.5)]


def rows(release: fields.Release) -> List[Tuple[str, Dict[str, Any], List[Tuple[str, Any]]]]:
    """What to prove on a release: field path, profile, and the settings by which a ConfigProto is made by hand."""
    found = []
    for path, known in fields.paths().items():
        if known.first <= release <= known.last:
            found += [(path, tree_of(settings), settings) for settings in _values(path, release)]
    return found


__all__ = ["PROGRAM", "rows"]
