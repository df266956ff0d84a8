"""The numbers of `audit` are those of `matrix` and `attack` for the same seed."""

import numpy as np
import pytest

from holdfast.audit.fractions import in_fractions
from holdfast.audit.inputs.disclosure import rounding_unit_for
from holdfast.experiments.summary import Mean

N, M, LOOKS, SEED = 300, 3, 24, 11


@pytest.fixture
def truth(tmp_path):
    path = tmp_path / "truth.csv"
    labels = np.random.default_rng(4).integers(M, size=N)
    path.write_text("id,label\n" + "".join(f"x{j:04},c{y}\n" for j, y in enumerate(labels)))
    return path


def overlap(one, other):
    return one["low"] <= other["high"] and other["low"] <= one["high"]


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param("round:2", marks=pytest.mark.slow),
        *(pytest.param(rule, marks=pytest.mark.long) for rule in ("exact", "ladder:0.01")),
    ],
)
def test_audit_matrix_and_attack_agree(holdfast, truth, rule):
    seeded = ("--seed", SEED, "--processes", 1, "--json")
    audited = holdfast("audit", truth, "--rule", rule, "--looks", LOOKS, *seeded).json
    trials = audited["reproduce"]["trials"]
    sizes = ("--labels", truth, "--looks", LOOKS, "--trials", trials)
    matrix = holdfast("matrix", *sizes, "--rule", rule, *seeded).json
    unit = rounding_unit_for(N, M)

    def rounded(bias):
        interval = unit.interval(Mean(bias["mean"], bias["stderr"]), trials)
        return in_fractions(interval)

    gains = {(gain["attack"], gain["setting"]): gain["gain"] for gain in audited["gains"]}
    compared = 0
    for cell in matrix["cells"]:
        if cell["accounts"] == 1 and cell["bias"] is not None:
            assert gains[cell["attack"], "features"] == rounded(cell["bias"])
            compared += 1
    assert compared >= 5
    strongest = [(name, gain) for (name, setting), gain in gains.items() if setting == "features"]
    summary, verdict = matrix["rules"][0], audited["verdict"]
    if "," not in summary["strongest"]:
        best = max(gain["mean"] for _, gain in strongest if gain is not None)
        assert dict(strongest)[summary["strongest"]]["mean"] == best
        assert overlap(rounded(summary["bias"]), dict(strongest)[summary["strongest"]])
    # Who is reported was played again, with trials that chose nobody: near what it had here.
    assert overlap(verdict["gain"], gains[verdict["attack"], verdict["setting"]])
    if rule == "exact":
        for name in ("block-majority", "naive-bayes"):
            played = holdfast("attack", name, *sizes, "--without-features", *seeded).json
            assert gains[name, "no features"] == rounded(played["bias"])
