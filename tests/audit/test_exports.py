"""The badge, SARIF and JUnit of a made-up record."""

import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from holdfast.audit.exports import badge, junit, sarif, write_whole
from tests.audit.sample import interval, sample_audit, sample_with_private_part

NASTY = 'a "board" & </svg><script>\x07'


def with_word(word, points=10.4):
    audit = sample_audit()
    return replace(audit, verdict=replace(audit.verdict, word=word, points=interval(points)))


def named(name):
    audit = sample_audit()
    return replace(audit, board=replace(audit.board, name=name))


@pytest.mark.parametrize(
    ("word", "colour"), [("SAFE", "#0b6b3a"), ("MARGINAL", "#8a5300"), ("UNSAFE", "#b3261e")]
)
def test_the_badge_has_the_verdict_its_colour_and_the_gain(word, colour):
    picture = ET.fromstring(badge(with_word(word)))
    texts = [each.text for each in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["test set", f"{word}: +10.4 points"]
    fills = [each.get("fill") for each in picture.iter("{http://www.w3.org/2000/svg}rect")]
    assert colour in fills


def test_the_badge_is_well_formed_whatever_the_test_set_is_called():
    picture = ET.fromstring(badge(named(NASTY.replace("\x07", ""))))
    assert NASTY.replace("\x07", "") in picture.get("aria-label")


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("word", ["SAFE", "MARGINAL", "UNSAFE"])
def test_the_badges_text_can_be_read_on_its_ground(word):
    picture = ET.fromstring(badge(with_word(word)))
    for each in picture.iter("{http://www.w3.org/2000/svg}rect"):
        if each.get("fill"):
            assert 1.05 / (luminance(each.get("fill")) + 0.05) >= 4.5  # WCAG 2.1, AA


def test_sarif_has_a_result_for_the_verdict_and_each_finding():
    log = json.loads(sarif(sample_audit(), subject="policies/board.toml"))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    found = [(each["ruleId"], each["level"]) for each in run["results"]]
    assert found == [
        ("verdict-final-ranking", "error"),
        ("sorted", "error"),
        ("round", "warning"),
        ("classes", "note"),
    ]
    rules = run["tool"]["driver"]["rules"]
    for each in run["results"]:
        assert rules[each["ruleIndex"]]["id"] == each["ruleId"]
        place = each["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "policies/board.toml"
        assert place["region"]["startLine"] == 1
    assert run["results"][0]["message"]["text"] == sample_audit().verdict.sentence


def test_a_safe_verdict_is_no_result_of_sarif_and_a_passed_limit_neither():
    (run,) = json.loads(sarif(with_word("SAFE", 0.1), limit=0.5))["runs"]
    assert {"verdict-final-ranking", "gain-limit"} & {
        each["ruleId"] for each in run["results"]
    } == set()
    assert {"verdict-final-ranking", "gain-limit"} <= {
        each["id"] for each in run["tool"]["driver"]["rules"]
    }


def test_what_tells_results_apart_does_not_change_with_the_numbers():
    one, other = (
        json.loads(sarif(with_word("UNSAFE", points)))["runs"][0]["results"] for points in (9, 10)
    )
    marks = [[each["partialFingerprints"] for each in results] for results in (one, other)]
    assert marks[0] == marks[1]
    assert len({json.dumps(mark) for mark in marks[0]}) == len(one)


def test_each_of_two_verdicts_is_a_check():
    suite = ET.fromstring(junit(sample_with_private_part()).encode())[0]
    failed = {case.get("name"): case.find("failure") is not None for case in suite}
    assert failed["verdict-final-ranking"] is False
    assert failed["verdict-public-board"] is True


def test_a_name_with_spaces_is_a_uri():
    (run,) = json.loads(sarif(named("my labels.csv")))["runs"]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "my%20labels.csv"


def test_junit_fails_what_is_unsafe_and_what_voids_the_verdict():
    suites = ET.fromstring(junit(sample_audit()).encode())
    (suite,) = suites
    cases = {case.get("name"): case for case in suite}
    assert list(cases) == ["verdict-final-ranking", "sorted", "round", "classes"]
    failed = [name for name, case in cases.items() if case.find("failure") is not None]
    assert failed == ["verdict-final-ranking", "sorted"]
    assert suite.get("tests") == "4"
    assert suite.get("failures") == "2"
    assert (
        cases["verdict-final-ranking"].find("failure").get("message")
        == sample_audit().verdict.sentence
    )
    assert cases["round"].find("system-out").text.startswith("warning: Rounding hides nothing.")


@pytest.mark.parametrize(("limit", "fails"), [(0.5, False), (0.05, True)])
def test_junit_fails_a_gain_above_the_limit(limit, fails):
    suite = ET.fromstring(junit(with_word("SAFE", 0.1), limit=limit).encode())[0]
    (case,) = (case for case in suite if case.get("name") == "gain-limit")
    assert (case.find("failure") is not None) == fails


def test_junit_is_well_formed_whatever_the_test_set_is_called():
    suite = ET.fromstring(junit(named(NASTY)).encode())[0]
    assert suite.get("name") == NASTY.replace("\x07", "\N{REPLACEMENT CHARACTER}")


def test_a_file_is_replaced_at_once(tmp_path):
    target = tmp_path / "badge.svg"
    target.write_text("old")
    write_whole(target, "new")
    assert target.read_text(encoding="utf-8") == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["badge.svg"]
