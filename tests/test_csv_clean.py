"""The quick reader and the careful one: the same table, or the same words about what is wrong."""

import numpy as np
import pytest

from holdfast.errors import InvalidInput
from holdfast.files.csv_columns import read_carefully, read_clean, read_columns
from holdfast.files.label_files import read_labels
from tests.mutations import mutated


def outcome(path, read, **options):
    """Return what a reader finds as plain values, or what it says."""
    with path.open("rb") as file:
        try:
            ids, labels, split = read(file, "file", **options)
        except InvalidInput as error:
            return str(error)
    columns = [
        None if column is None else (column.codes.tolist(), column.names, list(column.firsts))
        for column in (labels, split)
    ]
    return (None if ids is None else (ids.dtype.kind, ids.tolist())), columns


def some_table(rng):
    """Return a table as a program would write it, in one of many forms."""
    n = int(rng.integers(1, 60))
    width = int(rng.integers(1, 5))
    header = [b"id", b"label", b"Usage", b"note"][:width] if width > 1 else [b"label"]
    order = rng.permutation(10 * n)[:n]
    ids = {
        0: [b"%d" % i for i in order],
        1: [b"img_%05d" % i for i in order],
        2: [b"%d" % (i * 10**9 + 7) for i in order],
        3: [b"%d.0" % i for i in order],
        4: [b"%03d" % i for i in order],
        5: [b"%d" % (i - 3 * n) for i in order],
        6: [b"%d" % (i * 10**15) for i in order],
        7: [b"a-rather-long-name-of-an-example/%d.jpeg" % i for i in order],
        8: ["é%d".encode() % i for i in order],
    }[int(rng.integers(9))]
    classes = [
        [b"%d" % i for i in range(10)],
        [b"%d" % i for i in range(1200)],
        [b"cat", b"dog", b"golden retriever"],
        [b"0.0", b"1.0"],
        [b"True", b"False"],
        [b"class_%d_of_a_long_list" % i for i in range(40)],
        [b"1", b"2", b" 3"],
    ][int(rng.integers(7))]
    rows = []
    for i in range(n):
        label = classes[int(rng.integers(len(classes)))]
        row = [ids[i], label, [b"Public", b"Private"][int(rng.integers(2))], b"note %d" % i]
        rows.append(row[:width] if width > 1 else [label])
    end = [b"\n", b"\r\n"][int(rng.integers(4) == 0)]
    data = end.join(b",".join(row) for row in [header, *rows])
    data += end * int(rng.integers(4))
    return b"\xef\xbb\xbf" + data if rng.random() < 0.1 else data


def compare(path, count, seed):
    """Read so many tables and as many mutations of them both ways; return how many were clean."""
    rng = np.random.default_rng(seed)
    clean = 0
    for _ in range(count):
        table = some_table(rng)
        for data in (table, mutated(table, rng)):
            path.write_bytes(data)
            options = {"id_column": None, "label_column": None}
            if rng.random() < 0.1:
                options["label_column"] = ["label", "id", "Usage"][int(rng.integers(3))]
            assert outcome(path, read_columns, **options) == outcome(
                path, read_carefully, **options
            ), data[:500]
            clean += read_clean(data, "file", **options) is not None
    return clean


def test_both_readers_agree_on_good_and_on_mutated_files(tmp_path):
    # Some 60 per cent of the tables are clean, and few of their mutations.
    assert compare(tmp_path / "x.csv", 300, seed=1) > 150


@pytest.mark.slow
def test_both_readers_agree_on_three_thousand_files(tmp_path):
    assert compare(tmp_path / "x.csv", 1500, seed=2) > 750


@pytest.mark.parametrize(
    "data",
    [
        b"id,label\n1,a\n2,b\n",
        b"id,label\r\n1,a\r\n2,b\r\n\r\n",
        b"\xef\xbb\xbfid,label\n1,a\n2,b",
        b"label\na\nb\n",
        b"id,label,Usage\n1,a,Public\n2,b b,Private\n",
        b"id,label\n0,a\n9999999999999999,b\n123456789,c\n",
    ],
)
def test_what_programs_write_is_clean(data):
    assert read_clean(data, "file", id_column=None, label_column=None) is not None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"id,label",
        b"id,label\n",
        b"id,label\n\n\n",
        b"\n1,a\n",
        b"id,label\n1,a\n1,b\n",
        b"id,label\n1,a,\n2\n",
        b"id,label\n1\n2,a,b\n",
        b"id,label\n1,a\n\n2,b\n",
        b"label\na\n\nb\n",
        b"label\na,b\n",
        b'id,label\n1,"a"\n',
        b"id,label\n1, a\n",
        b"id,label\n1 ,a\n",
        b"id,label\n1,a\tb\n",
        b"id,label\n1,\n",
        b"id,label\n,a\n",
        b"id,label\n1,\xc3\xa9\n",
        b"id,label\n1,a\r2,b\n",
        b"id,la\0bel\n1,a\n",
        b"id,label\n1,a\x1c\n",
        b"id,label\n1," + b"a" * 65 + b"\n",
        b"id,label,x\n1,a," + b"a" * 20_000 + b"\n",
        b"i" * 20_000 + b",label\n1,a\n",
    ],
)
def test_anything_unusual_is_left_to_the_careful_reader(data):
    assert read_clean(data, "file", id_column=None, label_column=None) is None


@pytest.mark.parametrize("digits", range(1, 19))
def test_integers_of_every_length_are_read_digit_by_digit(tmp_path, digits):
    rng = np.random.default_rng(digits)
    numbers = np.unique(rng.integers(10 ** (digits - 1), 10**digits, 500))
    rng.shuffle(numbers)
    path = tmp_path / "x.csv"
    path.write_text("id,label\n" + "".join(f"{number},a\n" for number in [0, *numbers]))
    ids = read_labels(path).ids
    assert ids.dtype == np.int64
    assert ids.tolist() == [0, *numbers.tolist()]


def test_names_that_share_a_slot_are_told_apart(tmp_path):
    names = [f"class-{i}" for i in range(3000)]  # some 68 pairs share one of 65,536 slots
    order = np.random.default_rng(0).permutation(np.repeat(np.arange(3000), 3))
    path = tmp_path / "x.csv"
    path.write_text("id,label\n" + "".join(f"{i},{names[at]}\n" for i, at in enumerate(order)))
    file = read_labels(path)
    assert [file.class_names[label] for label in file.labels] == [names[at] for at in order]
