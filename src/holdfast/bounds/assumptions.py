"""What the impossibility bounds take for granted, in sentences that every record carries."""

from __future__ import annotations

__all__ = ["CHOSEN", "EVERYTHING", "INDEPENDENT", "NOTHING_ELSE", "SHOWN", "UNIFORM"]

UNIFORM = "the labels are uniform and independent for the analyst"
INDEPENDENT = "the labels are independent, and the analyst knows no more than their laws"
SHOWN = "every submission shows one of the m labels at every example: no abstentions"
CHOSEN = "all k looks were chosen by the analyst, or by a group that knows every query"
NOTHING_ELSE = "nothing else about the labels is released"

# What a bound for uniform labels assumes if it makes no use of parity.
EVERYTHING = (UNIFORM, CHOSEN, NOTHING_ELSE)
