"""Rows as tables: what is read is what was written."""

import pytest

from holdfast.errors import InvalidInput
from holdfast.sweeps import Experiment, read_rows, run, to_frame, write_rows


@pytest.fixture(scope="module")
def rows():
    return list(
        run(Experiment(["constant", "lattice"], ["exact", "round:1"], problems=[(90, 3, 7)]))
    )


def test_a_frame_has_a_line_per_row_and_the_public_names(rows):
    frame = to_frame(rows)
    assert len(frame) == len(rows) == 4
    for name in (
        "attack",
        "rule",
        "n_examples",
        "n_classes",
        "n_queries",
        "seed",
        "gain",
        "looks",
        "seconds",
        "peak_memory_bytes",
        "version",
        "error",
    ):
        assert name in frame.columns


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_table_comes_back(rows, kind, tmp_path):
    pd = pytest.importorskip("pandas")
    path = tmp_path / f"rows.{kind}"
    write_rows(rows, path)
    frame = getattr(pd, f"read_{kind}")(path)
    assert frame["address"].tolist() == [row["address"] for row in rows]
    assert frame["gain"].tolist() == pytest.approx(
        [float("nan") if row["gain"] is None else row["gain"] for row in rows], nan_ok=True
    )


def test_lines_come_back_whole(rows, tmp_path):
    """Also as a table: numbers are numbers, and nothing is None."""
    for kind in ("jsonl", "csv", "parquet"):
        path = tmp_path / f"rows.{kind}"
        write_rows(rows, path)
        assert read_rows(path) == rows
        assert {type(row["matches"]) for row in read_rows(path)} == {int, type(None)}


def test_other_files_are_refused(rows, tmp_path):
    with pytest.raises(InvalidInput, match="must end in one of"):
        write_rows(rows, tmp_path / "rows.xlsx")
    with pytest.raises(InvalidInput, match="must be a file of rows, but there is none"):
        read_rows(tmp_path / "missing.jsonl")
    (tmp_path / "other.csv").write_text("id,label\n1,2\n")
    with pytest.raises(InvalidInput, match="there is no column address"):
        read_rows(tmp_path / "other.csv")
    (tmp_path / "other.parquet").write_text("no Parquet")
    with pytest.raises(InvalidInput, match="can't be read"):
        read_rows(tmp_path / "other.parquet")
    with pytest.raises(InvalidInput, match="there is no folder"):
        write_rows(rows, tmp_path / "missing" / "rows.csv")
    (folder := tmp_path / "folder.csv").mkdir()
    with pytest.raises(InvalidInput, match="it is a folder"):
        write_rows(rows, folder)
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(InvalidInput, match="has no rows"):
        read_rows(tmp_path / "empty.jsonl")
