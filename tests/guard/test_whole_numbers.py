"""Labels and predictions that are whole numbers, however a program writes them."""

import numpy as np
import pytest

from holdfast.errors import InvalidQuery
from holdfast.guard import Guard, GuardedFile, Ledger, Policy
from holdfast.guard.adapters.frames import GuardedFrame

pd = pytest.importorskip("pandas")
LABELS = [0, 1, 1, 0]


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "ledger.db", create=True)


@pytest.mark.parametrize(
    "right", [[0.0, 1.0, 1.0, 0.0], [False, True, True, False], np.array(LABELS, dtype=object)]
)
def test_a_guard_takes_floats_and_truth_values(ledger, right):
    guard = Guard(np.array(LABELS, dtype=float), Policy("exact"), ledger)
    assert guard.score(right, team="blue").released == 1.0
    assert guard.problem.n_classes == 2


@pytest.mark.parametrize("value", [1.5, np.inf, np.nan])
def test_a_guard_refuses_what_is_no_whole_number(ledger, value):
    guard = Guard(LABELS, Policy("exact"), ledger)
    with pytest.raises(InvalidQuery, match=r"must be integers, got (1\.5|inf|NaN) at position 1"):
        guard.score([0.0, value, 1.0, 0.0], team="blue")


@pytest.mark.parametrize(
    "types", [{"label": float}, {"label": bool}, {"label": "Int64"}, {"id": float, "label": str}]
)
def test_a_frame_matches_in_every_type(ledger, types):
    solution = pd.DataFrame({"id": [1, 2, 3, 4], "label": LABELS})
    host = GuardedFrame(solution, Policy("exact"), ledger, id_column="id")
    assert host.score(solution.astype(types), team="blue").released == 1.0


@pytest.mark.parametrize("types", [{"label": float}, {"label": bool}, {"id": float}])
@pytest.mark.parametrize("hidden", [{}, {"label": float}, {"label": bool}, {"id": float}])
def test_a_file_matches_in_every_type(ledger, tmp_path, hidden, types):
    frame = pd.DataFrame({"id": [1, 2, 3, 4], "label": LABELS})
    frame.astype(hidden).to_csv(tmp_path / "truth.csv", index=False)
    frame[::-1].astype(types).to_csv(tmp_path / "guess.csv", index=False)
    host = GuardedFile(tmp_path / "truth.csv", Policy("exact"), ledger, shared=True)
    assert host.score(tmp_path / "guess.csv", team="blue").released == 1.0
