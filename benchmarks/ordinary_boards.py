"""Ordinary boards as a host would audit them: verdict, fixes and policy, of each what is printed.

    HOLDFAST_DATA=DIR python -m benchmarks.ordinary_boards            # all of them, about an hour
    python -m benchmarks.ordinary_boards "five rows" sentiment ...    # some; the others stay

Each board is a label file and the command that a host would type. The files are drawn in the sizes
of competitions and benchmarks; six are real test sets, which are not part of the project
(`benchmarks.real.folder` says where they are looked for). What is kept is what the command tells:
sentences and the policy, no label.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.generated_base import Generated
from benchmarks.made import fingerprint
from benchmarks.real.folder import data_folder
from benchmarks.real.sets import read_set
from benchmarks.tables import DATA

__all__ = ["BOARDS", "OrdinaryBoards", "tables"]

SEED = 27
# What of a written policy the table shows, in this order.
SHOWN = ("release", "looks_per_team", "window", "days", "teams", "looks_per_data_set", "part")

Columns = dict[str, NDArray[Any]]


def drawn(sizes: tuple[int, ...], public: int | None = None) -> Callable[[], Columns]:
    """Return what makes the columns of so many rows of each class, in random order."""

    def columns() -> Columns:
        rng = np.random.default_rng(SEED)
        labels = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
        return {"label": labels} | (_usage(labels.size, public, rng) if public else {})

    return columns


def _usage(n_rows: int, public: int, rng: np.random.Generator) -> Columns:
    usage = np.full(n_rows, "Private")
    usage[rng.choice(n_rows, public, replace=False)] = "Public"
    return {"Usage": usage}


def five() -> Columns:
    """Return what somebody tries first."""
    return {"label": np.array([1, 0, 1, 1, 0])}


def prices() -> Columns:
    """Return prices with cents, half of them public."""
    rng = np.random.default_rng(SEED)
    values = np.round(np.exp(rng.normal(12.0, 0.4, 1459)), 2)
    return {"target": values} | _usage(1459, 730, rng)


def in_order() -> Columns:
    """Return ten classes one after the other."""
    return {"label": np.repeat(np.arange(10), 100)}


def real(name: str) -> Callable[[], Columns]:
    """Return what reads the labels of a real test set, in random order."""
    return lambda: {"label": np.asarray(read_set(data_folder(None), name).labels)}


@dataclass(frozen=True)
class Board:
    """What a host has and types: the columns of the label file, and the options."""

    what: str
    columns: Callable[[], Columns]
    options: str

    def write(self, path: Path) -> None:
        """Write the label file, with ids that say nothing."""
        columns = self.columns()
        n_rows = next(iter(columns.values())).size
        ids = np.random.default_rng(SEED + 1).permutation(10 * n_rows)[:n_rows]
        lines = [",".join(["id", *columns])]
        lines += [",".join(map(str, row)) for row in zip(ids, *columns.values(), strict=True)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


EVEN_DIGITS = (90,) * 9 + (89,)
BOARDS = {
    "five rows": Board("5 rows, 2 classes", five, "--looks 20"),
    "digits": Board("899 rows, 10 classes", drawn(EVEN_DIGITS), "--looks 1000"),
    "passengers": Board(
        "418 rows, 2 classes, 209 public", drawn((262, 156), 209),
        "--looks 10/day --days 60 --teams 1000",
    ),
    "pets": Board(
        "4,000 rows, 2 classes, 1,196 public", drawn((2000, 2000), 1196),
        "--looks 5/day --days 30 --teams 40",
    ),
    "house prices": Board(
        "1,459 prices with cents, 730 public", prices,
        "--metric rmse --looks 5/day --days 20 --teams 100",
    ),
    "fraud": Board(
        "4,000 rows, 187 of them positive", drawn((3813, 187)), "--metric f1 --looks 100"
    ),
    "churn": Board(
        "5,000 rows, 20 % positive, 1,500 public", drawn((4000, 1000), 1500),
        "--metric roc_auc --looks 5/day --days 20 --teams 200",
    ),
    "eyes": Board(
        "1,928 rows, 5 unequal classes, 289 public", drawn((1000, 190, 450, 120, 168), 289),
        "--metric cohen_kappa --looks 3/day --days 20 --teams 100",
    ),
    "sentiment": Board("1,821 rows, 2 classes", drawn((912, 909)), "--looks 2/day --days 30"),
    "entailment": Board(
        "9,796 rows, 3 classes, a Ladder", drawn((3300, 3296, 3200)),
        "--rule ladder:0.01 --looks 100",
    ),
    "science questions": Board("198 rows, 4 classes", drawn((50, 50, 49, 49)), "--looks 20"),
    "workshop": Board(
        "300 rows, 3 classes, a coarse Ladder", drawn((100,) * 3),
        "--rule ladder:0.05 --looks 20 --gap 10",
    ),
    "final phase": Board("5,000 rows, 2 classes", drawn((2500, 2500)), "--looks 3 --gap 5"),
    "in order": Board("1,000 rows, 10 classes one after the other", in_order, "--looks 100"),
    "mnist": Board("10,000 rows, 10 classes (real labels)", real("mnist"), "--looks 100"),
    "cifar10": Board(
        "10,000 rows, 10 classes (real labels)", real("cifar10"), "--rule round:3 --looks 200"
    ),
    "letter": Board(
        "10,000 rows, 26 classes (real labels)", real("letter"), "--rule ladder:0.01 --looks 200"
    ),
    "mmlu": Board("13,958 rows, 4 classes (real labels)", real("mmlu"), "--looks 50"),
    "mmlu_pro": Board("12,032 rows, 10 classes (real labels)", real("mmlu_pro"), "--looks 50"),
    "imagenet_v2": Board(
        "10,000 rows, 1,000 classes (real labels)", real("imagenet_v2"), "--looks 100"
    ),
}  # fmt: skip


def audited(name: str) -> dict[str, Any]:
    """Audit one board as its host would, and return what is told."""
    board = BOARDS[name]
    with tempfile.TemporaryDirectory() as folder:
        labels, policy = Path(folder) / "labels.csv", Path(folder) / "policy.toml"
        board.write(labels)
        words = [sys.executable, "-m", "holdfast", "audit", str(labels), *board.options.split()]
        done = subprocess.run(
            [*words, "--json", "--write-policy", str(policy)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if not done.stdout:
            raise RuntimeError(f"{name}: {done.stderr}")
        found = json.loads(done.stdout)
        settings = tomllib.loads(policy.read_text(encoding="utf-8")) if policy.exists() else None
    return {
        "verdicts": [_told(found[each]) for each in ("verdict", "public") if found[each]],
        "policy": settings and {key: settings[key] for key in SHOWN if key in settings},
    }


def _told(verdict: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sentences of one verdict."""
    fixes = [fix["text"] for fix in verdict["fixes"]]
    named = {name: verdict[name] for name in ("about", "word", "sentence")}
    return {**named, "fixes": fixes, "would_do": verdict["would_do"]}


def _row(name: str, kept: Mapping[str, Any]) -> str:
    """Return the lines that a page shows of one board."""
    board = BOARDS[name]
    verdicts = [
        f"{each['about']}: {each['sentence']}" if len(kept["verdicts"]) > 1 else each["sentence"]
        for each in kept["verdicts"]
    ]
    fixes: list[str] = []
    for each in kept["verdicts"]:
        for text in (*each["fixes"], *each["would_do"]):
            fixes.append(f"{len(fixes) + 1}. {text}")
    policy = "none"
    if kept["policy"]:
        policy = ", ".join(f"{key} = {value}" for key, value in kept["policy"].items())
    cells = [
        f"*{name}*: {board.what}<br>`{board.options}`",
        "<br>".join(verdicts),
        "<br>".join(fixes) or "–",
        policy,
    ]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


class OrdinaryBoards(Generated):
    """The table of boards, kept until somebody audits them again."""

    name = "ordinary-boards"
    command = "python -m benchmarks.ordinary_boards"
    seed = SEED
    files = (DATA / "ordinary-boards.json",)

    def content(self) -> dict[str, Any]:
        """Audit all boards."""
        return {"boards": {name: audited(name) for name in BOARDS}}

    def cells(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return no cell: each takes a minute, and the kept label files are audited by tests."""
        del content
        return {}

    def measured(self, cell: str) -> Any:
        """Return what is kept."""
        return self.probes(self.load())[cell]

    def probes(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return a digest of all boards."""
        return {"boards": fingerprint({"boards": content["boards"]})}

    def blocks(self, content: Mapping[str, Any]) -> dict[str, str]:
        """Return the table."""
        head = "| board, command | verdict | fixes | policy |\n|---|---|---|---|\n"
        rows = (_row(name, content["boards"][name]) for name in BOARDS if name in content["boards"])
        return {self.name: head + "".join(f"{row}\n" for row in rows)}


def tables() -> list[Generated]:
    """Return the table of boards."""
    return [OrdinaryBoards()]


def main() -> int:
    """Audit the named boards, or all; keep each as soon as it is there."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BOARDS))
    names = parser.parse_args().names or list(BOARDS)
    if unknown := set(names) - set(BOARDS):
        parser.error(f"no board is called {', '.join(sorted(unknown))}.")
    table = OrdinaryBoards()
    for name in names:
        kept = table.load()["boards"] if table.files[0].exists() else {}
        print(f"== {name}", flush=True)
        kept[name] = audited(name)
        table.keep({"boards": {each: kept[each] for each in BOARDS if each in kept}})
    return 0


if __name__ == "__main__":
    sys.exit(main())
