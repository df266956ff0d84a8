import json

import numpy as np
import pytest

from holdfast.labels import label_dtype
from holdfast.rules.packed import matches_of, pack, unpack


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5, 16, 17, 256, 257, 65_536, 65_537])
@pytest.mark.parametrize("n_examples", [1, 2, 7, 8, 9, 1000])
def test_labels_survive_as_text(n_examples, n_classes):
    rng = np.random.default_rng(n_examples)
    labels = rng.integers(n_classes, size=n_examples).astype(label_dtype(n_classes))
    labels[-1] = n_classes - 1
    text = json.loads(json.dumps(pack(labels, n_classes)))
    back = unpack(text, n_examples, n_classes)
    assert back.dtype == labels.dtype
    np.testing.assert_array_equal(back, labels)
    assert matches_of(text, labels, n_classes) == n_examples


def test_few_classes_take_few_bits():
    labels = np.zeros(8000, dtype=np.uint8)
    sizes = [len(pack(labels, n_classes)) for n_classes in (2, 4, 16, 256)]
    assert [round(8 * 3 / 4 * size / 8000, 1) for size in sizes] == [1.0, 2.0, 4.0, 8.0]
