import numpy as np
import pytest

from holdfast import Problem, attacks, oracles, play
from holdfast.attacks.paper._running_sums import RunningSums


@pytest.mark.parametrize(("n", "m", "batches"), [(5, 2, [3, 1]), (3000, 7, [64, 0, 64, 5])])
def test_the_sums_are_those_of_the_plain_loop(n, m, batches):
    rng = np.random.default_rng(0)
    tally, expected = RunningSums(n, m), np.zeros((n, m))
    for size in batches:
        rows = rng.integers(m, size=(size, n)).astype(np.uint8)
        answers = rng.integers(100, size=size).astype(float)
        tally.add(rows, answers)
        for row, answer in zip(rows, answers, strict=True):
            expected[np.arange(n), row] += answer
    assert tally.counted == sum(batches)
    assert tally.sums.tolist() == expected.tolist()


def test_many_classes_and_many_bytes_are_not_worth_it():
    assert RunningSums.is_worth_it(10_000, 10)
    assert not RunningSums.is_worth_it(10_000, 1000)
    assert not RunningSums.is_worth_it(10**8, 2)


@pytest.mark.parametrize("k", [1, 63, 64, 65, 300])
def test_column_vote_guesses_the_same_with_and_without_running_sums(k, monkeypatch):
    problem = Problem(500, 4, k)
    hidden = np.random.default_rng(1).integers(4, size=500)

    def guess():
        attack = attacks.ColumnVote(problem, rng=np.random.default_rng(2), queries_per_nat=0.1)
        return play(attack, oracles.LabelOracle(hidden, problem=problem)).tolist()

    with_sums = guess()
    monkeypatch.setattr(RunningSums, "is_worth_it", staticmethod(lambda *_: False))
    assert guess() == with_sums
