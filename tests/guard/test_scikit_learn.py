import pickle
import runpy
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from holdfast.errors import BudgetExhausted, InvalidQuery
from holdfast.guard import Guard, Ledger, Policy
from holdfast.guard.adapters.scikit_learn import GuardedHoldout, guarded_scorer

TRAIN, HOLDOUT = np.arange(200), np.arange(200, 400)


@pytest.fixture
def data():
    X, y = make_classification(400, n_classes=3, n_informative=5, random_state=0)
    return X, y


def test_the_scorer_works_in_a_loop_that_does_not_have_the_labels(data, tmp_path):
    X, y = data
    guard = Guard(
        y[HOLDOUT], Policy("exact", looks_per_team=3), tmp_path / "ledger.db", create=True
    )
    blind = np.concatenate([y[TRAIN], np.zeros(200, int)])
    scorer = guarded_scorer(guard)
    (score,) = cross_val_score(GaussianNB(), X, blind, cv=[(TRAIN, HOLDOUT)], scoring=scorer)
    model = GaussianNB().fit(X[TRAIN], y[TRAIN])
    assert score == model.score(X[HOLDOUT], y[HOLDOUT])
    assert guard.allowance(team="scikit-learn")[0] == 2
    search = GridSearchCV(
        KNeighborsClassifier(),
        {"n_neighbors": [1, 5, 9]},
        cv=[(TRAIN, HOLDOUT)],
        scoring=scorer,
        error_score="raise",
    )
    with pytest.raises(BudgetExhausted):
        search.fit(X, blind)


def test_a_holdout_selects_by_released_scores_until_its_looks_are_spent(data, ledger_url):
    X, y = data
    names = np.array(["ant", "bee", "cow"])[y]
    models = {
        "most frequent": DummyClassifier().fit(X[TRAIN], names[TRAIN]),
        "naive Bayes": GaussianNB().fit(X[TRAIN], names[TRAIN]),
        "neighbours": KNeighborsClassifier().fit(X[TRAIN], names[TRAIN]),
    }
    holdout = GuardedHoldout(
        X[HOLDOUT],
        names[HOLDOUT],
        Policy("round:1", looks_per_team=2),
        Ledger(ledger_url, create=True),
    )
    chosen = holdout.select(models)
    assert chosen.best == "naive Bayes"
    assert set(chosen.released) == {"most frequent", "naive Bayes"}
    assert chosen.refused == ("neighbours",)
    exact = models["naive Bayes"].score(X[HOLDOUT], names[HOLDOUT])
    assert chosen.released["naive Bayes"] == pytest.approx(exact, abs=0.0501)
    assert holdout.score(models["naive Bayes"]).repeated


def test_a_prediction_of_an_unknown_class_is_refused(data, tmp_path):
    X, y = data
    ledger = Ledger(tmp_path / "l.db", create=True)
    holdout = GuardedHoldout(X[HOLDOUT], y[HOLDOUT], Policy("exact"), ledger)
    with pytest.raises(InvalidQuery, match="must hold known classes, got"):
        holdout.score(DummyClassifier(strategy="constant", constant=9).fit(X, np.full(400, 9)))


def test_a_scorer_travels_to_worker_processes(data, ledger_url):
    X, y = data
    guard = Guard(y[HOLDOUT], Policy("exact"), ledger_url, create=True)
    scorer = pickle.loads(pickle.dumps(guarded_scorer(guard)))
    model = GaussianNB().fit(X[TRAIN], y[TRAIN])
    assert scorer(model, X[HOLDOUT]) == model.score(X[HOLDOUT], y[HOLDOUT])
    assert guard.ledger.entries()[-1].team == "scikit-learn"


def test_the_example_runs_and_counts_on(tmp_path, capsys):
    example = Path(__file__).parents[2] / "examples" / "scikit_learn" / "choose_model.py"
    main = runpy.run_path(str(example))["main"]
    Ledger(tmp_path / "ledger.db", create=True).close()
    main(str(tmp_path / "ledger.db"))
    first = capsys.readouterr().out
    assert "best: nearest neighbours" in first
    assert "grid search: {'n_neighbors': " in first
    main(str(tmp_path / "ledger.db"))
    assert capsys.readouterr().out == first  # the same predictions are answered from the record
