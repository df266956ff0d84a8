"""The picture of rules: worst gain against steps that are not shown, the lower left is better."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from holdfast.bench.standings import RuleStanding

__all__ = ["Box", "picture", "placed"]

# Width and height, and the room for axes, all in pixels; the room on the right is for texts.
WIDTH, HEIGHT, LEFT, BELOW, RIGHT = 640, 320, 60, 46, 120
RADIUS = 5.0
# A letter's width and a line's height at 12 pixels, and how far a text begins from its dot.
LETTER, LINE, BESIDE = 6.8, 13.0, 9.0
# Texts further from their dot than this are tied to it by a line.
NEAR = 4.0


class Box(NamedTuple):
    """A rectangle: its left, top, right and bottom."""

    left: float
    top: float
    right: float
    bottom: float

    def touches(self, other: Box) -> bool:
        """Tell whether two share a point."""
        apart = self.left >= other.right or other.left >= self.right
        return not (apart or self.top >= other.bottom or other.top >= self.bottom)


def placed(dots: Sequence[tuple[float, float]], texts: Sequence[str]) -> list[Box]:
    """Return where texts stand: beside their dots, and on no other text and no dot.

    >>> [box.left for box in placed([(100.0, 50.0), (112.0, 50.0)], ["a", "b"])]
    [84.2, 121.0]
    """
    marks = [Box(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y in dots]
    found: list[Box] = []
    for (x, y), text in zip(dots, texts, strict=True):
        width = LETTER * len(text)
        boxes = list(_around(x, y, width))
        free = (box for box in boxes if not any(map(box.touches, [*marks, *found])))
        found.append(next(free, boxes[0]))
    return found


def _around(x: float, y: float, width: float) -> Iterator[Box]:
    """Yield places from near to far, those on the right first, all inside the picture."""
    for step in range(HEIGHT // int(LINE)):
        for way in (-1, 1):
            middle = y + way * step * LINE
            if not LINE / 2 <= middle <= HEIGHT - BELOW - LINE / 2:
                continue
            for left in (x + BESIDE, x - BESIDE - width):
                if left > LEFT and left + width < WIDTH:
                    yield Box(left, middle - LINE / 2, left + width, middle + LINE / 2)
    yield Box(x + BESIDE, y - LINE / 2, x + BESIDE + width, y + LINE / 2)


def picture(rules: Sequence[RuleStanding]) -> str:
    """Return the picture as SVG; nothing without rules."""
    if not rules:
        return ""
    largest = max(1e-9, *(each.worst.mean for each in rules))
    bottom, right = HEIGHT - BELOW, WIDTH - RIGHT
    dots = [
        (
            LEFT + (right - LEFT) * each.cost.unseen,
            bottom * (1.0 - 0.92 * max(0.0, each.worst.mean) / largest),
        )
        for each in rules
    ]
    marks = []
    boxes = placed(dots, [each.rule for each in rules])
    for each, (x, y), box in zip(rules, dots, boxes, strict=True):
        kind = ' class="own"' if each.own else ""
        middle = (box.top + box.bottom) / 2
        if abs(middle - y) > NEAR:
            end = box.left if box.left > x else box.right
            marks.append(f'<line class="tie" x1="{x:.1f}" y1="{y:.1f}" x2="{end:.1f}" ')
            marks.append(f'y2="{middle:.1f}"/>')
        marks.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS:.0f}"{kind}/>')
        marks.append(
            f'<text x="{box.left:.1f}" y="{middle + 4:.1f}" textLength="{box.right - box.left:.0f}"'
            f' lengthAdjust="spacingAndGlyphs">{escape(each.rule)}</text>'
        )
    ticks = "".join(
        f'<text x="{LEFT + (right - LEFT) * share:.0f}" y="{bottom + 18}" text-anchor="middle">'
        f"{100 * share:.0f}</text>"
        for share in (0.0, 0.25, 0.5, 0.75, 1.0)
    )
    ticks += "".join(
        f'<text x="{LEFT - 8}" y="{bottom * (1 - 0.92 * share) + 4:.0f}" text-anchor="end">'
        f"{100 * largest * share:.1f}</text>"
        for share in (0.0, 0.5, 1.0)
    )
    return (
        f'<svg class="picture" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img" '
        'aria-label="Worst gain of each rule against the steps that it does not show; the table '
        'below has the same numbers" style="max-width:100%">'
        f'<line class="axis" x1="{LEFT}" y1="{bottom}" x2="{right}" y2="{bottom}"/>'
        f'<line class="axis" x1="{LEFT}" y1="0" x2="{LEFT}" y2="{bottom}"/>{ticks}'
        f'<text x="{(LEFT + right) / 2:.0f}" y="{HEIGHT - 8}" text-anchor="middle">'
        "honest steps of a point not shown, %</text>"
        f'<text transform="translate(14 {bottom / 2:.0f}) rotate(-90)" text-anchor="middle">'
        f"worst gain, points</text>{''.join(marks)}</svg>"
    )
