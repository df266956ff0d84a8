"""Chained rounds of pools, and a tail behind hit pools: tried, and not built in.

    python -m benchmarks.tried_pools --trials 16 --seed 996
    python -m benchmarks.tried_pools --tail --trials 16 --seed 997

At (10000, 100) below k = 4 n/m, several rounds of pools behind `PooledDetecting`, each on what the
one before left open, with a tail of champion-challenger or none, against champion-challenger and
hit pools on the same labels.

`--tail`: hit pools on a part of the looks at (10000, 100), and champion-challenger on the others,
from what the groups say: a group of g examples with c hits has its label with probability c/g in
each, and of everything else nothing is known.
"""

from __future__ import annotations

import argparse
from typing import Any
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from benchmarks.power import shown
from holdfast.attacks import ChampionChallenger, HitPools
from holdfast.attacks.exact import _two_rounds
from holdfast.attacks.exact._second_round import SecondRound
from holdfast.attacks.exact._two_rounds import TwoRounds
from holdfast.attacks.steering.steered_pools import SteeredPools
from holdfast.labels import Labels
from holdfast.loop import play
from holdfast.oracles import LabelOracle
from holdfast.problem import Problem

Floats = NDArray[np.float64]

LOOKS = (100, 200, 350)
# Rounds behind the design, the share of the looks that they take together, and the tail's.
CHAINS = ((1, 0.25, 0.0), (1, 0.25, 0.3), (3, 0.6, 0.0), (3, 0.5, 0.3), (6, 0.75, 0.0))
# Looks with a tail behind hit pools, and its share of them.
TAIL_LOOKS, TAILS = (200, 350), (0.2, 0.5)


class Chain:
    """Rounds of pools, one on what the other leaves open, in the place of one `SecondRound`.

    Parameters
    ----------
    labels, probabilities, wrong, n_rows, rng
        As for `SecondRound`; the rows are divided evenly.
    lengths
        How many rounds.
    """

    def __init__(
        self,
        labels: Labels,
        probabilities: Floats,
        wrong: NDArray[np.int64],
        n_rows: int,
        rng: np.random.Generator,
        *,
        lengths: int,
    ) -> None:
        self._rng = rng
        self._left = [len(part) for part in np.array_split(np.arange(n_rows), lengths)]
        self._begin(labels, probabilities, wrong)

    def _begin(self, labels: Labels, odds: Floats, wrong: NDArray[np.int64]) -> None:
        self._rows, self._told = self._left.pop(0), 0
        self._round = SecondRound(labels, odds, wrong, self._rows, self._rng)

    @property
    def sure(self) -> NDArray[np.bool_]:
        """Nothing: what an earlier round proved is not counted."""
        return np.zeros(len(self._round.sure), dtype=np.bool_)

    def row(self, index: int) -> Labels:
        """Return the next row."""
        del index
        return self._round.row(self._told)

    def tell(self, count: int) -> None:
        """Take its matches; after the last row of a round the next one is dealt."""
        self._round.tell(count)
        self._told += 1
        if self._told == self._rows and self._left:
            labels, odds = self._round.posterior()
            order = np.lexsort((self._rng.random(odds.shape), -odds), axis=1)
            labels = np.take_along_axis(labels, order, axis=1)
            odds = np.take_along_axis(odds, order, axis=1)
            wrong = np.where(odds[:, -1] == 0.0, labels[:, -1].astype(np.int64), -1)
            self._begin(labels, odds, wrong)

    def posterior(self) -> tuple[Labels, Floats]:
        """Return the labels of all examples and how likely they are."""
        return self._round.posterior()


def gain(attack: Any, hidden: Labels, problem: Problem, start: float) -> float:
    """Play, and return the matches above the start."""
    return float((play(attack, LabelOracle(hidden, problem=problem)) == hidden).sum()) - start


def rounds(trials: int, seed: int) -> None:
    """Print the gains of chained rounds."""
    n, m = 10_000, 100
    heads = [f"{count} rounds on {share:.0%}, tail {tail:.0%}" for count, share, tail in CHAINS]
    print("| k | champion-challenger | hit-pools | " + " | ".join(heads) + " |")
    print("|--:" * (3 + len(heads)) + "|")
    for k in LOOKS:
        problem = Problem(n, m, k)
        found: list[list[float]] = [[] for _ in range(2 + len(CHAINS))]
        for trial in range(trials):
            hidden = np.random.default_rng([seed, k, trial]).integers(m, size=n)

            def rng(trial: int = trial, k: int = k) -> np.random.Generator:
                return np.random.default_rng([seed, k, trial, 1])

            found[0].append(gain(ChampionChallenger(problem, rng=rng()), hidden, problem, n / m))
            found[1].append(gain(HitPools(problem, rng=rng()), hidden, problem, n / m))
            for at, (count, share, tail) in enumerate(CHAINS, 2):

                def chain(*state: Any, count: int = count) -> Chain:
                    return Chain(*state, lengths=count)

                second, last = round(share * k), round(tail * k)
                with mock.patch.object(_two_rounds, "SecondRound", chain):
                    attack: Any = (
                        SteeredPools(problem, rng=rng(), tail=last, second=second)
                        if last
                        else TwoRounds(problem, rng=rng(), permuted=True, second=second)
                    )
                    found[at].append(gain(attack, hidden, problem, n / m))
        print(f"| {k} | " + " | ".join(shown(each) for each in found) + " |", flush=True)


def after_hits(problem: Problem, looks: int, hidden: Labels, rng: np.random.Generator) -> float:
    """Play hit pools, then so many looks of champion-challenger from their groups."""
    n, m, k = problem
    first = HitPools(Problem(n, m, k - looks), rng=rng, permuted=False)
    play(first, LabelOracle(hidden, problem=Problem(n, m, k - looks)))
    odds = np.full((n, m), 1.0 / m)
    for group in first._groups:
        likely = min(group.hits / len(group.members), 1.0 - 1.0 / m)
        odds[group.members] = (1.0 - likely) / (m - 1)
        odds[group.members, group.label] = likely
    rest = Problem(n, m, looks)
    tail = ChampionChallenger(rest, rng=rng, prior=odds, check_guess=False)
    return gain(tail, hidden, rest, n / m)


def tails(trials: int, seed: int, looks: tuple[int, ...] = TAIL_LOOKS) -> None:
    """Print the gains of hit pools with a tail."""
    n, m = 10_000, 100
    heads = " | ".join(f"tail {share:.0%}" for share in TAILS)
    print(f"| k | champion-challenger | hit-pools | {heads} |")
    print("|--:" * (3 + len(TAILS)) + "|")
    for k in looks:
        problem = Problem(n, m, k)
        found: list[list[float]] = [[] for _ in range(2 + len(TAILS))]
        for trial in range(trials):
            hidden = np.random.default_rng([seed, k, trial]).integers(m, size=n)
            for at, cls in enumerate((ChampionChallenger, HitPools)):
                attack = cls(problem, rng=np.random.default_rng([seed, k, trial, 1]))
                found[at].append(gain(attack, hidden, problem, n / m))
            for at, share in enumerate(TAILS, 2):
                rng = np.random.default_rng([seed, k, trial, 1])
                found[at].append(after_hits(problem, round(share * k), hidden, rng))
        print(f"| {k} | " + " | ".join(shown(each) for each in found) + " |", flush=True)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--trials", type=int, default=16)
    parser.add_argument("--seed", type=int, default=996)
    parser.add_argument("--tail", action="store_true")
    parser.add_argument("--looks", type=int, help="of the table of tails, these alone")
    options = parser.parse_args()
    if options.tail:
        looks = (options.looks,) if options.looks else TAIL_LOOKS
        tails(options.trials, options.seed, looks)
    else:
        rounds(options.trials, options.seed)


if __name__ == "__main__":
    main()
