"""The records' form: what is kept of an outcome, files of one case per line, and differences."""

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
TOLERANCE = 1e-9  # relative, for floats
DIGITS = 12  # of a float that are kept
# Texts of more words than a name has are sentences: only the numbers in them are kept, so that
# wording is free.
WORDS = 3
NUMBER = re.compile(r"(?<![\w.])[-+±]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
# Times, versions, places in the source tree, and the audit page's table, which is a data file.
VOLATILE = {
    *("seconds", "seconds_per_trial", "exhaustive_doubling_looks"),
    *("date", "versions", "files", "tests", "what_if"),
}


def kept(value: Any, name: str = "") -> Any:
    """Return what a record keeps of JSON data."""
    if name in VOLATILE and value is not None:
        return f"<{name}>"
    if isinstance(value, dict):
        return {key: kept(part, key) for key, part in value.items()}
    if isinstance(value, list):
        return [kept(part) for part in value]
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, str) and len(value.split()) > WORDS:
        return " ".join(["text:", *NUMBER.findall(value)])
    return value


def differences(old: Any, new: Any, path: str = "") -> Iterator[str]:
    """Name each place in which two outcomes differ, with both values."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            where = f"{path}.{key}"
            if key not in new:
                yield f"{where}: was {short(old[key])}, is gone"
            elif key not in old:
                yield f"{where}: was not there, is {short(new[key])}"
            else:
                yield from differences(old[key], new[key], where)
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield f"{path}: had {len(old)} parts, has {len(new)}"
        for at, (one, other) in enumerate(zip(old, new, strict=False)):
            yield from differences(one, other, f"{path}[{at}]")
    elif not same(old, new):
        yield f"{path}: was {short(old)}, is {short(new)}"


def same(old: Any, new: Any) -> bool:
    if type(old) is not type(new):
        return False
    if isinstance(old, float):
        return math.isclose(old, new, rel_tol=TOLERANCE, abs_tol=1e-15)
    return bool(old == new)


def short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 120 else f"{text[:117]}..."


def packed(value: Any) -> Any:
    """Return data with the names of a list of records written once; `unpacked` undoes it."""
    if isinstance(value, dict):
        return {key: packed(part) for key, part in value.items()}
    if not isinstance(value, list):
        return value
    if len(value) > 1 and all(isinstance(part, dict) and [*part] == [*value[0]] for part in value):
        return {"names": [*value[0]], "rows": [packed([*part.values()]) for part in value]}
    return [packed(part) for part in value]


def unpacked(value: Any) -> Any:
    if isinstance(value, list):
        return [unpacked(part) for part in value]
    if not isinstance(value, dict):
        return value
    if [*value] == ["names", "rows"]:
        return [dict(zip(value["names"], unpacked(row), strict=True)) for row in value["rows"]]
    return {key: unpacked(part) for key, part in value.items()}


def read(kind: str) -> dict[str, Any]:
    """Return the recorded outcomes of one kind, by case."""
    path = FOLDER / f"{kind}.json"
    return unpacked(json.loads(path.read_text())["cases"]) if path.exists() else {}


def write(kind: str, cases: dict[str, Any]) -> None:
    """Write the outcomes of one kind, a case on each line."""
    lines = ",\n".join(
        f"{json.dumps(name)}: {json.dumps(packed(outcome), separators=(',', ':'))}"
        for name, outcome in cases.items()
    )
    head = json.dumps(f"python -m tests.golden --write {kind}")
    (FOLDER / f"{kind}.json").write_text(f'{{"made by": {head},\n"cases": {{\n{lines}\n}}}}\n')
