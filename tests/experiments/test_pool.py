"""Worker processes do all their work in order, and none outlives its pool."""

import multiprocessing
import os
import signal
import time

import pytest

from holdfast.errors import InvalidInput, WorkerLost
from holdfast.experiments import pool as pools
from holdfast.experiments.pool import pool

DEADLINE = 120.0  # seconds; a loaded machine takes ten to start a process


def wait_for(path):
    latest = time.monotonic() + DEADLINE
    while not path.exists():
        assert time.monotonic() < latest, f"{path} did not appear"
        time.sleep(0.005)


class TwoPartError(Exception):
    """An error that pickle can't put together again."""

    def __init__(self, first, second):
        super().__init__(f"{first} {second}")


# Tasks are tuples of a word and what it needs; they run in worker processes.


def _square(folder, number):
    return number * number


def _echo(folder, payload):
    return payload


def _threads(folder):
    return os.environ["HOLDFAST_THREADS"]


def _wait(folder, name):
    wait_for(folder / name)
    return name


def _refuse(folder, text):
    raise InvalidInput(text)


def _refuse_in_two_parts(folder):
    raise TwoPartError("first", "second")


def _return_a_function(folder):
    return lambda: None


def _vanish(folder, code):
    os._exit(code)


def _write_for_ever(folder, name):
    path = folder / name
    try:
        path.touch()
        while True:
            time.sleep(0.005)
    finally:
        path.unlink()


def _ignore_requests(folder, name):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    (folder / name).touch()
    time.sleep(DEADLINE)


def work(folder, task):
    word, *needs = task
    return globals()[f"_{word}"](folder, *needs)


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """A pool of two workers for all tests that leave them alive."""
    with pool(work, tmp_path_factory.mktemp("pool"), processes=2) as give:
        yield give


@pytest.mark.slow
def test_results_come_in_the_order_of_the_tasks_and_are_reported_as_they_are_done(tmp_path):
    """The first task ends when the second was reported."""
    done = []

    def on_done(task, result):
        done.append((task, result))
        (tmp_path / "reported").touch()

    tasks = [("wait", "reported"), ("square", 3)]
    with pool(work, tmp_path, processes=2) as give:
        assert list(give(tasks, on_done)) == ["reported", 9]
    assert done == [(tasks[1], 9), (tasks[0], "reported")]


def test_no_more_than_two_tasks_are_taken_per_process(two):
    open_tasks, most = 0, 0

    def tasks():
        nonlocal open_tasks, most
        for number in range(40):
            open_tasks += 1
            most = max(most, open_tasks)
            yield "square", number

    def on_done(task, result):
        nonlocal open_tasks
        open_tasks -= 1

    assert list(two(tasks(), on_done)) == [number * number for number in range(40)]
    assert open_tasks == 0
    assert 2 <= most <= 4


def test_large_tasks_with_large_results_do_not_block_each_other(two):
    large = [("echo", bytes([number]) * 2**20) for number in range(8)]
    assert list(two(large)) == [payload for _, payload in large]


def test_a_worker_leaves_the_other_cores_to_the_others(two):
    assert list(two([("threads",)] * 2)) == ["1", "1"]


def test_what_a_task_raises_is_raised_with_its_traceback_and_the_workers_stay(two):
    with pytest.raises(InvalidInput, match=r"^no\.") as caught:
        list(two([("refuse", "no.")]))
    assert str(caught.value) == "no."
    assert "_refuse" in caught.value.__notes__[0]
    assert list(two([("square", 3)])) == [9]


@pytest.mark.parametrize(
    ("task", "cause"),
    [("refuse_in_two_parts", "TwoPartError: first second"), ("return_a_function", "lambda")],
)
def test_what_can_not_travel_between_processes_is_told(two, task, cause):
    with pytest.raises(Exception, match=cause):
        list(two([(task,)]))


def test_calls_may_be_given_up_or_take_turns(two):
    given_up = two([("square", number) for number in range(9)])
    assert next(given_up) == 0
    del given_up
    first, second = (two([("square", number) for number in range(at, 9)]) for at in (0, 4))
    assert [next(first), next(second), *second, *first] == [
        number * number for number in (0, *range(4, 9), *range(1, 9))
    ]


def test_a_pool_of_one_works_in_this_process(tmp_path):
    done = []
    with pool(work, tmp_path, processes=1) as give:
        assert list(give([("square", 5)], lambda *each: done.append(each))) == [25]
    assert done == [(("square", 5), 25)]


def test_a_pool_has_at_least_one_process(tmp_path):
    nothing = pool(work, tmp_path, processes=0)
    with pytest.raises(InvalidInput, match="processes must be at least 1, got 0"):
        nothing.__enter__()


def test_workers_are_started_when_there_is_work_and_a_lost_one_is_told(tmp_path):
    before = set(multiprocessing.active_children())
    with pool(work, tmp_path, processes=50) as give:
        assert not set(multiprocessing.active_children()) - before
        assert list(give([("square", 2)])) == [4]
        assert len(set(multiprocessing.active_children()) - before) == 1
        with pytest.raises(WorkerLost, match="exit code 7"):
            list(give([("vanish", 7)]))
    assert not set(multiprocessing.active_children()) - before


@pytest.mark.slow
def test_who_asks_is_told_of_a_lost_task_and_the_others_are_done_by_others(tmp_path):
    lost = []

    def on_lost(task, why):
        lost.append((task, str(why)))
        return "lost"

    tasks = [("square", 2), ("vanish", 7), *[("square", number) for number in range(9)]]
    with pool(work, tmp_path, processes=2) as give:
        found = list(give(tasks, on_lost=on_lost))
    assert found == [4, "lost", *[number * number for number in range(9)]]
    ((task, why),) = lost
    assert task == ("vanish", 7)
    assert "exit code 7" in why


def test_tasks_that_a_result_brings_are_done_too(tmp_path):
    """Also by the last result there was."""

    class Countdown:
        def __init__(self):
            self.waiting = [("square", 3)]

        def __iter__(self):
            return self

        def __next__(self):
            if not self.waiting:
                raise StopIteration
            return self.waiting.pop()

    for processes in (1, 2):
        tasks = Countdown()

        def bring(task, result, tasks=tasks):
            if task[1]:
                tasks.waiting.append(("square", task[1] - 1))

        with pool(work, tmp_path, processes=processes) as give:
            assert list(give(tasks, bring)) == [9, 4, 1, 0]


class NeverThere:
    """What no worker can read."""

    def __reduce__(self):
        return os._exit, (5,)


@pytest.mark.slow
def test_workers_that_end_before_they_can_work_are_not_started_for_ever():
    with (
        pool(work, NeverThere(), processes=2) as give,
        pytest.raises(WorkerLost, match="exit code 5"),
    ):
        list(give([("square", 1)] * 4, on_lost=lambda *_: None))


def raising(error):
    def on_done(task, result):
        raise error

    return on_done


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt, pytest.param(RuntimeError, marks=pytest.mark.slow)]
)
@pytest.mark.slow
def test_an_exception_ends_busy_workers_and_they_clean_up(tmp_path, error):
    before = set(multiprocessing.active_children())
    with pytest.raises(error), pool(work, tmp_path, processes=2) as give:
        list(give([("write_for_ever", "file"), ("wait", "file")], raising(error)))
    assert not set(multiprocessing.active_children()) - before
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_worker_that_ignores_the_request_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(pools, "SECONDS_TO_END", 0.05)
    before = set(multiprocessing.active_children())
    with pytest.raises(KeyboardInterrupt), pool(work, tmp_path, processes=2) as give:
        list(give([("ignore_requests", "deaf"), ("wait", "deaf")], raising(KeyboardInterrupt)))
    assert not set(multiprocessing.active_children()) - before
