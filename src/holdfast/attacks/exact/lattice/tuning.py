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

# -- forecasts (`attack`): these decide no game, only which forecasts are played in the head, and
# for how long. Seconds are of a core of 2025. What a game takes and gains beside what they promise:
# python -m benchmarks.lattice forecast --problem 2000,100 --looks 300 [--model constant]

CLUSTER_EFFORT = 10.0
"""Effort, in the sense of `Described.effort`, where looks are too few for all labels of many
classes: most rounds are tests of whole clusters, a twenty-fifth of the usual work."""

SECONDS_PER_EXAMPLE, SECONDS_PER_LABEL_SHOWN = 5e-6, 4e-9
"""Seconds of a game from a model, for each example and for each label of each look. With those
below, games of 500 to 100,000 examples and 20 to 3,000 looks took 0.4 to 1.8 times the sum when
they were chosen."""

SECONDS_PER_LOOK, SECONDS_PER_LOOK_FEW_CLASSES = 1e-4, 4e-4
"""The same for each look: groups are checked, and their number hardly depends on that of the
examples; with few classes a round is planned for each."""

LONGEST_WITH_CLUSTERS = 3.0
"""Times the usual time that a few games of clusters may take: with 60 classes the formula promises
a third too much."""

LONGEST_WITH_MODEL = 10.0
"""Times the usual time that games from a model may take, since nothing else is known of them."""

FEW_POSITIONS, FEW_LOOKS, EXAMPLES_PER_LOOK = 30, 30, 12
"""The measured multiples begin with so many positions and looks. Smaller games are played in the
head, unless there are so many examples per look that hardly any label is found."""

PATIENCE_WITH_FEW = 0.3
"""Times the usual time that such small games may take."""

LONG_GAME_LOOKS, GAMES_OF_A_LONG_GAME = 1000, 2
"""From so many looks on, games from a model or of clusters differ by a few per cent: two do."""

GAIN_SHARE_WITH_MODEL = 0.7
"""What is measured without a model promises up to 1.4 times what is gained with one and many
classes: this share of it orders attacks, and is no forecast."""

LOOKS_MOST_TIMES = 1.5
"""With many classes a game takes up to so many times the looks of the measured multiple, and before
the last of them nothing may be gained."""

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
