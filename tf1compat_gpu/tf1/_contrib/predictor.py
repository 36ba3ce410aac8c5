"""tf.contrib.predictor: a saved model as a function of arrays."""

from __future__ import annotations

from typing import Any, Dict

import tensorflow.compat.v1 as tf

__all__ = ["from_saved_model"]


class _Predictor:
    def __init__(self, session: Any, signature: Any) -> None:
        self.session, self.graph = session, session.graph
        self.feed_tensors = {name: self.graph.get_tensor_by_name(info.name) for name, info in signature.inputs.items()}
        self.fetch_tensors = {name: self.graph.get_tensor_by_name(info.name) for name, info in signature.outputs.items()}

    def __call__(self, input_dict: Dict[str, Any]) -> Any:
        unknown = set(input_dict) - set(self.feed_tensors)
        if unknown:
            raise ValueError("Got unexpected keys in input_dict: %s\nexpected: %s" % (unknown, set(self.feed_tensors)))
        return self.session.run(self.fetch_tensors, {self.feed_tensors[name]: value for name, value in input_dict.items()})


def from_saved_model(
    export_dir: str,
    signature_def_key: Any = None,
    signature_def: Any = None,
    input_names: Any = None,
    output_names: Any = None,
    tags: Any = None,
    graph: Any = None,
    config: Any = None,
) -> Any:
    """A predictor for one signature of a saved model."""
    session = tf.Session(graph=graph or tf.Graph(), config=config)
    with session.graph.as_default():
        loaded = tf.saved_model.loader.load(session, (tags or "serve").split(","), export_dir)
    return _Predictor(session, signature_def or loaded.signature_def[signature_def_key or "serving_default"])
