"""Pre-flight: what can be seen of a test set and its policy before any attack is played.

Some test sets need no attack: their labels are in order, or their ids tell them. Others can't tell
what they are asked for: too few examples, a rounding that hides nothing, public examples that the
final ranking counts. Each check yields findings with a fix in words. Those that void the verdict
come first, since every other number is beside the point until they are mended.

A check is a function of the request that yields findings, and `metrics.findings` lists them. It
must be right about files that are in order, too, so each that is a test of chance asks for six
standard deviations, which hardly any shuffled file has.

    severity   meaning                                               verdict
    void       no release rule helps; mend this first                UNSAFE, whatever is gained
    warning    gains, or ranks, are not what they seem               as measured
    note       worth knowing                                         as measured
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from holdfast.audit.inputs.disclosure import NORMAL_95
from holdfast.audit.inputs.request import Request
from holdfast.audit.inputs.row_order import GROUPED_FROM_DEVIATIONS, neighbours_agree
from holdfast.audit.result import Finding
from holdfast.files.spelling import is_number
from holdfast.rules import Rule

__all__ = ["YES_AND_NO", "coarse_rule", "expected_best", "group_finding"]

# Fewer examples than this: one score's 95 % interval is wider than ten points.
FEWEST_EXAMPLES = 400
# Ids and labels are correlated this many standard deviations.
ORDERED_FROM_DEVIATIONS = 6.0
# A majority this many times the share 1/m, and scores say little without their baseline.
IMBALANCED_FROM_TIMES = 1.5

# Names of two classes one of which is the positive one.
YES_AND_NO = frozenset(
    frozenset(pair)
    for pair in (
        *(("0", "1"), ("-1", "1"), ("false", "true"), ("f", "t"), ("no", "yes"), ("n", "y")),
        *(("neg", "pos"), ("negative", "positive")),
    )
)


def sorted_rows(request: Request) -> Iterator[Finding]:
    """Look for rows sorted or grouped by label.

    Sorted: as many runs of equal labels as there are classes. Grouped: neighbours agree far more
    often than in a shuffled file, as with videos cut into frames.
    """
    labels = request.labels
    if labels.size < 3 or np.unique(labels).size < 2:
        return
    # Class numbers follow from the names: the classes may come in any order.
    runs = 1 + int(np.count_nonzero(labels[1:] != labels[:-1]))
    if runs == np.unique(labels).size < labels.size:
        yield Finding(
            "sorted-rows",
            "void",
            "The rows are sorted by label.",
            "Whoever knows the order of the examples knows nearly every label: a handful of looks "
            "finds where one class ends and the next begins. No release rule helps.",
            "Shuffle the rows with a secret seed, publish the examples in that order only, and "
            "replace every copy that was given out.",
        )
    elif request.in_runs:
        yield Finding(
            "grouped-rows",
            "warning",
            "Neighbouring rows share their label more often than in a shuffled file.",
            "A query that labels runs of rows alike learns whole groups at once. Attacks that do "
            "so play here, with parts of equal length: who knows where runs begin gains more. "
            "Certificates are for rows of no order, and the verdict is never SAFE.",
            "Shuffle the rows with a secret seed before the examples are published.",
        )


def telling_ids(request: Request) -> Iterator[Finding]:
    """Look for ids that are in the order of the labels.

    Sorting by id must not bring equal labels together; more than the rows have them together
    already, that is, or else sorted rows would be reported twice.
    """
    ids = request.file.ids
    if ids is None:
        return
    ids, labels = ids[request.parts.where], request.labels
    order = np.argsort(ids, kind="stable")
    if (
        labels.size >= 3
        and np.unique(labels).size > 1
        and neighbours_agree(labels[order])
        > max(GROUPED_FROM_DEVIATIONS, neighbours_agree(labels) + ORDERED_FROM_DEVIATIONS)
    ):
        yield Finding(
            "telling-ids",
            "void",
            "Sorted by id, the examples are grouped by label.",
            "The ids give the labels away: they were numbered class by class before the rows were "
            "shuffled, or carry the class in their names.",
            "Give the examples new ids, random ones, in a new random order.",
        )
    elif ids.dtype.kind in "iu" and _consecutive(ids):
        yield Finding(
            "consecutive-ids",
            "note",
            "The ids count up with the rows.",
            "They tell how the file was assembled: where the examples came in batches with other "
            "class shares each, a position says something about a label.",
            "Draw random ids, or make sure that the rows were shuffled before they were numbered.",
        )


def _consecutive(ids: NDArray[Any]) -> bool:
    return bool(ids.size > 2 and np.all(np.diff(ids) == 1))


def repeated_ids(request: Request) -> Iterator[Finding]:
    """Look for ids that differ only in case, spaces or leading zeros.

    A submission whose ids were read as numbers, or folded, then matches the wrong rows.
    """
    ids = request.file.ids
    if ids is None or ids.dtype.kind in "iu":
        return
    folded = np.char.lstrip(np.char.lower(np.char.strip(ids.astype(np.str_))), "0")
    if np.unique(folded).size < ids.size:
        yield Finding(
            "alike-ids",
            "warning",
            "Some ids differ only in case, spaces or leading zeros.",
            "A submission whose ids were read as numbers or folded matches the wrong rows, or the "
            "same example is scored twice.",
            "Make the ids distinct after folding, or drop the repeated examples.",
        )


def absent_classes(request: Request) -> Iterator[Finding]:
    """Look for classes without an example.

    A class that the file names, or that lies below its largest number, and that no scored example
    has. It counts in m, so 1/m is less than a guess among the others has.
    """
    m = max(2, request.file.n_classes)
    present = np.unique(request.labels).size
    if present < m:
        yield Finding(
            "absent-classes",
            "note",
            f"{m - present} of {m} classes have no example in the scored part.",
            "Whoever learns that guesses among fewer classes.",
            "Score per class, or drop the classes from the task.",
        )


def imbalance(request: Request) -> Iterator[Finding]:
    """Compare the majority class, which a constant submission scores without a look, with 1/m."""
    labels, m = request.labels, max(2, request.file.n_classes)
    unit = request.baseline.rounding_unit
    share = 100.0 * float(np.bincount(labels, minlength=m).max()) / labels.size
    much = share > IMBALANCED_FROM_TIMES * 100.0 / m + unit.points
    if much or request.baseline.unequal:
        yield Finding(
            "imbalance",
            "warning" if much else "note",
            f"A constant submission scores about {unit.round(share):g} %, not {100.0 / m:.3g} %.",
            "Few examples may be so unequal by chance, which nobody knows without a look: gains "
            f"in this audit are above {100.0 / m:.3g} %."
            if not request.baseline.unequal
            else "Everybody knows the class shares from the training part, so the majority class "
            "needs neither a model nor a look: gains in this audit are above it, and attacks "
            "start from the class shares, too.",
            "Report the majority baseline beside the scores, or rank by balanced accuracy: "
            "--metric balanced_accuracy audits that.",
        )


def constant_reveals(request: Request) -> Iterator[Finding]:
    """Tell that m - 1 constant submissions reveal all class shares, where whole counts show."""
    m = max(2, request.file.n_classes)
    spent = min(m - 1, request.n_looks)
    if _reveals_counts(request.rule, request.labels.size):
        yield Finding(
            "constant-reveals",
            "note",
            (
                "One constant submission reveals"
                if m == 2
                else f"{m - 1:,} constant submissions reveal"
            )
            + f" all class shares under the rule {request.release}.",
            f"Each costs one look, and the policy pays for {spent:,} of {m - 1:,}: class shares "
            "are the first thing an attacker learns.",
            "Publish the class shares, so that nothing is left to learn, or release less.",
        )


def _reveals_counts(rule: Rule, n: int) -> bool:
    """Tell whether a constant submission's score is its class's count, rounding included.

    Each stage of the rule must let counts of n examples through: exactly, or in steps of at most
    1/n. One stage that hides something is enough to hide it.

    >>> from holdfast.rules import Exact, Rounding
    >>> [_reveals_counts(rule, 500) for rule in (Exact(), Rounding(decimals=3))]
    [True, True]
    >>> _reveals_counts(Rounding(decimals=3), 5000)
    False
    """
    return all(
        stage.keeps_exact or (stage.rounds_to is not None and stage.rounds_to * n <= 1)
        for stage in rule.stages
    )


def tiny(request: Request) -> Iterator[Finding]:
    """Warn of a test set whose chance error is larger than any gap worth ranking by.

    The 95 % interval of a score of n examples is at most 98/sqrt(n) points wide on either side: 4.9
    at the 400 below which this warns.
    """
    n = request.labels.size
    half = 100.0 * NORMAL_95 * 0.5 / math.sqrt(n)
    if n < FEWEST_EXAMPLES:
        yield Finding(
            "tiny",
            "warning",
            f"Only {n:,} examples are scored.",
            f"One score is uncertain by ±{half:.1f} points without any overfitting; gaps below "
            "that mean nothing.",
            f"Score at least {FEWEST_EXAMPLES:,} examples, or report intervals instead of ranks.",
        )


def void_rounding(request: Request) -> Iterator[Finding]:
    """Find rounding that is finer than one match.

    Accuracies of n examples are multiples of 1/n, so a step of 1/n or less tells each of them. What
    a rule scores a part of counts as that part.
    """
    n = request.labels.size
    for stage in request.rule.stages:
        n = stage.exposed(request.problem._replace(n_examples=n)).n_examples
        if stage.rounds_to is not None and stage.rounds_to * n <= 1:
            coarse = max(1, math.floor(math.log10(n)) - 1)
            yield Finding(
                "void-rounding",
                "warning",
                f"Rounding to {float(stage.rounds_to):g} hides nothing of {n:,} examples.",
                f"Accuracies are multiples of 1/{n:,} = {float(Fraction(1, n)):.2g}, so the "
                "rounded score still tells the exact number of matches.",
                f"Round to {coarse} decimals or fewer, or use a Ladder.",
            )


def coarse_rule(request: Request, gap: float, scale: float = 100.0) -> Iterator[Finding]:
    """Find a rule that is coarser than the gap that the ranking should show.

    The gap is in points, or in a loss's own unit, of which `scale` make a difference of one. Not
    where one example is worth more than the gap: there no rule could show it. Nor where the rule
    shows no scores, which has no resolution to speak of.
    """
    off = scale * request.rule.resolution(request.problem)
    if off > gap and request.rule.shows == "scores" and scale / request.labels.size < gap:
        yield Finding(
            "coarse-rule",
            "warning",
            f"The rule {request.release} blurs scores by up to {off:g}"
            f"{' points' if scale == 100.0 else ''}, and the ranking should show gaps of {gap:g}.",
            "Honest teams that differ by the gap are not told apart, however safe it is.",
            "Release finer scores to fewer looks, or rank by a private part.",
        )


def public_in_final(request: Request) -> Iterator[Finding]:
    """Find examples that looks are scored on and the final ranking counts.

    A warning if there is a private part and it does not decide alone; a note if there is none.
    """
    parts = request.parts
    share = parts.final_share
    partial = any(stage.selects and stage.keeps_exact for stage in request.rule.stages)
    if parts.private and share > 0.0:
        yield Finding(
            "public-in-final",
            "warning",
            f"The public part is {share:.0%} of the final ranking.",
            "What is overfit on the public board counts in the end.",
            "Rank by the private part alone.",
        )
    elif not parts.private:
        yield Finding(
            "no-private-part",
            "note",
            "Looks and final ranking use the same examples."
            if not partial
            else "The rule scores a public part, but the labels name no private one.",
            "Every gain of the attacks below is a gain in the final ranking.",
            "Keep a private part that no look is scored on, and rank by it.",
        )


def best_of_private(request: Request) -> Iterator[Finding]:
    """Tell what choosing the best of all submissions by their private scores is worth.

    The best of k independent scores with the standard error of the private part lies about
    `expected_best(k)` of them above the truth. Correlated submissions gain less: it says "up to".
    """
    if not request.parts.private or request.final_choices != 0:
        return
    k, n = request.looks.count, request.parts.private
    points = 100.0 * 0.5 / math.sqrt(n) * expected_best(k)
    yield Finding(
        "best-of-private",
        "warning",
        "The final rank is the best private score of all submissions.",
        f"The best of {k:,} equally good submissions lies up to {points:.2f} points above their "
        "true accuracy by chance alone: every submission is a look at the private part.",
        "Let teams name one or two submissions before the private scores are shown.",
    )


def expected_best(draws: int) -> float:
    """Return about how many standard deviations the best of independent draws lies above the mean.

    Blom's approximation of the largest normal order statistic: the quantile of the normal law at
    (k - 3/8) / (k + 1/4). For two draws it gives 0.59, and the exact value is 1/sqrt(pi) = 0.56.

    >>> round(expected_best(2), 2), round(expected_best(100), 2)
    (0.59, 2.5)
    """
    return 0.0 if draws <= 1 else float(ndtri((draws - 0.375) / (draws + 0.25)))


def assumed_metric(request: Request) -> Iterator[Finding]:
    """Say that scores are taken for accuracies where labels of 0 and 1 leave that open."""
    names = request.file.class_names
    if frozenset(name.lower() for name in names) in YES_AND_NO:
        yield Finding(
            "assumed-accuracy",
            "note",
            f"Labels of {names[0]} and {names[1]}: scores are taken for plain accuracies.",
            "Boards of such labels often show F1, an area under a curve or a log-loss, which tell "
            "as much of the labels or far more.",
            "Say --metric f1, --metric roc_auc, --metric log_loss, ... if the board shows that.",
        )


def decimal_commas(request: Request) -> Iterator[Finding]:
    """Say that numbers with decimal commas are taken for names of classes."""
    names = request.file.class_names
    if "," in "".join(names) and all(is_number(name.replace(",", ".", 1)) for name in names):
        commas = next(name for name in names if "," in name)
        yield Finding(
            "decimal-commas",
            "warning",
            f"Labels such as {commas!r} are taken for names of classes, {len(names):,} in all.",
            "Numbers that are predicted have errors, not hits: what a board of theirs tells is "
            "another question than the one that is answered here.",
            f"Write decimal points ({commas.replace(',', '.', 1)}), and say --metric rmse, mae, "
            "...; nothing, if these are classes.",
        )


def group_finding(column: str) -> Finding:
    """Return what is asked about a column that looks like groups, and was not named."""
    return Finding(
        "group-column",
        "note",
        f"The column {column} looks like groups.",
        f"If the board shows scores per {column}, each look tells far more than its total, and "
        "this audit does not count it.",
        f"Say --breakdown {column} if it does.",
    )
