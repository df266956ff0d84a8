"""The test of one edit: whether it moves towards or away from anything, or is a coin flip.

A probe flips a coin for every row that it may change, between what stood there and what it puts
there instead. So whatever is compared with the two labels, each changed row is as likely to move
towards it as away from it: a sign flip per row, whose law is exact whatever the labels are, and
needs no label. Honest edits have a direction: towards a better model, another model or a class.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from holdfast.labels import Labels

__all__ = ["LEAST_ROWS", "Edit", "edit_of", "least_p"]

# Rows that an edit needs to be judged; smaller ones wait for further ones. From 40 on a direction
# is seen in 97 % of honest blends' edits, below in 57 to 92 %.
LEAST_ROWS: Final = 40

# Directions of members that are no more than a linear function of others' count as none.
LEAST_EIGENVALUE = 0.5
# The joint statistic needs so many rows for each of its degrees of freedom.
ROWS_PER_DEGREE = 3

# Of more rows so many, evenly spread, are compared: signs of any rows flip alike.
MOST_ROWS = 4000


class Edit(NamedTuple):
    """Sign-flip statistics of one edit; each is about chi-squared under coin flips.

    Attributes
    ----------
    rows
        How many rows changed.
    panel, panel_df
        V nu and nu: V = mean over members j of s_j^2 / d_j, with s_j = rows moved towards j minus
        rows moved away, and d_j = their sum; nu = B^2 / sum of squared correlations
        (Satterthwaite).
    classes, classes_df
        The same for classes c: sum (a_c - b_c)^2 / sum (a_c + b_c), with a_c rows that enter c and
        b_c that leave it.
    joint, joint_df
        s' C^+ s and the rank of C, the second moments of all members' signs (Hotelling): sees an
        edit from one member towards another. 0 degrees: not enough rows.
    towards
        s_j / sqrt(d_j) of each member, what pictures show; 0 where no row concerns it.
    """

    rows: int
    panel: float
    panel_df: float
    classes: float
    classes_df: float
    joint: float
    joint_df: float
    towards: NDArray[np.float64]


def edit_of(new: Labels, old: Labels, members: Labels) -> Edit:
    """Return the statistics of the edit from `old` to `new`, which must differ somewhere."""
    changed = np.flatnonzero(new != old)
    rows = len(changed)
    changed = changed[:: -(-rows // MOST_ROWS)]
    now, before, said = new[changed], old[changed], members[:, changed]
    signs = (said == now).astype(np.float32)
    signs -= said == before
    sums = signs.sum(axis=1, dtype=np.float64)
    moments = (signs @ signs.T).astype(np.float64)
    concerned = np.diag(moments)
    known = concerned > 0
    towards = np.zeros(len(members))
    towards[known] = sums[known] / np.sqrt(concerned[known])
    panel = panel_df = joint = joint_df = 0.0
    if known.any():
        scale = np.sqrt(concerned[known])
        correlations = moments[np.ix_(known, known)] / np.outer(scale, scale)
        panel_df = float(known.sum() ** 2 / (correlations**2).sum())
        panel = panel_df * float((towards[known] ** 2).mean())
        values, vectors = np.linalg.eigh(moments)
        large = values > LEAST_EIGENVALUE
        rank = float(large.sum())
        if len(changed) >= ROWS_PER_DEGREE * rank:
            joint_df = rank
            joint = float(((vectors[:, large].T @ sums) ** 2 / values[large]).sum())
    size = int(max(now.max(), before.max())) + 1
    entered = np.bincount(now, minlength=size)
    left = np.bincount(before, minlength=size)
    shares = (entered + left) / (2.0 * len(changed))
    classes_df = float(1.0 / (shares**2).sum())
    classes = classes_df * float(((entered - left) ** 2.0).sum()) / (2.0 * len(changed))
    return Edit(rows, panel, panel_df, classes, classes_df, joint, joint_df, towards)


def least_p(edit: Edit) -> float:
    """Return the least p-value of the three statistics: small where the edit has a direction."""
    pairs = (
        (edit.panel_df, edit.panel),
        (edit.classes_df, edit.classes),
        (edit.joint_df, edit.joint),
    )
    return min((float(chdtrc(df, value)) for df, value in pairs if df > 0.0), default=1.0)
