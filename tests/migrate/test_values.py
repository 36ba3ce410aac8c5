"""A value is certain only where nothing else can have become of it by then; what is not certain is never written as if it were."""

from __future__ import annotations

import sys
import textwrap
from typing import Any, Dict, Tuple

import pytest

from tests.migrate.sources import configs

pytestmark = pytest.mark.skipif(sys.version_info < (3, 9), reason="scanning needs Python 3.9")

SESSION = "tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=%s))\n"


def config(source: str) -> Tuple[Dict[str, Any], Dict[str, str]]:
    """The certain and the dynamic fields of the only ConfigProto of a source."""
    found = configs("import tensorflow as tf\n" + textwrap.dedent(source))
    assert len(found) == 1, found
    return dict(found[0].fields), dict(found[0].dynamic)


NAMES = {
    "a function rebinds the module's name": "n = 1\ndef other():\n    global n\n    n = 2\ndef make():\n    return " + SESSION % "n",
    "an inner function rebinds it": "def make():\n    n = 1\n    def inner():\n        nonlocal n\n        n = 2\n    inner()\n    return " + SESSION % "n",
    "a parameter of the function around": "n = 1\ndef outer(n):\n    def make():\n        return " + SESSION % "n" + "    return make\n",
    "a name of the function around that is assigned twice": (
        "n = 1\ndef outer():\n    n = 2\n    n = 3\n    def make():\n        return " + SESSION % "n" + "    return make\n"
    ),
    "a parameter of a lambda": "n = 1\nmake = lambda n: " + SESSION % "n",
    "a keyword parameter": "n = 1\ndef make(*n):\n    return " + SESSION % "n",
    "a comprehension's": "n = 1\nmade = [" + SESSION.strip() % "n" + " for n in (2, 3)]\n",
    "a class's name that is assigned twice": "n = 1\nclass Model:\n    n = 2\n    n = 3\n    session = " + SESSION % "n",
    "an augmented one": "n = 1\nn += 1\n" + SESSION % "n",
}


@pytest.mark.parametrize("case", NAMES)
def test_names_that_are_not_certain(case: str) -> None:
    fields, dynamic = config(NAMES[case])
    assert fields == {} and list(dynamic) == ["intra_op_parallelism_threads"]


CERTAIN_NAMES = {
    "the module's": "n = 4\ndef make():\n    return " + SESSION % "n",
    "the module's, after a class with one of its own": "n = 4\nclass Model:\n    n = 1\n    def make(self):\n        return " + SESSION % "n",
    "the function's around": "n = 1\ndef outer():\n    n = 4\n    def make():\n        return " + SESSION % "n" + "    return make\n",
    "a class's own": "n = 1\nclass Model:\n    n = 4\n    session = " + SESSION % "n",
    "an annotated one": "n: int = 4\n" + SESSION % "n",
    "in a lambda": "n = 4\nmake = lambda: " + SESSION % "n",
}


@pytest.mark.parametrize("case", CERTAIN_NAMES)
def test_names_that_are_certain(case: str) -> None:
    assert config(CERTAIN_NAMES[case]) == ({"intra_op_parallelism_threads": 4}, {})


CHANGES = {
    "an item": "options['allow_soft_placement'] = False",
    "an item goes": "del options['allow_soft_placement']",
    "a method": "options.update(other)",
    "an alias": "alias = options\nalias['allow_soft_placement'] = False",
    "a function": "change(options)",
    "in a function": "def change():\n    options['allow_soft_placement'] = False",
    "in a list": "every = [options]",
}


@pytest.mark.parametrize("case", CHANGES)
def test_a_dictionary_that_something_may_change(case: str) -> None:
    fields, dynamic = config("options = {'allow_soft_placement': True}\n%s\ntf.ConfigProto(**options)\n" % CHANGES[case])
    assert fields == {} and dynamic == {"**options": "can't be followed"}


def test_a_list_that_something_changes() -> None:
    fields, dynamic = config("filters = []\nfilters.append('/job:ps')\ntf.ConfigProto(device_filters=filters)\n")
    assert fields == {} and list(dynamic) == ["device_filters"]
    assert config("filters = ['/job:ps']\nprint(filters, len(filters))\ntf.ConfigProto(device_filters=filters)\n") == ({"device_filters": ("/job:ps",)}, {})


SPLATS = {
    "{'allow_soft_placement': True, 'device_count': {'GPU': 0}}",
    "dict(allow_soft_placement=True, device_count={'GPU': 0})",
    "dict({'allow_soft_placement': True}, device_count={'GPU': 0})",
    "{**{'allow_soft_placement': True}, 'device_count': {'GPU': 0}}",
}


@pytest.mark.parametrize("options", sorted(SPLATS))
def test_splats_are_followed(options: str) -> None:
    expected: Tuple[Dict[str, Any], Dict[str, str]] = ({"allow_soft_placement": True, "device_count.GPU": 0}, {})
    assert config("tf.ConfigProto(**%s)\n" % options) == expected
    assert config("options = %s\nprint(options.get('x'))\ntf.ConfigProto(**options)\n" % options) == expected


def test_a_splat_with_values_of_its_own() -> None:
    assert config("def make(n):\n    tf.ConfigProto(**dict(allow_soft_placement=True, intra_op_parallelism_threads=n))\n") == (
        {"allow_soft_placement": True},
        {"intra_op_parallelism_threads": "parameter n"},
    )
    fields, dynamic = config("options = dict(gpu_options=tf.GPUOptions(allow_growth=True))\ntf.ConfigProto(**options)\n")
    assert fields == {} and dynamic == {"**options": "can't be followed"}


UNDONE = {
    "c.Clear()": {},
    "c.ClearField('intra_op_parallelism_threads')": {},
    "c.intra_op_parallelism_threads += 1": {"device_count.CPU": 2},
    "c.device_count.clear()": {"intra_op_parallelism_threads": 1},
    "del c.device_count['CPU']": {"intra_op_parallelism_threads": 1},
    "c.device_count.pop('CPU')": {"intra_op_parallelism_threads": 1},
}


@pytest.mark.parametrize("line", UNDONE)
def test_what_was_written_is_undone(line: str) -> None:
    fields, dynamic = config("c = tf.ConfigProto(intra_op_parallelism_threads=1)\nc.device_count['CPU'] = 2\n%s\ntf.Session(config=c)\n" % line)
    assert fields == UNDONE[line] and dynamic[line] == "can't be followed"


def test_copy_from_replaces() -> None:
    made = "c = tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True))\n"
    assert config(made + "c.gpu_options.CopyFrom(tf.GPUOptions(visible_device_list='1'))\n") == ({"gpu_options.visible_device_list": "1"}, {})
    assert config(made + "c.gpu_options.MergeFrom(tf.GPUOptions(visible_device_list='1'))\n") == (
        {"gpu_options.allow_growth": True, "gpu_options.visible_device_list": "1"},
        {},
    )
    fields, dynamic = config(made + "if x:\n    c.gpu_options.CopyFrom(tf.GPUOptions(visible_device_list='1'))\n")
    assert fields == {} and {"gpu_options.allow_growth", "gpu_options.visible_device_list"} <= set(dynamic)


def test_setattr() -> None:
    assert config("c = tf.ConfigProto()\nsetattr(c, 'allow_soft_placement', True)\nsetattr(c.gpu_options, 'allow_growth', True)\n") == (
        {"allow_soft_placement": True, "gpu_options.allow_growth": True},
        {},
    )
    fields, dynamic = config("def make(name):\n    c = tf.ConfigProto()\n    setattr(c, name, True)\n")
    assert fields == {} and dynamic == {"what setattr(c, name, True) does to it": "can't be followed"}
