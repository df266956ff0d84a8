"""Places that figures leave out: those not played, and gains that chance explains."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from holdfast.experiments.figures import stands_out
from holdfast.sweeps.cells import Row
from holdfast.sweeps.figures.style import grouped
from holdfast.sweeps.summary import Place

__all__ = ["write_left_out"]

NOT_ABOVE = (
    "Figures with logarithmic axes leave out gains that do not exceed three standard errors:",
    "chance may explain them, and what is not above zero has no logarithm. So many of the places",
    "where an attack played:",
)
NOT_PLAYED = ("Nobody could play these; heat maps show them as not played:",)


def write_left_out(
    rows: Iterable[Row], places: Sequence[Place], folder: Path
) -> list[tuple[Path, str]]:
    """Write which places are in no figure, and why; nothing if all are."""
    parts = [
        _part("Not above chance", NOT_ABOVE, _not_above(places)),
        _part("Not played", NOT_PLAYED, _not_played(rows)),
    ]
    text = "\n".join(part for part in parts if part)
    if not text:
        return []
    path = folder / "left_out.md"
    path.write_text("# Left out\n\n" + text, encoding="utf-8")
    return [(path, "which places are in no figure, and why")]


def _part(title: str, why: Sequence[str], found: Sequence[str]) -> str:
    lines = [f"## {title}", "", *why, "", *(f"- {each}" for each in found), ""]
    return "\n".join(lines) if found else ""


def _not_above(places: Sequence[Place]) -> list[str]:
    found = []
    for (attack, rule, metric, labels, prior), group in grouped(
        [place for place in places if place.gain is not None],
        lambda p: (p.attack, p.rule, p.metric, p.labels, p.prior),
    ):
        hidden = [p for p in group if p.gain is not None and not stands_out(*p.gain)]
        if hidden:
            sizes = ", ".join(
                f"({p.n_examples:,}, {p.n_classes:,}, {p.n_queries:,})" for p in hidden
            )
            who = f"{attack}, {rule}, {metric}, {labels}, {prior}"
            found.append(f"{who}: {len(hidden)} of {len(group)}: {sizes}")
    return found


def _not_played(rows: Iterable[Row]) -> list[str]:
    """Return reasons, each once for an attack and a rule."""
    counts: dict[str, int] = {}
    for row in rows:
        if row["error"] is not None:
            said = f"{row['attack']}, {row['rule']}, {row['metric']}: {row['error']}"
            counts[said] = counts.get(said, 0) + 1
    return [f"{said} ({count:,} plays)" for said, count in counts.items()]
