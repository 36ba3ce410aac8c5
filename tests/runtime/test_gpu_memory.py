"""gpu_memory_limit: a size that becomes each card's fraction. The cards are made up; no TensorFlow is asked."""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple

import pytest

from tf1compat_gpu import Profile, load_profile
from tf1compat_gpu.runtime import gpu_memory, nvml

GIB = 1 << 30
SMALL, BIG = nvml.Card(0, "GPU-aa", "small", 8 * GIB, 0), nvml.Card(1, "GPU-bb", "big", 16 * GIB, 0)
OTHER = nvml.Card(2, "GPU-cc", "big", 16 * GIB, 0)


def limited(
    monkeypatch: pytest.MonkeyPatch, fields: Dict[str, object], cards: Optional[List[nvml.Card]], environ: Dict[str, str]
) -> Tuple[Optional[Profile], List[str]]:
    monkeypatch.setattr(nvml, "cards", lambda: cards)
    profile, problems = gpu_memory.with_fraction(load_profile(dict({"profile": {"gpu_memory_limit": "4GiB"}}, **fields)), environ)
    return profile, ["%s: %s" % (d.severity, d.message) for d in problems]


@pytest.mark.parametrize(
    "fields, cards, environ, fraction",
    [
        ({}, [BIG, OTHER], {}, 0.25),
        ({"gpu_options": {"allow_growth": True}}, [SMALL], {}, 0.5),
        ({"gpu_options": {"visible_device_list": "1"}}, [SMALL, BIG], {}, 0.25),
        ({"gpu_options": {"visible_device_list": "0"}}, [SMALL, BIG], {"CUDA_VISIBLE_DEVICES": "1"}, 0.25),
        ({}, [SMALL, BIG], {"CUDA_VISIBLE_DEVICES": "GPU-bb"}, 0.25),
        ({"device_count": {"GPU": 1}}, [SMALL, BIG], {}, 0.5),
    ],
)
def test_fraction_of_the_cards_that_are_used(
    monkeypatch: pytest.MonkeyPatch, fields: Dict[str, object], cards: List[nvml.Card], environ: Dict[str, str], fraction: float
) -> None:
    profile, problems = limited(monkeypatch, fields, cards, environ)
    assert profile is not None and problems == []
    assert profile["gpu_options.per_process_gpu_memory_fraction"] == fraction
    assert profile.settings.gpu_memory_limit is None
    assert profile.get("gpu_options.allow_growth") == dict(fields).get("gpu_options", {}).get("allow_growth")  # type: ignore[attr-defined]


def test_unequal_cards_are_an_error_that_shows_their_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    profile, (problem,) = limited(monkeypatch, {}, [SMALL, BIG], {})
    assert profile is None
    assert problem.startswith("error: ") and "GPU 0 has 8192 MiB, GPU 1 has 16384 MiB" in problem


def test_more_than_a_card_has_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvml, "cards", lambda: [SMALL])
    profile, problems = gpu_memory.with_fraction(load_profile({"profile": {"gpu_memory_limit": "9GiB"}}), {})
    assert profile is None and problems[0].is_error and "8192 MiB" in problems[0].message


def test_no_card_left_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    profile, (problem,) = limited(monkeypatch, {}, [SMALL], {"CUDA_VISIBLE_DEVICES": "-1"})
    assert profile is not None and "gpu_options.per_process_gpu_memory_fraction" not in profile
    assert problem.startswith("warning: ")


def test_no_limit_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvml, "cards", lambda: pytest.fail("NVML was asked"))
    profile = load_profile({"allow_growth": True})
    assert gpu_memory.with_fraction(profile, {}) == (profile, [])
