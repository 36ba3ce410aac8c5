"""What a scan finds in a source, and what it leaves alone."""

from __future__ import annotations

import json
import pathlib
import random
import subprocess
import sys
import textwrap
from typing import Any, Dict, List, Sequence

import pytest

from tests.migrate import sources
from tests.programs import environment

pytestmark = pytest.mark.skipif(sys.version_info < (3, 9), reason="scanning needs Python 3.9")

TF = "import tensorflow as tf\n"
NOTHING = {
    "no tensorflow": "Session()\nConfigProto(allow_growth=True)\n",
    "another session": "import requests\ns = requests.Session()\nfrom sqlalchemy.orm import Session\nSession(bind=1)\n",
    "a name like ours": TF + "class Session: pass\n",
    "documentation": TF + '"""c = tf.ConfigProto()"""\ndef f():\n    "tf.Session() is made here"\n',
    "a parameter called tf": "def f(tf):\n    return 1\n",
    "other environment": "import os\nos.environ['HOME'] = '/'\n",
    "mode keys": TF + "m = tf.estimator.ModeKeys.TRAIN\n",
    "ignored": TF + "s = tf.Session()  # tf1compat: ignore\nt = tf.Session()  # tf1compat: ignore[session, config]\n",
}
#: Source -> the config's certain fields, and those that are not.
CONFIGS: Dict[str, Any] = {
    "c = tf.ConfigProto()": ({}, []),
    "c = tf.ConfigProto(allow_soft_placement=True, log_device_placement=False)": ({"allow_soft_placement": True, "log_device_placement": False}, []),
    "c = tf.ConfigProto()\nc.gpu_options.allow_growth = True": ({"gpu_options.allow_growth": True}, []),
    "c = tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=.85/4))": ({"gpu_options.per_process_gpu_memory_fraction": 0.2125}, []),
    "g = tf.GPUOptions(allow_growth=True)\nc = tf.ConfigProto(gpu_options=g)": ({"gpu_options.allow_growth": True}, []),
    "c = tf.ConfigProto()\ng = c.gpu_options\ng.visible_device_list = '0'": ({"gpu_options.visible_device_list": "0"}, []),
    "c = tf.ConfigProto(device_count={'GPU': 0, 'CPU': 2})": ({"device_count.GPU": 0, "device_count.CPU": 2}, []),
    "c = tf.ConfigProto()\nc.device_count['CPU'] = 3": ({"device_count.CPU": 3}, []),
    "c = tf.ConfigProto()\nc.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.ON_1": (
        {"graph_options.optimizer_options.global_jit_level": "ON_1"},
        [],
    ),
    "c = tf.ConfigProto(graph_options=tf.GraphOptions(optimizer_options=tf.OptimizerOptions(opt_level=tf.OptimizerOptions.L0)))": (
        {"graph_options.optimizer_options.opt_level": "L0"},
        [],
    ),
    "c = tf.ConfigProto()\nc.device_filters.append('/job:ps')\nc.device_filters.extend(['/job:worker'])": ({"device_filters": ["/job:ps", "/job:worker"]}, []),
    "o = tf.GPUOptions(allow_growth=True)\nc = tf.ConfigProto()\nc.gpu_options.CopyFrom(o)": ({"gpu_options.allow_growth": True}, []),
    "N = 4\nc = tf.ConfigProto(intra_op_parallelism_threads=N * 2)": ({"intra_op_parallelism_threads": 8}, []),
    "d = {'allow_soft_placement': True}\nc = tf.ConfigProto(**d)": ({"allow_soft_placement": True}, []),
    "tf.app.flags.DEFINE_integer('n', 5, '')\nF = tf.app.flags.FLAGS\nc = tf.ConfigProto(intra_op_parallelism_threads=F.n)": (
        {},
        ["intra_op_parallelism_threads"],
    ),
    "def f(growth=True):\n    c = tf.ConfigProto()\n    c.gpu_options.allow_growth = growth\n    return c": ({}, ["gpu_options.allow_growth"]),
    "c = tf.ConfigProto()\nif x:\n    c.gpu_options.allow_growth = True": ({}, ["gpu_options.allow_growth"]),
    "if x:\n    c = tf.ConfigProto()\n    c.gpu_options.allow_growth = True": ({"gpu_options.allow_growth": True}, []),
    "c = tf.ConfigProto(allow_soft_placement=True)\nc.allow_soft_placement = False": ({"allow_soft_placement": False}, []),
    "c = tf.ConfigProto(allow_soft_placement=True)\nif x:\n    c.allow_soft_placement = False": ({}, ["allow_soft_placement"]),
    "class A:\n    def __init__(self):\n        self.config = tf.ConfigProto()\n    def f(self):\n        self.config.log_device_placement = True": (
        {},
        ["log_device_placement"],
    ),
    "c = tf.ConfigProto()\ndef main():\n    c.log_device_placement = True\n    tf.Session(config=c)": ({"log_device_placement": True}, []),
    "c = tf.ConfigProto()\ns = tf.Session(config=c)\nc.log_device_placement = True": ({}, ["log_device_placement"]),
    "c = tf.ConfigProto(log_device_placement=True)\ndef run(a, config=None):\n    tf.Session(config=config)\nrun(1, c)": ({"log_device_placement": True}, []),
    "import U\nc = tf.ConfigProto(log_device_placement=True)\nU.get_session(config=c)": ({"log_device_placement": True}, []),
    "c = tf.ConfigProto(log_device_placement=True)\ndef run(config):\n    config.x = 1\nrun(c)": ({"log_device_placement": True}, ["what run(c) does to it"]),
    "import os\nc = tf.ConfigProto(intra_op_parallelism_threads=int(os.environ.get('N', 2)))": ({}, ["intra_op_parallelism_threads"]),
    "import horovod.tensorflow as hvd\nc = tf.ConfigProto()\nc.gpu_options.visible_device_list = str(hvd.local_rank())": (
        {"profile.gpu_per_process": "local_rank"},
        [],
    ),
    "n = 1\ndef f():\n    n = g()\n    n = h()\n    return tf.ConfigProto(intra_op_parallelism_threads=n)": ({}, ["intra_op_parallelism_threads"]),
    "n = 1\ndef f():\n    for n in x:\n        tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=n))": ({}, ["intra_op_parallelism_threads"]),
    "n = 1\ndef f():\n    n = 2\n    return tf.ConfigProto(intra_op_parallelism_threads=n)": ({"intra_op_parallelism_threads": 2}, []),
    "n = 1\nn = 2\nc = tf.ConfigProto(intra_op_parallelism_threads=n)": ({}, ["intra_op_parallelism_threads"]),
}
#: Import -> how ConfigProto is called after it (R87).
SPELLINGS = {
    "import tensorflow as tf": "tf.ConfigProto",
    "import tensorflow": "tensorflow.ConfigProto",
    "import tensorflow as tf0": "tf0.ConfigProto",
    "from tensorflow import ConfigProto": "ConfigProto",
    "from tensorflow import ConfigProto as C": "C",
    "from tensorflow import *": "ConfigProto",
    "import tensorflow.compat.v1 as tf": "tf.ConfigProto",
    "from tensorflow.compat import v1 as t": "t.ConfigProto",
    "import tensorflow as tf  # compat": "tf.compat.v1.ConfigProto",
    "from tensorflow.core.protobuf import config_pb2": "config_pb2.ConfigProto",
    "from tensorflow.core.protobuf.config_pb2 import ConfigProto": "ConfigProto",
    "from keras import backend as K": "K.tf.ConfigProto",
    "from mylib import tf": "tf.ConfigProto",
    "from ..compat import tfv1": "tfv1.ConfigProto",
    "from mylib import tfv1 as tf": "tf.ConfigProto",
    "import tf1compat_gpu.tf1 as tf": "tf.ConfigProto",
}
#: Source -> the codes of what is found.
CODES = {
    "s = tf.Session()": ["session"],
    "with tf.Session(graph=g) as s: pass": ["session"],
    "with tf.train.MonitoredTrainingSession(master=t) as s: pass": ["session"],
    "sv = tf.train.Supervisor()\nsv.managed_session(t)": ["session"],
    "tf.enable_eager_execution(config=tf.ConfigProto())": ["eager-config", "config"],
    "from tensorflow.python.client import device_lib\ndevice_lib.list_local_devices()": ["device-listing"],
    "tf.test.is_gpu_available()": ["device-listing"],
    "import os\nos.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'": ["environment"],
    "from keras.backend.tensorflow_backend import set_session\nset_session(tf.Session(config=c))": ["keras-session"],
    "tf.estimator.Estimator(f)\ntf.estimator.Estimator(g)": ["estimator"],
    "import tensorflow.contrib.slim as slim\nfrom tensorflow.contrib import layers as L": ["contrib", "contrib"],
    "x = tf.contrib.rnn.BasicLSTMCell(1)\ny = tf.contrib.rnn.GRUCell(1)": ["contrib"],
    "getattr(tf, 'ConfigProto')": ["hidden"],
    "options = {'seed': 1, 'gpu_options.allow_growth': True}\ninit(options)": ["dotted"],
    "options['gpu_options.allow_growth'] = True\noptions['graph_options.place_pruned_graph'] = FLAGS.prune": ["dotted"],
    "options['gpu_options.allow_growth'] = True\nx = 1\noptions['gpu_options.visible_device_list'] = '0'": ["dotted", "dotted"],
    "options = {'gpu_options.allow_groth': True, 'gpu_options': 1, 'allow_soft_placement': True}": [],
    "code = 'import tensorflow as tf; tf.Session()'": ["hidden"],
    "r = tf.estimator.RunConfig(session_config=tf.ConfigProto(allow_soft_placement=True))": ["estimator", "config"],
}  # fmt: skip


def scanned(source: str, path: str = "m.py") -> List[Dict[str, Any]]:
    return [found.as_dict() for found in sources.scanned(source, path).findings]


def test_constants_of_other_modules(tmp_path: pathlib.Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "settings.py").write_text("from package.more import CPUS\nFRACTION = 1 / 4\nx = 1\nx = 2\n")
    (tmp_path / "package" / "more.py").write_text("CPUS = 3\n")
    source = (
        "import settings as s\nfrom settings import CPUS, x\nfrom .more import CPUS as again\n"
        "c = tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=s.FRACTION), device_count={'CPU': CPUS},\n"
        "    inter_op_parallelism_threads=again, intra_op_parallelism_threads=x)"
    )
    (found,) = scanned(TF + source, str(tmp_path / "package" / "m.py"))
    assert found["fields"] == {"gpu_options.per_process_gpu_memory_fraction": 0.25, "device_count.CPU": 3, "inter_op_parallelism_threads": 3}
    assert list(found["dynamic"]) == ["intra_op_parallelism_threads"]


@pytest.mark.parametrize("name", NOTHING)
def test_nothing_is_found(name: str) -> None:
    assert scanned(NOTHING[name]) == []


@pytest.mark.parametrize("source", CONFIGS)
def test_config(source: str) -> None:
    found = [each for each in scanned(TF + source) if each["code"] == "config"]
    assert len(found) == 1
    fields, dynamic = CONFIGS[source]
    assert found[0]["fields"] == fields and list(found[0]["dynamic"]) == dynamic


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_r87_every_spelling_of_an_import(spelling: str) -> None:
    source = "%s\nc = %s(allow_soft_placement=True)\n" % (spelling, SPELLINGS[spelling])
    found = [each for each in scanned(source) if each["code"] == "config"]
    assert [(each["line"], each["fields"]) for each in found] == [(2, {"allow_soft_placement": True})]


@pytest.mark.parametrize("source", CODES)
def test_codes(source: str) -> None:
    assert [each["code"] for each in scanned(TF + source)] == CODES[source]


def test_a_dictionary_of_fields_is_shown_with_what_it_sets() -> None:
    (found,) = scanned("tf_config = {'rnd.np_random_seed': 1000, 'gpu_options.allow_growth': True, 'graph_options.place_pruned_graph': prune}\n")
    assert found["message"] == "a dictionary of ConfigProto's fields: gpu_options.allow_growth=True; graph_options.place_pruned_graph=prune"
    assert (found["line"], found["column"], found["serious"], found["rung"]) == (1, 13, False, "import")


RUNGS = {
    "c = tf.ConfigProto(allow_soft_placement=True)": "as a profile; it gets as far as `tf1compat rewrite --to session`",
    "c = tf.ConfigProto()\nsetattr(c, name, 1)": "to be moved by hand; it gets as far as `tf1compat rewrite --to import`",
    "c = tf.ConfigProto(allow_growth=True)": "no release has such a field",
    "getattr(tf, 'ConfigProto')": "write the name itself; it gets as far as `tf1compat run`",
}


@pytest.mark.parametrize("source", RUNGS)
def test_the_rung_that_a_finding_can_climb_to_is_shown(source: str) -> None:
    (found,) = sources.scanned(TF + source + "\n").findings
    assert (found.diagnostic().help or "").endswith(RUNGS[source])


def test_r79_where_a_config_goes_is_followed() -> None:
    found = scanned(
        TF
        + textwrap.dedent(
            """
            import tensorflow.contrib.slim as slim
            def make(growth):
                c = tf.ConfigProto()
                c.gpu_options.allow_growth = growth
                return c
            slim.learning.train(op, d, session_config=make(True))
            server = tf.train.Server(cluster, config=tf.ConfigProto(log_device_placement=True))
            """
        )
    )
    configs = [each for each in found if each["code"] == "config"]
    assert [each["message"].partition(":")[0] for each in configs] == ["a config for train", "a config for Server"]
    assert configs[0]["dynamic"] == {"gpu_options.allow_growth": "parameter growth"}


def test_a_field_that_no_release_has_is_named() -> None:
    (found,) = [each for each in scanned(TF + "c = tf.ConfigProto()\nc.gpu_options.alow_growth = True") if each["code"] == "config"]
    assert found["serious"] and "gpu_options.alow_growth" in found["help"] and found["rung"] is None


def test_columns_count_characters() -> None:
    found = scanned(TF + "x = 'äöü'; s = tf.Session()\n")
    assert (found[0]["line"], found[0]["column"]) == (2, 16)


def test_sources_of_every_encoding_and_line_end(tmp_path: pathlib.Path) -> None:
    """R89, F15: a byte order mark, latin-1 by its coding line, CRLF, form feeds; Python 2 is read and said to be it."""
    files = {
        "bom.py": b"\xef\xbb\xbf" + b"import tensorflow as tf\ns = tf.Session()\n",
        "latin.py": "# -*- coding: latin-1 -*-\nimport tensorflow as tf\nx = 'é'; s = tf.Session()\n".encode("latin-1"),
        "crlf.py": b"import tensorflow as tf\r\ns = tf.Session()\r\n",
        "feed.py": b"import tensorflow as tf\n\x0c\ns = tf.Session()",
        "python2.py": b"import tensorflow as tf\nprint 'x'\ns = tf.Session(config=tf.ConfigProto())\n",
        "tabs.py": b"import tensorflow as tf\nif 1:\n        x = 1\n\ty = tf.Session()\n",
        "neither.py": b"import tensorflow as tf\ns = = tf.Session()\n",
        "broken.py": b"# -*- coding: utf-8 -*-\nimport tensorflow\nx = '\xe9'\n",
        "unknown.py": b"# -*- coding: no-such -*-\nimport tensorflow\n",
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    done = _scan(tmp_path, ["--format", "json", "."])
    document = json.loads(done.stdout)
    found = {(pathlib.Path(each["file"]).name, each["code"], each["line"], each["column"]) for each in document["findings"]}
    assert found == {("bom.py", "session", 2, 5), ("latin.py", "session", 3, 14), ("crlf.py", "session", 2, 5), ("feed.py", "session", 3, 5),
                     ("python2.py", "python-2", 2, 1), ("python2.py", "config", 3, 23), ("tabs.py", "python-2", 4, 1), ("tabs.py", "session", 4, 6),
                     ("neither.py", "python-2", 2, 7)}  # fmt: skip
    skipped = {pathlib.Path(each["file"]).name: each["reason"] for each in document["skipped"]}
    assert set(skipped) == {"neither.py", "broken.py", "unknown.py"}
    assert skipped["neither.py"].startswith("line 2:") and "line 3" in skipped["broken.py"] and "no-such" in skipped["unknown.py"]
    assert document["files"] == 9 and document["read"] == 6 and done.returncode == 1
    for name, data in files.items():
        assert (tmp_path / name).read_bytes() == data


def _scan(folder: pathlib.Path, arguments: Sequence[str], input: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tf1compat_gpu", "scan", *arguments], cwd=str(folder), env=environment(), input=input, capture_output=True, text=True
    )


def test_command_line(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.py").write_text(TF + "s = tf.Session()\n")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "b.py").write_text(TF + "tf.test.is_gpu_available()\n")
    (tmp_path / "c.py").write_text("x = 1\n")
    done = _scan(tmp_path, ["--format", "concise"])
    assert done.returncode == 1 and [line.split(":")[0] for line in done.stdout.splitlines()] == ["./a.py", "./old/b.py"]
    assert done.stderr.splitlines()[-1] == "3 files, 2 parsed, 0 not read, 2 findings"
    assert _scan(tmp_path, ["--exclude", "old", "--ignore", "session"]).returncode == 0
    assert _scan(tmp_path, ["--select", "device-listing", "--format", "concise"]).stdout.count("\n") == 1
    assert _scan(tmp_path, ["c.py"]).returncode == 0
    assert _scan(tmp_path, ["-", "--format", "concise"], TF + "tf.Session()\n").stdout.startswith("<stdin>:2:1:")
    missing = _scan(tmp_path, ["none"])
    assert missing.returncode == 2 and "none" in missing.stderr and "Traceback" not in missing.stderr


def test_gitignore_is_respected(tmp_path: pathlib.Path) -> None:
    for name in ("kept.py", "ignored.py"):
        (tmp_path / name).write_text(TF + "tf.Session()\n")
    (tmp_path / ".gitignore").write_text("ignored.py\n")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    assert [line.split(":")[0] for line in _scan(tmp_path, ["--format", "concise"]).stdout.splitlines()] == ["./kept.py"]


def test_many_files_on_several_cores_come_in_order(tmp_path: pathlib.Path) -> None:
    for number in range(80):
        (tmp_path / ("m%03d.py" % number)).write_text(TF + "tf.Session()\n")
    lines = _scan(tmp_path, ["--format", "concise"]).stdout.splitlines()
    assert [line.split(":")[0] for line in lines] == ["./m%03d.py" % number for number in range(80)]


def test_random_sources_never_break_it() -> None:
    """D6: sources with characters and lines dropped, doubled and swapped."""
    draw = random.Random(5)
    whole = [TF + source for source in list(CONFIGS) + list(CODES)]
    from tf1compat_gpu.migrate import files
    from tf1compat_gpu.migrate.scan import scan_text

    for _ in range(1500):
        text = list("\n".join(draw.sample(whole, 3)))
        for _ in range(draw.randint(1, 12)):
            at = draw.randrange(len(text))
            choice = draw.random()
            if choice < 0.4:
                del text[at]
            elif choice < 0.7:
                text.insert(at, draw.choice("()[]{}:=.,'\"\n\t\\#é\0 "))
            else:
                other = draw.randrange(len(text))
                text[at], text[other] = text[other], text[at]
        decoded = files.decode("fuzz.py", "".join(text).encode("utf-8", "surrogatepass"))
        if isinstance(decoded, files.Text):
            scan_text(decoded)
