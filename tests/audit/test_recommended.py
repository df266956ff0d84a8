"""The recommended policy: what was audited, with the first fix, ready for the guard."""

from dataclasses import replace

import pytest

from holdfast.audit import parse_looks, recommended_policy
from holdfast.errors import InvalidInput
from holdfast.guard import Policy
from tests.audit.sample import fix, sample_audit, sample_with_private_part

LOOKS = parse_looks("5/day", days=20)


def without_void(audit):
    return replace(audit, findings=tuple(f for f in audit.findings if f.severity != "void"))


def test_the_first_fix_is_written_with_all_that_an_audit_needs(request_for):
    request = request_for(n=3000, m=4, looks=LOOKS, teams=8, gap=1.0)
    audit = without_void(sample_audit())
    policy = Policy.parse(recommended_policy(request, audit))
    assert policy.release == "ladder:0.01"
    assert (policy.looks_per_team, policy.window, policy.days) == (5, "day", 20)
    assert (policy.teams, policy.ranking_gap, policy.part) == (8, 1.0, "all")
    assert policy.looks_per_data_set == 800
    assert policy.classes == ("0", "1", "2", "3")


def test_fewer_looks_are_for_the_whole_life_of_the_board(request_for):
    request = request_for(n=3000, looks=LOOKS, accounts=2, teams=8)
    audit = without_void(sample_audit())
    fewer = replace(audit.verdict, fixes=(fix("exact", 30, 0.0),))
    policy = Policy.parse(recommended_policy(request, replace(audit, verdict=fewer)))
    assert (policy.release, policy.looks_per_team, policy.window) == ("exact", 15, "total")
    assert policy.looks_per_data_set == 120


def test_what_is_safe_stays_and_other_keys_of_a_policy_file_are_kept(request_for):
    stated = Policy("round:2", looks_per_team=7, min_gap="2 hours", failed="look")
    request = request_for(
        n=3000, release="round:2", looks=parse_looks("7"), policy=stated, gap=30.0
    )
    audit = without_void(sample_audit())
    safe = replace(audit, verdict=replace(audit.verdict, word="SAFE", gap_points=30.0, fixes=()))
    policy = Policy.parse(recommended_policy(request, safe))
    assert (policy.release, policy.looks_per_team) == ("round:2", 7)
    assert (policy.min_gap, policy.failed, policy.ranking_gap) == ("2 hours", "look", 30.0)


def test_a_public_board_gets_its_own_fix(request_for):
    request = request_for(n=3000, split=["Public", "Private"] * 1500, looks=LOOKS)
    policy = Policy.parse(recommended_policy(request, sample_with_private_part()))
    assert (policy.release, policy.part) == ("ladder:0.01", "public")


def test_the_best_of_all_private_scores_is_mended_by_naming_some(request_for):
    split = ["Public", "Private"] * 1500
    request = request_for(n=3000, split=split, looks=LOOKS, final_choices=0)
    audit = sample_with_private_part()
    lucky = replace(audit, verdict=replace(audit.verdict, word="UNSAFE"))
    policy = Policy.parse(recommended_policy(request, lucky))
    assert (policy.release, policy.final_choices) == ("exact", 2)


def test_where_nothing_helps_there_is_no_policy_and_a_reason(request_for):
    request = request_for(n=3000)
    with pytest.raises(InvalidInput, match=r"none was written: Rows are sorted\. Shuffle them\."):
        recommended_policy(request, sample_audit())
    audit = without_void(sample_audit())
    bare = replace(audit, verdict=replace(audit.verdict, fixes=()))
    with pytest.raises(InvalidInput, match=r"mends the final ranking, .* A private part of 9,604"):
        recommended_policy(request, bare)
