"""Attacks by rank: those that matter, the weaker ones, and those that could not play."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.audit.result import AttackGain

__all__ = ["split_by_rank"]

# So many of the strongest attacks are shown unfolded.
STRONGEST = 3


def split_by_rank(gains: Sequence[AttackGain]) -> dict[str, list[AttackGain]]:
    """Return attacks in three lists; what matters are the strongest, of all and of each kind.

    A kind is what the attacker is shown and knows. The strongest of each is shown even where it
    gains little: that someone without features gains next to nothing is an answer, too.

    Examples
    --------
    >>> from holdfast.audit.result import Interval
    >>> def gain(points, setting="features"):
    ...     mean = None if points is None else Interval(points, None, None)
    ...     return AttackGain("an attack", setting, 1, 10, 1, mean, None, None)
    >>> gains = [gain(3.0), gain(1.0), gain(7.0), gain(None), gain(2.0, "model"), gain(5.0)]
    >>> [[each.mean for each in part] for part in split_by_rank(gains).values()]
    [[7.0, 5.0, 3.0, 2.0], [1.0], [None]]
    """
    played = sorted(
        (gain for gain in gains if gain.mean is not None), key=lambda gain: -(gain.mean or 0.0)
    )
    first = {(gain.show, gain.setting): gain for gain in reversed(played)}
    chosen = {id(gain) for gain in [*played[:STRONGEST], *first.values()]}
    return {
        "matter": [gain for gain in played if id(gain) in chosen],
        "others": [gain for gain in played if id(gain) not in chosen],
        "unable": [gain for gain in gains if gain.mean is None],
    }
