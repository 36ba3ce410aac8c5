"""Estimator's RunConfig under a profile, with the device filters that it sets by itself."""

from __future__ import annotations

import os
from typing import Any, Mapping, Optional

from tf1compat_gpu.diagnostics import warning
from tf1compat_gpu.errors import TensorFlowError
from tf1compat_gpu.profiles import clusters
from tf1compat_gpu.profiles.protos import profile_from_config
from tf1compat_gpu.runtime import active, tensorflow
from tf1compat_gpu.runtime.reporting import report
from tf1compat_gpu.runtime.session import AnyProfile, make_config


def make_run_config(profile: AnyProfile = None, variant: Optional[str] = None, *, overrides: Optional[Mapping[str, Any]] = None, **keywords: Any) -> Any:
    """A tf.estimator.RunConfig whose session_config is the profile.

    A RunConfig without a session_config takes device filters from TF_CONFIG, so that workers don't wait for each
    other; with one of its own it takes none (tensorflow_estimator 1.15, run_config.py). Here they are kept where the
    profile leaves them unset.

    The server of train_and_evaluate takes gpu_options alone from it (training.py, _start_std_server), so that device_count and
    threads have no effect in a cluster, unless a profile is the active one (see `install`): that fills in the rest there.

    Args:
        profile: A path, dict, Profile, or a list of these; the active profile by default.
        variant: The variant to lay over it.
        overrides: Field path to value, laid over everything else.
        **keywords: The other arguments of RunConfig.

    Raises:
        ProfileError: Something is wrong in the profile.
        TensorFlowError: The installed TensorFlow has no Estimator.
    """
    try:
        run_config = tensorflow.v1().estimator.RunConfig
    except (AttributeError, ImportError):
        installed = tensorflow.tensorflow().__version__
        raise TensorFlowError(
            "TensorFlow %s has no Estimator: releases up to 2.15 have it. make_config gives the same profile to a Session or MonitoredTrainingSession"
            % installed
        ) from None
    config = make_config(profile, variant, overrides=overrides)
    _say_what_its_server_lacks(config)
    if not config.device_filters:
        defaults = run_config(**keywords).session_config
        if defaults is not None:
            config.device_filters.extend(defaults.device_filters)
    return run_config(session_config=config, **keywords)


def _say_what_its_server_lacks(config: Any) -> None:
    if clusters.task_of(os.environ) is None or (active.STATE.wrapped and active.active_profile() is not None):
        return
    lost = [path for path in profile_from_config(config) if clusters.owner(path) == clusters.SERVER and not path.startswith("gpu_options")]
    if lost:
        message = "%s: no effect in a cluster, because the server that train_and_evaluate makes takes gpu_options alone" % ", ".join(lost)
        report([warning("target", message, None, "make the profile the active one, with install(profile): it reaches that server then")])
