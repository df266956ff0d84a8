"""Windows: shares of positions with looks of their own, which bound the memory of steering."""

from __future__ import annotations

__all__ = ["MANY_CLASSES", "SHORT_MEMORY", "WINDOW_LOOKS", "n_windows", "remembered_looks"]

# Looks per window: its cost grows with the square of them.
WINDOW_LOOKS = 600
# With many classes a posterior soon is far from linear: better to begin anew from the estimates
# after a few answers than to remember exactly how positions vary together.
MANY_CLASSES, SHORT_MEMORY = 32, 64


def remembered_looks(n_positions: int, n_classes: int, *, informed: bool) -> int:
    """Return after how many answers the estimates become a prior.

    >>> remembered_looks(1000, 10, informed=False), remembered_looks(1000, 100, informed=False)
    (600, 64)
    """
    forgetful = n_classes >= MANY_CLASSES and not informed and n_positions > WINDOW_LOOKS
    return SHORT_MEMORY if forgetful else WINDOW_LOOKS


def n_windows(n_positions: int, n_queries: int, remembered: int) -> int:
    """Return how many windows share the looks; one that forgets has no need of others.

    >>> n_windows(1000, 1300, 600), n_windows(1000, 1300, 64)
    (3, 1)
    """
    return 1 if remembered < WINDOW_LOOKS else min(-(-n_queries // WINDOW_LOOKS), n_positions)
