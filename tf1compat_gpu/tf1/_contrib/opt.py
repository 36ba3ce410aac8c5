"""tf.contrib.opt: the optimizers that are an operation of TensorFlow's, or a few lines over another."""

from __future__ import annotations

from typing import Any, Optional

import tensorflow.compat.v1 as tf

__all__ = [
    "NadamOptimizer",
    "LazyAdamOptimizer",
    "MovingAverageOptimizer",
    "AdamWOptimizer",
    "MomentumWOptimizer",
    "DecoupledWeightDecayExtension",
    "extend_with_decoupled_weight_decay",
    "clip_gradients_by_global_norm",
]


class NadamOptimizer(tf.train.AdamOptimizer):  # type: ignore[misc]
    """Adam with Nesterov's momentum: the same operations, with their use_nesterov attribute."""

    def _arguments(self, grad: Any, var: Any) -> Any:
        beta1_power, beta2_power = self._get_beta_accumulators()
        cast = {
            name: tf.cast(value, var.dtype.base_dtype)
            for name, value in (
                ("beta1_power", beta1_power),
                ("beta2_power", beta2_power),
                ("lr", self._lr_t),
                ("beta1", self._beta1_t),
                ("beta2", self._beta2_t),
                ("epsilon", self._epsilon_t),
            )
        }
        return dict(cast, grad=grad, use_locking=self._use_locking, use_nesterov=True)

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        return tf.raw_ops.ApplyAdam(var=var._ref(), m=self.get_slot(var, "m")._ref(), v=self.get_slot(var, "v")._ref(), **self._arguments(grad, var)).op

    def _resource_apply_dense(self, grad: Any, var: Any) -> Any:
        return tf.raw_ops.ResourceApplyAdam(var=var.handle, m=self.get_slot(var, "m").handle, v=self.get_slot(var, "v").handle, **self._arguments(grad, var))

    def _apply_sparse_shared(self, grad: Any, var: Any, indices: Any, scatter_add: Any) -> Any:
        beta1_power, beta2_power = self._get_beta_accumulators()
        kind = var.dtype.base_dtype
        rate, beta1, beta2, epsilon = (tf.cast(value, kind) for value in (self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t))
        rate = rate * tf.sqrt(1 - tf.cast(beta2_power, kind)) / (1 - tf.cast(beta1_power, kind))
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        scaled = grad * (1 - beta1)
        m_t = tf.assign(m, m * beta1, use_locking=self._use_locking)
        with tf.control_dependencies([m_t]):
            m_t = scatter_add(m, indices, scaled)
            bar = scaled + beta1 * tf.gather(m_t, indices)
        v_t = tf.assign(v, v * beta2, use_locking=self._use_locking)
        with tf.control_dependencies([v_t]):
            v_t = scatter_add(v, indices, grad * grad * (1 - beta2))
        slice_v = tf.sqrt(tf.gather(v_t, indices)) + epsilon
        return tf.group(scatter_add(var, indices, -rate * bar / slice_v), m_t, v_t)


class LazyAdamOptimizer(tf.train.AdamOptimizer):  # type: ignore[misc]
    """Adam whose moments of a row change only when a sparse gradient touches the row."""

    def _lazily(self, grad: Any, var: Any, indices: Any, update: Any, add: Any) -> Any:
        beta1_power, beta2_power = self._get_beta_accumulators()
        kind = var.dtype.base_dtype
        rate, beta1, beta2, epsilon = (tf.cast(value, kind) for value in (self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t))
        rate = rate * tf.sqrt(1 - tf.cast(beta2_power, kind)) / (1 - tf.cast(beta1_power, kind))
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        m_rows = beta1 * tf.gather(m, indices) + (1 - beta1) * grad
        v_rows = beta2 * tf.gather(v, indices) + (1 - beta2) * tf.square(grad)
        step = rate * m_rows / (tf.sqrt(v_rows) + epsilon)
        return tf.group(add(var, indices, -step), update(m, indices, m_rows), update(v, indices, v_rows))

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        return self._lazily(grad.values, var, grad.indices, tf.scatter_update, tf.scatter_add)

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> Any:
        def update(variable: Any, rows: Any, values: Any) -> Any:
            return tf.raw_ops.ResourceScatterUpdate(resource=variable.handle, indices=rows, updates=values)

        def add(variable: Any, rows: Any, values: Any) -> Any:
            return tf.raw_ops.ResourceScatterAdd(resource=variable.handle, indices=rows, updates=values)

        return self._lazily(grad, var, indices, update, add)


class MovingAverageOptimizer(tf.train.Optimizer):  # type: ignore[misc]
    """Keeps moving averages of the variables that another optimizer trains; its saver saves the averages under their names."""

    def __init__(self, opt: Any, average_decay: float = 0.9999, num_updates: Any = None, sequential_update: bool = True) -> None:
        self._optimizer, self._sequential = opt, sequential_update
        self._average = tf.train.ExponentialMovingAverage(average_decay, num_updates=num_updates)
        self._swapped: Optional[Any] = None

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: Optional[str] = None) -> Any:
        pairs = list(grads_and_vars)
        train = self._optimizer.apply_gradients(pairs, global_step=global_step, name=name)
        variables = [variable for gradient, variable in pairs if gradient is not None]
        with tf.control_dependencies([train] if self._sequential else []):
            averaged = self._average.apply(variables)
        self._swapped = {variable.op.name: variable for variable in variables}
        return tf.group(train, averaged, name="train_op")

    def swapping_saver(self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any) -> Any:
        """A Saver that saves each trained variable's average under the variable's own name."""
        if self._swapped is None:
            raise RuntimeError("Must call apply_gradients or minimize before creating the swapping_saver")
        if var_list is None:
            var_list = {variable.op.name: variable for variable in tf.global_variables()}
        elif not isinstance(var_list, dict):
            var_list = {variable.op.name: variable for variable in var_list}
        swapped = dict(var_list)
        for key, variable in var_list.items():
            average = self._average.average(variable) if variable.op.name in self._swapped else None
            if average is not None:
                swapped[key] = average
                for other, value in var_list.items():
                    if value is average:
                        swapped[other] = variable
        return tf.train.Saver(swapped, name=name, **kwargs)


class DecoupledWeightDecayExtension:
    """Decays weights by themselves, not through the gradient (Loshchilov and Hutter)."""

    def __init__(self, weight_decay: Any, **kwargs: Any) -> None:
        self._decay_var_list: Any = None
        self._weight_decay = weight_decay
        super().__init__(**kwargs)

    def minimize(self, loss: Any, global_step: Any = None, var_list: Any = None, gate_gradients: Any = 1, aggregation_method: Any = None,
                 colocate_gradients_with_ops: bool = False, name: Any = None, grad_loss: Any = None, decay_var_list: Any = None) -> Any:  # fmt: skip
        self._decay_var_list = decay_var_list
        return super().minimize(loss, global_step=global_step, var_list=var_list, gate_gradients=gate_gradients, aggregation_method=aggregation_method,  # type: ignore[misc]
                                colocate_gradients_with_ops=colocate_gradients_with_ops, name=name, grad_loss=grad_loss)  # fmt: skip

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: Any = None, decay_var_list: Any = None) -> Any:
        self._decay_var_list = decay_var_list if decay_var_list is not None else self._decay_var_list
        return super().apply_gradients(grads_and_vars, global_step=global_step, name=name)  # type: ignore[misc]

    def _decays(self, var: Any) -> bool:
        return self._decay_var_list is None or any(var is each for each in self._decay_var_list)

    def _rate(self, var: Any) -> Any:
        return tf.cast(self._weight_decay() if callable(self._weight_decay) else self._weight_decay, var.dtype.base_dtype)

    def _decayed(self, grad: Any, var: Any) -> Any:
        # After the gradient, which may read the very memory that decays.
        with tf.control_dependencies([grad]):
            return var.assign_sub(self._rate(var) * var, self._use_locking) if self._decays(var) else tf.no_op()  # type: ignore[attr-defined]

    def _decayed_rows(self, grad: Any, var: Any, indices: Any) -> Any:
        with tf.control_dependencies([grad]):
            if not self._decays(var):
                return tf.no_op()
            unique, _ = tf.unique(indices)
            change = -self._rate(var) * tf.gather(var, unique)
            return self._scatter_add(var, unique, change)

    def _scatter_add(self, var: Any, indices: Any, values: Any) -> Any:
        if hasattr(var, "handle"):
            return tf.raw_ops.ResourceScatterAdd(resource=var.handle, indices=indices, updates=values)
        return tf.scatter_add(var, indices, values, use_locking=self._use_locking)  # type: ignore[attr-defined]

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        with tf.control_dependencies([self._decayed(grad, var)]):
            return super()._apply_dense(grad, var)  # type: ignore[misc]

    def _resource_apply_dense(self, grad: Any, var: Any) -> Any:
        with tf.control_dependencies([self._decayed(grad, var)]):
            return super()._resource_apply_dense(grad, var)  # type: ignore[misc]

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        with tf.control_dependencies([self._decayed_rows(grad.values, var, grad.indices)]):
            return super()._apply_sparse(grad, var)  # type: ignore[misc]

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> Any:
        with tf.control_dependencies([self._decayed_rows(grad, var, indices)]):
            return super()._resource_apply_sparse(grad, var, indices)  # type: ignore[misc]


def extend_with_decoupled_weight_decay(base_optimizer: Any) -> type:
    """An optimizer class with decoupled weight decay."""

    class OptimizerWithDecoupledWeightDecay(DecoupledWeightDecayExtension, base_optimizer):  # type: ignore[misc]
        def __init__(self, weight_decay: Any, *args: Any, **kwargs: Any) -> None:
            self._decay_var_list = None
            self._weight_decay = weight_decay
            super(DecoupledWeightDecayExtension, self).__init__(*args, **kwargs)

    return OptimizerWithDecoupledWeightDecay


class AdamWOptimizer(DecoupledWeightDecayExtension, tf.train.AdamOptimizer):  # type: ignore[misc]
    """Adam with decoupled weight decay."""

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        use_locking: bool = False,
        name: str = "AdamW",
    ) -> None:
        super().__init__(weight_decay, learning_rate=learning_rate, beta1=beta1, beta2=beta2, epsilon=epsilon, use_locking=use_locking, name=name)


class MomentumWOptimizer(DecoupledWeightDecayExtension, tf.train.MomentumOptimizer):  # type: ignore[misc]
    """Momentum with decoupled weight decay."""

    def __init__(
        self, weight_decay: Any, learning_rate: Any, momentum: Any, use_locking: bool = False, name: str = "MomentumW", use_nesterov: bool = False
    ) -> None:
        super().__init__(weight_decay, learning_rate=learning_rate, momentum=momentum, use_locking=use_locking, name=name, use_nesterov=use_nesterov)


def clip_gradients_by_global_norm(gradients_variables: Any, clip_norm: float = 20.0) -> Any:
    """Pairs of gradient and variable, with the gradients clipped together."""
    gradients, variables = zip(*gradients_variables)
    clipped, _ = tf.clip_by_global_norm(gradients, clip_norm)
    return list(zip(clipped, variables))
