"""Gains of the non-adaptive designs: the figures in docs/attacks, each with its standard error.

    python -m benchmarks.designs hadamard-blocks --trials 100 --seed 7

Every trial draws uniform hidden labels, answers each query as the release rule says and counts
matches above n/m. Nothing is timed here.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator

import numpy as np

from holdfast.answers import AnswerModel, ExactAnswers, NoisyAnswers, RoundedAnswers
from holdfast.attacks import (
    BlockMajority,
    BoundaryChallenger,
    ChampionChallenger,
    Detecting,
    HadamardBlocks,
    LabelSubset,
    MessagePassing,
    PooledDetecting,
)
from holdfast.attacks.base import LabelAttack
from holdfast.problem import Problem

Make = Callable[[Problem, np.random.Generator, AnswerModel], LabelAttack]


def released(matches: int, n: int, model: AnswerModel, rng: np.random.Generator) -> float:
    """Return what a host that follows the model shows."""
    if isinstance(model, RoundedAnswers):
        return round(matches / n / model.step) * model.step
    if isinstance(model, NoisyAnswers):
        return matches / n + model.scale * float(rng.normal())
    return matches / n


def gains(make: Make, problem: Problem, model: AnswerModel, trials: int, seed: int) -> np.ndarray:
    """Return the matches above n/m of every trial."""
    n, m, _ = problem
    out = np.empty(trials)
    for trial, sequence in enumerate(np.random.SeedSequence(seed).spawn(trials)):
        rng = np.random.default_rng(sequence)
        hidden = rng.integers(m, size=n)
        attack = make(problem, rng, model)
        while (query := attack.ask()) is not None:
            attack.tell(released(int((query == hidden).sum()), n, model, rng))
        out[trial] = (attack.predict() == hidden).sum() - n / m
    return out


def row(
    name: str,
    make: Make,
    problem: Problem,
    model: AnswerModel,
    expected: float | None,
    trials: int,
    seed: int,
) -> str:
    """Return one line of a Markdown table."""
    got = gains(make, problem, model, trials, seed)
    error = got.std(ddof=1) / math.sqrt(trials)
    predicted = "" if expected is None else f"{problem.n_examples * expected:.1f}"
    n, m, k = problem
    return (
        f"| {name} | ({n}, {m}) | {k} | {model} | {got.mean():.1f} ± {error:.1f} "
        f"| {predicted} | {1 / m + got.mean() / n:.5f} |"
    )


def hadamard_blocks(trials: int, seed: int) -> Iterator[str]:
    """HadamardBlocks beside the paper's chain, under exact, rounded and noisy answers."""
    problem = Problem(10_000, 10, 128)
    for model in (ExactAnswers(), RoundedAnswers(0.001), RoundedAnswers(0.01), NoisyAnswers(0.005)):
        bias = HadamardBlocks.expected_accuracy(problem, answers=model) - 0.1
        yield row(
            "HadamardBlocks",
            lambda p, rng, a: HadamardBlocks(p, rng=rng, answers=a),
            problem,
            model,
            bias,
            trials,
            seed,
        )
        yield row(
            "BlockMajority",
            lambda p, rng, _: BlockMajority(p, rng=rng),
            problem,
            model,
            None,
            trials,
            seed,
        )
    for problem in (Problem(10_000, 10, 101), Problem(10_000, 2, 100), Problem(10_000, 100, 51)):
        bias = HadamardBlocks.expected_accuracy(problem) - problem.baseline
        yield row(
            "HadamardBlocks",
            lambda p, rng, a: HadamardBlocks(p, rng=rng, answers=a),
            problem,
            ExactAnswers(),
            bias,
            trials,
            seed,
        )


def label_subset(trials: int, seed: int) -> Iterator[str]:
    """LabelSubset in the paper's regime hole, for few queries, and under rounded answers."""
    cells: list[tuple[Problem, AnswerModel]] = [
        (Problem(10_000, 100, 1000), ExactAnswers()),
        (Problem(50_000, 1000, 1000), ExactAnswers()),
        (Problem(10_000, 10, 1000), ExactAnswers()),
        (Problem(10_000, 10, 128), ExactAnswers()),
        (Problem(10_000, 10, 128), RoundedAnswers(0.001)),
        (Problem(10_000, 10, 128), RoundedAnswers(0.01)),
        (Problem(10_000, 10, 128), NoisyAnswers(0.005)),
    ]
    for problem, model in cells:
        bias = LabelSubset.expected_accuracy(problem, answers=model) - problem.baseline
        yield row(
            "LabelSubset",
            lambda p, rng, a: LabelSubset(p, rng=rng, answers=a),
            problem,
            model,
            bias,
            max(10, trials * 128 // problem.n_queries),
            seed,
        )


def message_passing(trials: int, seed: int) -> Iterator[str]:
    """MessagePassing from few queries to all labels."""
    cells: list[tuple[Problem, AnswerModel]] = [
        (Problem(10_000, 10, 128), ExactAnswers()),
        (Problem(10_000, 10, 128), RoundedAnswers(0.01)),
        (Problem(10_000, 10, 1000), ExactAnswers()),
        (Problem(10_000, 10, 3000), ExactAnswers()),
        (Problem(10_000, 100, 1000), ExactAnswers()),
        (Problem(50_000, 1000, 1000), ExactAnswers()),
        (Problem(2_000, 2, 1200), ExactAnswers()),
        (Problem(2_000, 10, 4200), ExactAnswers()),
    ]
    for problem, model in cells:
        bias = MessagePassing.expected_accuracy(problem, answers=model) - problem.baseline
        yield row(
            "MessagePassing",
            lambda p, rng, a: MessagePassing(p, rng=rng, answers=a),
            problem,
            model,
            bias,
            max(10, trials * 128 // problem.n_queries),
            seed,
        )


def detecting(trials: int, seed: int) -> Iterator[str]:
    """One exact round: labels identified, and the largest gain."""
    for m, n, k in ((2, 5120, 1024), (3, 3082, 1024), (10, 649, 1024), (10, 1553, 2048)):
        problem = Problem(n, m, k)
        bias = Detecting.expected_accuracy(problem) - problem.baseline
        yield row(
            "Detecting",
            lambda p, rng, _: Detecting(p, rng=rng),
            problem,
            ExactAnswers(),
            bias,
            max(3, trials // 30),
            seed,
        )
    cells = [(10_000, 10, k) for k in (10, 30, 100, 300, 1000, 3000, 5000)]
    cells += [(10_000, 2, k) for k in (100, 300, 1000)]
    cells += [(14_042, 4, k) for k in (100, 300, 1000, 3000)]
    for n, m, k in cells:
        problem = Problem(n, m, k)
        bias = PooledDetecting.expected_accuracy(problem) - problem.baseline
        yield row(
            "PooledDetecting",
            lambda p, rng, _: PooledDetecting(p, rng=rng),
            problem,
            ExactAnswers(),
            bias,
            max(20, min(trials, trials * 128 // k)),
            seed,
        )


def rounding(trials: int, seed: int) -> Iterator[str]:
    """Measure what rounding leaves of each attack's gain."""
    problem = Problem(10_000, 10, 128)
    makers: dict[str, Make] = {
        "BoundaryChallenger": lambda p, rng, a: BoundaryChallenger(p, rng=rng, answers=a),
        "ChampionChallenger": lambda p, rng, a: ChampionChallenger(p, rng=rng, answers=a),
        "LabelSubset": lambda p, rng, a: LabelSubset(p, rng=rng, answers=a),
        "HadamardBlocks": lambda p, rng, a: HadamardBlocks(p, rng=rng, answers=a),
        "BlockMajority": lambda p, rng, _: BlockMajority(p, rng=rng),
    }
    for name, make in makers.items():
        for model in (ExactAnswers(), RoundedAnswers(0.001), RoundedAnswers(0.01)):
            yield row(name, make, problem, model, None, trials, seed)


SECTIONS = {
    "detecting": detecting,
    "hadamard-blocks": hadamard_blocks,
    "label-subset": label_subset,
    "message-passing": message_passing,
    "rounding": rounding,
}


def main() -> None:
    """Print the table of one section."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("section", choices=sorted(SECTIONS))
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    print("| attack | (n, m) | k | answers | gain | predicted | accuracy |")
    print("|---|---|--:|---|--:|--:|--:|")
    for line in SECTIONS[options.section](options.trials, options.seed):
        print(line, flush=True)


if __name__ == "__main__":
    main()
