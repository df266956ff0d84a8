"""Plays on labels that are read or drawn a stretch at a time: memory for a stretch, not for all.

An attack takes part whose queries are fixed beforehand and whose guess can be made for a stretch:
its looks are counted in one pass over the labels, its guess is scored in a second one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from holdfast.files.npy_files import NPY_MAGIC, read_npy_header
from holdfast.labels import Labels, label_dtype
from holdfast.problem import Problem

__all__ = ["LARGE", "MappedLabels", "drawn_stretches", "mapped_labels", "play_by_stretches"]

# From so many examples on, plays go by stretches where they can.
LARGE = 1 << 24
# Examples at a time: some twenty megabytes with all that is made of them.
STRETCH = 1 << 20


@dataclass(frozen=True)
class MappedLabels:
    """Labels in an NPY file, one byte each, that are mapped and never read whole.

    It travels to other processes as the file's path.
    """

    path: str
    offset: int
    size: int
    n_classes: int

    def stretches(self) -> Iterator[Labels]:
        """Yield all labels in order."""
        mapped = np.memmap(self.path, np.uint8, "r", self.offset, (self.size,))
        for start in range(0, self.size, STRETCH):
            yield np.array(mapped[start : start + STRETCH])

    def whole(self) -> Labels:
        """Return all labels in memory, for plays that need them together."""
        mapped = np.memmap(self.path, np.uint8, "r", self.offset, (self.size,))
        return np.array(mapped)


def mapped_labels(path: Path) -> MappedLabels | None:
    """Return the labels of a large NPY file of bytes, mapped; None: it is another kind of file.

    A file in which a class is missing is read as all others are, since its classes get new numbers.
    """
    if path.suffix != ".npy" or not path.is_file() or path.stat().st_size < LARGE:
        return None
    with path.open("rb") as file:
        if file.read(len(NPY_MAGIC)) != NPY_MAGIC:
            return None
        file.seek(0)
        header = read_npy_header(file, str(path))
        offset, held = file.tell(), path.stat().st_size
    if header.dtype != np.uint8 or header.count < LARGE or offset + header.count > held:
        return None
    found = MappedLabels(str(path), offset, header.count, 2)
    counts = sum(np.bincount(each, minlength=256) for each in found.stretches())
    n_classes = int(np.flatnonzero(counts)[-1]) + 1
    if n_classes < 2 or not np.all(np.asarray(counts)[:n_classes]):
        return None
    return MappedLabels(found.path, offset, header.count, n_classes)


def drawn_stretches(n: int, m: int, rng: np.random.Generator) -> Iterator[Labels]:
    """Yield uniform labels in order: those that `hidden_labels` draws from the same generator."""
    for start in range(0, n, STRETCH):
        drawn = rng.integers(m, size=min(STRETCH, n - start), dtype=np.uint32)
        yield drawn.astype(label_dtype(m))


def play_by_stretches(
    attack: Any, stretches: Callable[[], Iterator[Labels]], problem: Problem
) -> int | None:
    """Let an attack take all its looks at exact scores; return the matches of its guess.

    Parameters
    ----------
    attack
        Who plays.
    stretches
        Returns the labels from the first on, each time anew.
    problem
        The sizes.

    Returns
    -------
    None, and nothing was played, if the attack needs all examples at once.
    """
    queries = attack.fixed_queries() if getattr(attack, "by_stretches", False) else None
    if queries is None:
        return None
    counts = np.zeros(queries.n_queries, dtype=np.int64)
    first = 0
    for labels in stretches():
        counts += queries.matches(labels, first)
        first += labels.size
    attack.tell_all(counts / problem.n_examples)
    matches = first = 0
    for labels in stretches():
        guess = attack.predict_on(first, first + labels.size)
        matches += int(np.count_nonzero(guess == labels))
        first += labels.size
    return matches
