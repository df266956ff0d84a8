"""Every bad file gives one clear line and exit code 2, in bounded memory."""

import gzip
import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from holdfast.files import csv_columns, csv_lines

GOOD = b"id,label\n" + b"".join(b"%d,%c\n" % (j, b"ab"[j % 2]) for j in range(40))


def npy(array, **options):
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


def zipped():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("labels.csv", GOOD)
    return stream.getvalue()


def npz():
    stream = io.BytesIO()
    np.savez(stream, labels=np.arange(3))
    return stream.getvalue()


# What the file holds, and a part of the one line that must come out.
KINDS = {
    "empty": (b"", "got an empty file"),
    "blank lines only": (b"\n\n\n", "must name its columns"),
    "spaces only": (b"   ", "must name its columns"),
    "binary": (bytes(range(256)) * 40, "must be UTF-8 text"),
    "random bytes": (np.random.default_rng(0).bytes(5000), "must be"),
    "half a gzip file": (gzip.compress(GOOD * 20)[:-9], "must be a whole gzip file"),
    "zip": (zipped(), "must be"),
    "npz": (npz(), "must be"),
    "png": (b"\x89PNG\r\n\x1a\n" + bytes(100), "must be"),
    "pickle": (b"\x80\x04\x95\x05\x00\x00\x00", "must be"),
    "UTF-16 with a mark": (GOOD.decode().encode("utf-16"), "got UTF-16"),
    "UTF-16 without a mark": (GOOD.decode().encode("utf-16-le"), "got a NUL byte"),
    "UTF-32": (GOOD.decode().encode("utf-32"), "must be"),
    "Latin-1": ("id,label\n1,é\n2,a\n".encode("latin-1"), "must be UTF-8 text"),
    "a mark and nothing else": (b"\xef\xbb\xbf", "must name its columns"),
    "a label of two lines": (b'id,label\n1,"a\nb"\n2,c\n', "must have labels of one line"),
    "a quote that never closes": (b'id,label\n1,"a\n' + GOOD, "must be CSV"),
    "text after a quote": (b'id,label\n1,"a"b\n2,c\n', "must be CSV"),
    "a million columns": (b"c," * 1_000_000 + b"c\n", "must have lines of at most"),
    "many short columns": (b"c," * 200_000 + b"c\n1" + b",2" * 200_000 + b"\n", "found 'c', 'c'"),
    "one endless line": (b"x" * 3_000_000, "must have lines of at most"),
    "duplicate ids": (GOOD + b"7,a\n", "must have distinct ids, got '7'"),
    "a missing id": (GOOD + b",a\n", "got a blank at line"),
    "a missing label": (GOOD + b"99,\n", "must have a label for every example"),
    "NaN as a label": (GOOD + b"99,nan\n", "got NaN"),
    "floats as labels": (b"id,label\n1,0.5\n2,1.5\n", "must hold class names or whole numbers"),
    "integers and floats": (b"id,label\n1,1\n2,2.5\n", "must hold class names or whole numbers"),
    "header only": (b"id,label\n", "got a header only"),
    "no header": (b"1,0\n2,1\n", "must name its columns"),
    "a row too short": (GOOD + b"99\n", "must have 2 values in every row"),
    "a row too long": (GOOD + b"99,a,b\n", "must have 2 values in every row"),
    "three columns without names": (b"a,b,c\n1,2,3\n", "must have a column named label"),
    "a NUL byte": (GOOD + b"9\x00,a\n", "got a NUL byte"),
    "a long id": (b"id,label\n" + b"9" * 5000 + b",a\n", "ids of 1 to 256 characters"),
    "one class": (b"id,label\n1,a\n2,a\n", "must hold at least 2 classes, got 1"),
    "a part with an unknown name": (
        b"id,label,Usage\n1,a,Public\n2,b,Hidden\n",
        "must have Public, Private or Ignored",
    ),
    "private examples only": (b"id,label,split\n1,a,private\n2,b,private\n", "public examples"),
    "JSON": (b'{"labels": [[1], [2]]}\n', "must be JSON or JSON lines of a table"),
    "NPY cut short": (npy(np.arange(1000))[:200], "must be a plain NPY array"),
    "NPY of objects": (npy(np.array([{}, []], dtype=object)), "must be a plain NPY array"),
    "NPY of floats": (npy(np.array([0.0, 1.5])), "must be integers"),
    "NPY with two axes": (npy(np.zeros((3, 3), dtype=int)), "must be one-dimensional"),
    "NPY of nothing": (npy(np.zeros(0, dtype=int)), "must not be empty"),
    "NPY of negative numbers": (npy(np.array([1, -1])), "must hold class numbers from 0 on"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_bad_file_is_one_line_and_exit_code_2(refused, tmp_path, kind):
    content, message = KINDS[kind]
    path = tmp_path / "labels"
    path.write_bytes(content)
    assert message in refused("audit", path)


def test_there_are_more_than_forty_kinds():
    assert len(KINDS) >= 40


def test_a_directory_a_missing_file_and_a_pipe_are_refused(refused, tmp_path):
    assert "got a directory" in refused("audit", tmp_path)
    assert "there is none" in refused("audit", tmp_path / "nothing.csv")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        assert "got a pipe or a device" in refused("audit", tmp_path / "pipe")


def test_a_table_with_too_many_lines_is_refused_before_it_is_read(refused, tmp_path, monkeypatch):
    monkeypatch.setattr(csv_lines, "MOST_LINES", 30)
    # Clean files, which the fast reader takes, are too small for the limit to matter.
    monkeypatch.setattr(csv_columns, "LARGEST_CLEAN_FILE", 0)
    path = tmp_path / "labels.csv"
    path.write_bytes(GOOD)
    assert "must have at most 30 lines, got more." in refused("audit", path)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's account of it")
def test_a_hundred_million_rows_are_refused_in_bounded_memory(tmp_path):
    path = tmp_path / "labels.csv"
    with path.open("wb") as file:
        file.write(b"label\n")
        for _ in range(100):
            file.write(b"1\n" * 1_000_000)
    script = (
        "from holdfast.files.label_files import read_labels\n"
        f"try: read_labels({str(path)!r})\n"
        "except Exception as error: print(error)\n"
        # Not getrusage: its peak would count what this process held when it forked.
        "status = open('/proc/self/status').read()\n"
        "print(int(status.split('VmHWM:')[1].split()[0]) // 1024)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    message, peak = done.stdout.splitlines()
    assert "must have at most 20,000,000 lines" in message
    assert int(peak) < 500  # megabytes; the file alone has 200


# Histories and predictions are files, too.
HISTORIES = {
    "empty": (b"", "must have a column named team"),
    "no score": (b"team,time\na,2026-01-01\n", "must have a column named score"),
    "header only": (b"team,score\n", "must hold at least one submission"),
    "a score that is no number": (b"team,score\na,good\n", "must have scores that are accuracies"),
    "a score above 100": (b"team,score\na,101\n", "must have scores that are accuracies"),
    "a bad time": (b"team,time,score\na,yesterday,0.5\n", "must have times such as"),
    "a blank team": (b"team,score\n,0.5\n", "must name a team in every row"),
    "a short row": (b"team,score\na\n", "must have 2 values in every row"),
    "one endless line": (b"x" * 200_000, "must be a table of short lines"),
    "other bytes": (b"team,score\n\xff,0.5\n", "must be UTF-8 text"),
}


@pytest.mark.parametrize("kind", HISTORIES)
def test_a_bad_history_is_one_line_and_exit_code_2(refused, tmp_path, kind):
    content, message = HISTORIES[kind]
    path = tmp_path / "history.csv"
    path.write_bytes(content)
    assert message in refused("audit", "--history", path)


def test_predictions_of_another_test_set_are_refused(refused, tmp_path):
    (tmp_path / "labels.csv").write_bytes(GOOD)
    short, other = tmp_path / "short.csv", tmp_path / "other.csv"
    short.write_bytes(b"id,label\n0,a\n1,b\n")
    other.write_bytes(GOOD.replace(b"\n7,", b"\n70,"))
    arguments = ("audit", tmp_path / "labels.csv", "--predictions")
    assert "must have 40 predictions, one per label, got 2." in refused(*arguments, short)
    assert "must have the ids of the labels" in refused(*arguments, other)
