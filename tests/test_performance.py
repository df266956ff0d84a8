"""The performance record: every kernel has a row, and two records are compared beyond noise."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.performance import compare, kernels, record, rows
from benchmarks.performance.rows import Row

from holdfast import Problem
from holdfast.attacks import without_features
from holdfast.kernels import keyed

ROOT = Path(__file__).resolve().parents[1]


def made(*found, commit="abc"):
    return record.Record(commit, {"cores": 2}, 1e9, tuple(found))


def row(name="a", value=2.0, spread=0.01, group="kernel"):
    return Row(name, group, value, "times", spread=spread, seconds=1.0, faster=3.0)


def test_every_kernel_of_the_package_has_a_row():
    """A new module with compiled code must be measured, by itself or in a game."""
    assert set(record.kernel_modules()) == record.measured_modules()


def test_the_check_notices_a_kernel_without_a_row(monkeypatch):
    monkeypatch.setattr(record, "KERNELS", record.KERNELS[1:])
    assert set(record.kernel_modules()) - record.measured_modules() == {"holdfast.kernels.matches"}


@pytest.mark.slow
def test_all_of_it_runs_and_every_kernel_is_called():
    """In a process of its own: what was called there was called by the record."""
    code = """
from benchmarks.performance import record
found = record.measured(("kernel", "game"), scale=0.04)
failed = [row for row in found.rows if row.failed]
idle = [
    name for name, functions in record.kernel_modules().items()
    if name not in record.INLINED and not any(function.signatures for function in functions)
]
print(failed, idle)
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] []", done.stdout


@pytest.mark.parametrize("make", kernels.KERNELS)
def test_a_kernel_and_its_plain_way_run(make):
    kernel = make(0.02)
    kernel.run()
    kernel.plain()
    assert kernel.n_bytes > 0


def test_plain_ways_compute_the_same():
    """Where the plain way is another spelling of the kernel, both give the same."""
    keys = np.random.default_rng(0).integers(2**64, size=100, dtype=np.uint64)
    assert (keyed.hash_keys(keys, np.uint64(5)) == kernels.plain_hash(keys, np.uint64(5))).all()
    for make in (kernels._counting, kernels._bounded):
        kernel = make(0.001)
        assert np.array_equal(kernel.run(), kernel.plain())
    problem = Problem(40, 4, 4000)
    hidden = np.random.default_rng(1).integers(4, size=40)
    assert np.mean(kernels.plain_column_vote(problem, hidden) == hidden) > 0.9
    assert without_features.BlockMajority  # its plain way is as much work, under other keys


def test_a_slower_row_is_flagged_beyond_its_noise_and_not_within():
    before = made(row("a", 2.0), row("b", 2.0, spread=0.2), row("c", 2.0))
    now = made(row("a", 2.4), row("b", 2.4, spread=0.2), row("c", 1.5))
    found = {each.name: each for each in compare.changes(before, now)}
    assert found["a"].verdict == "SLOWER"
    assert found["a"].ratio == pytest.approx(1.2)
    assert found["b"].verdict == "same"  # three times hypot(.2, .2) is .85
    assert found["b"].noise == pytest.approx(3 * np.hypot(0.2, 0.2))
    assert found["c"].verdict == "faster"


def test_a_change_and_its_undoing_are_told_alike():
    one, other = made(row(value=1.0)), made(row(value=1.3))
    assert compare.changes(one, other)[0].verdict == "SLOWER"
    assert compare.changes(other, one)[0].verdict == "faster"


def test_exponents_are_compared_by_their_difference():
    before, now = (made(row(value=value, group="scaling")) for value in (1.0, 1.3))
    assert compare.changes(before, now)[0].verdict == "steeper"
    assert compare.changes(now, before)[0].verdict == "flatter"
    near = made(row(value=1.1, group="scaling"))
    assert compare.changes(before, near)[0].verdict == "same"


def test_rows_of_one_side_alone_and_failed_ones_are_named():
    failed = replace(row("b"), failed="ImportError: no such kernel")
    found = {
        each.name: each.verdict for each in compare.changes(made(row("a"), failed), made(row("b")))
    }
    assert found == {"a": "gone", "b": "new"}
    text = compare.report(compare.changes(made(row("a"), failed), made(row("b"))), "old", "new")
    assert "| a | 2 | - |" in text
    assert "0 of 2 rows are worse" in text


def test_the_best_of_two_runs_is_kept_and_what_they_differ_by_is_noise():
    best = compare.best_of([made(row(value=2.0)), made(row(value=3.0))])
    assert best.rows[0].value == 2.0
    assert best.rows[0].spread == pytest.approx(0.25)


def test_a_record_is_read_as_it_was_written(tmp_path):
    found = made(row("a"), replace(row("b"), failed="why"))
    found.keep(tmp_path / "new" / "r.json")
    assert record.read_record(tmp_path / "new" / "r.json") == found
    assert "not measured: why" in record.table(found)


@pytest.mark.parametrize("content", ["", "[]", "{}", json.dumps({"format": 99, "rows": []})])
def test_what_is_no_record_is_refused(tmp_path, content):
    path = tmp_path / "r.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=r"r\.json is no performance record of format 1\."):
        record.read_record(path)


@pytest.mark.parametrize(
    ("load", "asked", "kept"), [(2.0, [], 1), (2.1, [], 0), (16.3, ["--busy"], 1)]
)
def test_what_a_busy_machine_measured_is_not_kept_unless_that_is_asked_for(
    load, asked, kept, tmp_path, monkeypatch, capsys
):
    from benchmarks.performance import __main__ as command
    from benchmarks.performance.kept import Performance

    path, seen = tmp_path / "r.json", []
    replace(made(row("a")), machine={"cores": 2, "load": load}).keep(path)
    monkeypatch.setattr(Performance, "keep", lambda self, content: seen.append(content))
    monkeypatch.setattr("sys.argv", ["performance", "keep", "--json", str(path), *asked])
    assert command.main() == (0 if kept else 2)
    assert len(seen) == kept
    assert ("a load of 2.1 on 2 cores" in capsys.readouterr().err) == (not kept)


def test_a_commit_that_is_not_there_is_refused_before_anything_is_measured(capsys, monkeypatch):
    from benchmarks.performance import __main__ as command

    monkeypatch.setattr(compare, "_measure", None)
    monkeypatch.setattr(sys, "argv", ["performance", "compare", "no-such-commit"])
    assert command.main() == 2
    assert "BASE must be a commit of this repository" in capsys.readouterr().err


def test_times_are_taken_in_turns():
    order = []
    taken = rows.in_turns(lambda: order.append("a"), lambda: order.append("b"), repeats=1)
    assert order == ["a", "b", "a", "b"]
    assert [len(each) for each in taken] == [1, 1]


def test_a_ratio_is_of_the_shortest_times(monkeypatch):
    clock = iter(x / 10 for x in (0, 0, 2, 2, 3, 3, 7, 7, 8, 8, 11, 11, 12, 99, 99, 99))
    monkeypatch.setattr(rows.time, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(rows, "SECONDS", 0.0)
    found = rows.ratio_row("x", "kernel", "times", lambda: None, lambda: None, repeats=3)
    assert found.value == pytest.approx(2.0)  # 0.2 against 0.1


def test_shares_of_limit_and_plain_way_are_scaled(monkeypatch):
    """One second each: half a second of limit, and a plain way that did a tenth in it."""
    clock = iter(range(100))
    monkeypatch.setattr(rows.time, "perf_counter", lambda: float(next(clock)))
    found = rows.ratio_row(
        "x",
        "kernel",
        "times",
        lambda: None,
        lambda: None,
        limit_share=0.5,
        plain=lambda: None,
        plain_share=0.1,
        repeats=1,
    )
    assert (found.value, found.faster) == (2.0, pytest.approx(10.0))


def test_a_row_that_raises_says_why_and_the_others_are_measured(monkeypatch):
    def broken(scale):
        raise AttributeError("no such kernel")

    monkeypatch.setattr(record, "KERNELS", (broken, kernels._counting))
    found = record.measured(("kernel",), scale=0.001)
    assert found.rows[0].failed == "AttributeError: no such kernel"
    assert found.rows[1].failed is None
