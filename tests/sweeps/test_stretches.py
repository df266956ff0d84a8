"""Plays by stretches: the same rows as on whole labels, in a fraction of their memory."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from holdfast.sweeps import Experiment, run, stretches
from holdfast.sweeps.cells import MEASURED


def lasting(rows):
    return [{name: row[name] for name in row if name not in MEASURED} for row in rows]


GRID = {"attacks": ["block-majority", "column-vote", "uniform-vote", "hill-climb"], "seeds": 2}


@pytest.fixture
def small_stretches(monkeypatch):
    monkeypatch.setattr(stretches, "LARGE", 100)
    monkeypatch.setattr("holdfast.sweeps.cells.LARGE", 100)
    monkeypatch.setattr(stretches, "STRETCH", 37)


def test_rows_are_those_of_whole_labels(small_stretches, monkeypatch):
    experiment = Experiment(**GRID, problems=[(500, 4, 30), (200, 2, 1), (300, 300, 20)],
                            labels=["uniform", "sorted"])  # fmt: skip
    played = []
    by_stretches = stretches.play_by_stretches

    def counted(*given):
        played.append(by_stretches(*given))
        return played[-1]

    monkeypatch.setattr("holdfast.sweeps.cells.play_by_stretches", counted)
    rows = lasting(run(experiment))
    assert sum(matches is not None for matches in played) == 3 * 3 * 2 * 2
    monkeypatch.setattr("holdfast.sweeps.cells.LARGE", 10**9)
    assert lasting(run(experiment)) == rows


def test_a_file_of_bytes_is_mapped_and_gives_the_rows_of_one_that_is_read(
    small_stretches, tmp_path, monkeypatch
):
    labels = np.random.default_rng(3).integers(5, size=1000).astype(np.uint8)
    np.save(tmp_path / "labels.npy", labels)
    experiment = Experiment(**GRID, labels=[str(tmp_path / "labels.npy")], n_queries=[21])
    assert isinstance(*experiment.sources.labels.values(), stretches.MappedLabels)
    rows = lasting(run(experiment))
    monkeypatch.setattr(stretches, "LARGE", 10**9)
    monkeypatch.setattr("holdfast.sweeps.cells.LARGE", 10**9)
    plain = Experiment(**GRID, labels=[str(tmp_path / "labels.npy")], n_queries=[21])
    assert lasting(run(plain)) == rows
    assert rows[0]["n_classes"] == 5


def test_other_files_are_not_mapped(small_stretches, tmp_path):
    gap = np.full(1000, 3, np.uint8)  # classes 0 to 2 are missing
    np.save(tmp_path / "gap.npy", gap)
    np.save(tmp_path / "wide.npy", np.arange(1000, dtype=np.int64) % 3)
    (tmp_path / "text.npy").write_text("id,label\n" * 200)
    for name in ("gap.npy", "wide.npy", "text.npy", "missing.npy"):
        assert stretches.mapped_labels(tmp_path / name) is None
    cut = tmp_path / "cut.npy"
    np.save(cut, np.arange(1000) % 3)
    np.save(tmp_path / "whole.npy", (np.arange(1000) % 3).astype(np.uint8))
    cut.write_bytes((tmp_path / "whole.npy").read_bytes()[:-5])
    assert stretches.mapped_labels(cut) is None


# Run in a process of its own, since memory once taken counts for ever.
PLAY = """
import sys
from pathlib import Path
import numpy as np
from holdfast.sweeps import Experiment, run

def peak():
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) * 1024

path, n = sys.argv[1], int(sys.argv[2])
# A play on few labels loads and compiles all that one on many needs.
list(run(Experiment(["block-majority"], problems=[(5000, 10, 11)])))
import holdfast.sweeps.cells as cells, holdfast.sweeps.stretches as stretches
cells.LARGE = 100
list(run(Experiment(["block-majority"], problems=[(5000, 10, 11)])))
cells.LARGE = stretches.LARGE
before = peak()
labels = [path] if path else ["uniform"]
sizes = {"n_queries": [101]} if path else {"problems": [(n, 10, 101)]}
(row,) = run(Experiment(["block-majority"], labels=labels, **sizes))
assert row["error"] is None and row["gain"] > 0, row
print(peak() - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's account of it")
def test_a_large_play_takes_less_than_half_as_much_again_as_its_labels(tmp_path):
    n = 3 * stretches.LARGE
    block = np.random.default_rng(4).integers(10, size=n // 48).astype(np.uint8)
    np.save(tmp_path / "labels.npy", np.tile(block, 48))
    for path in (str(tmp_path / "labels.npy"), ""):
        done = subprocess.run(
            [sys.executable, "-c", PLAY, path, str(n)],
            capture_output=True, text=True, check=True, timeout=300,
        )  # fmt: skip
        assert int(done.stdout) < 1.5 * n, (path, int(done.stdout) / n)
