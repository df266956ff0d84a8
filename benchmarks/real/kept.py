"""Kept rows of real test sets in docs/data, and the tables and a picture made from them.

The labels are not part of the project, so nothing here can be measured again without them: kept
rows stand until somebody who has the data plays again (`python -m benchmarks.real again`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.generated_base import Generated
from benchmarks.made import fingerprint
from benchmarks.real.figure import draw_gains, draw_thousand
from benchmarks.real.rows import Place, Plays, read_places
from benchmarks.real.sets import ROWS
from benchmarks.real.tables import analyst_blocks, gain_blocks
from benchmarks.tables import DATA, ROOT

__all__ = ["RealAnalysts", "RealGains", "tables"]


class Kept(Generated):
    """Rows of real test sets. The fingerprint is of all of them."""

    def content(self) -> dict[str, Any]:
        """Return what is kept."""
        return self.load()

    def cells(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return no cell: none can be measured without the data."""
        del content
        return {}

    def measured(self, cell: str) -> Any:
        """Return what is kept: without the data nothing else can be said."""
        return self.probes(self.load())[cell]

    def probes(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return a digest of all rows."""
        return {"rows": fingerprint({"rows": content["rows"]})}


class RealGains(Kept):
    """Gains of attacks."""

    def __init__(self) -> None:
        self.name, self.seed = "real-gains", ROWS
        self.command = "HOLDFAST_DATA=DIR python -m benchmarks.real games"
        images = ROOT / "docs" / "images"
        self.files = (
            DATA / "real-gains.json", images / "real_gains.svg", images / "thousand_looks.svg",
        )  # fmt: skip

    def places(self) -> dict[Place, Plays]:
        """Return what is kept, by place; nothing if nothing is."""
        return read_places(self.load()["rows"]) if self.files[0].exists() else {}

    def draw(self, content: Mapping[str, Any]) -> None:
        """Draw gains against looks, and those of a thousand."""
        places = read_places(content["rows"])
        draw_gains(places, content["sets"], self.files[1])
        draw_thousand(places, content["sets"], self.files[2])

    def blocks(self, content: Mapping[str, Any]) -> dict[str, str]:
        """Return the tables of sets and of gains."""
        return gain_blocks(read_places(content["rows"]), content["sets"])


class RealAnalysts(Kept):
    """What boards would have shown of real models."""

    def __init__(self) -> None:
        from benchmarks.real.analysts import SEED

        self.name, self.seed = "real-analysts", SEED
        self.command = "HOLDFAST_DATA=DIR python -m benchmarks.real analysts"
        self.files = (DATA / "real-analysts.json",)

    def blocks(self, content: Mapping[str, Any]) -> dict[str, str]:
        """Return the tables of fresh examples and of halves."""
        return analyst_blocks(content["rows"])


def tables() -> list[Generated]:
    """Return what is kept of real test sets."""
    return [RealGains(), RealAnalysts()]
