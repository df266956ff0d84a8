"""Tuned constants of the lattice attack: none of them decides what is right, only how many looks.

They were chosen by the looks that whole games take, most with 10,000 examples; the runs that chose
them are not recorded. What another value of one does is shown by

    python -m benchmarks.lattice vary NAME VALUE [VALUE ...] --problem 10000,10 [--model constant]

which plays the same hidden labels with every value and prints the looks more than with the value
below. Each section names problems on which its constants matter.

With `--problem 1000,10 --trials 5 --seed 7` two of those tried matter much: without shadow prices
a game takes 12 % more looks, with rounds half as long at least (ROUND_SHARE_AT_LEAST 0.15) 28 %
more. Twice or half of GROUP_HITS_AT_MOST, other GROUP_SIZES and a RATE_OVERHEAD of 0.3 more or
less change nothing by more than one in a hundred. So few examples would be better served by other
estimates of the looks to come: TAIL_RATE_START -0.5 takes 3 % fewer.
"""

from __future__ import annotations

# -- which way to go (`attack`): vary ... --problem 2000,16 --model evidence

FEW_CLASSES_AT_MOST = 16
"""Classes up to which positions are worked on one by one (`few_classes`), above in clusters."""

FEW_CLASSES_OF_MANY_POSITIONS, MANY_POSITIONS = 22, 1000
"""The same of so many positions or more, without a model: 100 would take a fifth more looks."""

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

# -- the length of a round (`round_length`): vary ... --problem 10000,10 and --problem 10000,4

RATE_OVERHEAD, RATE_OVERHEAD_FOUR_CLASSES = 0.0, -0.2
"""A round of K rows yields K (log2(K)/2 + overhead) bits, roughly; four classes or fewer: less."""

TAIL_RATE_SLOPE, TAIL_RATE_START, TAIL_RATE_MOST = 0.36, -0.15, 5.2
"""Bits per look of all rounds to come, when 2^x bits are left: start + slope x, at most this."""

TAIL_RATE_START_FROM_PRIOR = -0.4
"""The same where a model's errors are left: groups that are searched take more rounds."""

RATE_AT_LEAST = 0.8
"""Bits per look, at least, in both estimates."""

SLOWDOWN_BY_CLASSES = {2: 1.0, 3: 1.02, 4: 1.1, 5: 1.11, 7: 1.18, 10: 1.27, 13: 1.41, 22: 1.72}
"""Looks of whole games, measured, relative to those of one round (`round_length.one_round`)."""

LOOKS_MORE_TWO_OR_THREE_CLASSES, LOOKS_MORE_PER_CLASS = 2.0, 3.0
"""Looks added to that: a constant up to three classes, so many per class above."""

FIRST_ROUND_SHARE, FIRST_ROUND_ROWS = 0.055, 16
"""Rows of a first round in which groups are only checked: a share of all looks, at least a few."""

ROUND_SHARE_AT_LEAST = 0.3
"""Rows of a round that is not the last, at least, as a share of what one round would take."""

BITS_NEGLIGIBLE = 0.01
"""Share of the bits that a last round may seem to leave, by rounding."""

ROWS_PER_ROUND_LOST = 20
"""Rows by which a round counts as longer while groups are checked, against many short rounds."""

# -- values of blocks, in bits (`packing`, `families`): vary ... --problem 10000,10

SHADOW_PRICES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 10.0)
"""Shadow prices tried for a position that shares a block; the last one rules groups out."""

SHADOW_PRICES_WITH_PRIOR = (0.0, 0.2, 10.0)
"""The same while there are groups to check, of which there are many kinds of blocks."""

SHARED_BLOCK_AT_LEAST = 0.01
"""Value of a block whose positions cost more than it yields: still better than an empty node."""

LOWER_PLACE_LOSS = 0.1
"""What a block loses below another one: the last place of a node suits every block."""

NARROWED_BITS_WORTH = 0.1
"""What a bit left in positions with a label known wrong is worth more: such positions pack well."""

# -- group tests and label differences: vary ... --problem 10000,10 and --problem 10000,3

GROUP_SIZES = (2, 3, 4, 6)
"""Positions that are tested together."""

GROUP_HITS_AT_MOST = 1.6
"""Expected hits of a group test, at most."""

LOCATED_AT_ONCE = 6
"""Size of a group up to which one block tells all its hits."""

ONE_HIT_PARTS = (2, 3, 4, 6, 8, 12, 16)
"""Parts into which a group with one hit is split."""

SIGNED_AT_ONCE = 4
"""Candidates up to which one block resolves a sum: each label is about as likely as neither."""

SUM_SIZES = {3: (2, 3, 4)}
"""How many positions with so many candidates are summed; else 2. Three labels waste nothing."""

TIE_BROKEN_GAIN = 0.2
"""What a block gains that breaks a tie for good: two positions wait for it."""

TIED_AGAIN_GAIN = -0.1
"""What a block gains that may tie two positions once more: both have to wait."""

# -- checks of a prior: vary ... --problem 10000,10 --model constant (or beta, evidence)

CHECK_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
"""Positions that are checked together; few sizes, so that there are few kinds of blocks."""

CHECK_ERRORS_AT_MOST = 3.8
"""Expected errors of the model in a group that is checked, at most."""

CHECK_DISSOLVED_FROM = 40
"""Shortfall from which a group is dissolved: the model was too sure of it."""

DOUBT_LEVELS = 10
"""Levels of doubt: level d holds positions whose label is wrong with probability about 2^-d."""

ASKED_DIRECTLY_AT_MOST = 16
"""Classes up to which a doubtful position can also be asked by itself."""

ONE_ERROR_PARTS = (2, 4, 16)
"""Parts into which a group with one error is split."""

SEARCH_PARTS = (1, 2, 4, 8)
"""Parts of a group of which the wrong one is told along with its label."""

SEARCH_GAIN = 0.1
"""What a search gains: it tells a label before its position is found, and saves a round."""

# -- clusters (`many_classes`): vary ... --problem 2000,100

WRONG_LABEL_LOG_ODDS = -9.0
"""Log-odds against the presumed counts of a cluster below which its hits are located.

A wrong presumption costs a restart of the cluster, caution costs tests: -9 is one in 8,000."""

CANDIDATES_TO_LEAVE = 12
"""Candidates at which positions leave their cluster, and go on by `few_classes`."""

BACKLOG_BITS = 20.0
"""Bits of hits not located from which a cluster's splits take precedence over its next test."""

ROUNDS_PER_CONFIRMATION = 16
"""Rounds between two confirmations."""

HITS_LOCATED_IN_TIME = 0.75
"""Share of the bits of hits for which the first rounds should have capacity."""

SPLIT_PARTS_AT_MOST = 4
"""Parts into which a set with two hits or more is split below a test."""

LAST_SPLIT_CAPACITY = 4
"""Capacity of a node below which one split takes all that is left of it."""
