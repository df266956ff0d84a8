"""What audits say where two values of an example are all that can be read."""

from dataclasses import replace

import numpy as np

from holdfast import audit as auditing
from holdfast.metrics.display import Display


def asked_for(request_for, hidden, metric, rule, looks, m=2):
    request = request_for(hidden, m=m, looks=auditing.parse_looks(str(looks)), release=rule)
    return replace(request, display=Display.of(metric))


def test_few_numbers_have_no_classes_and_no_points(request_for):
    hidden = np.random.default_rng(0).integers(0, 50, size=60)
    found = auditing.quick_audit(asked_for(request_for, hidden, "mse", "exact", 3, m=50))
    assert "60 rows, numbers to predict, 1 team" in found.header
    (tiny,) = [each for each in found.findings if each.code == "tiny"]
    assert "points" not in tiny.why
    assert "Chance moves mse" in tiny.why


def test_a_quick_audit_says_why_nothing_plays(request_for):
    asked = asked_for(request_for, np.arange(60) % 2, "mae[0,0.9]", "gaussian:0.01", looks=5)
    found = auditing.quick_audit(asked)
    assert not found.gains
    assert found.sentence.startswith("No attack plays under this rule, so nothing was measured: ")
