"""Files that were damaged on the way: each is read or refused in one line, in little memory."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutated_files import KINDS, run
from tests.paces import few

MOST_MEGABYTES = 500
# More of them: `python -m tests.mutated_files KIND 5000 2 FOLDER`.
FILES = 500


@pytest.mark.parametrize("kind", KINDS)
def test_the_files_are_good_before_they_are_mutated(kind, tmp_path):
    originals, read = KINDS[kind]
    path = tmp_path / kind
    # A submission must fit the hidden labels, which are those of the first table.
    for original in originals[:1] if kind == "submission.csv" else originals:
        path.write_bytes(original if isinstance(original, bytes) else original.encode())
        read(path)


@pytest.mark.parametrize("kind", KINDS)
def test_a_mutated_file_is_read_or_refused_in_one_line(kind, tmp_path):
    outcome = run(kind, 100, seed=1, folder=tmp_path)
    assert outcome["faults"] == []
    assert outcome["read"] + outcome["refused"] == 100
    # The mutations neither destroy every file nor miss every rule.
    assert outcome["refused"] > 10


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="it tells the peak of memory")
@pytest.mark.parametrize("kind", few(2, KINDS))
def test_many_mutated_files_leave_no_traceback_and_take_little_memory(kind, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "tests.mutated_files", kind, str(FILES), "2", str(tmp_path)],
        cwd=Path(__file__).parents[1], capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    outcome = json.loads(done.stdout)
    assert outcome["faults"] == []
    assert done.stderr == ""
    assert outcome["read"] + outcome["refused"] == FILES
    assert outcome["megabytes"] < MOST_MEGABYTES
