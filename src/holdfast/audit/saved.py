"""Saved audits: records read back from what `holdfast audit --json` printed.

The reader follows the types of the records, so that a field needs no second description here: a
dataclass is an object with its fields, a tuple a list, `Points` a fraction that is multiplied by
100. What a later version added is ignored, and what it needs and does not find is named by its
place, such as `verdict.points.mean`.
"""

from __future__ import annotations

import json
import math
import os
import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from holdfast.audit.fractions import JSON_NAMES, factor_of, field_types, scaled
from holdfast.audit.result import FRACTIONS, POINTS, Audit, point_in_json, surfaces_scaled
from holdfast.errors import InvalidInput
from holdfast.quoting import quoted

__all__ = ["read_audit"]

WRITE_AGAIN = "Write it again with this version's holdfast audit --json."


def read_audit(path: str | os.PathLike[str]) -> Audit:
    """Read the record in a file; one of another shape is refused with the place that differs.

    Parameters
    ----------
    path
        What `holdfast audit --json` printed, of accuracy or of any metric; quick audits have no
        verdict and are refused.

    Returns
    -------
    Audit
        The record as it was before it was written, but for digits that JSON does not keep: pages
        and comparisons can't tell it from a fresh one.
    """
    name = Path(path).name
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidInput(f"{name} can't be read: {error.strerror or error}.") from None
    except ValueError as error:  # broken JSON and broken UTF-8 alike
        raise InvalidInput(f"{name} must be JSON of holdfast audit --json: {error}.") from None
    if isinstance(data, Mapping) and data.get("quick") is True:
        raise InvalidInput(
            f"{name} must be JSON of a whole audit, which has a verdict: no --quick."
        )
    if not (isinstance(data, Mapping) and "verdict" in data):
        raise InvalidInput(f"{name} must be JSON of holdfast audit --json: it has no verdict.")
    try:
        unit = data.get("unit", FRACTIONS)  # the first format named none for accuracies
        point = point_in_json(unit)
        told = {"unit": POINTS if unit == FRACTIONS else unit}
        told["scale"] = data.get("scale", 1.0) / point
        audit: Audit = _read(Audit, {**data, **told}, "", point)
    except _Mismatch as mismatch:
        raise InvalidInput(
            f"{name} is no audit of this version: {mismatch}. {WRITE_AGAIN}"
        ) from None
    return replace(audit, what_if=surfaces_scaled(audit.what_if, 1.0 / point))


class _Mismatch(Exception):
    """A place that holds something else than the record has there."""


def _read(kind: Any, value: Any, where: str, point: float) -> Any:
    """Return JSON data as a value of this type; what the type does not know is left out.

    `where` is the place so far, for the message. Of a union only `X | None` occurs in records.
    """
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any:
        return value
    if origin in (Union, types.UnionType):
        if value is None and type(None) in inner:
            return None
        (kind,) = (each for each in inner if each is not type(None))
        return _read(kind, value, where, point)
    if origin is Literal:
        _must(value in inner, where, f"one of {', '.join(map(str, inner))}", value)
        return value
    if origin is tuple:
        _must(isinstance(value, list), where, "a list", value)
        return tuple(
            _read(inner[0], each, f"{where}[{at}]", point) for at, each in enumerate(value)
        )
    if is_dataclass(kind):
        return _record(kind, value, where, point)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        _must(isinstance(value, Mapping), where, "an object", value)
        return {key: _read(inner[1], each, f"{where}.{key}", point) for key, each in value.items()}
    factor = factor_of(kind, point)
    if factor is not None:
        return scaled(_read(float, value, where, point), 1.0 / factor)
    if kind is float:
        # JSON has no word for infinity; a bound that is none was written as null.
        value = math.inf if value is None else value
        right = isinstance(value, int | float) and not isinstance(value, bool)
        _must(right, where, "a number", value)
        return float(value)
    _must(isinstance(value, kind), where, kind.__name__, value)
    return value


def _record(kind: Any, value: Any, where: str, point: float) -> Any:
    """Return a dataclass from an object: fields with defaults may be missing, others may not."""
    _must(isinstance(value, Mapping), where, "an object", value)
    hints = field_types(kind)
    given = {}
    for field in fields(kind):
        name = JSON_NAMES.get(field.name, field.name)
        place = f"{where}.{name}".lstrip(".")
        if name in value:
            given[field.name] = _read(hints[field.name], value[name], place, point)
        elif field.default is MISSING and field.default_factory is MISSING:
            raise _Mismatch(f"{place} is missing")
    return kind(**given)


def _must(right: bool, where: str, what: str, value: Any) -> None:
    if not right:
        raise _Mismatch(f"{where} must be {what}, got {quoted(value)}")
