"""Top-K boards: blocks of labels are the classes of a smaller problem."""

from itertools import product

import numpy as np
import pytest

from holdfast import Problem, attacks, metrics, oracles, play
from holdfast.attacks.through_metrics import TopK
from holdfast.errors import NotSupported


def run(hidden, m, k, looks, make=attacks.Lattice, seed=0):
    metric = metrics.TopKAccuracy(k)
    board = oracles.MetricOracle(hidden, metric, n_queries=looks)
    attack = TopK(Problem(len(hidden), m, looks), k, make, rng=np.random.default_rng(seed))
    while (query := attack.ask()) is not None:
        attack.tell(board.query(query))
    return metric.score(hidden, attack.predict()), board.looks


@pytest.mark.parametrize(("m", "k"), [(10, 5), (12, 3), (6, 2), (8, 1)])
def test_every_block_is_found(m, k):
    hidden = np.random.default_rng(m).integers(m, size=150)
    assert run(hidden, m, k, 400)[0] == 1.0


def test_labels_that_an_adversary_chose_are_found():
    for hidden in (np.zeros(100, int), np.arange(100) % 10):
        assert run(hidden, 10, 5, 300)[0] == 1.0


def test_the_looks_are_those_of_fewer_classes():
    hidden = np.random.default_rng(1).integers(20, size=400)
    _, looks = run(hidden, 20, 5, 2000)
    problem = Problem(400, 4, 2000)
    plain = oracles.LabelOracle(np.random.default_rng(2).integers(4, size=400), problem=problem)
    play(attacks.Lattice(problem, rng=np.random.default_rng(0)), plain)
    assert looks == pytest.approx(
        plain.looks, rel=0.15
    )  # games of 400 labels vary by a few per cent


def test_k_divides_the_classes_or_blocks_are_climbed():
    with pytest.raises(NotSupported, match="One that climbs will do"):
        TopK(Problem(9, 10, 3), 3, attacks.Lattice, rng=np.random.default_rng(0))
    for m, k in ((10, 10), (4, 5)):
        with pytest.raises(NotSupported, match="less than the number of classes"):
            TopK(Problem(9, m, 3), k, attacks.BlockClimb, rng=np.random.default_rng(0))


def test_overlapping_blocks_are_climbed_to_every_label_vector_of_a_tiny_problem():
    for hidden in product(range(5), repeat=3):
        assert run(np.array(hidden), 5, 3, 12, attacks.BlockClimb)[0] == 1.0


def test_overlapping_blocks_name_different_labels_and_cover_all():
    attack = TopK(Problem(50, 7, 9), 3, attacks.BlockClimb, rng=np.random.default_rng(0))
    blocks = [attack.send(np.full(50, block)) for block in range(3)]
    for row in zip(*blocks, strict=True):
        assert all(len(set(block.tolist())) == 3 for block in row)
        assert set(np.concatenate(row).tolist()) == set(range(7))


def test_overlapping_blocks_are_worth_about_what_even_ones_are():
    hidden = np.random.default_rng(1).integers(10, size=500)
    assert run(hidden, 10, 3, 100, attacks.BlockClimb)[0] > 0.3 + 0.08
