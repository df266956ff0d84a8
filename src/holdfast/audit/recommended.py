"""The recommended policy: the audited one, with the first fix that a policy can state.

What `holdfast audit --write-policy` writes and a guard enforces. It has every setting that was
audited, so that the verdict is about the policy as it will be run, and no others but those of the
fix.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from holdfast.audit.inputs.request import MOST_POINTS, Request
from holdfast.audit.result import TOTAL, Audit, Fix, Verdict, voiding
from holdfast.errors import InvalidInput
from holdfast.guard import Policy
from holdfast.guard.class_names import checked_classes
from holdfast.guard.looks import WINDOWS
from holdfast.guard.policy_text import policy_text
from holdfast.metrics import Submission
from holdfast.metrics.display import Display

__all__ = ["recommended_fix", "recommended_policy"]

# A policy's own: more are named with it.
LOOKS_PER_DATA_SET = Policy("exact").looks_per_data_set
# Submissions that a team names where the best of all counted.
NAMED = Policy("exact").final_choices
# What a board shows beside its metric's total.
BESIDE = ("breakdown", "also")


def recommended_policy(request: Request, audit: Audit) -> str:
    """Return the text of the policy; `InvalidInput` says why there is none to recommend.

    Following it must do what the audit says, so a fix is translated with care: its looks are those
    of all accounts together and for the board's whole life, while a policy has looks per team and a
    window; see `_fixed`.

    A verdict that is SAFE keeps what was audited. Else the first verdict that is not gets its
    first fix that a policy can state and that makes it SAFE: that of the final ranking if that is
    at stake, or that of the public board. Where the final ranking is SAFE there always is a policy.

    Raises
    ------
    InvalidInput
        If a finding voids the board whatever its policy, such as rows sorted by label; or if no fix
        was found, with what would help instead.
    """
    settings = _audited(request, audit.verdict.gap_points) | _shown(request.display)
    if request.metric.takes is Submission.NUMBERS:
        del settings["classes"]  # hidden numbers have none
    verdict = audit.verdict
    if verdict.word == "SAFE" and audit.public is None:
        return _text(settings)
    void = voiding(audit.findings)
    if void is not None:
        raise InvalidInput(f"no policy mends this, and none was written: {void.what} {void.fix}")
    if verdict.word != "SAFE" and request.parts.final_share == 0.0:
        return _text({**settings, "final_choices": NAMED})  # the best of all private scores counts
    fix = recommended_fix(audit)
    if fix is None and verdict.word == "SAFE":
        return _text(settings)  # what decides is safe as it is, whatever the public board shows
    if fix is None:
        unsafe = _at_stake(audit)
        raise InvalidInput(
            f"no policy was found that mends the {unsafe.about}, and none was written. "
            + " ".join([*(each.text for each in unsafe.fixes), *unsafe.would_do])
        )
    settings |= _fixed(request, fix)
    if fix.show == TOTAL:
        settings = {name: each for name, each in settings.items() if name not in BESIDE}
    return _text(settings)


def recommended_fix(audit: Audit) -> Fix | None:
    """Return the fix that the recommended policy has; None: a policy can state none that is enough.

    Rows that are held back stand in the label file, not in a policy: that fix is passed over.
    """
    able = (each for each in _at_stake(audit).fixes if each.verdict == "SAFE")
    return next((each for each in able if not each.hold_back), None)


def _at_stake(audit: Audit) -> Verdict:
    """Return the first verdict that is not SAFE, or that on the final ranking."""
    return next((each for each in audit.verdicts if each.word != "SAFE"), audit.verdict)


def _text(settings: dict[str, Any]) -> str:
    """Return the policy's text; without the classes if they are too many for one file."""
    try:
        return policy_text(settings)
    except InvalidInput:
        return policy_text({name: each for name, each in settings.items() if name != "classes"})


def _audited(request: Request, gap: float) -> dict[str, Any]:
    """Return the settings that were audited."""
    if request.policy is not None:
        stated = request.policy.settings()
        settings = {name: value for name, value in stated.items() if value is not None}
    else:
        settings = {
            "release": request.release,
            "memory": request.memory,
            "final_choices": request.final_choices,
            "part": request.parts.name,
            **request.said,
            **_looks(request),
        }
    if gap <= MOST_POINTS:
        settings["ranking_gap"] = gap
    settings["classes"] = checked_classes(request.file.class_names)
    if request.looks.days is not None:
        settings["days"] = request.looks.days
    if request.teams > 1:
        settings["teams"] = request.teams
    return settings


def _shown(display: Display) -> dict[str, Any]:
    """Return what the board shows, as a policy says it; nothing for one accuracy."""
    if display.plain:
        return {}
    settings: dict[str, Any] = {"metric": str(display.metric)}
    if display.breakdown is not None:
        settings["breakdown"] = display.breakdown
    if display.beside:
        settings["also"] = list(display.beside)
    return settings


def _looks(request: Request) -> Mapping[str, Any]:
    """Return the looks of a team as they were stated, and enough of them for all teams."""
    looks = request.looks
    rate, unit = looks.rate or (looks.count, None)
    settings: dict[str, Any] = {"looks_per_team": rate, "window": WINDOWS[unit]}
    together = request.everyone_looks
    if request.teams > 1 or together > LOOKS_PER_DATA_SET:
        settings["looks_per_data_set"] = together
    return settings


def _fixed(request: Request, fix: Fix) -> Mapping[str, Any]:
    """Return the settings that a fix changes: its looks are for the whole life of the board.

    A fix counts the looks of all accounts that work together. So one account gets its share, and
    the data set as many as all teams have together.
    """
    settings: dict[str, Any] = {"release": fix.rule}
    if fix.looks < request.n_looks:
        own = max(1, fix.looks // request.accounts)
        settings |= {"looks_per_team": own, "window": "total"}
        known = max(request.teams, request.accounts)
        if known > 1:  # of one team nobody said how many there are: a second one has looks, too
            settings["looks_per_data_set"] = own * known
    return settings
