"""Cells: one play of a sweep each, whose content address gives its random numbers.

A row follows from its cell alone, not from where, when or beside which others it is played.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdfast._version import __version__
from holdfast.errors import HoldfastError, NotSupported
from holdfast.experiments.label_kinds import hidden_labels
from holdfast.experiments.suite import attack_on
from holdfast.labels import Labels
from holdfast.loop import play
from holdfast.metrics import Accuracy, Submission
from holdfast.metrics.registry import parse_metric
from holdfast.oracles import LabelOracle
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.rules import Exact
from holdfast.sweeps.drawn import drawn_matches
from holdfast.sweeps.models import NO_MODEL, drawn_prior, is_drawn, voted_prior
from holdfast.sweeps.references import find_attack, find_rule, named_in_file
from holdfast.sweeps.stretches import LARGE, MappedLabels, drawn_stretches, play_by_stretches
from holdfast.sweeps.through_metric import play_through

__all__ = [
    "COUNTS",
    "MEASURED",
    "RESULTS",
    "UNIFORM",
    "Cell",
    "Row",
    "Sources",
    "address",
    "play_cell",
    "unplayed",
]

Row: TypeAlias = dict[str, Any]

# The version of results: raised when the same cell would give another row; where that is so of one
# attack's cells alone, its own is (`Described.results`).
RESULTS = 1
# Labels that nobody draws.
COUNTS = "counts"
# More labels than this are no array of one machine.
MOST_LABELS = 2_000_000_000
# Columns that a second run gives otherwise.
MEASURED = ("seconds", "peak_memory_bytes", "version")
# Of an address: 80 bits tell any number of cells apart.
DIGITS = 20
# Labels that can be drawn a stretch at a time.
UNIFORM = "uniform"


class Sources(NamedTuple):
    """What cells refer to by name.

    Digests of files, the labels of label files, by label file and prior what models predict, and
    objects that no text can tell.
    """

    digests: Mapping[str, str]
    labels: Mapping[str, Labels | MappedLabels]
    votes: Mapping[tuple[str, str], NDArray[np.integer]] = {}
    objects: Mapping[str, Any] = {}


class Cell(NamedTuple):
    """One play: who attacks which rule with how many looks, on which labels, from which model.

    Parameters
    ----------
    attack, rule
        References, see `holdfast.sweeps.references`.
    metric
        What a look tells.
    n_examples, n_classes, n_queries
        The sizes.
    labels
        A kind of labels (`hidden_labels`), the path of a label file, or "counts": uniform labels
        that nobody draws, for attacks whose matches follow a law of counts alone.
    prior
        "none"; "model:0.7" for a model that is right about so many of the labels, drawn anew
        for every seed, and as sure of each; or files of models' predicted labels.
    seed
        Which of many equal plays.
    """

    attack: str
    rule: str
    metric: str
    n_examples: int
    n_classes: int
    n_queries: int
    labels: str
    prior: str
    seed: int

    @property
    def problem(self) -> Problem:
        """The sizes."""
        return Problem(self.n_examples, self.n_classes, self.n_queries)


def _hashed(parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()


def address(cell: Cell, digests: Mapping[str, str]) -> str:
    """Return the content address of a cell: a file counts by what it holds, not where it lies."""
    parts: list[Any] = list(cell)
    for at, part in enumerate(parts):
        if part in digests:
            parts[at] = [digests[part], named_in_file(part)]
    own = find_attack(cell.attack).results
    version = RESULTS if own == 1 else [RESULTS, own]
    return _hashed(["cell", version, *parts])[:DIGITS]


def _generator(*parts: Any) -> np.random.Generator:
    return np.random.default_rng(int(_hashed(parts)[:32], 16))


def _labels(cell: Cell, sources: Sources) -> Labels:
    """Return the hidden labels: all cells of one problem and seed meet the same ones."""
    known = sources.labels.get(cell.labels)
    if known is not None:
        return known.whole() if isinstance(known, MappedLabels) else known
    n, m, _ = cell.problem
    rng = _generator("labels", RESULTS, n, m, cell.labels, cell.seed)
    return hidden_labels(cell.labels, n, m, rng)


def _prior(cell: Cell, labels: Labels, sources: Sources) -> tuple[Prior | None, Labels | None]:
    """Return what the attacker's models say of the labels, and the labels that they give."""
    if cell.prior == NO_MODEL:
        return None, None
    n, m, _ = cell.problem
    if is_drawn(cell.prior):
        source = sources.digests.get(cell.labels, cell.labels)
        rng = _generator("model", RESULTS, n, m, source, cell.prior, cell.seed)
        return drawn_prior(cell.prior, labels, m, rng)
    votes = sources.votes.get((cell.labels, cell.prior))
    if votes is None:
        raise NotSupported("predictions are about the examples of a label file, not drawn labels.")
    prior = voted_prior(votes, labels, m)
    return prior, prior.top()


def play_cell(sources: Sources, cell: Cell) -> Row:
    """Play one cell; one that fails is a row with its reason.

    Returns
    -------
    A flat row: the cell's parameters; its address; matches, accuracy, score (the metric's value),
    and gain_examples and gain (above guessing, or above the model's own labels); looks; seconds of
    processor time; the most memory that the process had meanwhile, in bytes; version; error, if
    there is one.
    """
    row = unplayed(cell, sources, None)
    _forget_peak()
    start = time.process_time()
    try:
        row |= _outcome(cell, row["address"], sources)
    except HoldfastError as error:
        row["error"] = str(error)
    except Exception as error:  # somebody's attack may raise anything; the sweep goes on
        row["error"] = f"{type(error).__name__}: {error}"
    row["seconds"] = time.process_time() - start
    row["peak_memory_bytes"] = _peak()
    return row


def unplayed(cell: Cell, sources: Sources, reason: str | None) -> Row:
    """Return the row of a cell that was not played, and why."""
    row: Row = {**cell._asdict(), "address": address(cell, sources.digests)}
    row |= {"matches": None, "accuracy": None, "score": None, "gain_examples": None, "gain": None}
    row |= {"looks": 0, "seconds": 0.0, "peak_memory_bytes": None, "version": __version__}
    return {**row, "error": reason}


def _outcome(cell: Cell, own: str, sources: Sources) -> Row:
    problem, rule = cell.problem, find_rule(cell.rule)
    n, m, k = problem
    if cell.labels == COUNTS:
        matches = _drawn_matches(cell, own)
        gain = (m * matches - n) / m
        return _scores(problem, matches, gain) | {"looks": k}
    if n > MOST_LABELS:
        raise NotSupported(
            f"{n:,} labels are not drawn one by one (at most {MOST_LABELS:,}); labels = "
            f'["{COUNTS}"] plays attacks whose law follows from counts alone.'
        )
    cls, for_attack = find_attack(cell.attack), _generator("attack", RESULTS, own)
    if cell.prior != NO_MODEL and not cls.takes_prior:
        raise NotSupported(f"{cell.attack} takes no model, and would be compared with one.")
    metric = parse_metric(cell.metric)
    plain = isinstance(metric, Accuracy)
    if n >= LARGE and plain and rule == Exact() and cell.prior == NO_MODEL:
        attack = attack_on(cls, problem, for_attack, rule)
        streamed = play_by_stretches(attack, partial(_stretches, cell, sources), problem)
        if streamed is not None:
            return _scores(problem, streamed, (m * streamed - n) / m) | {"looks": k}
        for_attack = _generator("attack", RESULTS, own)
    labels = _labels(cell, sources)
    prior, modelled = _prior(cell, labels, sources)
    for_rule = _generator("rule", RESULTS, own)
    if not plain:
        played = play_through(
            metric, cls, problem, labels, rule, prior, rng=for_attack, rule_rng=for_rule
        )
        row: Row = {"score": played.value, "gain": played.gain, "looks": played.looks}
        if metric.takes is Submission.LABELS:
            right = int(np.count_nonzero(np.asarray(played.guess) == labels))
            row |= {"matches": right, "accuracy": right / n}
        return row
    oracle = LabelOracle(labels, problem=problem, mechanism=rule, rng=for_rule)
    attack = attack_on(cls, problem, for_attack, rule, prior=prior)
    guess = play(attack, oracle, until_refused=True)
    matches = int(np.count_nonzero(np.asarray(guess) == labels))
    gain = (m * matches - n) / m
    if modelled is not None:
        gain = float(matches - np.count_nonzero(modelled == labels))
    return _scores(problem, matches, gain) | {"looks": oracle.looks}


def _stretches(cell: Cell, sources: Sources) -> Iterator[Labels]:
    """Yield the labels of a large problem a stretch at a time."""
    known = sources.labels.get(cell.labels)
    n, m, _ = cell.problem
    if isinstance(known, MappedLabels):
        return known.stretches()
    if known is None and cell.labels == UNIFORM:
        rng = _generator("labels", RESULTS, n, m, cell.labels, cell.seed)
        return drawn_stretches(n, m, rng)
    return iter([_labels(cell, sources)])


def _scores(problem: Problem, matches: int, gain: float) -> Row:
    n = problem.n_examples
    share = matches / n
    return {
        "matches": matches,
        "accuracy": share,
        "score": share,
        "gain_examples": gain,
        "gain": gain / n,
    }


def _drawn_matches(cell: Cell, own: str) -> int:
    """Play without labels: draw the matches from their law."""
    if find_rule(cell.rule) != Exact() or cell.prior != NO_MODEL:
        raise NotSupported("counts alone are drawn for exact scores, and without a model.")
    if not isinstance(parse_metric(cell.metric), Accuracy):
        raise NotSupported("counts alone are drawn where a look tells an accuracy.")
    rng = _generator("counts", RESULTS, own)
    matches = drawn_matches(find_attack(cell.attack), cell.problem, rng)
    if matches is None:
        raise NotSupported("its matches do not follow from counts alone: it needs labels.")
    return matches


def _forget_peak() -> None:
    """Start the kernel's record of this process's peak anew, where it has one."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak() -> int | None:
    """Return the peak of resident memory since then, in bytes; None where nothing tells it."""
    with contextlib.suppress(OSError, StopIteration, ValueError):
        lines = Path("/proc/self/status").read_text().splitlines()
        high = next(line for line in lines if line.startswith("VmHWM"))
        return int(high.split()[1]) * 1024
    return None
