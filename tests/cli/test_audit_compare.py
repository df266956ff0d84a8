"""`holdfast audit compare`, beside `holdfast audit LABELS`."""

import json

import pytest

from holdfast.audit import as_json
from tests.audit.sample import sample_audit
from tests.audit.test_comparison import after


@pytest.fixture
def files(tmp_path):
    paths = []
    for name, audit in (("before", sample_audit()), ("after", after())):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(as_json(audit)), encoding="utf-8")
        paths.append(path)
    return paths


def test_it_tells_what_changed(holdfast, files):
    outcome = holdfast("audit", "compare", *files)
    assert outcome.code == 0
    text = " ".join(outcome.out.split())
    assert text.startswith("UNSAFE becomes SAFE: the worst gain found falls from 10.4 points")
    assert "round:4 │ ladder:0.01" in text
    assert "gone: void, Rows are sorted." in text


def test_as_json(holdfast, files):
    data = holdfast("audit", "compare", *files, "--json").json
    assert data["verdict"]["after"]["word"] == "SAFE"
    assert data["attacks"][0]["attack"] == "champion-challenger"


def test_its_help_and_that_of_audit_are_two(holdfast):
    assert "Usage: holdfast audit compare " in holdfast("audit", "compare", "--help").out
    own = holdfast("audit", "--help").out
    assert "Usage: holdfast audit [OPTIONS]" in own
    assert "holdfast audit compare BEFORE AFTER" in own


def test_any_other_first_word_is_a_label_file(refused, tmp_path):
    assert "run" in refused("audit", "run")
    assert "missing.csv" in refused("audit", tmp_path / "missing.csv")
    assert "compare" in refused("audit", tmp_path / "compare")


def test_a_missing_second_file_is_refused(refused, files):
    assert "after" in refused("audit", "compare", files[0]).lower()
