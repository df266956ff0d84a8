"""Lattice: exact for every label vector, honest about what it knows at every budget."""

import copy
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast import Problem
from holdfast.answers import NoisyAnswers, RoundedAnswers
from holdfast.attacks import Lattice
from holdfast.attacks.exact.lattice import attack as course
from holdfast.attacks.exact.lattice import many_classes, tuning
from holdfast.attacks.exact.lattice.many_classes import ManyClasses
from holdfast.attacks.exact.rounds.knowledge import ask_round
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported
from tests.paces import few


def run(hidden, m, k, seed=0, **options):
    """Play against labels in memory; return the attack and the number of looks."""
    z = np.asarray(hidden)
    attack = Lattice(Problem(z.size, m, k), rng=np.random.default_rng(seed), **options)
    while (query := attack.ask()) is not None:
        attack.tell(np.count_nonzero(query == z) / z.size)
    return attack, attack.answered


def assert_solved(hidden, m, k=10**6, **options):
    attack, looks = run(hidden, m, k, **options)
    assert attack.certain().all()
    assert attack.predict().tolist() == list(hidden)
    return looks


def assert_honest(hidden, attack):
    sure = attack.certain()
    assert (attack.predict()[sure] == np.asarray(hidden)[sure]).all()
    return int(sure.sum())


@st.composite
def labelled(draw, classes):
    m = draw(classes)
    return m, draw(st.lists(st.integers(0, m - 1), min_size=1, max_size=24))


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(labelled(st.integers(2, tuning.FEW_CLASSES_AT_MOST)), st.integers(0, 3), st.booleans())
def test_any_labels_with_few_classes(case, seed, permuted):
    m, hidden = case
    assert_solved(hidden, m, seed=seed, permuted=permuted)


@settings(max_examples=60, deadline=None)
@given(labelled(st.integers(17, 60)), st.integers(0, 3), st.booleans())  # few classes, too
def test_any_labels_with_many_classes(case, seed, permuted):
    m, hidden = case
    assert_solved(hidden, m, seed=seed, permuted=permuted)


@settings(max_examples=100, deadline=None)
@given(labelled(st.integers(2, 40)), st.integers(1, 60), st.booleans())
def test_certain_is_right_at_every_budget(case, k, permuted):
    m, hidden = case
    attack, looks = run(hidden, m, k, permuted=permuted)
    assert looks <= k
    assert_honest(hidden, attack)


@pytest.mark.parametrize("m", few(6, [2, 3, 4, 5, 10, 100, 16, 20]))
@pytest.mark.parametrize("kind", ["constant", "sorted", "periodic"])
def test_adversarial_labels(m, kind):
    n = 2000
    hidden = {
        "constant": np.full(n, m - 1),
        "sorted": np.sort(np.arange(n) % m),
        "periodic": np.arange(n) % m,
    }[kind]
    assert_solved(hidden, m)


@pytest.mark.parametrize("m", [2, 3, 10, 30])
def test_what_is_certain_is_right_while_it_plays(m):
    rng = np.random.default_rng(m)
    hidden = rng.integers(m, size=300)
    attack = Lattice(Problem(300, m, 5000), rng=rng)
    known = 0
    while (query := attack.ask()) is not None:
        attack.tell(np.mean(query == hidden))
        now = assert_honest(hidden, attack)
        assert now >= known
        known = now
    assert known == 300


@pytest.mark.parametrize("m", [2, 3, 5, 10, 17, 40])
def test_more_looks_make_more_certain(m):
    hidden = np.random.default_rng(1).integers(m, size=400)
    known = [assert_honest(hidden, run(hidden, m, k)[0]) for k in (20, 100, 300, 5000)]
    assert known == sorted(known)
    assert known[-1] == 400
    assert known[1] > 0


@pytest.mark.parametrize(("n", "m"), [(1, 2), (1, 50), (2, 200), (30, 30), (40, 90), (3, 16)])
def test_as_many_classes_as_examples_and_more(n, m):
    assert_solved(np.random.default_rng(n).integers(m, size=n), m)


@pytest.mark.parametrize(
    ("n", "m", "most"),
    [
        (2000, 4, 930),
        pytest.param(700, 700, 5700, marks=pytest.mark.slow),
    ],
)
def test_number_of_looks(n, m, most):
    looks = [
        assert_solved(np.random.default_rng(seed).integers(m, size=n), m, seed=seed)
        for seed in (11, 12, 13)
    ]
    assert np.mean(looks) <= most


def test_it_stops_when_everything_is_known():
    attack, looks = run([0, 1, 1, 0, 1], 2, 1000)
    assert looks < 10
    assert attack.ask() is None


@pytest.mark.parametrize("m", [2, 3, 10, 30])
def test_positions_restricts_it(m):
    rng = np.random.default_rng(3)
    hidden = rng.integers(m, size=500)
    chosen = rng.permutation(500)[:120]
    attack, looks = run(hidden, m, 10**5, positions=chosen)
    assert sorted(np.flatnonzero(attack.certain())) == sorted(chosen)
    assert_honest(hidden, attack)
    assert looks < assert_solved(hidden, m)


@pytest.mark.parametrize(
    ("positions", "message"),
    [
        ([0, 10], r"positions must lie in 0 \.\. 9, got 0 \.\. 10"),
        ([-1], r"positions must lie in 0 \.\. 9"),
        ([1, 1], "positions must be different"),
        ([0.5], "positions must be a list of integers"),
        ([[1]], "positions must be a list of integers"),
    ],
)
def test_positions_are_checked(positions, message):
    with pytest.raises(InvalidInput, match=message):
        Lattice(Problem(10, 3, 5), rng=np.random.default_rng(0), positions=positions)


@pytest.mark.parametrize("answers", [RoundedAnswers(0.01), NoisyAnswers(0.01)])
def test_it_refuses_answers_that_are_not_exact(answers):
    with pytest.raises(NotSupported, match="off by one"):
        Lattice(Problem(1000, 3, 50), rng=np.random.default_rng(0), answers=answers)


@pytest.mark.parametrize("m", [2, 3, 10])
def test_rounded_answers_declared_exact_are_found_out(m):
    hidden = np.random.default_rng(4).integers(m, size=1000)
    attack = Lattice(Problem(1000, m, 10**5), rng=np.random.default_rng(0))

    def play_on():
        while (query := attack.ask()) is not None:
            attack.tell(round(float(np.mean(query == hidden)), 2))

    with pytest.raises(InconsistentAnswer, match=r"Query \d+: "):
        play_on()
    assert_honest(hidden, attack)


def test_a_count_below_what_is_certain_is_refused_and_changes_nothing():
    hidden = np.random.default_rng(4).integers(10, size=200)
    attack = Lattice(Problem(200, 10, 10**5), rng=np.random.default_rng(0))
    while not attack.certain().any():
        attack.tell(np.mean(attack.ask() == hidden))
    query = attack.ask()
    with pytest.raises(InconsistentAnswer, match=f"Query {attack.answered}: it shows"):
        attack.tell(0.0)
    attack.tell(np.mean(query == hidden))
    while (query := attack.ask()) is not None:
        attack.tell(np.mean(query == hidden))
    assert attack.predict().tolist() == hidden.tolist()


def test_a_contradiction_at_the_end_of_a_round_changes_nothing():
    hidden = np.random.default_rng(4).integers(3, size=40)
    attack = Lattice(Problem(40, 3, 10**5), rng=np.random.default_rng(0))
    refused = 0
    while (query := attack.ask()) is not None:
        right = np.count_nonzero(query == hidden)
        try:
            copy.deepcopy(attack).tell(((right + 7) % 41) / 40)
        except InconsistentAnswer:
            refused += 1
            with pytest.raises(InconsistentAnswer):
                attack.tell(((right + 7) % 41) / 40)
        attack.tell(right / 40)
    assert refused
    assert attack.predict().tolist() == hidden.tolist()


def test_every_tuned_constant_is_explained_and_used():
    source = Path(tuning.__file__)
    names = [name for name in vars(tuning) if name.isupper()]
    code = "".join(path.read_text("utf-8") for path in source.parent.rglob("*.py"))
    assert len(names) > 10
    assert [name for name in names if f"tuning.{name}" not in code] == []
    texts = re.split(r"^[A-Z_, ]+ = .*$", source.read_text("utf-8"), flags=re.MULTILINE)[1:]
    assert all(text.startswith('\n"""') for text in texts)


@pytest.mark.parametrize(("n", "m"), [(400, 23), (300, 60), (150, 150), (60, 200)])
def test_the_row_of_base_labels_is_asked_once(monkeypatch, n, m):
    hidden = np.random.default_rng([n, m]).integers(m, size=n)
    rounds = []

    def watched(knowledge, rnd, base_count=None):
        true = int(np.count_nonzero(knowledge.base == hidden))
        rounds.append((base_count, true, rnd.size))
        return (yield from ask_round(knowledge, rnd, base_count))

    monkeypatch.setattr(many_classes, "ask_round", watched)
    assert_solved(hidden, m, seed=7)
    assert len(rounds) > 10
    # What was not asked was known, in every round.
    assert [count for count, _, _ in rounds] == [true for _, true, _ in rounds]


def test_clusters_that_presumed_wrongly_start_over():
    """Few clusters and many hits per test: the presumed counts are often wrong."""
    restarts = []

    class Counting(ManyClasses):
        def _restart(self, clusters):
            restarts.append(len(clusters))
            super()._restart(clusters)

    hidden = np.random.default_rng(8).integers(24, size=400)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuning, "WRONG_LABEL_LOG_ODDS", -1.0)
        patch.setattr(course, "ManyClasses", Counting)
        patch.setattr(course, "number_of_clusters", lambda n, m: max(1, n // 30))
        assert_solved(hidden, 24)
    assert sum(restarts) > 0


def evidence(hidden, m, strength, rng):
    """Posterior of normal evidence: a calibrated prior."""
    logits = rng.normal(size=(hidden.size, m))
    logits[np.arange(hidden.size), hidden] += strength
    odds = np.exp(strength * (logits - logits.max(axis=1, keepdims=True)))
    return odds / odds.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("m", [2, 3, 10, 16, 22, 40])
def test_a_good_prior_saves_looks(m):
    rng = np.random.default_rng(6)
    hidden = rng.integers(m, size=600)
    prior = evidence(hidden, m, 3.5, rng)
    assert assert_solved(hidden, m, prior=prior) < 0.8 * assert_solved(hidden, m)


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(labelled(st.integers(2, 24)), st.integers(1, 80), st.integers(0, 2**32 - 1), st.booleans())
def test_no_prior_breaks_what_is_certain(case, k, seed, sure):
    m, hidden = case
    z = np.array(hidden)
    rng = np.random.default_rng(seed)
    if sure:  # all mass on a label, often a wrong one
        prior = np.zeros((z.size, m))
        prior[np.arange(z.size), rng.integers(m, size=z.size)] = 1.0
    else:
        prior = rng.dirichlet(np.full(m, 0.2), size=z.size)
    assert_honest(hidden, run(hidden, m, k, prior=prior)[0])
    assert_solved(hidden, m, prior=prior)


@pytest.mark.parametrize("m", [2, 5, 10, 30])
def test_a_model_that_is_sure_and_always_wrong(m):
    hidden = np.random.default_rng(2).integers(m, size=200)
    prior = np.zeros((200, m))
    prior[np.arange(200), (hidden + 1) % m] = 1.0
    assert_solved(hidden, m, prior=prior)


@pytest.mark.slow
@pytest.mark.parametrize("k", [1, 5, 20, 60, 150])
def test_with_a_prior_it_is_not_worse_than_the_model(k):
    """On average over labels; the same draws serve model and attack."""
    gains = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        hidden = rng.integers(10, size=300)
        prior = evidence(hidden, 10, 2.5, rng)
        attack, _ = run(hidden, 10, k, seed=seed, prior=prior)
        model = np.count_nonzero(prior.argmax(axis=1) == hidden)
        gains.append(np.count_nonzero(attack.predict() == hidden) - model)
    error = np.std(gains, ddof=1) / np.sqrt(len(gains))
    assert np.mean(gains) >= -4 * error


def test_a_uniform_prior_is_no_prior():
    hidden = np.random.default_rng(2).integers(5, size=300)
    with_it = run(hidden, 5, 10**5, prior=np.full((300, 5), 0.2))[1]
    assert with_it == run(hidden, 5, 10**5)[1]
