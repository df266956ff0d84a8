"""A gate for a model repository: is the candidate better than looking could have made it seem."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from holdfast.errors import InvalidInput, NotSupported
from holdfast.guard.exposure import Histories, histories
from holdfast.guard.guard import Guard
from holdfast.labels import Labels
from holdfast.mechanisms import Chain, Rule, parse_mechanism
from holdfast.problem import Problem

__all__ = ["GateResult", "gate", "log_transcripts"]

# Rules whose limit on information is the logarithm of a number of possible answers.
COUNTED = ("improved", "ladder", "rank", "round")
NO_SCORES = ("improved", "rank")


@dataclass(frozen=True)
class GateResult:
    """The verdict with its numbers.

    Attributes
    ----------
    baseline, candidate
        The two released scores.
    improvement
        Their difference.
    bought
        The largest difference that choosing by the looks so far could have produced without any
        true improvement, but for a chance of 1 - confidence.
    blur
        How far the released difference may be from the exact one.
    looks
        Looks of all teams on this data set before the candidate's own.
    differing
        Number of examples on which the two predictions differ.
    confidence
        As asked for.
    """

    baseline: float
    candidate: float
    improvement: float
    bought: float
    blur: float
    looks: int
    differing: int
    confidence: float

    @property
    def passed(self) -> bool:
        """Whether the improvement exceeds what the looks, and the blur, could explain."""
        return self.improvement > self.bought + self.blur


def gate(
    guard: Guard, baseline: Labels, candidate: Labels, *, team: str, confidence: float = 0.95
) -> GateResult:
    r"""Score both predictions and compare their difference with what looks could have bought.

    Only the d examples on which the two differ count, and there the difference is a sum of d
    independent values in [-1, 1] whose mean is not positive if the candidate is no better. For
    one fixed pair it exceeds s with probability at most exp(-s^2 / 2d) (Hoeffding). A candidate
    that was chosen by k answers is one of at most T, the number of transcripts that the rule can
    produce, so with confidence 1 - delta looking bought at most sqrt(2 d (log T + log 1/delta))
    examples. Test examples are taken to be independent draws.

    Both predictions are scored through the guard: each costs a look unless this team has had it
    answered before.
    """
    if not 0.0 < confidence < 1.0:
        raise InvalidInput(f"confidence must lie between 0 and 1, got {confidence}.")
    rules = _parts(guard.policy.mechanism)
    if any(rule.name in NO_SCORES for rule in rules):
        raise NotSupported(f"a gate needs scores, and {guard.policy.release} releases none.")
    before = guard.score(baseline, team=team).released
    with guard.ledger.storage.reading() as transaction:
        mine = (entry for entry in transaction.entries() if entry.data_set == guard.data_set)
        looks = histories(mine)
    after = guard.score(candidate, team=team).released
    if before is None or after is None:
        raise NotSupported(f"a gate needs answers at once, and {guard.policy.release} waits.")
    n = guard.problem.n_examples
    differing = int(np.count_nonzero(np.asarray(baseline) != np.asarray(candidate)))
    risk = math.log(1.0 / (1.0 - confidence))
    resolution = guard.policy.mechanism.resolution(guard.problem)
    return GateResult(
        baseline=before,
        candidate=after,
        improvement=after - before,
        bought=math.sqrt(2.0 * differing * (log_transcripts(n, looks) + risk)) / n,
        blur=2.0 * resolution if guard.policy.release != "exact" else 0.0,
        looks=sum(looks.values()),
        differing=differing,
        confidence=confidence,
    )


def log_transcripts(n_examples: int, looks: Histories) -> float:
    """Return the logarithm of the number of answer sequences that the looks could have shown.

    Whatever the rule, an answer is one of n + 1 once its noise is fixed; a coarse rule without
    noise has fewer.
    """
    total = 0.0
    for (text, _), count in looks.items():
        rule = parse_mechanism(text)
        limit = count * math.log(n_examples + 1)
        if rule.name in COUNTED:
            limit = min(limit, rule.own_nats(Problem(n_examples, 2, count)))
        total += limit
    return total


def _parts(rule: Rule) -> list[Rule]:
    return list(rule.rules) if isinstance(rule, Chain) else [rule]
