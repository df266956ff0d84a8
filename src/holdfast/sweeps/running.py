"""Runs of an experiment: in this process, on several, or on a Dask cluster, with the same rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from holdfast.errors import WorkerLost
from holdfast.experiments.pool import pool
from holdfast.experiments.rehearsals import REHEARSED_EXAMPLES, REHEARSED_LOOKS
from holdfast.labels import label_dtype
from holdfast.sweeps.cells import COUNTS, UNIFORM, Cell, Row, Sources, address, play_cell
from holdfast.sweeps.experiment import Experiment, Parts
from holdfast.sweeps.journal import Journal
from holdfast.sweeps.models import DRAWN, NO_MODEL
from holdfast.sweeps.references import find_attack
from holdfast.sweeps.stretches import LARGE, MappedLabels

__all__ = ["forecast_bytes", "forecast_seconds", "run"]

# Forecast seconds of work that are sent together: a report each few seconds, and little overhead;
# towards the end this share of what is left, so that all workers end at about the same time.
SECONDS_PER_BATCH, SHARE_PER_BATCH = 2.0, 1 / 16
# What a label takes in the simplest attack, a look in any, a play however small, and a block whose
# counts are drawn.
A_LABEL, A_LOOK, A_PLAY, A_BLOCK = 2e-9, 1e-4, 1e-3, 2e-7
# How often worker processes may die before a sweep gives up: memory that runs out kills again.
LOSSES = 3
# What worker processes take to start, about.
SECONDS_TO_START = 0.8
# A cell of fewer examples needs no memory to speak of; a larger one as many bytes for each, about,
# in attacks that hold several numbers per example, or so many in all if it goes by stretches.
LARGE_CELL, BYTES_PER_EXAMPLE, BYTES_OF_STRETCHES = 1 << 20, 64, 1 << 26
# The model of a rehearsal: whatever models a cell has.
A_MODEL = f"{DRAWN}0.6"


def forecast_seconds(cell: Cell) -> float:
    """Return about how long a cell takes on a core of 2025."""
    cls = find_attack(cell.attack)
    if cell.labels == COUNTS:
        return A_PLAY + A_BLOCK * cell.n_queries
    return A_PLAY + A_LABEL * cls.work(cell.problem) * cls.effort + A_LOOK * cell.n_queries


def run(
    experiment: Experiment | Parts,
    *,
    processes: int = 1,
    cluster: str | None = None,
    journal: Journal | None = None,
    on_rows: Callable[[int], None] | None = None,
) -> Iterator[Row]:
    """Play every cell; yield the rows in the grid's order.

    Parameters
    ----------
    experiment
        What to play.
    processes
        How many processes to play on; 1: in this one. A script that asks for more needs the usual
        `if __name__ == "__main__":`.
    cluster
        The address of a Dask scheduler to play on instead.
    journal
        Where rows are kept as soon as they are there. Cells that it holds are not played again.
    on_rows
        Called with how many more rows are there, for progress bars.

    Raises
    ------
    WorkerLost
        Worker processes died again and again: each time others played on what was missing.

    Examples
    --------
    >>> experiment = Experiment(["block-majority"], problems=[(100, 2, 11)], seeds=3)
    >>> [row["looks"] for row in run(experiment)]
    [11, 11, 11]
    """
    sources = experiment.sources
    known = {} if journal is None else journal.rows
    addresses = [address(cell, sources.digests) for cell in experiment]
    # Rows that are told in their order as soon as all before them are there.
    fresh: dict[str, Row] = {}
    done: set[str] = set()

    def on_done(_: Sequence[Cell], rows: list[Row]) -> None:
        fresh.update((row["address"], row) for row in rows)
        done.update(row["address"] for row in rows)
        if journal is not None:
            journal.add(rows)
        if on_rows is not None:
            on_rows(len(rows))

    missing = [cell for cell, own in zip(experiment, addresses, strict=True) if own not in known]
    if on_rows is not None and len(missing) < len(addresses):
        on_rows(len(addresses) - len(missing))
    told = iter(addresses)
    needs = partial(_bytes_of_batch, sources)
    if cluster is None and sum(map(forecast_seconds, missing)) < SECONDS_TO_START:
        processes = min(processes, 1)  # done before workers would have started
    processes = min(processes, max(2, len(missing)))
    own = next(told, None)
    for left in reversed(range(LOSSES + 1)):
        try:
            with pool(
                _play,
                sources,
                processes=processes,
                cluster=cluster,
                needs=needs,
                rehearsals=[
                    partial(_play, Sources(sources.digests, {}), [cell])
                    for cell in _rehearsals(missing)
                ],
            ) as play:
                for _ in play(_batches(missing), on_done):
                    while own is not None and (row := known.get(own) or fresh.pop(own, None)):
                        yield row
                        own = next(told, None)
            break
        except WorkerLost:
            # Dask gives the work of a dead worker to another; here others are started for it.
            if cluster is not None or not left:
                raise
            missing = [cell for cell in missing if address(cell, sources.digests) not in done]
    while own is not None:
        yield known.get(own) or fresh[own]
        own = next(told, None)


def _rehearsals(cells: Iterable[Cell]) -> list[Cell]:
    """Return small cells that compile what the others need.

    What that is depends on the attack, the rule, whether there is a model, and the labels' width.
    """
    found: dict[tuple[str, str, str, bool, int], Cell] = {}
    for cell in cells:
        if cell.labels != COUNTS:
            small = cell._replace(
                n_examples=min(cell.n_examples, REHEARSED_EXAMPLES),
                n_queries=min(cell.n_queries, REHEARSED_LOOKS),
                labels=UNIFORM,
                prior=NO_MODEL if cell.prior == NO_MODEL else A_MODEL,
            )
            width = label_dtype(cell.n_classes).itemsize
            own = (cell.attack, cell.rule, cell.metric, cell.prior == NO_MODEL, width)
            found.setdefault(own, small)
    return list(found.values())


def forecast_bytes(cell: Cell, sources: Sources) -> int:
    """Return about how much memory a cell takes: only large ones count."""
    n, known = cell.n_examples, sources.labels.get(cell.labels)
    if cell.labels == COUNTS or n < LARGE_CELL:
        return 0
    by_stretches = find_attack(cell.attack).by_stretches and n >= LARGE
    if by_stretches and (isinstance(known, MappedLabels) or cell.labels == UNIFORM):
        return BYTES_OF_STRETCHES
    return BYTES_PER_EXAMPLE * n


def _bytes_of_batch(sources: Sources, cells: Sequence[Cell]) -> int:
    return max(forecast_bytes(cell, sources) for cell in cells)


def _play(sources: Sources, cells: Sequence[Cell]) -> list[Row]:
    return [play_cell(sources, cell) for cell in cells]


def _batches(cells: Iterable[Cell]) -> Iterator[list[Cell]]:
    """Yield cells in batches of a few seconds of forecast work; a large one goes alone."""
    forecasts = [(cell, forecast_seconds(cell)) for cell in cells]
    left = sum(seconds for _, seconds in forecasts)
    batch: list[Cell] = []
    seconds = 0.0
    for cell, more in forecasts:
        if batch and seconds + more > min(SECONDS_PER_BATCH, SHARE_PER_BATCH * left):
            yield batch
            left -= seconds
            batch, seconds = [], 0.0
        batch.append(cell)
        seconds += more
    if batch:
        yield batch
