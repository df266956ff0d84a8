"""`holdfast plan --metric`: what looks at another metric, groups, or several columns are worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from rich.table import Table

from holdfast.cli.output import human, print_json
from holdfast.cli.plain import points, scored_submissions
from holdfast.errors import InvalidInput, NotSupported
from holdfast.problem import Problem
from holdfast.quoting import quoted

if TYPE_CHECKING:
    from holdfast.metrics.display import Display
    from holdfast.planner import MetricEstimate
    from holdfast.rules import Rule

    # What looks at a column are worth, or why there is no forecast.
    Row = MetricEstimate | NotSupported

__all__ = ["group_sizes", "plan_metric"]


def plan_metric(
    problem: Problem,
    rule: Rule,
    metric: str,
    breakdown: str | None,
    also: Sequence[str] = (),
    *,
    as_json: bool,
) -> None:
    """Print what looks at a metric are worth, alone, with groups, and at each column beside it."""
    from holdfast.attacks.through_metrics.registry import check_covered
    from holdfast.metrics.display import Display
    from holdfast.rules import check_metric

    display = Display.of(metric, also=also)
    for each in display.metrics:
        check_covered(each, problem)
    for each in display.released:
        check_metric(rule, each)
    sizes = None if breakdown is None else group_sizes(breakdown)
    found = _rows(display, rule, problem, sizes)
    best = _best(found, display)
    if as_json:
        shows = [{"show": name} | _plain(each, problem) for name, each in found.items()]
        told = {
            "problem": problem,
            "mechanism": str(rule),
            "metric": str(display.metric),
            "breakdown": sizes,
            "shows": shows,
        }
        print_json(told | {"also": list(display.beside), "best": best} if also else told)
        return
    _show(problem, rule, display, sizes, found)
    if also:
        human().print(
            f"The board tells what its most telling column does, at least: {best}. No attack here "
            "reads two columns together."
        )


def _rows(
    display: Display, rule: Rule, problem: Problem, sizes: list[int] | None
) -> dict[str, Row]:
    """Return what looks at the metric, at its groups and at each column beside it are worth.

    One without a forecast has the reason; if it is the first and there is no other column, it is
    raised.
    """
    from holdfast.planner import metric_plan

    metric = display.metric

    def plan(*groups: list[int]) -> MetricEstimate:
        return metric_plan(metric, rule, problem, *groups)

    if not display.beside:
        found: dict[str, Row] = {"total only": plan()}
        return found if sizes is None else found | {"with groups": plan(sizes)}
    found = {"total only": _or_reason(plan)}
    if sizes is not None:
        found["with groups"] = _or_reason(lambda: plan(sizes))
    for each in display.also:
        found[f"with {each}"] = _or_reason(partial(metric_plan, each, rule, problem))
    for by_class in display.by_class:
        found[f"with {by_class}"] = NotSupported(
            f"no forecast for {by_class}: how much its counts tell has no formula here. Audit the "
            "labels instead."
        )
    return found


def _or_reason(plan: Callable[[], MetricEstimate]) -> Row:
    try:
        return plan()
    except NotSupported as error:
        return error


def _best(found: dict[str, Row], display: Display) -> str:
    """Return the row with the most right labels; if none has a forecast, raise the first's reason.

    Of K labels that are named, one is right.
    """
    shown = (display.metric, display.metric) if "with groups" in found else (display.metric,)
    named = [getattr(metric, "k", 1) for metric in (*shown, *display.also)]
    gains = {
        name: each.gain / k
        for (name, each), k in zip(found.items(), named, strict=False)
        if not isinstance(each, NotSupported)
    }
    if not gains:
        raise next(each for each in found.values() if isinstance(each, NotSupported))
    return max(gains, key=lambda name: gains[name])


def _plain(row: Row, problem: Problem) -> dict[str, Any]:
    """Return a row as plain data; the gain is a share of all examples."""
    if isinstance(row, NotSupported):
        nothing = dict.fromkeys(("attack", "gain", "gain_stderr", "certain", "looks_for_all"))
        return nothing | {"reason": str(row)}
    n = problem.n_examples
    return {
        "attack": row.attack,
        "gain": row.gain / n,
        "gain_stderr": None if row.error is None else row.error / n,
        "certain": row.certain,
        "looks_for_all": row.looks_for_all,
        "reason": row.reason,
    }


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
        if int(count) == 0:
            raise InvalidInput(f"breakdown must have at least one group each, got {quoted(text)}.")
        if int(count) > 10**6:
            raise InvalidInput(f"breakdown must have at most a million groups, got {quoted(text)}.")
        sizes += [int(size)] * int(count)
    return sizes


def _show(
    problem: Problem,
    rule: Rule,
    display: Display,
    sizes: list[int] | None,
    found: dict[str, Row],
) -> None:
    n, m, k = problem
    console = human()
    groups = "" if sizes is None else f", {len(sizes):,} group{'s' * (len(sizes) != 1)}"
    console.print(
        f"Metric: {display}{groups}. {scored_submissions(k)} at {n:,} examples of {m:,} classes, "
        f"released: {rule}"
    )
    table = Table()
    table.add_column("shown")
    table.add_column("attack")
    for name in ("right above guessing, points", "labels certain", "looks for all labels"):
        table.add_column(name, justify="right", width=14)
    table.add_column("why")
    for name, each in found.items():
        if isinstance(each, NotSupported):
            table.add_row(name, "-", "-", "-", "-", str(each))
            continue
        table.add_row(
            name,
            each.attack,
            points(each.gain / n) + ("" if each.error is None else f" ± {points(each.error / n)}"),
            _count(each.certain),
            _count(each.looks_for_all),
            each.reason,
        )
    console.print(table)
    options = "".join(f" --also {each}" for each in display.beside)
    console.print(
        "Expected of labels that are all equally likely; no bound is given. holdfast audit "
        f"LABELS --metric {display.metric}{options} plays on your own."
    )


def _count(value: Any) -> str:
    return "-" if value is None else f"{value:,}"
