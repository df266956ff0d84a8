"""Merge gates: a candidate's improvement against the margin that looking could explain."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import dropwhile

from holdfast.certificates import Histories
from holdfast.errors import InvalidInput, NotSupported
from holdfast.guard.exposure import histories
from holdfast.guard.gate_advice import advice
from holdfast.guard.gate_margin import Margin
from holdfast.guard.guard import Guard
from holdfast.guard.receipt import Receipt
from holdfast.labels import Labels
from holdfast.mechanisms import Rule
from holdfast.metrics import Accuracy

__all__ = ["GateResult", "gate"]


@dataclass(frozen=True)
class GateResult:
    """The verdict with its numbers.

    Attributes
    ----------
    baseline
        The baseline's released score.
    candidate
        The candidate's; None if the rule answered with a value that stood before.
    improvement
        Their difference.
    bought
        The largest difference that choosing by the looks so far could have produced without any
        true improvement.
    blur
        How far the released difference may be from the exact one.
    looks
        Looks of all teams on this data set before the later one of the two.
    differing
        Number of scored examples on which the two predictions differ.
    confidence
        As asked for: the chance that no gate on this data set ever passes a candidate that is no
        better than its baseline, however often somebody tries.
    advice
        If it did not pass, what would.
    """

    baseline: float
    candidate: float | None
    improvement: float | None
    bought: float
    blur: float
    looks: int
    differing: int
    confidence: float
    advice: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the improvement exceeds what the looks, and the blur, could explain."""
        return self.improvement is not None and self.improvement > self.bought + self.blur


def gate(
    guard: Guard, baseline: Labels, candidate: Labels, *, team: str, confidence: float = 0.95
) -> GateResult:
    r"""Score both predictions and compare their difference with what looks could have bought.

    Take any two looks, the later being the l-th of all teams on this data set. What was asked in
    it follows from the answers before, so the pair is one of at most T, the number of answer
    sequences that l - 1 looks can show (`log_transcripts`). Only the d examples on which the two
    predictions differ count, and there the difference is a sum of d independent values in [-1, 1]
    whose mean is not positive if the candidate is no better: it exceeds s with probability at most
    exp(-d KL((1 + s/d)/2 || 1/2)) (Hoeffding). With the risk r looking bought at most the s at
    which d KL(...) = log T + log 1/r, for all T at once. Test examples are taken to be independent
    draws, and answers outside this ledger are not counted.

    The risk is shared by all pairs of looks that there will ever be: there are 2 (l - 1) of them,
    with their direction, whose later look is the l-th, and each gets (1 - confidence) /
    (2 l (l - 1)^2); since the sum over l >= 2 of 1/(l (l - 1)) is 1, all together get no more
    than 1 - confidence. So it does not matter how many candidates are tried, nor which pair of
    earlier looks is gated. A rule with noise takes half of each share for the chance that the
    difference of two draws of its noise exceeds the blur.

    The released values must be the two predictions' own. A rule that repeats the best value so
    far says whether a look climbed: a candidate that did not can't pass, and a baseline that did
    not has no known score.

    Both predictions are scored through the guard: each costs a look unless this team has had it
    answered before. Gating the same pair again gives the same verdict at no cost.

    Raises
    ------
    NotSupported
        The rule tells no scores of single submissions, or has not told the baseline's.
    """
    if not 0.0 < confidence < 1.0:
        raise InvalidInput(f"confidence must lie between 0 and 1, got {confidence}.")
    rule, metric = guard.policy.mechanism, guard.policy.display.metric
    _refuse_unless_scores(rule)
    if not isinstance(metric, Accuracy):
        raise NotSupported(
            f"a gate's margin is proved for accuracies, which are means over examples of 0 and 1; "
            f"{metric} is not one. Gate under a policy whose metric is accuracy."
        )
    before = guard.score(baseline, team=team)
    if before.released is None or not before.own:
        raise NotSupported(
            f"a gate needs the baseline's own score, and {guard.policy.release} answered with "
            f"{before.meaning}, {before.released}. {GATE_RULE_REMEDY}"
        )
    after = guard.score(candidate, team=team)
    differing = guard.differing(baseline, candidate)
    looks = _looks_before(guard, before, after)
    margin = Margin(rule, guard.problem, looks, 1.0 - confidence)
    own = after.released if after.own else None
    improvement = None if own is None else own - before.released
    n = guard.problem.n_examples
    bought, blur = margin.bought(n, differing), margin.blur
    passed = improvement is not None and improvement > bought + blur
    return GateResult(
        baseline=before.released,
        candidate=own,
        improvement=improvement,
        bought=bought,
        blur=blur,
        looks=sum(looks.values()),
        differing=differing,
        confidence=confidence,
        advice=() if passed else advice(margin, n, differing, improvement, after.meaning),
    )


GATE_RULE_REMEDY = (
    'Gate under a rule that tells every submission its own score, such as release = "round:3": '
    "write it into the policy that the gate reads; looks spent stay spent."
)


def _refuse_unless_scores(rule: Rule) -> None:
    """Raise `NotSupported`, before a look is spent, for a rule that can't gate."""
    if rule.shows != "scores":
        raise NotSupported(f"a gate needs scores, and {rule} releases none. {GATE_RULE_REMEDY}")
    if rule.waits:
        raise NotSupported(f"a gate needs answers at once, and {rule} waits. {GATE_RULE_REMEDY}")
    after = dropwhile(lambda stage: not stage.speaks, rule.stages)
    if any(not stage.keeps_exact for stage in list(after)[1:]):
        raise NotSupported(
            f"a gate needs to know whose score was told, and {rule} hides it. {GATE_RULE_REMEDY}"
        )


def _looks_before(guard: Guard, *receipts: Receipt) -> Histories:
    """Return all looks on the data set before the latest of these."""
    latest = max(int(receipt.receipt_id.partition("-")[0]) for receipt in receipts)
    with guard.ledger.storage.reading() as transaction:
        tallies = transaction.tallies(guard.data_set, before=latest)
    return histories(tally for tally in tallies if not tally.charged)
