"""The one-line import: `import tf1compat_gpu.tf1 as tf`."""

from __future__ import annotations

import pathlib
from typing import Any, Dict

import pytest

from tests import conftest
from tests.programs import reports, run

pytestmark = pytest.mark.tensorflow


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Dict[str, Any]:
    folder = tmp_path_factory.mktemp("profiles")
    (folder / "three.yaml").write_text("device_count: {CPU: 3}\nprofile: {variants: {five: {device_count: {CPU: 5}}}}\n")
    return reports(
        """
        import os, pathlib, pickle
        import tf1compat_gpu.tf1 as tf
        import tensorflow
        from tf1compat_gpu import load_profile
        native = tensorflow.compat.v1
        def cpus(session):
            return len([d for d in session.list_devices() if d.device_type == "CPU"])
        report(version=(tf.__version__, tf.__git_version__, tf.__name__) == (tensorflow.__version__, tensorflow.__git_version__, 'tf1compat_gpu.tf1'), eager=tf.executing_eagerly(), names=tf.placeholder is native.placeholder)
        report(real=tf.Session is native.Session, interactive_real=tf.InteractiveSession is native.InteractiveSession)
        config = tf.ConfigProto(device_count={"CPU": 2})
        forms = {"path": "three.yaml", "variant": "three.yaml#five", "pathlike": pathlib.Path("three.yaml"), "dict": {"device_count": {"CPU": 4}}, "profile": load_profile("three.yaml"), "proto": config, "none": None}
        report(forms={name: cpus(tf.Session(config=form)) for name, form in forms.items()})
        interactive = tf.InteractiveSession(config=config)
        report(interactive=cpus(interactive), untouched=config == tf.ConfigProto(device_count={"CPU": 2}), default=tf.get_default_session() is interactive)
        interactive.close()
        report(target=raised(tf.Session, "three.yaml"), bad=raised(tf.Session, config={"allow_grwoth": True}), positional=raised(tf.Session, tf.ConfigProto()), other=raised(tf.Session, config=5))
        class Mine(tf.Session):
            def __init__(self, *arguments, **keywords):
                super().__init__(*arguments, **keywords)
                self.mine = True
        mine = Mine(config="three.yaml")
        report(subclass=[isinstance(mine, native.Session), mine.mine, cpus(mine)])
        with tf.Session(config="three.yaml") as session:
            report(context=[int(session.run(tf.constant(41) + 1)), cpus(session)])
        with tf.train.MonitoredTrainingSession(config=config) as session:
            report(monitored=cpus(session._tf_sess()))
        with tf.Graph().as_default() as graph:
            six = tf.constant(6)
        report(graph=int(tf.Session("", graph, {"device_count": {"CPU": 1}}).run(six)))
        report(missing=raised(getattr, tf, "no_such_name"), has=hasattr(tf, "no_such_name"), dir="ConfigProto" in dir(tf) and "train" in dir(tf))
        """,
        cwd=str(folder),
    )


def test_it_is_the_namespace_itself_with_v2_behaviour_off(found: Dict[str, Any]) -> None:
    assert (found["version"], found["eager"], found["names"]) == (True, False, True)
    assert (found["real"], found["interactive_real"]) == (True, True)


def test_every_form_of_config(found: Dict[str, Any]) -> None:
    assert found["forms"] == {"path": 3, "variant": 5, "pathlike": 3, "dict": 4, "profile": 3, "proto": 2, "none": 1}


def test_interactive_session_leaves_the_callers_config_alone(found: Dict[str, Any]) -> None:
    assert (found["interactive"], found["untouched"], found["default"]) == (2, True, True)


def test_errors(found: Dict[str, Any]) -> None:
    assert found["target"][0] == "TypeError" and "Session(config='three.yaml')" in found["target"][1]
    assert found["bad"][0] == "ProfileError" and "allow_growth" in found["bad"][1]
    assert found["positional"][0] == "TypeError" and "Session(config=config)" in found["positional"][1]
    assert found["other"][0] == "TypeError"


def test_subclasses_contexts_and_sessions_inside_tensorflow(found: Dict[str, Any]) -> None:
    assert found["subclass"] == [True, True, 3]
    assert found["context"] == [42, 3]
    assert (found["monitored"], found["graph"]) == (2, 6)


def test_missing_names_are_attribute_errors(found: Dict[str, Any]) -> None:
    assert found["missing"][0] == "AttributeError" and "no_such_name" in found["missing"][1]
    assert (found["has"], found["dir"]) == (False, True)


def test_submodules_import_as_they_did() -> None:
    found = reports(
        """
        import tf1compat_gpu.tf1.train as train
        import tf1compat_gpu.tf1.nn
        import tf1compat_gpu.tf1 as tf
        from tf1compat_gpu.tf1 import Session, nn
        from tf1compat_gpu.tf1.train import AdamOptimizer
        from tf1compat_gpu.tf1.python.client import device_lib
        import tf1compat_gpu.tf1.python.framework.ops as ops
        from tf1compat_gpu.tf1.core.protobuf import config_pb2
        import tensorflow, importlib, sys
        report(train=AdamOptimizer is tensorflow.compat.v1.train.AdamOptimizer, session=Session is tensorflow.compat.v1.Session, nn=nn.relu is tensorflow.compat.v1.nn.relu)
        report(device_lib=device_lib.__name__, ops=ops.Graph is tensorflow.Graph, proto=config_pb2.ConfigProto is tf.ConfigProto)
        report(spec=device_lib.__spec__.name.startswith("tensorflow"), missing=raised(importlib.import_module, "tf1compat_gpu.tf1.no_such_module"))
        """
    )
    assert found.pop("missing")[0] == "ModuleNotFoundError"
    assert found.pop("device_lib").endswith("python.client.device_lib")
    assert set(found.values()) == {True}


def test_contrib_slim() -> None:
    found = reports(
        """
        try:
            import tf1compat_gpu.tf1.contrib.slim as slim
        except ImportError as problem:
            report(absent=str(problem))
        else:
            import tf1compat_gpu.tf1 as tf
            from tf1compat_gpu.tf1.contrib import layers
            x = tf.ones([1, 4])
            out = slim.fully_connected(x, 3, weights_initializer=tf.ones_initializer(), activation_fn=None)
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                report(out=session.run(out).tolist(), names=[v.op.name for v in tf.global_variables()], same=tf.contrib.slim.fully_connected is slim.fully_connected, layers=layers.l2_regularizer is not None)
            report(gone=raised(getattr, tf.contrib, "no_such_thing"))
        """
    )
    if "absent" in found:
        assert "pip install" in found["absent"] and "tf_slim" in found["absent"]
        pytest.skip("no tf_slim here: " + found["absent"])
    assert found["out"] == [[4.0, 4.0, 4.0]]
    assert found["names"] == ["fully_connected/weights", "fully_connected/biases"]
    assert (found["same"], found["layers"]) == (True, True)
    assert found["gone"][0] == ("GoneError" if conftest.installed_release() >= (2, 0) else "AttributeError")  # a subclass of it


def test_the_active_profile_fills_in_for_a_missing_config(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.yaml").write_text("device_count: {CPU: 3}\nprofile: {environment: {FROM_PROFILE: '1'}}\n")
    program = """
    import os
    {head}
    import tf1compat_gpu.tf1 as tf
    def cpus(session):
        return len([d for d in session.list_devices() if d.device_type == "CPU"])
    report(none=cpus(tf.Session()), own=cpus(tf.Session(config=tf.ConfigProto())), variable=os.environ.get("FROM_PROFILE"))
    with tf.train.MonitoredTrainingSession() as session:
        report(monitored=cpus(session._tf_sess()))
    """
    by_variable = reports(program.format(head=""), {"TF1COMPAT_PROFILE": str(tmp_path / "a.yaml")})
    by_install = reports(program.format(head="from tf1compat_gpu import install; install(%r)" % str(tmp_path / "a.yaml")))
    disabled = reports(program.format(head=""), {"TF1COMPAT_PROFILE": str(tmp_path / "a.yaml"), "TF1COMPAT_DISABLE": "1"})
    assert by_variable == by_install
    # MonitoredTrainingSession passes a config of its own making where it is given none.
    assert (by_variable["none"], by_variable["own"], by_variable["variable"]) == (3, 1, "1")
    assert (disabled["none"], disabled["variable"]) == (1, None)


def test_install_before_plain_tensorflow() -> None:
    found = reports(
        """
        from tf1compat_gpu import active_profile, install
        import sys
        install({"device_count": {"CPU": 2}})
        report(lazy="tensorflow" in sys.modules)
        import tensorflow.compat.v1 as tf
        tf.disable_v2_behavior()
        report(cpus=len([d for d in tf.Session().list_devices() if d.device_type == "CPU"]), active=active_profile().to_dict())
        """
    )
    assert found == {"lazy": False, "cpus": 2, "active": {"device_count": {"CPU": 2}}}


def test_a_profile_that_the_variable_names_and_that_is_wrong_is_told() -> None:
    done = run("import tf1compat_gpu.tf1", {"TF1COMPAT_PROFILE": "/no/such/profile.yaml"})
    assert done.returncode == 1
    assert "no such profile: /no/such/profile.yaml" in done.stderr


def test_a_script_of_2017_runs_with_one_line_changed() -> None:
    """R01: the names are there, and the graph that the session runs is the one that the program builds."""
    found = reports(
        """
        import tf1compat_gpu.tf1 as tf
        c = tf.ConfigProto(); c.gpu_options.allow_growth = True
        x = tf.placeholder(tf.float32)
        w = tf.Variable(3.0)
        s = tf.Session(config=c)
        s.run(tf.global_variables_initializer())
        report(answer=float(s.run(w * x, {x: 2.0})), growth=s._config.gpu_options.allow_growth)
        """
    )
    assert found == {"answer": 6.0, "growth": True}
