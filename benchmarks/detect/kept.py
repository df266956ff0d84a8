"""What was measured of the detector, kept in docs/data, and the tables made from it.

    python -m benchmarks.detect.kept OUT

takes the rows that the other measurements have written into OUT, and of what was trained on
made-up sets of two and four classes the first rows, for tests. The labels of the seven sets are not
part of the project, so nothing here can be measured again without them; nor is what was predicted
of them, which `benchmarks.detect.train` predicts again.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.detect.common import SEED
from benchmarks.detect.groups import groups, spread
from benchmarks.detect.simulated import Rates
from benchmarks.detect.tables import detect_blocks
from benchmarks.generated_base import Generated
from benchmarks.made import fingerprint
from benchmarks.real.kept import Kept
from benchmarks.tables import DATA, ROOT

__all__ = ["Detected", "tables"]

# Groups of honest teams: in which file, by which columns, and what a team is called.
HONEST: dict[str, tuple[str, Sequence[str], Sequence[str]]] = {
    "real": ("real", ("set", "members"), ("set", "order")),
    "look-alikes": ("synthetic", ("kind", "members"), ("kind", "set", "seed")),
    "trained": ("trained", ("set", "members"), ("team",)),
    "scores": ("scores-honest", ("set", "metric", "members"), ("kind", "seed")),
}
SMALL = ("what", "n", "members")
# What is kept of a board.
OF_A_BOARD = ("what", "baselines", "teams_honest", "flagged_honest", "guilty", "flagged_guilty",
              "refused", "p0", "merged_at", "panel", "panel_honest")  # fmt: skip
# What tests hold of trained teams: so many rows of these sets.
LOOKALIKES = ROOT / "tests" / "detect" / "lookalikes.npz"
KEPT_SETS, KEPT_ROWS = ("made-2", "made-4"), 4_000
OF_A_GAME = (
    "set",
    "rule",
    "attack",
    "seed",
    "from_model",
    "looks",
    "ones",
    "decided",
    "flagged",
    "one_sd_at",
    "gain",
    "gain_when_flagged",
    "blocks",
    "turns",
)


class Detected(Kept):
    """Honest teams, look-alikes, attacks, evasions and whole boards."""

    def __init__(self) -> None:
        self.name, self.seed = "detect", SEED
        self.command = "python -m benchmarks.detect.kept OUT"
        self.files = (DATA / "detect.json",)

    def probes(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return a digest of all that is kept."""
        kept = {name: value for name, value in content.items() if name != "made"}
        return {"rows": fingerprint(kept)}

    def blocks(self, content: Mapping[str, Any]) -> dict[str, str]:
        """Return the tables of the page."""
        return detect_blocks(content)


def tables() -> list[Generated]:
    """Return what is kept, and what is simulated."""
    return [Detected(), Rates()]


def read(out: Path, name: str) -> list[dict[str, Any]]:
    """Return the rows of a file."""
    with (out / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def content_of(out: Path) -> dict[str, Any]:
    """Return what is kept of all rows."""
    found: dict[str, Any] = {}
    for what, (file, by, named) in HONEST.items():
        rows = read(out, file)
        found[what] = [[*key, *group] for key, group in groups(rows, by, named).items()]
    games = read(out, "attacks")
    played = [row for row in games if "error" not in row and row["looks"]]
    found["columns"] = list(OF_A_GAME)
    found["attacks"] = [[row[name] for name in OF_A_GAME] for row in played]
    found["not played"] = sorted({row["attack"] for row in games}
                                 - {row["attack"] for row in played})  # fmt: skip
    found["evasions"] = list(evasions(read(out, "evade")))
    found["scores attacked"] = [
        [row[name] for name in ("set", "metric", "rule", "attack", "before", "after", "looks",
                                "ones", "decided", "flagged")]
        for row in read(out, "scores-attacks")
        if "error" not in row
    ]  # fmt: skip
    small = groups(read(out, "small"), SMALL, ("set", "order")).items()
    found["small"] = [
        [*key, each.teams, each.ones, each.decided, len(each.flagged), len(each.flagged_at_rate)]
        for key, each in small
    ]
    found["boards"] = [[board_of(row)[name] for name in OF_A_BOARD] for row in read(out, "season")]
    found["columns of boards"] = list(OF_A_BOARD)
    return found


def board_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a board's row with the number of baselines, and of guilty accounts flagged."""
    guilty = len(row["flagged"]) - row["flagged_honest"]
    return {"baselines": 1, **row, "flagged_guilty": guilty}


def evasions(rows: Sequence[Mapping[str, Any]]) -> Iterator[list[Any]]:
    """Yield way, set, close rows, games, flagged, their median look, and the mean gain."""
    cells: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        cells.setdefault((row["way"], row["set"], row["close"]), []).append(row)
    for key, games in cells.items():
        flagged = sorted(row["flagged"] for row in games if row["flagged"] is not None)
        mean, error = spread([row["gain"] for row in games])
        at = flagged[len(flagged) // 2] if flagged else None
        yield [*key, len(games), len(flagged), at, round(mean, 2), round(error, 2)]


def keep_lookalikes(out: Path) -> None:
    """Write what trained teams predicted on the first rows of some sets, (rows, looks) each."""
    kept = {}
    for file in sorted((out / "lookalikes").glob("*.npz")):
        if file.stem.partition(" ")[0] in KEPT_SETS:
            with np.load(file, allow_pickle=False) as arrays:
                # Rows by looks pack best: a row is mostly the same.
                rows = arrays["looks"][:, :KEPT_ROWS].T
            kept[file.stem] = np.ascontiguousarray(rows).astype(np.uint8)
    np.savez_compressed(LOOKALIKES, allow_pickle=False, **kept)


def main() -> None:
    """Keep it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path)
    out = parser.parse_args().out
    Detected().keep(content_of(out))
    keep_lookalikes(out)


if __name__ == "__main__":
    main()
