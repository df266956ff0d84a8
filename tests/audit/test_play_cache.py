"""Plays that are kept: found again, never wrong, never in the way."""

import multiprocessing
import sqlite3

import pytest

from holdfast.audit import Play, PlayCache, as_json, audit, cache_folder, parse_looks
from holdfast.audit.scenarios import play_cache
from holdfast.audit.scenarios.play_cache import KEY, STORE
from holdfast.audit.scenarios.plays import Job
from holdfast.experiments.matrix_plays import Played
from holdfast.rules import Exact, Rounding
from tests.audit.conftest import make_request

JOB = Job("features", Exact(), "block-majority", 20, 0)
PLAYED = Played(0.125, 20)


@pytest.fixture
def request_(request_for):
    return request_for(looks=parse_looks("6"))


def kept_in(folder, request):
    return PlayCache(request, folder)


def rows(folder):
    with sqlite3.connect(folder / STORE) as store:
        return store.execute("SELECT * FROM plays").fetchall()


def test_a_play_is_found_again_and_only_that_one(request_, request_for, tmp_path):
    kept_in(tmp_path, request_).keep(JOB, PLAYED)
    again = kept_in(tmp_path, request_)
    others = [
        JOB._replace(trial=1),
        JOB._replace(looks=21),
        JOB._replace(rule=Rounding(decimals=3)),
        JOB._replace(setting="model"),
        JOB._replace(accounts=2),
        JOB._replace(attack="hill-climb"),
    ]
    assert again.found([JOB, *others]) == {JOB: PLAYED}
    assert again.reused == {JOB}
    labels = request_.labels.copy()
    labels[0] = (labels[0] + 1) % 3
    for other in (
        request_for(labels, looks=parse_looks("6")),
        request_for(looks=parse_looks("6"), seed=1),
        request_for(looks=parse_looks("6"), predictions=[request_.labels]),
    ):
        assert kept_in(tmp_path, other).found([JOB]) == {}


@pytest.mark.slow
def test_a_second_audit_says_the_same_and_plays_nothing(request_, tmp_path):
    played = []

    def hear(event):
        if isinstance(event, Play):
            played.append(event.job)

    def run(kept):
        found = as_json(audit(request_, kept=kept, on_event=hear))
        return {name: part for name, part in found.items() if name != "seconds"}

    without = run(None)
    first = kept_in(tmp_path, request_)
    assert run(first) == without
    second = kept_in(tmp_path, request_)
    assert run(second) == without
    a_third = len(played) // 3
    assert played == 3 * played[:a_third]
    assert second.reused == set(played)


@pytest.mark.slow
def test_an_audit_of_another_rule_finds_what_was_compared(tmp_path, request_for):
    first = request_for(looks=parse_looks("6"))
    audit(first, kept=kept_in(tmp_path, first))
    second = request_for(looks=parse_looks("6"), release="round:2")
    kept = kept_in(tmp_path, second)
    audit(second, kept=kept)
    assert any(job.rule == second.rule for job in kept.reused)
    assert any(job.rule == Exact() for job in kept.reused)


def test_the_store_holds_gains_and_looks_under_digests_that_need_the_key(request_, tmp_path):
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    for folder in (mine, theirs):
        kept = kept_in(folder, request_)
        kept.keep(JOB, PLAYED)
        kept.close()
    (address, *rest, used), (other, *_) = rows(mine)[0], rows(theirs)[0]
    assert rest == [0.125, 20, None]
    assert isinstance(used, int)
    assert len(address) == 32
    assert address != other  # each folder has a key of its own
    labels = request_.labels
    for path in mine.iterdir():
        data = path.read_bytes()
        assert labels.tobytes()[:32] not in data
        assert labels.astype("<i8").tobytes()[:64] not in data
        assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "damage", [b"", b"not a database", b"SQLite format 3\x00" + b"\xff" * 9000]
)
def test_a_damaged_store_is_begun_anew(request_, tmp_path, damage):
    kept = kept_in(tmp_path, request_)
    kept.keep(JOB, PLAYED)
    kept.close()
    for path in tmp_path.glob(f"{STORE}*"):
        path.unlink()
    (tmp_path / STORE).write_bytes(damage)
    again = kept_in(tmp_path, request_)
    assert again.found([JOB]) == {}
    again.keep(JOB, PLAYED)
    assert kept_in(tmp_path, request_).found([JOB]) == {JOB: PLAYED}


def test_a_damaged_key_costs_the_plays_and_is_renewed(request_, tmp_path):
    kept_in(tmp_path, request_).keep(JOB, PLAYED)
    (tmp_path / KEY).write_bytes(b"short")
    assert kept_in(tmp_path, request_).found([JOB]) == {}
    kept_in(tmp_path, request_).keep(JOB, PLAYED)
    assert kept_in(tmp_path, request_).found([JOB]) == {JOB: PLAYED}


@pytest.mark.parametrize("row", [(float("nan"), 3), (7.0, 3), (0.1, -3), ("x", 3), (0.1, "x")])
def test_a_row_that_no_play_can_have_written_is_not_believed(request_, tmp_path, row):
    kept = kept_in(tmp_path, request_)
    kept.keep(JOB, PLAYED)
    kept.close()
    with sqlite3.connect(tmp_path / STORE) as store:
        store.execute("UPDATE OR IGNORE plays SET gain = coalesce(?, 9.0), looks = ?", row)
    assert kept_in(tmp_path, request_).found([JOB]) == {}


def test_a_folder_that_cannot_be_written_is_left_alone(request_, tmp_path):
    (tmp_path / "file").write_text("in the way")
    kept = kept_in(tmp_path / "file", request_)
    kept.keep(JOB, PLAYED)
    assert kept.found([JOB]) == {}
    kept.close()


def test_the_oldest_plays_go_when_there_are_too_many(request_, tmp_path, monkeypatch):
    monkeypatch.setattr(play_cache, "MOST_ROWS", 10)
    monkeypatch.setattr(play_cache, "ROWS_KEPT", 6)
    clock = iter(range(1000, 2000))
    monkeypatch.setattr(play_cache.time, "time", lambda: next(clock))
    kept = kept_in(tmp_path, request_)
    jobs = [JOB._replace(trial=trial) for trial in range(12)]
    for job in jobs:
        kept.keep(job, PLAYED)
    assert kept.found(jobs[:1])  # used again, so the youngest
    kept.close()
    left = kept_in(tmp_path, request_).found(jobs)
    assert set(left) == {jobs[0], *jobs[7:]}


def _keep_many(folder, first):
    kept = PlayCache(make_request(), folder)
    for trial in range(first, first + 100):
        kept.keep(JOB._replace(trial=trial), PLAYED)
    kept.close()


@pytest.mark.slow
def test_two_audits_at_once_lose_nothing(tmp_path):
    spawn = multiprocessing.get_context("spawn")
    both = [spawn.Process(target=_keep_many, args=(tmp_path, first)) for first in (0, 100)]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert [each.exitcode for each in both] == [0, 0]
    jobs = [JOB._replace(trial=trial) for trial in range(200)]
    assert len(PlayCache(make_request(), tmp_path).found(jobs)) == 200


def test_the_folder_is_the_users_unless_a_variable_says_otherwise(monkeypatch, tmp_path):
    monkeypatch.setenv("HOLDFAST_CACHE_DIR", str(tmp_path / "mine"))
    assert cache_folder() == tmp_path / "mine"
    monkeypatch.delenv("HOLDFAST_CACHE_DIR")
    monkeypatch.setattr(play_cache.sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "holdfast"
