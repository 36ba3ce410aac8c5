"""Sources that only an older Python reads: what they configure, where, and that they are said to be old."""

from __future__ import annotations

import json
import pathlib
import sys
from typing import Any, Dict, List, Tuple

import pytest

from tests.migrate.sources import configs, scanned
from tests.programs import tf1compat

pytestmark = pytest.mark.skipif(sys.version_info < (3, 9), reason="scanning needs Python 3.9")

TF = "import tensorflow as tf\n"
MADE = "x = 'ä'; c = tf.ConfigProto(allow_soft_placement=True)\n"
#: What stands between TF and MADE -> what is said of it, and the line and the column of that.
OLD: Dict[str, Tuple[str, int, int]] = {
    "print 'a', 1\n": ("the statement print", 2, 1),
    "if x:\n    y = 1; print 'a' % y,\n": ("the statement print", 3, 12),
    "if x: print x\nelse: print `x`\n": ("the statement print", 2, 7),
    "def f(): print [y for y in x], ~y; print {1: 2}\n": ("the statement print", 2, 10),
    "print lambda y: y if y else u'a'\n": ("the statement print", 2, 1),
    "print(1)\nprint >>f, (1)\nprint 'a' \\\n  'b'\n": ("the statement print", 4, 1),
    "exec 'x = 1' in {}\n": ("the statement exec", 2, 1),
    "try: f()\nexcept E, e: pass\n": ("except E, name", 3, 9),
    "try: f()\nexcept (E, F), (e, f):\n    pass\n": ("except E, name", 3, 14),
    "if x: raise E, 'a'\n": ("raise E, value", 2, 14),
    "raise E(1, 2), None, t\n": ("raise E, value", 2, 14),
    "y = `x, 1` + f(`x`)\n": ("backquotes", 2, 5),
    "if x <> 1: pass\n": ("the operator <>", 2, 6),
    "os.chmod(x, 0755)\n": ("the number 0755", 2, 13),
    "y = [10L, 0xFFl, 0, 00, 0.5]\n": ("the number 10L", 2, 6),
    "y = ur'\\d'\n": ("the prefix ur", 2, 5),
    "def f(x, (a, (b, c)), (d, e)=(1, 2), *f): pass\n": ("a parameter that is a tuple", 2, 10),
    "y = sorted(x, key=lambda (k, v): (v, k))\n": ("a parameter that is a tuple", 2, 26),
    "y = 'C:\\Users', u'\\u00e4', '\\\\u'\n'''\\U'''\n": ("a string of bytes with \\u, \\U or \\N", 2, 5),
    "if x:\n        y = 1\n\tz = 2\n": ("an indentation of tabs among spaces", 4, 1),
    "\r\nprint 'a'\r\nx = '''\r\n'''\r\n": ("the statement print", 3, 1),
    "f(1, async=True)\n": ("async as a name", 2, 6),
    "def f(await): return x.await(1)\n": ("await as a name", 2, 7),
}


@pytest.mark.parametrize("source", OLD)
def test_what_an_older_python_reads(source: str) -> None:
    report = scanned(TF + source + MADE)
    lines = len((TF + source).replace("\r\n", "\n").split("\n"))
    (old,), (config,) = [each for each in report.findings if each.code == "python-2"], [each for each in report.findings if each.code == "config"]
    what, line, column = OLD[source]
    assert old.message.startswith(what + ", which today's Python can't parse") and (old.span.line, old.span.column) == (line, column)
    assert (config.span.line, config.span.column) == (lines, 14) and config.fields == {"allow_soft_placement": True}
    assert report.skipped is None and report.read and all(each.rung == "" for each in report.findings)
    names = "async" in source or "await" in source
    assert ("as Python 3.6 and older does" if names else "as Python 2 does") in old.message


def test_strings_and_comments_stay() -> None:
    (found,) = configs(TF + "print 'a'\nc = tf.ConfigProto()  # print 'b' <> `\nc.gpu_options.visible_device_list = '''0, `1` <> 017 print x'''\n")
    assert found.fields == {"gpu_options.visible_device_list": "0, `1` <> 017 print x"}


@pytest.mark.parametrize("head, value", [
    ("print 'a'\n", 0), ("", 0.5), ("f(async=1)\n", 0.5), ("from __future__ import division\nprint 'a'\n", 0.5),
])  # fmt: skip
def test_a_division_is_that_of_the_python_that_reads_it(head: str, value: float) -> None:
    (found,) = configs(head + TF + "c = tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=1 / 2))\n")
    assert found.fields == {"gpu_options.per_process_gpu_memory_fraction": value}
    (found,) = configs(head + TF + "c = tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=1 / 2.))\n")
    assert found.fields == {"gpu_options.per_process_gpu_memory_fraction": 0.5}


def test_values() -> None:
    (found,) = configs(TF + "c = tf.ConfigProto(intra_op_parallelism_threads=010, inter_op_parallelism_threads=4L)\n")
    assert found.fields == {"intra_op_parallelism_threads": 8, "inter_op_parallelism_threads": 4}
    (found,) = configs(TF + "c = tf.ConfigProto()\nc.gpu_options.visible_device_list = 'C:\\Users'\n")
    assert found.fields == {} and list(found.dynamic) == ["gpu_options.visible_device_list"]


def test_columns_after_tabs() -> None:
    report = scanned(TF + "if x:\n        y = 1\n\tif y:\n\t\tc = tf.ConfigProto(); s = tf.Session()\n")
    assert [(each.code, each.span.line, each.span.column) for each in report.findings] == [("python-2", 4, 1), ("config", 5, 7), ("session", 5, 29)]


def test_what_no_python_reads_is_found_by_name() -> None:
    report = scanned(TF + "print 'a'\nx = = 1\ns = tf.Session()\n")
    assert [(each.code, each.span.line, each.span.column) for each in report.findings] == [("python-2", 4, 5)]
    assert report.skipped is not None and "can't parse (line 2" in report.findings[0].message


def test_constants_of_an_old_module(tmp_path: pathlib.Path) -> None:
    (tmp_path / "constants.py").write_text("print 'a'\nN = 9 / 2\n")
    (found,) = configs_at(tmp_path / "a.py", TF + "import constants\nc = tf.ConfigProto(intra_op_parallelism_threads=constants.N)\n")
    assert found.fields == {"intra_op_parallelism_threads": 4}


def configs_at(path: pathlib.Path, text: str) -> List[Any]:
    return [each for each in scanned(text, str(path)).findings if each.code == "config"]


def test_a_notebook_of_python_2(tmp_path: pathlib.Path) -> None:
    """All its cells are read as one module; it is said once to be old, and left alone by rewrite."""
    sources = [
        "import tensorflow as tf\nHALF = 1 / 2",
        "%time print HALF; print 'a'\ntf.Session()",
        "c = tf.ConfigProto(intra_op_parallelism_threads=HALF)",
        "  print 'b'",
        "x = = 1",
    ]
    cells: List[Dict[str, Any]] = [{"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source} for source in sources]
    text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    (tmp_path / "n.ipynb").write_text(text)
    document = json.loads(tf1compat(tmp_path, ["scan", "n.ipynb", "--format", "json"]).stdout)
    found = [(each["code"], each["cell"], each["line"], each["column"], each["fields"]) for each in document["findings"]]
    assert found == [("python-2", 2, 1, 7, {}), ("session", 2, 2, 1, {}), ("config", 3, 1, 5, {"intra_op_parallelism_threads": 0})]
    assert [each["reason"].partition(":")[0] for each in document["skipped"]] == ["cell 5, line 1"]
    done = tf1compat(tmp_path, ["rewrite", "n.ipynb"])
    assert done.returncode == 1 and "left alone" in done.stderr and (tmp_path / "n.ipynb").read_text() == text


def test_profiles_come_from_old_sources_too(tmp_path: pathlib.Path) -> None:
    (tmp_path / "train.py").write_text(TF + "print 'a'\ns = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))\n")
    done = tf1compat(tmp_path, ["extract", "train.py", "--out", "."])
    assert done.returncode == 0 and "allow_soft_placement: true" in (tmp_path / "train.yaml").read_text()
    done = tf1compat(tmp_path, ["scan", "train.py"])
    assert done.returncode == 1 and done.stderr.splitlines()[-1] == "1 file, 1 parsed, 0 not read, 2 findings"
