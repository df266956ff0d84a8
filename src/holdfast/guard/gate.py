"""Merge gates: a candidate's improvement against the margin that looking could explain."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import dropwhile

from holdfast.bounds.bisection import fewest
from holdfast.certificates import Histories
from holdfast.errors import InvalidInput, NotSupported
from holdfast.guard.exposure import histories
from holdfast.guard.gate_margin import (
    ROUNDING,
    Margin,
    exceeds,
    first_share,
    largest_sum,
    pair_share,
)
from holdfast.guard.guard import Guard
from holdfast.guard.receipt import Receipt
from holdfast.labels import Labels
from holdfast.metrics import Accuracy
from holdfast.rules import Rule

__all__ = ["GateResult", "gate"]

# Beyond this many times the examples, more of them is no advice.
MOST_TIMES_MORE = 10_000


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
        Looks of all teams on this data set before the pair was fixed: before both, where they were
        answered at once; else before the later one.
    differing
        Number of scored examples on which the two predictions differ.
    confidence
        As asked for: the chance that no gate on this data set ever passes a candidate that is no
        better than its baseline, however often somebody tries.
    p_value
        How often a candidate that is no better would improve by as much on fresh labels, as the
        one look at them; None where the candidate's score was not told.
    p_needed
        The largest p value that passes here, after these looks.
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
    p_value: float | None
    p_needed: float
    advice: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the improvement exceeds what the looks, and the blur, could explain."""
        return exceeds(self.improvement, self.bought + self.blur)


def gate(
    guard: Guard, baseline: Labels, candidate: Labels, *, team: str, confidence: float = 0.95
) -> GateResult:
    r"""Score both predictions and compare their difference with what looks could have bought.

    A pair of predictions is fixed by the answers before it: those before the first of the two looks
    if both are answered at once, as here where neither was answered earlier; else those before the
    later one. So it is one of at most T pairs, the number of answer sequences that those looks can
    show (`log_transcripts`). Only the d examples on which the two predictions differ count, and
    there the difference is a sum of d values 1, 0 or -1 whose mean is not positive if the candidate
    is no better: it exceeds s no more often than d or d - 1 fair signs do (`largest_sum`). With the
    risk r looking bought at most the s at which that chance is r / T, for all T at once. Test
    examples are taken to be independent draws of one population, and answers outside this ledger
    are not counted.

    The risk is spent unequally. Of 1 - confidence, half is for pairs answered at once, where one
    after t looks gets 1/((t + 1)(t + 2)) of it: an honest first look gets a quarter of all.
    The other half is for pairs of looks (`pair_share`). All shares that there will ever be add up
    to one, so it does not matter how many candidates are tried, nor which pair is gated. A rule
    with noise takes half of each share for the chance that the difference of two draws of its
    noise exceeds the blur.

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
    before, after = guard.score_pair(baseline, candidate, team=team, note=AT_ONCE)
    if before.score is None or after is None:
        raise NotSupported(
            f"a gate needs the baseline's own score, and {guard.policy.release} answered with "
            f"{before.meaning}, {before.shown}. {GATE_RULE_REMEDY}"
        )
    differing = guard.differing(baseline, candidate)
    looks, share = _fixed_by(guard, before, after)
    risk = 1.0 - confidence
    margin = Margin(rule, guard.problem, looks, risk * share)
    improvement = None if after.score is None else after.score - before.score
    n = guard.problem.n_examples
    bought, blur = margin.bought(n, differing), margin.blur
    passed = exceeds(improvement, bought + blur)
    p_value = None if improvement is None else margin.p_value(n, differing, improvement)
    return GateResult(
        baseline=before.score,
        candidate=after.score,
        improvement=improvement,
        bought=bought,
        blur=blur,
        looks=sum(looks.values()),
        differing=differing,
        confidence=confidence,
        p_value=p_value,
        p_needed=math.exp(-margin.log_count(n)),
        advice=() if passed else advice(margin, n, differing, improvement, after.meaning, risk),
    )


AT_ONCE = "the next two looks were answered at once, for a gate"


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


def _fixed_by(guard: Guard, baseline: Receipt, candidate: Receipt) -> tuple[Histories, float]:
    """Return all looks before a pair was fixed, and its share of the risk."""
    numbers = [int(each.receipt_id.partition("-")[0]) for each in (baseline, candidate)]
    earlier, later = min(numbers), max(numbers)
    with guard.ledger.storage.reading() as transaction:
        note = transaction.entry(earlier - 1) if later == earlier + 1 else None
        at_once = note is not None and (note.kind, note.detail) == ("host", AT_ONCE)
        before = [
            histories(
                t for t in transaction.tallies(guard.data_set, before=number) if not t.charged
            )
            for number in (earlier, later)
        ]
    taken = [sum(looks.values()) for looks in before]
    if at_once:
        return before[0], first_share(taken[0])
    candidate_is_later = numbers[1] == later
    return before[1], pair_share(taken[0] + 1, taken[1] + 1, candidate_is_later=candidate_is_later)


def advice(
    margin: Margin,
    n_examples: int,
    differing: int,
    improvement: float | None,
    meaning: str,
    risk: float,
) -> tuple[str, ...]:
    """Return what would pass, one sentence each, from the nearest to the farthest."""
    if improvement is None:
        return (
            "the candidate's own score was not told: the answer is "
            f"{meaning}, and a candidate that does not climb can't pass",
        )
    needed = margin.bought(n_examples, differing) + margin.blur
    found = [f"an improvement of more than {100 * needed:.3f} points"]
    if improvement <= 0.0:
        return (*found, "no rule and no number of examples: the candidate does not score higher")
    fewer = _fewer_differing(margin, n_examples, differing, improvement)
    if fewer is not None:
        found.append(f"the same improvement with at most {fewer:,} differing predictions")
    more = _more_examples(margin, n_examples, differing, improvement)
    if more is not None:
        found.append(f"the same improvement, and share that differs, on {more:,} examples")
    first = risk * first_share(0)
    if margin.p_value(n_examples, differing, improvement) <= first:
        found.append(
            "the same on labels that nobody has looked at, with both predictions in one gate: its "
            f"p value is below {first:.3g}, what passes there"
        )
    spare = improvement - margin.bought(n_examples, differing)
    if margin.blur > 0.0 and spare > ROUNDING:
        found.append(
            f"a finer rule: one that blurs a difference by less than {100 * spare:.3f} points, "
            f"not by {100 * margin.blur:.3f}"
        )
    elif margin.blur >= improvement:
        found.append(
            f"a finer rule, since this one blurs a difference by {100 * margin.blur:.3f} points, "
            "and more of what is named above besides"
        )
    return tuple(found)


def _fewer_differing(
    margin: Margin, n_examples: int, differing: int, improvement: float
) -> int | None:
    """Return the most differing predictions with which the same improvement passes."""
    if not margin.paired or improvement <= margin.blur:
        return None
    size = margin.scored(n_examples)
    spare = (improvement - margin.blur - ROUNDING) * size
    nats = margin.log_count(n_examples)
    # The more predictions differ, the more may be bought.
    most = fewest(lambda count: largest_sum(count, nats) >= spare, start=1) - 1
    while most > 0 and not exceeds(improvement, margin.bought(n_examples, most) + margin.blur):
        most -= 1
    # Fewer than this can't improve by as much.
    return most if round(improvement * size) <= most < differing else None


def _more_examples(
    margin: Margin, n_examples: int, differing: int, improvement: float
) -> int | None:
    """Return the fewest examples on which the same improvement and share differing pass."""
    if improvement <= margin.blur:
        return None

    def passes(n: int) -> bool:
        same_share = math.ceil(differing * n / n_examples)
        return exceeds(improvement, margin.bought(n, same_share) + margin.blur)

    return fewest(passes, start=n_examples, most=MOST_TIMES_MORE * n_examples)
