"""Targets with decimals: audited as whole numbers of their last one, told in their own unit."""

import numpy as np
import pytest

from holdfast import audit as auditing
from holdfast.audit.metrics.scenarios import metric_scenarios
from holdfast.audit.metrics.units import unit_for
from holdfast.audit.result import TOTAL

LOOKS = 40


@pytest.fixture
def board(tmp_path):
    def read(metric, per_one, rule="exact"):
        path = tmp_path / f"{per_one}.csv"
        values = np.random.default_rng(4).integers(-300, 300, 60) / per_one
        path.write_text("id,price\n" + "".join(f"{at},{x:g}\n" for at, x in enumerate(values)))
        return auditing.read_request(path, metric=metric, looks=str(LOOKS), mechanism=rule)

    return read


def played(board):
    first = metric_scenarios(board, TOTAL)[0]
    return first.job(board.rule, LOOKS, 0).played(board)


@pytest.mark.parametrize(("metric", "degree"), [("mae", 1), ("rmse", 1), ("mse", 2), ("r2", 0)])
def test_cents_and_euros_are_one_board(board, metric, degree):
    cents, euros = board(metric, 1), board(metric, 100)
    assert (cents.per_one, euros.per_one) == (1, 100)
    assert played(cents).bias == pytest.approx(100.0**degree * played(euros).bias)
    assert unit_for(cents).constant == pytest.approx(100**degree * unit_for(euros).constant)
    assert str(euros.metric) == metric


@pytest.mark.parametrize(("rule", "reads"), [("round:6", True), ("round:2", False)])
def test_a_rule_rounds_errors_of_the_targets_themselves(board, rule, reads):
    found = played(board("mae", 100, rule))
    assert (found.reason is None) == reads
    assert (found.bias > 0) == reads


def test_a_clipped_error_is_cut_off_where_it_says(board):
    euros = board("mae[0,2]", 100)
    assert (euros.metric.low, euros.metric.high) == (0.0, 2.0)
    assert euros.metric.score(euros.hidden, euros.hidden + 500) == 2.0


def test_arrays_of_targets_may_have_decimals_and_signs(tmp_path):
    path = tmp_path / "targets.npy"
    np.save(path, np.array([-1.5, 0.25, 3.0] * 20))
    found = auditing.read_request(path, metric="mae", looks="5")
    assert found.hidden[:3].tolist() == [-150.0, 25.0, 300.0]
