"""Leaderboard columns: a host's own keys for the numbers that a look releases."""

from __future__ import annotations

from collections.abc import Mapping

from holdfast.errors import InvalidInput
from holdfast.guard.guard import Guard
from holdfast.guard.receipt import Receipt
from holdfast.metrics.display import Display
from holdfast.quoting import listed, quoted

__all__ = ["Columns", "as_columns", "check_columns", "row_of"]

# The key of each column, by the released number that stands in it: "accuracy", "subject=law".
Columns = Mapping[str, str]


def as_columns(metric: str | Columns | None, display: Display) -> dict[str, str]:
    """Return which released number each column of a host shows.

    Parameters
    ----------
    metric
        The key of the column of the number that ranks; or for each column its key and the name of
        the released number in it; None: the metric's own name.
    display
        What the policy releases.

    Raises
    ------
    InvalidInput
        A column wants a number that the policy does not release: the host would show nothing there.
    """
    if metric is None:
        return {str(display.metric): str(display.metric)}
    if isinstance(metric, str):
        return {metric: str(display.metric)}
    columns = {str(key): str(name) for key, name in metric.items()}
    whole = [str(each) for each in display.metrics]
    parts = {f"{display.breakdown}=": f" or {display.breakdown}=GROUP"} if display.breakdown else {}
    parts |= {f"{each}=": f" or {each}=CLASS" for each in display.by_class}
    for key, name in columns.items():
        if name not in whole and not name.startswith(tuple(parts)):
            raise InvalidInput(
                f"column {quoted(key)} must show a number that the policy releases "
                f"({listed(whole, quote=False)}{''.join(parts.values())}), got {quoted(name)}."
            )
    if str(display.metric) not in columns.values():
        raise InvalidInput(
            f"columns must show {display.metric}, which ranks, got {listed(columns.values())}."
        )
    return columns


def check_columns(columns: Columns, guard: Guard) -> None:
    """Raise `InvalidInput` for a column of a group that the labels do not have, before any look."""
    names = guard.names
    for key, name in columns.items():
        if name not in names:
            raise InvalidInput(
                f"column {quoted(key)} must show a number that the policy releases "
                f"({listed(names, quote=False)}), got {quoted(name)}."
            )


def row_of(receipt: Receipt, columns: Columns) -> dict[str, float]:
    """Return what each column shows of a look."""
    assert receipt.shown is not None
    numbers = receipt.numbers or {receipt.metric: receipt.shown}
    return {key: numbers[name] for key, name in columns.items()}
