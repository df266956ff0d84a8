"""Provenance of generated files: the command, the seed, and a fingerprint of what they hold.

The fingerprint is a hash of all the numbers: an edited one is found. Whether a file is stale is
found by computing some of them again: a hash of source files would change with every docstring and
every rename, and not with a dependency that changes a number. A picture carries the record of the
numbers that it was drawn from.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Made", "fingerprint", "made_of", "stamp", "write_json"]

SVG = re.compile(r"<!-- made: (\{.*?\}) -->\n")


class Made(NamedTuple):
    """How a file came to be."""

    command: str
    seed: int | None
    fingerprint: str


def fingerprint(numbers: Mapping[str, Any]) -> str:
    """Return a hash of named numbers, whatever their order.

    >>> fingerprint({"a": 1, "b": [0.5]}) == fingerprint({"b": [0.5], "a": 1})
    True
    """
    text = json.dumps(numbers, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def write_json(path: Path, made: Made, data: Mapping[str, Any]) -> None:
    """Write a record and the data, one line for each key."""
    items = {"made": made._asdict(), **data}
    lines = ",\n".join(f" {json.dumps(key)}: {_compact(value)}" for key, value in items.items())
    path.write_text("{\n" + lines + "\n}\n", encoding="utf-8")


def _compact(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], list | str):
        return "[\n  " + ",\n  ".join(map(_compact, value)) + "\n ]"
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def stamp(path: Path, made: Made) -> None:
    """Put the record into a picture, in place of one that is there."""
    text = json.dumps(made._asdict())
    if path.suffix == ".png":
        from PIL import Image
        from PIL.PngImagePlugin import PngInfo

        record = PngInfo()
        record.add_text("made", text)
        with Image.open(path) as picture:
            picture.load()
        picture.save(path, pnginfo=record, optimize=True)
        return
    if "--" in text:
        raise ValueError(f"the record of an SVG must not have --, which ends its comment: {text}")
    head, body = SVG.sub("", path.read_text(encoding="utf-8")).split("\n", 1)
    path.write_text(f"{head}\n<!-- made: {text} -->\n{body}", encoding="utf-8")


def made_of(path: Path) -> Made:
    """Return the record that a JSON file, a picture or a file of arrays carries."""
    if path.suffix == ".json":
        found = json.loads(path.read_text(encoding="utf-8"))["made"]
    elif path.suffix == ".png":
        from PIL import Image

        with Image.open(path) as picture:
            found = json.loads(str(picture.info["made"]))
    elif path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as arrays:
            found = json.loads(str(arrays["made"]))
    else:
        match = SVG.search(path.read_text(encoding="utf-8"))
        found = json.loads(match[1]) if match else {}
    return Made(**found)
