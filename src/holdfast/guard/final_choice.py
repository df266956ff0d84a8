"""Final choices: the looks that a team names for the final result."""

from __future__ import annotations

from holdfast.errors import InvalidInput
from holdfast.guard.data_set import DataSet
from holdfast.ledger.entry import Entry
from holdfast.ledger.kept_predictions import KEPT_PREFIX
from holdfast.ledger.storage import Transaction
from holdfast.quoting import quoted

__all__ = ["is_new_choice", "look_to_choose"]


def look_to_choose(
    ledger: Transaction, found: DataSet, team: str, receipt_id: str, *, keeps: bool
) -> Entry:
    """Return the look of a receipt, if this team may name it.

    `keeps` says that the private part decides at the end: then a look counts only if its prediction
    of the private examples was kept.

    Raises
    ------
    InvalidInput
        Not a look of this team on this data set, or one at the public examples alone.
    """
    look = _find_look(ledger, receipt_id)
    if look is None or look.data_set != found.name or look.team != team:
        raise InvalidInput(f"receipt_id must be a look of {team}, got {quoted(receipt_id)}.")
    if keeps and not look.prediction.startswith(KEPT_PREFIX):
        raise InvalidInput(
            "receipt_id must be a look at the whole test set, got "
            f"{quoted(receipt_id)}, a look at the public examples alone: its prediction "
            "was not kept for the private ones."
        )
    return look


def is_new_choice(
    ledger: Transaction, found: DataSet, team: str, receipt_id: str, *, at_most: int
) -> bool:
    """Return whether the look is not among the team's choices yet.

    Naming the same look again changes nothing, and uses no choice up.

    Raises
    ------
    InvalidInput
        It would be one choice more than the policy allows.
    """
    chosen = ledger.choices(found.name, team)
    if receipt_id in (choice.detail for choice in chosen):
        return False
    if len(chosen) >= at_most:
        raise InvalidInput(f"final choices must be at most {at_most}, got another one from {team}.")
    return True


def _find_look(ledger: Transaction, receipt_id: str) -> Entry | None:
    number = receipt_id.partition("-")[0]
    entry = ledger.entry(int(number)) if number.isdecimal() and len(number) < 19 else None
    return entry if entry and entry.receipt_id == receipt_id and entry.kind == "look" else None
