"""Fixes: what is offered, at what price, in which order, and what is never offered."""

from dataclasses import replace

import pytest

from holdfast.audit import parse_looks
from holdfast.audit.judgement.candidates import candidates, loss, numbers_of_looks
from holdfast.audit.judgement.fixes import READ, FixSearch
from holdfast.audit.judgement.what_suffices import private_examples, what_suffices
from holdfast.audit.result import Interval
from holdfast.audit.scenarios.measurer import Measurer, PlayBudget
from holdfast.experiments.matrix_plays import Played
from holdfast.mechanisms import Batch, Exact, Rounding
from tests.audit.sample import sample_audit


def verdict_of(gap=2.0, points=20.0, word="UNSAFE", about="final ranking"):
    unfixed = replace(sample_audit().verdict, fixes=(), would_do=())
    found = Interval(points, points - 1.0, points + 1.0)
    return replace(unfixed, gap_points=gap, points=found, word=word, about=about)


def search(request, gains, *, looks=100):
    """Return a search on a board where every attack gains what `gains(rule, looks)` says."""

    def play(jobs, on_done=None):
        return [Played(gains(str(job.rule), job.looks), job.looks) for job in jobs]

    return FixSearch(Measurer(request, PlayBudget(2, 2, looks), play), {})


def test_candidates_are_in_order_of_loss_and_exclude_today(request_for):
    request = request_for(n=3000, looks=parse_looks("100"))
    found = candidates(request, 5.0)
    assert [each.loss for each in found] == sorted(each.loss for each in found)
    assert (request.rule, 100) not in {each[:2] for each in found}
    assert {"round:2", "ladder:0.01", "batch:100"} <= {str(each.rule) for each in found}
    assert {each.kind(request) for each in found} == {"rule", "batch", "looks", "rule and looks"}


@pytest.mark.parametrize("gap", [0.2, 0.5, 1.0, 3.0])
def test_no_candidate_hides_the_gap_that_the_board_is_for(request_for, gap):
    request = request_for(n=3000, looks=parse_looks("100"))
    for each in candidates(request, gap):
        problem = request.problem._replace(n_queries=each.looks)
        assert each.rule == request.rule or 100.0 * each.rule.resolution(problem) <= gap
    strict = request_for(n=3000, looks=parse_looks("100"), release="ladder:0.05")
    assert "ladder:0.05" in {str(each.rule) for each in candidates(strict, gap)}  # as it is today


def test_a_fix_leaves_every_account_the_looks_that_it_is_certified_for(request_for):
    """Sixty accounts of one look each take sixty, not the hundredth part of six hundred."""
    request = request_for(looks=parse_looks("10"), accounts=60)
    assert numbers_of_looks(request) == [300, 120, 60]
    for each in candidates(request, 1.0):
        own = max(1, each.looks // request.accounts)
        assert own * request.accounts <= each.looks


def test_half_the_looks_cost_one_doubling(request_for):
    request = request_for(looks=parse_looks("100"))
    assert loss(Exact(), 50, request) - loss(Exact(), 100, request) == pytest.approx(1.0)
    assert loss(Rounding(1), 100, request) > loss(Rounding(2), 100, request)
    assert loss(Batch(8), 100, request) - loss(Exact(), 100, request) == pytest.approx(3.0)


def test_a_rule_that_is_enough_is_offered_with_its_price_in_the_same_sentence(request_for):
    request = request_for(n=20_000, looks=parse_looks("100"))
    board = search(request, lambda rule, _: 0.001 if rule == "ladder:0.02" else 0.05)
    fixes = board.fixes(verdict_of(), 1.0)
    assert [fix.rule for fix in fixes] == ["ladder:0.02"]
    assert fixes[0].text == (
        "Release ladder:0.02 instead of exact (blur for honest teams: up to 2 points, and only a "
        "new best is told its score): the worst gain found falls from 20 to 0.1 points, and the "
        "verdict becomes SAFE."
    )
    assert fixes[0].price_points == 2.0
    assert fixes[0].read == READ
    assert not fixes[0].proven  # no models are given, so no bound covers those who have one


def test_fewer_looks_are_offered_as_many_as_are_enough(request_for):
    request = request_for(n=3000, m=2, release="gaussian:0.01", looks=parse_looks("100"))
    board = search(request, lambda rule, k: 0.003 * k if rule == "gaussian:0.01" else 0.3)
    fixes = board.fixes(verdict_of(gap=5.0, points=30.0), 1.0)
    assert [(fix.rule, fix.looks) for fix in fixes] == [("gaussian:0.01", 5)]
    assert fixes[0].text.startswith(
        "Allow 5 scored submissions per account instead of 100 (blur for honest teams: up to 1 "
        "point): the worst gain found falls from 30 to 1.5 points"
    )


def test_several_fixes_are_ranked_by_what_they_cost_honest_teams(request_for):
    request = request_for(n=3000, release="gaussian:0.01", looks=parse_looks("100"))

    def gains(rule, k):
        return 0.001 if rule.startswith(("ladder", "batch")) or k <= 20 else 0.3

    fixes = search(request, gains).fixes(verdict_of(), 1.0)
    assert len(fixes) == 3
    assert {fix.rule.partition(":")[0] for fix in fixes} == {"ladder", "batch", "gaussian"}
    assert [fix.loss for fix in fixes] == sorted(fix.loss for fix in fixes)
    assert next(fix.looks for fix in fixes if fix.rule == "gaussian:0.01") == 20


def test_a_fix_is_offered_only_if_the_word_or_the_number_improves(request_for):
    request = request_for(n=3000, looks=parse_looks("100"))
    board = search(request, lambda *_: 0.006)  # 0.6 points under every rule: MARGINAL as it is
    same = verdict_of(gap=1.3, points=0.5, word="MARGINAL")
    assert board.fixes(same, 1.0) == ()


def test_a_share_of_the_final_ranking_is_what_a_gain_is_worth_there(request_for):
    request = request_for(n=3000, looks=parse_looks("100"))
    board = search(request, lambda rule, _: 0.04 if rule.startswith("ladder") else 0.5)
    assert board.fixes(verdict_of(gap=2.0, points=50.0), 1.0) == ()
    fixes = board.fixes(verdict_of(gap=2.0, points=10.0), 0.2)
    assert fixes[0].rule.startswith("ladder")
    assert fixes[0].possible.mean == pytest.approx(0.8, abs=0.25)  # a fifth of four, rounded


@pytest.mark.slow
def test_it_says_how_many_private_examples_would_do(request_for):
    request = request_for(n=900, m=10, looks=parse_looks("1000"))
    assert private_examples(1.0) == 9604
    assert private_examples(2.0) == 2401
    said = what_suffices(request, verdict_of(gap=0.2), 1.0)
    # E|N - n/m|/2 times m/(m-1), N matches of a constant: 4.0 of 900 examples, 0.44 points.
    assert said[0] == (
        "No number of looks would do under exact: one alone is forecast to gain 0.4 points, and "
        "SAFE asks for less than half of the gap."
    )
    quarter = what_suffices(request, verdict_of(gap=0.2), 0.25)  # of which 0.11 count
    assert "one alone is forecast to gain 0.1 points, and SAFE" in quarter[0]
    assert said[1] == (
        "A private part of 240,100 examples that no look is scored on would do: it decides the "
        "ranking, and a score there is good to ±0.2 points."
    )
    board = what_suffices(request_for(n=900, m=10), verdict_of(gap=1.0, about="public board"), 1.0)
    assert board[-1].startswith("About ")
    assert "public examples are forecast to do for exact and today's looks" in board[-1]


def test_it_says_what_a_private_part_is_good_for_that_is_there(request_for):
    split = ["Public", "Private"] * 1000
    request = request_for(n=2000, split=split, final="all", looks=parse_looks("100"))
    assert what_suffices(request, verdict_of(gap=2.0), 0.5)[-1] == (
        "Ranked by the 1,000 private examples alone (--final private), nothing gained on the "
        "public board would count; a score there is good to ±3.1 points, to ±2 points with 2,401 "
        "of them."
    )
