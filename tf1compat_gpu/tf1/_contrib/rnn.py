"""tf.contrib.rnn: stacked bidirectional networks and the cells that programs use most; plain cells are tf.nn.rnn_cell's.

Variables have the names and shapes of 1.15 (tensorflow/contrib/rnn/python/ops), so that checkpoints fit.
"""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

import tensorflow.compat.v1 as tf

__all__ = [
    "stack_bidirectional_dynamic_rnn", "stack_bidirectional_rnn", "transpose_batch_time", "LayerNormBasicLSTMCell", "LSTMBlockCell",
    "InputProjectionWrapper", "OutputProjectionWrapper", "EmbeddingWrapper", "UGRNNCell", "IndRNNCell", "HighwayWrapper",
    "TimeReversedFusedRNN", "FusedRNNCellAdaptor", "AttentionCellWrapper",
]  # fmt: skip
_cells: Any = tf.nn.rnn_cell


def transpose_batch_time(x: Any) -> Any:
    """[batch, time, ...] to [time, batch, ...] or back."""
    rank = x.get_shape().ndims
    if rank is not None and rank < 2:
        raise ValueError("Expected input tensor %s to have rank at least 2, but saw shape: %s" % (x, x.get_shape()))
    order = tf.concat(([1, 0], tf.range(2, tf.rank(x))), axis=0)
    turned = tf.transpose(x, order)
    if rank is not None:
        static = x.get_shape().as_list()
        turned.set_shape([static[1], static[0]] + static[2:])
    return turned


def _checked(cells_fw: Sequence[Any], cells_bw: Sequence[Any]) -> None:
    if not isinstance(cells_fw, list) or not isinstance(cells_bw, list) or not cells_fw:
        raise ValueError("cells_fw and cells_bw must be lists of cells, one a layer")
    if len(cells_fw) != len(cells_bw):
        raise ValueError("Forward and Backward cells must have the same depth.")


def stack_bidirectional_dynamic_rnn(
    cells_fw: List[Any], cells_bw: List[Any], inputs: Any, initial_states_fw: Optional[List[Any]] = None, initial_states_bw: Optional[List[Any]] = None,
    dtype: Any = None, sequence_length: Any = None, parallel_iterations: Any = None, time_major: bool = False, scope: Any = None, swap_memory: bool = False,
) -> Tuple[Any, Tuple[Any, ...], Tuple[Any, ...]]:  # fmt: skip
    """Layers of bidirectional_dynamic_rnn, each reading both directions' outputs of the one below."""
    _checked(cells_fw, cells_bw)
    states_fw, states_bw, layer = [], [], inputs
    with tf.variable_scope(scope or "stack_bidirectional_rnn"):
        for at, (forward, backward) in enumerate(zip(cells_fw, cells_bw)):
            with tf.variable_scope("cell_%d" % at):
                outputs, (state_fw, state_bw) = tf.nn.bidirectional_dynamic_rnn(
                    forward, backward, layer,
                    initial_state_fw=initial_states_fw[at] if initial_states_fw else None,
                    initial_state_bw=initial_states_bw[at] if initial_states_bw else None,
                    sequence_length=sequence_length, parallel_iterations=parallel_iterations, dtype=dtype, time_major=time_major, swap_memory=swap_memory,
                )  # fmt: skip
                layer = tf.concat(outputs, 2)
            states_fw.append(state_fw)
            states_bw.append(state_bw)
    return layer, tuple(states_fw), tuple(states_bw)


def stack_bidirectional_rnn(
    cells_fw: List[Any], cells_bw: List[Any], inputs: Any, initial_states_fw: Optional[List[Any]] = None, initial_states_bw: Optional[List[Any]] = None,
    dtype: Any = None, sequence_length: Any = None, scope: Any = None,
) -> Tuple[Any, Tuple[Any, ...], Tuple[Any, ...]]:  # fmt: skip
    """Layers of static_bidirectional_rnn."""
    _checked(cells_fw, cells_bw)
    states_fw, states_bw, layer = [], [], inputs
    with tf.variable_scope(scope or "stack_bidirectional_rnn"):
        for at, (forward, backward) in enumerate(zip(cells_fw, cells_bw)):
            with tf.variable_scope("cell_%d" % at) as inner:
                layer, state_fw, state_bw = tf.nn.static_bidirectional_rnn(
                    forward, backward, layer,
                    initial_state_fw=initial_states_fw[at] if initial_states_fw else None,
                    initial_state_bw=initial_states_bw[at] if initial_states_bw else None,
                    sequence_length=sequence_length, dtype=dtype, scope=inner,
                )  # fmt: skip
            states_fw.append(state_fw)
            states_bw.append(state_bw)
    return layer, tuple(states_fw), tuple(states_bw)


class _Cell(_cells.RNNCell):  # type: ignore[misc]
    """A cell whose size of state and output is one number."""

    _num_units: int

    @property
    def state_size(self) -> Any:
        return self._num_units

    @property
    def output_size(self) -> int:
        return self._num_units


class LayerNormBasicLSTMCell(_Cell):
    """An LSTM with layer normalisation before each nonlinearity, and dropout of what is new in the state."""

    def __init__(self, num_units: int, forget_bias: float = 1.0, input_size: Any = None, activation: Any = tf.tanh,
                 layer_norm: bool = True, norm_gain: float = 1.0,
                 norm_shift: float = 0.0, dropout_keep_prob: Any = 1.0, dropout_prob_seed: Any = None, reuse: Any = None) -> None:  # fmt: skip
        super().__init__(_reuse=reuse)
        self._num_units, self._activation, self._forget_bias = num_units, activation, forget_bias
        self._keep_prob, self._seed, self._layer_norm = dropout_keep_prob, dropout_prob_seed, layer_norm
        self._norm_gain, self._norm_shift, self._reuse = norm_gain, norm_shift, reuse

    @property
    def state_size(self) -> Any:
        return _cells.LSTMStateTuple(self._num_units, self._num_units)

    def _normalised(self, value: Any, scope: str) -> Any:
        size = value.get_shape()[-1:]
        with tf.variable_scope(scope):
            gamma = tf.get_variable("gamma", shape=size, initializer=tf.constant_initializer(self._norm_gain), dtype=value.dtype)
            beta = tf.get_variable("beta", shape=size, initializer=tf.constant_initializer(self._norm_shift), dtype=value.dtype)
            mean, variance = tf.nn.moments(value, [1], keepdims=True)
            # 1e-12 is contrib.layers.layer_norm's for types that can hold it.
            return tf.nn.batch_normalization(value, mean, variance, offset=beta, scale=gamma, variance_epsilon=1e-12 if value.dtype != tf.float16 else 1e-3)

    def call(self, inputs: Any, state: Any) -> Any:
        c, h = state
        both = tf.concat([inputs, h], 1)
        kernel = tf.get_variable("kernel", [both.get_shape()[-1], 4 * self._num_units], dtype=both.dtype)
        gates = tf.matmul(both, kernel)
        if not self._layer_norm:
            gates = tf.nn.bias_add(gates, tf.get_variable("bias", [4 * self._num_units], dtype=both.dtype))
        i, j, f, o = tf.split(gates, 4, axis=1)
        if self._layer_norm:
            i, j = self._normalised(i, "input"), self._normalised(j, "transform")
            f, o = self._normalised(f, "forget"), self._normalised(o, "output")
        new = self._activation(j)
        if not isinstance(self._keep_prob, float) or self._keep_prob < 1:
            new = tf.nn.dropout(new, self._keep_prob, seed=self._seed)
        new_c = c * tf.sigmoid(f + self._forget_bias) + tf.sigmoid(i) * new
        if self._layer_norm:
            new_c = self._normalised(new_c, "state")
        new_h = self._activation(new_c) * tf.sigmoid(o)
        return new_h, _cells.LSTMStateTuple(new_c, new_h)


class LSTMBlockCell(_Cell):
    """An LSTM in one fused operation, with the variables of LSTMCell."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: Any = None,
        use_peephole: bool = False,
        dtype: Any = None,
        reuse: Any = None,
        name: str = "lstm_cell",
    ) -> None:
        super().__init__(_reuse=reuse, dtype=dtype, name=name)
        self._num_units, self._forget_bias, self._use_peephole = num_units, forget_bias, use_peephole
        self._cell_clip = -1.0 if cell_clip is None else float(cell_clip)

    @property
    def state_size(self) -> Any:
        return _cells.LSTMStateTuple(self._num_units, self._num_units)

    def build(self, inputs_shape: Any) -> None:
        depth = tf.TensorShape(inputs_shape).as_list()[1]
        if depth is None:
            raise ValueError("Expecting inputs_shape[1] to be set: %s" % inputs_shape)
        self._kernel = self.add_variable("kernel", [depth + self._num_units, self._num_units * 4])
        self._bias = self.add_variable("bias", [self._num_units * 4], initializer=tf.constant_initializer(0.0))
        self._diagonals = [self.add_variable(name, [self._num_units]) for name in ("w_i_diag", "w_f_diag", "w_o_diag")] if self._use_peephole else None
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        c, h = state
        wci, wcf, wco = self._diagonals or [tf.zeros([self._num_units], dtype=inputs.dtype)] * 3
        found = tf.raw_ops.LSTMBlockCell(
            x=inputs, cs_prev=c, h_prev=h, w=self._kernel, wci=wci, wcf=wcf, wco=wco, b=self._bias,
            forget_bias=self._forget_bias, cell_clip=self._cell_clip, use_peephole=self._use_peephole,
        )  # fmt: skip
        return found.h, _cells.LSTMStateTuple(found.cs, found.h)


def _linear(value: Any, size: int, bias: bool = True) -> Any:
    """value x kernel (+ bias), in the scope that is open."""
    kernel = tf.get_variable("kernel", [value.get_shape()[-1], size], dtype=value.dtype)
    product = tf.matmul(value, kernel)
    return tf.nn.bias_add(product, tf.get_variable("bias", [size], dtype=value.dtype, initializer=tf.zeros_initializer())) if bias else product


class _Wrapper(_cells.RNNCell):  # type: ignore[misc]
    """A cell around a cell."""

    def __init__(self, cell: Any, reuse: Any = None) -> None:
        super().__init__(_reuse=reuse)
        self._cell = cell

    @property
    def state_size(self) -> Any:
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        return self._cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        with tf.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            return self._cell.zero_state(batch_size, dtype)


class InputProjectionWrapper(_Wrapper):
    """Projects the input to another size before the cell reads it."""

    def __init__(self, cell: Any, num_proj: int, activation: Any = None, input_size: Any = None, reuse: Any = None) -> None:
        super().__init__(cell, reuse)
        self._num_proj, self._activation = num_proj, activation

    def call(self, inputs: Any, state: Any) -> Any:
        projected = _linear(inputs, self._num_proj)
        return self._cell(self._activation(projected) if self._activation else projected, state)


class OutputProjectionWrapper(_Wrapper):
    """Projects the cell's output to another size."""

    def __init__(self, cell: Any, output_size: int, activation: Any = None, reuse: Any = None) -> None:
        super().__init__(cell, reuse)
        if output_size < 1:
            raise ValueError("Parameter output_size must be > 0: %d." % output_size)
        self._output_size, self._activation = output_size, activation

    @property
    def output_size(self) -> Any:
        return self._output_size

    def call(self, inputs: Any, state: Any) -> Any:
        output, state = self._cell(inputs, state)
        projected = _linear(output, self._output_size)
        return (self._activation(projected) if self._activation else projected), state


class EmbeddingWrapper(_Wrapper):
    """Embeds integer inputs before the cell reads them."""

    def __init__(self, cell: Any, embedding_classes: int, embedding_size: int, initializer: Any = None, reuse: Any = None) -> None:
        super().__init__(cell, reuse)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError("Both embedding_classes and embedding_size must be > 0: %d, %d." % (embedding_classes, embedding_size))
        self._classes, self._size, self._initializer = embedding_classes, embedding_size, initializer

    def call(self, inputs: Any, state: Any) -> Any:
        with tf.device("/cpu:0"):
            initializer = self._initializer or tf.get_variable_scope().initializer or tf.random_uniform_initializer(-(3**0.5), 3**0.5)
            first = state[0] if isinstance(state, tuple) else state
            embedding = tf.get_variable("embedding", [self._classes, self._size], initializer=initializer, dtype=first.dtype)
            embedded = tf.nn.embedding_lookup(embedding, tf.reshape(inputs, [-1]))
        return self._cell(embedded, state)


class UGRNNCell(_Cell):
    """An update gate recurrent network."""

    def __init__(self, num_units: int, initializer: Any = None, forget_bias: float = 1.0, activation: Any = tf.tanh, reuse: Any = None) -> None:
        super().__init__(_reuse=reuse)
        self._num_units, self._initializer, self._forget_bias, self._activation = num_units, initializer, forget_bias, activation

    def call(self, inputs: Any, state: Any) -> Any:
        with tf.variable_scope(tf.get_variable_scope(), initializer=self._initializer):
            gates = _linear(tf.concat([inputs, state], 1), 2 * self._num_units)
            gate, candidate = tf.split(gates, 2, axis=1)
            update = tf.sigmoid(gate + self._forget_bias)
            new = update * state + (1.0 - update) * self._activation(candidate)
        return new, new


class IndRNNCell(_Cell):
    """A recurrent network whose units see only their own past."""

    def __init__(self, num_units: int, activation: Any = None, reuse: Any = None, name: Any = None, dtype: Any = None) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self._num_units, self._activation = num_units, activation or tf.tanh

    def build(self, inputs_shape: Any) -> None:
        depth = tf.TensorShape(inputs_shape).as_list()[1]
        self._kernel_w = self.add_variable("kernel_w", [depth, self._num_units])
        self._kernel_u = self.add_variable("kernel_u", [1, self._num_units], initializer=tf.random_uniform_initializer(-1.0, 1.0))
        self._bias = self.add_variable("bias", [self._num_units], initializer=tf.zeros_initializer())
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        output = self._activation(tf.nn.bias_add(tf.matmul(inputs, self._kernel_w) + state * self._kernel_u, self._bias))
        return output, output


class HighwayWrapper(_Wrapper):
    """Carries part of the input past the cell."""

    def __init__(self, cell: Any, couple_carry_transform_gates: bool = True, carry_bias_init: float = 1.0) -> None:
        super().__init__(cell)
        self._couple, self._bias = couple_carry_transform_gates, carry_bias_init

    def _gate(self, name: str, inputs: Any, bias: float) -> Any:
        size = inputs.get_shape()[-1]
        kernel = tf.get_variable(name + "_w", [size, size])
        return tf.sigmoid(tf.nn.bias_add(tf.matmul(inputs, kernel), tf.get_variable(name + "_b", [size], initializer=tf.constant_initializer(bias))))

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        # Not `call`: 1.15's opens no scope of its own for the gates' variables.
        outputs, new_state = self._cell(inputs, state, scope=scope)
        carry = self._gate("carry", inputs, self._bias)
        transform = 1 - carry if self._couple else self._gate("transform", inputs, -self._bias)
        return carry * inputs + transform * outputs, new_state


class AttentionCellWrapper(_Wrapper):
    """Attends over a window of the cell's own past outputs."""

    def __init__(
        self,
        cell: Any,
        attn_length: int,
        attn_size: Any = None,
        attn_vec_size: Any = None,
        input_size: Any = None,
        state_is_tuple: bool = True,
        reuse: Any = None,
    ) -> None:
        super().__init__(cell, reuse)
        if attn_length <= 0:
            raise ValueError("attn_length should be greater than zero, got %s" % attn_length)
        if not state_is_tuple:
            raise ValueError("state_is_tuple=False left TensorFlow: use a tuple state")
        self._attn_size = attn_size or cell.output_size
        self._attn_vec_size = attn_vec_size or self._attn_size
        self._attn_length, self._input_size = attn_length, input_size

    @property
    def state_size(self) -> Any:
        return (self._cell.state_size, self._attn_size, self._attn_size * self._attn_length)

    @property
    def output_size(self) -> Any:
        return self._attn_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        return tf.nn.rnn_cell.RNNCell.zero_state(self, batch_size, dtype)

    def call(self, inputs: Any, state: Any) -> Any:
        inner, attention, past = state
        past = tf.reshape(past, [-1, self._attn_length, self._attn_size])
        inputs = _linear(tf.concat([inputs, attention], 1), self._input_size or int(inputs.get_shape()[1]))
        output, new_inner = self._cell(inputs, inner)
        query = tf.concat(tf.nest.flatten(new_inner), 1)
        attention, new_past = self._attend(query, past)
        with tf.variable_scope("attn_output_projection"):
            result = _linear(tf.concat([output, attention], 1), self._attn_size)
        new_past = tf.concat([new_past, tf.expand_dims(result, 1)], 1)
        return result, (new_inner, attention, tf.reshape(new_past, [-1, self._attn_length * self._attn_size]))

    def _attend(self, query: Any, past: Any) -> Tuple[Any, Any]:
        with tf.variable_scope("attention"):
            kernel = tf.get_variable("attn_w", [1, 1, self._attn_size, self._attn_vec_size])
            vector = tf.get_variable("attn_v", [self._attn_vec_size])
            hidden = tf.reshape(past, [-1, self._attn_length, 1, self._attn_size])
            features = tf.nn.conv2d(hidden, kernel, [1, 1, 1, 1], "SAME")
            projected = tf.reshape(_linear(query, self._attn_vec_size), [-1, 1, 1, self._attn_vec_size])
            weights = tf.nn.softmax(tf.reduce_sum(vector * tf.tanh(features + projected), [2, 3]))
            read = tf.reduce_sum(tf.reshape(weights, [-1, self._attn_length, 1, 1]) * hidden, [1, 2])
            return tf.reshape(read, [-1, self._attn_size]), tf.slice(past, [0, 1, 0], [-1, -1, -1])


class FusedRNNCellAdaptor:
    """A plain cell with the interface of a fused one: it takes a whole sequence."""

    def __init__(self, cell: Any, use_dynamic_rnn: bool = False) -> None:
        self._cell, self._dynamic = cell, use_dynamic_rnn

    def __call__(self, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None, scope: Any = None) -> Any:
        if self._dynamic:
            return tf.nn.dynamic_rnn(
                self._cell, inputs, sequence_length=sequence_length, initial_state=initial_state, dtype=dtype, time_major=True, scope=scope
            )
        listed = tf.unstack(inputs, axis=0)
        outputs, state = tf.nn.static_rnn(self._cell, listed, initial_state=initial_state, dtype=dtype, sequence_length=sequence_length, scope=scope)
        return tf.stack(outputs), state


class TimeReversedFusedRNN:
    """A fused cell that reads the sequence backwards."""

    def __init__(self, cell: Any) -> None:
        self._cell = cell

    def __call__(self, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None, scope: Any = None) -> Any:
        def turned(value: Any) -> Any:
            return tf.reverse(value, [0]) if sequence_length is None else tf.reverse_sequence(value, sequence_length, 0, batch_axis=1)

        outputs, state = self._cell(turned(inputs), initial_state=initial_state, dtype=dtype, sequence_length=sequence_length, scope=scope)
        return tf.nest.map_structure(turned, outputs), state
