"""Frames of polars, by the real package; those of pandas and pyarrow are in tests/guard."""

import pytest

polars = pytest.importorskip("polars")
pytest.importorskip("narwhals")

from holdfast.errors import InvalidQuery
from holdfast.guard import Ledger, Policy
from holdfast.guard.adapters.frames import GuardedFrame


def test_polars_frames_are_read_as_the_files_that_they_would_be(tmp_path):
    ledger = Ledger(tmp_path / "l.db", create=True)
    solution = polars.DataFrame({"id": [7, 8, 9, 10], "label": ["a", "b", "a", None]})
    with pytest.raises(ValueError, match="blank"):
        GuardedFrame(solution, Policy("exact"), ledger, id_column="id")
    solution = solution.fill_null("b")
    host = GuardedFrame(solution, Policy("exact"), ledger, id_column="id")
    guess = polars.DataFrame({"label": ["b", "b", "a", "b"], "id": [10, 8, 9, 7]})
    assert host.score(guess, team="blue").released == 0.75
    with pytest.raises(InvalidQuery, match="only known classes"):
        host.score(guess.with_columns(label=polars.lit("c")), team="blue")
