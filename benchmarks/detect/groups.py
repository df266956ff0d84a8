"""Rows of teams by group: how often a look is unexplained, and who is flagged at which rate p0."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betaincinv

from benchmarks.detect.common import of_bits
from holdfast.audit.judgement.observed import score_interval
from holdfast.detect.board import CONFIDENCE, HIGHEST_RATE, LOOKS_PER_TEAM
from holdfast.detect.evidence import LEAST_RATE

__all__ = ["Group", "grouped", "groups", "interval", "spread"]

Row = Mapping[str, Any]


class Group(NamedTuple):
    """What is kept of the teams of a group.

    Attributes
    ----------
    teams, looks, ones, decided
        How many teams and looks, and how many looks are unexplained of those that have a bit.
    worst
        The largest share of ones of a team.
    flagged
        Who is flagged at p0 = 0.1.
    rate
        p0 as measured on the other teams, the largest of all teams.
    flagged_at_rate
        Who is flagged at the p0 that was measured on the others.
    refused
        How many teams are not judged, since that p0 is above one half.
    """

    teams: int
    looks: int
    ones: int
    decided: int
    worst: float
    flagged: list[str]
    rate: float
    flagged_at_rate: list[str]
    refused: int


def bits_of(row: Row) -> list[bool | None]:
    """Return a row's bits."""
    return [{"1": True, "0": False}.get(each) for each in row["bits"]]


def measured(rows: Sequence[Row]) -> list[float]:
    """Return for each team p0 as `detect` measures it on the others of the same group."""
    first = [row["bits"].replace(".", "")[:LOOKS_PER_TEAM] for row in rows]
    ones, decided = sum(each.count("1") for each in first), sum(map(len, first))
    found = []
    for each in first:
        hits, n = ones - each.count("1"), decided - len(each)
        upper = float(betaincinv(hits + 1, n - hits, CONFIDENCE)) if hits < n else 1.0
        found.append(max(LEAST_RATE, upper))
    return found


def grouped(rows: Sequence[Row], named: Sequence[str]) -> Group:
    """Return what is kept of rows; those that are flagged are called by some of their columns."""
    rates = measured(rows)
    at_rate, refused = [], 0
    for row, rate in zip(rows, rates, strict=True):
        if rate > HIGHEST_RATE:
            refused += 1
        elif of_bits(bits_of(row), rate).flagged is not None:
            at_rate.append(_called(row, named))
    return Group(
        len(rows),
        sum(row["looks"] for row in rows),
        sum(row["ones"] for row in rows),
        sum(row["decided"] for row in rows),
        round(max(row["ones"] / max(1, row["decided"]) for row in rows), 3),
        [_called(row, named) for row in rows if row["flagged"] is not None],
        round(max(rates), 3),
        at_rate,
        refused,
    )


def _called(row: Row, named: Sequence[str]) -> str:
    return ", ".join(str(row[name]) for name in named) + f" (look {row['flagged'] or '-'})"


def groups(
    rows: Iterable[Row], by: Sequence[str], named: Sequence[str]
) -> dict[tuple[Any, ...], Group]:
    """Return groups of rows that agree in some columns."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in by), []).append(row)
    return {key: grouped(each, named) for key, each in found.items()}


def interval(hits: int, n: int) -> tuple[float, float]:
    """Return Clopper and Pearson's 95 % interval of a share."""
    return score_interval(hits / n, n, 1)


def spread(values: Sequence[float]) -> tuple[float, float]:
    """Return mean and standard error."""
    return float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(len(values)))
