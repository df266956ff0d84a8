"""Looks that a host's limits leave to one account, and findings that hosts share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.lint.record import Issue, Phase
from holdfast.lint.tree import Tree
from holdfast.quoting import listed, shortened

__all__ = [
    "MANY_LOOKS",
    "MANY_LOOKS_PER_DAY",
    "display_rounding",
    "limit_issues",
    "looks_of",
    "name_of",
    "names",
    "phase_looks",
    "read_limit",
    "same_labels",
    "undated",
    "unknown_setting",
]


def name_of(phase: Tree, at: int, *keys: str) -> str:
    """Return what a phase is called, or its number."""
    label = phase.get(*keys)
    return f"phase {at + 1}" if label is None or label.value is None else str(label.value)


def names(phases: Sequence[Phase]) -> str:
    """Return the names of phases for a sentence."""
    return listed([phase.name for phase in phases], quote=False)


def display_rounding(line: int, what: str, why: str, program: str) -> Issue:
    """Return the one note on what the host's own rounding hides: nothing."""
    return Issue(
        line,
        "display-rounding",
        "note",
        what,
        why,
        f"Round, or apply a Ladder, in the {program}, and say so with --rule.",
    )


def unknown_setting(setting: Tree, name: str, host: str, fix: str) -> Issue:
    """Return the finding about a setting that the host has not."""
    return Issue(
        setting.line,
        "unknown-setting",
        "warning",
        f"{host} does not read {name} here.",
        "What was meant has no effect.",
        fix,
    )


def same_labels(phases: Sequence[Phase]) -> list[Issue]:
    """Return the phases that score labels of an earlier phase whose scores participants see."""
    issues = []
    for at, phase in enumerate(phases):
        earlier = [
            each
            for each in phases[:at]
            if set(each.labels) & set(phase.labels) and each.seen_by != "hosts" and each.looks != 0
        ]
        if not earlier or phase.looks == 0:
            continue
        seen = [each.looks for each in (*earlier, phase) if each.seen_by != "hosts"]
        total = None if None in seen else sum(count or 0 for count in seen)
        together = "looks without a limit" if total is None else f"{total:,} looks"
        issues.append(
            Issue(
                phase.line,
                "same-labels",
                "note" if total is not None and total <= MANY_LOOKS else "warning",
                f"{shortened(phase.name)} scores the same labels as {names(earlier)}.",
                f"An account sees the scores of {together} at them, and what one phase gives "
                "away counts in the other.",
                "Give every phase labels of its own.",
            )
        )
    return issues


MANY_LOOKS_PER_DAY = 20
MANY_LOOKS = 500
DAYS_PER_MONTH = 30


@dataclass(frozen=True)
class LookLimit:
    """One limit as the host takes it. `value` None: no limit; `what` says how it came about."""

    name: str
    value: int | None
    most: int
    line: int
    what: str
    chosen: bool = False
    bad: bool = False


def read_limit(
    phase: Tree,
    name: str,
    host: str,
    *,
    default: int | None,
    most: int,
    empty_is_no_limit: bool = False,
) -> LookLimit:
    """Read a limit as the host does: its default if missing, and what 0 and blank mean there."""
    setting = phase.get(name)
    if setting is None:
        acts = "it has no default" if default is None else f"the default is {default:,}"
        return LookLimit(name, default, most, phase.line, f"{name} is missing; on {host} {acts}.")
    value = setting.number()
    if empty_is_no_limit and (setting.blank or value == 0):
        shown = "blank" if setting.blank else "0"
        what = f"{name} is {shown}, which {host} takes as no limit."
        return LookLimit(name, None, most, setting.line, what)
    if value is None or value < 0:
        what = f"{name} is no whole number of 0 or more."
        return LookLimit(name, default, most, setting.line, what, bad=True)
    return LookLimit(name, value, most, setting.line, f"{name} is {value:,}.", chosen=True)


def phase_looks(
    phase: Tree,
    limits: tuple[LookLimit, LookLimit],
    days: int,
    *,
    end: Tree | None,
    seen: bool = True,
) -> tuple[int | None, str, list[Issue]]:
    """Return an account's looks, where they come from, and findings; none if scores are unseen.

    Parameters
    ----------
    phase
        Its start, and EvalAI's limit per month, are read here.
    limits
        Those per day and in all.
    days
        How long it lasts if its dates don't tell.
    end
        What ends it.
    seen
        Whether participants see scores.
    """
    start, month = phase.get("start", "start_date"), phase.get("max_submissions_per_month")
    first = start.day() if start is not None else None
    last = end.day() if end is not None else None
    dated = None if first is None or last is None or last < first else (last - first).days
    lasts = days if dated is None else max(1, dated)
    per_day, total = (limit.value for limit in limits)
    monthly = None if month is None else month.number()
    looks, text = looks_of(lasts, per_day, total, None if monthly is None else max(0, monthly))
    if not seen:
        return looks, text, []
    issues = limit_issues(limits, looks)
    if first is not None and last is not None and last < first:
        assert end is not None
        what = f"The phase starts on {first} and ends on {last}, as the host reads its dates."
        why = "It is over before it begins, and takes no submission."
        fix = "Write dates as YYYY-MM-DD: others are read month first."
        return looks, text, [*issues, Issue(end.line, "ends-before-start", "error", what, why, fix)]
    if dated is None and looks and looks != total:
        issues.append(undated(phase.line, days, "The phase has no dates that tell its length."))
    return looks, text, issues


def looks_of(
    days: int, per_day: int | None, total: int | None, per_month: int | None = None
) -> tuple[int | None, str]:
    """Return an account's looks over a phase: the smallest that the limits leave.

    >>> looks_of(90, 5, 100)
    (100, '100 in all')
    >>> looks_of(10, 5, None)
    (50, '5 a day for 10 days')
    >>> looks_of(10, None, None)
    (None, 'no limit')
    """
    months = -(-days // DAYS_PER_MONTH)
    if 0 in (per_day, total, per_month):
        return 0, "no submission"
    found = []
    if total is not None:
        found.append((total, f"{total:,} in all"))
    if per_month is not None:
        found.append((per_month * months, f"{per_month:,} a month for {days:,} days"))
    if per_day is not None:
        found.append((per_day * days, f"{per_day:,} a day for {days:,} days"))
    return min(found, key=lambda each: each[0], default=(None, "no limit"))


def limit_issues(limits: Sequence[LookLimit], looks: int | None) -> list[Issue]:
    """Return what is wrong with the limits that together leave an account so many looks."""
    issues = [
        Issue(
            limit.line,
            "bad-limit",
            "error",
            limit.what,
            "The host refuses the file, or falls back to its default.",
            f"Set {limit.name} to {limit.most} or fewer.",
        )
        for limit in limits
        if limit.bad
    ]
    if looks is not None and looks <= MANY_LOOKS:
        return issues
    for limit in limits:
        if limit.bad or (limit.value is not None and limit.value <= limit.most):
            continue
        have = "as many as it likes" if looks is None else f"{looks:,}"
        issues.append(
            Issue(
                limit.line,
                "high-limit" if limit.chosen else "no-limit",
                "warning" if limit.chosen else "error",
                limit.what,
                f"Scored submissions (looks) of an account in this phase: {have}. Each tells it a "
                "score.",
                f"Set {limit.name} to {limit.most} or fewer"
                + (", or release less per look." if limit.chosen else "."),
            )
        )
    return issues


def undated(line: int, days: int, what: str) -> Issue:
    """Return the note that looks are counted for a length which is not in the file."""
    return Issue(
        line,
        "undated",
        "note",
        what,
        f"The looks are counted for {days:,} days.",
        "Say with --days how long it lasts.",
    )
