import numpy as np
import pytest

from holdfast.errors import InvalidInput
from holdfast.labels import MOST_CLASSES, as_labels, count_classes, label_dtype


@pytest.mark.parametrize(
    ("n_classes", "dtype"),
    [(2, np.uint8), (256, np.uint8), (257, np.uint16), (65536, np.uint16), (65537, np.uint32)],
)
def test_labels_take_the_smallest_unsigned_dtype(n_classes, dtype):
    assert label_dtype(n_classes) == dtype
    assert as_labels([0, n_classes - 1], n_classes).dtype == dtype


def test_an_array_of_the_right_dtype_is_not_copied():
    labels = np.array([0, 1], dtype=np.uint8)
    assert as_labels(labels, 2) is labels


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0, 3, 9], r"labels must lie in 0 \.\. 2, got 3 at position 1\."),
        ([0, -1], r"labels must lie in 0 \.\. 2, got -1 at position 1\."),
        ([0.0, 1.5], r"labels must be integers, got 1\.5 at position 1\."),
        ([0.0, np.nan], r"labels must be integers, got NaN at position 1\."),
        ([0.0, np.inf], r"labels must be integers, got inf at position 1\."),
        ([0.0, 7.0], r"labels must lie in 0 \.\. 2, got 7 at position 1\."),
        ([0.0, 1e300], r"labels must lie in 0 \.\. 2, got 1e\+300 at position 1\."),
        ([-1.0], r"labels must lie in 0 \.\. 2, got -1 at position 0\."),
        ([1j], r"labels must be integers, got dtype complex128\."),
        ([10**400], r"labels must be integers, got one that is too large\."),
        ([None, 1], r"labels must be integers, got dtype object\."),
        ([[0, 1], [0]], r"labels must be an array, got: "),
        (["0"], r"labels must be integers, got dtype <U1\."),
        ([[0, 1]], r"labels must be one-dimensional, got shape \(1, 2\)\."),
        ([], r"labels must not be empty\."),
    ],
)
def test_each_bad_label_vector_is_named_with_its_rule_and_value(values, message):
    with pytest.raises(InvalidInput, match=message):
        as_labels(values, 3)


@pytest.mark.parametrize(
    "values",
    [
        [0.0, 2.0, 1.0],
        np.array([0, 2, 1], dtype=np.float16),
        np.array([0, 2, 1], dtype=object),
        np.array([0.0, 2.0, True], dtype=object),
        np.array([0, 2, 1], dtype=">i4"),
    ],
)
def test_whole_numbers_of_any_kind_are_labels(values):
    labels = as_labels(values, 3)
    assert labels.tolist() == [0, 2, 1]
    assert labels.dtype == np.uint8


def test_truth_values_are_the_labels_0_and_1():
    assert as_labels([True, False], 2).tolist() == [1, 0]
    assert as_labels(np.array([True, False, True])[::2], 3).tolist() == [1, 1]


def test_classes_are_counted_up_to_a_million():
    assert count_classes([0, 999_999]) == MOST_CLASSES
    assert count_classes([0, 0]) == 2
    with pytest.raises(
        InvalidInput, match=r"^labels must lie below 1,000,000, got 60000000 at position 1; "
    ):
        count_classes([0, 60_000_000])
    with pytest.raises(InvalidInput, match=r"got 1\.5 at position 0\.$"):
        count_classes([1.5])


def test_a_wrong_length_is_named():
    with pytest.raises(InvalidInput, match=r"labels must have length 3, got 2\."):
        as_labels([0, 1], 2, n_examples=3)
