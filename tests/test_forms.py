"""Label files as people have them: each form holds what its CSV file would, or is refused."""

import bz2
import gzip
import json
import lzma
import pickle
import warnings
from datetime import date

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from holdfast import read_labels
from holdfast.errors import HoldfastNote, InvalidInput
from holdfast.files import forms
from holdfast.files.forms import read_as
from holdfast.files.tables import read_table

NAMES = ["cat", "Käse", "cat", "dog"]
ROWS = [{"id": at, "label": name} for at, name in enumerate(NAMES, start=7)]
CSV = "id,label\n" + "".join(f"{row['id']},{row['label']}\n" for row in ROWS)
LINES = "\n".join(map(json.dumps, ROWS))
FRAME = pd.DataFrame(ROWS)


def packed(frame):
    sink = pa.BufferOutputStream()
    parquet.write_table(pa.Table.from_pandas(frame, preserve_index=False), sink)
    return sink.getvalue().to_pybytes()


FORMS = {
    "commas": CSV,
    "a byte order mark": "\ufeff" + CSV,
    "semicolons": CSV.replace(",", ";"),
    "semicolons, a mark, Windows lines": "\ufeff" + CSV.replace(",", ";").replace("\n", "\r\n"),
    "semicolons and quotes": '"id";"label, or so"\n7;"cat"\n8;Käse\n9;cat\n10;dog\n',
    "tabs": CSV.replace(",", "\t"),
    "bars": CSV.replace(",", "|"),
    "gzip": gzip.compress(CSV.encode()),
    "gzip of JSON lines": gzip.compress(LINES.encode()),
    "JSON lines": LINES,
    "JSON of rows": json.dumps(ROWS),
    "JSON of rows over many lines": json.dumps(ROWS, indent=2),
    "JSON of columns": json.dumps({"id": [7, 8, 9, 10], "label": NAMES}),
    "JSON of id and label": json.dumps({row["id"]: row["label"] for row in ROWS}),
    **{f"pandas' JSON, {way}": FRAME.to_json(orient=way) for way in ("columns", "split", "table")},
    "Parquet": packed(FRAME),
    "Parquet of categories": packed(FRAME.astype({"label": "category"})),
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form_holds_what_its_csv_file_would(tmp_path, form):
    content = FORMS[form]
    path = tmp_path / "labels"  # what a file is, is told by what is in it
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    found = read_labels(path)
    assert [found.class_names[label] for label in found.labels] == NAMES
    assert found.ids.tolist() == [7, 8, 9, 10]


@pytest.mark.parametrize(
    "frame",
    [FRAME, FRAME.set_index("id"), FRAME.set_index("id")["label"], pa.Table.from_pandas(FRAME)],
    ids=["pandas", "a named index", "a series", "Arrow"],
)
def test_frames_are_read_as_the_files_that_they_would_be(frame):
    found = read_labels(frame)
    assert [found.class_names[label] for label in found.labels] == NAMES
    assert found.ids.tolist() == [7, 8, 9, 10]


REFUSED = {
    "half a gzip file": (gzip.compress(CSV.encode())[:-9], "must be a whole gzip file"),
    "no Parquet behind its mark": (b"PAR1 and more", "must be a Parquet file of flat columns"),
    "Parquet of lists": (
        packed(pd.DataFrame({"id": [1], "label": [["a"]]})),
        "must be a Parquet file of flat columns",
    ),
    "half a JSON text": ('{"id": 1,', "must be JSON or JSON lines of a table"),
    "JSON lines, one broken": (LINES + "\n{", "in row 5"),
    "JSON of columns of lists": ('{"label": [[1], [2]]}', "rows that are no flat objects"),
    "JSON of lists": (json.dumps([{"id": 1, "label": ["a"]}]), "rows that are no flat objects"),
    "JSON without labels": ('[{"id": 1, "label": "a"}, {"id": 2}]', "got a blank at line 3"),
    "JSON without rows": ("[]", "must name its columns"),
    "another encoding": (CSV.encode("cp1252"), "save it as CSV UTF-8, or say its encoding"),
    "a workbook": (
        b"PK\x03\x04" + bytes(40),
        "got an Excel workbook, an archive of arrays or a zip",
    ),
    "an old workbook": (b"\xd0\xcf\x11\xe0" + bytes(40), "save the sheet as CSV UTF-8"),
    "a pickle": (pickle.dumps(FRAME), "a pickle, which is never opened; write Parquet or CSV"),
    "Feather": (b"ARROW1" + bytes(40), "a Feather file; write it as Parquet"),
    "bzip2": (bz2.compress(CSV.encode()), "unpack it, or pack it by gzip"),
    "xz": (lzma.compress(CSV.encode()), "unpack it, or pack it by gzip"),
    "rows without a header": ("7,cat\n8,dog\n", "must name its columns in the first line, got '7'"),
}


@pytest.mark.parametrize("form", REFUSED)
def test_what_holds_no_table_is_refused_in_one_line(tmp_path, form):
    content, message = REFUSED[form]
    path = tmp_path / "labels"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InvalidInput) as refused:
        read_labels(path)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_lines_of_what_is_no_csv_are_those_of_the_file_that_it_would_be(tmp_path):
    path = tmp_path / "labels.jsonl"
    path.write_text('{"id": 1, "label": "a"}\n{"id": 2, "label": null}\n')
    told = "labels.jsonl, as the CSV file that it would be, must have a label for every example"
    with pytest.raises(InvalidInput, match=told):
        read_labels(path)


def test_what_unpacks_to_too_much_is_refused_before_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(forms, "LARGEST_UNPACKED", 1 << 20)
    path = tmp_path / "labels.gz"
    path.write_bytes(gzip.compress(bytes(2 << 20)))
    with pytest.raises(InvalidInput, match="must unpack to at most"):
        read_labels(path)


def test_what_is_sent_as_bytes_is_not_unpacked(tmp_path):
    """Somebody else may have sent it."""
    path = tmp_path / "labels.gz"
    path.write_bytes(gzip.compress(CSV.encode()))
    with path.open("rb") as sent, pytest.raises(InvalidInput, match="must be"):
        read_labels(sent)


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "latin1", "utf-8"])
def test_text_is_read_in_the_encoding_that_is_said(tmp_path, encoding):
    path = tmp_path / "labels.csv"
    path.write_bytes(CSV.replace(",", ";").encode(encoding))
    with read_as(encoding):
        assert read_labels(path).class_names == ("Käse", "cat", "dog")
    np.save(tmp_path / "labels.npy", np.array([0, 1]))
    with read_as(encoding):
        assert read_labels(tmp_path / "labels.npy").n_examples == 2


def test_an_encoding_that_nobody_knows_is_refused():
    with pytest.raises(InvalidInput, match="encoding must be one that Python knows"), read_as("x"):
        pass


@pytest.mark.parametrize("name", ["target", "answer", "y", "Class"])
def test_a_column_of_labels_by_another_name_is_taken_with_a_note(tmp_path, name):
    path = tmp_path / "labels.csv"
    path.write_text(f"id,text,{name}\n1,x,0\n2,y,1\n")
    with pytest.warns(HoldfastNote, match=f"the labels are the column '{name}'"):
        assert read_labels(path).labels.tolist() == [0, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_labels(path, label_column="text").class_names == ("x", "y")


def test_tables_of_numbers_come_in_every_form_too(tmp_path):
    frame = pd.DataFrame({"id": [1, 2], "cat": [0.25, 1.0], "dog": [0.75, 0.0]})
    path = tmp_path / "scores.parquet"
    path.write_bytes(packed(frame))
    table = read_table(path)
    assert (table.columns, table.cells.tolist()) == (("cat", "dog"), [[0.25, 0.75], [1.0, 0.0]])
    assert read_table(frame).cells.tolist() == table.cells.tolist()


def test_what_is_neither_a_file_nor_a_frame_is_refused():
    for wrong in (3, [0, 1], date(2026, 1, 1)):
        with pytest.raises(InvalidInput, match="must be a data frame"):
            read_labels(wrong)
