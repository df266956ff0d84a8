import pytest

from holdfast.audit import parse_looks
from holdfast.audit.judgement.fixes import candidates, cheapest_fix, loss
from holdfast.audit.scenarios.measurer import Measurer, PlayBudget
from holdfast.experiments.matrix_plays import Played
from holdfast.mechanisms import Batch, Exact, Rounding


def test_candidates_are_in_order_of_loss_and_exclude_today(request_for):
    request = request_for(looks=parse_looks("100"))
    found = candidates(request)
    assert [each.loss for each in found] == sorted(each.loss for each in found)
    assert (request.rule, 100) not in {each[:2] for each in found}
    assert {"round:2", "ladder:0.01", "batch:100"} <= {str(each.rule) for each in found}


def test_a_fix_leaves_every_account_the_looks_that_it_is_certified_for(request_for):
    """Sixty accounts of one look each take sixty, not the hundredth part of six hundred."""
    request = request_for(looks=parse_looks("10"), accounts=60)
    for each in candidates(request):
        own = max(1, each.looks // request.accounts)
        assert own * request.accounts <= each.looks


def test_half_the_looks_cost_one_doubling(request_for):
    request = request_for(looks=parse_looks("100"))
    assert loss(Exact(), 50, request) - loss(Exact(), 100, request) == pytest.approx(1.0)
    assert loss(Rounding(1), 100, request) > loss(Rounding(2), 100, request)
    assert loss(Batch(8), 100, request) - loss(Exact(), 100, request) == pytest.approx(3.0)


@pytest.mark.parametrize("enough", ["ladder:0.02", "round:1"])
def test_the_first_candidate_that_is_enough_is_the_fix(request_for, enough):
    request = request_for(n=3000, looks=parse_looks("100"))
    # A board on which only one rule helps: everything else leaks five points.
    tried = []

    def play(jobs):
        tried.append(jobs[0].rule)
        return [Played(0.001 if str(job.rule) == enough else 0.05, job.looks) for job in jobs]

    fix = cheapest_fix(Measurer(request, PlayBudget(2, 2, 100), play), 2.0, {})
    assert len(tried) <= 20
    if fix.rule != enough:
        assert fix.proven  # nothing played was enough, so the bound decided
    else:
        assert fix.rule == enough
        assert fix.possible.mean < 2.0
        assert fix.text.startswith(f"Release {enough} instead of exact")
        cheaper = [each for each in candidates(request) if each.loss < fix.loss - 0.01]
        assert all(str(each.rule) != enough for each in cheaper)
