"""Runs of an experiment: in this process, on several, or on a Dask cluster, with the same rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from holdfast.experiments.pool import pool
from holdfast.sweeps.cells import COUNTS, Cell, Row, Sources, address, play_cell
from holdfast.sweeps.experiment import Experiment
from holdfast.sweeps.journal import Journal
from holdfast.sweeps.references import find_attack

__all__ = ["forecast_seconds", "run"]

# Forecast seconds of work that are sent together: a report each few seconds, and little overhead.
SECONDS_PER_BATCH = 2.0
# What a label takes in the simplest attack, a look in any, a play however small, and a block whose
# counts are drawn.
A_LABEL, A_LOOK, A_PLAY, A_BLOCK = 2e-9, 1e-4, 1e-3, 2e-7


def forecast_seconds(cell: Cell) -> float:
    """Return about how long a cell takes on a core of 2025."""
    cls = find_attack(cell.attack)
    if cell.labels == COUNTS:
        return A_PLAY + A_BLOCK * cell.n_queries
    return A_PLAY + A_LABEL * cls.work(cell.problem) * cls.effort + A_LOOK * cell.n_queries


def run(
    experiment: Experiment,
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

    def on_done(_: Sequence[Cell], rows: list[Row]) -> None:
        fresh.update((row["address"], row) for row in rows)
        if journal is not None:
            journal.add(rows)
        if on_rows is not None:
            on_rows(len(rows))

    missing = [cell for cell, own in zip(experiment, addresses, strict=True) if own not in known]
    if on_rows is not None and len(missing) < len(addresses):
        on_rows(len(addresses) - len(missing))
    told = iter(addresses)
    with pool(_play, sources, processes=processes, cluster=cluster) as play:
        own = next(told, None)
        for _ in play(_batches(missing), on_done):
            while own is not None and (row := known.get(own) or fresh.pop(own, None)):
                yield row
                own = next(told, None)
    while own is not None:
        yield known.get(own) or fresh[own]
        own = next(told, None)


def _play(sources: Sources, cells: Sequence[Cell]) -> list[Row]:
    return [play_cell(sources, cell) for cell in cells]


def _batches(cells: Iterable[Cell]) -> Iterator[list[Cell]]:
    """Yield cells in batches of a few seconds of forecast work; a large one goes alone."""
    batch: list[Cell] = []
    seconds = 0.0
    for cell in cells:
        more = forecast_seconds(cell)
        if batch and seconds + more > SECONDS_PER_BATCH:
            yield batch
            batch, seconds = [], 0.0
        batch.append(cell)
        seconds += more
    if batch:
        yield batch
