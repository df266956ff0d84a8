"""Boards of which nobody can say SAFE, whatever the attacks gained. Plays are made up."""

from dataclasses import replace

import numpy as np
import pytest

from holdfast.audit import audit, parse_looks
from holdfast.audit.inputs.disclosure import reach_of, rounding_unit_for
from holdfast.experiments.summary import mean_of
from holdfast.metrics.display import Display
from tests.audit.conftest import gaining


def word(request, display=None, **how):
    if display is None:
        return audit(request, play=gaining(**how))
    return audit(replace(request, display=display), play=gaining(**how))


RUNS = np.repeat(np.random.default_rng(2).permutation(40) % 2, 50)
BOARDS = [None, Display.of("f1")]


@pytest.mark.parametrize("display", BOARDS)
def test_rows_in_runs_are_never_safe_and_nothing_but_a_shuffle_mends_them(request_for, display):
    settings = {"release": "ladder:0.01", "looks": parse_looks("5"), "gap": 20.0}
    shuffled = request_for(np.random.default_rng(1).permutation(RUNS), m=2, **settings)
    assert word(shuffled, display).verdict.word == "SAFE"
    found = word(request_for(RUNS, m=2, **settings), display)
    assert found.verdict.word == "MARGINAL"
    assert "SAFE can't be said: the rows come in runs" in found.verdict.sentence
    assert found.verdict.fixes == ()
    assert found.verdict.would_do == (
        "Shuffle the rows with a secret seed before the examples are published.",
    )


def test_certificates_say_that_they_are_for_rows_of_no_order(request_for):
    settings = {"release": "ladder:0.01", "looks": parse_looks("5"), "gap": 20.0}
    request = request_for(RUNS, m=2, predictions=[RUNS], **settings)
    found = word(request, gain=0.9)
    assert found.verdict.points.mean == 90.0  # not cut at a bound that does not hold here
    assert not found.verdict.proven
    assert "in rows of no order" in found.limits.binds
    assert "in rows of no order" in found.limits.binds_model
    board = request_for(RUNS, m=2, **settings)
    told = word(board, Display.of("f1")).certified
    assert "This is certified for rows of no order, and these have one." in told


@pytest.mark.parametrize("display", BOARDS)
def test_private_rows_between_public_ones_in_runs_are_told_with_them(request_for, display):
    split = ["Public", "Private"] * 1000
    found = word(request_for(RUNS, m=2, split=split, looks=parse_looks("5")), display)
    assert found.verdict.about == "final ranking"
    assert found.verdict.word == "MARGINAL"


@pytest.mark.parametrize("display", BOARDS)
def test_too_few_examples_have_no_interval_and_are_never_safe(request_for, display):
    found = word(request_for([0, 1, 0, 1, 1, 0], m=2, gap=50.0), display)
    assert found.verdict.word == "MARGINAL"
    assert "6 examples are too few for an interval" in found.verdict.sentence
    more = word(request_for([0, 1, 0, 1, 1, 0], m=2), display, gain=0.344)
    assert 0.0 < more.verdict.points.mean <= 34.4  # what a play had at least, and no more
    assert "95 % interval" not in more.verdict.sentence


def test_where_only_climbers_played_the_board_is_not_safe(request_for):
    request = request_for(n=3000, m=2, release="round:2", looks=parse_looks("5"), gap=5.0)
    reads = "it reads values as they are, and the rule changes them"
    asked = replace(request, display=Display.of("f1"))
    assert audit(asked, play=gaining()).verdict.word == "SAFE"
    from_climbers = audit(asked, play=gaining(refused=lambda job: reads_of(asked, job, reads)))
    assert from_climbers.verdict.word == "MARGINAL"
    assert "only attacks played that hear which look was the best" in from_climbers.verdict.sentence


def reads_of(asked, job, reason):
    """Return the reason for all who read values; None for climbers."""
    from holdfast.audit.metrics.scenarios import metric_scenarios

    reads = metric_scenarios(asked, job.show)[job.scenario].reads
    return None if reads.endswith("as it rises") else reason


def test_intervals_of_a_few_plays_are_as_wide_as_students():
    """Of means of four plays from a normal law all but one in twenty lie inside."""
    rng, inside = np.random.default_rng(3), 0
    for plays in rng.normal(0.2, 0.05, size=(2000, 4)):
        mean = mean_of(plays)
        reach = reach_of(mean.stderr, 4)
        inside += mean.mean - reach <= 0.2 <= mean.mean + reach
    assert 0.93 < inside / 2000 < 0.97
    wide = rounding_unit_for(2000, 2).interval(mean_of([0.08, 0.1, 0.1, 0.12]), 4)
    assert (wide.low, wide.high) == (7.5, 12.5)


def test_an_attack_that_some_games_end_gains_nothing_in_these_and_counts_in_the_others(request_for):
    """Six labels under a Ladder ended the audit: the strongest attack could not play all trials."""

    def ended(job):
        return "it was told too little" if job.trial % 2 else None

    found = audit(
        request_for(np.array([0, 1, 1, 0, 1, 0]), m=2, looks=parse_looks("3")),
        play=gaining(0.6, refused=ended),
    )
    assert found.verdict.points.mean == 20.0
    assert all(fix.hold_back == 0 for fix in found.verdict.fixes)  # of six rows none can be


def test_what_a_few_lucky_games_gained_is_no_number_of_looks_that_is_enough(request_for):
    """A mean of four games reached the gap with 2 looks, where twenty gain less than half."""

    def lucky(job):
        return 0.08 * (job.trial == 0) if job.looks < 20 else 0.03

    found = audit(request_for(n=600, m=3, gap=2.0), play=gaining(lucky))
    early = [point for each in found.curve.measured for point in each.points[:-1]]
    assert all(point.mean >= 2.0 and point.low <= 0.0 for point in early)
    assert found.limits.looks_until["possible"] == 20
