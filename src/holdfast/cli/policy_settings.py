"""A policy's settings from what its owner says and from the labels."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["classes_setting", "settings_from_labels", "settings_from_looks"]

# As in the policy's template.
DEFAULT_LOOKS_PER_DATA_SET = 10_000


def settings_from_looks(text: str, days: int | None, teams: int | None) -> dict[str, Any]:
    """Return the looks of a team in a window, and enough looks for all teams together.

    >>> settings_from_looks("5/day", 60, 40)
    {'looks_per_team': 5, 'window': 'day', 'looks_per_data_set': 12000}
    """
    from holdfast.guard.looks import WINDOWS, parse_looks, parse_rate

    number, unit = parse_rate(text)
    settings: dict[str, Any] = {"looks_per_team": number, "window": WINDOWS[unit]}
    if unit is not None and days is None:
        return settings
    each = parse_looks(text, days=None if unit is None else days).count
    if teams is not None:
        settings["looks_per_data_set"] = each * teams
    elif each > DEFAULT_LOOKS_PER_DATA_SET:
        settings["looks_per_data_set"] = each
    return settings


def classes_setting(text: str, to: Path) -> str | tuple[str, ...]:
    """Return the classes for a policy: a file's path as seen from the policy, or the names.

    >>> classes_setting("cat, dog", Path("policy.toml"))
    ('cat', 'dog')
    """
    from holdfast.guard.class_names import checked_classes, read_classes

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
    from holdfast.files.label_files import read_labels
    from holdfast.guard.class_names import checked_classes, read_classes
    from holdfast.guard.parts import rows_of_parts, scored_part

    classes = given.get("classes")
    known = read_classes(folder / classes) if isinstance(classes, str) else classes
    file = read_labels(labels, id_column=id_column, label_column=label_column, class_names=known)
    scored = scored_part(rows_of_parts(file), file.n_examples, given.get("part", "auto"))
    found = {"classes": checked_classes(file.class_names), "part": scored.name}
    return {name: given.get(name, value) for name, value in found.items()}
