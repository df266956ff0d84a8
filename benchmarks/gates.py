"""How often gates let useless candidates pass, and the smallest improvement that passes.

    python -m benchmarks.gates false-passes [LEDGERS]
    python -m benchmarks.gates smallest

The first plays data sets, each with budgets and gates of its own, on which somebody adapts:
programs that are right on half of the tasks by chance are scored, their votes weighted by what was
told, and every vote gated against the baseline, with what the gate said used, too. No program is
better on fresh tasks. One counts as passed if any of its gates passes.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import NotSupported
from holdfast.guard import Guard, Ledger, OutcomeGuard, Policy, gate, gate_verdict
from holdfast.guard.gate_margin import first_share, largest_sum, pair_share
from holdfast.guard.gate_verdict import log_weight, needed_wins

N, ROUNDS, PROBES = 164, 3, 2
FORMS = ("labels", "labels, verdict", "passed or failed", "graded", "three runs")
RULES = ("exact", "round:2", "ladder:0.01", "gaussian:0.01")
CONFIDENCE = 0.95
Program = NDArray[np.int_]


class Doors:
    """One data set in a ledger, and how its hidden tasks are asked in one form."""

    def __init__(self, form: str, rule: str, ledger: Ledger, rng: np.random.Generator) -> None:
        self.form, self.rng = form, rng
        self.truth: Program = rng.integers(2, size=N)
        policy = Policy(rule, looks_per_team=100)
        name = rng.bytes(8).hex()
        self.tasks = [f"{name}-{at}" for at in range(N)]
        self.guard: Guard | OutcomeGuard
        if form.startswith("labels"):
            self.guard = Guard(self.truth, policy, ledger, n_classes=2)
        else:
            between = None if form == "passed or failed" else (0.0, 1.0)
            self.guard = OutcomeGuard(self.tasks, policy, ledger, secret=b"0" * 16, between=between)
        self.ran: dict[bytes, Any] = {}

    def outcomes(self, program: Program) -> Any:
        """Return what is submitted for a program; its runs are drawn once."""
        if self.form.startswith("labels"):
            return program
        right = program == self.truth
        if program.tobytes() not in self.ran:
            if self.form == "passed or failed":
                found: Any = right
            elif self.form == "graded":
                found = np.clip(0.5 + 0.3 * (2 * right - 1) + self.rng.normal(0, 0.1, N), 0, 1)
            else:
                found = (self.rng.random((3, N)) < np.where(right, 0.8, 0.2)).mean(axis=0)
            self.ran[program.tobytes()] = dict(zip(self.tasks, found.tolist(), strict=True))
        return self.ran[program.tobytes()]

    def score(self, program: Program) -> float:
        """Return what the rule tells of a program."""
        told = self.guard.try_score(self.outcomes(program), team="lab").shown
        return 0.5 if told is None else told

    def gate(self, baseline: Program, candidate: Program) -> tuple[bool, float]:
        """Return whether a candidate passes, and how well it looks."""
        pair = self.outcomes(baseline), self.outcomes(candidate)
        if isinstance(self.guard, OutcomeGuard):
            found = self.guard.gate(*pair, team="lab", confidence=CONFIDENCE)
            return found.passed, -found.p_value
        if self.form == "labels, verdict":
            told = gate_verdict(self.guard, *pair, team="lab", confidence=CONFIDENCE)
            return told.passed, -told.p_value
        try:
            decided = gate(self.guard, *pair, team="lab", confidence=CONFIDENCE)
        except NotSupported:  # a Ladder did not tell the baseline's own score
            return False, -1.0
        return decided.passed, decided.improvement or 0.0


def somebody_passes(form: str, rule: str, ledger: Ledger, rng: np.random.Generator) -> bool:
    """Play one data set; return whether any useless candidate passes."""
    doors = Doors(form, rule, ledger, rng)
    baseline: Program = rng.integers(2, size=N)
    probes = int(rng.integers(2)) * PROBES  # in half of the ledgers only gates are asked
    passed, vote = False, np.zeros(N)
    for _ in range(ROUNDS):
        kept = vote
        for _ in range(probes):
            probe = rng.integers(2, size=N)
            vote = vote + np.sign(doors.score(probe) - 0.5) * (2 * probe - 1)
        vote = vote + rng.choice([-0.5, 0.5], N)
        now, better = doors.gate(baseline, (vote > 0).astype(int))
        passed |= now
        worse = better < (0.0 if form == "labels" else -0.5)
        vote = kept if worse else 2 * vote  # what looked no better is forgotten
    return passed


def quick_key(password: bytes, *, salt: bytes, dklen: int = 64, **_: Any) -> bytes:
    """Return a key in no time: a data set's is slow on purpose, and none is guessed here."""
    return hashlib.shake_256(salt + password).digest(dklen)


def false_passes(ledgers: int) -> None:
    """Print how many ledgers let a useless candidate pass, for every rule and form."""
    print(f"{ledgers} data sets of {N} tasks each, {ROUNDS} gates, risk {1 - CONFIDENCE:.2f}")
    shared = Path("/dev/shm")
    hashlib.scrypt = quick_key  # type: ignore[assignment]
    for form in FORMS:
        for rule in RULES:
            passed = 0
            with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as folder:
                ledger = Ledger(Path(folder) / "ledger.db", create=True)
                for number in range(ledgers):
                    rng = np.random.default_rng([number, FORMS.index(form), RULES.index(rule)])
                    passed += somebody_passes(form, rule, ledger, rng)
                ledger.close()
            print(f"{form:18s} {rule:14s} {passed:4d}  {100 * passed / ledgers:.2f} %", flush=True)


def smallest() -> None:
    """Print the smallest improvement that passes where a fifth of the tasks differs."""
    print("in points, of exact scores; a fifth differs; confidence 0.95; g candidates before")
    risk = 1.0 - CONFIDENCE
    print(f"{'n':>5s} {'g':>2s} {'version 0.4':>16s} {'labels now':>11s} {'outcomes now':>13s}")
    for n in (164, 500, 1000):
        differing = n // 5
        for garbage in (0, 1, 3, 8):
            looks, log_n = garbage + 1, math.log(n + 1)
            before = before_now(differing, looks * log_n - math.log(risk * even_share(looks + 1)))
            told, part = looks, pair_share(1, looks + 1)
            if garbage == 0:
                told, part = 0, first_share(0)
            now = largest_sum(differing, told * log_n - math.log(risk * part)) + 1
            failed = math.exp(log_weight(0)) ** garbage * (0.5 if garbage else 1.0)
            wins = needed_wins(differing, risk * failed / ((garbage + 1) * (garbage + 2)))
            shown = [before, now, None if wins is None else 2 * wins - differing]
            cells = ["none" if x is None or x > differing else f"{100 * x / n:.1f}" for x in shown]
            print(f"{n:5d} {garbage:2d} {cells[0]:>16s} {cells[1]:>11s} {cells[2]:>13s}")


def before_now(count: int, nats: float) -> float:
    """Return the sum that had to be exceeded up to version 0.4: Hoeffding's exp(-s^2/2d)."""
    return math.floor(math.sqrt(2.0 * count * nats)) + 1.0


def even_share(look: int) -> float:
    """Return the share of a pair of looks when all with one later look had the same."""
    return 1.0 / (2.0 * look * (look - 1) ** 2)


def main() -> None:
    """Play one of both."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=("false-passes", "smallest"))
    parser.add_argument("ledgers", nargs="?", type=int, default=2000, help="data sets per cell")
    given = parser.parse_args()
    if given.part == "smallest":
        smallest()
    else:
        false_passes(given.ledgers)


if __name__ == "__main__":
    main()
