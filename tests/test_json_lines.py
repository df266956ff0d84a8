"""Journals that a crash tore: whatever byte it stopped at, what was whole is kept."""

import json

import numpy as np
import pytest

from holdfast.client import RunState
from holdfast.errors import InvalidInput
from holdfast.files import json_lines
from holdfast.files.json_lines import JsonLines
from holdfast.problem import Problem
from holdfast.sweeps.journal import Journal
from holdfast.transcript import Transcript

ABOUT = {"board": "https://host/b/pets", "team": 3, "run": "lattice seed 0"}
PROBLEM = Problem(2, 2, 5)


def a_run(path):
    """Begin or go on with a run of three looks, and return their keys and answers."""
    state, told = RunState(path, ABOUT, 9), []
    for look in range(3):
        told.append(state.key(look, f"query {look}", f"key {look}"))
        if state.answer(look, f"query {look}") is None:
            state.record(look, look / 3, "1-a")
    return state.looks, told, [state.answer(look, f"query {look}") for look in range(3)]


def a_transcript(path):
    transcript = Transcript(PROBLEM, path)
    for look in range(len(transcript), 3):
        transcript.record(np.array([look, 0]), look / 3)
    return [each.query for each in transcript], transcript.answers


def a_sweep(path):
    with Journal(path, resume=True) as journal:
        journal.add([{"address": str(cell), "gain": 0.5} for cell in range(3)])
        return list(journal.rows)


@pytest.mark.parametrize("use", [a_run, a_transcript, a_sweep])
def test_a_journal_torn_at_any_byte_is_gone_on_with_again_and_again(tmp_path, use):
    """In its header, too: what is then written can be read by the one after it."""
    path = tmp_path / "lines.jsonl"
    whole = use(path)
    content = path.read_bytes()
    for size in range(len(content)):
        path.write_bytes(content[:size])
        assert [use(path), use(path), use(path)] == [whole] * 3
        assert path.read_bytes() == content


def test_keys_of_looks_that_were_asked_for_outlive_a_torn_line(tmp_path):
    path = tmp_path / "state.jsonl"
    state = RunState(path, ABOUT, 9)
    state.key(0, "query", "spent")
    path.write_bytes(path.read_bytes() + b'{"look": 0, "answ')
    for _ in range(3):
        assert RunState(path, ABOUT, 9).key(0, "query", "fresh") == "spent"


@pytest.mark.parametrize("content", ["notes of mine", "{}\n", "[" * 9999 + "\n", '{"format": 2}\n'])
def test_what_is_no_journal_is_refused_and_stays_as_it_was(tmp_path, content):
    path = tmp_path / "notes.jsonl"
    path.write_text(content)
    for use in (a_run, a_transcript, a_sweep):
        with pytest.raises(InvalidInput, match=r"header|JSON object|no journal"):
            use(path)
    assert path.read_text() == content


def test_a_line_that_a_full_disk_refused_is_not_there(tmp_path, monkeypatch):
    lines = JsonLines(tmp_path / "x.jsonl", 1)
    lines.append({"format": 1})

    def full(_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(json_lines.os, "fsync", full)
        with pytest.raises(InvalidInput, match="can be written: No space left on device"):
            lines.append({"look": 0})
    lines.append({"look": 1})
    assert [json.loads(line) for line in lines.path.read_text().splitlines()] == [
        {"format": 1},
        {"look": 1},
    ]
