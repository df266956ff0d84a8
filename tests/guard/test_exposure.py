import numpy as np
import pytest

from holdfast.certificates import certify_histories
from holdfast.guard import Guard, Policy, exposure


def test_a_ledger_shows_every_team_and_all_together(ledger_url):
    labels = np.arange(300) % 3
    guard = Guard(labels, Policy("exact", failed="look"), ledger_url, create=True)
    rng = np.random.default_rng(0)
    for team in ("red", "blue", "red"):
        guard.score(rng.integers(0, 3, 300), team=team)
    with pytest.raises(ValueError, match="prediction must"):
        guard.score([1], team="blue")
    (found,) = exposure(guard.ledger)
    assert (found.looks, found.failed, found.n_examples, found.n_classes) == (3, 1, 300, 3)
    assert [(team.team, team.looks, team.failed) for team in found.teams] == [
        ("blue", 1, 1),
        ("red", 2, 0),
    ]
    assert found.gain == pytest.approx(certify_histories(300, 3, {("exact", "x"): 3}).gain)
    assert found.teams[0].gain < found.teams[1].gain < found.gain
