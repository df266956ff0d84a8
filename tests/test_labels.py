import numpy as np
import pytest

from holdfast.errors import InvalidInput
from holdfast.labels import as_labels, label_dtype


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
        ([0.0, 1.0], r"labels must be integers, got dtype float64\."),
        ([0.0, np.nan], r"labels must be integers, got NaN at position 1\."),
        (["0"], r"labels must be integers, got dtype <U1\."),
        ([[0, 1]], r"labels must be one-dimensional, got shape \(1, 2\)\."),
        ([], r"labels must not be empty\."),
        ([True, False], r"labels must be integers, got dtype bool\."),
    ],
)
def test_each_bad_label_vector_is_named_with_its_rule_and_value(values, message):
    with pytest.raises(InvalidInput, match=message):
        as_labels(values, 3)


def test_a_wrong_length_is_named():
    with pytest.raises(InvalidInput, match=r"labels must have length 3, got 2\."):
        as_labels([0, 1], 2, n_examples=3)
