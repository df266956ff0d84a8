"""Scores behind a ledger: every look counted, nothing released that is not recorded."""

from holdfast.guard.exposure import DataSetExposure, TeamExposure, exposure
from holdfast.guard.files import GuardedFile
from holdfast.guard.gate import GateResult, gate
from holdfast.guard.guard import Guard, Receipt
from holdfast.guard.ledger import Ledger, Verification
from holdfast.guard.policy import Policy

__all__ = [
    "DataSetExposure",
    "GateResult",
    "Guard",
    "GuardedFile",
    "Ledger",
    "Policy",
    "Receipt",
    "TeamExposure",
    "Verification",
    "exposure",
    "gate",
]
