"""Pictures of a finding, as SVG: rows by looks, directions by looks, and the evidence.

Rows first, directions second, and neither alone: other seeds of a forest are as pale in the second
picture as a probe is, and only in the first one do their rows thin out from half-grey to single
marks, where a probe is even grey.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from holdfast.detect.evidence import FLAG
from holdfast.detect.looks import TeamFound
from holdfast.labels import Labels

__all__ = ["MOST_LOOKS", "changed_rows", "direction_picture", "evidence_picture", "rows_picture"]

# Looks that are drawn, the newest ones, and rows of those that ever changed, evenly chosen.
MOST_LOOKS, MOST_ROWS = 60, 320
# Width of a look and height of a member's row, the room at the left, and the pictures' height, in
# pixels.
STEP, CELL, LEFT, ROWS_HEIGHT, EVIDENCE_HEIGHT = 14, 18, 92, 320, 150
# Directions are drawn to so many standard deviations.
DEEPEST = 6.0
# Evidence is drawn between these powers of ten.
LOWEST, HIGHEST = -3.0, 12.0

MARKS = {True: "one", False: "zero", None: "none"}
SAID = {True: "unexplained", False: "explained", None: "can't be told"}


def changed_rows(looks: Sequence[Labels]) -> NDArray[np.bool_]:
    """Return rows that ever change by looks: whether a look is not what the row mostly says.

    Rows that do so most often come first, and those that do so in the same looks stand together.

    >>> looks = [np.array([0, 1, 2]), np.array([0, 2, 2]), np.array([0, 1, 2])]
    >>> changed_rows(looks).astype(int).tolist()
    [[0, 1, 0]]
    """
    table = np.array(looks).T
    table = table[(table != table[:, :1]).any(axis=1)]
    if not len(table):
        return np.zeros((0, len(looks)), dtype=bool)
    best, most = np.zeros(len(table), int), table[:, 0].copy()
    for column in table.T:
        count = (table == column[:, None]).sum(axis=1)
        more = count > best
        best[more], most[more] = count[more], column[more]
    other: NDArray[np.bool_] = table != most[:, None]
    order = np.lexsort((*~other.T[::-1], -other.sum(axis=1)))
    return other[order]


def rows_picture(looks: Sequence[Labels], first: int) -> str:
    """Return rows by looks, a mark where a look is not what the row mostly says.

    Parameters
    ----------
    looks
        The looks that are drawn, in order.
    first
        The number of the first one, counted from 1.
    """
    every = changed_rows(looks)
    shown = every[np.linspace(0, len(every) - 1, min(len(every), MOST_ROWS)).astype(int)]
    marks = []
    for look, column in enumerate(shown.T):
        edges = np.flatnonzero(np.diff(np.concatenate([[False], column, [False]])))
        for top, bottom in edges.reshape(-1, 2):
            marks.append(f"M{look} {top}h1v{bottom - top}h-1z")
    width, height = STEP * len(looks), ROWS_HEIGHT
    told = (
        f"{len(every):,} rows that ever change, by look; a mark where a look is not what the row "
        f"mostly says. Marked: {every.mean():.0%} of all."
        if len(every)
        else "No row ever changes."
    )
    drawn = (
        f'<svg x="{LEFT}" width="{width}" height="{height}" '
        f'viewBox="0 0 {len(looks)} {max(1, len(shown))}" preserveAspectRatio="none">'
        f'<path class="mark" d="{"".join(marks)}"/></svg>'
        f'<rect class="frame-of" x="{LEFT}" y="0" width="{width}" height="{height}"/>'
        f'<text x="{LEFT - 8}" y="14" text-anchor="end">{len(every):,} rows</text>'
    )
    return _svg(told, drawn + _ticks(len(looks), first, height), len(looks), height + 40)


def direction_picture(found: TeamFound, first: int) -> str:
    """Return members of the panel by looks: red where rows move towards one, blue away from it."""
    judged = found.judged[first - 1 :]
    members = max((len(each.towards) for each in judged if each.towards is not None), default=0)
    if not members:
        return ""
    cells = []
    for look, each in enumerate(judged):
        if each.towards is None:
            continue
        for member, sd in enumerate(each.towards):
            depth = min(abs(sd) / DEEPEST, 1.0)
            kind = "towards" if sd > 0 else "away"
            cells.append(
                f'<rect class="{kind}" x="{LEFT + STEP * look}" y="{CELL * member}" '
                f'width="{STEP}" height="{CELL}" fill-opacity="{depth:.2f}"/>'
            )
    names = "".join(
        f'<text x="{LEFT - 8}" y="{CELL * at + 13}" text-anchor="end">other {at + 1}</text>'
        for at in range(members)
    )
    height = CELL * members
    frame = f'<rect class="frame-of" x="{LEFT}" y="0" width="{STEP * len(judged)}" '
    frame += f'height="{height}"/>'
    told = (
        f"Changed rows that move towards (red) or away from (blue) each of {members} other "
        f"submissions, by look, as deep as {DEEPEST:g} standard deviations."
    )
    drawn = "".join(cells) + names + frame + _ticks(len(judged), first, height)
    return _svg(told, drawn, len(judged), height + 40)


def evidence_picture(found: TeamFound, first: int) -> str:
    """Return the bits as a strip of dots, and the evidence below on a logarithmic axis."""
    judged = found.judged[first - 1 :]
    powers = np.clip(found.log_evidence[first - 1 :] / np.log(10.0), LOWEST, HIGHEST)
    least, most = min(-1.0, float(powers.min())), max(3.0, float(powers.max()))
    top = 34

    def height(power: float) -> float:
        return top + (EVIDENCE_HEIGHT - top) * (most - power) / (most - least)

    dots = "".join(
        f'<circle class="{MARKS[each.bit]}" cx="{LEFT + STEP * (at + 0.5):g}" cy="10" '
        f'r="{1.5 if each.bit is None else 4.5}"><title>look {first + at}: {SAID[each.bit]}, '
        f"{escape(each.why.value)}</title></circle>"
        for at, each in enumerate(judged)
    )
    line = " ".join(
        f"{LEFT + STEP * (at + 0.5):g},{height(float(power)):.1f}"
        for at, power in enumerate(powers)
    )
    right, flag = LEFT + STEP * len(judged), height(np.log10(FLAG))
    ticks = "".join(
        f'<text x="{LEFT - 8}" y="{height(power) + 4:.1f}" text-anchor="end">'
        f"{f'10^{power}' if power > 3 else f'{10.0**power:g}'}</text>"
        for power in range(int(np.ceil(least)), int(most) + 1, 2 if most - least < 8 else 4)
        if abs(power - np.log10(FLAG)) > 0.5
    )
    drawn = (
        f'{dots}<text x="{LEFT - 8}" y="14" text-anchor="end">bit</text>{ticks}'
        f'<line class="axis" x1="{LEFT}" y1="{EVIDENCE_HEIGHT}" x2="{right}" '
        f'y2="{EVIDENCE_HEIGHT}"/>'
        f'<line class="limit" x1="{LEFT}" y1="{flag:.1f}" x2="{right}" y2="{flag:.1f}"/>'
        f'<text x="{LEFT - 8}" y="{flag + 4:.1f}" text-anchor="end">E = {FLAG:g}</text>'
        f'<polyline class="evidence" points="{line}"/>'
    )
    told = (
        "Bits of the looks, a full dot where a look is unexplained, a ring where it is explained, "
        "a point where it can't be told; below, the evidence E on a logarithmic axis."
    )
    drawn += _ticks(len(judged), first, EVIDENCE_HEIGHT)
    return _svg(told, drawn, len(judged), EVIDENCE_HEIGHT + 40)


def _ticks(looks: int, first: int, height: float) -> str:
    """Return the numbers of looks below a picture."""
    numbers = [at for at in range(looks) if at == 0 or (first + at) % 5 == 0]
    texts = "".join(
        f'<text x="{LEFT + STEP * (at + 0.5):g}" y="{height + 16}" text-anchor="middle">'
        f"{first + at}</text>"
        for at in numbers
    )
    middle = LEFT + max(STEP * looks / 2, 20.0)
    return f'{texts}<text x="{middle:g}" y="{height + 34}" text-anchor="middle">look</text>'


def _svg(told: str, drawn: str, looks: int, height: float) -> str:
    width = LEFT + max(STEP * looks, 60) + 10
    return (
        f'<figure class="picture"><figcaption>{escape(told)}</figcaption>'
        f'<div class="scroll" tabindex="0" role="region" aria-label="Picture">'
        f'<svg viewBox="0 -2 {width} {height + 2}" width="{width}" height="{height + 2}" '
        f'role="img" aria-label="{escape(told)}">{drawn}</svg></div></figure>'
    )
