"""What the measurements share: sets, panels, and one team's looks, watched one after another."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.real.sets import SETS, RealSet, read_set
from holdfast.detect import Panel, Watch, evidence_of
from holdfast.detect.evidence import FLAG
from holdfast.labels import Labels, label_dtype

__all__ = [
    "FILES",
    "SEED",
    "SETS",
    "Seen",
    "columns",
    "read_set",
    "rng_of",
    "rows_into",
    "seen",
    "sorted_by",
]

SEED = 32
# Sets with models' probabilities: the files of these and of the labels.
FILES = {
    "letter": ("softmax_test.npz", "y.npy"),
    "mnist": ("zoo_softmax_test.npz", "y.npy"),
}


class Seen(NamedTuple):
    """One team, watched: looks, ones, decided looks, the look at which it is flagged.

    `bits` are 1, 0 and a point for each look.
    """

    looks: int
    ones: int
    decided: int
    flagged: int | None
    log_evidence: float
    bits: str


def seen(looks: Iterable[Labels], panel: Labels, rate: float = 0.1) -> Seen:
    """Watch the looks of one team against a panel."""
    watch = Watch(Panel(panel))
    bits = [watch.look(look).bit for look in looks]
    return of_bits(bits, rate)


def of_bits(bits: Sequence[bool | None], rate: float = 0.1) -> Seen:
    """Return what follows from bits."""
    logs = evidence_of(bits, rate)
    over = np.flatnonzero(logs >= np.log(FLAG))
    return Seen(
        len(bits),
        sum(bit is True for bit in bits),
        sum(bit is not None for bit in bits),
        int(over[0]) + 1 if over.size else None,
        round(float(logs.max()), 3) if len(logs) else 0.0,
        "".join("." if bit is None else str(int(bit)) for bit in bits),
    )


def columns(real: RealSet) -> Labels:
    """Return the models' predictions, (models, n); no answer is a class of its own."""
    most = int(real.votes.max()) + 1
    return np.ascontiguousarray(real.votes.T.astype(label_dtype(most)))


def rng_of(*place: Any) -> np.random.Generator:
    """Return randomness that follows from the measurement's place."""
    text = json.dumps([SEED, *place])
    return np.random.default_rng(list(text.encode()))


def sorted_by(values: NDArray[Any]) -> NDArray[np.intp]:
    """Return the order of growing values."""
    return np.argsort(values, kind="stable")


def rows_into(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write rows as they come, a line each."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row) + "\n")
            file.flush()
