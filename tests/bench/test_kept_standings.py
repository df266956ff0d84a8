"""Standings that are kept: made from rows, the same as those of a run, and found when edited."""

import json

import pytest
from benchmarks.standings import BenchStandings

from holdfast.bench import BenchSuite, as_markdown, run_bench

TINY = BenchSuite(
    "tiny",
    sizes=((60, 2), (90, 3)),
    looks=(6, 15),
    rules=("exact", "ladder:0.05"),
    seeds=3,
    attacks=("block-majority", "hill-climb", "boosting"),
)


@pytest.fixture
def kept(tmp_path):
    found = BenchStandings(TINY)
    found.files = (tmp_path / "bench-tiny.json",)
    found.keep(found.content())
    return found


def test_tables_of_kept_rows_are_those_of_a_run(kept):
    found = kept.standings(kept.load())
    assert as_markdown(found) == as_markdown(run_bench(TINY))
    # Boosting plays two classes alone: why it can't play the others is kept, too.
    reasons = {row[-1] for row in kept.load()["rows"] if row[3] == "boosting" and row[1] == 3}
    assert all("n_classes must be 2" in each for each in reasons)


def test_every_block_names_its_suite_and_has_a_line_for_everybody(kept):
    blocks = kept.blocks(kept.load())
    assert f"2026.11-tiny (digest {TINY.digest})" in blocks["bench-tiny-of"]
    for name in TINY.attacks:
        assert f"| {name} |" in blocks["bench-tiny-attacks"]
    for rule in TINY.rules:
        assert f"| {rule} |" in blocks["bench-tiny-rules"]


def test_cells_are_played_again_as_they_are_kept_and_an_edited_one_is_found(kept):
    assert (kept.faults(), kept.all_stale()) == ([], [])
    content = kept.load()
    row = next(row for row in content["rows"] if row[2] == 6 and row[3] == "hill-climb")
    row[5][0] += 1
    kept.files[0].write_text(json.dumps(content))
    assert "carries" in kept.faults()[0]
    (said,) = kept.all_stale()
    assert said.startswith(f"hill-climb {row[0]} {row[1]} 6 is")


def test_rows_of_another_suite_are_not_shown_as_this_ones(kept):
    content = kept.load() | {"digest": "0"}
    with pytest.raises(AssertionError):
        kept.standings(content)
