"""Which rows a look is scored on."""

import numpy as np
import pytest

from holdfast.errors import InvalidInput
from holdfast.files.label_files import LabelFile
from holdfast.guard.parts import data_sets_of, rows_of_parts, scored_part


def file_with(*usage):
    names = tuple(dict.fromkeys(usage))
    codes = np.array([names.index(name) for name in usage])
    return LabelFile(np.zeros(len(usage), np.uint8), ("a", "b"), None, codes, names)


USAGE = file_with("Public", "Private", "Ignored", "Public", "Private")


@pytest.mark.parametrize(
    ("wanted", "name", "rows"),
    [
        ("auto", "public", [0, 3]),
        ("public", "public", [0, 3]),
        ("private", "private", [1, 4]),
        ("all", "all", [0, 1, 3, 4]),
    ],
)
def test_the_public_part_is_scored_unless_another_one_is_asked_for(wanted, name, rows):
    part = scored_part(rows_of_parts(USAGE), 5, wanted)
    assert (part.name, part.rows.tolist()) == (name, rows)


def test_predictions_are_kept_where_a_private_part_waits_for_the_end():
    kept = [scored_part(rows_of_parts(USAGE), 5, part).keeps for part in ("auto", "private", "all")]
    assert kept == [True, False, False]
    assert not scored_part(rows_of_parts(file_with("public", "ignored")), 2, "auto").keeps


def test_without_a_public_part_all_rows_are_scored():
    for file in (LabelFile(np.zeros(3, np.uint8), ("a", "b")), file_with("test", "test", "dev")):
        part = scored_part(rows_of_parts(file), 3, "auto")
        assert (part.name, part.rows.tolist(), part.keeps) == ("all", [0, 1, 2], False)


def test_a_part_that_is_not_there_is_refused():
    for wanted in ("public", "private"):
        with pytest.raises(InvalidInput, match=f"no Usage or split column, got {wanted}"):
            scored_part({}, 3, wanted)
    with pytest.raises(InvalidInput, match="got private, which has none"):
        scored_part(rows_of_parts(file_with("public")), 1, "private")
    with pytest.raises(InvalidInput, match="must have public examples"):
        rows_of_parts(file_with("Private", "x"))
    with pytest.raises(InvalidInput, match="Public, Private or Ignored"):
        rows_of_parts(file_with("Public", "Hidden"))


def test_every_part_is_a_data_set_and_so_are_all_rows():
    found = [rows.tolist() for rows in data_sets_of(USAGE)]
    assert sorted(found) == [[0, 1, 2, 3, 4], [0, 1, 3, 4], [0, 3], [1, 4], [2]]
    assert [rows.tolist() for rows in data_sets_of(file_with("x", "y"))] == [[0, 1]]
