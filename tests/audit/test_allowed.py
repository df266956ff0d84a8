"""What the audit calls allowed and proven, and whom that binds."""

from dataclasses import replace

import numpy as np
import pytest

from holdfast.audit import parse_looks
from holdfast.audit.inputs.disclosure import rounding_unit_for
from holdfast.audit.judgement.limits import allowed, certificate, limits
from holdfast.audit.result import Finding, GainCurve
from holdfast.certificates import certify
from holdfast.experiments.summary import Mean
from holdfast.rules import parse_rule
from tests.audit.conftest import judged, make_request

NO_CURVE = GainCurve(
    today=1,
    looks=(),
    measured=(),
    bound_looks=(),
    guarantee=(),
    guaranteed_by=(),
    forecast=(),
    allowed=(),
)


def test_sixty_accounts_of_one_look_are_allowed_what_sixty_looks_are():
    one = limits(make_request(n=2000, m=10, looks=parse_looks("60")), 1.0, NO_CURVE)
    sixty = limits(make_request(n=2000, m=10, looks=parse_looks("1"), accounts=60), 1.0, NO_CURVE)
    assert one.allowed == sixty.allowed == sixty.allowed_everyone
    assert one.looks_until["allowed"] == sixty.looks_until["allowed"]


def test_models_have_a_bound_of_their_own_and_the_record_says_whom_each_binds():
    labels = np.random.default_rng(5).integers(10, size=2000).astype(np.uint8)
    model = np.where(np.random.default_rng(6).random(2000) < 0.8, labels, 0).astype(np.uint8)
    request = make_request(labels, m=10, release="ladder:0.05", predictions=[model])
    unit = rounding_unit_for(2000, 10)
    right = request.stated_model
    assert right == pytest.approx(np.mean(model == labels), abs=unit.points / 100.0)
    found = limits(request, 1.0, NO_CURVE, model=right)
    rule = parse_rule("ladder:0.05")
    assert found.allowed_model == round(100.0 * certify(request.problem, rule, knows=right).gain, 3)
    assert found.allowed < found.allowed_model
    assert found.binds == "anybody without a model of the labels"
    assert "models are right on" in found.binds_model
    assert not any(text.startswith("weighted-transcripts") for text in found.not_covered)
    assert allowed(request, rule, 20, model=right) == found.allowed_model


@pytest.mark.parametrize(("modelled", "proven"), [(None, False), (0.5, True), (1.5, False)])
def test_proven_means_proven_for_whoever_has_the_given_models(modelled, proven):
    """The bound for those who know nothing proves nothing of participants, who have models."""
    request = make_request(n=2000, m=10)
    found = limits(request, 1.0, NO_CURVE)
    found = replace(found, allowed=0.4, allowed_model=modelled, binds_model=modelled and "a model")
    verdict = judged(request, Mean(0.006, 0.0001), found, 1.0)
    assert verdict.proven is proven
    assert verdict.word == ("SAFE" if proven else "MARGINAL")
    if modelled == 1.5:
        assert verdict.certified is None  # the bound is above the gap
    elif modelled is None:
        assert verdict.certified.startswith(
            "Certified for anybody without a model of the labels: no attack, known or not, gains "
            "more than 0.4 points in expectation. Who has a model may gain more"
        )
    else:
        assert verdict.certified == (
            "Certified for a model: no attack, known or not, gains more than 0.5 points in "
            "expectation."
        )


@pytest.mark.slow
def test_one_look_at_many_examples_is_certified_by_the_bound_and_not_by_the_gain_found():
    request = make_request(n=50_000, m=10, looks=parse_looks("1"))
    found = limits(request, 1.0, NO_CURVE)
    verdict = judged(request, Mean(0.0002, 0.0001), found, 1.0)
    assert not verdict.proven
    assert verdict.points.mean < found.allowed
    assert f"gains more than {np.ceil(100 * found.allowed) / 100:g} points" in verdict.certified


def test_a_finding_that_voids_the_verdict_leaves_nothing_certified():
    request = make_request(n=2000, m=10)
    found = replace(limits(request, 1.0, NO_CURVE), allowed=0.1, allowed_model=0.1)
    void = Finding("sorted-rows", "void", "The rows are sorted by label.", "", "Shuffle them.")
    verdict = judged(request, Mean(0.0, 0.0001), found, 1.0, (void,))
    assert verdict.word == "UNSAFE"
    assert not verdict.proven
    assert verdict.certified is None


def test_a_ladder_that_strangers_climb_is_bounded_by_counting_alone():
    rule = parse_rule("ladder:0.01")
    settings = {"n": 2000, "m": 10, "release": "ladder:0.01", "looks": parse_looks("50")}
    alone = certificate(make_request(**settings, memory="data_set"), rule, 50)
    shared = certificate(make_request(**settings, memory="data_set", teams=5), rule, 50)
    assert alone.bound == "weighted-transcripts"
    assert shared.bound == "answers-counted"
    reasons = {each.bound: each.because for each in shared.not_covered}
    assert "look at the same state" in reasons["running-best-ladder"]
    everyone = certificate(
        make_request(**settings, memory="data_set", teams=5), rule, 250, everyone=True
    )
    assert everyone.gain >= shared.gain


def test_a_limit_for_the_data_set_may_be_used_up_by_few_of_the_accounts():
    rule = parse_rule("rank")
    settings = {"n": 2000, "m": 10, "release": "rank", "looks": parse_looks("100"), "accounts": 10}
    capped = certificate(make_request(**settings, looks_per_data_set=500), rule, 500)
    problem = make_request(**settings).problem._replace(n_queries=500)
    five = certify(problem, rule, accounts=5)
    assert capped.nats >= five.nats


def test_teams_under_a_limit_for_all_may_leave_their_looks_to_one_of_them(request_for):
    """Ranks tell more in one history of twenty looks than in ten of two."""
    request = request_for(release="rank", looks=parse_looks("20"), teams=10, looks_per_data_set=20)
    alone = certificate(request, request.rule, 20, accounts=1)
    everyone = certificate(request, request.rule, 20, accounts=10, everyone=True)
    assert everyone.gain >= alone.gain
