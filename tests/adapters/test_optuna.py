import numpy as np
import pytest

optuna = pytest.importorskip("optuna")

from holdfast.adapters.optuna import GuardedObjective, of_board, of_guard
from holdfast.errors import NotSupported
from holdfast.guard import Guard, Policy
from tests.adapters.conftest import as_csv, with_wrong

LABELS = np.random.default_rng(1).integers(2, size=100)


def predict(trial):
    return with_wrong(LABELS, trial.suggest_int("wrong", 0, 60))


def study(guard_or_ask, trials=20):
    found = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=1))
    objective = GuardedObjective(predict, guard_or_ask)
    found.optimize(objective, n_trials=trials, callbacks=[objective.stop])
    return found, objective


def guard(folder, rule, looks):
    return Guard(LABELS, Policy(rule, looks_per_team=looks), folder / "l.db", create=True)


def test_a_study_ends_when_its_looks_are_used_up(tmp_path):
    found, objective = study(of_guard(guard(tmp_path, "round:2", 6), team="tpe", frame="Optuna"))
    values = [trial.value for trial in found.trials]
    assert objective.looks >= 6  # a repeated prediction costs none
    assert len(found.trials) < 20
    assert values == pytest.approx([1 - trial.params["wrong"] / 100 for trial in found.trials])
    assert found.trials[-1].user_attrs["holdfast_looks_left"] == 0


def test_no_trial_carries_another_trials_value_under_a_ladder(tmp_path):
    found, _ = study(of_guard(guard(tmp_path, "ladder:0.01", 15), team="tpe", frame="Optuna"))
    pruned = [trial for trial in found.trials if trial.state is optuna.trial.TrialState.PRUNED]
    assert len(pruned) > 3
    assert all(trial.value is None for trial in pruned)
    for trial in found.get_trials(states=[optuna.trial.TrialState.COMPLETE]):
        assert trial.value == pytest.approx(1 - trial.params["wrong"] / 100)


def test_a_board_is_asked_in_the_same_way(board, served):
    _, _, labels = served
    ask = of_board(board(), frame="Optuna")
    objective = GuardedObjective(
        lambda trial: as_csv(with_wrong(labels, trial.suggest_int("wrong", 0, 20))).encode(), ask
    )
    found = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(seed=2))
    found.optimize(objective, n_trials=30, callbacks=[objective.stop])
    assert 3 <= len(found.trials) < 30
    assert found.best_value == pytest.approx(1 - found.best_params["wrong"] / 40, abs=0.005)


def test_a_rule_that_tells_no_scores_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(NotSupported, match="Optuna needs a score at once, and improved tells none"):
        of_guard(guard(tmp_path, "improved", 3), team="tpe", frame="Optuna")


@pytest.mark.parametrize(
    "directions",
    [{}, {"direction": "minimize"}, {"directions": ["maximize", "maximize"]}],
)
def test_a_study_that_would_search_for_the_worst_is_refused_before_any_look(tmp_path, directions):
    """Optuna minimises unless it is told otherwise."""
    door = guard(tmp_path, "round:2", 3)
    objective = GuardedObjective(predict, of_guard(door, team="tpe", frame="Optuna"))
    with pytest.raises(NotSupported, match="the study must maximize it"):
        optuna.create_study(**directions).optimize(objective, n_trials=1)
    assert door.allowance(team="tpe")[0] == 3
