import numpy as np
import pytest
from scipy.stats import binom

from holdfast.audit import parse_looks, read_history, read_request
from holdfast.audit.inputs.disclosure import rounding_unit_for
from holdfast.audit.inputs.header import header
from holdfast.audit.inputs.history import Submission
from holdfast.audit.judgement.history_findings import history_findings
from holdfast.audit.judgement.observed import observed, score_interval
from holdfast.audit.judgement.verdict import gap_for
from holdfast.audit.metrics.units import unit_for
from holdfast.errors import InvalidInput

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
    unit = rounding_unit_for(1000, 3).points
    assert odd.chance + odd.allowed + odd.unexplained == pytest.approx(odd.gap, abs=2 * unit)


@pytest.mark.slow
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
    unit = rounding_unit_for(2000, 3)
    assert len(observed(request, unit).groups) == 2
    assert len(observed(request_for(labels, history=rows), unit).groups) == 1


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


@pytest.mark.parametrize("column", ["RMSE", "public_auc", "Log Loss", "macro_f1", "MAE", "mAP"])
def test_a_history_of_another_metric_is_refused_by_name(tmp_path, column):
    path = tmp_path / "history.csv"
    path.write_text(f"team,{column}\nblue,0.91\n")
    folded = column.lower().replace(" ", "_")
    with pytest.raises(InvalidInput, match=f"got '{folded}', which is another metric"):
        read_history(path)


def finding(request, code):
    history = observed(request, request.baseline.rounding_unit)
    found = {each.code: each for each in history_findings(request, history)}
    return found.get(code)


def test_scores_that_no_number_of_matches_gives_are_named_as_no_accuracies(request_for):
    rows = [Submission(f"team {at}", None, 0.87345 + at / 1000, None) for at in range(9)]
    found = finding(request_for(n=418, history=rows), "history-no-accuracy")
    assert found.what == (
        "9 of 9 scores of the history are no accuracy on 418 examples: no number of matches gives "
        "0.87345."
    )
    assert "AUC, F1 or RMSE" in found.why
    exact = [Submission(f"team {at}", None, round((350 + at) / 418, 5), None) for at in range(9)]
    assert finding(request_for(n=418, history=exact), "history-no-accuracy") is None
    noisy = request_for(n=418, history=rows, release="gaussian:0.01")
    assert finding(noisy, "history-no-accuracy") is None  # whose scores are no multiples of 1/n


def test_scores_below_a_guess_are_named_as_a_metric_of_which_less_is_better(request_for):
    rows = [Submission(f"team {at}", None, 0.1 + at / 100, None) for at in range(5)]
    found = finding(request_for(n=3000, m=3, history=rows), "history-no-accuracy")
    assert found.what.startswith("Half of the teams of the history score below the 33.3333 %")
    assert "RMSE or log loss" in found.why


def test_a_median_gap_of_nothing_is_said_with_the_gap_that_is_taken_instead(request_for):
    rows = [Submission(f"team {at}", None, 0.5, None) for at in range(5)]
    request = request_for(n=3000, history=rows)
    found = finding(request, "tied-ranks")
    assert "their median gap is 0" in found.what
    assert found.why == "So the verdict is for the default gap of 1 point."
    unit = unit_for(request)
    assert gap_for(request, observed(request, request.baseline.rounding_unit), unit) == 1.0
    assert finding(request_for(n=3000, history=rows, gap=2.0), "tied-ranks") is None


def test_the_verdict_is_for_the_looks_that_the_history_shows(request_for):
    rows = [Submission("a", None, 0.5, None)] * 11 + [Submission("b", None, 0.6, None)]
    request = request_for(n=2000, history=rows, looks=parse_looks("5"))
    assert request.problem.n_queries == 11
    found = finding(request, "looks-above-limit")
    assert found.what == "A team of the history took 11 looks where 5 are stated."
    assert found.why.startswith("The verdict is for 11")
    assert "11 scored submissions (looks) per account (11 looks, as the history shows)" in header(
        request
    )
    assert finding(request_for(history=rows, looks=parse_looks("20")), "looks-above-limit") is None


def test_without_a_word_on_looks_those_of_the_history_are_taken(tmp_path):
    (tmp_path / "labels.csv").write_text(
        "id,label\n" + "".join(f"{i},{i % 2}\n" for i in range(50))
    )
    (tmp_path / "history.csv").write_text("team,score\n" + "blue,0.5\n" * 7 + "red,0.5\n")
    request = read_request(tmp_path / "labels.csv", history=tmp_path / "history.csv")
    assert request.n_looks == 7
