"""The budget against brute force, on clocks that also run backwards."""

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.guard.budget import allowance
from holdfast.guard.policy import Policy
from holdfast.ledger.moments import DAY, SECOND, Microseconds
from holdfast.ledger.storage.contract import Past

START = 20_000 * DAY


@dataclass
class Looks:
    """The part of a ledger that a budget reads: times of looks, in order."""

    times: list[Microseconds] = field(default_factory=list)

    def data_set_looks(self, data_set):
        return len(self.times)

    def team_past(self, data_set, team, before=None):
        times = [time for time in self.times if before is None or time < before]
        return Past(len(times), times[-1] if times else None)

    def time_of_look(self, data_set, team, look):
        return self.times[look - 1]


policies = st.builds(
    Policy,
    release=st.just("exact"),
    looks_per_team=st.integers(1, 4),
    looks_per_data_set=st.integers(1, 30),
    window=st.sampled_from(["total", "day", "week", "month", "1 day", "36 hours", "20 days"]),
    min_gap=st.sampled_from(["0 seconds", "1 hour", "2 days"]),
)
# Steps of the clock between attempts; some run back by up to forty days.
steps = st.lists(st.integers(-40 * DAY, 40 * DAY) | st.integers(0, DAY), max_size=60)


def play(policy, clocks):
    """Attempt a look at each reading of the clock, as the guard does; return when it looked."""
    ledger = Looks()
    head = 0
    for reading in clocks:
        now = max(reading, head)
        left, opens = allowance(ledger, policy, "d", "t", now)
        if opens is not None and opens <= now:
            assert left >= 1
            ledger.times.append(now)
            head = now
    return ledger.times


@settings(max_examples=300, deadline=None)
@given(policies, steps)
def test_no_clock_gives_more_looks_than_the_policy_in_any_window(policy, steps):
    clocks, reading = [], START
    for step in steps:
        reading += step
        clocks.append(reading)
    times = play(policy, clocks)
    assert times == sorted(times)
    assert len(times) <= policy.looks_per_data_set
    for index, time in enumerate(times):
        inside = [t for t in times[: index + 1] if t >= policy.span.since(time)]
        assert len(inside) <= policy.looks_per_team
        if index:
            assert time - times[index - 1] >= policy.gap


@settings(max_examples=200, deadline=None)
@given(policies, steps)
def test_a_clock_that_jumps_back_gives_no_more_looks_than_one_that_waits(policy, steps):
    clocks, waiting, reading, latest = [], [], START, 0
    for step in steps:
        reading += step
        latest = max(latest, reading)
        clocks.append(reading)
        waiting.append(latest)
    assert len(play(policy, clocks)) <= len(play(policy, waiting))


@settings(max_examples=300, deadline=None)
@given(policies, st.lists(st.integers(0, 20 * DAY), max_size=20), st.integers(0, 40 * DAY))
def test_what_a_look_will_leave_is_what_it_leaves(policy, steps, later):
    times, reading = [], START
    for step in steps:
        reading += step
        times.append(reading)
    ledger = Looks(play(policy, times))
    now = reading + later
    told = allowance(ledger, policy, "d", "t", now, spending=1)
    ledger.times.append(now)
    assert told == allowance(ledger, policy, "d", "t", now)


@settings(max_examples=300, deadline=None)
@given(policies, st.lists(st.integers(0, 20 * DAY), max_size=20), st.integers(0, 40 * DAY))
def test_the_next_allowed_moment_is_the_first_that_is_allowed(policy, steps, later):
    times, reading = [], START
    for step in steps:
        reading += step
        times.append(reading)
    ledger = Looks(play(policy, times))
    now = reading + later
    left, opens = allowance(ledger, policy, "d", "t", now)
    if opens is None:
        for days in (0, 1, 40, 4000):
            assert allowance(ledger, policy, "d", "t", now + days * DAY).opens is None
        assert left == 0
        return
    assert opens >= now
    assert allowance(ledger, policy, "d", "t", opens).opens == opens
    assert allowance(ledger, policy, "d", "t", opens).left >= 1
    if opens > now:
        earlier = allowance(ledger, policy, "d", "t", max(now, opens - SECOND))
        assert earlier.opens == opens
