"""One board, one word: whatever it shows beside its ranking, and never a better one for more."""

import numpy as np
import pytest

from holdfast.audit import MetricRequest, audit, parse_looks
from holdfast.metrics.display import Display
from tests.audit.conftest import gaining

ACCURACY_AND_MORE = [Display.of(also=["recall_macro"]), Display.of(also=["recall_per_class"])]
LABELS = np.random.default_rng(3).integers(0, 4, 600)
UNEQUAL = np.random.default_rng(4).choice(4, 600, p=[0.55, 0.25, 0.15, 0.05])


@pytest.mark.parametrize("display", ACCURACY_AND_MORE)
@pytest.mark.parametrize("labels", [LABELS, UNEQUAL])
def test_the_baseline_is_that_of_the_accuracy_alone(request_for, labels, display):
    """A lucky class is one that nobody knows without looks: gains count from 1/m."""
    request = request_for(labels, m=4, gap=20.0)
    alone = audit(request, play=gaining())
    more = audit(MetricRequest(request, display), play=gaining())
    assert more.board.free == alone.rounding_unit * round(alone.board.free / alone.rounding_unit)


@pytest.mark.parametrize("display", ACCURACY_AND_MORE)
@pytest.mark.parametrize("release", ["round:1", "round:5", "exact", "ladder:0.01"])
@pytest.mark.parametrize("labels", [LABELS, UNEQUAL, np.sort(LABELS), np.arange(100) % 4])
def test_no_finding_vanishes_because_more_is_shown(request_for, labels, release, display):
    split = (["Public"] * 2 + ["Private"]) * labels.size
    for settings in ({}, {"split": split[: labels.size], "final_choices": 0}):
        request = request_for(labels, m=4, release=release, looks=parse_looks("9"), **settings)
        alone = {each.code for each in audit(request, play=gaining()).findings}
        more = audit(MetricRequest(request, display), play=gaining()).findings
        assert alone <= {each.code for each in more}
