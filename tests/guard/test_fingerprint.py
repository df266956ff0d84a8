import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.guard.fingerprint import _by_first_appearance, fingerprint

SALT = b"s" * 32


def labels(*values):
    return np.array(values, dtype=np.uint8)


def test_a_copy_in_another_dtype_is_the_same_data_set():
    values = labels(3, 1, 4, 1, 5)
    wide = values.astype(np.uint32)
    assert fingerprint(values, SALT) == fingerprint(wide, SALT)


def test_renamed_classes_are_the_same_data_set_under_another_coding():
    one, two = fingerprint(labels(0, 1, 2, 0), SALT), fingerprint(labels(2, 0, 1, 2), SALT)
    assert (one.data_set, one.key) == (two.data_set, two.key)
    assert one.coding != two.coding


def test_one_changed_label_another_order_or_another_salt_is_another_data_set():
    base = fingerprint(labels(0, 1, 2, 0), SALT).data_set
    assert base != fingerprint(labels(0, 1, 2, 1), SALT).data_set
    assert base != fingerprint(labels(1, 0, 0, 2), SALT).data_set
    assert base != fingerprint(labels(0, 1, 2), SALT).data_set
    assert base != fingerprint(labels(0, 1, 2, 0), b"t" * 32).data_set


def test_its_repr_shows_no_key():
    mark = fingerprint(labels(0, 1), SALT)
    assert mark.key.hex() not in repr(mark)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=30), st.permutations(range(10)))
def test_numbering_by_first_appearance_forgets_the_names_and_only_them(values, renamed):
    original = labels(*values)
    canonical, order = _by_first_appearance(original)
    assert np.array_equal(np.frombuffer(order, "<u4")[np.frombuffer(canonical, np.uint8)], original)
    assert _by_first_appearance(labels(*renamed)[original])[0] == canonical
