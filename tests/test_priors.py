"""Priors: lists and dense arrays agree, ties go to the lowest label, bad input is named."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InvalidInput
from holdfast.priors import Prior
from holdfast.problem import Problem


def random_lists(seed: int, n: int, m: int, c: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = np.argsort(rng.random((n, m)), axis=1)[:, :c]
    shares = rng.dirichlet(np.ones(c + 1), size=n)[:, :c]
    if c == m:
        shares /= shares.sum(axis=1, keepdims=True)
    return labels, shares


def spread(labels: np.ndarray, shares: np.ndarray, m: int) -> np.ndarray:
    """The dense array of a candidate list, written out row by row."""
    n, c = labels.shape
    dense = np.empty((n, m))
    for j in range(n):
        dense[j] = (1 - shares[j].sum()) / (m - c) if c < m else 0.0
        dense[j, labels[j]] = shares[j]
    return dense


@given(st.integers(0, 10**6), st.integers(2, 7), st.data())
def test_lists_and_dense_agree(seed: int, m: int, data: st.DataObject) -> None:
    c = data.draw(st.integers(1, m))
    depth = data.draw(st.integers(1, m))
    labels, shares = random_lists(seed, 5, m, c)
    dense = spread(labels, shares, m)
    lists, full = Prior.candidates(labels, shares, m), Prior.dense(dense)
    np.testing.assert_allclose(lists.dense_rows(), dense, atol=1e-12)
    np.testing.assert_allclose(full.dense_rows(1, 3), dense[1:3], atol=1e-12)
    wanted = np.random.default_rng(seed).integers(m, size=5)
    np.testing.assert_allclose(lists.probability(wanted), dense[np.arange(5), wanted], atol=1e-12)
    for prior in (lists, full):
        names, values = prior.ranked(depth)
        np.testing.assert_allclose(values, -np.sort(-dense, axis=1)[:, :depth], atol=1e-12)
        np.testing.assert_allclose(
            np.take_along_axis(dense, names.astype(int), 1), values, atol=1e-12
        )
        assert all(np.unique(row).size == depth for row in names)


def test_ties_go_to_the_lowest_label() -> None:
    assert Prior.uniform(3, 4).ranked(4)[0].tolist() == [[0, 1, 2, 3]] * 3
    assert Prior.candidates([[2, 1]], [[0.3, 0.3]], 5).top().tolist() == [1]
    # A list whose candidates are less likely than the labels it leaves out.
    assert Prior.candidates([[0]], [[0.1]], 3).ranked(3)[0].tolist() == [[1, 2, 0]]


def test_relative_moves_labels_against_the_shift() -> None:
    dense = np.random.default_rng(3).dirichlet(np.ones(5), size=4)
    shifts = np.array([0, 1, 4, 2])
    moved = Prior.dense(dense).relative(shifts).dense_rows()
    for j in range(4):
        for label in range(5):
            assert moved[j, label] == pytest.approx(dense[j, (label + shifts[j]) % 5])


def test_a_uniform_prior_does_not_undo_the_shift() -> None:
    shifts = np.array([2, 0, 1])
    for prior in (Prior.uniform(3, 3), Prior.dense(np.full((3, 3), 1 / 3))):
        assert prior.relative(shifts).ranked(2)[0].tolist() == [[0, 1]] * 3


def test_softened_leaves_no_zero() -> None:
    prior = Prior.dense([[1.0, 0.0], [0.5, 0.5]]).softened(0.1)
    np.testing.assert_allclose(prior.dense_rows(), [[0.95, 0.05], [0.5, 0.5]])
    lists = Prior.candidates([[3], [1]], [[0.4], [1.0]], 4).softened(0.5)
    np.testing.assert_allclose(lists.dense_rows().sum(axis=1), 1.0)
    with pytest.raises(InvalidInput, match="share"):
        prior.softened(1.5)


def test_rows_do_not_alias_the_prior() -> None:
    prior = Prior.dense([[0.7, 0.3]])
    prior.top()[0] = 1
    prior.ranked(2)[1][:] = 0.0
    assert prior.top().tolist() == [0]
    assert prior.probability([0])[0] == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Prior.dense([[0.5, 0.2]]), "sum to 1 in every row, got 0.7 in row 0"),
        (lambda: Prior.dense([[1.0, 0.0], [1.2, -0.2]]), r"lie in \[0, 1\], got 1.2 at row 1"),
        (lambda: Prior.dense([[np.nan, 1.0]]), "got nan at row 0, column 0"),
        (lambda: Prior.dense([0.5, 0.5]), r"shape \(n, columns\), got shape \(2,\)"),
        (lambda: Prior.dense([[1.0]]), "n_classes must be at least 2, got 1"),
        (lambda: Prior.candidates([[0, 0]], [[0.1, 0.1]], 3), "repeated one in row 0"),
        (
            lambda: Prior.candidates([[0, 3]], [[0.1, 0.1]], 3),
            r"labels must lie in 0 \.\. 2, got 3",
        ),
        (lambda: Prior.candidates([[0, 1]], [[0.9, 0.9]], 3), "at most 1 in every row, got 1.8"),
        (lambda: Prior.candidates([[0, 1]], [[0.1, 0.1]], 2), "sum to 1 in every row, got 0.2"),
        (lambda: Prior.candidates([[0]], [[0.1, 0.1]], 3), "shape of probabilities"),
        (lambda: Prior.uniform(2, 3).ranked(0), "depth must be at least 1, got 0"),
        (lambda: Prior.uniform(2, 3).check_fits(Problem(2, 4, 1)), "2 examples and 4 classes, got"),
    ],
)
def test_bad_input_is_named(build: object, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        build()  # type: ignore[operator]
