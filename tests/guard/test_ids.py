import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.errors import InvalidInput
from holdfast.guard.ids import order_by_id


@pytest.mark.parametrize(
    "ids",
    [
        [30, 4, 100, -2],
        ["30", "4", "100", "-2"],
        np.array([30, 4, 100, -2], dtype=np.int16),
        np.array([30.0, 4.0, 100.0, -2.0]),
        np.array(["30", "4", "100", "-2"], dtype="<U40"),
        np.array([30, "4", 100, "-2"], dtype=object),
    ],
    ids=["integers", "texts", "small integers", "whole floats", "wide texts", "objects"],
)
def test_integers_are_the_same_ids_however_they_are_written(ids):
    ordered, order = order_by_id(ids, 4)
    assert ordered.tolist() == [-2, 4, 30, 100]
    assert ordered.dtype == np.dtype("<i8")
    assert order.tolist() == [3, 1, 0, 2]


def test_one_id_that_is_no_plain_integer_makes_all_of_them_texts():
    for odd in ("x", "07", "7.0", "+7", " 7", "1_0", str(2**63)):
        ordered, _ = order_by_id(np.array(["10", "9", odd]), 3)
        assert ordered.tolist() == sorted(["10", "9", odd])


def test_the_same_texts_are_the_same_bytes_whatever_the_array_had_room_for():
    narrow, _ = order_by_id(["b", "a"], 2)
    wide, _ = order_by_id(np.array(["b", "a"], dtype="<U99"), 2)
    big_endian, _ = order_by_id(np.array(["b", "a"], dtype=">U3"), 2)
    assert narrow.tobytes() == wide.tobytes() == big_endian.tobytes()


def test_numbers_beyond_the_signed_range_are_texts():
    ordered, _ = order_by_id(np.array([2**63, 5], dtype=np.uint64), 2)
    assert ordered.tolist() == ["5", str(2**63)]


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([1, 2, 1], "ids must be distinct, got '1' twice"),
        (["a", "b", "b"], "ids must be distinct, got 'b' twice"),
        ([7, "7", "x"], "ids must be distinct, got '7' twice"),
        ([1, 2], r"ids must be one per example, 3, got shape \(2,\)"),
        ([[1, 2, 3]], r"ids must be one per example, 3, got shape \(1, 3\)"),
        ([1.5, 2.0, 3.0], "got floats that are not whole"),
        ([1.0, np.nan, 3.0], "got floats that are not whole"),
        ([1.0, np.inf, 3.0], "got floats that are not whole"),
        ([b"a", b"b", b"c"], "ids must be integers or texts, got dtype"),
        ([True, False, True], "ids must be integers or texts, got dtype bool"),
    ],
)
def test_what_is_no_list_of_ids_is_refused(ids, message):
    with pytest.raises(InvalidInput, match=message):
        order_by_id(ids, 3)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.text(max_size=6) | st.integers(-(10**20), 10**20).map(str), unique=True), st.data()
)
def test_any_order_of_the_rows_gives_the_same_ids(ids, data):
    ids = [id_.rstrip("\0") or "0x" for id_ in ids]  # arrays of texts end at a zero
    ids = list(dict.fromkeys(ids)) or ["a"]
    shuffled = data.draw(st.permutations(ids))
    ordered, order = order_by_id(np.array(ids, dtype=np.str_), len(ids))
    again, _ = order_by_id(np.array(shuffled, dtype=np.str_), len(ids))
    assert ordered.tobytes() == again.tobytes()
    assert [ids[place] for place in order] == [str(id_) for id_ in ordered.tolist()]
