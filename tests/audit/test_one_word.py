"""One board, one word: whatever it shows beside its ranking, and never a better one for more."""

import zlib
from dataclasses import replace

import numpy as np
import pytest

from holdfast.audit import as_json, audit, parse_looks
from holdfast.audit.judgement.verdict import WORDS
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
    more = audit(replace(request, display=display), play=gaining())
    assert more.board.free == alone.rounding_unit * round(alone.board.free / alone.rounding_unit)


@pytest.mark.parametrize("display", ACCURACY_AND_MORE)
@pytest.mark.parametrize("release", ["round:1", "round:5", "exact", "ladder:0.01"])
@pytest.mark.parametrize("labels", [LABELS, UNEQUAL, np.sort(LABELS), np.arange(100) % 4])
def test_no_finding_vanishes_because_more_is_shown(request_for, labels, release, display):
    split = (["Public"] * 2 + ["Private"]) * labels.size
    for settings in ({}, {"split": split[: labels.size], "final_choices": 0}):
        request = request_for(labels, m=4, release=release, looks=parse_looks("9"), **settings)
        alone = {each.code for each in audit(request, play=gaining()).findings}
        more = audit(replace(request, display=display), play=gaining()).findings
        assert alone <= {each.code for each in more}


def recorded(most, *, grows=0.5):
    """Return players whose gains depend on who plays, grow with looks, and on no seed."""

    def gain(job):
        who = (
            f"{getattr(job, 'attack', '')}{getattr(job, 'scenario', '')}{getattr(job, 'show', '')}"
        )
        share = zlib.crc32(who.encode()) / 2**32
        return most * share * (job.looks / 40.0) ** grows

    return gaining(gain)


def word(board, play):
    """Return how good the word is: UNSAFE is the worst."""
    return WORDS.index(audit(board, play=play).verdict.word)


BOARDS = [(LABELS[:240], "exact"), (UNEQUAL[:240], "ladder:0.05"), (LABELS[:240], "round:1")]
# From gains that are safe to gains that are not, of a gap of eight points.
GAINS = [0.03, 0.06, 0.2]


@pytest.mark.parametrize(("labels", "release"), BOARDS)
def test_an_accuracy_is_the_metric_of_that_name(request_for, labels, release):
    request = request_for(labels, m=4, release=release, gap=8.0)
    boards = request, replace(request, display=Display.of("accuracy"))
    alone, named = (as_json(audit(each, play=recorded(0.06))) for each in boards)
    assert alone | {"seconds": 0.0} == named | {"seconds": 0.0}


@pytest.mark.parametrize("display", ACCURACY_AND_MORE)
@pytest.mark.parametrize(("labels", "release"), BOARDS)
def test_showing_more_never_improves_the_word(request_for, labels, release, display):
    request = request_for(labels, m=4, release=release, gap=8.0)
    words = [word(request, recorded(most)) for most in GAINS]
    more = [word(replace(request, display=display), recorded(most)) for most in GAINS]
    assert all(after <= before for before, after in zip(words, more, strict=True))
    assert words == sorted(words, reverse=True)
    assert words[-1] == WORDS.index("UNSAFE")


@pytest.mark.parametrize("metric", ["accuracy", "balanced_accuracy"])
@pytest.mark.parametrize(("labels", "release"), BOARDS)
def test_more_looks_never_improve_the_word(request_for, labels, release, metric):
    words = []
    for looks in (5, 20, 80):
        request = request_for(labels, m=4, release=release, gap=8.0, looks=parse_looks(str(looks)))
        words.append(word(replace(request, display=Display.of(metric)), recorded(0.06)))
    assert words == sorted(words, reverse=True)


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro"])
@pytest.mark.parametrize("coarse", ["round:3", "round:2", "gaussian:0.01"])
def test_what_another_rule_can_be_computed_from_is_no_safer(request_for, metric, coarse):
    """Exact scores were judged by 10 points where 19 had been found on the same ones rounded."""

    def gain(job):
        return 0.19 if str(job.rule) == coarse else 0.001

    found = []
    for release in (coarse, "exact"):
        request = request_for(LABELS[:240], m=4, release=release, gap=8.0)
        found.append(
            audit(replace(request, display=Display.of(metric)), play=gaining(gain)).verdict
        )
    rounded, exact = found
    assert (rounded.word, exact.word) == ("UNSAFE", "UNSAFE")
    assert exact.points.mean >= rounded.points.mean
    assert coarse in exact.attack
