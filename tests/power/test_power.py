"""No attack has become weaker: each cell's mean is at least what it was, but for chance."""

import pytest

from tests.power.cells import CELLS, Audited, Game
from tests.power.records import read

RECORDS = read()


def _takes_longer(cell):
    """Audits play a whole suite; a plan under a model or rounding rehearses every attack."""
    if isinstance(cell, Audited):
        return cell.groups or cell.metric.startswith(("f1", "top_k", "roc"))
    if isinstance(cell, Game) and cell.attack == "auto":
        return cell.board.accuracy is not None or cell.board.rule.startswith(("round", "gauss"))
    return False


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if _takes_longer(cell) else (), id=name)
        for name, cell in CELLS.items()
    ],
)
def test_the_gain_is_no_less_than_recorded(name):
    cell, record = CELLS[name], RECORDS[name]
    found = cell.played().mean
    better = found - record["mean"] if cell.higher_is_better else record["mean"] - found
    assert better >= -record["tolerance"]


def test_every_record_is_of_a_cell():
    assert list(RECORDS) == list(CELLS)
