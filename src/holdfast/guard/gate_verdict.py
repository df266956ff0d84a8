r"""Gates that tell their verdict alone: whether a candidate's gain could be chance.

The other gate (`gate`) tells two scores under the policy's rule, and everything that a score could
have shown counts against the next candidate. Here the paired examples or tasks themselves decide,
graded ones too, and one answer of few is told: that it passed, or the p value of one fresh look,
rounded up to one of `LEVELS`. It is a look like any other, recorded and paid for, whatever rule the
policy has.

*p values.* The differences d_i of n examples or tasks, in units of the range, are independent draws
with mean zero or less if the candidate is no better. Right or wrong: given the W that only the
candidate has right and the L that only the baseline has, W is binomial with probability 1/2 or less
(the sign test). Graded, or means of repeated runs: prod (1 + l d_i) has mean 1 at most for each bet
l in [0, 1), and so has a mixture E of several, whose reciprocal is a p value by Markov's inequality
(Waudby-Smith and Ramdas 2024). It adapts to the variance, since ln(1 + l d) is at least
l d + (l + ln(1 - l)) d^2 for d >= -1.

*Many gates.* Let gate t + 1 follow t answers a. What it compares is fixed by them. Let w(a) be
weights fixed beforehand that add up to one over all a of the same length. It passes if its p value
is at most r_t w(a): for a useless candidate that has probability r_t w(a) for each a, and r_t in
all. The r_t = risk / ((t + 1)(t + 2)) add up to the risk. Of the answers of a gate, a useless
candidate's most likely one has the largest weight: what fails costs the next one little. Scores
that were told have one weight for each sequence that they could have shown.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from holdfast.certificates import certify_recorded_programs, log_transcripts_of
from holdfast.errors import InvalidInput, InvalidQuery, NotSupported
from holdfast.guard.exposure import histories
from holdfast.guard.gate_margin import log_sharing
from holdfast.guard.guard import Guard
from holdfast.guard.receipt import Receipt
from holdfast.labels import Labels
from holdfast.ledger.storage import Transaction
from holdfast.ledger.storage.sql import END
from holdfast.metrics import OwnMetric, Submission

__all__ = [
    "LEVELS",
    "PASSED",
    "Verdict",
    "gate_verdict",
    "log_weight",
    "needed_wins",
    "p_value",
]

# What a gate can answer: the p value is at most this. The first is any.
LEVELS: tuple[float, ...] = (
    1.0,
    *(float(f"{digit}e{power}") for power in range(-2, -6, -1) for digit in (10, 5, 2)),
    *(float(f"1e{power}") for power in (*range(-5, -20, -1), *range(-20, -105, -5))),
    *(float(f"1e{power}") for power in range(-150, -350, -50)),
)
# What ledgers call the looks of gates, before their confidence: another one is another question.
METRIC = "gate_verdict_at_"
OF_GATES = f'{{"metric": "{METRIC}'
# What earlier gates on the same data set answered.
ANSWERS = (
    "SELECT released FROM holdfast_entries WHERE data_set = ? AND rule LIKE ? AND number < ? "
    "AND kind = 'look' ORDER BY number"
)
# The answer of a gate that passes, where others answer with the number of a level.
PASSED = len(LEVELS)
# Prior weights of that, and of the first level; the others share the rest, the likelier ones more.
OF_PASSED, OF_FIRST = 0.15, 0.65
# What is bet on each task, in shares of the capital; the square of one is half that of the last.
BETS = 0.99 * 2.0 ** (-0.5 * np.arange(14))


@dataclass(frozen=True)
class Verdict:
    """What a gate says that tells its verdict alone.

    Attributes
    ----------
    passed
        Whether chance and all answers so far could explain the candidate's gain only with the
        probability that `confidence` leaves.
    p_value
        How often a candidate that is no better would gain as much on fresh examples or tasks, as
        the one look at them: at most this, one of `LEVELS`, or `p_needed` if it passed.
    p_needed
        The largest p value that passes here.
    gates, looks
        Gates of this kind on the same data set before this one, and other looks.
    confidence
        As asked for: the chance that no gate of this kind on this data set, at this confidence or a
        higher one, ever passes a candidate that is no better than its baseline, however often
        somebody tries.
    advice
        If it did not pass, what would.
    receipt
        The look's.
    """

    passed: bool
    p_value: float
    p_needed: float
    gates: int
    looks: int
    confidence: float
    advice: tuple[str, ...]
    receipt: Receipt


def gate_verdict(
    guard: Guard,
    baseline: object,
    candidate: object,
    *,
    team: str,
    confidence: float = 0.95,
    between: tuple[float, float] | None = None,
) -> Verdict:
    """Say whether a candidate's gain is more than chance and all answers so far explain.

    One look, whatever the policy's rule; the same pair at the same confidence again costs none.

    Parameters
    ----------
    guard
        The guard of the labels or outcomes.
    baseline, candidate
        What the guard scores: predicted labels, or graded outcomes.
    team
        Whose look it is.
    confidence
        Of all such gates on the data set together, those at a lower one left out.
    between
        The range of graded outcomes; None: predictions are right or wrong.

    Raises
    ------
    NotSupported
        A private part decides at the end, from submissions that can be scored on it.
    """
    if not 0.0 < confidence < 1.0:
        raise InvalidInput(f"confidence must lie between 0 and 1, got {confidence}.")
    if guard.keeps:
        raise NotSupported(
            "a verdict alone can't be asked where a private part decides at the end, from looks "
            "that are scores; gate with the scores told."
        )
    if between is None and not guard.policy.display.plain:
        raise NotSupported(f"a gate decides on accuracies, and not on {guard.policy.display}.")
    m, risk = guard.problem.n_classes, 1.0 - confidence
    needed = [0.0]

    def answer(differences: NDArray[np.float64], *, binary: bool) -> int:
        p = p_value(differences, binary=binary)
        return PASSED if p <= needed[0] else max(at for at, q in enumerate(LEVELS) if p <= q)

    def of_pair(truth: Labels, pair: NDArray[np.float64]) -> int:
        first, second = np.divmod(pair, m)
        return answer(1.0 * (second == truth) - (first == truth), binary=True)

    def of_differences(_: Any, differences: NDArray[np.float64]) -> int:
        low, high = between or (0.0, 1.0)
        return answer(differences / (high - low), binary=False)

    takes = Submission.SCORES if between is None else Submission.NUMBERS
    answers = of_pair if between is None else of_differences
    name = METRIC + re.sub("[^0-9a-z]", "_", repr(float(confidence)))
    metric = OwnMetric(name, answers, high=float(PASSED), takes=takes)
    asked = guard.under(replace(guard.policy, release="round:0", metric=metric))

    def told_before(transaction: Transaction, number: int = END) -> _Told:
        return _told(transaction, asked, number, between)

    def before(transaction: Transaction) -> None:
        needed[0] = risk * told_before(transaction).share

    first, second = (_numbers(guard, each, team) for each in (baseline, candidate))
    pair = m * first + second if between is None else second - first
    receipt = asked.score(pair, team=team, before=before)
    assert receipt.shown is not None
    with guard.ledger.storage.reading() as transaction:
        told = told_before(transaction, int(receipt.receipt_id.partition("-")[0]))
    p_needed, passed = risk * told.share, receipt.shown == PASSED
    p = p_needed if passed else LEVELS[int(receipt.shown)]
    n = None if between is not None else guard.problem.n_examples
    return Verdict(
        passed=passed,
        p_value=p,
        p_needed=p_needed,
        gates=len(told.gates),
        looks=told.looks,
        confidence=confidence,
        advice=() if passed else _advice(n, p, p_needed, risk * _Told([], 0, 0.0).share),
        receipt=receipt,
    )


def _numbers(guard: Guard, prediction: object, team: str) -> NDArray[np.float64]:
    """Return a prediction as numbers, or record why it can't be scored."""
    query, reason = guard.checked(prediction)
    if query is None:
        guard.refuse(reason, team=team)
        raise InvalidQuery(reason)
    return np.asarray(query, dtype=np.float64)


class _Told(NamedTuple):
    """What was told of a data set before a gate.

    Attributes
    ----------
    gates
        What earlier gates answered.
    looks
        How many other looks there were.
    nats
        The logarithm of the number of sequences that these could have shown, and of the ways in
        which memories may have shared them.
    """

    gates: Sequence[int]
    looks: int
    nats: float

    @property
    def share(self) -> float:
        """The share of the risk of a gate after all this.

        Where there were looks, how many of the answers are theirs was chosen on the way: each
        number has a weight, too.
        """
        told = len(self.gates) + self.looks
        log_share = sum(map(log_weight, self.gates)) - self.nats
        log_share -= math.log((told + 1) * (told + 2))
        if told:
            log_share += math.log(0.5 if self.looks == 0 else 0.5 / told)
        return math.exp(log_share)


def _told(
    transaction: Transaction, asked: Guard, number: int, between: tuple[float, float] | None
) -> _Told:
    """Return what was told before an entry."""
    tallies = transaction.tallies(asked.data_set, before=number)
    released = transaction.rows(ANSWERS, (asked.data_set, f"{OF_GATES}%", number))
    looks = histories(tally for tally in tallies if not tally.charged)
    others = {key: count for key, count in looks.items() if not key[0].startswith(OF_GATES)}
    n, m, _ = asked.problem
    if between is None:
        nats = log_transcripts_of(n, m, others)
    else:
        nats = certify_recorded_programs(n, others, between=between).nats
    gates = [int(float(answer)) for (answer,) in released]
    return _Told(gates, sum(others.values()), nats + log_sharing(others))


def _advice(n: int | None, p: float, p_needed: float, first: float) -> tuple[str, ...]:
    """Return what would pass, from what is told anyway; n is None for graded outcomes."""
    found = [f"a p value of at most {p_needed:.2g}, where this one is {p:.2g} or less"]
    if n is not None:
        wins = [(d, needed_wins(d, p_needed)) for d in sorted({n // 10, n // 4, n // 2, n})]
        ways = [f"{won:,} won and {d - won:,} lost" for d, won in wins if won is not None]
        if ways:
            found.append(
                f"of those that the candidate or the baseline alone has right: {', '.join(ways)}"
            )
        else:
            found.append("on so few, nothing, after as much as was told of them: fresh ones")
    if p <= first:
        found.append(f"the same on fresh ones, that nobody has looked at: {first:.3g} passes there")
    return tuple(found)


def p_value(differences: NDArray[np.float64], *, binary: bool) -> float:
    """Return how often a useless candidate gains as much on fresh ones.

    >>> differences = np.repeat([1.0, 0.0, -1.0], [12, 80, 2])
    >>> [round(p_value(differences, binary=binary), 4) for binary in (True, False)]
    [0.0065, 0.1107]
    """
    if binary:
        won, lost = np.count_nonzero(differences > 0), np.count_nonzero(differences < 0)
        return float(bdtrc(won - 1, won + lost, 0.5)) if won else 1.0
    log_capital = np.log1p(np.outer(BETS, differences)).sum(axis=1)
    top = log_capital.max()
    return min(1.0, math.exp(-(top + math.log(np.mean(np.exp(log_capital - top))))))


def log_weight(answer: int) -> float:
    """Return the logarithm of the prior weight of what a gate answers.

    >>> sum(math.exp(log_weight(answer)) for answer in range(PASSED + 1)) <= 1.0
    True
    """
    if answer in (0, PASSED):
        return math.log(OF_FIRST if answer == 0 else OF_PASSED)
    return math.log((1.0 - OF_FIRST - OF_PASSED) / (answer * (answer + 1)))


def needed_wins(differing: int, p_needed: float) -> int | None:
    """Return how many of so many differing tasks must be won; None: all would not do.

    >>> needed_wins(30, 0.01), needed_wins(5, 0.01)
    (22, None)
    """
    wins = np.arange(1, differing + 1)
    enough = wins[bdtrc(wins - 1, differing, 0.5) <= p_needed]
    return int(enough[0]) if enough.size else None
