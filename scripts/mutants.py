"""Mutants of the paper's attacks: each must be killed by a test that carries its statement's mark.

    python scripts/mutants.py [--only WORD] [--sample COUNT] [--list]

A mutant is one replacement in one source file, such as a t of twice the size. For each, the tests
that carry the marker of its statement (`holdfast paper statements` lists them) run against a copy
of the package with that replacement, until the first fails. A mutant that passes them all has
survived: the statement is not measured sharply enough, and the exit code is 1. Nothing is written
into the source tree.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
# What the tests read besides the package.
COPIED = ("src", "tests", "docs", "benchmarks", "scripts", "pyproject.toml", "README.md")

LARGE, LARGE_BLIND = "fig:largek", "fig:largek-unk"
SMALL, SMALL_BLIND = "fig:smallk", "fig:smallk-unk"
COLUMNS = "attacks/paper/_column_attack.py"
RULES = "attacks/paper/rules.py"
LARGE_K = "bounds/column_vote.py"
BLIND_COLUMNS = "attacks/without_features/column_attack.py"
BLOCKS = "attacks/paper/block_majority.py"
BLIND_BLOCKS = "attacks/without_features/block_majority.py"
T = "1 + math.floor(k / (queries_per_nat * math.log(m)))"


class Mutant(NamedTuple):
    """A replacement, and the statement (or the test file) that must notice it."""

    name: str
    measured_by: str
    path: str
    old: str
    new: str


MUTANTS = (
    Mutant("t x 2", LARGE, LARGE_K, T, f"2 * ({T})"),
    Mutant("t / 2", LARGE, LARGE_K, T, f"({T}) // 2 + 1"),
    Mutant("t without its 1 +", LARGE, LARGE_K, T, T.removeprefix("1 + ")),
    Mutant(
        "sums for averages",
        "remark:uniform",
        RULES,
        "_average: ClassVar[bool] = True",
        "_average: ClassVar[bool] = False",
    ),
    Mutant(
        "sums for averages, no features",
        "remark:uniform",
        BLIND_COLUMNS,
        "average=self._average",
        "average=False",
    ),
    Mutant(
        "ties to the first label",
        LARGE,
        "kernels/columns.py",
        "if score > best_score or coin > best_coin:",
        "if score > best_score:",
    ),
    Mutant(
        "the lowest average wins",
        LARGE,
        "kernels/columns.py",
        "if score < best_score:",
        "if score > best_score and best_score > -np.inf:",
    ),
    Mutant(
        "columns of one label more",
        "remark:multiple",
        "kernels/columns.py",
        "counts[label] = k // m + (label < k % m)",
        "counts[label] = k // m + (label <= k % m)",
    ),
    Mutant(
        "the other examples unpermuted",
        "cor:minmax",
        COLUMNS,
        "        return self._shifted(votes)\n",
        "        guess = self._shifted(votes)\n        guess[self._n_live :] = 0\n"
        "        return guess\n",
    ),
    Mutant("X_t x 2", LARGE_BLIND, BLIND_COLUMNS, "n_live * 2**64 // n", "2 * n_live * 2**64 // n"),
    Mutant("X_t / 2", LARGE_BLIND, BLIND_COLUMNS, "n_live * 2**64 // n", "n_live * 2**63 // n"),
    Mutant(
        "half as many blocks", SMALL, BLOCKS, "return max(k - 1, 1)", "return max((k - 1) // 2, 1)"
    ),
    Mutant("the rarer label", SMALL, BLOCKS, "np.diff(counts) >= 0", "np.diff(counts) <= 0"),
    Mutant(
        "one query: never the second label", SMALL, BLOCKS, "m * counts >= n", "m * counts >= 0"
    ),
    Mutant("one query: compared with n/2", SMALL, BLOCKS, "m * counts >= n", "2 * counts >= n"),
    Mutant(
        "blocks of a third size",
        SMALL,
        BLOCKS,
        "self._edges = [n * block // blocks for block in range(blocks + 1)]",
        "self._edges = [n * block // (3 * blocks) for block in range(blocks)] + [n]",
    ),
    Mutant(
        "the rarer label, no features",
        SMALL_BLIND,
        BLOCKS,
        "is_one[: wins.size] = ~wins",
        "is_one[: wins.size] = wins",
    ),
    Mutant(
        "half as many blocks, no features",
        SMALL_BLIND,
        BLIND_BLOCKS,
        "one = is_one[scaled(keyed64(keys[j], block_seed), n_blocks)]",
        "one = is_one[scaled(keyed64(keys[j], block_seed), (n_blocks + 1) // 2)]",
    ),
    Mutant(
        "the permutation undone in the guess",
        "thm:reduction",
        "attacks/base.py",
        "moved = shifts + np.asarray(labels, dtype=np.uint32)",
        "moved = self._problem.n_classes - shifts + np.asarray(labels, np.uint32)",
    ),
    Mutant(
        "no permutation",
        "cor:minmax",
        "attacks/base.py",
        "            if self._permuted\n",
        "            if self._permuted is None\n",
    ),
    Mutant(
        "no permutation, no features",
        "cor:minmax_features",
        "attacks/without_features/keyed_classifier.py",
        "if not self.permuted:",
        "if self.permuted is not None:",
    ),
    Mutant(
        "an index of two examples",
        "remark:index",
        "attacks/without_features/by_index.py",
        "np.asarray(index, dtype=np.uint64)",
        "np.asarray(index, dtype=np.uint64) // np.uint64(2)",
    ),
    Mutant(
        "one level less on the Ladder",
        "tests/rules/test_ladder_transcripts.py",
        "rules/ladder.py",
        "n_levels(as_fraction(self.step)))",
        "n_levels(as_fraction(self.step)) - 1)",
    ),
    Mutant(
        "three levels less on the Ladder",
        "tests/rules/test_ladder_transcripts.py",
        "rules/ladder.py",
        "n_levels(as_fraction(self.step)))",
        "max(n_levels(as_fraction(self.step)) - 3, 1))",
    ),
)


def main() -> int:
    """Run the mutants that were asked for, and return the number of survivors as an exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="run the mutants whose name has this word")
    parser.add_argument("--sample", type=int, metavar="COUNT", help="run so many of them, drawn")
    parser.add_argument("--seed", type=int, default=0, help="the seed that draws the sample")
    parser.add_argument("--list", action="store_true", help="list the mutants and stop")
    options = parser.parse_args()
    chosen = [mutant for mutant in MUTANTS if options.only in mutant.name]
    if options.sample is not None:
        count = min(options.sample, len(chosen))
        chosen = random.Random(options.seed).sample(chosen, count)
    if options.list or not chosen:
        print("\n".join(f"{mutant.name}: {mutant.measured_by}" for mutant in MUTANTS))
        return 0 if options.list else 2
    with tempfile.TemporaryDirectory(prefix="holdfast-mutants-") as folder:
        tree = copy_of_the_tree(Path(folder))
        survivors = [mutant for mutant in chosen if not killed(mutant, tree)]
    print(f"{len(chosen)} mutants, {len(survivors)} survived.")
    return 1 if survivors else 0


def copy_of_the_tree(folder: Path) -> Path:
    """Return a copy of the project, with compiled functions: nothing is compiled twice."""
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name)
        else:
            shutil.copy2(source, folder / name)
    return folder


def killed(mutant: Mutant, tree: Path) -> bool:
    """Return whether a test fails on the mutant and not without it; the tree is left as it was."""
    path = tree / "src" / "holdfast" / mutant.path
    text = path.read_text(encoding="utf-8")
    started = time.monotonic()
    stat = path.stat()
    path.write_text(applied(mutant, text), encoding="utf-8")
    try:
        failed = first_failure(tests_of(mutant), tree)
    finally:
        path.write_text(text, encoding="utf-8")
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    sound = failed is not None and passes_unchanged(failed, tree)
    verdict = f"killed by {failed}" if sound else f"SURVIVED ({failed or 'no test failed'})"
    print(f"{mutant.name}: {verdict} ({time.monotonic() - started:.0f} s)", flush=True)
    return sound


def applied(mutant: Mutant, text: str) -> str:
    """Return a source file's text with the mutant in it."""
    if text.count(mutant.old) != 1:
        raise SystemExit(f"{mutant.name}: {mutant.path} must have its line exactly once.")
    return text.replace(mutant.old, mutant.new)


@cache
def passes_unchanged(test: str, tree: Path) -> bool:
    """Return whether a test passes on the code as it is: one that fails there kills nothing."""
    return first_failure([test], tree) is None


def tests_of(mutant: Mutant) -> list[str]:
    """Return the tests that must notice a mutant."""
    if mutant.measured_by.endswith(".py"):
        return [mutant.measured_by]
    sys.path.insert(0, str(ROOT / "src"))
    from holdfast.statements import collect

    label = f"acharya2020 {mutant.measured_by}"
    (statement,) = (found for found in collect(ROOT) if found.label == label)
    # Those that look at the design itself first: they take no time.
    return sorted(statement.tests, key=lambda test: "design" not in test)


def first_failure(tests: list[str], tree: Path) -> str | None:
    """Run tests until one fails, and return its id; None: all passed."""
    # Without the project's own options and other plugins, which take seconds to load.
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-o", "addopts=", "--strict-markers"]
    environment = {
        **os.environ,
        "PYTHONPATH": str(tree / "src"),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTEST_ADDOPTS": "",  # it may name options of plugins
    }
    run = subprocess.run(
        [*command, "-p", "no:cacheprovider", "-rf", "--no-header", *tests],
        cwd=tree,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode == 0:
        return None
    failed = re.search(r"^FAILED (.+?)(?: - |$)", run.stdout, re.MULTILINE)
    if run.returncode != 1 or failed is None:
        raise SystemExit(f"the tests could not run:\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
    return failed[1]


if __name__ == "__main__":
    sys.exit(main())
