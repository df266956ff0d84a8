"""Write the table of metrics in docs/reference/metrics.md from the metrics themselves.

Run as `python scripts/metric_table.py`; a test fails when the page is stale. The value is the first
line of a metric's docstring.
"""

from __future__ import annotations

import inspect
from pathlib import Path

from holdfast import metrics
from holdfast.metrics.base import Metric

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "metrics.md"
BEGIN = "<!-- Written by scripts/metric_table.py; change the metrics' docstrings instead. -->\n"
END = "<!-- End of the table. -->\n"


def table() -> str:
    """Return the table, one row per metric."""
    rows = ["| name | value | submission | range | better |", "|---|---|---|---|---|"]
    named = (each for each in vars(metrics).values() if isinstance(each, type))
    own = [each for each in named if issubclass(each, Metric) and each.name]
    rows += [_row(each) for each in sorted(own, key=lambda each: each.name)]
    return "\n".join(rows) + "\n"


def _row(kind: type[Metric]) -> str:
    name = f"{kind.name}:K" if kind is metrics.TopKAccuracy else kind.name
    metric = metrics.TopKAccuracy(5) if kind is metrics.TopKAccuracy else kind()
    value = (inspect.getdoc(kind) or "").partition("\n")[0].removesuffix(".")
    better = "higher" if metric.higher_is_better else "lower"
    limits = f"{metric.low:g} to {metric.high:g}"
    limits = limits.removeprefix("-inf to ").removesuffix(" to inf")
    limits += "" if " to " in limits else " or more" if metric.low == 0 else " or less"
    return f"| `{name}` | {value} | {metric.takes.value} | {limits} | {better} |"


def page(text: str) -> str:
    """Return the page with the table renewed."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    return before + begin + table() + end + after


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
