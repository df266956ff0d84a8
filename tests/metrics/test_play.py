"""The one loop where a board shows another metric than accuracy."""

import numpy as np
import pytest

from holdfast import Problem, attacks, metrics, oracles, play
from holdfast.attacks.through_metrics import (
    ByGroup,
    CountReader,
    Digits,
    Graded,
    TargetBisection,
    TargetDigits,
    TopK,
)
from holdfast.errors import InvalidInput

N, LOOKS = 60, 40
GROUPS = np.arange(N) % 3


def lattice(problem, *, rng):
    return attacks.Lattice(problem, rng=rng)


CASES = {
    "log_loss": (metrics.LogLoss(), 4, lambda p, rng: Digits(p, rng=rng)),
    "roc_auc": (metrics.RocAuc(), 2, lambda p, rng: Graded(p, rng=rng)),
    "f1": (metrics.F1(), 2, lambda p, rng: CountReader(p, lattice, rng=rng, metric=metrics.F1())),
    "top_k": (metrics.TopKAccuracy(2), 4, lambda p, rng: TopK(p, 2, lattice, rng=rng)),
    "groups": (metrics.Breakdown(GROUPS), 3, lambda p, rng: ByGroup(p, GROUPS, lattice, rng=rng)),
    "mse": (
        metrics.MeanSquaredError(),
        9,
        lambda p, rng: TargetDigits(N, p.n_queries, low=0, high=8, rng=rng),
    ),
    "mae": (
        metrics.MeanAbsoluteError(),
        9,
        lambda p, rng: TargetBisection(N, p.n_queries, low=0, high=8, rng=rng),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_play_is_the_loop_written_out(case):
    show, m, make = CASES[case]
    hidden = np.random.default_rng(1).integers(m, size=N)
    problem = Problem(N, m, LOOKS)
    boards = [oracles.MetricOracle(hidden, show, n_queries=LOOKS) for _ in range(2)]
    played, looped = (make(problem, np.random.default_rng(2)) for _ in range(2))
    found = play(played, boards[0])
    while (query := looped.ask()) is not None:
        looped.tell(boards[1].query(query))
    assert np.array_equal(found, looped.predict())
    assert boards[0].looks == boards[1].looks > 0


def test_a_class_that_no_hidden_label_has_is_said_to_the_board():
    hidden = np.random.default_rng(1).integers(3, size=N)
    problem = Problem(N, 4, LOOKS)
    attack = Digits(problem, rng=np.random.default_rng(2))
    board = oracles.MetricOracle(hidden, metrics.LogLoss(), n_queries=LOOKS)
    with pytest.raises(InvalidInput, match="same n_examples and n_classes, got 60, 4 and 60, 3"):
        play(attack, board)
    board = oracles.MetricOracle(hidden, metrics.LogLoss(), n_queries=LOOKS, n_classes=4)
    assert board.problem == problem
    play(attack, board)
    assert np.array_equal(attack.labels(), hidden)
    with pytest.raises(InvalidInput, match="n_classes must be at least 3"):
        oracles.MetricOracle(hidden, metrics.LogLoss(), n_queries=LOOKS, n_classes=2)


def test_numbers_and_label_sets_have_no_classes():
    for hidden, metric in (
        ([0.5, 7.0, -3.0], metrics.MeanAbsoluteError()),
        ([[0, 1, 1], [1, 0, 0]], metrics.HammingLoss()),
    ):
        board = oracles.MetricOracle(hidden, metric, n_queries=5)
        assert board.problem == Problem(len(hidden), 2, 5)
