"""Submissions in files: who sent what when, in which form, and what is no submission."""

import zipfile

import numpy as np
import pytest

from holdfast.detect.reading import SubmissionReader
from holdfast.detect.submissions import read_submissions, unpacked_place
from holdfast.errors import InvalidInput
from holdfast.metrics.registry import parse_metric


def looks_at(place, metric="accuracy"):
    with unpacked_place(place) as folder:
        found = read_submissions(folder, SubmissionReader(parse_metric(metric)))
        looks = [(look.team, look.name, look.read().tolist()) for look in found.looks]
    return looks, found.left_out


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_folder_per_team_is_read_in_the_order_of_names_and_rows_by_id(tmp_path):
    write(tmp_path / "red" / "look10.csv", "id,label\n1,cat\n2,dog\n")
    write(tmp_path / "red" / "look9.csv", "id,label\n2,cat\n1,dog\n")
    write(tmp_path / "blue" / "a.csv", "id,label\n2,emu\n1,cat\n")
    looks, left_out = looks_at(tmp_path)
    assert [look[:2] for look in looks] == [
        ("blue", "a.csv"),
        ("red", "look9.csv"),
        ("red", "look10.csv"),
    ]
    # Rows as in the first file, 2 before 1: emu is new after cat.
    assert [look[2] for look in looks] == [[1, 0], [0, 2], [2, 0]]
    assert not left_out


def test_numbers_in_npy_files_are_classes(tmp_path):
    for team, labels in (("a", [2, 0, 1]), ("b", [3, 0, 1])):
        (tmp_path / team).mkdir()
        np.save(tmp_path / team / "1.npy", np.array(labels))
    assert [look[2] for look in looks_at(tmp_path)[0]] == [[2, 0, 1], [3, 0, 1]]


@pytest.mark.parametrize(
    ("times", "order"),
    [
        (("10", "9", "11.5"), "bac"),
        (("2026-01-02", "2026-01-01T23:59:00", "2026-01-02T00:00:01+00:00"), "bac"),
    ],
)
def test_a_table_says_whose_a_file_is_and_when_it_came(tmp_path, times, order):
    for name in "abc":
        write(tmp_path / "sent" / f"{name}.csv", "label\n0\n1\n")
    rows = [f"{name},team {name},sent/{name}.csv" for name in "abc"]
    lines = [f"{time},{row.partition(',')[2]}" for time, row in zip(times, rows, strict=True)]
    write(tmp_path / "looks.csv", "Time,team,File\n" + "\n".join(lines) + "\n")
    expected = [f"sent/{name}.csv" for name in order]
    for place in (tmp_path, tmp_path / "looks.csv"):
        assert [look[1] for look in looks_at(place)[0]] == expected


def test_a_zip_archive_is_read_as_its_folder_is(tmp_path):
    path = tmp_path / "sent.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for team in ("a", "b"):
            archive.writestr(f"board/{team}/1.csv", "label\n0\n1\n")
    assert [look[0] for look in looks_at(path)[0]] == ["a", "b"]


def test_what_systems_and_editors_put_beside_submissions_is_no_team(tmp_path):
    """A Mac's archive has a folder of its own, which made one team of all teams."""
    path = tmp_path / "sent.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for team in ("a", "b"):
            archive.writestr(f"board/{team}/1.csv", "label\n0\n1\n")
            archive.writestr(f"board/{team}/.cache/1.csv", "label\n0\n1\n")
            archive.writestr(f"__MACOSX/board/{team}/._1.csv", b"\0\5\x16\7")
        archive.writestr("board/.DS_Store", b"")
        archive.writestr("board/.git/1.csv", "label\n0\n1\n")
    looks, left_out = looks_at(path)
    assert [look[:2] for look in looks] == [("a", "1.csv"), ("b", "1.csv")]
    assert not left_out


def test_what_is_left_out_of_an_archive_is_called_by_its_place_in_it(tmp_path):
    path = tmp_path / "sent.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/1.csv", "label\n0\n1\n")
        archive.writestr("a/2.csv", "label\n0\n")
    assert looks_at(path)[1][0][1].startswith("a/2.csv must have 2 rows")


def damaged(path, change):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/1.csv", "label\n" + "0\n1\n" * 500)
    path.write_bytes(change(bytearray(path.read_bytes())))


def encrypted(content):
    """Set the bit of encryption in both headers."""
    for start, at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        content[content.index(start) + at] |= 1
    return content


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: content[:-30], "must be a whole zip archive"),
        (lambda content: content[:50] + bytes(20) + content[70:], "can be unpacked"),
        (encrypted, "must not be encrypted; unpack it"),
    ],
    ids=["cut", "overwritten", "encrypted"],
)
def test_an_archive_that_can_not_be_unpacked_is_refused(tmp_path, change, message):
    damaged(tmp_path / "sent.zip", change)
    with pytest.raises(InvalidInput, match=message):
        looks_at(tmp_path / "sent.zip")


def test_an_empty_archive_is_refused_by_its_own_name(tmp_path):
    zipfile.ZipFile(tmp_path / "sent.zip", "w").close()
    with pytest.raises(InvalidInput, match=r"sent\.zip must hold submissions"):
        looks_at(tmp_path / "sent.zip")


def test_an_archive_leads_to_no_file_outside_of_it(tmp_path):
    write(tmp_path / "secret.csv", "label\n0\n1\n")
    path = tmp_path / "sent.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("looks.csv", "team,time,file\na,1,../secret.csv\n")
    with pytest.raises(InvalidInput, match="must name files of its own folder"):
        looks_at(path)


@pytest.mark.parametrize(
    ("metric", "text", "labels"),
    [
        ("log_loss", "id,cat,dog\n1,0.2,0.8\n2,0.7,0.3\n", [1, 0]),
        ("top_k_accuracy:2", "id,first,second\n1,b,a\n2,a,b\n", [1, 0]),
        ("roc_auc", "id,score\n1,0.7\n2,0.1\n", [1, 0]),
        ("rmse", "id,target\n1,2.5\n2,-1\n", [1, 0]),
        ("hamming_loss", "id,x,y\n1,1,0\n2,1,1\n", [1, 0, 1, 1]),
    ],
)
def test_every_form_of_a_submission_is_judged_by_labels(tmp_path, metric, text, labels):
    write(tmp_path / "a" / "1.csv", text)
    assert looks_at(tmp_path, metric)[0][0][2] == labels


def test_what_could_not_be_scored_is_left_out_with_the_reason(tmp_path):
    for name in ("1.csv", "5.csv", "6.csv"):
        write(tmp_path / "a" / name, "id,label\n1,cat\n2,dog\n")
    write(tmp_path / "a" / "2.csv", "id,label\n1,cat\n")
    write(tmp_path / "a" / "3.csv", "id,label\n1,cat\n3,dog\n")
    write(tmp_path / "a" / "4.csv", "id,label\n1,0\n2,1\n")
    write(tmp_path / "a" / "notes.txt", "mine")
    looks, left_out = looks_at(tmp_path)
    assert [look[1] for look in looks] == ["1.csv", "5.csv", "6.csv"]
    reasons = ["notes.txt must end in .csv", "must have 2 rows", "must have a row for every id",
               "must hold classes as the other"]  # fmt: skip
    for (_, reason), expected in zip(left_out, reasons, strict=True):
        assert expected in reason


def test_a_first_file_that_no_other_fits_is_not_what_the_board_is(tmp_path):
    """It left out all others, and nobody was flagged; a baseline that is read before says more."""
    write(tmp_path / "sent" / "a" / "1.csv", "id,label\n1,cat\n")
    for name in ("2.csv", "3.csv"):
        write(tmp_path / "sent" / "a" / name, "id,label\n1,cat\n2,dog\n")
    message = r"2 of 3 files do not fit a/1\.csv, the first: a/2\.csv must have 1 row.*a baseline"
    with pytest.raises(InvalidInput, match=message):
        looks_at(tmp_path / "sent")
    reader = SubmissionReader()
    reader.labels(tmp_path / "sent" / "a" / "3.csv")
    found = read_submissions(tmp_path / "sent", reader)
    assert [look.name for look in found.looks] == ["2.csv", "3.csv"]
    assert [name for name, _ in found.left_out] == ["a/1.csv"]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "must hold a folder for each team"),
        ({"a/1.csv": "label\n"}, "must hold submissions; "),
        ({"a/1.txt": "label\n0\n"}, r"must hold submissions; 1\.txt must end in \.csv"),
        ({"looks.csv": "team,time,file\na,soon,1.csv\n"}, "must have times as numbers or as"),
        ({"looks.csv": "team,time,file,x\na,soon,1.csv,2\n"}, "must have times"),
        ({"looks.csv": "team,time,file\na,nan,1.csv\na,1,2.csv\n"}, "times that are finite"),
    ],
)
def test_places_without_submissions_are_refused(tmp_path, files, message):
    for name, text in files.items():
        write(tmp_path / name, text)
    with pytest.raises(InvalidInput, match=message):
        looks_at(tmp_path)


def test_a_place_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="must be a folder, a zip archive or a table"):
        looks_at(tmp_path / "nowhere")
