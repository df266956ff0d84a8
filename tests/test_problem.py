import pickle

import numpy as np
import pytest

from holdfast import Problem
from holdfast.errors import InvalidInput


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((0, 2, 1), "n_examples must be at least 1, got 0."),
        ((5, 1, 1), "n_classes must be at least 2, got 1."),
        ((5, 2, 0), "n_queries must be at least 1, got 0."),
        ((5, 2.0, 1), "n_classes must be an integer, got 2.0."),
        ((5, True, 1), "n_classes must be an integer, got True."),
        ((5, 2**31 + 1, 1), "n_classes must be at most 2147483648, got 2147483649."),
    ],
)
def test_each_bad_size_is_named_with_its_rule_and_value(sizes, message):
    with pytest.raises(InvalidInput) as caught:
        Problem(*sizes)
    assert str(caught.value) == message


def test_a_problem_unpacks_into_the_papers_letters_as_plain_integers():
    n, m, k = Problem(np.int64(5), np.uint8(3), 2)
    assert (n, m, k) == (5, 3, 2)
    assert type(n) is type(m) is int


def test_a_problem_survives_pickling():
    assert pickle.loads(pickle.dumps(Problem(5, 3, 2))) == Problem(5, 3, 2)
