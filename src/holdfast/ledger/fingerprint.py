"""Fingerprints: all that a ledger knows of labels, a name, a check, and the key that signs."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Fingerprint"]


@dataclass(frozen=True, repr=False)
class Fingerprint:
    """A label set's name in a ledger, and a key that only its owner can compute.

    Attributes
    ----------
    data_set
        The name, in hexadecimal: the same for the same labels in the same ledger.
    coding
        A check of how the classes are numbered: the rule's stored state is in these numbers.
    key
        Derived from the labels and never stored: it seals what the ledger keeps for the rule.
    """

    data_set: str
    coding: str
    key: bytes

    def __repr__(self) -> str:
        return f"Fingerprint({self.data_set})"
