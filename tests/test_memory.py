"""Files that ask for more memory than they hold: one line each, in little memory."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from holdfast.errors import InvalidInput
from holdfast.files import name_columns
from holdfast.files.label_files import read_labels
from holdfast.guard import Guard, Policy

MOST_MEGABYTES = 500

# Run in a process of its own, since memory once taken counts for ever.
READ = """
import sys
from holdfast.errors import InvalidInput
from holdfast.guard import Policy
from holdfast.files.label_files import read_labels
try:
    (Policy.read if sys.argv[1] == "policy" else read_labels)(sys.argv[2])
    print("read")
except InvalidInput as error:
    print(error)
# Not getrusage: its peak would count what the parent held when it forked.
status = open("/proc/self/status").read()
print(int(status.split("VmHWM:")[1].split()[0]) // 1024)
"""


def read_apart(kind, path):
    """Return what a process of its own says of a file, and its peak of memory in megabytes."""
    done = subprocess.run(
        [sys.executable, "-c", READ, kind, str(path)],
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    assert done.stderr == ""
    message, peak = done.stdout.splitlines()
    return message, int(peak)


def npy_with_header(path, header, body=b""):
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + body)
    return path


def test_a_label_of_sixty_million_is_no_class_of_a_file(tmp_path):
    np.save(tmp_path / "truth.npy", np.array([0, 60_000_000]))
    with pytest.raises(InvalidInput, match=r"must lie below 1,000,000, got 60000000 at position 1"):
        read_labels(tmp_path / "truth.npy")


def test_a_label_of_sixty_million_is_no_class_of_a_guard(tmp_path):
    policy = Policy("exact")
    with pytest.raises(InvalidInput, match=r"labels must lie below 1,000,000, got 60000000"):
        Guard([0, 60_000_000], policy, tmp_path / "ledger.db")
    with pytest.raises(InvalidInput, match=r"n_classes must be at most 1,000,000, got 60000001"):
        Guard([0, 60_000_000], policy, tmp_path / "ledger.db", n_classes=60_000_001)
    assert not (tmp_path / "ledger.db").exists()


def test_names_of_no_letters_are_refused_before_they_are_counted(tmp_path):
    header = b"{'descr': '<U0', 'fortran_order': False, 'shape': (500000000,), }"
    path = npy_with_header(tmp_path / "truth.npy", header)
    with pytest.raises(InvalidInput, match=r"must hold labels, got values of no bytes\.$"):
        read_labels(path)


def test_classes_beyond_the_limit_are_refused_at_the_row_that_brings_them(tmp_path, monkeypatch):
    monkeypatch.setattr(name_columns, "MOST_CLASSES", 3)
    path = tmp_path / "truth.csv"
    path.write_text('id,label\n1,"a"\n2,b\n3,a\n4,c\n5,d\n')
    with pytest.raises(InvalidInput, match=r"must have at most 3 classes, got another at line 6"):
        read_labels(path)
    monkeypatch.setattr(name_columns, "MOST_CLASSES", 4)
    assert read_labels(path).n_classes == 4
    monkeypatch.setattr(name_columns, "MOST_LETTERS", 3)
    with pytest.raises(InvalidInput, match=r"class names of at most 3 characters in all, got more"):
        read_labels(path)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's account of it")
def test_each_file_that_once_took_gigabytes_is_refused_in_half_a_gigabyte(tmp_path):
    np.save(tmp_path / "label.npy", np.array([0, 60_000_000]))
    header = b"{'descr': '<U0', 'fortran_order': False, 'shape': (500000000,), }"
    npy_with_header(tmp_path / "empty.npy", header)
    with (tmp_path / "classes.csv").open("wb") as file:
        file.write(b"id,label\n")
        for start in range(0, 6_000_000, 100_000):
            file.write(b"".join(b"%d,c%d\n" % (i, i) for i in range(start, start + 100_000)))
    cases = {
        ("labels", tmp_path / "label.npy"): "must lie below 1,000,000, got 60000000",
        ("labels", tmp_path / "empty.npy"): "must hold labels, got values of no bytes",
        ("labels", tmp_path / "classes.csv"): "must have at most 1,000,000 classes",
        ("labels", Path("/dev/zero")): "must be a regular file",
        ("policy", Path("/dev/zero")): "must be a regular file",
    }
    for (kind, path), wanted in cases.items():
        message, peak = read_apart(kind, path)
        assert wanted in message
        assert peak < MOST_MEGABYTES, (path, peak)
