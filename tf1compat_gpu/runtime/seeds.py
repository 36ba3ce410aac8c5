"""Seeds of operations under a graph-level seed, as TensorFlow to 2.1 chose them.

An operation without a seed of its own takes, beside the graph's, the number of operations that the graph has
(random_seed.py, get_seed: `ops.get_default_graph()._last_id`, to 2.1). From 2.2 on it is a counter of such operations,
kept in `random_seed._graph_to_seed_dict`, which this module replaces by one that answers with the number again.
"""

from __future__ import annotations

import functools
import os
from typing import Any, Callable

from tf1compat_gpu.runtime import tensorflow

#: "tf1" (the rule to 2.1) or "native" (the installed TensorFlow's own).
VARIABLE = "TF1COMPAT_SEEDS"


class _OperationCounts:
    """Stands in for a dictionary of counters: its one question, `setdefault(graph, 0)`, gets the number of operations."""

    def setdefault(self, graph: Any, default: int) -> int:
        last = getattr(graph, "_last_id", None)  # to 2.13; from 2.14 on operations are counted by the graph itself
        return int(last) if last is not None else int(graph.num_operations())

    def __getitem__(self, graph: Any) -> int:
        return 0

    def __setitem__(self, graph: Any, count: int) -> None:
        """The counter is not kept: the graph's own grows with it."""


def _with_all_operations(random_uniform: Callable[..., Any]) -> Callable[..., Any]:
    """random_uniform that builds its range also where it is [0, 1), as to 2.1; dropout uses it.

    From 2.2 on (random_ops.py, `minval_is_zero`) integers 0 and 1 build five operations fewer, which moves later seeds.
    """

    @functools.wraps(random_uniform)
    def wrapped(shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = "float32", seed: Any = None, name: Any = None) -> Any:
        from tensorflow.python.framework import dtypes

        if dtypes.as_dtype(dtype).is_floating and minval is not None and isinstance(minval, int) and (maxval is None or isinstance(maxval, int)):
            minval, maxval = float(minval), 1.0 if maxval is None else float(maxval)
        return random_uniform(shape, minval, maxval, dtype, seed, name)

    return wrapped


def install() -> None:
    """Restore the rule, unless TF1COMPAT_SEEDS=native."""
    if os.environ.get(VARIABLE, "tf1") == "native":
        return
    from tensorflow.python.framework import random_seed

    if hasattr(random_seed, "_graph_to_seed_dict") and not isinstance(random_seed._graph_to_seed_dict, _OperationCounts):
        from tensorflow.python.ops import random_ops

        random_seed._graph_to_seed_dict = _OperationCounts()
        v1 = tensorflow.v1()
        wrapped = _with_all_operations(random_ops.random_uniform)
        random_ops.random_uniform = v1.random_uniform = v1.random.uniform = wrapped
