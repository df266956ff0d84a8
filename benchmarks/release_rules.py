"""Cost of a release rule per look, and time of the whole matrix.

    python -m benchmarks.release_rules            # microseconds a look, every rule
    python -m benchmarks.release_rules --matrix   # `holdfast matrix` at (10000, 10, 300)

Peer of a rule: counting the matches of the same query, which every rule needs first. Limit of the
matrix: five minutes on two cores. The same run shows that every rule is at or below its certified
bound, and what every attack gains against `exact` beside the planner's forecast, which comes from
the attacks' own benchmarks.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from benchmarks.timing import best_seconds
from holdfast import Problem
from holdfast.cores import available_cores
from holdfast.evaluate import evaluate
from holdfast.experiments import Matrix, run_matrix
from holdfast.mechanisms import Rule, compared_rules
from holdfast.planner import plan
from holdfast.protocols import State

LOOKS = 100


def rules(problem: Problem) -> None:
    """Print what 100 looks at random submissions cost under each rule."""
    n, m, _ = problem
    rng = np.random.default_rng(1)
    hidden = rng.integers(m, size=n).astype(np.uint8)
    queries = [rng.integers(m, size=n).astype(np.uint8) for _ in range(LOOKS)]
    evaluations = [evaluate(query, hidden, m) for query in queries]

    def count() -> None:
        for query in queries:
            evaluate(query, hidden, m)

    bare = best_seconds(count, repeats=5)
    print(f"counting matches: {1e6 * bare / LOOKS:.1f} µs a look at n = {n:,}")
    for rule in compared_rules(Problem(n, m, LOOKS)):

        def release(rule: Rule = rule) -> None:
            state: State = rule.init(Problem(n, m, LOOKS))
            for evaluation in evaluations:
                _, state = rule.release(state, evaluation, rng)

        seconds = best_seconds(release, repeats=3)
        print(f"{rule!s:52} {1e6 * seconds / LOOKS:8.1f} µs, {seconds / bare:6.1f} times counting")


def matrix() -> None:
    """Print how long the whole suite takes against all default rules, and what it shows."""
    start = time.perf_counter()
    problem = Problem(10_000, 10, 300)
    result = run_matrix(Matrix(problem), processes=available_cores())
    seconds = time.perf_counter() - start
    kept = sum(summary.holds for summary in result["rules"])
    print(f"matrix at (10000, 10, 300): {seconds:.0f} s (limit 300 s on two cores)")
    print(f"rules at or below their certified bound: {kept} of {len(result['rules'])}")
    print(f"against exact, bias and one standard error of {result['trials']} trials, and forecast:")
    forecasts = {each.attack: each.gain for each in plan(problem).forecasts}
    for cell in result["cells"]:
        if cell.rule == "exact" and cell.bias is not None:
            gain = forecasts.get(cell.attack)
            told = "none" if gain is None else f"{gain / problem.n_examples:.4f}"
            print(f"{cell.attack:24} {cell.bias.mean:7.4f} ± {cell.bias.stderr:.4f}  {told}")


def main() -> None:
    """Print one of the two tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--matrix", action="store_true", help="the whole matrix; default: one look at each rule"
    )
    if parser.parse_args().matrix:
        matrix()
    else:
        rules(Problem(10_000, 10, 300))


if __name__ == "__main__":
    main()
