"""The page of a finding: what it says first, its pictures, and whose text it shows."""

import re

import numpy as np
import pytest

from holdfast.detect import detect, looks_of
from holdfast.detect.page import as_page
from holdfast.detect.pictures import MOST_LOOKS, changed_rows
from tests.detect.models import Field


@pytest.fixture(scope="module")
def page():
    field = Field(5)
    teams = {"red": field.models(6), "<b>": field.probes(MOST_LOOKS + 10)}
    found = detect(looks_of(teams), field.models(2), rate=0.1)
    assert [each.team for each in found.flagged] == ["<b>"]
    return as_page(found, "a & b")


def test_the_page_begins_with_what_detection_is_worth(page):
    text = re.sub(r"<[^>]+>", " ", page[page.index("<main") :])
    assert text.split(".")[0].split("First of all")[1].strip().startswith("Whoever reads how this")


def test_rows_come_first_directions_second_and_the_evidence_last(page):
    order = [
        page.index(word) for word in ("rows that ever change", "move towards (red)", "E = 100")
    ]
    assert order == sorted(order)
    assert page.count('class="mark"') == 1
    # A full dot or a ring for each look that is drawn, the newest ones.
    assert len(re.findall(r'<circle class="(?:one|zero|none)"', page)) == MOST_LOOKS


def test_the_page_loads_nothing_and_names_are_text(page):
    assert "default-src 'none'" in page
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")
    assert "<b>" not in page
    assert "&lt;b&gt;: flagged at look" in page
    assert "Probes among the submissions of a &amp; b" in page


def test_rows_that_change_most_stand_first_and_alike_ones_together():
    looks = np.array([[0, 0, 0, 0], [0, 1, 1, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 3]])
    assert changed_rows(list(looks)).astype(int).tolist() == [
        [0, 1, 1, 0, 0],
        [0, 1, 0, 1, 0],
        [0, 0, 0, 0, 1],
    ]
    assert changed_rows([looks[0], looks[0]]).shape == (0, 2)
