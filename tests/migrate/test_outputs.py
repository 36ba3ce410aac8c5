"""What a scan says, in each form; baselines; a project's settings."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
from typing import Dict

import pytest
import yaml

from tests.programs import ROOT, environment, tf1compat

pytestmark = pytest.mark.skipif(sys.version_info < (3, 9), reason="scanning needs Python 3.9")

TRAIN = "import tensorflow as tf\nif x:\n    é = 1; c = tf.ConfigProto(allow_soft_placement=True, log_device_placement=y)\ns = tf.Session()  # <b>\n"
BROKEN = "import tensorflow as tf\nx = = 1\n"


@pytest.fixture
def repository(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "train.py").write_text(TRAIN, encoding="utf-8")
    (tmp_path / "broken.py").write_text(BROKEN)
    return tmp_path


def test_sarif(repository: pathlib.Path) -> None:
    done = tf1compat(repository, ["scan", "src", "broken.py", "--format", "sarif"])
    assert done.returncode == 1
    document = json.loads(done.stdout)
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == ["config", "session"] and all(rule["shortDescription"]["text"] for rule in run["tool"]["driver"]["rules"])
    found = [(result["ruleId"], rules[result["ruleIndex"]], result["level"], result["locations"][0]["physicalLocation"]) for result in run["results"]]
    where = {"artifactLocation": {"uri": "src/train.py"}}
    assert found == [
        ("config", "config", "note", dict(where, region={"startLine": 3, "startColumn": 16})),
        ("session", "session", "note", dict(where, region={"startLine": 4, "startColumn": 5})),
    ]
    assert run["results"][0]["properties"]["fields"] == {"allow_soft_placement": True}
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"].startswith("broken.py: not read: line 2")


def test_html_is_one_file_without_network(repository: pathlib.Path) -> None:
    page = tf1compat(repository, ["scan", ".", "--format", "html"]).stdout
    assert page.startswith("<!DOCTYPE html>") and page.rstrip().endswith("</html>")
    assert not re.search(r"https?:|src=|<link|<script|url\(", page)
    assert "2 files, 1 parsed, 1 not read, 2 findings" in page
    assert re.search(r"allow_soft_placement<td class=n>1<td class=n>0.*?width:100.0%", page)
    assert re.search(r"log_device_placement<td class=n>0<td class=n>1", page)
    assert re.search(r"src<td class=n><td class=n><td class=n>2<td", page.replace("./src", "src"))
    assert "s = tf.Session()  # &lt;b&gt;" in page and "<b>\n" not in page and "broken.py</span>: line 2" in page


def test_a_baseline_hides_what_is_known(repository: pathlib.Path) -> None:
    assert tf1compat(repository, ["scan", "src", "--baseline", "known.json"]).returncode == 2
    assert tf1compat(repository, ["scan", "src", "--baseline", "known.json", "--write-baseline"]).returncode == 0
    done = tf1compat(repository, ["scan", "src", "--baseline", "known.json"])
    assert done.returncode == 0 and done.stdout == ""
    # Lines may move; the same once more is new.
    (repository / "src" / "train.py").write_text("import os\n" + TRAIN + "t = tf.Session()\n", encoding="utf-8")
    done = tf1compat(repository / "src", ["scan", ".", "--baseline", "../known.json", "--format", "concise"])
    assert done.returncode == 1 and len(done.stdout.splitlines()) == 1 and "train.py:6:5" in done.stdout
    (repository / "known.json").write_text("[]")
    assert tf1compat(repository, ["scan", "src", "--baseline", "known.json"]).returncode == 2


PYPROJECT = '[build-system]\nrequires = []\n[tool.tf1compat]\nexclude = ["broken.py"]\nignore = ["session"]\nprofiles = "conf"\ntensorflow = ["1.15", "2.21"]\n'
SETUP = "[metadata]\nname = x\n[tf1compat]\nexclude = broken.py\nignore =\n    session\nprofiles = conf\ntensorflow = 1.15, 2.21\n"


@pytest.mark.parametrize("name, text", [("pyproject.toml", PYPROJECT), ("setup.cfg", SETUP)])
def test_settings(repository: pathlib.Path, name: str, text: str) -> None:
    (repository / name).write_text(text)
    done = tf1compat(repository / "src", ["scan", "..", "--format", "concise"])
    assert len(done.stdout.splitlines()) == 1 and "[config]" in done.stdout and "not read:" not in done.stderr
    done = tf1compat(repository / "src", ["scan", "..", "--format", "concise", "--ignore", "config"])  # the command line wins
    assert "[session]" in done.stdout and "[config]" not in done.stdout
    assert tf1compat(repository / "src", ["extract", "train.py"]).returncode == 0 and (repository / "conf" / "train.yaml").exists()
    (repository / "conf" / "new.yaml").write_text("experimental: {xla_prefer_single_graph_cluster: true}\n")
    done = tf1compat(repository, ["check", "conf/new.yaml"])
    assert done.returncode == 1 and "1.15" in done.stdout + done.stderr


def test_a_default_profile_and_packages(repository: pathlib.Path) -> None:
    (repository / "base.yaml").write_text("intra_op_parallelism_threads: 3\n")
    (repository / "setup.cfg").write_text("[tf1compat]\nprofile = base.yaml\n")
    code = "from tf1compat_gpu import active_profile; print(active_profile().values())"
    done = tf1compat(repository / "src", ["run", "-c", code])
    assert done.stdout == "{'intra_op_parallelism_threads': 3}\n", done.stderr


WRONG: Dict[str, str] = {
    "[tool.tf1compat]\nexcludes = []\n": "has no setting 'excludes'",
    "[tool.tf1compat]\nexclude = [1]\n": "'exclude' is a list of texts",
    "[tool.tf1compat]\nprofile = []\n": "'profile' is a text",
    "[tool.tf1compat]\nprofile = \n": "pyproject.toml: ",
}


@pytest.mark.parametrize("text", WRONG)
def test_wrong_settings_are_told(tmp_path: pathlib.Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    done = tf1compat(tmp_path, ["scan", "."])
    assert done.returncode == 2 and WRONG[text] in done.stderr and "Traceback" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals are POSIX")
def test_a_progress_bar_on_a_terminal_alone(repository: pathlib.Path) -> None:
    import pty

    assert "reading" not in tf1compat(repository, ["scan", "."]).stderr
    main, terminal = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "tf1compat_gpu", "scan", "."], cwd=str(repository), env=environment({"TERM": "xterm"}), stdout=subprocess.PIPE, stderr=terminal
    )
    os.close(terminal)
    shown = os.read(main, 65536).decode()
    os.close(main)
    assert "reading" in shown and b"reading" not in done.stdout


def test_pre_commit_hooks_are_commands(repository: pathlib.Path) -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert [hook["id"] for hook in hooks] == ["tf1compat-check", "tf1compat-scan"]
    (repository / "p.yaml").write_text("allow_soft_placement: true\n")
    for hook, argument, status in zip(hooks, ("p.yaml", "src/train.py"), (0, 1)):
        program, *arguments = hook["entry"].split()
        assert program == "tf1compat" and tf1compat(repository, [*arguments, argument]).returncode == status


def test_libraries_that_cap_the_release(tmp_path: pathlib.Path) -> None:
    (tmp_path / "m.py").write_text("import tensorflow as tf\nfrom stable_baselines.common import x\nimport stable_baselines\nfrom . import edward\n")
    done = tf1compat(tmp_path, ["scan", "m.py", "--format", "concise"])
    assert len(done.stdout.splitlines()) == 1 and "m.py:2:1" in done.stdout and "[library]" in done.stdout
