import numpy as np
import pytest
from scipy.stats import binom

from holdfast.audit import parse_looks, read_history
from holdfast.audit.inputs.disclosure import rounding_unit_for
from holdfast.audit.inputs.history import Submission
from holdfast.audit.judgement.observed import observed, score_interval

SPLIT = ["Public", "Private"] * 1000


def history_of(request_for, rows, **settings):
    request = request_for(n=2000, split=SPLIT, history=rows, looks=parse_looks("5"), **settings)
    return observed(request, rounding_unit_for(*request.problem[:2]))


def test_looks_are_counted_by_team_and_limits_compared(request_for):
    rows = [Submission("a", None, 0.5, None)] * 7 + [Submission("b", None, 0.6, None)]
    found = history_of(request_for, rows)
    assert (found.looks, found.n_teams, found.most_looks) == (8, 2, 7)
    assert found.over_limit == ("a",)
    assert [team.team for team in found.teams] == ["b", "a"]


def test_a_gap_of_chance_is_explained_and_a_large_one_is_not(request_for):
    rows = [Submission("honest", None, 0.81, 0.80), Submission("odd", None, 0.99, 0.30)]
    found = history_of(request_for, rows, release="improved")
    honest = next(team for team in found.teams if team.team == "honest")
    odd = next(team for team in found.teams if team.team == "odd")
    assert honest.unexplained == 0.0
    assert honest.chance == honest.gap
    assert odd.unexplained > 50.0
    grain = rounding_unit_for(1000, 3).points
    assert odd.chance + odd.allowed + odd.unexplained == pytest.approx(odd.gap, abs=2 * grain)


def test_chance_covers_the_gap_of_a_model_without_overfitting(request_for):
    # Public and private scores of one model, drawn at random: at most 5 % may be unexplained
    # before the bound even adds its part.
    rng = np.random.default_rng(4)
    scores = rng.binomial(1000, 0.8, size=(400, 2)) / 1000
    rows = [Submission(f"team {j}", None, *pair) for j, pair in enumerate(scores.tolist())]
    found = history_of(request_for, rows, release="improved")
    beyond = sum(team.gap is not None and team.gap > team.chance for team in found.teams)
    assert beyond <= 400 * 0.05 + 4 * np.sqrt(400 * 0.05 * 0.95)


def test_ties_are_cut_where_neighbours_can_be_told_apart(request_for):
    rows = [
        Submission(name, None, score, None)
        for name, score in (("a", 0.95), ("b", 0.945), ("c", 0.60), ("d", 0.59))
    ]
    groups = history_of(request_for, rows).groups
    assert [(group.first, group.last, group.teams) for group in groups] == [
        (1, 2, ("a", "b")),
        (3, 4, ("c", "d")),
    ]


def test_teams_with_predictions_are_compared_example_by_example(request_for):
    labels = np.random.default_rng(6).integers(3, size=2000).astype(np.uint8)
    better, worse = labels.copy(), labels.copy()
    # Both wrong on the same 400 examples, the second on 30 more: 1.5 points apart.
    better[:400], worse[:430] = (labels[:400] + 1) % 3, (labels[:430] + 1) % 3
    rows = [Submission("model 0", None, 0.80, None), Submission("model 1", None, 0.785, None)]
    request = request_for(labels, history=rows, predictions=[better, worse])
    grain = rounding_unit_for(2000, 3)
    assert len(observed(request, grain).groups) == 2
    assert len(observed(request_for(labels, history=rows), grain).groups) == 1


def test_the_interval_covers_the_truth_exactly_often_enough():
    n, p = 200, 0.7
    covered = sum(
        binom.pmf(hits, n, p)
        for hits in range(n + 1)
        if score_interval(hits / n, n, 1)[0] <= p <= score_interval(hits / n, n, 1)[1]
    )
    assert covered >= 0.95
    assert score_interval(0.7, n, 100)[1] > score_interval(0.7, n, 1)[1]
    assert score_interval(0.0, n, 1)[0] == 0.0
    assert score_interval(1.0, n, 1)[1] == 1.0


def test_a_history_is_read_with_any_common_column_names(tmp_path):
    path = tmp_path / "history.csv"
    path.write_text(
        "TeamName,SubmissionDate,PublicScore,PrivateScore\n"
        "blue,2026-01-01 10:00,91.5,90.0\nred,2026-01-02,88,\n"
    )
    first, second = read_history(path)
    assert (first.team, first.score, first.private) == ("blue", 0.915, 0.9)
    assert first.time.isoformat() == "2026-01-01T10:00:00+00:00"
    assert second.private is None
