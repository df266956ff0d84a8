import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InvalidInput
from holdfast.features import row_keys
from holdfast.guard.adapters.feature_rows import fingerprint_of_rows, stacked


@given(st.lists(st.binary(max_size=40), min_size=1, max_size=30))
def test_equal_rows_get_equal_keys_and_distinct_rows_distinct_keys(rows):
    keys = row_keys(rows)
    assert len(set(keys.tolist())) == len(set(rows))
    assert row_keys(rows[::-1]).tolist() == keys[::-1].tolist()


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32, np.float64, np.int64])
@pytest.mark.parametrize("width", [1, 3, 8, 11])
def test_a_row_of_numbers_is_hashed_by_its_bytes_whatever_surrounds_it(dtype, width):
    X = np.random.default_rng(0).integers(0, 100, size=(50, width)).astype(dtype)
    keys = row_keys(X)
    assert keys.tolist() == row_keys([row.tobytes() for row in X]).tolist()
    assert keys[7:9].tolist() == row_keys(X[7:9]).tolist()
    assert row_keys(np.asfortranarray(X)).tolist() == keys.tolist()


def test_text_is_hashed_as_utf8():
    assert row_keys(["héllo"]).tolist() == row_keys(["héllo".encode()]).tolist()
    assert row_keys(np.array(["héllo"])).tolist() == row_keys(["héllo"]).tolist()


def test_more_axes_are_flattened():
    X = np.arange(24.0).reshape(2, 3, 4)
    assert row_keys(X).tolist() == row_keys(X.reshape(2, 12)).tolist()


def test_a_frame_is_hashed_by_row_whatever_its_index():
    frame = pd.DataFrame({"a": [1.5, 2.5, 1.5], "b": ["x", "y", "x"], "c": [True, False, True]})
    keys = row_keys(frame)
    assert keys[0] == keys[2]
    assert keys[0] != keys[1]
    assert row_keys(frame.iloc[[1, 0]]).tolist() == keys[[1, 0]].tolist()


def test_a_list_of_numbers_is_an_array():
    assert row_keys([[1.0, 2.0]]).tolist() == row_keys(np.array([[1.0, 2.0]])).tolist()


@pytest.mark.parametrize("X", [[object()], [["a", 1]], [None], ["a", 3]])
def test_what_cannot_be_hashed_is_refused(X):
    with pytest.raises(InvalidInput, match="X must hold"):
        row_keys(X)


@pytest.mark.parametrize(
    "X", [np.empty((0, 3)), [], np.empty((0, 2), np.uint8), pd.DataFrame({"a": []})]
)
def test_no_rows_have_no_keys(X):
    assert row_keys(X).shape == (0,)
    assert row_keys(X).dtype == np.uint64


def test_a_single_number_has_no_rows():
    with pytest.raises(InvalidInput, match="one row per example"):
        row_keys(np.array(3.0))


def test_another_process_computes_the_same_keys():
    program = "from holdfast.features import row_keys; print(row_keys(['a', 'bc']).tolist())"
    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert printed.strip() == str(row_keys(["a", "bc"]).tolist())


@pytest.mark.parametrize("module", ["pandas", "polars", "pyarrow"])
def test_frames_of_every_kind_have_the_same_keys_and_can_be_stacked(module):
    frames = pytest.importorskip(module)
    make = frames.table if module == "pyarrow" else frames.DataFrame
    mixed = {"a": [1.0, 2.0, 1.0], "b": ["x", "y", "x"], "c": [1, 2, 1]}
    keys = row_keys(make(mixed))
    assert (keys[0] == keys[2], keys[0] == keys[1]) == (True, False)
    assert (keys == row_keys(pytest.importorskip("pandas").DataFrame(mixed))).all()
    half = {"a": [1.0, 2.0], "c": [3.0, 4.0]}
    both = stacked(make(half), make(half))
    assert type(both) is type(make(half))
    assert fingerprint_of_rows(both) == fingerprint_of_rows([[1, 3], [2, 4], [1, 3], [2, 4]])
    with pytest.raises(InvalidInput, match="X must have the holdout's columns"):
        stacked(make(half), make({"c": [1.0], "a": [2.0]}))
