"""Reservations of memory: tasks beside each other fit, and a task that never fits runs alone."""

import pickle
import time
from functools import partial
from multiprocessing import active_children

import numpy as np
import pytest

from holdfast.audit import audit
from holdfast.experiments import pool as pool_module
from holdfast.experiments.matrix import run_matrix
from holdfast.experiments.matrix_plays import Matrix
from holdfast.experiments.pool import pool
from holdfast.experiments.reservations import SHARE, Reservations, free_bytes
from holdfast.problem import Problem
from holdfast.rules import parse_rule
from tests.audit.conftest import make_request


def test_tasks_are_taken_in_order_as_they_fit_and_an_oversized_one_alone():
    reservations = Reservations(lambda task: task, int(100 / SHARE))
    waiting = reservations.over([50, 40, 30, 500, 1, 0])
    assert waiting.take(9) == [50, 40]
    assert waiting.take(9) == []
    reservations.free(50)
    assert waiting.take(9) == [30]
    reservations.free(40)
    assert waiting.take(9) == []  # 500 waits for all others
    reservations.free(30)
    assert waiting.take(9) == [500]
    assert waiting.take(1) == []
    reservations.free(500)
    assert waiting.take(9) == [1, 0]
    assert waiting.ended


def test_without_needs_or_knowledge_all_are_taken():
    for reservations in (Reservations(None, 5), Reservations(lambda task: 10**9, None)):
        assert reservations.over(range(6)).take(4) == [0, 1, 2, 3]


def test_the_machine_tells_what_is_free():
    found = free_bytes()
    assert found is None or found > 1 << 20


def spell(log, task):
    """Write down when a task ran."""
    start = time.time()
    time.sleep(0.15)
    with open(f"{log}-{task}", "w", encoding="utf-8") as file:
        file.write(f"{start} {time.time()}")
    return task


@pytest.mark.slow
def test_large_tasks_do_not_run_beside_others(tmp_path, monkeypatch):
    monkeypatch.setattr(pool_module, "free_bytes", lambda: int(10 / SHARE))
    sizes = [3, 3, 8, 8, 3, 3]
    log = str(tmp_path / "ran")
    with pool(spell, log, processes=2, needs=lambda task: sizes[task]) as spelled:
        assert list(spelled(range(6))) == list(range(6))
    ran = {
        task: tuple(map(float, (tmp_path / f"ran-{task}").read_text().split())) for task in range(6)
    }
    for large in (2, 3):
        for other in range(6):
            if other != large:
                assert ran[large][1] <= ran[other][0] or ran[other][1] <= ran[large][0]


@pytest.mark.slow
def test_rehearsals_are_done_here_before_any_worker_has_a_task():
    done = []
    small = [partial(done.append, each) for each in (1, 2)]

    def tasks():
        assert done == [1, 2]
        yield from (3, 4, 5)

    with pool(pow, 2, processes=2, rehearsals=small) as powers:
        assert list(powers(tasks())) == [8, 16, 32]
    assert done == [1, 2]


def test_workers_that_started_meanwhile_are_ended_if_a_rehearsal_fails():
    def fail():
        raise ZeroDivisionError

    before = set(active_children())
    with pytest.raises(ZeroDivisionError), pool(pow, 2, processes=2, rehearsals=[fail]):
        pass
    assert not set(active_children()) - before


def test_an_audit_and_a_matrix_rehearse_every_attack_before_workers_start(monkeypatch):
    """Also those that need a model, where there is one; each is small, and can travel."""
    seen = {}

    class Stopped(Exception):
        pass

    def note(*_, rehearsals=(), **__):
        seen["small"] = rehearsals
        raise Stopped

    for module in ("holdfast.audit.scenarios.plays", "holdfast.experiments.matrix"):
        monkeypatch.setattr(f"{module}.pool", note)
    labels = np.random.default_rng(1).integers(3, size=400)
    predictions = [np.where(np.random.default_rng(2).random(400) < 0.5, labels, 0)]
    request = make_request(labels, release="round:2", predictions=predictions)
    rules = [parse_rule("round:2"), parse_rule("ladder")]
    for run_it, known in (
        (lambda: audit(request, processes=2), {False, True}),
        (lambda: run_matrix(Matrix(Problem(400, 3, 10), rules=rules), processes=2), {False}),
    ):
        with pytest.raises(Stopped):
            run_it()
        small = pickle.loads(pickle.dumps(seen["small"]))
        assert {each.args[3] for each in small} == known
        assert {each.args[0] for each in small} >= {"block-majority", "lattice", "message-passing"}
        for each in small[:3]:
            each()
