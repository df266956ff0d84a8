"""Simulated teams whose looks are unexplained at a rate: how many are ever flagged at p0 = 0.1.

    python -m benchmarks.generated detect-rates

All teams at once, by the recursion of `holdfast.detect.Evidence`, which a test compares with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks.detect.common import SEED
from benchmarks.generated_base import Generated
from benchmarks.tables import DATA
from holdfast.detect.evidence import FLAG, GRACE, LEAST_RATE, SHARE_WEIGHTS, SHARES, start_weight

__all__ = ["Rates", "flagged_share"]

# Slips at first, the rate of ones behind them, teams and looks.
CELLS: dict[str, tuple[int, float, int, int]] = {
    f"{GRACE} slips, rate 0.1": (GRACE, 0.1, 10_000, 50),
    **{
        f"{slips} slips, rate {rate}": (slips, rate, 1_000, 100)
        for rate in (0.15, 0.2, 0.3)
        for slips in (GRACE, 0)
    },
}


def flagged_share(rate: float, teams: int, looks: int, slips: int, seed: int) -> float:
    """Return how many teams are ever flagged whose looks are ones at a rate, the first ones all."""
    rng = np.random.default_rng(seed)
    bits = rng.random((looks, teams)) < rate
    bits[:slips] = True
    shares = np.array(SHARES)
    up = np.log(shares / LEAST_RATE)[:, None, None]
    down = np.log((1 - shares) / (1 - LEAST_RATE))[:, None, None]
    starts = np.log([start_weight(at + 1)[0] for at in range(looks)])
    logs = np.log(np.array(SHARE_WEIGHTS))[:, None, None] + starts[None, :, None]
    logs = np.repeat(logs, teams, axis=2)
    ones, most = np.zeros((looks, teams)), np.zeros(teams)
    for at, bit in enumerate(bits):
        ones[: at + 1] += bit
        logs[:, : at + 1] += np.where(bit, up * (ones[None, : at + 1] > GRACE), down)
        most = np.maximum(most, np.exp(logs[:, : at + 1]).sum(axis=(0, 1)))
    # Starts that are still to come stand at 1 at most.
    return float((most + 1.0 >= FLAG).mean())


class Rates(Generated):
    """How many simulated teams are flagged."""

    def __init__(self) -> None:
        self.name, self.seed = "detect-rates", SEED
        self.command = "python -m benchmarks.generated detect-rates"
        self.files = (DATA / "detect-rates.json",)

    def content(self) -> dict[str, Any]:
        """Simulate all."""
        return {"cells": {cell: self.measured(cell) for cell in CELLS}}

    def cells(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return all, of which the one with most teams takes seconds."""
        return {cell: share for cell, share in content["cells"].items() if CELLS[cell][2] <= 1_000}

    def measured(self, cell: str) -> float:
        """Simulate one."""
        slips, rate, teams, looks = CELLS[cell]
        return flagged_share(rate, teams, looks, slips, self.seed or 0)

    def blocks(self, content: Mapping[str, Any]) -> dict[str, str]:
        """Return the table."""
        head = ("rate of ones behind three slips", "teams", "looks", "ever flagged, %",
                "without slips")  # fmt: skip
        lines = [f"| {' | '.join(head)} |", "|--:|--:|--:|--:|--:|"]
        for cell, (slips, rate, teams, looks) in CELLS.items():
            if slips:
                without = content["cells"].get(f"0 slips, rate {rate}")
                shown = "" if without is None else f"{100 * without:.1f}"
                share = 100 * content["cells"][cell]
                lines.append(f"| {rate} | {teams:,} | {looks} | {share:.2g} | {shown} |")
        return {self.name: "\n".join([*lines, "", ""])}
