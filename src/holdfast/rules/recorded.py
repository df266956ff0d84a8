"""Looks as ledgers record them: the release rule, and what it released."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from holdfast.errors import InvalidInput
from holdfast.metrics import Metric, OwnMetric, Submission
from holdfast.metrics.display import Display
from holdfast.quoting import quoted
from holdfast.rules.base import Rule
from holdfast.rules.registry import parse_rule

__all__ = ["RecordedLook", "look_text", "recorded_look"]


@dataclass(frozen=True)
class RecordedLook:
    """A rule, what it was applied to, and the number of examples behind each released number."""

    rule: Rule
    display: Display
    sizes: tuple[int, ...] = ()


def look_text(release: str, display: Display, sizes: Sequence[int]) -> str:
    """Return what a ledger calls looks: the rule alone for an accuracy, as it always was.

    For anything else the display stands before the rule, so that a program that knows accuracies
    alone does not take it for a rule.

    >>> look_text("round:3", Display(), [100]), look_text("round:3", Display.of("f1"), [100])
    ('round:3', '{"metric": "f1", "sizes": [100]} round:3')
    """
    if display.plain:
        return release
    told: dict[str, Any] = json.loads(display.as_text())
    own = {str(metric): metric for metric in display.metrics if isinstance(metric, OwnMetric)}
    if own:
        told["own"] = {
            name: [repr(metric.low), repr(metric.high), metric.higher_is_better, metric.takes.name]
            for name, metric in own.items()
        }
    told["sizes"] = list(sizes)
    return f"{json.dumps(told)} {release}"


def recorded_look(text: str) -> RecordedLook:
    """Return what a ledger's text says, or raise `InvalidInput` for one of another version.

    A metric of the host's own comes back with its range, and without its function.

    >>> look = recorded_look('{"metric": "f1", "sizes": [100]} round:3')
    >>> str(look.rule), str(look.display), look.sizes
    ('round:3', 'f1', (100,))
    """
    if not text.startswith("{"):
        return RecordedLook(parse_rule(text), Display())
    try:
        told, end = json.JSONDecoder().raw_decode(text)
        own = {name: _own(name, *traits) for name, traits in told.get("own", {}).items()}
        display = Display.of(
            own.get(told["metric"], told["metric"]),
            told.get("breakdown"),
            [own.get(name, name) for name in told.get("also", ())],
        )
        sizes = tuple(int(size) for size in told["sizes"])
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(
            f"a look must name its metric and its rule, got {quoted(text)}."
        ) from None
    return RecordedLook(parse_rule(text[end:].strip()), display, sizes)


def _own(name: str, low: str, high: str, higher_is_better: bool, takes: str) -> Metric:
    return OwnMetric(
        name,
        _not_recorded,
        low=float(low),
        high=float(high),
        higher_is_better=bool(higher_is_better),
        takes=Submission[takes],
    )


def _not_recorded(*_: Any) -> Any:
    raise InvalidInput("a ledger records the name of a metric of one's own, not its function.")
