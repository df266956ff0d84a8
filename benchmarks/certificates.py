"""How long certificates take, where 0.2 s is wanted: `python -m benchmarks.certificates`."""

from __future__ import annotations

import argparse
import time

from holdfast.certificates import certify
from holdfast.mechanisms import parse_mechanism
from holdfast.problem import Problem

SIZES = (
    (1000, 10, 100),
    (10_000, 2, 1000),
    (10**5, 1000, 10**4),
    (10**6, 10, 1000),
    (10**6, 2, 10**6),
)
RULES = ("exact", "round:2", "ladder:0.01", "ladder", "improved", "gaussian:0.01", "batch:1000000")
KNOWN = (None, 0.7)


def main() -> None:
    """Print the seconds of every certificate, the first time it is asked for."""
    slowest = 0.0
    for n, m, k in SIZES:
        for rule in RULES:
            for knows in KNOWN:
                start = time.process_time()
                found = certify(Problem(n, m, k), parse_mechanism(rule), knows=knows, accounts=1)
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
