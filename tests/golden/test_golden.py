"""What was recorded is still so: every case, and no case without a record."""

import re

import pytest

from tests.golden import files
from tests.golden.commands import run
from tests.golden.records import differences, kept, packed, read, unpacked
from tests.golden.table import FAST, KINDS, cases
from tests.paces import few

RECORDS = {kind: read(kind) for kind in KINDS}
# Sums in floating point decide which query an attack of these makes next.
FLOATING = ("attack", "audit", "matrix", "paper", "plan", "play")
# From a model a plan plays every attack in its head: seconds, however small the problem.
REHEARSED = re.compile(r"^Auto with .*prior |--prior-accuracy|^Auto with answers on .* round:1$")
# Cases of kinds that others show in a second or two.
LONGER = re.compile(
    r"^audit (parts.csv .*good.csv|skewed.csv|even.csv --policy|even.npy)"
    r"|--prior-accuracy|^plan .* 10000 |^Auto with candidates prior"
)


def marks(kind, name):
    """Return how a case is run: slowly, and with the tested versions alone."""
    fast = name in FAST.get(kind, [name]) and not REHEARSED.search(name)
    slow = [] if fast else [pytest.mark.slow]
    if LONGER.search(name):
        slow = [pytest.mark.long]
    return [*slow, pytest.mark.record] if kind in FLOATING else slow


CASES = [
    pytest.param(kind, name, make, id=f"{kind}: {name}", marks=marks(kind, name))
    for kind in KINDS
    for name, make in cases(kind)
]


@pytest.mark.parametrize(("kind", "name", "make"), CASES)
def test_it_is_as_recorded(kind, name, make, tmp_path):
    found = list(differences(RECORDS[kind][name], make(tmp_path)))
    assert not found, "\n".join([f"{kind}: {name}", *found[:20]])


@pytest.mark.parametrize("kind", KINDS)
def test_every_record_is_of_a_case(kind):
    assert list(RECORDS[kind]) == [name for name, _ in cases(kind)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", few(1, ["attack", "matrix", "audit"]))
def test_two_processes_give_what_one_gives(kind, tmp_path):
    name = next(name for name in RECORDS[kind] if "--processes 1" in name)
    files.write(tmp_path)
    made = run(name.replace("--processes 1", "--processes 2"), tmp_path)
    assert list(differences(RECORDS[kind][name], made)) == []


def test_a_difference_is_named_by_its_place_with_both_values():
    old = {"exit": 0, "out": {"gains": [{"mean": 0.1}, {"mean": 0.2}], "word": "safe"}}
    new = {"exit": 0, "out": {"gains": [{"mean": 0.1 + 1e-12}, {"mean": 0.21}], "verdict": 1}}
    assert list(differences(old, new)) == [
        ".out.gains[1].mean: was 0.2, is 0.21",
        '.out.word: was "safe", is gone',
        ".out.verdict: was not there, is 1",
    ]


def test_a_file_of_records_gives_back_what_was_written():
    outcome = {"rows": [{"a": 1, "b": [{"c": 2}, {"c": 3}]}, {"a": None, "b": []}], "x": [{}, 1]}
    assert unpacked(packed(outcome)) == outcome


def test_of_a_sentence_only_the_numbers_are_kept():
    assert kept("17 points (14 to 19.5) in 1,000 looks at round:2") == "text: 17 14 19.5 1,000 2"
    assert kept("champion-challenger, no features") == "champion-challenger, no features"
