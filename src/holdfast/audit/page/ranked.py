"""Attacks by rank: those that matter, the weaker ones, and those that could not play."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

__all__ = ["split_by_rank"]

# So many of the strongest attacks are shown unfolded.
STRONGEST = 3

Ranked = TypeVar("Ranked")


def split_by_rank(
    gains: Sequence[Ranked],
    gain_of: Callable[[Ranked], float | None],
    kind_of: Callable[[Ranked], Hashable],
) -> dict[str, list[Ranked]]:
    """Return attacks in three lists; what matters are the strongest, of all and of each kind.

    A kind is what the attacker knows. The strongest of each is shown even where it gains little:
    that someone without features gains next to nothing is an answer, too.

    Parameters
    ----------
    gains
        One per attack.
    gain_of
        Its gain; None: it could not play.
    kind_of
        What it is compared within.

    Examples
    --------
    >>> found = split_by_rank([3, 1, 7, None, 2, 5], lambda gain: gain, lambda gain: gain % 2)
    >>> found["matter"], found["others"], found["unable"]
    ([7, 5, 3, 2], [1], [None])
    """
    played = [gain for gain in gains if gain_of(gain) is not None]
    played.sort(key=lambda gain: -(gain_of(gain) or 0.0))
    first = {kind_of(gain): gain for gain in reversed(played)}
    chosen = {id(gain) for gain in [*played[:STRONGEST], *first.values()]}
    return {
        "matter": [gain for gain in played if id(gain) in chosen],
        "others": [gain for gain in played if id(gain) not in chosen],
        "unable": [gain for gain in gains if gain_of(gain) is None],
    }
