"""Files in the layout of a sample: the same bytes but for the labels, of one byte each.

Most people fill in the sample that a host hands out. Then nothing has to be parsed: a comparison
finds that the rest is as it was, and the labels are where they were.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["SampleLayout"]

UNKNOWN = 255


class SampleLayout:
    r"""Where the labels of a sample are, and which class each byte names.

    Parameters
    ----------
    sample
        A CSV file with a header, labels in the last column, each the first of the classes.
    class_names
        Names of the classes. Where one is no single letter or digit, no file has this layout.
    rows
        Which row of the sample, from 0, belongs to each example.

    Examples
    --------
    >>> layout = SampleLayout(b"id,label\n1,a\n2,a\n", ["a", "b"], [1, 0])
    >>> layout.labels(b"id,label\n1,a\n2,b\n")
    array([1, 0], dtype=uint8)
    >>> layout.labels(b"id,label\n1,a\n3,b\n") is layout.labels(b"id,label\n1,a\n2,c\n") is None
    True
    """

    def __init__(
        self, sample: bytes, class_names: Sequence[str], rows: Sequence[int] | NDArray[np.intp]
    ) -> None:
        self._sample = np.frombuffer(sample, np.uint8)
        self._numbers = np.full(256, UNKNOWN, np.uint8)
        names = [name.encode() for name in class_names]
        # A label comes before the end of its row; the first of these ends the header.
        ends = np.flatnonzero(self._sample == ord("\n"))[1:]
        self.usable = ends.size == len(rows) and all(
            len(name) == 1 and name.isalnum() for name in names
        )
        if self.usable:
            self._numbers[[name[0] for name in names]] = np.arange(len(names))
            self._places = ends[np.asarray(rows, np.intp)] - 1

    def labels(self, body: bytes) -> NDArray[np.uint8] | None:
        """Return the class number of each example; None: the file has another layout."""
        if not self.usable or len(body) != self._sample.size:
            return None
        found = np.frombuffer(body, np.uint8)
        letters = found[self._places]
        labels: NDArray[np.uint8] = self._numbers[letters]
        changed = np.count_nonzero(letters != self._sample[self._places])
        if np.count_nonzero(found != self._sample) != changed or (labels == UNKNOWN).any():
            return None
        return labels
