"""Two commits compared: the same benchmark on both, in turns, and what differs beyond noise.

The benchmark is this commit's; the code that it measures is looked up first in the other commit's
`src`. So rows mean the same on both sides, and one that the other commit can't run says so.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from benchmarks.performance.record import Record, commit_of, read_record
from benchmarks.performance.rows import Row
from benchmarks.tables import ROOT

__all__ = ["Change", "best_of", "changes", "compared", "report"]

# Ratios that differ by less are the same, whatever the spreads say; exponents by this difference.
LEAST_CHANGE, LEAST_EXPONENT = 0.10, 0.15
# The noise of a row: so many times what it differed by between repeats.
SPREADS = 3.0
ROUNDS = 2


class Change(NamedTuple):
    """A row of both: before, now, their ratio, the noise of it, and what that comes to."""

    name: str
    before: Row | None
    now: Row | None
    ratio: float
    noise: float
    verdict: str


def changes(before: Record, now: Record) -> list[Change]:
    """Compare the rows of two records."""
    old = {row.name: row for row in before.rows if row.failed is None}
    new = {row.name: row for row in now.rows if row.failed is None}
    found = [_change(old[name], row) for name, row in new.items() if name in old]
    found += [
        Change(name, None, row, math.nan, 0.0, "new")
        for name, row in new.items()
        if name not in old
    ]
    found += [
        Change(name, row, None, math.nan, 0.0, "gone")
        for name, row in old.items()
        if name not in new
    ]
    return found


def _change(before: Row, now: Row) -> Change:
    if now.group == "scaling":
        noise = max(LEAST_EXPONENT, SPREADS * math.hypot(before.spread, now.spread))
        moved = now.value - before.value
        verdict = "steeper" if moved > noise else "flatter" if moved < -noise else "same"
        return Change(now.name, before, now, moved, noise, verdict)
    noise = max(LEAST_CHANGE, SPREADS * math.hypot(before.spread, now.spread))
    ratio = now.value / before.value
    verdict = "SLOWER" if ratio > 1 + noise else "faster" if ratio < 1 / (1 + noise) else "same"
    return Change(now.name, before, now, ratio, noise, verdict)


def best_of(records: Sequence[Record]) -> Record:
    """Return the best of several runs of one commit, row by row: the least disturbed."""
    first = records[0]
    rows = []
    for at, row in enumerate(first.rows):
        runs = [record.rows[at] for record in records if len(record.rows) == len(first.rows)]
        able = [each for each in runs if each.failed is None and each.name == row.name]
        if not able:
            rows.append(row)
            continue
        best = min(able, key=lambda each: each.value)
        # What the runs differ by is noise, too.
        between = (max(each.value for each in able) - best.value) / 2.0
        share = between if row.group == "scaling" else between / max(best.value, 1e-12)
        rows.append(replace(best, spread=max(best.spread, share)))
    return replace(first, rows=tuple(rows))


def report(found: Sequence[Change], before: str, now: str) -> str:
    """Return the changes as a table, what differs first."""
    lines = [
        f"| row | {before} | {now} | ratio | noise | |",
        "|---|--:|--:|--:|--:|---|",
    ]
    for each in sorted(found, key=lambda change: change.verdict == "same"):
        old, new = ("-" if row is None else f"{row.value:.3g}" for row in (each.before, each.now))
        ratio = "" if math.isnan(each.ratio) else f"{each.ratio:.2f}"
        noise = "" if math.isnan(each.ratio) else f"{each.noise:.2f}"
        lines.append(f"| {each.name} | {old} | {new} | {ratio} | {noise} | {each.verdict} |")
    worse = sum(each.verdict in ("SLOWER", "steeper") for each in found)
    lines.append(f"\n{worse} of {len(found)} rows are worse beyond noise.")
    return "\n".join(lines)


def compared(base: str, groups: Sequence[str], rounds: int = ROUNDS) -> tuple[Record, Record]:
    """Measure another commit and this one in turns; return the best of both."""
    with _checked_out(base) as folder, tempfile.TemporaryDirectory() as kept:
        runs: dict[Path, list[Record]] = {folder: [], ROOT: []}
        for at in range(rounds):
            for source, records in runs.items():
                path = Path(kept) / f"{at}-{len(records)}-{source == ROOT}.json"
                print(f"round {at + 1} of {rounds}: {commit_of(source)}", file=sys.stderr)
                _measure(source, path, groups)
                records.append(replace(read_record(path), commit=commit_of(source)))
        return best_of(runs[folder]), best_of(runs[ROOT])


def _measure(source: Path, path: Path, groups: Sequence[str]) -> None:
    """Run this commit's benchmark on the code of a folder."""
    command = [sys.executable, "-m", "benchmarks.performance", "run", "--json", str(path)]
    environment = {**os.environ, "PYTHONPATH": str(source / "src")}
    subprocess.run(
        [*command, "--groups", *groups],
        check=True,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
    )


@contextmanager
def _checked_out(commit: str) -> Iterator[Path]:
    """Check a commit out beside this one, and remove it afterwards."""
    git = ["git", "-C", str(ROOT)]
    known = subprocess.run(
        [*git, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}"],
        capture_output=True,
        check=False,
    )
    if known.returncode:
        raise ValueError(f"BASE must be a commit of this repository, got {commit!r}.")
    with tempfile.TemporaryDirectory(prefix="holdfast-base-") as parent:
        folder = Path(parent) / "base"
        subprocess.run(
            [*git, "worktree", "add", "--detach", "--quiet", str(folder), commit], check=True
        )
        try:
            yield folder
        finally:
            subprocess.run([*git, "worktree", "remove", "--force", str(folder)], check=True)
