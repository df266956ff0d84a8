"""Expected CPU time of plays, from the efforts that attacks state.

Rough, and good enough for two uses: saying how long an audit takes before it begins, and weighing
plays in a progress bar, which corrects the machine's speed by the plays that are done.
"""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.audit.scenarios.plays import AnyJob

__all__ = ["expected_seconds"]

# A look costs something however few the examples, and then in proportion to them: seconds, and
# seconds per unit of effort and example, fitted to plays of audits over `benchmarks/audit.py`.
PER_LOOK = 4e-5
PER_EXAMPLE = 2e-10


def expected_seconds(jobs: Iterable[AnyJob], n_examples: int) -> float:
    """Return about how many seconds of one core these plays take.

    A look costs 40 microseconds, and 0.2 nanoseconds per example and unit of effort: a thousand
    looks of an attack of effort 250 at 10,000 labels take half a second.
    """
    return sum(job.looks * (PER_LOOK + PER_EXAMPLE * job.effort * n_examples) for job in jobs)
