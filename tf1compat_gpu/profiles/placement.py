"""`gpu_per_process: local_rank`: which of the visible GPUs is this process's own."""

from __future__ import annotations

from typing import List, Mapping, Optional, Tuple

from tf1compat_gpu.diagnostics import Diagnostic, Span, error, warning
from tf1compat_gpu.profiles import launchers
from tf1compat_gpu.profiles.profile import Entry, FrozenMapping

VISIBLE = "CUDA_VISIBLE_DEVICES"


def visible_cards(environ: Mapping[str, str]) -> Optional[List[str]]:
    """The ids that CUDA_VISIBLE_DEVICES leaves, or None where it is not set.

    CUDA reads it up to the first invalid id (CUDA programming guide, CUDA_VISIBLE_DEVICES): -1 hides the rest.
    """
    text = environ.get(VISIBLE)
    if text is None:
        return None
    cards: List[str] = []
    for part in text.split(","):
        if not part.strip() or part.strip().startswith("-"):
            break
        cards.append(part.strip())
    return cards


def narrows(now: str, value: str) -> bool:
    """Whether a CUDA_VISIBLE_DEVICES leaves nothing that another one hides."""
    left = visible_cards({VISIBLE: value}) or []
    return set(left) <= set(visible_cards({VISIBLE: now}) or [])


def _cards_of_process(environ: Mapping[str, str], block: Mapping[str, str]) -> Optional[List[str]]:
    """The ids that are left once the profile's environment is set, as `runtime.environment.plan` does."""
    now, wanted = environ.get(VISIBLE), block.get(VISIBLE)
    return visible_cards(block if wanted is not None and (now is None or narrows(now, wanted)) else environ)


def place_process(
    current: Optional[Entry], span: Span, environ: Mapping[str, str], block: Mapping[str, str] = FrozenMapping()
) -> Tuple[Optional[Entry], List[Diagnostic]]:
    """The visible_device_list of this process, from its launcher's local rank and what CUDA_VISIBLE_DEVICES leaves.

    Args:
        current: The visible_device_list that the profile writes itself (a conflict, which `checks` reports).
        span: Where gpu_per_process was written.
        environ: The environment.
        block: The variables that the profile sets in it.

    Returns:
        The entry (None where there is nothing to set: no visible GPU, or an error) and what there is to report.
    """
    if current is not None and current.value:
        return None, []
    rank = launchers.rank("local", environ)
    if rank is None:
        help = "start it with its launcher, or set HOROVOD_LOCAL_RANK=0 for a single process"
        said = ["%s=%r is no rank" % (row.local, environ[row.local]) for row in launchers.LAUNCHERS if row.local in environ]
        return None, [error("rank", "profile.gpu_per_process: %s" % (", ".join(said) or "no launcher has set a local rank"), span, help)]
    diagnostics: List[Diagnostic] = []
    if rank.disagreeing:
        diagnostics.append(
            warning(
                "rank-conflict",
                "profile.gpu_per_process: %s=%d is taken, but %s says otherwise" % (rank.variable, rank.value, " and ".join(rank.disagreeing)),
                span,
            )
        )
    cards = _cards_of_process(environ, block)
    if cards == []:
        return None, diagnostics
    # One visible card means that the launcher has chosen already: it is number 0 here, whatever the rank.
    position = 0 if cards is not None and len(cards) == 1 else rank.value
    if cards is not None and position >= len(cards):
        message = "profile.gpu_per_process: %s=%d, but CUDA_VISIBLE_DEVICES leaves %d GPUs" % (rank.variable, rank.value, len(cards))
        return None, diagnostics + [
            error(
                "rank",
                message,
                span,
                "start as many processes on a host as it has GPUs, or give those that need none, as parameter servers, device_count: {GPU: 0}",
            )
        ]
    return Entry(str(position), span, variables=(rank.variable,)), diagnostics
