"""Labels at the ends of lines: apart, in order, and beside their lines where they can be."""

from itertools import pairwise

import numpy as np
import pytest

from holdfast.audit.page.end_labels import APART, FOOT, placed

HEIGHT = 400.0


@pytest.mark.parametrize("count", [1, 2, 7, 20])
def test_no_two_labels_overlap_and_all_stay_in_the_chart(count):
    rng = np.random.default_rng(count)
    for values in (10.0 ** rng.uniform(-2, 2, size=count), np.full(count, 0.01), [100.0] * count):
        heights = placed(list(values), 0.01, 100.0, HEIGHT)
        labels = sorted(each.label for each in heights)
        assert all(below - above >= APART - 1e-9 for above, below in pairwise(labels))
        assert labels[0] >= 0.0
        assert labels[-1] <= HEIGHT - FOOT


def test_labels_keep_the_order_of_their_lines():
    heights = placed([50.0, 49.0, 48.0, 1.0], 0.01, 100.0, HEIGHT)
    assert heights == sorted(heights)


def test_a_label_with_room_stands_at_its_lines_end():
    # On an axis from 0.01 to 100 one decade is a quarter of the height.
    heights = placed([10.0, 1.0], 0.01, 100.0, HEIGHT)
    assert [tuple(each) for each in heights] == [
        (pytest.approx(100.0), pytest.approx(100.0)),
        (pytest.approx(200.0), pytest.approx(200.0)),
    ]
