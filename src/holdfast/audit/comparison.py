"""Two audits side by side: before and after a change of policy.

A difference between two audits is the policy's doing only if nothing else differs. What else may
(labels, models, the ranking gap, the attack suite) is compared first and said in notes; the labels
by their fingerprints, since a record has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from holdfast.audit.fractions import in_fractions
from holdfast.audit.result import (
    FORMAT,
    Audit,
    Finding,
    Interval,
    Verdict,
    as_json,
    point_in_json,
    unit_after,
)
from holdfast.errors import InvalidInput

__all__ = ["AttackChange", "Comparison", "SettingChange", "compare", "comparison_as_json"]


@dataclass(frozen=True, slots=True)
class SettingChange:
    """A setting of the board in words, before and after."""

    what: str
    before: str
    after: str

    @property
    def differs(self) -> bool:
        """Whether it was changed."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class AttackChange:
    """POSSIBLE. One attack's gain before and after; None: it was not played there.

    `setting` is what it knew and, of a metric, what it read.
    """

    attack: str
    setting: str
    before: Interval | None
    after: Interval | None

    @property
    def change(self) -> float | None:
        """The difference of the two means."""
        if self.before is None or self.after is None:
            return None
        return self.after.mean - self.before.mean


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a change of policy did.

    `notes` say what besides the policy differs, so that the difference is not its doing alone.
    `attacks` has the strongest first, by the larger of the two gains.
    """

    before: Audit
    after: Audit
    sentence: str
    notes: tuple[str, ...]
    settings: tuple[SettingChange, ...]
    attacks: tuple[AttackChange, ...]
    gone: tuple[Finding, ...]
    new: tuple[Finding, ...]


def compare(before: Audit, after: Audit) -> Comparison:
    """Compare two audits, or raise `InvalidInput` if their gains have different units.

    Parameters
    ----------
    before, after
        Fresh records or saved ones, of accuracy or of one metric.

    Returns
    -------
    Comparison
        Attacks are matched by name and knowledge, findings by their code: a finding whose numbers
        changed is neither gone nor new.
    """
    if before.unit != after.unit:
        raise InvalidInput(
            f"before and after must be audits of one metric, got {before.board.shown} and "
            f"{after.board.shown}: their gains can't be compared. What a breakdown or another "
            f"column costs stands in one audit of both, beside the total only."
        )
    codes = [{finding.code for finding in audit.findings} for audit in (before, after)]
    return Comparison(
        before=before,
        after=after,
        sentence=_sentences(before, after),
        notes=tuple(_notes(before, after)),
        settings=_settings(before, after),
        attacks=_attacks(before, after),
        gone=tuple(each for each in before.findings if each.code not in codes[1]),
        new=tuple(each for each in after.findings if each.code not in codes[0]),
    )


def comparison_as_json(comparison: Comparison) -> dict[str, Any]:
    """Return the comparison as plain data: the two verdicts, and what differs between them.

    Each verdict is as its audit writes it: gains of accuracies are fractions; those of a metric are
    in the unit that is named, and so are the attacks'. `format` is that of the audits.
    """
    sides = {"before": as_json(comparison.before), "after": as_json(comparison.after)}
    told = {
        "format": FORMAT,
        "unit": sides["after"]["unit"],
        "sentence": comparison.sentence,
        "notes": list(comparison.notes),
    }
    told |= {
        name: {side: audit[name] for side, audit in sides.items()}
        for name in ("verdict", "public", "limits")
    }
    changed = {
        "settings": [each for each in comparison.settings if each.differs],
        "attacks": comparison.attacks,
        "findings": {"gone": comparison.gone, "new": comparison.new},
    }
    told |= in_fractions(changed, point=point_in_json(comparison.after.unit))
    return told


def _sentences(before: Audit, after: Audit) -> str:
    """Return what became of the verdict, and of that on the public board where both have one."""
    text = _sentence(before.verdict, after.verdict, after.unit)
    if before.public is not None and after.public is not None:
        public = _sentence(before.public, after.public, after.unit)
        text = f"Final ranking: {text} Public board: {public}"
    return text


def _sentence(before: Verdict, after: Verdict, unit: str) -> str:
    """Return what became of one verdict: its word, and the worst gain with its attack."""
    old, new = before.points.mean, after.points.mean
    word = f"{before.word} becomes {after.word}" if before.word != after.word else after.word
    if new == old:
        by = f" ({after.attack})" if new > 0.0 else ""
        return f"{word}: the worst gain found stays at {_number(new, unit)}{by}."
    return (
        f"{word}: the worst gain found {'falls' if new < old else 'rises'} from "
        f"{_number(old, unit)} ({before.attack}) to {_number(new, unit)} ({after.attack})."
    )


def _number(value: float, unit: str) -> str:
    return f"{value:g} {unit_after(value, unit)}"


def _notes(before: Audit, after: Audit) -> Iterator[str]:
    """Yield what besides the policy differs: labels, models, the gap, the attacks' version.

    With any of these the difference of two gains is not the policy's alone. Seeds are not among
    them: gains carry intervals for that.
    """
    old, new = before.reproduce, after.reproduce
    if old.fingerprint != new.fingerprint:
        yield (
            f"The labels differ ({old.fingerprint} and {new.fingerprint}): this is no change of "
            "policy alone."
        )
    models = [tuple(each.name for each in audit.board.models) for audit in (before, after)]
    if models[0] != models[1]:
        yield "The two audits were given different models."
    if before.verdict.gap_points != after.verdict.gap_points:
        yield "The two verdicts are for different ranking gaps."
    version = "holdfast"
    if (old.suite, old.versions.get(version)) != (new.suite, new.versions.get(version)):
        yield "The two audits were played with different versions of the attack suite."


def _settings(before: Audit, after: Audit) -> tuple[SettingChange, ...]:
    texts = zip(_described(before), _described(after), strict=True)
    return tuple(SettingChange(what, old, new) for (what, old), (_, new) in texts)


def _described(audit: Audit) -> list[tuple[str, str]]:
    """Return the settings of a board, each with its value in words."""
    board = audit.board
    blurs = [row.price_points for row in audit.rules if row.is_policy]
    blur = _number(blurs[0], audit.unit) if blurs else "unknown"
    return [
        ("what is shown", board.shown),
        ("release rule", board.rule),
        ("blur for honest teams", blur),
        ("scored submissions per account", f"{board.looks_text}"),
        ("scored submissions in all", f"{board.looks:,}"),
        ("accounts that work together", f"{board.accounts:,}"),
        ("teams", f"{board.teams:,}"),
        ("scored examples", f"{board.n_examples:,}"),
        ("final ranking by scored examples", f"{100.0 * board.final_share:g} %"),
        ("ranking gap", _number(audit.verdict.gap_points, audit.unit)),
    ]


def _attacks(before: Audit, after: Audit) -> tuple[AttackChange, ...]:
    """Return the attacks of both audits; one that was played twice counts with its larger gain.

    Matched by name without accounts, and by what they knew: "block-majority, 5 accounts" before is
    the same attack as "block-majority" after a change to a rule that remembers nothing.
    """
    sides: list[dict[tuple[str, str], Interval]] = []
    for audit in (before, after):
        found: dict[tuple[str, str], Interval] = {}
        for each in audit.gains:
            knew = each.setting if audit.board.plain else f"{each.setting}; {each.reads}"
            who, gain = (each.attack.partition(",")[0], knew), each.points
            if gain is not None and (who not in found or gain.mean > found[who].mean):
                found[who] = gain
        sides.append(found)
    names = [*sides[0], *(who for who in sides[1] if who not in sides[0])]
    rows = [AttackChange(*who, sides[0].get(who), sides[1].get(who)) for who in names]
    return tuple(sorted(rows, key=_largest, reverse=True))


def _largest(row: AttackChange) -> float:
    return max(each.mean for each in (row.before, row.after) if each is not None)
