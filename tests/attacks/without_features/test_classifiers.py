"""Keyed classifiers: small, picklable, the same everywhere, blind to everything but the row."""

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from holdfast import Problem, attacks, oracles, play
from holdfast.attacks import without_features
from holdfast.attacks.without_features.column_attack import Packed
from holdfast.errors import InvalidInput

PROBLEM = Problem(400, 7, 30)
X = np.random.default_rng(0).normal(size=(400, 3))
HIDDEN = np.random.default_rng(1).integers(7, size=400)
ATTACKS = ["BlockMajority", "ColumnVote", "NaiveBayes", "UniformVote"]


def build(name, problem=PROBLEM):
    return getattr(without_features, name)(problem, rng=np.random.default_rng(4))


def final(name, problem=PROBLEM):
    return play(build(name, problem), oracles.ClassifierOracle(X, HIDDEN, problem=problem))


@pytest.fixture(params=[(name, which) for name in ATTACKS for which in ("query", "prediction")])
def classifier(request):
    name, which = request.param
    return build(name).ask() if which == "query" else final(name)


def test_labels_are_in_range_and_of_the_smallest_dtype(classifier):
    labels = classifier.predict(X)
    assert labels.dtype == np.uint8
    assert labels.shape == (400,)
    assert labels.max() < 7


def test_it_survives_pickling(classifier):
    again = pickle.loads(pickle.dumps(classifier))
    assert again == classifier
    assert again.predict(X).tolist() == classifier.predict(X).tolist()


def test_the_order_of_the_rows_does_not_matter(classifier):
    order = np.random.default_rng(2).permutation(400)
    assert classifier.predict(X[order]).tolist() == classifier.predict(X)[order].tolist()


def test_a_row_gets_its_label_whatever_surrounds_it(classifier):
    assert classifier.predict(X[17:18]).tolist() == [classifier.predict(X)[17]]


def test_duplicates_get_one_label(classifier):
    doubled = np.concatenate((X, X))
    labels = classifier.predict(doubled)
    assert labels[:400].tolist() == labels[400:].tolist()


def test_it_reads_texts_and_frames_too(classifier):
    assert classifier.predict(["a", "b", "a"])[[0]] == classifier.predict(["a"])
    frame = pd.DataFrame({"u": [1.0, 2.0], "v": ["x", "y"]})
    assert classifier.predict(frame).shape == (2,)


@pytest.mark.slow
def test_another_process_gives_the_same_labels(tmp_path):
    classifiers = [
        classifier for name in ATTACKS for classifier in (build(name).ask(), final(name))
    ]
    path = tmp_path / "classifiers.pickle"
    path.write_bytes(pickle.dumps(classifiers))
    program = (
        "import pickle, sys, numpy as np;"
        "classifiers = pickle.load(open(sys.argv[1], 'rb'));"
        "X = np.random.default_rng(0).normal(size=(400, 3));"
        "print([c.predict(X).tolist() for c in classifiers])"
    )
    printed = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True
    ).stdout
    assert printed.strip() == str([c.predict(X).tolist() for c in classifiers])


@pytest.mark.parametrize("name", ATTACKS)
def test_a_query_is_a_few_hundred_bytes_however_large_the_test_set(name):
    small = len(pickle.dumps(build(name, Problem(400, 7, 30)).ask()))
    large = len(pickle.dumps(build(name, Problem(10**9, 7, 30)).ask()))
    assert small < 400
    assert large < 400


@pytest.mark.parametrize("name", ATTACKS)
def test_the_prediction_grows_with_the_looks_not_with_the_test_set(name):
    sizes = []
    for n in (400, 10**9):
        attack = build(name, Problem(n, 7, 30))
        for _ in range(30):
            attack.ask()
            attack.tell(0.25)
        sizes.append(len(pickle.dumps(attack.predict())))
    assert max(sizes) < 400 + 8 * 30
    assert abs(sizes[0] - sizes[1]) < 32


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("n", [1000, 10**6])
def test_a_prediction_from_exact_answers_is_a_few_hundred_bytes(name, n):
    attack, answers = build(name, Problem(n, 10, 301)), np.random.default_rng(2)
    while attack.ask() is not None:
        attack.tell(answers.binomial(n, 0.1) / n)
    assert len(pickle.dumps(attack.predict())) < 1000


@pytest.mark.parametrize(
    ("numbers", "bytes_each"),
    [
        ([], 0),
        ([7.0], 1),
        ([3.0, 258.0], 1),
        ([3.0, 259.0], 2),
        ([-5.0, 10.0**9], 4),
        ([0.0, 2.0**40], 8),
        ([0.5, 1.0], 8),
        ([1e300, 2.0], 8),
    ],
)
def test_packed_numbers_come_back_exactly(numbers, bytes_each):
    packed = Packed.of(np.array(numbers))
    assert packed.numbers().tolist() == numbers
    assert len(packed.content) == bytes_each * len(numbers)


@pytest.mark.statement("acharya2020 remark:index")
@pytest.mark.parametrize("name", ["NaiveBayes", "ColumnVote", "UniformVote"])
def test_known_features_are_the_case_in_which_the_key_is_the_index(name):
    options = {} if name == "NaiveBayes" else {"queries_per_nat": 1e-6}
    known = getattr(attacks, name)(PROBLEM, rng=np.random.default_rng(4), **options)
    blind = getattr(without_features, name)(PROBLEM, rng=np.random.default_rng(4), **options)
    indexed = without_features.ByIndex(blind)
    oracle = oracles.LabelOracle(HIDDEN, problem=PROBLEM)
    index = np.arange(400)
    while (query := known.ask()) is not None:
        assert indexed.ask().predict(X, index).tolist() == query.tolist()
        answer = oracle.query(query)
        known.tell(answer)
        indexed.tell(answer)
    assert indexed.predict().predict(X, index).tolist() == known.predict().tolist()


@pytest.mark.statement("acharya2020 remark:index")
def test_an_indexed_board_is_overfit_without_looking_at_the_rows():
    same = np.zeros((400, 1))
    attack = without_features.ByIndex(
        without_features.UniformVote(
            Problem(400, 2, 900), rng=np.random.default_rng(0), queries_per_nat=1e-6
        )
    )
    hidden = HIDDEN % 2
    oracle = oracles.IndexedOracle(same, hidden, problem=attack.problem)
    guess = play(attack, oracle).predict(same, np.arange(400))
    assert np.mean(guess == hidden) > 0.9


def test_without_distinct_features_nothing_can_be_gained():
    same, problem = np.zeros((1000, 1)), Problem(1000, 4, 40)
    scores = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        hidden = np.arange(1000) % 4
        attack = without_features.BlockMajority(problem, rng=rng)
        oracle = oracles.ClassifierOracle(same, hidden, problem=problem, rng=rng)
        scores.append(np.mean(play(attack, oracle).predict(same) == hidden))
    assert scores == [0.25] * 40


def test_the_permutation_can_be_switched_off():
    attack = without_features.BlockMajority(
        Problem(400, 7, 1), rng=np.random.default_rng(0), permuted=False
    )
    assert set(attack.ask().predict(X).tolist()) == {0}


def test_permuted_accepts_any_classifier_and_moves_each_row_by_its_own_amount():
    class Zeros:
        def predict(self, rows):
            return np.zeros(len(rows), dtype=int)

    class OneQuery:
        problem = Problem(400, 7, 1)

        def ask(self):
            return Zeros()

        def tell(self, answer):
            self.answer = answer

        def predict(self):
            return Zeros()

    attack = without_features.Permuted(OneQuery(), rng=np.random.default_rng(0))
    labels = attack.ask().predict(X)
    attack.tell(0.5)
    assert len(set(labels.tolist())) == 7
    assert labels.tolist() == attack.predict().predict(X).tolist()


def test_too_many_queries_for_block_majority_are_refused():
    with pytest.raises(InvalidInput, match=r"n_queries must be at most n_examples \+ 1 = 11"):
        without_features.BlockMajority(Problem(10, 2, 12), rng=np.random.default_rng(0))
