"""Runs of an experiment: in this process, on several, or on a Dask cluster, with the same rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial

from holdfast.errors import HoldfastError, NotSupported, WorkerLost
from holdfast.experiments.pool import pool
from holdfast.experiments.rehearsals import REHEARSED_EXAMPLES, REHEARSED_LOOKS
from holdfast.labels import label_dtype
from holdfast.sweeps.batches import SECONDS_PER_BATCH, Batches, forecast_seconds
from holdfast.sweeps.cells import COUNTS, UNIFORM, Cell, Row, Sources, address, play_cell, unplayed
from holdfast.sweeps.experiment import Experiment, Parts
from holdfast.sweeps.journal import LOST, Journal
from holdfast.sweeps.models import DRAWN, NO_MODEL
from holdfast.sweeps.references import find_attack, is_own, keep_objects
from holdfast.sweeps.stretches import LARGE, MappedLabels

__all__ = ["forecast_bytes", "run"]

# What worker processes take to start, about.
SECONDS_TO_START = 0.8
# A cell of fewer examples needs no memory to speak of; a larger one as many bytes for each, about,
# in attacks that hold several numbers per example, or so many in all if it goes by stretches.
LARGE_CELL, BYTES_PER_EXAMPLE, BYTES_OF_STRETCHES = 1 << 20, 64, 1 << 26
# The model of a rehearsal: whatever models a cell has.
A_MODEL = f"{DRAWN}0.6"


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
        Worker processes end before they can play anything. A cell that ends its worker each time
        is a row with its reason; in this process nothing can be done about one.

    Examples
    --------
    >>> experiment = Experiment(["block-majority"], problems=[(100, 2, 11)], seeds=3)
    >>> [row["looks"] for row in run(experiment)]
    [11, 11, 11]
    """
    sources = experiment.sources
    known = {} if journal is None else journal.rows
    addresses = [address(cell, sources.digests) for cell in experiment]
    missing = [cell for cell, own in zip(experiment, addresses, strict=True) if own not in known]
    wanted = set(addresses)
    if on_rows is not None and len(missing) < len(addresses):
        on_rows(len(addresses) - len(missing))
    processes = _worth(processes, cluster, missing)
    batches = Batches(
        missing,
        # Here a row can be kept as soon as it is played.
        seconds=SECONDS_PER_BATCH if processes > 1 or cluster is not None else 0.0,
        # Dask has tried several times before it tells, and blames what only waited there.
        trusted=2 if cluster is None else 1,
        apart=cluster is not None,
    )
    # Rows that are told in their order as soon as all before them are there.
    fresh: dict[str, Row] = {}

    def keep(rows: Sequence[Row]) -> None:
        fresh.update((row["address"], row) for row in rows)
        if journal is not None:
            journal.add(rows)
        if on_rows is not None and rows:
            on_rows(len(rows))

    def on_done(batch: Sequence[Cell], rows: list[Row]) -> None:
        _check_results(rows, wanted)
        batches.done(batch, rows)
        keep(rows)

    def on_lost(batch: Sequence[Cell], why: HoldfastError) -> list[Row]:
        given_up = batches.lost if isinstance(why, WorkerLost) else batches.refused
        if given_up(batch):
            keep([unplayed(cell, sources, f"{LOST}{why}") for cell in batch])
        return []

    needs = partial(_bytes_of_batch, sources)
    told = iter(addresses)
    own = next(told, None)
    small = _rehearsals(missing)
    # What somebody else's code does to its process is not known: it does not do it here.
    here = [cell for cell in small if cluster is not None or not is_own(cell)]
    with pool(
        _play,
        sources,
        processes=processes,
        cluster=cluster,
        needs=needs,
        rehearsals=[
            partial(_play, Sources(sources.digests, {}, objects=sources.objects), [cell])
            for cell in here
        ],
    ) as play:
        if processes > 1 and cluster is None:
            for cell in small:
                if cell not in here:
                    list(play([[cell]], on_lost=lambda *_: []))
        for _ in play(batches, on_done, on_lost):
            while own is not None and (row := known.get(own) or fresh.pop(own, None)):
                yield row
                own = next(told, None)
    while own is not None:
        yield known.get(own) or fresh[own]
        own = next(told, None)


def _check_results(rows: Sequence[Row], wanted: Collection[str]) -> None:
    """Raise if rows are of cells that nobody asked for: their address has another version in it."""
    for row in rows:
        if row["address"] not in wanted:
            raise NotSupported(
                f"a worker (Holdfast {row['version']}) has another version of the results of "
                f"{row['attack']} than this process: all need the same files."
            )


def _worth(processes: int, cluster: str | None, missing: Sequence[Cell]) -> int:
    """Return how many processes to play on: none is started for less work than its start takes.

    How long attacks of one's own take, and whether they end their process, is not known.
    """
    known = cluster is None and not any(map(is_own, missing))
    if known and sum(map(forecast_seconds, missing)) < SECONDS_TO_START:
        return min(processes, 1)
    return min(processes, max(2, len(missing)))


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
    """Play cells for a few seconds; those without a row were not begun."""
    keep_objects(sources.objects)
    rows: list[Row] = []
    latest = time.monotonic() + SECONDS_PER_BATCH
    for cell in cells:
        rows.append(play_cell(sources, cell))
        if time.monotonic() > latest:
            break
    return rows
