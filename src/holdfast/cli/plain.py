"""Plain words for people: points, per cent, scored submissions, and what an attack does.

Numbers inside the package, and in `--json`, are fractions.
"""

from __future__ import annotations

__all__ = [
    "blur",
    "explained_attack",
    "looks",
    "percent",
    "point_word",
    "points",
    "scored_submissions",
]

# Below this many points two decimals would say little.
SMALL_POINTS = 0.1


def points(fraction: float) -> str:
    """Return a difference of accuracies in percentage points.

    >>> points(0.0389), points(0.000123), points(-0.0), points(1e-12)
    ('3.89', '0.012', '0.00', '1e-10')
    """
    value = 100.0 * fraction + 0.0
    return f"{value:.2f}" if value == 0.0 or abs(value) >= SMALL_POINTS else f"{value:.2g}"


def blur(resolution: float) -> str:
    """Return how far an honest answer may be from the truth, in points, to two digits.

    >>> blur(0.0076), blur(0.1), blur(1.0)
    ('0.76', '10', '100')
    """
    return f"{float(f'{100.0 * resolution:.2g}'):g}"


def point_word(fraction: float) -> str:
    """Return a difference of accuracies with its unit.

    >>> point_word(0.01), point_word(0.0125)
    ('1 point', '1.25 points')
    """
    text = f"{100.0 * fraction:.4g}"
    return f"{text} point" if text == "1" else f"{text} points"


def percent(fraction: float) -> str:
    """Return an accuracy in per cent, without the sign.

    >>> percent(0.13879)
    '13.879'
    """
    return f"{100.0 * fraction:.3f}"


def looks(count: int) -> str:
    """Return a number of looks, once the word was explained.

    >>> looks(1), looks(1200)
    ('1 look', '1,200 looks')
    """
    return f"{count:,} look{'' if count == 1 else 's'}"


def scored_submissions(count: int) -> str:
    """Return a number of looks where the word is used first.

    >>> scored_submissions(1), scored_submissions(1200)
    ('1 scored submission (look)', '1,200 scored submissions (looks)')
    """
    return "1 scored submission (look)" if count == 1 else f"{count:,} scored submissions (looks)"


def explained_attack(name: str) -> str:
    """Return an attack's name and what it does, in six words.

    >>> explained_attack("lattice")
    'lattice: recovers labels exactly'
    >>> explained_attack("random-climb, 2 accounts")
    'random-climb, 2 accounts: relabels random parts of the best'
    """
    from holdfast.attacks.registry import summary_of
    from holdfast.planner import Mixture  # which a plan names, and nobody plays by name

    summary = Mixture.summary if name == Mixture.name else summary_of(name)
    return f"{name}: {summary}" if summary else name
