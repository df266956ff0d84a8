"""`holdfast plan --metric`: what looks at another metric, or at scores of groups, are worth."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rich.table import Table

from holdfast.cli.output import human, print_json
from holdfast.cli.plain import points, scored_submissions
from holdfast.errors import InvalidInput
from holdfast.mechanisms import Rule
from holdfast.metrics.registry import parse_metric
from holdfast.planner import MetricForecast, metric_plan
from holdfast.problem import Problem
from holdfast.quoting import quoted

__all__ = ["group_sizes", "plan_metric"]


def plan_metric(
    problem: Problem, rule: Rule, metric: str, breakdown: str | None, *, as_json: bool
) -> None:
    """Print what looks at a metric are worth, with groups and without."""
    shown = parse_metric(metric)
    sizes = None if breakdown is None else group_sizes(breakdown)
    found = {"total only": metric_plan(shown, rule, problem)}
    if sizes is not None:
        found["with groups"] = metric_plan(shown, rule, problem, sizes)
    if as_json:
        n = problem.n_examples
        print_json(
            {
                "problem": problem,
                "mechanism": str(rule),
                "metric": str(shown),
                "breakdown": sizes,
                "shows": [
                    {"show": name} | asdict(each) | {"gain": each.gain / n}
                    for name, each in found.items()
                ],
            }
        )
        return
    _show(problem, rule, str(shown), sizes, found)


def group_sizes(text: str) -> list[int]:
    """Return the sizes that a text lists: numbers, or a count, an x and a size.

    >>> group_sizes("300,2x50")
    [300, 50, 50]
    """
    sizes: list[int] = []
    for part in text.split(","):
        count, cross, size = part.strip().partition("x")
        if not cross:
            count, size = "1", count
        if not (count.isascii() and count.isdigit() and size.isascii() and size.isdigit()):
            raise InvalidInput(
                f"breakdown must list sizes such as 300,700 or 10x25,750, got {quoted(text)}."
            )
        if int(count) > 10**6:
            raise InvalidInput(f"breakdown must have at most a million groups, got {quoted(text)}.")
        sizes += [int(size)] * int(count)
    return sizes


def _show(
    problem: Problem,
    rule: Rule,
    metric: str,
    sizes: list[int] | None,
    found: dict[str, MetricForecast],
) -> None:
    n, m, k = problem
    console = human()
    groups = "" if sizes is None else f", {len(sizes):,} groups"
    console.print(
        f"Metric: {metric}{groups}. {scored_submissions(k)} at {n:,} examples of {m:,} classes, "
        f"released: {rule}"
    )
    table = Table()
    table.add_column("shown")
    table.add_column("attack")
    for name in ("right above guessing, points", "labels certain", "looks for all labels"):
        table.add_column(name, justify="right", width=14)
    table.add_column("why")
    for name, each in found.items():
        table.add_row(
            name,
            each.attack,
            points(each.gain / n),
            _count(each.certain),
            _count(each.looks_for_all),
            each.reason,
        )
    console.print(table)
    console.print(
        "Expected of labels that are all equally likely; no bound is given. holdfast audit "
        f"LABELS --metric {metric} plays on your own."
    )


def _count(value: Any) -> str:
    return "-" if value is None else f"{value:,}"
