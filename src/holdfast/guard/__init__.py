"""Scores behind a ledger: every look counted, nothing released that is not recorded."""

from holdfast.guard.closing import close
from holdfast.guard.exposure import DataSetExposure, TeamExposure, exposure
from holdfast.guard.files import GuardedFile
from holdfast.guard.finals import Final, Finals
from holdfast.guard.gate import GateResult, gate
from holdfast.guard.gate_verdict import Verdict, gate_verdict
from holdfast.guard.guard import Guard
from holdfast.guard.oracle import GuardOracle
from holdfast.guard.outcomes import OutcomeGuard
from holdfast.guard.policy import Policy
from holdfast.guard.receipt import Receipt
from holdfast.ledger.chain import Ledger, Verification

__all__ = [
    "DataSetExposure",
    "Final",
    "Finals",
    "GateResult",
    "Guard",
    "GuardOracle",
    "GuardedFile",
    "Ledger",
    "OutcomeGuard",
    "Policy",
    "Receipt",
    "TeamExposure",
    "Verdict",
    "Verification",
    "close",
    "exposure",
    "gate",
    "gate_verdict",
]
