"""`python -m benchmarks.performance`: measure this commit, or compare it with another."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.performance.compare import changes, compared, report
from benchmarks.performance.record import (
    GROUPS,
    HEAD,
    Record,
    commit_of,
    measured,
    read_record,
    row_line,
)
from benchmarks.performance.rows import Row
from benchmarks.tables import ROOT

OUT = ROOT / "out"


def _run(path: Path | None, groups: list[str]) -> Record:
    """Measure, print rows as they come, and keep the record."""
    print("| " + " | ".join(HEAD) + " |\n|---|--:|---|--:|--:|--:|", flush=True)

    def tell(row: Row) -> None:
        print(row_line(row), flush=True)

    record = measured(groups, tell)
    kept = OUT / f"bench-{record.commit.rstrip('+')}.json" if path is None else path
    record.keep(kept)
    print(
        f"\nMemory copies {record.bytes_per_second / 1e9:.1f} GB/s, read and written. Kept: "
        f"{kept.relative_to(ROOT) if kept.is_relative_to(ROOT) else kept}"
    )
    return record


def _compare(base: str, groups: list[str]) -> int:
    """Compare with a commit, or with a record that is kept; 1 if something got slower."""
    if base.endswith(".json"):
        kept = OUT / f"bench-{commit_of(ROOT).rstrip('+')}.json"
        before, now = read_record(Path(base)), read_record(kept)
    else:
        before, now = compared(base, groups)
    found = changes(before, now)
    print(report(found, before.commit, now.commit))
    return int(any(each.verdict in ("SLOWER", "steeper") for each in found))


def _keep(path: Path | None, busy: bool) -> int:
    """Put a record's ratios into docs/data, from where `make docs` puts them into the page.

    One that was measured beside so much else that it had no core of its own is refused.
    """
    from benchmarks.performance.kept import Performance

    found = sorted(OUT.glob("bench-*.json"), key=lambda each: each.stat().st_mtime)
    if path is None and not found:
        print("error: there is no out/bench-*.json: run `make bench` first.", file=sys.stderr)
        return 2
    record = read_record(path or found[-1])
    load, cores = (float(record.machine.get(name) or 0) for name in ("load", "cores"))
    if load > cores and not busy:
        print(
            f"error: measured at a load of {load:g} on {cores:g} cores, which times tell more of "
            "than of the code; measure on an idle machine, or keep it with --busy.",
            file=sys.stderr,
        )
        return 2
    Performance().keep(Performance.of(record))
    return 0


def main() -> int:
    """Measure, compare or keep."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.performance",
        description="Every kernel against the plain way and the limit; exponents, cores, start.",
    )
    parser.add_argument("part", nargs="?", choices=["run", "compare", "keep"], default="run")
    parser.add_argument("base", nargs="?", help="compare with: a commit, or a kept .json record")
    parser.add_argument("--groups", nargs="+", choices=GROUPS, default=list(GROUPS))
    parser.add_argument("--json", type=Path, help="keep the record here")
    parser.add_argument("--busy", action="store_true", help="keep what a busy machine measured")
    given = parser.parse_args()
    if given.part == "compare":
        if not given.base:
            parser.error("compare needs BASE: a commit, or a kept record.")
        try:
            return _compare(given.base, given.groups)
        except ValueError as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
    if given.part == "keep":
        return _keep(given.json, given.busy)
    _run(given.json, given.groups)
    return 0


if __name__ == "__main__":
    sys.exit(main())
