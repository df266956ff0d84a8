"""What an audit says of label files as owners have them: read by a person, and true."""

import re

import pytest

from holdfast.audit.judgement.verdict import RESERVE
from holdfast.audit.scenarios.plays import Job
from holdfast.rules import parse_rule
from tests.audit.label_files import CASES, audited, kept, played_as, recorded, request_of, said

NUMBER = r"(\d+(?:\.\d+)?)"


@pytest.fixture(scope="module", params=[pytest.param(case, id=case.name) for case in CASES])
def found(request):
    return request.param, audited(request.param)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["one in a hundred", "float codes", "private part decides"])
def test_plays_that_were_recorded_are_those_of_today(name):
    """A few of each file: the others are the same code."""
    case = next(case for case in CASES if case.name == name)
    board, plays = request_of(case), recorded()[name]
    for where in sorted(plays)[:: len(plays) // 8]:
        attack, setting, accounts, rule, looks = where.split("|")
        trial = int(next(iter(plays[where])))
        job = Job(setting, parse_rule(rule), attack, int(looks), trial, int(accounts))
        played, before = job.played(board), played_as(plays, job)
        assert (played.reason, played.bias if before.reason is None else 0.0) == (
            before.reason,
            before.bias,
        )


def ordered(result):
    """Tell whether rows come in runs of one label: certificates are for rows of no order."""
    return any(each.code in ("sorted-rows", "grouped-rows") for each in result.findings)


def test_every_sentence_is_the_one_that_was_read(found):
    """After a change that moves numbers: python -m tests.audit.label_files --write, and read it."""
    case, result = found
    assert said(result) == kept()[case.name]


def test_the_word_follows_from_the_numbers_of_the_same_verdict(found):
    _, result = found
    void = any(finding.severity == "void" for finding in result.findings)
    for verdict in result.verdicts:
        upper = verdict.points.mean if verdict.points.high is None else verdict.points.high
        if void:
            assert verdict.word == "UNSAFE"
        elif verdict.word == "UNSAFE":
            assert verdict.points.mean >= verdict.gap_points
        elif verdict.word == "SAFE":
            assert verdict.proven or RESERVE * upper < verdict.gap_points
        assert verdict.sentence.startswith(f"{verdict.word} for ranking gaps of ")
        assert ("or more: " in verdict.sentence) == (verdict.word == "SAFE")


def test_no_sentence_promises_more_than_its_bound_and_whom_that_binds(found):
    _, result = found
    for verdict in result.verdicts:
        modelled = verdict.allowed_model if verdict.setting == "model" else verdict.allowed
        assert ordered(result) or verdict.points.mean <= modelled
        if verdict.proven:  # for people with models, or because no look touches what decides
            assert verdict.allowed_model is not None or result.board.final_share == 0.0
        if verdict.certified is None:
            continue
        assert verdict.certified.startswith("Certified for ")
        if bound := re.search(
            rf"gains more than {NUMBER} points in expectation", verdict.certified
        ):
            most = max(verdict.allowed, verdict.allowed_model or 0.0)
            assert most <= float(bound[1]) < most + 0.0101
            assert float(bound[1]) <= verdict.gap_points + 0.01


def test_the_gain_in_the_sentence_is_the_verdicts(found):
    _, result = found
    for verdict in result.verdicts:
        gain = re.search(rf": {NUMBER} points? ", verdict.sentence)
        if gain:
            assert float(gain[1]) == pytest.approx(verdict.points.mean)


def test_fixes_have_their_price_in_the_sentence_and_none_hides_the_gap(found):
    _, result = found
    void = any(finding.severity == "void" for finding in result.findings)
    for verdict in result.verdicts:
        assert not (void and (verdict.fixes or verdict.would_do or verdict.proven))
        for fix in verdict.fixes:
            price = fix.text.partition("):")[0]
            assert ("cost to honest teams" if fix.hold_back else "blur for honest teams") in price
            assert fix.rule == result.board.rule or fix.price_points <= verdict.gap_points
            words = ("UNSAFE", "MARGINAL", "SAFE")
            better = words.index(fix.verdict) - words.index(verdict.word)
            assert better > 0 or (better == 0 and fix.possible.mean < verdict.points.mean)
            assert fix.read == "docs/choosing_a_rule.md"


def test_every_rule_is_judged_by_what_was_found_on_rules_that_it_refines(found):
    """The policy and exact scores never look better than what follows from them."""
    _, result = found
    by_rule = {row.rule: row for row in result.rules}
    exact = by_rule["exact"].possible.mean
    assert all(exact >= row.possible.mean for row in result.rules)
    assert by_rule["round:3"].possible.mean >= by_rule["round:2"].possible.mean
    for row in result.rules:
        assert ordered(result) or row.possible.mean <= row.allowed
        assert row.rule != "exact" or row.price_points == 0.0


def test_no_forecast_is_below_what_was_measured(found):
    _, result = found
    assert all(result.limits.forecast >= verdict.points.mean for verdict in result.verdicts)
    for series in result.curve.measured:
        for looks, point in zip(result.curve.looks, series.points, strict=True):
            later = [f for k, f in zip(result.curve.bound_looks, result.curve.forecast, strict=True)
                     if k >= looks]  # fmt: skip
            assert point is None or min(later) >= point.mean


def test_one_number_is_allowed_and_it_is_the_policys(found):
    _, result = found
    for gain in result.gains:
        wanted = result.limits.allowed_model if gain.setting == "model" else result.limits.allowed
        assert gain.allowed == wanted
        assert gain.points is None or ordered(result) or gain.points.mean <= wanted
    policy = next(row for row in result.rules if row.is_policy)
    assert policy.allowed == result.limits.allowed


def test_the_header_names_all_rows_both_parts_and_the_teams(found):
    _, result = found
    board = result.board
    assert f"{board.n_rows:,} rows" in board.header
    assert f"{board.teams:,} team" in board.header
    if len(board.parts) > 1:
        assert all(f"{part.n_examples:,} {part.name}" in board.header for part in board.parts)
        assert result.public is not None
        assert result.public.about == "public board"
