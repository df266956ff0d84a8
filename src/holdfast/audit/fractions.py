"""The record's units: percentage points for people, fractions for programs.

A field of type `Points` holds a gain or a score in the unit of its audit. In JSON it is what a
point is there: a hundredth for accuracies, one for any other unit. A `Percent` is divided by 100 in
all of them. A name that says points or per cent is replaced by one that does not; `grain` is what
the first versions called the rounding unit, and programs that read the JSON know it by that name.
"""

from __future__ import annotations

import math
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

__all__ = ["JSON_NAMES", "Percent", "Points", "factor_of", "field_types", "in_fractions", "scaled"]

Points = Annotated[float, "in the audit's unit, by default percentage points"]
Percent = Annotated[float, "per cent"]

JSON_NAMES = {
    "points": "gain",
    "rounding_unit": "grain",
    "gap_points": "gap",
    "price_points": "blur",
    "worst_final_points": "worst_final_gain",
    "accuracy_percent": "accuracy",
    "majority_percent": "majority",
}
# Enough for every number in points that was rounded for reading, so that it is read back as it was.
DIGITS = 12


def factor_of(kind: Any, point: float) -> float | None:
    """Return what a number of this type is multiplied by in JSON; None: it is written as it is.

    Types are compared by what they are, not by their names.
    """
    if kind == Points:
        return point
    return 0.01 if kind == Percent else None


def field_types(record: type) -> dict[str, Any]:
    """Return the types of a record's fields, `Points` told from other numbers."""
    return get_type_hints(record, include_extras=True)


def in_fractions(value: Any, kind: Any = Any, point: float = 0.01) -> Any:
    """Return a record, or a part of one that has this type, as plain data for JSON.

    People read points, programs compute with fractions: a threshold of 0.01 in a script must not
    meet a gain of 1.2. What a number is follows from its field's type, not from its name, so that a
    new field of type `Points` is converted without anybody's help. `point` is what a point is.

    >>> in_fractions(12.5, Points), in_fractions((0.5, None), tuple[Points | None, ...])
    (0.125, [0.005, None])
    """
    if is_dataclass(value):
        hints = field_types(type(value))
        return {
            JSON_NAMES.get(field.name, field.name): in_fractions(
                getattr(value, field.name), hints[field.name], point
            )
            for field in fields(value)
        }
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType) and value is not None:
        (kind,) = (each for each in inner if each is not type(None))
        return in_fractions(value, kind, point)
    if isinstance(value, Mapping):
        of = inner[1] if len(inner) == 2 else Any
        return {str(name): in_fractions(part, of, point) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [in_fractions(part, inner[0] if inner else Any, point) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON has no word for it
    factor = factor_of(kind, point)
    return value if factor is None or value is None else scaled(value, factor)


def scaled(value: Any, factor: float) -> Any:
    """Return numbers, in lists and mappings too, times a factor; other values as they are.

    >>> scaled({"allowed": [2.09, None]}, 0.01)
    {'allowed': [0.0209, None]}
    """
    if isinstance(value, Mapping):
        return {name: scaled(part, factor) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [scaled(part, factor) for part in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return round(float(value) * factor, DIGITS)
