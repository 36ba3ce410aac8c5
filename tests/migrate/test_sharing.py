"""Configs that more than one name, call or branch may mean: their values are certain, and their lines leave the code, only where that is right."""

from __future__ import annotations

import sys
from typing import Any, Dict, Tuple

import pytest

from tests.migrate import sources

pytestmark = pytest.mark.skipif(sys.version_info < (3, 10), reason="some of the sources have Python 3.10's syntax")

HEAD = "import tensorflow as tf\n"
MADE = "c = tf.ConfigProto(allow_soft_placement=True)\n"
USED = "tf.Session(config=c)\n"
LATER = "c.allow_soft_placement = False\n"
#: Each ends in a config whose allow_soft_placement is not certain: it was True, and may be False, or the other way round.
NOT_CERTAIN = {
    "two blocks of one condition": "if x:\n    " + MADE + "x = other()\nif x:\n    " + LATER + USED,
    "two loops": "for i in a:\n    " + MADE + "for i in b:\n    " + LATER + USED,
    "a try that goes on": MADE + "try:\n    work()\n    " + LATER + "except ValueError:\n    pass\n" + USED,
    "a try that it is made in": "try:\n    " + MADE + "    work()\n    " + LATER + "except ValueError:\n    pass\n" + USED,
    "an exception that is swallowed": MADE + "with contextlib.suppress(ValueError):\n    work()\n    " + LATER + USED,
    "a loop that was left": MADE + "for i in a:\n    if i: break\nelse:\n    " + LATER + USED,
    "a case": MADE + "match x:\n    case 1:\n        " + LATER + USED,
    "a helper of two calls": "def make():\n    return tf.ConfigProto(allow_soft_placement=True)\nc = make()\n" + LATER + USED + "tf.Session(config=make())\n",
    "a method of the class above": (
        "class A:\n    def make(self):\n        return tf.ConfigProto(allow_soft_placement=True)\n"
        "class B(A):\n    def make(self):\n        c = super().make()\n        " + LATER + "        return c\n"
    ),
    "after it was returned": "def make(x):\n    " + MADE + "    if x: return c\n    " + LATER + "    return c\n",
    "after a server": MADE + "tf.train.Server(spec, config=c)\n" + LATER + USED,
    "after a monitored session": MADE + "tf.train.MonitoredTrainingSession(config=c)\n" + LATER,
    "after a function made a session": MADE + "def run():\n    return " + USED + "run()\n" + LATER + "run()\n",
    "after a function was given it": "def run(c):\n    return " + USED + MADE + "run(c)\n" + LATER,
    "a tuple": "c, n = tf.ConfigProto(allow_soft_placement=True), 1\n" + LATER + USED,
    "a list": "every = [tf.ConfigProto(allow_soft_placement=True)]\n" + LATER,
    "a dictionary": MADE + "every = {'c': c}\n" + USED,
    "a loop over it": MADE + "for each in (c, other):\n    each.allow_soft_placement = False\n" + USED,
    "a global": "def init():\n    global c\n    " + MADE + "init()\n" + LATER + USED,
    "a nonlocal": "def f():\n    " + MADE + "    def g():\n        nonlocal c\n        c = other()\n    g()\n    " + USED,
    "a function above": "def relax():\n    " + LATER + MADE + "relax()\n" + USED,
    "a method above": "class A:\n    def relax(self):\n        self.c.allow_soft_placement = False\n    def __init__(self):\n        self." + MADE,
    "an attribute of another object": "a.c = tf.ConfigProto(allow_soft_placement=True)\nb = a\nb." + LATER + "tf.Session(config=a.c)\n",
    "an inherited method": (
        "class A:\n    def __init__(self):\n        self.c = tf.ConfigProto()\n    def relax(self):\n        self.c.log_device_placement = True\n        self."
        + LATER
        + "class B(A):\n    def __init__(self):\n        self."
        + MADE
    ),
    "a class's": "class A:\n    " + MADE + "A." + LATER + "tf.Session(config=A.c)\n",
    "a default": "def run(c=tf.ConfigProto(allow_soft_placement=True)):\n    " + LATER + "    return " + USED,
    "the loop's next round": "for i in a:\n    if i:\n        " + LATER + "    " + MADE + "    " + USED,
    "a generator": "def g():\n    " + MADE + "    yield c\n    " + USED,
    "a lambda gives it": "make = lambda: tf.ConfigProto(allow_soft_placement=True)\nc = make()\n" + LATER + USED,
    "two targets": MADE + "n = c.allow_soft_placement = False\n" + USED,
    "a tuple of targets": MADE + "c.allow_soft_placement, n = False, 1\n" + USED,
    "another config's field": MADE + "c.allow_soft_placement = d.allow_soft_placement\n" + USED,
    "its own field": MADE + "c.allow_soft_placement = c.log_device_placement\n" + USED,
    "a sub-message of a function": MADE + "def f(x): return x\nf(c)." + LATER[2:] + USED,
}


def findings(source: str, path: str = "m.py") -> Any:
    return sources.configs(HEAD + source, path)


def first(source: str) -> Tuple[Dict[str, Any], Dict[str, str]]:
    found = findings(source)[0]
    return dict(found.fields), dict(found.dynamic)


@pytest.mark.parametrize("case", NOT_CERTAIN)
def test_not_certain(case: str) -> None:
    found = findings(NOT_CERTAIN[case])[-1 if case == "an inherited method" else 0]
    fields, dynamic = dict(found.fields), dict(found.dynamic)
    assert "allow_soft_placement" not in fields or "can't be followed" in dynamic.values(), (fields, dynamic)


CERTAIN = {
    "a try that ends in a raise": MADE + "try:\n    work()\n    " + LATER + "except ValueError:\n    raise\n" + USED,
    "a helper of one call": "def make():\n    return tf.ConfigProto(allow_soft_placement=True)\nc = make()\n" + LATER + USED,
    "a class's name is no module's": MADE + "class A:\n    c = tf.ConfigProto()\n" + LATER + USED,
    "an if that may make it": "def run(c=None):\n    if c is None:\n        " + MADE + "    " + LATER + "    return " + USED,
    "a function above that only uses it": "def run():\n    return " + USED + MADE + LATER + "run()\n",
    "a parameter of its name": MADE + "def run(c):\n    c.allow_soft_placement = True\n" + LATER + USED,
}


@pytest.mark.parametrize("case", CERTAIN)
def test_certain(case: str) -> None:
    assert first(CERTAIN[case]) == ({"allow_soft_placement": False}, {})


def test_merging_leaves_what_is_unset() -> None:
    """A scalar that holds its default is not there to MergeFrom (message.h of protobuf, proto3 without presence)."""
    made = "c = tf.ConfigProto(allow_soft_placement=True)\nc.MergeFrom(tf.ConfigProto(allow_soft_placement=False, log_device_placement=True))\n"
    assert first(made) == ({"allow_soft_placement": True, "log_device_placement": True}, {})
    assert first(made.replace("MergeFrom", "CopyFrom"))[0] == {"allow_soft_placement": False, "log_device_placement": True}


def test_lists_and_maps() -> None:
    assert first("c = tf.ConfigProto()\nc.device_filters.append(x)\nc.device_filters.append('/job:ps')\n")[0] == {}
    assert first("c = tf.ConfigProto()\nc.device_filters.extend('ab')\n")[0] == {}
    assert first("c = tf.ConfigProto(device_count={'CPU': 1})\nif x:\n    c.MergeFrom(tf.ConfigProto(device_count={'CPU': x}))\n")[0] == {}


CONSTANTS = {
    "an import and an assignment": "from settings import N\nif x:\n    N = 2\n",
    "an import after an assignment": "N = 2\nfrom settings import N\n",
    "a function": "N = 2\ndef N(): pass\n",
    "an exception": "N = 2\ntry:\n    work()\nexcept ValueError as N:\n    pass\n",
}


@pytest.mark.parametrize("case", CONSTANTS)
def test_names_that_two_things_bind(case: str, tmp_path: Any) -> None:
    (tmp_path / "settings.py").write_text("N = 7\n")
    found = findings(CONSTANTS[case] + "c = tf.ConfigProto(intra_op_parallelism_threads=N)\n", str(tmp_path / "p.py"))
    assert found[0].fields == {}


def test_constants_of_modules_and_classes(tmp_path: Any) -> None:
    (tmp_path / "settings.py").write_text("N = 7\n")
    for line, expected in {"": {"intra_op_parallelism_threads": 7}, "settings.N = 9\n": {}}.items():
        found = findings("import settings\n" + line + "c = tf.ConfigProto(intra_op_parallelism_threads=settings.N)\n", str(tmp_path / "p.py"))
        assert found[0].fields == expected
    # It looks like an enum's member, and the field has none.
    assert first("class Run:\n    GPUS = '1'\nc = tf.ConfigProto(gpu_options=tf.GPUOptions(visible_device_list=Run.GPUS))\n")[0] == {}
    assert first("def int(x): return 7\nc = tf.ConfigProto(intra_op_parallelism_threads=int('3'))\n")[0] == {}


def rewritten(source: str) -> Tuple[str, Tuple[str, ...]]:
    """What becomes of a source, and the reasons for what stays."""
    places = {(each.span.line, each.span.column): "configs/%d.yaml" % at for at, each in enumerate(findings(source))}
    done = sources.rewritten(HEAD + source, "session", places)
    assert not done.refused
    return (done.after or b"").decode(), tuple(each.message for each in done.findings)


SHARED = "c.intra_op_parallelism_threads = 2\n"
STAYS_IN_THE_CODE = {
    "given or made": "def run(c=None):\n    if c is None:\n        " + MADE + "    " + SHARED + "    return " + USED,
    "given, or else made": "def run(given):\n    c = given if given else tf.ConfigProto()\n    " + SHARED + "    return " + USED,
    "made in one branch": "if x:\n    " + MADE + "else:\n    c = other()\n" + SHARED + USED,
    "given by a helper": "def make():\n    return tf.ConfigProto()\nc = make()\n" + SHARED + USED,
    "one of two that a helper gives": "def make():\n    if x:\n        return tf.ConfigProto()\n    return other()\nc = make()\n" + SHARED + USED,
}


@pytest.mark.parametrize("case", STAYS_IN_THE_CODE)
def test_a_line_that_is_for_others_too_stays(case: str) -> None:
    text, problems = rewritten(STAYS_IN_THE_CODE[case])
    assert SHARED in text and "ConfigProto" not in text and not problems


def test_a_list_of_others_is_not_filled_twice() -> None:
    source = "def run(c=None):\n    if c is None:\n        " + MADE + "    c.device_filters.append('/job:ps')\n    return " + USED
    assert first(source)[0] == {"allow_soft_placement": True} and "c.device_filters.append('/job:ps')\n" in rewritten(source)[0]


def test_what_is_read_in_between_is_refused() -> None:
    for read in ("print(c.intra_op_parallelism_threads)\n", "if c.intra_op_parallelism_threads: pass\n", "print(c)\n", "n = c.intra_op_parallelism_threads\n"):
        text, problems = rewritten("c = tf.ConfigProto()\n" + read + SHARED + USED)
        assert "tf.ConfigProto()" in text and problems == ("this config stays as it is: what it holds is read before intra_op_parallelism_threads is written",)
        text, problems = rewritten("c = tf.ConfigProto()\n" + SHARED + read + USED)
        assert "ConfigProto" not in text and not problems
    # Of another field, it does not matter.
    assert "ConfigProto" not in rewritten("c = tf.ConfigProto()\nprint(c.log_device_placement)\n" + SHARED + USED)[0]


def test_messages_that_are_merged_at_once() -> None:
    text, problems = rewritten("c = tf.ConfigProto()\nc.MergeFrom(tf.ConfigProto(allow_soft_placement=True))\n" + USED)
    assert "make_session(" in text and "MergeFrom" not in text and not problems
    text, problems = rewritten("c = tf.ConfigProto()\nc.MergeFrom(tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=x)))\n" + USED)
    assert 'c.MergeFrom(make_config(PROFILE_1, overrides={"gpu_options.allow_growth": x}))\n' in text and not problems
    text, problems = rewritten("def run():\n    d = tf.ConfigProto()\n    c = tf.ConfigProto()\n    c.CopyFrom(d)\n    return " + USED)
    assert text.endswith("def run():\n    return make_session(PROFILE_1)\n") and not problems


def test_a_copy_that_stays_takes_nothing_from_the_profile() -> None:
    copy = "c.CopyFrom(tf.ConfigProto(intra_op_parallelism_threads=3))\n"
    later = "c.log_device_placement = True\nc.intra_op_parallelism_threads = n\n"
    text, problems = rewritten("c = tf.ConfigProto()\n" + copy + later + USED)
    assert "c = tf.ConfigProto()\n" in text and "c.log_device_placement = True\n" in text
    assert problems == ("this config stays as it is: a CopyFrom that stays would replace what the profile holds",)
    text, problems = rewritten("c = tf.ConfigProto()\n" + copy + "c.log_device_placement = True\n" + USED)
    assert "make_session(" in text and "CopyFrom" not in text and not problems


def test_a_name_for_one_of_two() -> None:
    source = "conf = tf.ConfigProto()\nc = tf.ConfigProto() if x else conf\n" + LATER.replace("False", "True") + "tf.Session(config=conf)\n" + USED
    assert "allow_soft_placement" not in first(source)[0] and "c.allow_soft_placement = True\n" in rewritten(source)[0]


@pytest.mark.parametrize("line", ["c.MergeFrom(tf.ConfigProto(allow_soft_placement=x))", "if x: c.gpu_options.MergeFrom(tf.GPUOptions(allow_growth=x))"])
def test_tensorflow_2_has_no_messages(line: str) -> None:
    source = "from keras import backend as K\nc = tf.ConfigProto()\n" + line + "\nK.set_session(tf.Session(config=c))\n"
    done = sources.rewritten(HEAD + source, "tf2", {(3, 5): "configs/p.yaml"})
    assert done.after is None and not done.refused and any(each.code == "not-moved" for each in done.findings)


def test_arguments_in_a_star_stay() -> None:
    text, _ = rewritten(MADE + "tf.Session(*where, config=c)\n")
    assert "c = make_config(PROFILE)\ntf.Session(*where, config=c)\n" in text
