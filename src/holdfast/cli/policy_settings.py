"""A policy's settings from what its owner says and from the labels."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from holdfast import audit as auditing
from holdfast.errors import InvalidInput
from holdfast.files.label_files import read_labels
from holdfast.guard import Policy
from holdfast.guard.class_names import checked_classes, read_classes
from holdfast.guard.windows import Calendar, Rolling, parse_duration

__all__ = ["classes_setting", "looks_of", "settings_from_labels", "settings_from_looks"]

# The window that a rate's unit of time opens anew; an hour and a year are rolling spans.
WINDOWS = {
    None: "total",
    "hour": "1 hour",
    "day": "day",
    "week": "week",
    "month": "month",
    "year": "8766 hours",
}
DAY = parse_duration("1 day")
DEFAULT_LOOKS_PER_DATA_SET = 10_000


def settings_from_looks(text: str, days: int | None, teams: int | None) -> dict[str, Any]:
    """Return the looks of a team in a window, and enough looks for all teams together.

    >>> settings_from_looks("5/day", 60, 40)
    {'looks_per_team': 5, 'window': 'day', 'looks_per_data_set': 12000}
    """
    number, unit = auditing.parse_rate(text)
    settings: dict[str, Any] = {"looks_per_team": number, "window": WINDOWS[unit]}
    if unit is not None and days is None:
        return settings
    each = auditing.parse_looks(text, days=None if unit is None else days).count
    if teams is not None:
        settings["looks_per_data_set"] = each * teams
    elif each > DEFAULT_LOOKS_PER_DATA_SET:
        settings["looks_per_data_set"] = each
    return settings


def looks_of(policy: Policy, days: int | None) -> auditing.Looks:
    """Return a team's looks over the life of the board, as windows and the least gap allow."""
    days = policy.days if days is None else days
    looks = _looks_in_windows(policy, days)
    if not policy.gap or days is None:
        return looks
    most = days * DAY // policy.gap + 1  # one at the start, and one after each gap
    if looks.count <= most:
        return looks
    return auditing.Looks(most, f"one per {policy.min_gap} for {days:,} days")


def _looks_in_windows(policy: Policy, days: int | None) -> auditing.Looks:
    if not isinstance(policy.span, (Calendar, Rolling)):
        return auditing.parse_looks(str(policy.looks_per_team))
    if days is None:
        raise InvalidInput(
            f'days must be given, here or in the policy, as window is "{policy.window}".'
        )
    number = policy.looks_per_team
    for unit, window in WINDOWS.items():
        if unit is not None and window == policy.window.strip():
            return auditing.parse_looks(f"{number}/{unit}", days=days)
    assert isinstance(policy.span, Rolling)  # every calendar window is in the table
    windows = -(-days * DAY // policy.span.span)
    return auditing.Looks(number * windows, f"{number:,} per {policy.window} for {days:,} days")


def classes_setting(text: str, to: Path) -> str | tuple[str, ...]:
    """Return the classes for a policy: a file's path as seen from the policy, or the names.

    >>> classes_setting("cat, dog", Path("policy.toml"))
    ('cat', 'dog')
    """
    if Path(text).exists() or "," not in text:
        read_classes(Path(text))
        return os.path.relpath(text, to.parent)
    return checked_classes([name.strip() for name in text.split(",")])


def settings_from_labels(
    labels: Path,
    given: Mapping[str, Any],
    *,
    id_column: str | None,
    label_column: str | None,
    folder: Path,
) -> dict[str, Any]:
    """Return class names and part of a label file; what was given must fit it, and stays."""
    classes = given.get("classes")
    known = read_classes(folder / classes) if isinstance(classes, str) else classes
    file = read_labels(labels, id_column=id_column, label_column=label_column, class_names=known)
    scored = auditing.parts_of(file, part=given.get("part", "auto"))
    found = {"classes": checked_classes(file.class_names), "part": scored.name}
    return {name: given.get(name, value) for name, value in found.items()}
