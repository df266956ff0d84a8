"""The audit record: frozen dataclasses, ready for JSON.

One record for whatever a board shows. Gains are `Points`: in the unit that the record names, which
is percentage points where the board shows one accuracy.

Three words are kept apart everywhere. *Possible* is what an attack was measured to gain, *allowed*
what a bound does not rule out, *observed* what a history shows.

The record holds no label and no exact score: every number that was computed from the hidden labels
is rounded to a multiple of `rounding_unit` points, see `audit.inputs.disclosure`. It can be shared.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from holdfast.audit.fractions import Percent, Points, in_fractions, scaled

__all__ = [
    "ACCURACY",
    "AS_IT_RISES",
    "FORMAT",
    "FRACTIONS",
    "POINTS",
    "TOTAL",
    "About",
    "AttackGain",
    "Audit",
    "AuditedBoard",
    "AuditedPart",
    "Finding",
    "Fix",
    "GainCurve",
    "History",
    "Interval",
    "Limits",
    "Model",
    "Reproduce",
    "RuleRow",
    "Series",
    "TeamHistory",
    "TieGroup",
    "Verdict",
    "as_json",
    "in_digits",
    "point_in_json",
    "surfaces_scaled",
    "unit_after",
    "up_in_digits",
    "voiding",
    "worst_first",
]

# Which knowledge an attack had: the test examples; where classes are unequal, these and the class
# shares; nothing of them; or a model's predictions too.
Knowledge = Literal["features", "class shares", "no features", "model"]
Word = Literal["SAFE", "MARGINAL", "UNSAFE"]
About = Literal["final ranking", "public board"]
# The number of the JSON's format: 1 had another shape for each of two kinds of boards.
FORMAT = 2
# What a board shows if nothing else is said.
ACCURACY = "accuracy"
# What a look tells where it tells one number of all examples.
TOTAL = "total only"
# What attacks read that climb, after the metric's name.
AS_IT_RISES = ", as it rises"
Severity = Literal["void", "warning", "note"]


def unit_after(value: float, unit: str) -> str:
    """Return a unit as it follows a number.

    >>> unit_after(1.0, "points of f1"), unit_after(1.5, "points of f1")
    ('point of f1', 'points of f1')
    """
    return unit.replace("points", "point", 1) if value == 1.0 else unit


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean in points with a 95 % interval; `low` and `high` are None after a single play."""

    mean: Points
    low: Points | None
    high: Points | None

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """The two ends."""
        return self.low, self.high

    @property
    def upper(self) -> float:
        """The upper end, or the mean where there is no interval."""
        return self.mean if self.high is None else self.high

    def at_most(self, bound: float) -> Interval:
        """Return what is left of it below a bound: rounding must not show more than is allowed.

        >>> Interval(1.0, 0.5, 1.5).at_most(1.218)
        Interval(mean=1.0, low=0.5, high=1.21)
        """
        if math.isinf(bound):
            return self
        digits = 100.0 if bound >= 0.1 else 1000.0
        bound = math.floor(digits * bound + 1e-9) / digits
        low, high = (None if end is None else min(end, bound) for end in (self.low, self.high))
        return Interval(min(self.mean, bound), low, high)


@dataclass(frozen=True, slots=True)
class AttackGain:
    """POSSIBLE. What one attack gained under the policy, or the reason why it can't play.

    `points` count from what is had without a look: the board's `free`, or what the models have if
    that is more and the setting is "model". An attack that ends below has gained less than nothing.
    `show` is what a look tells, `reads` which of its numbers the attack uses, `does` what it does.
    """

    attack: str
    setting: Knowledge
    accounts: int
    looks: int
    trials: int
    points: Interval | None
    allowed: Points | None
    reason: str | None
    show: str = TOTAL
    reads: str = ACCURACY
    does: str = ""

    @property
    def mean(self) -> float | None:
        """The mean gain; None: it can't play."""
        return None if self.points is None else self.points.mean


@dataclass(frozen=True, slots=True)
class Finding:
    """One pre-flight finding. "void": the verdict does not hold until it is fixed."""

    code: str
    severity: Severity
    what: str
    why: str
    fix: str


# From worst to mildest.
SEVERITIES: tuple[Severity, ...] = get_args(Severity)


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings sorted: what voids the verdict, then warnings, then notes.

    >>> note, void = (Finding(each, each, "", "", "") for each in ("note", "void"))
    >>> [each.code for each in worst_first([note, void])]
    ['void', 'note']
    """
    return tuple(sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity)))


def voiding(findings: Iterable[Finding]) -> Finding | None:
    """Return the first finding that voids the verdict; None: there is none."""
    return next((finding for finding in findings if finding.severity == "void"), None)


@dataclass(frozen=True, slots=True)
class Series:
    """POSSIBLE. The gain at each number of looks of the curve: of one attack, or of a show.

    A show is what a look tells; its line has the strongest attack at each number of looks, which
    `attacks` names. Of one attack that is empty.
    """

    attack: str
    setting: Knowledge
    points: tuple[Interval | None, ...]
    show: str = TOTAL
    attacks: tuple[str | None, ...] = ()

    @property
    def name(self) -> str:
        """The show; or the attack, and what it knew if not just the features."""
        if self.attacks:
            return self.show
        return self.attack if self.setting == "features" else f"{self.attack}, {self.setting}"

    def attack_at(self, at: int) -> str | None:
        """Return the attack at that place of the looks."""
        return self.attacks[at] if self.attacks else self.attack


@dataclass(frozen=True, slots=True)
class GainCurve:
    """Gain in points against looks.

    `looks` are those that were played. `bound_looks` reach further, and `guarantee` (what the
    paper's attacks are proved to gain from exact answers), `forecast` (the best gain that a formula
    forecasts for some attack on exact answers, and never less than what was measured with as many
    looks or fewer) and `allowed` (the certified bound of this rule) have one value for each; None:
    no statement applies. `guaranteed_by` names the theorem behind each guarantee: between two of
    them nothing is promised. Where formulas do not cover what is shown, `bound_looks` is empty.
    """

    today: int
    looks: tuple[int, ...]
    measured: tuple[Series, ...]
    bound_looks: tuple[int, ...]
    guarantee: tuple[Points | None, ...]
    guaranteed_by: tuple[str | None, ...]
    forecast: tuple[Points | None, ...]
    allowed: tuple[Points | None, ...]


@dataclass(frozen=True, slots=True)
class RuleRow:
    """One release rule beside the policy's: its strongest attack, its bound and its price.

    The strongest attack may have been found on another rule, `judged_on`, whose answers follow
    from this one's; None, where no attack reads what the rule leaves. `price_points` is the blur
    for honest teams: how far an answer may be from the truth. `cells` has one gain for each attack
    that played it, for the heat map; an attack that is missing was not played, which is not to say
    that it can't. `strongest` has one row for each show of the audit, in its order, and
    `labels_right` the share of labels in per cent that nobody without a model is certified to
    exceed; None: no bound excludes that all are known, or none was asked.
    """

    rule: str
    is_policy: bool
    attack: str | None
    judged_on: str | None
    possible: Interval | None
    allowed: Points | None
    bits_per_look: float | None
    price_points: Points
    cells: Mapping[str, Points]
    strongest: tuple[AttackGain, ...] = ()
    labels_right: float | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """ALLOWED. What bounds say of this policy.

    Gains in points: certified for the colluding accounts, the same if they have models as good as
    the given ones (None: none was given), and for all teams together without models; what is
    forecast for the best attack on exact answers, or what was measured if that is more; what the
    paper guarantees. `bound` names the bound that is least, `binds` and `binds_model` say whom the
    two bind, and `not_covered` which bounds do not apply, and why. `looks_until` has
    the number of looks at which each becomes a problem, that is passes the gap; None: never within
    `searched` looks. `recover_all` is the fewest exact looks that could reveal all labels.
    """

    allowed: Points
    allowed_model: Points | None
    allowed_everyone: Points
    everyone_looks: int
    forecast: Points
    guarantee: Points | None
    bits_per_look: float
    bound: str
    binds: str
    binds_model: str | None
    not_covered: tuple[str, ...]
    looks_until: Mapping[str, int | None]
    searched: int
    recover_all: int


@dataclass(frozen=True, slots=True)
class TeamHistory:
    """OBSERVED. One team of the history.

    `score` and `private` are the team's best public score and that submission's private one, in
    per cent. `gap` is their difference in points, split into what chance, the choice of the best
    among its looks included, explains, what its looks allow, and what neither explains.
    """

    team: str
    looks: int
    score: Points
    private: Points | None
    gap: Points | None
    chance: Points | None
    allowed: Points | None
    unexplained: Points | None


@dataclass(frozen=True, slots=True)
class TieGroup:
    """OBSERVED. Neighbouring ranks that the test set can't tell apart."""

    first: int
    last: int
    teams: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class History:
    """OBSERVED. What the submissions so far show.

    `median_gap` is that between neighbouring ranks in points; `half_width` the 95 % interval's
    half-width of one score, corrected for all looks. `paired_half_width` is what it would be at
    least, if two models differed on no more examples than their scores say.
    """

    n_teams: int
    looks: int
    first: str | None
    last: str | None
    most_looks: int
    over_limit: tuple[str, ...]
    median_gap: Points | None
    half_width: Points
    paired_half_width: Points
    mean_gap: Points | None
    chance: Points | None
    allowed: Points | None
    unexplained: Points | None
    teams: tuple[TeamHistory, ...]
    groups: tuple[TieGroup, ...]


@dataclass(frozen=True, slots=True)
class Fix:
    """A change that brings the worst gain under the gap, or at least down.

    `loss` is what it costs honest teams, in doublings: of coarseness in standard errors of a score,
    of looks lost, and of answers that come together. `price_points` is the blur for honest teams:
    how far an answer may be from the truth. `verdict` is what the audit would then say, `text` what
    to change and at what price, in one sentence, and `read` the page on choosing a rule. `show` is
    what is still shown, and `hold_back` how many rows no look is scored on any more.
    """

    rule: str
    looks: int
    loss: float
    possible: Interval
    allowed: Points | None
    price_points: Points
    proven: bool
    verdict: Word
    text: str
    read: str
    show: str = TOTAL
    hold_back: int = 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """SAFE for ranking gaps of `gap_points` or more, or MARGINAL or UNSAFE, in one sentence.

    It is about the final ranking, or about a public board that does not decide it; all its
    numbers are in points of that. `points` is the number that matters: the worst gain found, above
    what is had without a look. Where that is the majority class it is never below 0: who would end
    below it submits it. `allowed` is what no attack can exceed in expectation, `allowed_model` the
    same for whoever has models as good as the given ones, `observed` what the history shows.

    `proven`: models are given, and the certified bound for attackers with models as good as these
    lies below the gap, too. `certified` says how large the bound is, and whom it binds; None: it
    is not below the gap.

    `fixes` are ranked by what they cost honest teams. `would_do` says how many looks, or how many
    private examples, would be enough.
    """

    about: About
    word: Word
    gap_points: Points
    points: Interval
    attack: str
    setting: Knowledge
    allowed: Points | None
    allowed_model: Points | None
    observed: Points | None
    proven: bool
    certified: str | None
    sentence: str
    fixes: tuple[Fix, ...] = ()
    would_do: tuple[str, ...] = ()
    show: str = TOTAL


@dataclass(frozen=True, slots=True)
class AuditedPart:
    """A part of the test set, as the platform uses it."""

    name: str
    n_examples: int
    scored_at_looks: bool
    in_final_ranking: bool


@dataclass(frozen=True, slots=True)
class Model:
    """A model whose predictions an attacker may start from; its accuracy on the scored part."""

    name: str
    accuracy_percent: Percent


@dataclass(frozen=True, slots=True)
class AuditedBoard:
    """What was audited.

    `header` says it in one line. `n_rows` counts all rows of the label file, `n_examples` those
    that looks are scored on. `looks` is what the colluding accounts have together, each
    `looks_per_account`; `final_share` is the share of the scored part in the final ranking:
    a gain on the board is worth that much there. `free` is what everybody scores without a look:
    what the best constant submission has, for an accuracy 1/m, or the majority class where the
    classes are unequal (`skewed`); every gain counts from it. `metric`, `breakdown`, `groups` and
    `also` are what the board shows, `shown` the same in words, and `shows` what a look may tell:
    the metric alone, then each thing that stands beside it. `model` is what the best vote of the
    given `models` scores; None: there are none, or their accuracies are all that counts.
    """

    name: str
    header: str
    n_rows: int
    n_examples: int
    n_classes: int
    parts: tuple[AuditedPart, ...]
    rule: str
    rule_source: str
    memory: str
    looks: int
    looks_text: str
    looks_per_account: int
    accounts: int
    teams: int
    final_share: float
    majority_percent: Percent
    skewed: bool
    free: Points
    models: tuple[Model, ...]
    metric: str = ACCURACY
    breakdown: str | None = None
    groups: int = 0
    also: tuple[str, ...] = ()
    shown: str = ACCURACY
    shows: tuple[str, ...] = (TOTAL,)
    model: Points | None = None

    @property
    def plain(self) -> bool:
        """Whether it shows one accuracy, which formulas cover."""
        return self.shown == ACCURACY

    @property
    def facts(self) -> str:
        """The header without the name."""
        return self.header.removeprefix(f"{self.name}: ")


@dataclass(frozen=True, slots=True)
class Reproduce:
    """How to get the same numbers: command, seed, versions, and which labels they were."""

    command: str
    seed: int
    trials: int
    suite: str
    fingerprint: str
    versions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Audit:
    """All that the page shows and `--json` prints.

    `verdict` is about what decides: the final ranking. `public` is about the public board where
    that does not decide alone; None: it does, and the verdict is about both. `gains` has the
    strongest attack first. `limits` and `what_if` rest on formulas for one accuracy: None and empty
    for other boards, of which `certified` and `not_covered` say in sentences what is proved, and
    what is not told. `unit` is what gains are counted in, and `scale` how many of these are a
    difference of 1 between two values. `date` is the day on which the audit was made.
    """

    verdict: Verdict
    public: Verdict | None
    findings: tuple[Finding, ...]
    board: AuditedBoard
    rounding_unit: Points
    gains: tuple[AttackGain, ...]
    curve: GainCurve
    rules: tuple[RuleRow, ...]
    limits: Limits | None
    history: History | None
    what_if: Mapping[str, Any]
    reproduce: Reproduce
    seconds: float
    date: str
    unit: str = "points"
    scale: float = 100.0
    certified: tuple[str, ...] = ()
    not_covered: tuple[str, ...] = ()
    format: int = FORMAT

    @property
    def name(self) -> str:
        """What the test set is called."""
        return self.board.name

    @property
    def rule(self) -> str:
        """The policy's release rule."""
        return self.board.rule

    @property
    def free(self) -> float:
        """What everybody has without a look."""
        return self.board.free

    @property
    def counted_in(self) -> str:
        """The unit without a number before it."""
        return self.unit.removeprefix("of ")

    @property
    def worst(self) -> float:
        """The number that matters: the worst gain found, as far as it counts in the end."""
        return self.verdict.points.mean

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdict, and that on the public board where there is one."""
        return (self.verdict,) if self.public is None else (self.verdict, self.public)

    @property
    def fix(self) -> Fix | None:
        """The fix that costs honest teams least, of the first verdict that has one."""
        return next((fix for verdict in self.verdicts for fix in verdict.fixes), None)


def in_digits(value: float, unit: float) -> str:
    """Return a number for reading: a multiple of the rounding unit with just its digits.

    >>> in_digits(90.0, 0.5), in_digits(90.0, 2.0), in_digits(0.3, 0.02), in_digits(0.24, 0.5)
    ('90.0', '90', '0.30', '0.24')
    """
    if abs(value / unit - round(value / unit)) > 1e-6:
        return f"{value:.3g}"  # a bound that is less than what was measured
    digits = max(0, math.ceil(-math.log10(unit) - 1e-9))
    return f"{value + 0.0:.{digits}f}"


def up_in_digits(bound: float, unit: float) -> str:
    """Return an upper bound in the digits of the gains beside it, rounded up: it stays a bound.

    >>> up_in_digits(32.77, 0.5), up_in_digits(0.0, 0.5)
    ('33.0', '0.0')
    """
    return in_digits(math.ceil(bound / unit - 1e-9) * unit, unit)


# Keys that stand at the top of the JSON, too, where programs of the first format look for them.
ALSO_ON_TOP = (
    "name",
    "header",
    "metric",
    "breakdown",
    "groups",
    "also",
    "rule",
    "looks",
    "looks_text",
    "accounts",
    "teams",
    "final_share",
    "models",
    "model",
    "shows",
)


# Gains of one accuracy are points for people, and fractions of it in JSON.
POINTS, FRACTIONS = "points", f"of {ACCURACY}"


def point_in_json(unit: str) -> float:
    """Return what a point of a unit is in JSON; units are named as people or as JSON have them.

    >>> point_in_json("points"), point_in_json("points of f1"), point_in_json("of log_loss")
    (0.01, 1.0, 1.0)
    """
    return 0.01 if unit in (POINTS, FRACTIONS) else 1.0


def as_json(audit: Audit) -> dict[str, Any]:
    """Return the record as plain dicts, lists, texts and finite numbers.

    Every gain is in `unit`: `scale` of these are a difference of 1 between two scores.
    """
    point = point_in_json(audit.unit)
    data: dict[str, Any] = in_fractions(audit, point=point)
    data["scale"], data["constant"] = audit.scale * point, data["board"]["free"]
    data["unit"] = FRACTIONS if audit.unit == POINTS else audit.unit
    data |= {name: data["board"][name] for name in ALSO_ON_TOP}
    data["what_if"] = surfaces_scaled(data["what_if"], point)
    return data


def surfaces_scaled(what_if: Mapping[str, Any], factor: float) -> dict[str, Any]:
    """Return the what-if panel's surfaces times a factor, its axes as they are."""
    return {
        name: scaled(part, factor) if name in ("round", "ladder") else part
        for name, part in what_if.items()
    }
