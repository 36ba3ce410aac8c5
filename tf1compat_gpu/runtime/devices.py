"""What is known of TensorFlow's GPUs beside their number: each card's total memory, which TensorFlow does not tell."""

from __future__ import annotations

import os
from typing import Any, List, Optional, Sequence

from tf1compat_gpu.profiles.placement import visible_cards
from tf1compat_gpu.runtime import nvml, tensorflow


def _name(device: Any) -> Optional[str]:
    details = getattr(tensorflow.tensorflow().config.experimental, "get_device_details", None)
    return details(device).get("device_name") if details else None


def card_totals(devices: Sequence[Any]) -> Optional[List[int]]:
    """The total memory in bytes of each of TensorFlow's GPUs, in their order; None where NVML can't be asked.

    TensorFlow numbers cards as CUDA does, the fastest first unless CUDA_DEVICE_ORDER=PCI_BUS_ID; NVML numbers them by
    PCI bus. Cards of one product have the same memory, so the product's name is what they are matched by; where all
    cards have the same memory, nothing needs to be matched.
    """
    cards = nvml.cards()
    if not cards:
        return None
    totals = {card.total_bytes for card in cards}
    if len(totals) == 1:
        return [cards[0].total_bytes] * len(devices)
    by_name = {card.name: card.total_bytes for card in cards}
    names = [_name(device) for device in devices]
    if all(name in by_name for name in names):
        return [by_name[str(name)] for name in names]
    left = visible_cards(os.environ)
    if os.environ.get("CUDA_DEVICE_ORDER") != "PCI_BUS_ID":
        return None
    chosen = cards if left is None else [card for name in left for card in cards if name == str(card.index) or (name and card.uuid.startswith(name))]
    return [card.total_bytes for card in chosen][: len(devices)] if len(chosen) >= len(devices) else None
