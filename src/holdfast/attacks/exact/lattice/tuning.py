"""Tuned constants of the lattice attack: none of them decides what is right, only how many looks.

They were chosen by the looks that whole games take; the runs that chose them are not recorded. What
another value of one does is shown by

    python -m benchmarks.lattice vary NAME VALUE [VALUE ...] --problem 2000,100 [--model constant]

which plays the same hidden labels with every value and prints the looks more than with the value
below. Each section names problems on which its constants matter. Those of rounds of single
positions are beside what they decide: `rounds.lengths`, `rounds.packing`, `rounds.checks`.
"""

from __future__ import annotations

# -- which way to go (`attack`): vary ... --problem 2000,16 --model evidence

FEW_CLASSES_AT_MOST, FEW_CLASSES_OF_MANY_POSITIONS = 16, 26
"""Classes up to which positions are worked on one by one (`rounds`), above in clusters: whatever
their number, and with many of them and no model."""

FEW_CLASSES_BASE, FEW_CLASSES_PER_DECADE = 7.0, 6.0
"""Between these: a + b log10 of the positions. Clusters and rounds take the same looks, within 2 %,
at (100, 19), (300, 22), (1000, 25) and (3000, 28)."""

TRUSTED_FROM = 0.55
"""Probability from which a model's label is checked instead of asked."""

LABELS_RANKED = 16
"""Labels of a prior that are put in order of probability."""

CLUSTER_ROUNDS_AT_LEAST = 25
"""Rounds that clusters should have: in the first ten or so nothing is located yet."""

CLUSTER_SHARE = 0.6
"""Positions of a cluster for each class, if there are too few looks for all positions."""

CLUSTER_TRIES = 8
"""Times that clusters may fail before the answers are taken to be no exact counts."""

# -- clusters (`many_classes`): vary ... --problem 2000,100

WRONG_LABEL_LOG_ODDS = -9.0
"""Log-odds against the presumed counts of a cluster below which its hits are located.

A wrong presumption costs a restart of the cluster, caution costs tests: -9 is one in 8,000."""

CANDIDATES_TO_LEAVE = 12
"""Candidates at which positions leave their cluster, and go on by `rounds`."""

BACKLOG_BITS = 20.0
"""Bits of hits not located from which a cluster's splits take precedence over its next test."""

ROUNDS_PER_CONFIRMATION = 16
"""Rounds between two confirmations."""

HITS_LOCATED_IN_TIME = 0.75
"""Share of the bits of hits for which the first rounds should have capacity."""

LAST_SPLIT_CAPACITY = 4
"""Capacity of a node below which one split takes all that is left of it."""
