"""The header is read by hand; NumPy's own reader says what it must come to."""

import io

import numpy as np
import pytest

from holdfast.errors import InvalidInput
from holdfast.files.npy_files import read_npy, read_npy_blocks, read_npy_header


def written(tmp_path, data):
    path = tmp_path / "x.npy"
    path.write_bytes(data)
    return path


def saved(array, version=None):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version=version)
    return stream.getvalue()


def with_header(text, body=b"", version=1):
    data = text.encode("latin-1")
    width = 2 if version == 1 else 4
    return b"\x93NUMPY" + bytes([version, 0]) + len(data).to_bytes(width, "little") + data + body


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
@pytest.mark.parametrize(
    "dtype", ["<i8", ">i8", "<u2", "|u1", "|i1", "<f4", ">f8", "<f2", "|b1", "<U3", ">U2", "|S4"]
)
def test_every_kind_of_label_is_read_as_numpy_reads_it(tmp_path, dtype, version):
    path = written(tmp_path, saved(np.array([0, 1, 1, 0, 1]).astype(dtype), version))
    wanted = np.load(path)
    with path.open("rb") as file:
        array = read_npy(file, read_npy_header(file, "x"), "x")
    assert array.dtype == wanted.dtype
    assert np.array_equal(array, wanted)
    with path.open("rb") as file:
        blocks = list(read_npy_blocks(file, read_npy_header(file, "x"), "x", size=2))
    assert [block.size for block in blocks] == [2, 2, 1]
    assert np.array_equal(np.concatenate(blocks), wanted)


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }",
        "{'shape': (2,), 'fortran_order': True, 'descr': '|u1'}\n",
        '{"descr":"|u1","fortran_order":False,"shape":(2L,)}',
    ],
)
def test_the_entries_of_a_header_may_stand_in_any_order(tmp_path, header):
    path = written(tmp_path, with_header(header, b"\x01\x00"))
    with path.open("rb") as file:
        assert read_npy(file, read_npy_header(file, "x"), "x").tolist() == [1, 0]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x93NUMPY", "must be a plain NPY array, got: an unknown version."),
        (b"\x93NUMPY\x09\x00aaaa", "must be a plain NPY array, got: an unknown version."),
        (b"\x93NUMPY\x01\x00\xff\x00{", "must be a plain NPY array, got: a header that is cut"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff", "must be a plain NPY array, got: a header of 4,"),
        (with_header("{'descr': ((((((" * 500), "must be a plain NPY array, got: the header"),
        (
            with_header("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", b"x" * 8),
            "must be a plain NPY array, got: pickled Python objects.",
        ),
        (
            with_header("{'descr': '<i3', 'fortran_order': False, 'shape': (1,), }", b"x" * 8),
            "must be a plain NPY array, got: the dtype '<i3'.",
        ),
        (
            with_header("{'descr': '<U0', 'fortran_order': False, 'shape': (99999999,), }"),
            "must hold labels, got values of no bytes.",
        ),
        (
            with_header("{'descr': '<i8', 'fortran_order': False, 'shape': (10000000000,), }"),
            "must be a plain NPY array, got: 0 bytes behind a header that promises 80,",
        ),
        (
            with_header(f"{{'descr': '<i8', 'fortran_order': False, 'shape': ({'9' * 5000},), }}"),
            "must be a plain NPY array, got: the header",
        ),
        (
            with_header("{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }"),
            "must be one-dimensional, got shape (2, 3).",
        ),
        (
            with_header("{'descr': '<i8', 'fortran_order': False, 'shape': (), }"),
            "must be one-dimensional, got shape ().",
        ),
        (
            with_header("{'descr': '<i8', 'fortran_order': False, 'shape': (3), }"),
            "must be a plain NPY array, got: the header",
        ),
    ],
)  # fmt: skip
def test_a_header_of_another_form_is_refused_before_anything_is_allocated(tmp_path, data, message):
    path = written(tmp_path, data)
    with path.open("rb") as file, pytest.raises(InvalidInput) as caught:
        read_npy(file, read_npy_header(file, "x"), "x")
    assert str(caught.value).startswith(f"x {message}")
    assert len(str(caught.value)) < 200
