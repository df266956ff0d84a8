"""Look budgets: looks left and the time of the next one, and what is refused beyond them."""

from __future__ import annotations

from typing import NamedTuple

from holdfast.errors import BudgetExhausted
from holdfast.guard.policy import Policy
from holdfast.guard.windows import Calendar, Rolling, Total, Window
from holdfast.ledger.moments import DAY, Microseconds, as_datetime
from holdfast.ledger.storage import Transaction

__all__ = [
    "Allowance",
    "allowance",
    "memory_budget",
    "refuse_more_refusals",
    "refuse_unless_allowed",
    "refuse_unless_two_allowed",
]


class Allowance(NamedTuple):
    """What a policy leaves to a team at one moment.

    Attributes
    ----------
    left
        Looks it still has in the present window; 0 when the data set's own budget is spent.
    opens
        The first moment at which its next look is allowed, which is now or earlier if it may
        look now; None: never.
    """

    left: int
    opens: Microseconds | None


def allowance(
    ledger: Transaction,
    policy: Policy,
    data_set: str,
    team: str,
    now: Microseconds,
    *,
    spending: int = 0,
) -> Allowance:
    """Return what the policy leaves to the team, from what the ledger has recorded.

    With `spending` = 1 it is what will be left when a look at this moment has been recorded.

    Looks are numbered, so the k-th next look is allowed exactly when the look with the number
    (spent - budget + k) has left the window: nothing is counted twice and nothing is summed.
    """
    spent, last = ledger.team_past(data_set, team)
    everyone = policy.looks_per_data_set - ledger.data_set_looks(data_set) - spending
    if everyone <= 0:
        return Allowance(0, None)
    in_window = spent
    if spent and not isinstance(policy.span, Total):
        in_window -= ledger.team_past(data_set, team, before=policy.span.since(now)).looks
    if spending:
        spent, last, in_window = spent + 1, now, in_window + 1
    left = min(max(policy.looks_per_team - in_window, 0), everyone)
    opens = now if last is None else max(now, last + policy.gap)
    if in_window >= policy.looks_per_team:
        number = spent - policy.looks_per_team + 1
        if last is not None and number == spent:
            freed = policy.span.frees(last)
        else:
            freed = policy.span.frees(ledger.time_of_look(data_set, team, number))
        if freed is None:
            return Allowance(0, None)
        opens = max(opens, freed)
    return Allowance(left, opens)


def memory_budget(policy: Policy) -> int:
    """Return how many looks one memory of the rule can have at most, while the board runs.

    A rule that spreads its parts over the looks spreads them over these: a team's, or everyone's.
    Where a window renews a team's looks and the policy does not say for how many days, only the
    budget of the data set limits them.

    >>> memory_budget(Policy("split:10")), memory_budget(Policy("split:10", memory="data_set"))
    (100, 10000)
    >>> memory_budget(Policy("split:10", looks_per_team=5, window="day", days=30))
    155
    """
    everyone, windows = policy.looks_per_data_set, 1
    if policy.memory == "data_set":
        return everyone
    if not isinstance(policy.span, Total):
        if policy.days is None:
            return everyone
        windows = _most_windows(policy.span, policy.days * DAY)
    return min(everyone, policy.looks_per_team * windows)


def _most_windows(window: Window, time: Microseconds) -> int:
    """Return how many windows a span of time can touch."""
    if isinstance(window, Rolling):
        return -(-time // window.span)
    shortest = {"day": 1, "week": 7, "month": 28}
    length = shortest[window.period] * DAY if isinstance(window, Calendar) else time
    return -(-time // length) + 1


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


def refuse_unless_two_allowed(
    ledger: Transaction, policy: Policy, data_set: str, team: str, now: Microseconds
) -> None:
    """Raise `BudgetExhausted` unless the team may look twice at this moment."""
    refuse_unless_allowed(ledger, policy, data_set, team, now)
    left, opens = allowance(ledger, policy, data_set, team, now, spending=1)
    if left >= 1 and opens == now:
        return
    if policy.gap:
        reason = f"the policy wants {policy.min_gap} between them; score one of the two first"
    else:
        reason = f"{team} has one left"
    at = None if opens is None else as_datetime(opens)
    raise BudgetExhausted(f"two looks at once are needed, and {reason}.", next_allowed_at=at)


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
