"""Refusals: looks that the policy does not allow now, and submissions that can't be scored."""

from __future__ import annotations

from holdfast.errors import BudgetExhausted
from holdfast.guard.budget import allowance
from holdfast.guard.policy import Policy
from holdfast.ledger.moments import Microseconds, as_datetime
from holdfast.ledger.storage import Transaction

__all__ = ["refuse_more_refusals", "refuse_unless_allowed"]


def refuse_unless_allowed(
    ledger: Transaction, policy: Policy, data_set: str, team: str, now: Microseconds
) -> None:
    """Raise `BudgetExhausted` unless the team may look now."""
    left, opens = allowance(ledger, policy, data_set, team, now)
    if opens is None:
        raise BudgetExhausted(f"all looks of {team} on this data set are used up.")
    if opens > now or left < 1:
        at = as_datetime(opens)
        raise BudgetExhausted(
            f"{team} may look again at {at.isoformat(timespec='seconds')}.",
            next_allowed_at=at,
        )


def refuse_more_refusals(
    ledger: Transaction, policy: Policy, data_set: str, team: str, now: Microseconds
) -> None:
    """Raise `BudgetExhausted` if the team has had its refusals for this window."""
    limit, since = policy.refusals_per_team, policy.span.since(now)
    count = ledger.refusals(data_set, team, since)
    if count < limit:
        return
    oldest = ledger.time_of_refusal(data_set, team, since, count - limit)
    freed = policy.span.frees(oldest)
    at = None if freed is None else as_datetime(freed)
    told = "" if at is None else f" until {at.isoformat(timespec='seconds')}"
    raise BudgetExhausted(
        f"{limit} submissions of {team} could not be scored; no more are read{told}.",
        next_allowed_at=at,
    )
