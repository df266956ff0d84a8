"""Writes `docs/audit.schema.json`: the JSON schema of what `holdfast audit --json` prints.

It follows from the types of the record, as reading and writing do, so that it can't fall behind:
`python scripts/audit_schema.py` renews it, and a test holds it.
"""

from __future__ import annotations

import json
import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from holdfast.audit.fractions import JSON_NAMES, factor_of, field_types
from holdfast.audit.quick import QuickAudit
from holdfast.audit.result import ALSO_ON_TOP, FORMAT, Audit

PLACE = Path(__file__).parent.parent / "docs" / "audit.schema.json"
PLAIN = {str: "string", bool: "boolean", int: "integer"}
ALIAS = {"description": "What the first format had here; it stands in board, too."}


def schema() -> dict[str, Any]:
    """Return the schema: a whole audit, or a quick one, which has no verdict."""
    parts: dict[str, Any] = {}
    whole, quick = _of(Audit, parts), _of(QuickAudit, parts)
    parts["Audit"]["properties"] |= dict.fromkeys((*ALSO_ON_TOP, "constant"), ALIAS)
    parts["QuickAudit"]["properties"] |= {"constant": {}, "worst_final": {}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"holdfast audit --json, format {FORMAT}",
        "description": "Gains and scores are in `unit`; `scale` of these are a difference of 1 "
        "between two scores. `grain` is what numbers computed from the labels are rounded to.",
        "anyOf": [whole, quick],
        "$defs": parts,
    }


def _of(kind: Any, parts: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a type; records are described once, in `parts`."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any:
        return {}
    if factor_of(kind, 1.0) is not None or kind is float:
        # A bound that is none, infinity, is null.
        return {"type": ["number", "null"]}
    if origin in (Union, types.UnionType):
        (kind,) = (each for each in inner if each is not type(None))
        return {"anyOf": [_of(kind, parts), {"type": "null"}]}
    if origin is Literal:
        return {"enum": list(inner)}
    if origin is tuple:
        return {"type": "array", "items": _of(inner[0], parts)}
    if is_dataclass(kind):
        return _record(kind, parts)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _of(inner[1], parts)}
    return {"type": PLAIN[kind]}


def _record(kind: Any, parts: dict[str, Any]) -> dict[str, Any]:
    if kind.__name__ not in parts:
        parts[kind.__name__] = {}  # so that it is not described twice
        types_of = field_types(kind)
        names = {each.name: JSON_NAMES.get(each.name, each.name) for each in fields(kind)}
        needed = [each.name for each in fields(kind) if each.default is MISSING]
        parts[kind.__name__] |= {
            "description": " ".join((kind.__doc__ or "").partition("\n\n")[0].split()),
            "type": "object",
            "required": sorted(names[each] for each in needed),
            "properties": {names[each]: _of(types_of[each], parts) for each in names},
        }
    return {"$ref": f"#/$defs/{kind.__name__}"}


def text() -> str:
    """Return the file's text."""
    return json.dumps(schema(), indent=1) + "\n"


if __name__ == "__main__":
    PLACE.write_text(text(), encoding="utf-8")
