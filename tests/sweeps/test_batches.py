"""Batches: a few seconds of work each, whatever was forecast, and what is not played comes back."""

import pytest

from holdfast.sweeps import Experiment, running
from holdfast.sweeps.batches import SECONDS_PER_BATCH, Batches, forecast_seconds
from holdfast.sweeps.cells import Sources


def cells(number, attack="naive-bayes", problem=(20_000, 10, 500)):
    return list(Experiment([attack], problems=[problem], seeds=number))


def played(batch, seconds=0.01):
    return [{"seconds": seconds} for _ in batch]


def test_batches_take_a_moment_each_and_shrink_towards_the_end():
    asked = cells(1000)
    batches = list(Batches(asked))
    assert [cell for batch in batches for cell in batch] == asked
    sizes = [len(batch) for batch in batches]
    assert sizes[0] == int(SECONDS_PER_BATCH / forecast_seconds(asked[0]))
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1


def test_without_seconds_every_cell_goes_by_itself():
    asked = cells(5, problem=(30, 2, 2))
    assert list(Batches(asked, seconds=0.0)) == [[cell] for cell in asked]


def test_what_a_batch_left_is_handed_out_next_also_after_the_last_one():
    asked = cells(40)
    batches = Batches(asked)
    first = next(batches)
    batches.done(first, played(first[:1]))
    assert next(batches)[0] == first[1]
    for batch in batches:
        last = batch
    batches.done(last, [])
    assert list(batches) == [last]
    assert list(batches) == []


@pytest.mark.parametrize("factor", [5.0, 25.0])
def test_batches_of_an_attack_whose_plays_take_longer_than_forecast_get_smaller(factor):
    asked = cells(20_000)
    each = forecast_seconds(asked[0])
    batches = Batches(asked)
    first = next(batches)
    batches.done(first, played(first, factor * each))
    assert len(next(batches)) == pytest.approx(len(first) / factor, abs=1)


def test_an_attack_that_takes_no_processor_time_does_not_get_all_cells_at_once():
    batches = Batches(cells(20_000))
    first = next(batches)
    batches.done(first, played(first, 0.0))
    assert len(next(batches)) <= 11 * len(first)


def test_a_batch_that_is_lost_comes_back_whole_then_singly_and_then_its_cell_is_named():
    asked = cells(16 * 3)
    batches = Batches(asked, trusted=2)
    first = next(batches)
    assert len(first) == 3
    assert not batches.lost(first)
    rest = list(batches)
    assert rest[0] == first
    for batch in rest[1:]:
        batches.done(batch, played(batch))
    assert not batches.lost(first)
    singles = list(batches)
    assert singles == [[cell] for cell in first]
    batches.done(singles[0], played(singles[0]))
    assert batches.lost(singles[1])
    batches.done(singles[2], played(singles[2]))
    assert list(batches) == []


def test_where_nobody_can_tell_who_ended_a_worker_suspects_play_one_after_the_other():
    batches = Batches(cells(2, problem=(30, 2, 2)), trusted=1, apart=True)
    first, second = batches
    assert not batches.lost(first)
    assert list(batches) == []  # the second is under way
    batches.done(second, played(second))
    assert list(batches) == [first]
    assert batches.lost(first)


def test_a_batch_that_is_too_large_comes_back_singly_and_then_its_cell_is_named():
    batches = Batches(cells(16 * 3), apart=True)
    first = next(batches)
    assert len(first) == 3
    assert not batches.refused(first)
    for batch in list(batches):
        batches.done(batch, played(batch))
    for cell in first:
        assert next(batches) == [cell]
        assert batches.refused([cell])
    assert list(batches) == []


def test_a_batch_ends_after_a_few_seconds_and_says_what_was_not_begun(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(running.time, "monotonic", lambda: now[0])

    def play(sources, cell):
        now[0] += 0.4
        return {"seed": cell.seed}

    monkeypatch.setattr(running, "play_cell", play)
    rows = running._play(Sources({}, {}), cells(2000))
    assert [row["seed"] for row in rows] == list(range(int(SECONDS_PER_BATCH / 0.4) + 1))
