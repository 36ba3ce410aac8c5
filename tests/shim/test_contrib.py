"""tf.contrib: every row of the table leads somewhere, stand-ins compute what 1.15.5's do, and the rest says so where it is used."""

from __future__ import annotations

import json
import pathlib
from typing import Any, Dict, List

import pytest

from tests.interpreters import interpreter
from tests.programs import reports, run
from tests.shim.running import runner, write

pytestmark = [pytest.mark.tensorflow, pytest.mark.slow]

#: Rows whose home is a package that is not part of the test environment.
ELSEWHERE = ("tensorflow_probability", "tensorflow_gan", "tensorboard")
#: Rows whose home the newest releases have no longer, and the last that has it.
UNTIL = {"estimator": (2, 15), "saved_model": (2, 11), "mixed_precision": (2, 15)}

_ROWS = """
import tf1compat_gpu.tf1 as tf
from tf1compat_gpu.runtime.tensorflow import release
from tf1compat_gpu.tf1._contrib import modules
from tf1compat_gpu.tf1._contrib.homes import HOMES, PATHS
found = {}
def try_one(key, text):
    try:
        modules.target(text)
        found[key] = "ok"
    except Exception as problem:
        found[key] = "%s: %s" % (type(problem).__name__, problem)
for name, home in HOMES.items():
    for text in home.modules:
        try_one(name + " <- " + text, text)
    for each, text in home.names.items():
        try_one(name + "." + each + " <- " + text, text)
    own = modules.stand_ins(name)
    for each in own.__all__ if own else ():
        found["%s.%s (own)" % (name, each)] = "ok" if modules.look_up(name, each) is not None else "None"
for path, text in PATHS.items():
    try_one("path " + path + " <- " + text, text)
report(found=found, release=list(release()), modules=sorted(modules.MODULES))
"""


@pytest.fixture(scope="module")
def rows() -> Dict[str, Any]:
    return reports(_ROWS, {"TF_CPP_MIN_LOG_LEVEL": "3"})


@pytest.mark.tensorflow2
@pytest.mark.keras2
@pytest.mark.slim
def test_every_row_leads_somewhere(rows: Dict[str, Any]) -> None:
    release = tuple(rows["release"])
    lost = []
    for key, result in rows["found"].items():
        text = key.partition(" <- ")[2]
        module = key.replace("path ", "").partition(" ")[0].partition(".")[0]
        if result == "ok" or text.startswith(ELSEWHERE) or release > UNTIL.get(module, (9, 9)) or ".estimator" in text:
            continue
        lost.append("%s: %s" % (key, result))
    # A row is for the newest release; an older one may have the name elsewhere, where the rows before it find it.
    assert not lost or release < (2, 16), "\n".join(lost)


@pytest.mark.tensorflow2
def test_names_without_a_home_say_why_and_what_to_do_where_they_are_used(tmp_path: pathlib.Path) -> None:
    """R05, R86: importing is no error, using is."""
    write(
        tmp_path,
        {
            "p.py": """
            import tensorflow as tf
            import tensorflow.contrib.tensor_forest.python.tensor_forest as forest
            from tensorflow.contrib.opt import ScipyOptimizerInterface
            from tensorflow.contrib.crf import crf_log_likelihood as crf
            from tensorflow.contrib import boosted_trees
            print(hasattr(tf.contrib.opt, "ShampooOptimizer"), hasattr(tf.contrib, "no_such_module"))
            for use in (lambda: tf.contrib.opt.ShampooOptimizer, lambda: ScipyOptimizerInterface(1), lambda: crf(1), lambda: forest.RandomForestGraphs,
                        lambda: type("Mine", (ScipyOptimizerInterface,), {})):
                try:
                    use()
                except AttributeError as problem:
                    print(problem)
            ScipyOptimizerInterface.minimize
            """
        },
    )
    done = runner(["p.py"], tmp_path)
    lines = done.out.splitlines()
    assert lines[0] == "False False", done.err[-2000:]
    for line, symbol in zip(
        lines[1:],
        ("opt.ShampooOptimizer", "opt.ScipyOptimizerInterface", "crf.crf_log_likelihood", "tensor_forest.RandomForestGraphs", "opt.ScipyOptimizerInterface"),
    ):
        assert line.startswith("tf.contrib.%s is gone: TensorFlow 2.0 removed tf.contrib" % symbol) and "; " in line
    assert len(lines) == 6 and done.status == 1
    assert done.err.splitlines()[-1].startswith("tf1compat: tf.contrib.opt.ScipyOptimizerInterface is gone")


@pytest.mark.tensorflow2
def test_contrib_of_compat_v1_fails_as_everywhere_and_says_what_to_write(tmp_path: pathlib.Path) -> None:
    """R05: a file that was half migrated; tf.compat.v1 never had contrib."""
    write(tmp_path, {"p.py": "import tensorflow.compat.v1 as tf\nopt = tf.contrib.opt.ScipyOptimizerInterface\n"})
    done = runner(["p.py"], tmp_path)
    assert done.status == 1
    assert done.err.splitlines()[-1].startswith("tf1compat: tf.compat.v1 has no contrib, on any TensorFlow: write `import tensorflow as tf` here")


@pytest.mark.tensorflow2
def test_a_home_that_is_not_installed_is_named_with_its_pip_line() -> None:
    done = run(
        """
        import sys
        class NotInstalled:
            def find_spec(self, name, path=None, target=None):
                if name.split(".")[0] == "tf_slim":
                    raise ModuleNotFoundError("No module named 'tf_slim'", name="tf_slim")
        sys.meta_path.insert(0, NotInstalled())
        import tf1compat_gpu.tf1 as tf
        try:
            tf.contrib.layers.conv2d
        except ImportError as problem:
            report(problem=str(problem))
        """
    )
    assert "pip install 'tf1compat_gpu[contrib]'" in done.stdout, done.stderr[-2000:]


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, float) or isinstance(other, float):
        return bool(abs(one - other) <= 2e-5 * max(1.0, abs(one)))
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(_same(a, b) for a, b in zip(one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return bool(one == other)


#: Programs whose results must be 1.15.5's: each leaves what it has found in `found`.
COMPARED: Dict[str, str] = {
    "hparams": """
        H = tf.contrib.training.HParams
        h = H(rate=0.1, steps=10, name="x", on=False, sizes=[1, 2])
        h.parse("rate=1e-3,steps=20,name=abc,on=true,sizes=[3,4,5]")
        found["values"] = h.values()
        found["json"] = h.to_json(sort_keys=True); found["text"] = [str(h), repr(h)]
        h.parse_json('{"steps": 3}'); h.set_hparam("rate", 2); h.add_hparam("new", 1); h.override_from_dict({"on": False}); h.del_hparam("name")
        found["after"] = h.values(); found["in"] = ["new" in h, "name" in h, h.get("steps"), h.get("none", 5)]
        def fails(call):
            try: call()
            except Exception as e: return type(e).__name__
        found["errors"] = [fails(lambda: h.parse(t)) for t in ("steps=1.5", "nope=1", "steps=[1]", "steps=1,steps=2", "rate=x", "on=maybe", "=3", "sizes=4", "sizes[1]=9")]
        found["set"] = [fails(lambda: h.set_hparam("steps", "a")), fails(lambda: h.set_hparam("sizes", 3)), fails(lambda: h.add_hparam("rate", 1)), fails(lambda: H(a=[]))]
        """,
    "sequence_loss": """
        import itertools
        logits = tf.constant(np.arange(24).reshape(2, 3, 4) % 5, tf.float32); targets = tf.constant([[0, 1, 2], [3, 0, 1]]); weights = tf.constant([[1., 1., 0.], [1., .5, 1.]])
        for at, (a, b, c, d) in enumerate(itertools.product([False, True], repeat=4)):
            try:
                loss = tf.contrib.seq2seq.sequence_loss(logits, targets, weights, average_across_timesteps=a, average_across_batch=b, sum_over_timesteps=c, sum_over_batch=d)
            except ValueError:
                found["loss%d" % at] = "ValueError"; continue
            found["loss%d" % at] = run(loss)
        ls = [logits[:, i] for i in range(3)]; ts = [targets[:, i] for i in range(3)]; ws = [weights[:, i] for i in range(3)]
        found["legacy"] = run([tf.contrib.legacy_seq2seq.sequence_loss(ls, ts, ws), tf.contrib.legacy_seq2seq.sequence_loss_by_example(ls, ts, ws, average_across_timesteps=False)])
        found["tile"] = run(tf.contrib.seq2seq.tile_batch(targets, 2)); found["hardmax"] = run(tf.contrib.seq2seq.hardmax(logits))
        """,
    "rnn": """
        x = tf.constant(np.linspace(-1, 1, 24).reshape(2, 4, 3), tf.float32)
        r = tf.contrib.rnn
        def cell(kind):
            return {"norm": lambda: r.LayerNormBasicLSTMCell(5), "plain": lambda: r.LayerNormBasicLSTMCell(5, layer_norm=False), "block": lambda: r.LSTMBlockCell(5), "peephole": lambda: r.LSTMBlockCell(5, use_peephole=True),
                    "ug": lambda: r.UGRNNCell(5), "ind": lambda: r.IndRNNCell(5), "input": lambda: r.InputProjectionWrapper(r.BasicLSTMCell(5), 4),
                    "output": lambda: r.OutputProjectionWrapper(r.BasicLSTMCell(5), 4), "attention": lambda: r.AttentionCellWrapper(r.BasicLSTMCell(5), 3),
                    "highway": lambda: r.HighwayWrapper(r.BasicRNNCell(3)), "multi": lambda: r.MultiRNNCell([r.BasicLSTMCell(5), r.GRUCell(4)])}[kind]()
        for kind in ("norm", "plain", "block", "peephole", "ug", "ind", "input", "output", "attention", "highway", "multi"):
            with tf.variable_scope(kind):
                outputs, state = tf.nn.dynamic_rnn(cell(kind), x, dtype=tf.float32)
            found[kind] = evaluate(outputs, kind)
        with tf.variable_scope("stacked"):
            outputs, a, b = r.stack_bidirectional_dynamic_rnn([r.BasicLSTMCell(3), r.BasicLSTMCell(2)], [r.BasicLSTMCell(3), r.BasicLSTMCell(2)], x, dtype=tf.float32)
        found["stacked"] = evaluate(outputs, "stacked")
        with tf.variable_scope("static"):
            outputs, a, b = r.stack_bidirectional_rnn([r.BasicRNNCell(3)], [r.BasicRNNCell(3)], tf.unstack(x, axis=1), dtype=tf.float32)
        found["static"] = evaluate(tf.stack(outputs), "static")
        found["turned"] = run(r.transpose_batch_time(x))
        with tf.variable_scope("seq"):
            outputs, s = tf.contrib.legacy_seq2seq.basic_rnn_seq2seq(tf.unstack(x, axis=1), tf.unstack(x, axis=1), r.BasicLSTMCell(3))
        found["seq"] = evaluate(tf.stack(outputs), "seq")
        """,
    "layers": """
        l = tf.contrib.layers
        x = tf.constant(np.linspace(-1, 1, 2 * 8 * 8 * 3).reshape(2, 8, 8, 3), tf.float32)
        with tf.variable_scope("net"):
            y = l.conv2d(x, 4, 3, normalizer_fn=l.batch_norm, weights_regularizer=l.l2_regularizer(0.01), weights_initializer=l.xavier_initializer())
            y = l.max_pool2d(y, 2); y = l.layer_norm(y); y = l.flatten(y); y = l.fully_connected(y, 5, activation_fn=None)
        found["net"] = evaluate(y, "net")
        with tf.variable_scope("embedded"):
            e = l.embed_sequence(tf.constant([[1, 2], [0, 1]]), vocab_size=4, embed_dim=3); b = l.bow_encoder(tf.constant([[1, 2], [0, 1]]), 4, 3)
        found["embedded"] = evaluate(tf.concat([tf.reshape(e, [-1]), tf.reshape(b, [-1])], 0), "embedded")
        slim = tf.contrib.slim
        with tf.variable_scope("slim"), slim.arg_scope([slim.conv2d], padding="VALID", activation_fn=tf.nn.elu):
            z = slim.conv2d(x, 2, [3, 3], scope="c1"); z = slim.repeat(z, 2, slim.conv2d, 3, [3, 3], scope="c2")
        found["slim"] = evaluate(z, "slim")
        found["model"] = sorted(v.op.name for v in tf.contrib.framework.get_model_variables())
        found["unique"] = run(l.embedding_lookup_unique(tf.constant(np.eye(4), tf.float32), tf.constant([1, 1, 3])))
        """,
    "image": """
        i = tf.contrib.image
        x = tf.constant(np.arange(2 * 5 * 6 * 1).reshape(2, 5, 6, 1), tf.float32)
        found["rotate"] = run(i.rotate(x, 0.3)); found["each"] = run(i.rotate(x, [0.1, -0.5], interpolation="BILINEAR")); found["flat"] = run(i.rotate(x[0, :, :, 0], 1.0))
        found["move"] = run(i.translate(x, [1.0, 2.0])); found["transform"] = run(i.transform(x, [1, 0.1, 0, 0, 1, 0.5, 0, 0]))
        found["compose"] = run(i.compose_transforms(i.angles_to_projective_transforms(0.2, 5, 6), i.translations_to_projective_transforms([1.0, 1.0])))
        """,
    "optimizers": """
        o = tf.contrib.opt
        for name, make in (("nadam", lambda: o.NadamOptimizer(0.1)), ("lazy", lambda: o.LazyAdamOptimizer(0.1)), ("adamw", lambda: o.AdamWOptimizer(0.01, learning_rate=0.1)),
                           ("momentumw", lambda: o.MomentumWOptimizer(0.01, 0.1, 0.9)), ("extended", lambda: o.extend_with_decoupled_weight_decay(tf.train.GradientDescentOptimizer)(weight_decay=0.02, learning_rate=0.1)),
                           ("average", lambda: o.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(0.1), 0.9))):
            for sparse in (False, True):
                with tf.Graph().as_default(), tf.Session() as s:
                    v = tf.Variable(np.arange(6).reshape(3, 2) / 3 - 0.5, dtype=tf.float32)
                    read = tf.gather(v, [0, 2, 0]) if sparse else v
                    # Where weights decay, 1.15 may change them before or after a gradient reads them: this one reads none.
                    loss = tf.reduce_sum(read * 0.7 if name in ("adamw", "momentumw", "extended") else tf.square(read))
                    optimizer = make(); step = optimizer.minimize(loss)
                    s.run(tf.global_variables_initializer())
                    for _ in range(3): s.run(step)
                    found["%s %s" % (name, sparse)] = s.run(v).tolist()
        """,
    "small": """
        found["dropout"] = run(tf.contrib.nn.alpha_dropout(tf.ones([4]), 1.0)); found["softplus"] = run(tf.contrib.nn.scaled_softplus(tf.constant([-1., 2.]), 0.5, clip=1.5))
        found["flipped"] = run(tf.contrib.nn.deprecated_flipped_sigmoid_cross_entropy_with_logits(tf.constant([1.]), tf.constant([0.])))
        d = tf.data.Dataset.range(7).apply(tf.contrib.data.batch_and_drop_remainder(3)); n = d.make_one_shot_iterator().get_next()
        found["batches"] = [run(n)]
        w = tf.data.Dataset.range(5).apply(tf.contrib.data.sliding_window_batch(3)); n = w.make_one_shot_iterator().get_next()
        with tf.Session() as s: found["windows"] = [s.run(n).tolist() for _ in range(3)]
        table = tf.contrib.lookup.HashTable(tf.contrib.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)
        back = tf.contrib.lookup.index_to_string_table_from_tensor(["x", "y"]); ids = tf.contrib.lookup.index_table_from_tensor(["x", "y"], num_oov_buckets=1)
        with tf.Session() as s:
            s.run(tf.tables_initializer()); found["lookup"] = [s.run(table.lookup(tf.constant(["b", "z"]))).tolist(), [t.decode() for t in s.run(back.lookup(tf.constant([1, 5], tf.int64)))], s.run(ids.lookup(tf.constant(["y", "q"]))).tolist()]
        v = tf.contrib.learn.preprocessing.VocabularyProcessor(5, min_frequency=1)
        found["vocabulary"] = [x.tolist() for x in v.fit_transform(["the cat sat on the mat", "the cat's HTMLPage ran"])] + [len(v.vocabulary_)] + list(v.reverse([[1, 0]]))
        found["framework"] = run([tf.contrib.framework.reduce_sum_n([tf.ones([2]), tf.ones([3])]), tf.contrib.framework.with_shape([2], tf.ones([2]))])
        found["modes"] = [tf.contrib.learn.ModeKeys.TRAIN, tf.contrib.learn.ModeKeys.EVAL, tf.contrib.learn.ModeKeys.INFER]
        mean, update = tf.contrib.metrics.streaming_mean(tf.constant([1., 3.]))
        with tf.Session() as s: s.run(tf.local_variables_initializer()); s.run(update); found["mean"] = float(s.run(mean))
        found["stateless"] = run(tf.contrib.stateless.stateless_random_uniform([2], seed=[1, 2])); found["value"] = int(tf.contrib.util.constant_value(tf.constant(3)))
        """,
    "graph_editor": """
        import tensorflow.contrib.graph_editor as ge
        a = tf.placeholder(tf.float32, name="a"); b = tf.add(a, 1.0, name="b"); c = tf.multiply(b, 2.0, name="c"); d = tf.identity(c, name="d"); e = tf.negative(b, name="e")
        name = lambda ops: sorted(op.name for op in ops)
        found["forward"] = name(ge.get_forward_walk_ops(b.op)); found["exclusive"] = name(ge.get_forward_walk_ops([b.op], inclusive=False)); found["within"] = name(ge.get_forward_walk_ops(b.op, within_ops=[b.op, c.op]))
        found["backward"] = name(ge.get_backward_walk_ops([d.op])); found["both"] = name(ge.get_walks_intersection_ops([b.op], [d.op]))
        found["regex"] = name(ge.filter_ops_from_regex([b.op, c.op], "b|x")); found["select"] = name(ge.select_ops("[bc]$", graph=tf.get_default_graph()))
        found["ts"] = sorted(t.name for t in ge.filter_ts_from_regex([b.op, c.op, d.op], "c|d"))
        ge.add_control_inputs(e.op, [d.op]); found["controls"] = name(e.op.control_inputs); found["outputs"] = name(ge.ControlOutputs(tf.get_default_graph()).get(d.op))
        ge.reroute.remove_control_inputs(e.op, d.op); found["none"] = name(e.op.control_inputs)
        other = tf.constant(10.0); new = ge.graph_replace(d, {b: other})
        with tf.Session() as s:
            found["replaced"] = float(s.run(new)); found["kept"] = float(s.run(d, {a: 1.0}))
            ge.reroute_ts([other], [c], can_modify=[d.op]); found["rerouted"] = float(s.run(tf.get_default_graph().get_tensor_by_name("d:0"), {a: 1.0}))
        """,
}  # fmt: skip
_FRAME = """
import numpy as np
import tf1compat_gpu.tf1 as tf
{imports}
found = {{}}
def plain(value):
    if isinstance(value, (list, tuple)): return [plain(item) for item in value]
    return value.tolist() if hasattr(value, "tolist") else value
def run(value):
    with tf.Session() as s: return plain(s.run(value))
def evaluate(value, scope):
    "The value where each variable is filled by its place, and the variables' names and shapes."
    variables = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope + "/")
    with tf.Session() as s:
        for v in variables:
            shape = v.shape.as_list(); count = int(np.prod(shape))
            v.load((np.sin(np.arange(count) + len(v.op.name)) / 2).reshape(shape).astype(np.float32), s)
        return [plain(s.run(value)), sorted([v.op.name, v.shape.as_list()] for v in variables)]
{body}
report(found=found)
"""


def _program(body: str) -> str:
    lines = [line[8:] if line.startswith("        ") else line for line in body.splitlines()]
    text = "\n".join(lines).replace("import tensorflow.contrib.graph_editor as ge", "ge = tf.contrib.graph_editor")
    return _FRAME.format(imports="", body=text)


@pytest.mark.interpreters
@pytest.mark.keras2
@pytest.mark.slim
@pytest.mark.parametrize("name", COMPARED)
def test_stand_ins_do_what_1_15_does(name: str) -> None:
    old, new = interpreter("1.15"), interpreter("2.21")
    env = {"TF_CPP_MIN_LOG_LEVEL": "3"}
    before, after = (reports(_program(COMPARED[name]), env, python=python, timeout=300)["found"] for python in (old, new))
    different: List[str] = [key for key in before if not _same(before[key], after.get(key))]
    assert not different, "\n".join("%s: %s, now %s" % (key, json.dumps(before[key])[:600], json.dumps(after.get(key))[:600]) for key in different)
    assert before.keys() == after.keys() and len(before) >= 5
