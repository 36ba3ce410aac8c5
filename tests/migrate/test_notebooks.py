"""Notebooks: what is found in which cell, and that a rewrite touches the source strings of cells and no other byte."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
from typing import Any, Dict, List, Optional, Sequence, Tuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.programs import tf1compat

pytestmark = pytest.mark.skipif(sys.version_info < (3, 9), reason="migrating needs Python 3.9")

#: A cell as it is written -> the Python that is read in its place.
NEUTRAL = {
    "%matplotlib inline\nimport x": "0                 \nimport x",
    "x = !ls -la\ny = 1": "x = 0      \ny = 1",
    "d['a'] = %env HOME\n": "d['a'] = 0        \n",
    "if 1:\n    !pip install \\\n  foo\ny = 2": "if 1:\n    0             \n     \ny = 2",
    "!echo it's\nz = 1": "0         \nz = 1",
    "x = '''\n%s\n'''\ny = (a\n % b)\n!ls\n": "x = '''\n%s\n'''\ny = (a\n % b)\n0  \n",
    "name?\n?name\ntf.x??": "0    \n0    \n0     ",
    "x = 1\ny = f.g?\n": "x = 1\n0       \n",
    "%time s = tf.Session()": "0;    s = tf.Session()",
    "%time for i in x: pass": "0                     ",
    "%%time\nx = 1": "0     \nx = 1",
    "pip install x\ny = 1": "0            \ny = 1",
    "a == b  # !ls\nc %= 2\n": "a == b  # !ls\nc %= 2\n",
}


def read(data: bytes, path: str = "n.ipynb") -> Any:
    from tf1compat_gpu.migrate import files

    text = files.decode(path, data)
    assert isinstance(text, files.Text)
    return text


def scanned(document: Any) -> Any:
    from tf1compat_gpu.migrate import notebooks
    from tf1compat_gpu.migrate.scan import scan_text

    return notebooks.scan(read(json.dumps(document).encode()), scan_text)


def rewritten(data: bytes) -> Tuple[Optional[bytes], str]:
    from tf1compat_gpu.migrate.rewrite import rewrite_notebook

    done = rewrite_notebook(read(data), "import")
    return done.after, done.refused


def notebook(*sources: Any, **more: Any) -> Dict[str, Any]:
    cells = [{"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source} for source in sources]
    return dict({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, **more)


def places(report: Any) -> List[Tuple[str, int, int, int]]:
    return [(each.code, each.span.source.cell, each.span.line, each.span.column) for each in report.findings]


@pytest.mark.parametrize("source", NEUTRAL)
def test_ipython_becomes_as_much_python(source: str) -> None:
    from tf1compat_gpu.migrate import magics

    found = magics.neutral(source)
    assert found.text == NEUTRAL[source] and len(found.text) == len(source) and found.kind == magics.NOTEBOOK
    assert magics.problem(found.text) is None


def test_all_cells_are_one_module_and_each_finding_has_its_cell() -> None:
    document = notebook(
        "%matplotlib inline\nimport tensorflow as t\n", "# only text", ["c = t.ConfigProto()\n", "c.log_device_placement = True"], "t.Session(config=c)"
    )
    document["cells"][1]["cell_type"] = "markdown"
    document["cells"].append(dict(document["cells"][0], source="x = 'ä'; t.Session()\n"))
    report = scanned(document)
    assert places(report) == [("config", 3, 1, 5), ("session", 5, 1, 10)] and report.skipped is None and report.read
    assert report.findings[0].fields == {"log_device_placement": True}
    assert str(report.findings[0].span) == "n.ipynb:cell 3:1:5"
    assert report.findings[0].as_dict()["file"] == "n.ipynb" and report.findings[0].as_dict()["cell"] == 3
    assert report.findings[1].span.source.line(1) == "x = 'ä'; t.Session()"


def test_version_3_with_lines_without_ends() -> None:
    cells = [{"cell_type": "code", "language": "python", "input": lines} for lines in (["import tensorflow as tf", "x = 1"], ["x = 2", "tf.Session()"])]
    report = scanned({"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": cells[:1]}, {"cells": cells[1:]}]})
    assert places(report) == [("session", 2, 2, 1)]


def test_cells_that_can_not_be_parsed_are_said_and_the_others_are_read() -> None:
    report = scanned(notebook("import tensorflow as tf", "x = 1\ny = = 'x'\ntf.Session()", "tf.Session()", "def f(:\n", "   y = 1\n   tf.Session()"))
    assert places(report) == [("python-2", 2, 3, 1), ("session", 3, 1, 1), ("session", 5, 2, 4)]
    assert report.skipped.startswith("cell 2, line 2: ") and "; cell 4, line 1: " in report.skipped and report.skipped.endswith("(its other cells are read)")
    assert "in a cell that Python can't parse (line 2:" in report.findings[0].message


def test_cell_magics() -> None:
    tf = "import tensorflow as tf\ntf.Session()"
    report = scanned(notebook("%%bash\n" + tf, "%%html\n<b>tensorflow", "%%writefile a.py\n" + tf, "%%capture out\n" + tf, "\n%%timeit -n 3\n" + tf))
    assert places(report) == [("session", 3, 3, 1), ("session", 4, 3, 1), ("session", 5, 4, 1)] and report.skipped is None


@pytest.mark.parametrize("document", [
    notebook("library(tensorflow)\nx <- 1", metadata={"kernelspec": {"language": "R", "name": "ir"}}),
    notebook("x = 1;;", metadata={"language_info": {"name": "julia"}}),
])  # fmt: skip
def test_other_languages_are_left_alone(document: Any) -> None:
    report = scanned(document)
    assert report.findings == () and report.skipped is None and not report.read


@pytest.mark.parametrize("text,reason", [
    ("{\n'tensorflow'", "line 2: it is no notebook"), ('["tensorflow"]', "neither cells nor worksheets"), ("[" * 100000, "it is no notebook"),
])  # fmt: skip
def test_what_is_no_notebook(text: str, reason: str) -> None:
    from tf1compat_gpu.migrate import notebooks
    from tf1compat_gpu.migrate.scan import scan_text

    assert reason in (notebooks.scan(read(text.encode()), scan_text).skipped or "")
    assert rewritten(text.encode())[0] is None and reason in rewritten(text.encode())[1]


#: Irregular on purpose: key order, indentation, escapes, a slash with a backslash, a picture, ids, CRLF, no newline at the end.
ODD = (
    '{"metadata": {"b":1,  "a":[ ]},\r\n "nbformat":4, "nbformat_minor" : 5,\n\t"cells":[ {"id":"\\u00e9", "source":'
    '[ "%matplotlib inline\\n",\n "# \\u00e9 é \\/ \\ud83d\\ude00\\n" ,"import \\u0074ensorflow as tf  # \\u00e9"], "cell_type":"code",'
    '"outputs":[{"data":{"image/png":"iVBOR\\/w0K","text/plain":"import tensorflow as tf"}}],"execution_count":3}\n'
    ' ,{"cell_type":"markdown","source":"import tensorflow as tf"},{"cell_type":"code","source":"if 1:\\n\\timport tensorflow.contrib.slim as s\\n","outputs":[]}]}'
)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("end", ["", "\n", "\r\n\r\n"])
def test_only_the_changed_words_change(encoding: str, end: str) -> None:
    data = (ODD + end).encode(encoding)
    expected = (ODD + end).replace("import \\u0074ensorflow as tf", "import tf1compat_gpu.tf1 as tf").replace("tensorflow.contrib", "tf1compat_gpu.tf1.contrib")
    after, refused = rewritten(data)
    assert after == expected.encode(encoding) and not refused
    assert rewritten(after) == (None, "")


def test_a_notebook_with_a_cell_that_can_not_be_parsed_is_left_alone() -> None:
    assert rewritten(json.dumps(notebook("import tensorflow as tf", "print 'x'")).encode())[1].startswith("cell 2, line 1: ")


def edit(sources: Any, *fixes: Tuple[int, int, str]) -> Any:
    from tf1compat_gpu.migrate.fix import Fix
    from tf1compat_gpu.migrate.notebook_text import edited

    new = json.loads(edited(json.dumps(notebook(sources), indent=1), {1: [Fix(*fix) for fix in fixes]}))
    return new["cells"][0]["source"]


def test_lines_that_come_and_go_keep_the_form_of_the_list() -> None:
    lines = ["a\n", "b\n", "c"]
    assert edit(lines, (0, 0, "x\n")) == ["x\n", "a\n", "b\n", "c"]
    assert edit(lines, (2, 4, "")) == ["a\n", "c"]
    assert edit(lines, (1, 2, "")) == ["ab\n", "c"]
    assert edit(lines, (3, 4, "1\n2\n")) == ["a\n", "b1\n", "2\n", "c"]
    assert edit(lines, (5, 5, "\nd")) == ["a\n", "b\n", "c\n", "d"]
    assert edit(lines, (0, 1, "x"), (4, 5, "y\nz")) == ["x\n", "b\n", "y\n", "z"]
    assert edit(lines, (0, 5, "")) == [""]
    assert edit(["a"], (0, 0, "x\n")) == ["x\n", "a"]
    assert edit("a\nb", (0, 0, 'x"\n')) == 'x"\na\nb'
    assert edit([], (0, 0, "x\ny")) == ["x\n", "y"]


TEXTS = st.text(st.one_of(st.characters(min_codepoint=9, max_codepoint=0xD7FF), st.sampled_from("😀𝒳")), max_size=12)
CELLS = st.lists(
    st.tuples(st.sampled_from(["code", "markdown", "raw"]), st.lists(st.sampled_from(["import tensorflow as tf\n", "x = 'é😀'\n", "!ls\n", "%%time\n", "# \\\n"]), max_size=4), TEXTS, st.booleans()),
    max_size=4,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(CELLS, st.booleans(), st.sampled_from([None, 1, "\t"]), st.booleans(), TEXTS)
def test_every_byte_outside_the_changed_strings_stays(cells: Any, ascii: bool, indent: Any, ends: bool, name: str) -> None:
    document = notebook(metadata={name: {"tensorflow": [name]}})
    for kind, lines, output, listed in cells:
        source = list(lines) if listed else "".join(lines)
        document["cells"].append(
            {"source": source, "metadata": {"n": output}, "outputs": [{"text": output, "e": "import tensorflow as tf"}], "cell_type": kind}
        )
    text = json.dumps(document, ensure_ascii=ascii, indent=indent) + ("\n" if ends else "")
    after, refused = rewritten(text.encode("utf-8"))
    assert not refused or "cell " in refused
    if after is None:
        return
    changed = json.loads(json.dumps(document))
    for cell in changed["cells"]:
        if cell["cell_type"] == "code":
            new = [line.replace("import tensorflow as", "import tf1compat_gpu.tf1 as") for line in cell["source"]]
            cell["source"] = new if isinstance(cell["source"], list) else cell["source"].replace("import tensorflow as", "import tf1compat_gpu.tf1 as")
    assert after.decode("utf-8") == json.dumps(changed, ensure_ascii=ascii, indent=indent) + ("\n" if ends else "")
    assert rewritten(after) == (None, "")


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(list(NEUTRAL) + ["'''", "(", "\\\n", "%", "\ud800", "\r", "\n", "é", "!", "tf.Session()\n", "import tensorflow as tf\n"]), max_size=6
    )
)
def test_no_cell_breaks_it(parts: Sequence[str]) -> None:
    from tf1compat_gpu.migrate import magics

    source = "".join(parts)
    assert len(magics.neutral(source).text) == len(source)
    report = scanned(notebook(source, "import tensorflow as tf\ntf.Session()"))
    assert ("session", 2, 2, 1) in places(report)
    rewritten(json.dumps(notebook(source, "import tensorflow as tf")).encode())


def _run(folder: pathlib.Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return tf1compat(folder, arguments)


def test_command_line(tmp_path: pathlib.Path) -> None:
    (tmp_path / ".ipynb_checkpoints").mkdir()
    data = json.dumps(notebook("import tensorflow as tf", "tf.Session()"), indent=1) + "\n"
    for path in (tmp_path / "a.ipynb", tmp_path / ".ipynb_checkpoints" / "a-checkpoint.ipynb"):
        path.write_text(data)
    found = _run(tmp_path, "scan", "--format", "concise")
    assert found.returncode == 1 and found.stdout == "./a.ipynb:cell 2:1:1: note[session] Session without a config\n", found.stderr
    github = _run(tmp_path, "scan", "--format", "github")
    assert github.stdout.startswith("::notice file=./a.ipynb,title=session::cell 2, line 1: Session without a config")
    assert _run(tmp_path, "rewrite", ".").returncode == 0
    assert (tmp_path / "a.ipynb").read_text() == data.replace("import tensorflow", "import tf1compat_gpu.tf1")
    assert (tmp_path / ".ipynb_checkpoints" / "a-checkpoint.ipynb").read_text() == data
    assert _run(tmp_path, "rewrite", ".").stderr == ""
