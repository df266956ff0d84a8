import numpy as np
import pytest

from holdfast.errors import InvalidInput
from holdfast.experiments import LABEL_KINDS, hidden_labels


@pytest.mark.parametrize("kind", LABEL_KINDS)
@pytest.mark.parametrize(("n", "m"), [(1, 2), (7, 3), (1000, 300), (50, 1000)])
def test_labels_are_in_range_in_the_smallest_dtype_and_repeatable(kind, n, m):
    labels = hidden_labels(kind, n, m, np.random.default_rng(3))
    assert labels.shape == (n,)
    assert labels.dtype == (np.uint8 if m <= 256 else np.uint16)
    assert labels.max() < m
    assert np.array_equal(labels, hidden_labels(kind, n, m, np.random.default_rng(3)))


@pytest.mark.parametrize("kind", ["balanced", "sorted"])
def test_balanced_classes_differ_by_at_most_one(kind):
    counts = np.bincount(hidden_labels(kind, 1003, 10, np.random.default_rng(0)), minlength=10)
    assert counts.sum() == 1003
    assert set(counts) == {100, 101}


def test_balanced_is_shuffled_and_sorted_is_sorted():
    balanced = hidden_labels("balanced", 100, 10, np.random.default_rng(0))
    in_order = hidden_labels("sorted", 100, 10, np.random.default_rng(0))
    assert not np.array_equal(balanced, np.sort(balanced))
    assert np.array_equal(in_order, np.sort(in_order))


def test_constant_is_one_class_and_not_always_the_same():
    drawn = {
        tuple(set(hidden_labels("constant", 9, 5, np.random.default_rng(s)))) for s in range(9)
    }
    assert all(len(classes) == 1 for classes in drawn)
    assert len(drawn) > 1


def test_skewed_halves_from_class_to_class():
    counts = np.bincount(hidden_labels("skewed", 100_000, 5, np.random.default_rng(0)))
    share = 0.5 ** np.arange(5) / (2 - 0.5**4)
    error = np.sqrt(share * (1 - share) / 100_000)
    assert np.all(np.abs(counts / 100_000 - share) < 4 * error)


def test_an_unknown_kind_is_named():
    with pytest.raises(InvalidInput, match=r"^label_kind must be one of uniform, .*, got 'odd'\.$"):
        hidden_labels("odd", 5, 2, np.random.default_rng(0))
