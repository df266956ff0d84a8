"""Measured tables for what the planner has no closed form for.

`python -m benchmarks.generated planner` writes them into src/holdfast/measured/tables.json. Hidden
labels are uniform and answers exact; the seed differs from every seed used in tests and in
`benchmarks.power`.

champion-challenger
    Gain divided by the rate-distortion law n R(a) = k/2, by classes, looks k and load k m / n.
champion-flat
    The same from a model that is equally sure of every example: its gain divided by the law with
    that model, by classes, by how much of n (1 - 1/m) the model leaves to gain, by looks and by
    examples per look.
anytime
    Gain of AnytimeChampionChallenger divided by that of ChampionChallenger, by looks.
designs
    Gain of LabelSubset and MessagePassing divided by what they expect of themselves, which is true
    of many examples, by classes, examples and looks per example.
hit-pools
    Gain of HitPools divided by the rate-distortion law n R(a) = k/2, by classes, looks k and load
    k m / n.
lattice
    Looks that Lattice takes for all labels of t positions, divided by the information limit
    t ln m / H(Bin(t, 1/m)), by classes and t.
lattice-budget
    The same for the t labels that Lattice makes certain if k looks are all it has and there are
    more examples than they suffice for, by classes and k.
lattice-prior
    Looks for all labels from a model, divided by the entropy it leaves over that of an answer, by
    classes and examples.
tail-after-pools
    Gain of the tail of SteeredPools above the guess of its pools, on the same labels, divided by
    the rate-distortion law on what these leave open, by classes and the tail's load, looks m / n.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.power import synthetic_model
from holdfast import attacks, play
from holdfast.attacks.steering.stages import OpenLabels
from holdfast.bounds import best_impossible
from holdfast.bounds.binomial import entropy
from holdfast.bounds.rate_distortion import NATS_PER_LOOK, gain_for_nats, spend
from holdfast.measured import along
from holdfast.oracles import LabelOracle
from holdfast.priors import Prior
from holdfast.problem import Problem

SEED = 20_261_115

CLASSES = [2, 4, 10, 100, 1000]
LOOKS = [1, 3, 10, 30, 100, 300, 600]
LOADS = [0.1, 0.4, 1.5, 6.0, 24.0, 100.0]
CHAMPION_CLASSES = [2, 4, 10, 30, 100, 1000]
# A cell is left to its neighbours if it takes more work than this or has hardly any examples.
MOST_WORK, MOST_EXAMPLES, LEAST_EXAMPLES = 4e9, 100_000, 20
CLOSE_WORK = 1e9  # up to which a cell is measured more often
FLAT_WORK = 2e9

LEFT = [0.03, 0.1, 0.3, 0.6, 0.9]
FLAT_LOOKS = [10, 30, 100, 300, 900]
EXAMPLES_A_LOOK = [2, 6, 20]

FEW_EXAMPLES = [5, 10, 30, 100, 300, 1000]
LOOKS_AN_EXAMPLE = [0.1, 0.3, 0.5, 1.0, 1.8, 3.0]
MOST_SHOWN = 300_000  # labels shown in all queries together

HIT_CLASSES = [10, 30, 100, 300, 1000]
HIT_LOOKS = [10, 30, 100, 300, 1000, 3000]
HIT_LOADS = [0.3, 1.0, 2.0, 3.0, 6.0, 12.0, 30.0, 100.0, 300.0, 1000.0]
HIT_EXAMPLES = 500_000  # at most

# With fewer classes the tail is short, and one number for each is in `attacks/steering/stages.py`.
TAIL_CLASSES, TAIL_LOADS = [100, 300, 1000], [1.0, 3.0, 10.0, 30.0, 100.0, 200.0]
# Its looks as a share of all, which is near the best at a high load, and examples per class.
TAIL_SHARE, TAIL_EXAMPLES = 0.4, {1.0: 40, 3.0: 20, 10.0: 15, 30.0: 10, 100.0: 8, 200.0: 6}

# From 23 classes on it plays otherwise.
LATTICE_CLASSES = [2, 3, 4, 10, 16, 22, 23, 30, 100, 300, 1000]
LATTICE_POSITIONS = [
    30, 100, 300, 1000, 1700, 3000, 4000, 5000, 6000, 7000, 7250, 7500, 8000, 9000, 10_000, 50_000,
]  # fmt: skip
# Where rounds of a power of two rows suffice, looks hardly grow with t: mixtures, which divide
# looks between Lattice and others, need to know. With more classes the course is smooth, and what
# lies between these is read off their line.
SMOOTH_FROM_CLASSES, SMOOTH_POSITIONS = 17, {30, 100, 300, 1000, 3000, 10_000, 50_000}
BUDGETS = [30, 100, 300, 1000, 3000]
# Beyond 10,000 positions only where the ratio still changes: with few classes it has settled.
LATTICE_MOST = {1000: 50_000}


def played(name: str, problem: Problem, trials: int) -> tuple[float, float]:
    """Return the mean gain of an attack and the mean number of looks it took."""
    n, m, _ = problem
    gains, looks = [], []
    for sequence in np.random.SeedSequence([SEED, n, m]).spawn(trials):
        rng = np.random.default_rng(sequence)
        hidden = rng.integers(m, size=n)
        oracle = LabelOracle(hidden, problem=problem)
        guess = play(getattr(attacks, name)(problem, rng=rng), oracle)
        gains.append(float((guess == hidden).sum()) - n / m)
        looks.append(oracle.looks)
    return float(np.mean(gains)), float(np.mean(looks))


def filled(row: list[float | None]) -> list[float]:
    """Return the row with what was not measured copied from the nearest measured cell."""
    known = [at for at, value in enumerate(row) if value is not None]
    if not known:
        raise ValueError("A row of a table has no measured cell.")
    nearest = [min(known, key=lambda at: abs(at - here)) for here in range(len(row))]
    return [value for at in nearest if (value := row[at]) is not None]


def champion_challenger() -> dict[str, Any]:
    """Measure the ratio to the rate-distortion law."""
    ratio = []
    for m in CHAMPION_CLASSES:
        measured: list[list[float | None]] = []
        for k in LOOKS:
            row = [champion_cell(m, k, load) for load in LOADS]
            say(f"champion-challenger m={m} k={k}: {row}")
            if measured:  # with hardly fewer looks and the same load it is nearly the same
                row = [now or before for now, before in zip(row, measured[-1], strict=True)]
            measured.append(row)
        ratio.append([filled(row) for row in measured])
    return {"classes": CHAMPION_CLASSES, "looks": LOOKS, "loads": LOADS, "ratio": ratio}


def champion_cell(m: int, k: int, load: float) -> float | None:
    """Measure one ratio; None where it takes too long or there are hardly any examples."""
    n = round(k * m / load)
    work = n / max(1, m // 100) * k**2  # with many classes examples are grouped
    if not LEAST_EXAMPLES <= n <= MOST_EXAMPLES or work > MOST_WORK:
        return None
    problem = Problem(n, m, k)
    # From a hundred looks on it competes with pools, which gain within a few per cent of it.
    close = m <= 10 and k >= 100 and work <= CLOSE_WORK
    gain, _ = played("ChampionChallenger", problem, 24 if close else max(4, 1200 // k))
    return round(gain / gain_for_nats(problem, NATS_PER_LOOK * k), 3)


def champion_flat() -> dict[str, Any]:
    """Measure the ratio to the law from models that are equally sure of every example."""
    ratio = []
    for m in CLASSES:
        by_left = []
        for left in LEFT:
            rows: list[list[float]] = []
            for k in FLAT_LOOKS:
                row = [flat_cell(m, left, k, a_look) for a_look in EXAMPLES_A_LOOK]
                if rows:  # with fewer looks and as many examples per look it is nearly the same
                    row = [b if a is None else a for a, b in zip(row, rows[-1], strict=True)]
                rows.append(filled(row))
            say(f"champion-flat m={m} left={left}: {rows}")
            by_left.append(rows)
        ratio.append(by_left)
    return {
        "classes": CLASSES,
        "left": LEFT,
        "looks": FLAT_LOOKS,
        "examples": EXAMPLES_A_LOOK,
        "ratio": ratio,
    }


def flat_cell(m: int, left: float, k: int, examples_a_look: int) -> float | None:
    """Measure one ratio; None where it takes too long."""
    n = k * examples_a_look
    if n * k**2 > FLAT_WORK:
        return None
    problem, accuracy = Problem(n, m, k), 1.0 - left * (1.0 - 1.0 / m)
    gains = []
    # A good model leaves little to gain, which takes more trials to see; with many classes hardly
    # anything is gained at all.
    looks = 6000 if left <= 0.1 and m <= 10 else 2400
    for sequence in np.random.SeedSequence([SEED, n, m]).spawn(max(3, min(60, looks // k))):
        rng = np.random.default_rng(sequence)
        hidden = rng.integers(m, size=n)
        wrong = (hidden + rng.integers(1, m, size=n)) % m
        model = np.where(rng.random(n) < accuracy, hidden, wrong)
        prior = Prior.candidates(model[:, None], np.full((n, 1), accuracy), m)
        attack = attacks.ChampionChallenger(problem, rng=rng, prior=prior)
        guess = play(attack, LabelOracle(hidden, problem=problem))
        gains.append(int((guess == hidden).sum()) - int((model == hidden).sum()))
    return round(float(np.mean(gains)) / spend(prior, NATS_PER_LOOK * k).gain, 3)


def anytime() -> dict[str, Any]:
    """Measure what not knowing the number of looks costs."""
    looks, ratio = [10, 30, 100, 300], []
    for k in looks:
        problem, trials = Problem(5000, 10, k), max(10, 1200 // k)
        one, _ = played("AnytimeChampionChallenger", problem, trials)
        other, _ = played("ChampionChallenger", problem, trials)
        ratio.append(round(one / other, 3))
        say(f"anytime k={k}: {ratio[-1]}")
    return {"looks": looks, "ratio": ratio}


def designs() -> dict[str, Any]:
    """Measure what few examples leave of the designs' own forecasts."""
    measured: dict[str, Any] = {
        "classes": CLASSES,
        "examples": FEW_EXAMPLES,
        "loads": LOOKS_AN_EXAMPLE,
    }
    for name, cls in (("label-subset", "LabelSubset"), ("message-passing", "MessagePassing")):
        measured[name] = [[_design_row(cls, m, n) for n in FEW_EXAMPLES] for m in CLASSES]
    return measured


def _design_row(cls: str, m: int, n: int) -> list[float]:
    row: list[float | None] = []
    for load in LOOKS_AN_EXAMPLE:
        problem = Problem(n, m, max(1, round(load * n)))
        if n * problem.n_queries > MOST_SHOWN:
            row.append(None)
            continue
        told = n * (getattr(attacks, cls).expected_accuracy(problem) - 1.0 / m)
        told = min(told, n * (best_impossible(problem) - 1.0 / m))
        # Many trials of small problems: a gain of less than one match drowns in noise otherwise.
        gain, _ = played(cls, problem, max(24, min(400, 60_000 // (n * problem.n_queries))))
        # Few examples take away. What seems to be more than the limit is noise.
        row.append(round(min(max(gain / told, 0.0), 1.0), 3))
    say(f"designs {cls} m={m} n={n}: {row}")
    return filled(row)


def lattice() -> dict[str, Any]:
    """Measure how far Lattice is from the information limit."""
    ratio = []
    for m in LATTICE_CLASSES:
        known: dict[int, float] = {}
        for t in LATTICE_POSITIONS:
            smooth = m >= SMOOTH_FROM_CLASSES and t not in SMOOTH_POSITIONS
            if not smooth and t <= LATTICE_MOST.get(m, 10_000):
                known[t] = lattice_cell(m, t)
                say(f"lattice m={m} t={t}: {known[t]} times the limit")
        at, there = list(known), list(known.values())
        ratio.append([round(along(at, there, t), 3) for t in LATTICE_POSITIONS])
    return {"classes": LATTICE_CLASSES, "positions": LATTICE_POSITIONS, "ratio": ratio}


def lattice_cell(m: int, t: int) -> float:
    """Measure the looks for all labels of t positions over the information limit."""
    problem = Problem(t, m, 100 * t * math.ceil(math.log(m)))
    least = 2 if m >= SMOOTH_FROM_CLASSES else 4
    gain, looks = played("Lattice", problem, max(least, min(8, 3000 // t)))
    if gain < t * (1 - 1 / m) * 0.99:
        raise ValueError(f"Lattice left labels open at {problem}.")
    return round(looks * entropy(t, m) / (t * math.log(m)), 3)


def hit_pools() -> dict[str, Any]:
    """Measure the ratio of hit pools to the rate-distortion law."""
    ratio = []
    for m in HIT_CLASSES:
        measured: list[list[float | None]] = []
        for k in HIT_LOOKS:
            row = [hit_cell(m, k, load) for load in HIT_LOADS]
            say(f"hit-pools m={m} k={k}: {row}")
            if measured:  # with hardly fewer looks and the same load it is nearly the same
                row = [now or before for now, before in zip(row, measured[-1], strict=True)]
            measured.append(row)
        ratio.append([filled(row) for row in measured])
    return {"classes": HIT_CLASSES, "looks": HIT_LOOKS, "loads": HIT_LOADS, "ratio": ratio}


def hit_cell(m: int, k: int, load: float) -> float | None:
    """Measure one ratio; None where there are too many examples, or hardly any."""
    n = round(k * m / load)
    if not LEAST_EXAMPLES <= n <= HIT_EXAMPLES:
        return None
    problem = Problem(n, m, k)
    gain, _ = played("HitPools", problem, max(3, min(60, 1500 // k)))
    return round(gain / gain_for_nats(problem, NATS_PER_LOOK * k), 3)


def lattice_budget() -> dict[str, Any]:
    """Measure how many labels Lattice makes certain with too few looks for all."""
    ratio = []
    for m in LATTICE_CLASSES:
        row: list[float | None] = []
        for k in BUDGETS:
            # Half of the information limit: more examples than so many looks suffice for.
            n = max(20, round(3.0 * k * math.log2(k) / math.log2(m)))
            problem = Problem(n, m, k)
            trials = max(2, min(8, 2000 // k))
            gain, _ = played("Lattice", problem, trials)
            t = gain / (1.0 - 1.0 / m)
            ratio_here = k * entropy(max(1, round(t)), m) / (max(t, 1.0) * math.log(m))
            row.append(round(ratio_here, 3) if t >= 1.0 else None)
            say(f"lattice-budget m={m} k={k}: {t:.0f} labels of {n}, {row[-1]}")
        ratio.append(filled(row))
    return {"classes": LATTICE_CLASSES, "looks": BUDGETS, "ratio": ratio}


def lattice_prior() -> dict[str, Any]:
    """Measure the looks for all labels from a calibrated model that is right 9 times in 10."""
    classes, examples = [3, 10, 100], [1000, 3000, 10_000]
    ratio = [[_prior_ratio(n, m) for n in examples] for m in classes]
    return {"classes": classes, "examples": examples, "ratio": ratio}


def _prior_ratio(n: int, m: int) -> float:
    looks, problem = [], Problem(n, m, 100 * n)
    for sequence in np.random.SeedSequence([SEED, n, m]).spawn(3):
        rng = np.random.default_rng(sequence)
        hidden = rng.integers(m, size=n)
        model = synthetic_model(0.9, hidden, m, rng)
        oracle = LabelOracle(hidden, problem=problem)
        play(attacks.Lattice(problem, rng=rng, prior=model), oracle)
        looks.append(oracle.looks)
    rows = np.maximum(model.dense_rows(), 1e-300)
    nats, top = -float((rows * np.log(rows)).sum()), rows.max(axis=1)
    an_answer = 0.5 * math.log(2 * math.pi * math.e * float((top * (1 - top)).sum()))
    ratio = round(float(np.mean(looks)) * an_answer / nats, 3)
    say(f"lattice-prior n={n} m={m}: {np.mean(looks):.0f} looks, {ratio}")
    return ratio


def tail_after_pools() -> dict[str, Any]:
    """Measure the share of the law that a tail reaches after pools of many classes."""
    ratio = []
    for m in TAIL_CLASSES:
        row = [tail_cell(m, load) for load in TAIL_LOADS]
        say(f"tail-after-pools m={m}: {row}")
        ratio.append(filled(row))
    return {"classes": TAIL_CLASSES, "loads": TAIL_LOADS, "ratio": ratio}


def tail_cell(m: int, load: float) -> float | None:
    """Measure one share; None where the tail would have more looks than there are examples."""
    n = TAIL_EXAMPLES[load] * m
    tail = round(load * n / m)
    k = round(tail / TAIL_SHARE)
    if k > n:
        return None
    problem, gains = Problem(n, m, k), []
    trials = max(4, min(60, 3000 // tail))
    for sequence in np.random.SeedSequence([SEED, n, m]).spawn(trials):
        rng = np.random.default_rng(sequence)
        hidden = rng.integers(m, size=n)
        attack = attacks.SteeredPools(problem, rng=rng, tail=tail, second=0)
        guess = play(attack, LabelOracle(hidden, problem=problem))
        gains.append(int((guess == hidden).sum()) - int((attack.first_guess() == hidden).sum()))
    law = OpenLabels(Problem(n, m, k - tail)).best(tail)
    return round(float(np.mean(gains)) / law, 3)


def say(line: str) -> None:
    """Report progress."""
    print(line, file=sys.stderr, flush=True)


MAKERS: dict[str, Callable[[], dict[str, Any]]] = {
    "champion-challenger": champion_challenger,
    "champion-flat": champion_flat,
    "anytime": anytime,
    "designs": designs,
    "hit-pools": hit_pools,
    "lattice": lattice,
    "lattice-budget": lattice_budget,
    "lattice-prior": lattice_prior,
    "tail-after-pools": tail_after_pools,
}
