"""Two audits side by side: before and after a change of policy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from holdfast.audit.fractions import in_fractions
from holdfast.audit.result import Audit, Finding, Interval, Knowledge, Verdict

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
    """POSSIBLE. One attack's gain before and after; None: it was not played there."""

    attack: str
    setting: Knowledge
    before: Interval | None
    after: Interval | None

    @property
    def change(self) -> float | None:
        """The difference of the two means, in points."""
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
    """Compare two audits."""
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
    """Return the comparison as plain data: the two verdicts, and what differs between them."""
    sides = {"before": comparison.before, "after": comparison.after}
    data: dict[str, Any] = in_fractions(
        {
            "sentence": comparison.sentence,
            "notes": comparison.notes,
            "verdict": {side: audit.verdict for side, audit in sides.items()},
            "public": {side: audit.public for side, audit in sides.items()},
            "limits": {side: audit.limits for side, audit in sides.items()},
            "settings": [each for each in comparison.settings if each.differs],
            "attacks": comparison.attacks,
            "findings": {"gone": comparison.gone, "new": comparison.new},
        }
    )
    return data


def _sentences(before: Audit, after: Audit) -> str:
    """Return what became of the verdict, and of that on the public board where both have one."""
    text = _sentence(before.verdict, after.verdict)
    if before.public is not None and after.public is not None:
        text = f"Final ranking: {text} Public board: {_sentence(before.public, after.public)}"
    return text


def _sentence(before: Verdict, after: Verdict) -> str:
    old, new = before.points.mean, after.points.mean
    word = f"{before.word} becomes {after.word}" if before.word != after.word else after.word
    if new == old:
        by = f" ({after.attack})" if new > 0.0 else ""
        return f"{word}: the worst gain found stays at {_points(new)}{by}."
    return (
        f"{word}: the worst gain found {'falls' if new < old else 'rises'} from {_points(old)} "
        f"({before.attack}) to {_points(new)} ({after.attack})."
    )


def _points(value: float) -> str:
    return f"{value:g} point{'' if value == 1.0 else 's'}"


def _notes(before: Audit, after: Audit) -> Iterator[str]:
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
    blur = next((row.price_points for row in audit.rules if row.is_policy), None)
    return [
        ("release rule", board.rule),
        ("blur for honest teams", "unknown" if blur is None else _points(blur)),
        ("scored submissions per account", f"{board.looks_text}"),
        ("scored submissions in all", f"{board.looks:,}"),
        ("accounts that work together", f"{board.accounts:,}"),
        ("teams", f"{board.teams:,}"),
        ("scored examples", f"{board.n_examples:,}"),
        ("final ranking by scored examples", f"{100.0 * board.final_share:g} %"),
        ("ranking gap", _points(audit.verdict.gap_points)),
    ]


def _attacks(before: Audit, after: Audit) -> tuple[AttackChange, ...]:
    """Return the attacks of both audits; one that was played twice counts with its larger gain."""
    sides: list[dict[tuple[str, Knowledge], Interval]] = []
    for audit in (before, after):
        found: dict[tuple[str, Knowledge], Interval] = {}
        for gain in audit.gains:
            who = gain.attack.partition(",")[0], gain.setting
            if gain.points is not None:
                best = found.get(who)
                if best is None or gain.points.mean > best.mean:
                    found[who] = gain.points
        sides.append(found)
    names = [*sides[0], *(who for who in sides[1] if who not in sides[0])]
    rows = [AttackChange(*who, sides[0].get(who), sides[1].get(who)) for who in names]
    return tuple(sorted(rows, key=_largest, reverse=True))


def _largest(row: AttackChange) -> float:
    return max(each.mean for each in (row.before, row.after) if each is not None)
