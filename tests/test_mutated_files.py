"""Files that were damaged on the way: each is read or refused in one line, in little memory."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.metrics import Submission
from holdfast.metrics.registry import metric_classes
from tests.mutated_files import FORMS, KINDS, run
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


def test_every_form_of_a_submission_is_mutated():
    assert {*FORMS, Submission.LABELS} == set(Submission)
    assert {each.takes for each in metric_classes()} <= set(FORMS)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="it tells the peak of memory")
def test_one_long_cell_takes_no_memory_for_every_row(tmp_path):
    """146 KB took a gigabyte: as many bytes as the longest cell for each of the others."""
    program = (
        "import sys; from pathlib import Path; import tests.mutated_files as m\n"
        "from holdfast.errors import InvalidQuery; before, told = 0, 0\n"
        "for form, (metric, hidden, originals) in m.FORMS.items():\n"
        "    read = m.scored(form); folder = Path(sys.argv[1], form.name); folder.mkdir()\n"
        "    path = folder / 'guess.csv'; path.write_text(originals[0]); read(path)\n"
        "    before = before or m.peak_megabytes()\n"
        "    head = originals[0].splitlines()[0]; n = head.count(',')\n"
        "    for long in ('9' * 130_000, 'x' * 130_000):\n"
        "        rows = [f'{i}' + ',1' * n for i in range(900)] + [f'{long}' + ',1' * n]\n"
        "        rows += ['a' + f',{long}' * n]\n"
        "        path.write_text('\\n'.join([head, *rows, '']))\n"
        "        try: read(path)\n"
        "        except InvalidQuery: told += 1\n"
        "print(told, m.peak_megabytes() - before)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        cwd=Path(__file__).parents[1], capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    told, more = map(int, done.stdout.split())
    assert told == 2 * len(FORMS)
    assert more < 50


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
