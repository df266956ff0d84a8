"""Time of bounds and certificates, where 0.2 s is wanted.

Run as `python -m benchmarks.certificates`; processor seconds, once everything is loaded.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from fractions import Fraction

from holdfast.bounds.fixed_queries import fixed_accuracy
from holdfast.bounds.running_best import exact_best_accuracy, improved_accuracy, ladder_accuracy
from holdfast.bounds.spread_of_answers import exact_accuracy, rounded_accuracy
from holdfast.bounds.two_classes import pairs_accuracy
from holdfast.bounds.weighted_transcripts import weighted_accuracy
from holdfast.certificates import certify
from holdfast.problem import Problem
from holdfast.rules import parse_rule

SIZES = (
    (1000, 10, 100),
    (10_000, 2, 1000),
    (10**5, 1000, 10**4),
    (10**6, 10, 1000),
    (10**6, 2, 10**6),
)
RULES = ("exact", "round:2", "ladder:0.01", "ladder", "improved", "gaussian:0.01", "batch:1000000")
KNOWN = (None, 0.7)
BOUNDS: dict[str, Callable[[Problem], float | None]] = {
    "fixed queries": fixed_accuracy,
    "spread of answers": exact_accuracy,
    "spread of rounded answers": lambda p: rounded_accuracy(p, Fraction(1, 100)),
    "running best, exact": exact_best_accuracy,
    "running best, improved or not": improved_accuracy,
    "running best, Ladder, 5 accounts": lambda p: ladder_accuracy(p, Fraction(1, 100), accounts=5),
    "weighted transcripts, step .01": lambda p: weighted_accuracy(p, Fraction(1, 100)),
    "weighted transcripts, step .001": lambda p: weighted_accuracy(p, Fraction(1, 1000)),
    "pairs of classes": pairs_accuracy,
}


def main() -> None:
    """Print the seconds of every bound and certificate, the first time it is asked for."""
    slowest = 0.0
    for name, bound in BOUNDS.items():
        bound(Problem(999, 3, 7))
        longest = 0.0
        for n in (1000, 30_000, 10**6):
            for m in (2, 10, 1000):
                for k in (50, 2000):
                    start = time.process_time()
                    bound(Problem(n, m, k))
                    longest = max(longest, time.process_time() - start)
        slowest = max(slowest, longest)
        print(f"{name:34} at most {longest:6.3f} s")
    for n, m, k in SIZES:
        for rule in RULES:
            for knows in KNOWN:
                start = time.process_time()
                found = certify(Problem(n, m, k), parse_rule(rule), knows=knows, accounts=1)
                seconds = time.process_time() - start
                slowest = max(slowest, seconds)
                who = "nothing" if knows is None else f"a model of {knows:g}"
                print(
                    f"n = {n:>9,}, m = {m:>5,}, k = {k:>9,}, {rule:14} knows {who:14} "
                    f"{seconds:6.3f} s  +{100 * found.gain:.2f} points by {found.bound}"
                )
    print(f"slowest: {slowest:.3f} s of processor time")


if __name__ == "__main__":
    argparse.ArgumentParser(
        prog="python -m benchmarks.certificates", description=__doc__
    ).parse_args()
    main()
