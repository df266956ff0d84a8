import inspect
import pickle
import runpy
import warnings
from pathlib import Path

import numpy as np
import pandas
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401 - it makes the next import work
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    KFold,
    RandomizedSearchCV,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import all_estimators

from holdfast.errors import BudgetExhausted, InvalidInput, InvalidQuery
from holdfast.guard import Guard, Ledger, Policy
from holdfast.guard.adapters.feature_rows import hidden_labels_after
from holdfast.guard.adapters.scikit_learn import GuardedHoldout, guarded_scorer

TRAIN, HOLDOUT = np.arange(200), np.arange(200, 400)


@pytest.fixture
def data():
    X, y = make_classification(400, n_classes=3, n_informative=5, random_state=0)
    return X, y


@pytest.fixture
def holdout(data, tmp_path):
    """Make a holdout of the second half, with exact answers to 30 looks."""
    X, y = data
    ledger = Ledger(tmp_path / "ledger.db", create=True)
    return GuardedHoldout(X[HOLDOUT], y[HOLDOUT], Policy("exact", looks_per_team=30), ledger)


def looks(holdout):
    return 30 - holdout.scorer.guard.allowance(team="scikit-learn")[0]


GRID = {"n_neighbors": [1, 5, 9]}


def test_the_scorer_works_in_a_loop_that_does_not_have_the_labels(data, holdout):
    X, y = data
    loop = holdout.beside(X[TRAIN], y[TRAIN])
    assert np.isnan(loop.y[HOLDOUT]).all()
    (score,) = cross_val_score(GaussianNB(), loop.X, loop.y, cv=loop.cv, scoring=holdout.scorer)
    model = GaussianNB().fit(X[TRAIN], y[TRAIN])
    assert score == model.score(X[HOLDOUT], y[HOLDOUT])
    assert looks(holdout) == 1


def test_a_loop_that_runs_out_of_looks_says_so(data, tmp_path):
    X, y = data
    ledger = Ledger(tmp_path / "ledger.db", create=True)
    holdout = GuardedHoldout(X[HOLDOUT], y[HOLDOUT], Policy("exact", looks_per_team=2), ledger)
    with pytest.raises(BudgetExhausted):
        holdout.search(GridSearchCV(KNeighborsClassifier(), GRID), X[TRAIN], y[TRAIN])


def test_a_search_trains_its_choice_on_the_training_rows_alone(data, holdout):
    X, y = data
    given = GridSearchCV(KNeighborsClassifier(), GRID)
    search = holdout.search(given, X[TRAIN], y[TRAIN])
    models = [KNeighborsClassifier(k).fit(X[TRAIN], y[TRAIN]) for k in (1, 5, 9)]
    scores = [model.score(X[HOLDOUT], y[HOLDOUT]) for model in models]
    assert search.cv_results_["mean_test_score"].tolist() == scores
    assert search.best_score_ == max(scores)
    best = models[int(np.argmax(scores))]
    assert search.best_params_ == {"n_neighbors": best.n_neighbors}
    assert np.array_equal(search.predict(X), best.predict(X))
    assert search.best_estimator_.n_samples_fit_ == 200
    assert looks(holdout) == 3
    assert given.cv is None
    assert not hasattr(given, "best_params_")
    without = holdout.search(
        RandomizedSearchCV(KNeighborsClassifier(), GRID, n_iter=2, refit=False, random_state=0),
        X[TRAIN],
        y[TRAIN],
    )
    assert not hasattr(without, "best_estimator_")
    assert looks(holdout) == 3  # the same predictions are answered from the record


# Each of these ended in nan, in nonsense that was counted, or in a model trained on nonsense.
WRONG_LOOPS = {
    "subsampled test rows": lambda loop, scorer: HalvingGridSearchCV(
        KNeighborsClassifier(), GRID, cv=loop.cv, scoring=scorer, random_state=0
    ).fit(loop.X, np.nan_to_num(loop.y)),
    "folds of the holdout's length": lambda loop, scorer: GridSearchCV(
        KNeighborsClassifier(), GRID, cv=KFold(2), scoring=scorer, refit=False
    ).fit(loop.X[::-1], np.concatenate([loop.y[TRAIN], loop.y[TRAIN]])),
    "the holdout in another order": lambda loop, scorer: cross_val_score(
        GaussianNB(), loop.X, loop.y, cv=[(TRAIN, HOLDOUT[::-1])], scoring=scorer
    ),
    "the training rows": lambda loop, scorer: cross_val_score(
        GaussianNB(), loop.X, loop.y, cv=[(TRAIN, TRAIN)], scoring=scorer
    ),
    "several scorers": lambda loop, scorer: cross_validate(
        GaussianNB(), loop.X, loop.y, cv=[(TRAIN, TRAIN)], scoring={"a": scorer, "b": scorer}
    ),
}


@pytest.mark.filterwarnings("ignore:Scoring failed", "ignore:One or more of the test scores")
@pytest.mark.parametrize("wrong", WRONG_LOOPS)
def test_a_loop_over_other_rows_ends_at_its_first_call_and_costs_nothing(data, holdout, wrong):
    X, y = data
    loop = holdout.beside(X[TRAIN], y[TRAIN])
    with pytest.raises(ValueError, match="X must be the holdout's 200 rows in their order, got"):
        WRONG_LOOPS[wrong](loop, holdout.scorer)
    assert looks(holdout) == 0


def test_a_training_score_is_refused_after_the_first_true_look(data, holdout):
    X, y = data
    loop = holdout.beside(X[TRAIN], y[TRAIN])
    search = GridSearchCV(
        KNeighborsClassifier(), GRID, cv=loop.cv, scoring=holdout.scorer, return_train_score=True
    )
    with pytest.raises(ValueError, match="without return_train_score"):
        search.fit(loop.X, loop.y)
    assert looks(holdout) == 1


@pytest.mark.parametrize("stand_in", [0, 1])
def test_labels_that_a_refit_would_train_on_are_refused_at_the_first_call(data, holdout, stand_in):
    X, y = data
    blind = np.concatenate([y[TRAIN], np.full(200, stand_in)])
    search = GridSearchCV(
        KNeighborsClassifier(), GRID, cv=[(TRAIN, HOLDOUT)], scoring=holdout.scorer
    )
    with pytest.raises(ValueError, match=r"y must be hidden \(NaN\) in the holdout's rows"):
        search.fit(X, blind)
    assert looks(holdout) == 0


@pytest.mark.filterwarnings("ignore")  # of models that are trained for a moment on noise
def test_no_classifier_is_trained_on_hidden_labels():
    rng = np.random.default_rng(0)
    X = np.abs(rng.normal(size=(60, 4)))
    kinds = [
        (name, kind)
        for name, kind in all_estimators(type_filter="classifier")
        if not {"estimator", "estimators", "base_estimator"}
        & set(inspect.signature(kind).parameters)
    ]
    trained, for_nan = set(), set()
    for y in (np.arange(40) % 3, np.array(["a", "b", "c", "d"] * 10)):
        for name, kind in kinds:
            model = kind()
            try:
                model.fit(X, hidden_labels_after(y, 20))
                trained.add(name)
            except (TypeError, ValueError) as error:
                if "NaN" in str(error):
                    for_nan.add(name)
    # It looks at no features and takes any float for a label; nobody deploys it.
    assert trained <= {"DummyClassifier"}
    assert len(for_nan) >= 25


def test_a_search_with_refit_fails_aloud_rather_than_train_on_hidden_labels(data, holdout):
    X, y = data
    loop = holdout.beside(X[TRAIN], y[TRAIN])
    search = GridSearchCV(KNeighborsClassifier(), GRID, cv=loop.cv, scoring=holdout.scorer)
    with pytest.raises(ValueError, match="contains NaN"):
        search.fit(loop.X, loop.y)
    search.set_params(refit=False).fit(loop.X, loop.y)
    assert search.best_params_["n_neighbors"] in (1, 5, 9)


@pytest.mark.parametrize(
    ("search", "message"),
    [
        (
            HalvingGridSearchCV(KNeighborsClassifier(), GRID),
            "search must score each candidate on the whole holdout, got HalvingGridSearchCV with",
        ),
        (
            GridSearchCV(KNeighborsClassifier(), GRID, return_train_score=True),
            "return_train_score of the search must be False",
        ),
        (GridSearchCV(KNeighborsClassifier(), GRID, cv=3), "cv of the search must be left out"),
        (
            GridSearchCV(KNeighborsClassifier(), GRID, scoring="accuracy"),
            "scoring of the search must be left out, as the holdout gives it, got 'accuracy'.",
        ),
        (
            GridSearchCV(KNeighborsClassifier(), GRID, refit="accuracy"),
            "refit of the search must be True or False, got 'accuracy'.",
        ),
        (GaussianNB(), "search must be a search such as GridSearchCV, got GaussianNB without cv."),
    ],
)
def test_a_search_that_can_not_be_guarded_is_refused_before_any_look(
    data, holdout, search, message
):
    X, y = data
    with pytest.raises(InvalidInput) as caught:
        holdout.search(search, X[TRAIN], y[TRAIN])
    assert str(caught.value).startswith(message)
    assert looks(holdout) == 0


def test_halving_by_another_resource_than_rows_is_guarded(data, holdout):
    X, y = data
    search = holdout.search(
        HalvingGridSearchCV(
            RandomForestClassifier(random_state=0),
            {"max_depth": [1, 4]},
            resource="n_estimators",
            max_resources=8,
            min_resources=2,
            return_train_score=False,
        ),
        X[TRAIN],
        y[TRAIN],
    )
    assert search.best_estimator_.n_estimators in (2, 6)
    assert search.best_score_ == search.best_estimator_.score(X[HOLDOUT], y[HOLDOUT])


def test_a_value_that_may_be_another_models_is_no_score(data, tmp_path):
    X, y = data
    ledger = Ledger(tmp_path / "ledger.db", create=True)
    # The rounding hides whether the Ladder climbed.
    holdout = GuardedHoldout(X[HOLDOUT], y[HOLDOUT], Policy("ladder:0.01+round:1"), ledger)
    found = holdout.select({"bayes": GaussianNB().fit(X[TRAIN], y[TRAIN])})
    assert (found.best, dict(found.released)) == (None, {})


@pytest.mark.filterwarnings("ignore:One or more of the test scores")
def test_a_candidate_that_does_not_climb_a_ladder_is_not_given_the_best_so_far(data, tmp_path):
    X, y = data
    ledger = Ledger(tmp_path / "ledger.db", create=True)
    holdout = GuardedHoldout(X[HOLDOUT], y[HOLDOUT], Policy("ladder:0.01"), ledger)
    good = GaussianNB().fit(X[TRAIN], y[TRAIN])
    bad = DummyClassifier().fit(X[TRAIN], y[TRAIN])
    assert holdout.score(good).released > 0.5
    chosen = holdout.select({"bad": bad})
    assert (chosen.best, dict(chosen.released)) == (None, {})
    assert np.isnan(holdout.scorer(bad, X[HOLDOUT]))
    search = GridSearchCV(DummyClassifier(), {"strategy": ["prior", "most_frequent"]})
    with pytest.raises(InvalidInput, match="search must have a score to choose by, got none"):
        holdout.search(search, X[TRAIN], y[TRAIN])


@pytest.mark.parametrize("rule", ["rank", "improved", "subsample:0.5+rank"])
def test_nothing_is_chosen_by_answers_that_are_no_scores(rule, data, tmp_path):
    """The highest rank is the worst, and the first model always improves."""
    X, y = data
    ledger = Ledger(tmp_path / "ledger.db", create=True)
    policy = Policy(rule, looks_per_team=30)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a public seed is no matter here
        holdout = GuardedHoldout(X[HOLDOUT], y[HOLDOUT], policy, ledger)
    good = KNeighborsClassifier(5).fit(X[TRAIN], y[TRAIN])
    poor = DummyClassifier().fit(X[TRAIN], y[TRAIN])
    with pytest.raises(InvalidInput, match=r"whose answers are scores .* got .*(rank|improved)"):
        holdout.select({"good": good, "poor": poor})
    with pytest.raises(InvalidInput, match="whose answers are scores"):
        holdout.search(GridSearchCV(KNeighborsClassifier(), GRID), X[TRAIN], y[TRAIN])
    loop = holdout.beside(X[TRAIN], y[TRAIN])
    with pytest.raises(ValueError, match="whose answers are scores"):
        cross_val_score(good, loop.X, loop.y, cv=loop.cv, scoring=holdout.scorer)
    assert looks(holdout) == 0
    assert holdout.score(good).released == 1.0  # asked for by itself, it is the rank or the bit


@pytest.mark.parametrize("kind", ["frame", "mixed frame", "sparse", "texts", "wider numbers"])
def test_the_rows_are_known_in_whatever_form_the_loop_hands_them_over(data, tmp_path, kind):
    X, y = data
    names = np.array(["ant", "bee", "cow"])[y]
    model = GaussianNB()
    if kind == "frame":
        rows = pandas.DataFrame(X)
        train, held = rows.iloc[TRAIN], rows.iloc[HOLDOUT]
    elif kind == "mixed frame":
        rows = pandas.DataFrame(X).add_prefix("x").assign(word=np.where(X[:, 0] > 0, "up", "down"))
        model = make_pipeline(FunctionTransformer(lambda frame: frame.drop(columns="word")), model)
        train, held = rows.iloc[TRAIN], rows.iloc[HOLDOUT]
    elif kind == "sparse":
        model = KNeighborsClassifier()
        train, held = csr_matrix(X[TRAIN]), csr_matrix(X[HOLDOUT])
    elif kind == "texts":
        model = make_pipeline(CountVectorizer(), KNeighborsClassifier())
        texts = [" ".join(f"w{int(value * 2)}" for value in row) for row in X]
        train, held = np.array([*texts[:199], "word " * 99]), np.array(texts[200:])
    else:
        train, held = X[TRAIN], X[HOLDOUT].astype(np.float32)
    ledger = Ledger(tmp_path / "ledger.db", create=True)
    holdout = GuardedHoldout(held, names[HOLDOUT], Policy("exact"), ledger)
    loop = holdout.beside(train, names[TRAIN])
    (score,) = cross_val_score(model, loop.X, loop.y, cv=loop.cv, scoring=holdout.scorer)
    assert score == model.fit(train, names[TRAIN]).score(held, names[HOLDOUT])
    with pytest.raises(ValueError, match="X must be the holdout's 200 rows in their order"):
        cross_val_score(model, loop.X, loop.y, cv=[(TRAIN, TRAIN)], scoring=holdout.scorer)


def test_rows_and_labels_must_fit(data, holdout, tmp_path):
    X, y = data
    ledger = Ledger(tmp_path / "other.db", create=True)
    with pytest.raises(InvalidInput, match="X must have 200 rows, one per label, got 100"):
        GuardedHoldout(X[:100], y[HOLDOUT], Policy("exact"), ledger)
    with pytest.raises(InvalidInput, match="y must have 200 labels, one per row, got 100"):
        holdout.beside(X[TRAIN], y[:100])
    with pytest.raises(InvalidInput, match="y must be one-dimensional"):
        holdout.beside(X[TRAIN], np.zeros((200, 2)))
    with pytest.raises(InvalidInput, match=r"X must have rows of the holdout's shape \(20,\)"):
        holdout.beside(X[TRAIN, :3], y[TRAIN])
    with pytest.raises(InvalidQuery, match="X must be the holdout's 200 rows"):
        holdout.scorer(GaussianNB().fit(X, y), X[TRAIN])


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
    guard = Guard(y[HOLDOUT], Policy("exact"), ledger_url, create=True, picklable=True)
    scorer = pickle.loads(pickle.dumps(guarded_scorer(guard, X[HOLDOUT])))
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
