r"""Attacks on boards that show other numbers than one accuracy, one line each.

Write x[i, c] = 1 if example i has label c, or if its target is c. For a given submission, and with
public class sizes, the value of every metric here is affine in x, or a known function of what is:

    value = a + sum over i, c of w[i, c] x[i, c].

An attack is a choice of what to read from such a sum, of which part of the test set, and of who
plays with what was read.

What is read
------------
a count
    Weights that are alike: the value tells how many examples are right, and any attack on
    accuracies plays with it. F1 and its kin of two classes, kappa, the Matthews correlation
    (`CountReader`); two values for each example, of which a loss or an error counts the right ones
    (`TwoLevels`, `TwoTargets`); blocks of K labels (`TopK`). A count that is blurred has a variance
    (`Told`).
several counts
    Weights a_c / b_c with denominators that have little in common: the value tells each count h_c,
    if b_c has a factor that no other has and that is larger than the range of h_c (`count_sums`).
    Macro averages (`JointCounts`), areas under the ROC curve with two levels of scores
    (`LevelCounts`).
digits
    Weights in a geometric sequence, each above all smaller ones together and above what rounding
    and floats lose: the value tells each label. Losses (`Digits`), squared and absolute errors
    (`TargetDigits`, `TargetBisection`), rank sums (`Graded`).
a linear estimate
    Any weights, any noise or rounding: the belief about x given the values of random submissions is
    nearly normal (`LinearReader`); counts of every class in every pool at once are decoded by
    message passing (`ClassPools`).
one bit
    Whether a look is the best so far, where a rule tells no more: `SparseClimb` from nothing called
    positive, `ShuffleClimb` from random labels in the best composition.

Which part
----------
All examples; each group by itself, in the same looks (`ByGroup`); one small part after the other,
so that rounding hides no count in it (`PartsInTurn`); runs of rows as single examples (`RunReader`,
`RunClimb`); a column beside the metric that ranks (`beside`).

What is submitted in the end
----------------------------
What scores best on average for a belief (`best_expected`): of a linear estimate, or of labels that
are proved and class sizes for the rest (`elsewhere`). Counts and digits prove labels, since only
one choice of them has the value within its error; linear estimates and climbs prove nothing.

Modules
-------
- `description`: what is public of a board, and what an attack says of itself;
- `registry`: who plays on a board, and as what; it imports this list, in whose order tables have
  them where several play on one board;
- `affine_forms`: a, w of each metric.

docs/metrics.md has the argument of each, and tables of looks and gains.
"""
# ruff: noqa: I001 - see above

from holdfast.attacks.through_metrics.digits import Digits as Digits
from holdfast.attacks.through_metrics.graded import Graded as Graded
from holdfast.attacks.through_metrics.target_digits import TargetDigits as TargetDigits
from holdfast.attacks.through_metrics.target_bisection import TargetBisection as TargetBisection
from holdfast.attacks.through_metrics.count_reader import CountReader as CountReader
from holdfast.attacks.through_metrics.joint_counts import JointCounts as JointCounts
from holdfast.attacks.through_metrics.parts_in_turn import PartsInTurn as PartsInTurn
from holdfast.attacks.through_metrics.top_k import TopK as TopK
from holdfast.attacks.through_metrics.linear_reader import LinearReader as LinearReader
from holdfast.attacks.through_metrics.rows_in_runs import RunReader as RunReader
from holdfast.attacks.through_metrics.rows_in_runs import RunClimb as RunClimb
from holdfast.attacks.through_metrics.two_points import TwoLevels as TwoLevels
from holdfast.attacks.through_metrics.two_points import TwoTargets as TwoTargets
from holdfast.attacks.through_metrics.sparse_climb import SparseClimb as SparseClimb
from holdfast.attacks.through_metrics.shuffle_climb import ShuffleClimb as ShuffleClimb
from holdfast.attacks.through_metrics.level_counts import LevelCounts as LevelCounts
from holdfast.attacks.through_metrics.class_pools import ClassPools as ClassPools
from holdfast.attacks.through_metrics.by_group import ByGroup as ByGroup
