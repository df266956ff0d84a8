"""Whole commands as README and pages show them: the demo, the audit, the matrix of rules."""

from __future__ import annotations

import contextlib
import io
import math
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.generated_base import Generated
from benchmarks.tables import DATA, ROOT
from holdfast.certificates import certify
from holdfast.cli import main
from holdfast.cli.plain import blur
from holdfast.cores import available_cores
from holdfast.experiments import Matrix, heat_map, mean_of, run, run_matrix, summarise
from holdfast.experiments.demonstration import demo_experiments
from holdfast.experiments.matrix_plays import Task, play_once
from holdfast.experiments.suite import SUITE
from holdfast.problem import Problem
from holdfast.rules import parse_rule

__all__ = ["AuditShown", "Demo", "MatrixShown", "make_demo"]

IMAGES = ROOT / "docs" / "images"
# What the README shows of the demo's table, and where an audit's verdict begins and ends.
LOOKS_SHOWN = 501
VERDICTS = ("UNSAFE", "MARGINAL", "SAFE")
AFTER_VERDICT = ("Fix: ", "note ", "warning ", "Page:")
# Pixels of the picture of the audit's page, which ends with the first chart.
WIDTH = 1000


@contextlib.contextmanager
def _printed(*words: str) -> Iterator[tuple[Path, list[str]]]:
    """Run a command in a folder of its own; yield the folder and the lines that it printed."""
    out = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        with contextlib.redirect_stdout(out):
            if (code := main(words)) != 0:
                raise RuntimeError(f"holdfast {' '.join(words)} ended with exit code {code}.")
        yield Path(folder), [line.rstrip() for line in out.getvalue().splitlines()]


def _rows(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield the cells of every row of the tables that a command printed."""
    for line in lines:
        if line.startswith("│"):
            yield [cell.strip() for cell in line.strip("│").split("│")]


class Demo(Generated):
    """`holdfast demo`: its table in the README, and the figure."""

    name = "demo"
    command = "python -m benchmarks.generated demo"
    seed = 0
    files = (DATA / "demo.json", IMAGES / "bias.png", IMAGES / "bias.svg")

    def content(self) -> dict[str, Any]:
        """Run the command, and keep its figure."""
        with _printed("demo", "--seed", str(self.seed)) as (folder, lines):
            for picture in self.files[1:]:
                shutil.copy(folder / "out" / picture.name, picture)
        return {"printed": lines}

    def cells(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return the gain of every attack that the table shows."""
        found, looks = {}, ""
        for first, attack, gain, *_ in _rows(content["printed"]):
            looks = first.replace(",", "") or looks
            found[f"{attack.partition(':')[0]} {looks}"] = gain
        return found

    def measured(self, cell: str) -> str:
        """Play one attack again."""
        attack, looks = cell.split()
        (here,) = (
            each
            for each in demo_experiments(self.seed)
            if each.attack == attack and each.problem.n_queries == int(looks)
        )
        (summary,) = summarise(run([here]))
        mean, stderr = summary["bias"]
        return f"{100 * mean:.2f} ± {100 * stderr:.2f}"


class AuditShown(Generated):
    """`holdfast audit` of the embedded example: what the README shows, and the page's picture."""

    name = "audit"
    command = "python -m benchmarks.generated audit"
    seed = 0
    files = (DATA / "audit.json", IMAGES / "audit.png")

    def content(self) -> dict[str, Any]:
        """Run the command, and take the page's picture."""
        from tests.audit.browser import chromium

        words = ("audit", "--report", "out/audit.html")
        with chromium() as browser, _printed(*words) as (folder, lines):
            page = browser.new_page(viewport={"width": WIDTH, "height": WIDTH})
            page.goto((folder / "out" / "audit.html").as_uri())
            page.wait_for_timeout(3000)  # until the charts are drawn
            chart = page.locator("#gain-chart").bounding_box()
            end = chart["y"] + chart["height"]
            clip = {"x": 0, "y": 0, "width": WIDTH, "height": end}
            page.screenshot(path=self.files[1], full_page=True, clip=clip)
        return {"printed": self.repeatable(lines)}

    def all_stale(self) -> list[str]:
        """Run the command again, and return the lines that differ."""
        with _printed("audit", "--report", "out/audit.html") as (_, lines):
            fresh, kept = self.repeatable(lines), self.load()["printed"]
        return [f"{line!r} is not kept" for line in fresh if line not in kept]

    def repeatable(self, lines: Sequence[str]) -> list[str]:
        """Leave out the paragraph that ends with the seconds it took."""
        text = "\n".join(lines)
        took = re.compile(r"^Labels \w+, seed .*?Took [\d.]+\ss\.\n", re.MULTILINE | re.DOTALL)
        return took.sub("", text).split("\n")

    def cells(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return what each of the compared rules allows."""
        compared = content["printed"].index("release rules compared, in points")
        rows = _rows(content["printed"][compared:])
        # A row that is too wide goes on below, with nothing in its numbers.
        return {row[0].removesuffix(" (policy)"): row[3] for row in rows if row[3]}

    def measured(self, cell: str) -> str:
        """Certify one rule again: 899 examples, 10 classes, 1,000 looks, in half points upward."""
        found = certify(Problem(899, 10, 1000), parse_rule(cell))
        return f"{math.ceil(200 * found.gain - 1e-9) / 2:.1f}"


def make_demo(demo: Sequence[str], audit: Sequence[str]) -> str:
    """Return the README's block: one number of looks of the demo, and an audit's verdict."""
    left_out = "[...]"
    head = next(at for at, line in enumerate(demo) if line.startswith("┡")) + 1
    first = next(at for at, line in enumerate(demo) if line.startswith(f"│ {LOOKS_SHOWN:>6,} │"))
    last = next(at for at, line in enumerate(demo) if at > first and not line.startswith("│"))
    verdict = next(at for at, line in enumerate(audit) if line.startswith(VERDICTS))
    end = next(
        (at for at, line in enumerate(audit) if at > verdict and line.startswith(AFTER_VERDICT)),
        len(audit),
    )
    lines = [
        "```",
        "$ make demo",
        left_out,
        "== holdfast demo",
        *demo[:head],
        *demo[first:last],
        left_out,
        "== holdfast audit --report out/audit.html",
        *audit[verdict:end],
        left_out,
        audit[-1],
        "```",
        "",
    ]
    return "\n".join(lines)


class MatrixShown(Generated):
    """`holdfast bench matrix`: the table and the heat map of docs/rules.md."""

    name = "matrix"
    command = "python -m benchmarks.generated matrix"
    seed = 0
    files = (DATA / "matrix.json", IMAGES / "matrix.svg")
    matrix = Matrix(Problem(10_000, 10, 300), trials=3, seed=0)
    # Their plays take a second or more.
    slow = re.compile("challenger|message|lattice|mixture")

    def content(self) -> dict[str, Any]:
        """Play the whole matrix, and draw it."""
        result = run_matrix(self.matrix, processes=available_cores())
        heat_map(result, self.files[1])
        rules = sorted(result["rules"], key=lambda each: -each.bias.mean)
        pairs = [(each.rule, each.strongest, each.strongest_with_accounts) for each in rules]
        return {"rows": [[*pair, *self._numbers(*pair)] for pair in pairs]}

    def cells(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return the rows whose strongest attacks are quick."""
        return {
            " ".join(row[:3]): row[3:]
            for row in content["rows"]
            if not self.slow.search(row[1] + row[2])
        }

    def measured(self, cell: str) -> list[str]:
        """Play the strongest attacks of a rule again."""
        return self._numbers(*self._names(cell))

    def blocks(self, content: Mapping[str, Any]) -> dict[str, str]:
        """Return the table."""
        lines = [
            "| rule | strongest attack | its gain, points | strongest with any number of accounts: "
            "gain, points | no attack can exceed, points | blur for honest teams, points |",
            "|---|---|---|---|---|---|",
        ]
        for rule, one, many, gain, gain_of_many, bound, price in content["rows"]:
            other = "the same" if one == many else f"{many} {gain_of_many}"
            lines.append(f"| `{rule}` | {one} | {gain} | {other} | {bound} | {price} |")
        return {"matrix": "\n".join([*lines, ""])}

    def _names(self, cell: str) -> tuple[str, str, str]:
        rule, rest = cell.split(" ", 1)
        return next(
            (rule, one.name, many.name)
            for one in SUITE
            for many in SUITE
            if rest == f"{one.name} {many.name}"
        )

    def _numbers(self, rule: str, one: str, many: str) -> list[str]:
        """Return both gains on labels that the choice had not seen, bound and price."""
        parsed, problem, gains = parse_rule(rule), self.matrix.problem, []
        for name in (one, many):
            trials = range(self.matrix.trials, 2 * self.matrix.trials)
            plays = [play_once(self.matrix, Task(parsed, name, trial)) for trial in trials]
            gains.append(mean_of(each.bias for each in plays))
        return [
            *(f"{100 * gain.mean:.2f} ± {100 * gain.stderr:.2f}" for gain in gains),
            f"{100 * certify(problem, parsed).gain:.1f}",
            blur(parsed.resolution(problem)),
        ]
