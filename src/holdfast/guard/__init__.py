"""Scores behind a ledger: every look counted, nothing released that is not recorded."""

from holdfast.guard.guard import Guard, Receipt
from holdfast.guard.ledger import Ledger, Verification
from holdfast.guard.policy import Policy

__all__ = ["Guard", "Ledger", "Policy", "Receipt", "Verification"]
