"""Fixes: what is offered, at what price, in which order, and what is never offered.

Plays are made up, and handed to the audit: what an attack gains there is what the test says.
"""

from dataclasses import replace

import pytest

from holdfast.audit import audit, parse_looks
from holdfast.audit.judgement.fixes import READ, loss, numbers_of_looks, private_examples
from holdfast.metrics.display import Display
from holdfast.rules import Exact, Rounding
from tests.audit.conftest import gaining

BOARD = {"n": 3000, "m": 2, "release": "gaussian:0.01", "looks": parse_looks("100"), "gap": 5.0}


def fixes(request, gain):
    """Return the fixes of a board where every attack gains what `gain(rule, looks)` says."""
    found = audit(request, play=gaining(lambda job: gain(str(job.rule), job.looks)))
    return found.verdict.fixes, found.verdict


def kinds(found):
    return [(each.hold_back, each.rule, each.looks, each.verdict) for each in found]


def test_rows_held_back_come_first_and_leave_nothing_to_gain(request_for):
    (held, *others), verdict = fixes(request_for(**BOARD), lambda *_: 0.1)
    assert (held.hold_back, held.verdict, held.possible.mean) == (private_examples(5.0), "SAFE", 0)
    assert held.text == (
        "Hold back 385 of your 3,000 rows, on which no look is scored (a column Usage or split), "
        "and rank by them (cost to honest teams: 2,615 rows are left for the public board, where a "
        "score is good to ±1.9 points): nothing that is gained moves the final ranking; a score "
        "there is good to ±5 points, and the verdict becomes SAFE."
    )
    assert all(each.possible.upper < 1.0 for each in others)  # what a certificate leaves
    assert verdict.would_do == (
        "As things are, gaps of 22 points or more are safe: at least twice what can be gained.",
    )
    assert not fixes(request_for(**BOARD), lambda *_: 0.3)[1].would_do  # nobody is 62 points ahead
    wide = request_for(**BOARD | {"gap": 0.5})
    assert fixes(wide, lambda *_: 0.3)[0][0].hold_back == 2000  # no more than two thirds


def test_the_cheapest_rule_that_is_enough_is_offered_at_todays_looks(request_for):
    def gain(rule, _):
        return 0.001 if rule.startswith("ladder") else 0.05

    (_, by_rule), _ = fixes(request_for(**BOARD), gain)
    assert (by_rule.rule, by_rule.looks, by_rule.verdict) == ("ladder:0.005", 100, "SAFE")
    assert by_rule.text == (
        "Release ladder:0.005 instead of gaussian:0.01 (blur for honest teams: up to 0.5 points, "
        "and only a new best is told its score): the worst gain found falls from 5.0 to 0.0 points "
        "(95 % interval -0.5 to 1.0), and the verdict becomes SAFE."
    )
    assert by_rule.price_points == 0.5
    assert by_rule.read == READ
    assert not by_rule.proven  # no models are given, so no bound covers those who have one


def test_where_no_rule_is_enough_the_one_that_leaves_least_is_named_with_what_it_leaves(
    request_for,
):
    def gain(rule, _):
        return {"round:2": 0.06, "round:3": 0.07, "ladder:0.01": 0.005}.get(rule, 0.3)

    board = request_for(**BOARD | {"gap": 2.0, "looks": parse_looks("1000")})
    (_, by_rule), _ = fixes(board, gain)
    assert (by_rule.rule, by_rule.verdict) == ("ladder:0.01", "MARGINAL")
    assert "falls from 30.0 to 0.5 points" in by_rule.text
    assert by_rule.text.endswith(
        "and the verdict becomes MARGINAL; gaps of 3.5 points or more are safe then."
    )


@pytest.mark.parametrize(("enough", "offered"), [(20, 20), (55, 50), (9, None)])
def test_the_most_looks_that_are_enough_are_offered_if_they_are_ten(request_for, enough, offered):
    found, _ = fixes(request_for(**BOARD), lambda _, k: 0.3 if k > enough else 0.001)
    looks = [each for each in found if each.looks < 100]
    if offered is None:
        assert looks == []
        return
    (fewer,) = looks
    assert (fewer.rule, fewer.looks, fewer.verdict) == ("gaussian:0.01", offered, "SAFE")
    assert fewer.text.startswith(
        f"Allow {offered} scored submissions per account instead of 100 (blur for honest teams: "
    )


def test_nothing_is_offered_that_hides_the_gap_or_is_no_better(request_for):
    board = request_for(**BOARD | {"gap": 0.4, "release": "exact"})
    found, _ = fixes(board, lambda rule, _: 0.3 if rule == "exact" else 0.0)
    assert all(each.price_points <= 0.4 for each in found)
    same, _ = fixes(request_for(**BOARD), lambda *_: 0.03)  # three points under every rule
    assert all(each.possible.upper < 3.0 for each in same)


def test_a_share_of_the_final_ranking_is_what_a_gain_is_worth_there(request_for):
    split = ["Public"] + ["Private"] * 4
    board = request_for(**BOARD, split=split * 600, final="all")
    found, verdict = fixes(board, lambda rule, _: 0.05 if rule.startswith("ladder") else 0.4)
    assert verdict.points.mean == pytest.approx(8.0, abs=0.5)  # a fifth of forty
    assert [each.hold_back for each in found] == [0]
    assert found[0].rule.startswith("ladder")
    assert found[0].possible.mean <= 1.0  # a fifth of five at most
    assert verdict.would_do[0] == (
        'Ranked by the 2,400 private examples alone (final = "private"), nothing gained on the '
        "public board would count; a score there is good to ±2 points."
    )


def test_on_a_board_of_groups_the_total_alone_is_offered(request_for):
    request = request_for(n=300, m=2, looks=parse_looks("10"), gap=5.0)
    groups = [at % 3 for at in range(300)]
    board = replace(request, display=Display.of("f1", "subject"), groups=groups)
    found = audit(board, play=gaining(lambda job: 0.0 if job.show == "total only" else 0.4)).verdict
    assert found.word == "UNSAFE"
    less = next(each for each in found.fixes if not each.hold_back)
    assert (less.show, less.verdict) == ("total only", "SAFE")
    assert less.text.startswith("Show the total only (no blur for honest teams): the worst gain ")


def test_losses_count_doublings_and_looks_are_round_numbers(request_for):
    request = request_for(looks=parse_looks("100"), n=3000)
    assert loss(Exact(), 50, request) - loss(Exact(), 100, request) == pytest.approx(1.0)
    assert loss(Rounding(1), 100, request) > loss(Rounding(2), 100, request)
    assert numbers_of_looks(request_for(looks=parse_looks("60"), accounts=60)) == [10, 20, 50]
    assert (private_examples(1.0), private_examples(2.0)) == (9604, 2401)
