"""Bits that each look told of the labels: the rate of the accuracy reached, per look."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from holdfast.bounds.binomial import divergence
from holdfast.experiments.figures import stands_out
from holdfast.problem import Problem
from holdfast.sweeps.figures.looks import CERTIFIED, LOOKS
from holdfast.sweeps.figures.style import SIZE, Curve, Line, drawn, grouped, lines_on
from holdfast.sweeps.figures.theory import between, certified_gain
from holdfast.sweeps.figures.words import file_word, is_plain, labels_said
from holdfast.sweeps.summary import Place

__all__ = ["bits_per_look", "bits_with_error"]

LEAST_POINTS = 2


def bits_with_error(place: Place) -> tuple[float, float]:
    """Return the bits per look of the mean gain, and half of what an error either side makes."""
    if place.gain is None:
        return 0.0, math.nan
    mean, stderr = place.gain

    def bits(gain: float) -> float:
        return _bits(gain, place.n_examples, place.n_classes, place.looks)

    return bits(mean), (bits(mean + stderr) - bits(mean - stderr)) / 2


def bits_per_look(places: Sequence[Place], folder: Path, suffix: str) -> list[tuple[Path, str]]:
    """Draw the bits of each look against looks, below what a look can tell at most."""
    found = []
    plain = [p for p in places if is_plain(p) and p.gain is not None and p.looks > 0]
    for (n, m, rule, labels), group in grouped(
        plain, lambda p: (p.n_examples, p.n_classes, p.rule, p.labels)
    ):
        lines = []
        for (attack,), line in grouped(group, lambda p: (p.attack,)):
            # By the gain: bits go with its square, so that their errors are twice as large.
            clear = [p for p in line if p.gain is not None and stands_out(*p.gain)]
            found_bits = [bits_with_error(place) for place in clear]
            lines.append(
                Line(
                    attack,
                    [place.looks for place in clear],
                    [bits for bits, _ in found_bits],
                    [error for _, error in found_bits],
                    chosen=True,
                )
            )
        if max(len(line.seen.x) for line in lines) < LEAST_POINTS:
            continue
        said = labels_said(labels)
        title = f"Bits of the labels per look under {rule}: {n:,} examples, {m:,} classes, {said}"
        path = folder / f"bits-{n}-{m}-{file_word(rule)}-{file_word(labels)}{suffix}"
        drawn(
            path,
            SIZE,
            partial(
                lines_on, lines=lines, x=LOOKS, y="bits per look", title=title, curves=_most(group)
            ),
        )
        found.append((path, title))
    return found


def _bits(gain: float, n: int, m: int, looks: float) -> float:
    return n * divergence(max(gain, 0.0), m) / math.log(2) / looks


def _most(group: Sequence[Place]) -> list[Curve]:
    """Return the rate of the accuracy that no attack exceeds."""
    n, m = group[0].n_examples, group[0].n_classes
    gain = certified_gain(group[0])
    points = [
        (k, _bits(value, n, m, k))
        for k in between([place.n_queries for place in group])
        if (value := gain(Problem(n, m, k))) is not None
    ]
    return [Curve(CERTIFIED, [k for k, _ in points], [y for _, y in points])] if points else []
