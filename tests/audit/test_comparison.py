"""Two made-up audits side by side, and records read back from JSON."""

import json
from dataclasses import replace

import pytest

from holdfast.audit import as_json, compare, comparison_as_json, read_audit
from holdfast.audit.result import AttackGain, Finding
from holdfast.errors import InvalidInput
from tests.audit.sample import interval, sample_audit, sample_with_private_part


def after():
    """Return the sample under a Ladder: safe, one finding gone, one new, one attack less."""
    audit = sample_audit()
    verdict = replace(
        audit.verdict, word="SAFE", points=interval(0.2), attack="block-climb", sentence="SAFE."
    )
    return replace(
        audit,
        verdict=verdict,
        board=replace(audit.board, rule="ladder:0.01"),
        findings=(*audit.findings[1:], Finding("tiny", "warning", "Few.", "Why.", "More.")),
        gains=(
            AttackGain("champion-challenger", "features", 1, 1000, 10, interval(0.1), 3.4, None),
            AttackGain("block-climb", "features", 1, 1000, 10, interval(0.2), 3.4, None),
            AttackGain(
                "block-climb, 5 accounts", "features", 5, 1000, 10, interval(0.3), 3.4, None
            ),
        ),
    )


def saved(tmp_path, audit, name="audit.json"):
    path = tmp_path / name
    path.write_text(json.dumps(as_json(audit)), encoding="utf-8")
    return path


def test_a_record_is_read_back_as_it_was_written(tmp_path):
    audit = sample_audit()
    read = read_audit(saved(tmp_path, audit))
    for name in ("verdict", "findings", "board", "rounding_unit", "gains", "limits", "history"):
        assert getattr(read, name) == getattr(audit, name)
    assert as_json(read) == as_json(audit)  # what was not rounded loses digits, once
    assert read_audit(saved(tmp_path, read)) == read


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.pop("board"), "board is missing"),
        (lambda data: data["board"].update(looks="many"), "board.looks must be int, got 'many'"),
        (lambda data: data["verdict"].update(word="FINE"), "verdict.word must be one of SAFE,"),
        (lambda data: data.update(gains=3), "gains must be a list, got 3"),
        (
            lambda data: data["gains"][1]["gain"].update(mean="5"),
            r"gains\[1\].gain.mean must be a number, got '5'",
        ),
        (lambda data: data.update(verdict=[]), "verdict must be an object"),
    ],
)
def test_a_file_of_another_shape_is_refused_with_the_place(tmp_path, change, message):
    data = as_json(sample_audit())
    change(data)
    path = tmp_path / "before.json"
    path.write_text(json.dumps(data))
    with pytest.raises(InvalidInput, match=f"before.json is no audit of this version: {message}"):
        read_audit(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "old.json must be JSON of holdfast audit --json"),
        ("[1]", "it has no verdict"),
        ("\udcff", "must be JSON"),
    ],
)
def test_what_is_no_audit_is_refused(tmp_path, text, message):
    path = tmp_path / "old.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InvalidInput, match=message):
        read_audit(path)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match=r"gone.json can't be read"):
        read_audit(tmp_path / "gone.json")


def test_the_sentence_tells_both_words_and_both_gains():
    assert compare(sample_audit(), after()).sentence == (
        "UNSAFE becomes SAFE: the worst gain found falls from 10.4 points (champion-challenger) "
        "to 0.2 points (block-climb)."
    )
    assert compare(after(), sample_audit()).sentence.startswith("SAFE becomes UNSAFE: the worst ")
    assert "rises from 0.2 points" in compare(after(), sample_audit()).sentence
    assert compare(after(), after()).sentence == (
        "SAFE: the worst gain found stays at 0.2 points (block-climb)."
    )


def test_two_verdicts_are_compared_each_with_its_own():
    before = sample_with_private_part()
    public = replace(before.public, word="MARGINAL", points=interval(0.6))
    comparison = compare(before, replace(before, public=public))
    assert comparison.sentence == (
        "Final ranking: SAFE: the worst gain found stays at 0 points. Public board: UNSAFE becomes "
        "MARGINAL: the worst gain found falls from 10.4 points (champion-challenger) to 0.6 points "
        "(champion-challenger)."
    )
    assert comparison_as_json(comparison)["public"]["after"]["word"] == "MARGINAL"
    assert comparison_as_json(comparison)["format"] == as_json(after())["format"]


def test_attacks_are_matched_by_name_and_knowledge_the_strongest_first():
    rows = compare(sample_audit(), after()).attacks
    means = [
        (row.attack, row.setting, row.before and row.before.mean, row.after and row.after.mean)
        for row in rows
    ]
    assert means == [
        ("champion-challenger", "features", 10.4, 0.1),
        ("block-majority", "no features", 5.2, None),
        ("block-climb", "features", None, 0.3),  # the larger of one account's and five accounts'
    ]
    assert [row.change for row in rows] == [pytest.approx(-10.3), None, None]


def test_settings_and_findings_that_differ_are_named():
    rules = tuple(replace(row, is_policy=row.rule == "ladder:0.01") for row in sample_audit().rules)
    comparison = compare(sample_audit(), replace(after(), rules=rules))
    changed = [each for each in comparison.settings if each.differs]
    assert [(each.what, each.before, each.after) for each in changed] == [
        ("release rule", "round:4", "ladder:0.01"),
        ("blur for honest teams", "0.01 points", "1 point"),
    ]
    assert [each.code for each in comparison.gone] == ["sorted"]
    assert [each.code for each in comparison.new] == ["tiny"]
    assert comparison.notes == ()


def test_what_besides_the_policy_differs_is_noted():
    old, new = sample_audit(), after()
    new = replace(
        new,
        reproduce=replace(new.reproduce, fingerprint="77aa", suite="2027.01"),
        board=replace(new.board, models=()),
        verdict=replace(new.verdict, gap_points=2.0),
    )
    assert compare(old, new).notes == (
        "The labels differ (3f9a and 77aa): this is no change of policy alone.",
        "The two audits were given different models.",
        "The two verdicts are for different ranking gaps.",
        "The two audits were played with different versions of the attack suite.",
    )


def test_a_comparison_is_plain_data():
    data = comparison_as_json(compare(sample_audit(), after()))
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["verdict"]["before"]["word"] == "UNSAFE"
    assert data["verdict"]["after"]["word"] == "SAFE"
    assert [each["what"] for each in data["settings"]] == ["release rule"]
    assert data["findings"]["gone"][0]["code"] == "sorted"
