"""Every generated file of the project: which are stale, and how each is renewed.

    python -m benchmarks.generated            renew what is stale: a few cells come out differently
    python -m benchmarks.generated NAME ...   renew these, stale or not; `all`: all of them
    python -m benchmarks.generated --check    compare records, files and pages; play nothing
    python -m benchmarks.generated --measure  compute every cell again that takes seconds
    python -m benchmarks.generated --pages    put the numbers that are there into the pages

Each file carries its command, its seed and a fingerprint, a hash of all its numbers, so that an
edited one is found. Tests compute cells of every surface again, some always and others at random,
and `--check` does where they are formulas. Pages show numbers between markers. Not among them:
docs/cli.md and the list of statements, which `make docs` writes; tables of seconds, which depend on
the machine; docs/attacks/steering.md, whose models are not part of the project; and tables
that take minutes and lead to no number of the package, each of which has its command, trials and
seed beside it: borders and priors in docs/attacks/exact.md; tails, chained rounds, lengths of the
tail and variants of rounds in docs/research.md; rounds in lattice.md. Rows of real test sets and
ratios of times are kept and shown, and not computed again by tests.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path

from benchmarks import (
    champion_challenger,
    choosing_a_rule,
    designs,
    hit_pools,
    lattice,
    metrics,
    multiclass_pairing,
    ordinary_boards,
    power,
    standings,
    tiny,
)
from benchmarks.bounds_figure import Bounds
from benchmarks.detect import kept as detected
from benchmarks.generated_base import Generated
from benchmarks.packaged import Example, PlannerTables, WhatIf
from benchmarks.performance.kept import Performance
from benchmarks.real import kept as real
from benchmarks.shown import AuditShown, Demo, MatrixShown, make_demo
from benchmarks.small_games import SmallGames
from benchmarks.tables import ROOT, blocks, filled
from holdfast import statements

__all__ = ["everything", "pages", "stale_blocks", "stale_lists"]


def everything() -> dict[str, Generated]:
    """Return all generated numbers by name; what others are computed from comes first."""
    tables: list[Generated] = [
        table
        for module in (
            power,
            designs,
            hit_pools,
            lattice,
            champion_challenger,
            multiclass_pairing,
            tiny,
            choosing_a_rule,
            metrics,
            real,
            ordinary_boards,
            standings,
            detected,
        )
        for table in module.tables()
    ]
    found: list[Generated] = [PlannerTables(), WhatIf(), Example(), Demo(), AuditShown()]
    found += [MatrixShown(), Bounds(), Performance(), SmallGames(), *tables]
    return {each.name: each for each in found}


def pages() -> list[Path]:
    """Return the pages that show generated numbers."""
    files = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in files if blocks(page)]


def texts() -> dict[str, str]:
    """Return what every block has to show."""
    found = everything()
    shown = {
        name: text for each in found.values() for name, text in each.blocks(each.load()).items()
    }
    printed = (found[name].load()["printed"] for name in ("demo", "audit"))
    return {**shown, "make-demo": make_demo(*printed)}


def stale_blocks() -> list[str]:
    """Return the blocks of pages that show something else than the files."""
    wanted = texts()
    return [
        f"{page.relative_to(ROOT)}: {name}"
        for page in pages()
        for name, shown in blocks(page).items()
        if shown != wanted[name]
    ]


def check(found: dict[str, Generated]) -> int:
    """Print what does not fit together, with the command that mends it; return the exit code."""
    failed = 0
    for each in found.values():
        # Numbers without a seed are formulas: what they are now takes two seconds to see.
        stale = each.stale() if each.seed is None and not each.faults() else []
        for fault in [*each.faults(), *stale]:
            failed = 1
            print(f"{each.name}: {fault}; renew it with: {each.command}", file=sys.stderr)
    for text in [*stale_blocks(), *stale_lists()]:
        failed = 1
        print(f"{text} is stale; renew it with: make docs", file=sys.stderr)
    return failed


def measure(found: dict[str, Generated]) -> int:
    """Compute all quick cells again, print what differs, and return the exit code."""
    failed = 0
    for each in found.values():
        print(f"== {each.name}", flush=True)
        for fault in each.all_stale():
            failed = 1
            print(f"{fault}; renew it with: {each.command}", flush=True)
    return failed


def stale_lists() -> list[str]:
    """Return the page of commands and the list of statements, if the code says otherwise."""
    script = ROOT / "scripts" / "cli_page.py"
    spec = importlib.util.spec_from_file_location("cli_page", script)
    assert spec is not None
    assert spec.loader is not None
    commands = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(commands)
    fresh = {
        commands.PAGE: commands.page(),
        statements.PACKAGED: statements.as_json(statements.collect(ROOT)),
    }
    return [path.name for path, text in fresh.items() if path.read_text(encoding="utf-8") != text]


def main() -> int:
    """Renew or check."""
    found = everything()
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"all, {', '.join(found)}")
    parser.add_argument("--check", action="store_true", help="play nothing, only compare")
    parser.add_argument("--measure", action="store_true", help="compute all quick cells again")
    parser.add_argument("--pages", action="store_true", help="only put numbers into pages")
    options = parser.parse_args()
    if unknown := set(options.names) - {"all", *found}:
        parser.error(f"no numbers are called {', '.join(sorted(unknown))}.")
    if options.check:
        return check(found)
    if options.measure:
        return measure(found)
    if not options.pages:
        wanted = found if "all" in options.names else options.names
        for name, each in found.items():
            if name in wanted or (not options.names and (each.faults() or each.stale())):
                print(f"== {name}", flush=True)
                each.keep(each.content())
    for page in pages():
        page.write_text(filled(page, texts()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
