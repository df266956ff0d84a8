"""`holdfast bench`: three files, JSON for programs, one line for bad input."""

import json

import pytest

from holdfast.bench import BenchSuite
from holdfast.sweeps import cells

TINY = BenchSuite(
    "tiny",
    sizes=((60, 2),),
    looks=(6, 12),
    rules=("exact", "ladder:0.05"),
    seeds=2,
    attacks=("block-majority", "constant"),
)


@pytest.fixture(autouse=True)
def tiny(monkeypatch):
    monkeypatch.setattr("holdfast.bench.QUICK", TINY)


def test_it_writes_markdown_json_and_a_page(holdfast, tmp_path):
    outcome = holdfast("bench", "--out", tmp_path / "new", "--processes", 1)
    assert outcome.code == 0
    assert "suite 2026.11-tiny" in outcome.out
    assert "block-majority" in outcome.out
    files = {path.name: path.read_text() for path in (tmp_path / "new").iterdir()}
    written = {"standings.md", "standings.json", "standings.html", "tiny.rows.jsonl"}
    assert set(files) == written
    assert "block-majority" in files["standings.md"]
    assert "<h1>Standings, suite 2026.11-tiny</h1>" in files["standings.html"]
    kept = json.loads(files["standings.json"])
    assert kept["suite"] == "2026.11-tiny"
    assert len(kept["rules"]) == 2


def test_json_on_stdout_is_what_is_kept(holdfast, tmp_path):
    outcome = holdfast("bench", "--out", tmp_path, "--processes", 1, "--json")
    assert outcome.json == json.loads((tmp_path / "standings.json").read_text())


def test_plays_that_are_kept_are_not_played_again_unless_asked(holdfast, tmp_path, monkeypatch):
    first = holdfast("bench", "--out", tmp_path, "--processes", 1, "--json")
    rows = tmp_path / "tiny.rows.jsonl"
    lines = rows.read_text().splitlines(keepends=True)
    assert len(lines) == 1 + 12  # a head, and every play: 2 attacks, 2 seeds, 3 boards
    rows.write_text("".join(lines[:9]) + lines[9][:20])  # killed in the middle of a line
    played = []
    play = cells.play_cell
    monkeypatch.setattr(
        "holdfast.sweeps.running.play_cell",
        lambda cell, *rest: played.append(cell) or play(cell, *rest),
    )
    again = holdfast("bench", "--out", tmp_path, "--processes", 1, "--json")
    assert len(played) == 4
    standings = first.json, again.json
    for attack in (attack for each in standings for attack in each["attacks"]):
        del attack["seconds"]
    assert standings[0] == standings[1]
    played.clear()
    assert holdfast("bench", "--out", tmp_path, "--processes", 1, "--again").code == 0
    assert len(played) == 12


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--attack", "no-such"], "no-such"),
        (["--attack", "gone.py:Attack"], "gone.py:Attack can't be loaded: there is no such file"),
        (["--rule", "round:many"], "round step must be a number, got 'many'."),
        (["--processes", "0"], "processes must be at least 1, got 0"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(refused, tmp_path, arguments, said):
    out = tmp_path / "out"
    assert said in refused("bench", *arguments, "--out", out)
    assert not out.exists()


def test_a_cluster_that_is_not_there_costs_no_row_that_is_kept(holdfast, refused, tmp_path):
    pytest.importorskip("distributed")
    assert holdfast("bench", "--out", tmp_path, "--processes", 1).code == 0
    rows = (tmp_path / "tiny.rows.jsonl").read_text()
    said = refused("bench", "--again", "--out", tmp_path, "--cluster", "tcp://127.0.0.1:9")
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in said
    assert (tmp_path / "tiny.rows.jsonl").read_text() == rows
