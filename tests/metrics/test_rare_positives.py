"""Attacks on scores of rare positives: parts in turn through rounding, and small blocks."""

import numpy as np
import pytest

from holdfast import attacks, metrics, oracles
from holdfast.attacks.through_metrics import CountReader, PartsInTurn, SparseClimb
from holdfast.errors import InvalidInput, NotSupported, OutOfTurn
from holdfast.problem import Problem
from holdfast.rules import parse_rule

F1 = metrics.F1()


def rare(n, positives, seed=1):
    hidden = np.zeros(n, dtype=np.int64)
    hidden[np.random.default_rng(seed).permutation(n)[:positives]] = 1
    return hidden


def played(attack, board):
    while (query := attack.ask()) is not None:
        attack.tell(board.query(query))
    return attack.predict()


def in_part(problem, *, rng, share):
    prior = np.tile([1.0 - share, share], (problem.n_examples, 1))
    return attacks.Lattice(problem, rng=rng, prior=prior)


def parts(problem, size, positives):
    return lambda inner, rng: PartsInTurn(inner, size, in_part, rng=rng, positives=positives)


def test_two_decimals_of_f1_tell_all_positives_of_small_parts():
    # 20 positives: with 50 examples called positive one more true one moves F1 by 2/70.
    hidden, problem = rare(1000, 20), Problem(1000, 2, 500)
    board = oracles.MetricOracle(hidden, F1, n_queries=500, mechanism=parse_rule("round:2"))
    attack = CountReader(
        problem,
        parts(problem, 50, 20),
        rng=np.random.default_rng(0),
        metric=F1,
        step=0.01,
        sizes=(980, 20),
    )
    assert (played(attack, board) == hidden).all()
    assert board.looks < 500  # it stops when all positives are found


def test_a_value_half_way_between_two_decimals_is_read():
    # One hit of 27 called positive, 5 positives: 2/32 = 0.0625, released as 0.062.
    hidden, problem = rare(40, 5), Problem(40, 2, 3)
    attack = CountReader(
        problem,
        parts(problem, 27, 5),
        rng=np.random.default_rng(0),
        metric=F1,
        step=0.001,
        sizes=(35, 5),
    )
    assert attack.ask().sum() == 27
    attack.tell(0.062)
    assert hidden.sum() == 5


def test_parts_are_asked_one_after_the_other():
    hidden, problem = rare(300, 3), Problem(300, 2, 300)
    attack = PartsInTurn(problem, 100, in_part, rng=np.random.default_rng(0), positives=3)
    board = oracles.LabelOracle(hidden, problem=problem)
    while (query := attack.ask()) is not None:
        assert query.sum() <= 100
        attack.tell(board.query(query))
    assert (attack.predict() == hidden).all()


@pytest.mark.parametrize(
    ("rule", "least", "most"), [("exact", 0.1, 0.5), ("ladder:0.01", 0.08, 0.3)]
)
def test_small_blocks_climb_where_random_labels_score_nothing(rule, least, most):
    # Means of four seeds; blocks of one size reach 2 hits / (called + positives) at best.
    reached = []
    for seed in range(4):
        hidden, release = rare(10_000, 100, seed), parse_rule(rule)
        board = oracles.MetricOracle(hidden, F1, n_queries=300, mechanism=release)
        attack = SparseClimb(
            Problem(10_000, 2, 300),
            rng=np.random.default_rng(seed),
            metric=F1,
            share=0.01,
            step=release.climb_step,
        )
        reached.append(F1.score(hidden, played(attack, board)))
    assert least < np.mean(reached) < most


def test_a_rise_that_is_not_shown_is_not_kept():
    attack = SparseClimb(
        Problem(100, 2, 5), rng=np.random.default_rng(0), metric=F1, share=0.1, step=0.5
    )
    attack.ask()
    attack.tell(0.0)
    assert not attack.predict().any()
    attack.ask()
    attack.tell(0.3)
    assert attack.predict().sum() == attack.block_size


def test_bad_input_is_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(NotSupported, match="two classes, got 3"):
        PartsInTurn(Problem(10, 3, 5), 5, in_part, rng=rng, positives=2)
    with pytest.raises(InvalidInput, match=r"positives must lie in 0 \.\. 10, got 11"):
        PartsInTurn(Problem(10, 2, 5), 5, in_part, rng=rng, positives=11)
    with pytest.raises(InvalidInput, match="part_size must be at least 1"):
        PartsInTurn(Problem(10, 2, 5), 0, in_part, rng=rng, positives=1)
    with pytest.raises(NotSupported, match="two classes, got 3"):
        SparseClimb(Problem(10, 3, 5), rng=rng, metric=F1, share=0.1)
    with pytest.raises(InvalidInput, match=r"share must lie between 0 and 1/2, got 0\.7"):
        SparseClimb(Problem(10, 2, 5), rng=rng, metric=F1, share=0.7)
    for attack in (
        PartsInTurn(Problem(10, 2, 5), 5, in_part, rng=rng, positives=2),
        SparseClimb(Problem(10, 2, 5), rng=rng, metric=F1, share=0.1),
    ):
        with pytest.raises(OutOfTurn):
            attack.tell(0.5)
        attack.ask()
        with pytest.raises(OutOfTurn):
            attack.ask()
