"""The audit as a list of checks, for formats that know nothing but those.

Code scanning and test reports compare runs by names. So every statement has a code that stays the
same when its numbers change, and a level in the words of these formats.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from holdfast.audit.result import Audit, Severity, Word, unit_after

__all__ = ["Check", "Level", "checks"]

Level = Literal["error", "warning", "note", "none"]

LEVELS: dict[Severity | Word, Level] = {
    "void": "error",
    "warning": "warning",
    "note": "note",
    "UNSAFE": "error",
    "MARGINAL": "warning",
    "SAFE": "none",
}


class Check(NamedTuple):
    """One statement of the audit.

    `code` and `about`, which says of what kind it is, are the same in every audit; `level` says how
    bad it is, "none": all is well; `text` has this audit's numbers.
    """

    code: str
    about: str
    level: Level
    text: str


def checks(audit: Audit, *, limit: float | None = None) -> Iterator[Check]:
    """Yield each verdict, the gain against `limit` if there is one, and every finding.

    A check that is passed is yielded too, with level "none": a report that leaves it out can't tell
    "is well" from "was not looked at". `limit` is in the audit's unit.

    Codes are promises: `verdict-final-ranking`, `verdict-public-board`, `gain-limit`, and the codes
    of findings. A CI system that has muted one by its code must find it muted tomorrow, whatever
    the numbers in its text have become.
    """
    for verdict in audit.verdicts:
        code = f"verdict-{verdict.about.replace(' ', '-')}"
        about = f"What someone who learns nothing can gain: {verdict.about}"
        yield Check(code, about, LEVELS[verdict.word], verdict.sentence)
    if limit is not None:
        gain = audit.worst
        yield Check(
            "gain-limit",
            "The worst gain found against the limit that was set",
            "error" if gain > limit else "none",
            f"The worst gain found is {gain:g} {unit_after(gain, audit.unit)}, "
            f"{'above' if gain > limit else 'within'} the limit of {limit:g}.",
        )
    for finding in audit.findings:
        text = f"{finding.what} {finding.why} {finding.fix}"
        about = f"Found before anything is played: {finding.code.replace('-', ' ')}"
        yield Check(finding.code, about, LEVELS[finding.severity], text)
