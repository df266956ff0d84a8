"""What audits of metrics of labels submit where an attack has proved nothing."""

from dataclasses import replace

import numpy as np
import pytest

from holdfast import audit as auditing
from holdfast.audit.metrics.scenarios import metric_scenarios
from holdfast.audit.result import TOTAL
from holdfast.metrics.display import Display
from holdfast.rules import Exact


def labels_of(n, share, seed=0):
    labels = np.zeros(n, dtype=np.uint8)
    labels[: round(n * share)] = 1
    return np.random.default_rng([seed, n]).permutation(labels)


def asked_for(request_for, labels, looks, metric="f1"):
    request = request_for(labels, m=2, looks=auditing.parse_looks(str(looks)))
    return replace(request, display=Display.of(metric))


@pytest.mark.slow
def test_a_board_of_f1_with_equal_classes_is_not_called_safe(request_for, monkeypatch):
    monkeypatch.setattr("holdfast.audit.scenarios.rules.RULES", (Exact(),))
    found = auditing.audit(asked_for(request_for, labels_of(300, 0.5), 20))
    assert found.verdict.word != "SAFE"
    assert found.gains[0].attack == "count-reader, lattice"


def test_equal_classes_are_climbed_from_everything_called_positive(request_for):
    asked = asked_for(request_for, labels_of(300, 0.5), 20)
    names = [each.name for each in metric_scenarios(asked, TOTAL)]
    assert "prior-climb" in names
