"""`gpu_memory_limit: 8GiB` as the fraction that TensorFlow takes: each card's total is asked of NVML."""

from __future__ import annotations

import os
from typing import List, Mapping, Optional, Tuple

from tf1compat_gpu.diagnostics import Diagnostic, Source, Span, error, warning
from tf1compat_gpu.profiles.placement import visible_cards
from tf1compat_gpu.profiles.profile import Entry, Profile
from tf1compat_gpu.profiles.scalars import size_text
from tf1compat_gpu.runtime import nvml

FRACTION = "gpu_options.per_process_gpu_memory_fraction"


def used_cards(profile: Profile, cards: List[nvml.Card], environ: Mapping[str, str]) -> List[nvml.Card]:
    """The cards that the profile's sessions use: what CUDA_VISIBLE_DEVICES leaves, then visible_device_list."""
    left = visible_cards(environ)
    if left is not None:
        cards = [card for name in left for card in cards if name == str(card.index) or (name and card.uuid.startswith(name))]
    chosen = str(profile.get("gpu_options.visible_device_list", ""))
    positions = [int(part) for part in chosen.split(",")] if chosen.strip() else range(len(cards))
    cards = [cards[position] for position in positions if position < len(cards)]
    count = profile.get("device_count", {}).get("GPU")
    return cards if count is None else cards[:count]


def with_fraction(profile: Profile, environ: Optional[Mapping[str, str]] = None) -> Tuple[Optional[Profile], List[Diagnostic]]:
    """The profile with its gpu_memory_limit turned into a fraction of each card's total memory.

    Returns:
        The profile (itself where it has no limit, or where there is no card to limit) and what there is to report;
        None where the limit can't be kept.
    """
    limit = profile.settings.gpu_memory_limit
    if limit is None:
        return profile, []
    span = profile.setting_spans.get("gpu_memory_limit", Span(Source(profile.name)))
    cards = nvml.cards()
    if cards is None:
        from tf1compat_gpu.runtime.tensorflow import gpus_present

        if gpus_present():
            return None, [
                error(
                    "gpu-memory",
                    "gpu_memory_limit needs each card's total memory, which NVML tells",
                    span,
                    "pip install nvidia-ml-py, or write per_process_gpu_memory_fraction",
                )
            ]
        return profile, [warning("no-gpu", "gpu_memory_limit has no effect: there is no GPU here", span)]
    used = used_cards(profile, cards, os.environ if environ is None else environ)
    if not used:
        return profile, [warning("no-gpu", "gpu_memory_limit has no effect: no GPU is left to use", span)]
    totals = sorted({card.total_bytes for card in used})
    if totals[0] != totals[-1]:
        shown = ", ".join("GPU %d has %d MiB" % (card.index, card.total_bytes >> 20) for card in used)
        return None, [
            error(
                "gpu-memory",
                "gpu_memory_limit: a session has one fraction for all its cards, and they differ: %s" % shown,
                span,
                "choose equal cards with visible_device_list, or write virtual_devices with a memory_limit_mb for each",
            )
        ]
    if limit > totals[0]:
        return None, [
            error(
                "gpu-memory",
                "gpu_memory_limit: %s is more than a card has (%d MiB)" % (size_text(limit), totals[0] >> 20),
                span,
                "write less, or a fraction above 1 for unified memory",
            )
        ]
    entries = dict(profile.entries)
    entries[FRACTION] = Entry(limit / totals[0], span)
    settings = profile.settings._replace(gpu_memory_limit=None)
    return profile.with_entries(entries, settings), []
