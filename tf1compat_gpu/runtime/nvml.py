"""What NVML tells about the machine's cards; opens no CUDA context."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Optional


@dataclass(frozen=True)
class Card:
    """A card as NVML numbers them, which is in PCI bus order.

    Attributes:
        index: Its number.
        uuid: `GPU-...`, as CUDA_VISIBLE_DEVICES takes it too.
        name: The product's name.
        total_bytes: All of its memory, in bytes.
        used_bytes: What all processes use of it now, in bytes.
    """

    index: int
    uuid: str
    name: str
    total_bytes: int
    used_bytes: int


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def cards() -> Optional[List[Card]]:
    """The machine's cards; None where NVML can't be asked: no nvidia-ml-py, or no NVIDIA driver."""
    try:
        import pynvml
    except ImportError:
        return None
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return None
    try:
        found = []
        for index in range(pynvml.nvmlDeviceGetCount()):
            handle = pynvml.nvmlDeviceGetHandleByIndex(index)
            memory = pynvml.nvmlDeviceGetMemoryInfo(handle)
            names = _text(pynvml.nvmlDeviceGetUUID(handle)), _text(pynvml.nvmlDeviceGetName(handle))
            found.append(Card(index, names[0], names[1], int(memory.total), int(memory.used)))
        return found
    except pynvml.NVMLError:
        return None
    finally:
        pynvml.nvmlShutdown()
