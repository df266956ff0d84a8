"""`holdfast bench`: three files, JSON for programs, one line for bad input."""

import json

import pytest

from holdfast.bench import BenchSuite

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
    monkeypatch.setattr("holdfast.cli.bench.QUICK", TINY)


def test_it_writes_markdown_json_and_a_page(holdfast, tmp_path):
    outcome = holdfast("bench", "--out", tmp_path / "new", "--processes", 1)
    assert outcome.code == 0
    assert "suite 2026.11-tiny" in outcome.out
    assert "block-majority" in outcome.out
    files = {path.name: path.read_text() for path in (tmp_path / "new").iterdir()}
    assert set(files) == {"standings.md", "standings.json", "standings.html"}
    assert "block-majority" in files["standings.md"]
    assert "<h1>Standings, suite 2026.11-tiny</h1>" in files["standings.html"]
    kept = json.loads(files["standings.json"])
    assert kept["suite"] == "2026.11-tiny"
    assert len(kept["rules"]) == 2


def test_json_on_stdout_is_what_is_kept(holdfast, tmp_path):
    outcome = holdfast("bench", "--out", tmp_path, "--processes", 1, "--json")
    assert outcome.json == json.loads((tmp_path / "standings.json").read_text())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--attack", "no-such"], "no-such"),
        (["--attack", "gone.py:Attack"], "gone.py:Attack can't be loaded: there is no such file"),
        (["--rule", "round:many"], "round step must be a number, got 'many'."),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(refused, tmp_path, arguments, said):
    out = tmp_path / "out"
    assert said in refused("bench", *arguments, "--out", out)
    assert not out.exists()
