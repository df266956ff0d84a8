"""Pictures that scripts draw without a number: they are what their scripts draw now."""

import xml.etree.ElementTree as ET

import pytest
from scripts import marks, recording


@pytest.mark.parametrize("name", marks.DRAWN)
def test_the_marks_are_fresh(name):
    text = (marks.STATIC / name).read_text(encoding="utf-8")
    assert text == marks.DRAWN[name](), "renew it with: make docs"
    assert ET.fromstring(text).get("aria-label").startswith("Holdfast")


def test_the_recording_shows_the_tutorials_in_two_minutes():
    text = recording.RECORDING.read_text(encoding="utf-8")
    assert text == recording.svg(), "renew it with: make docs"
    lines = recording.script()
    assert 60 < lines[-1].second < 130
    assert max(len(line.text) for line in lines) <= recording.COLUMNS
    assert len([line for line in lines if line.text.startswith("$ holdfast ")]) > 5
    assert "prefers-reduced-motion" in text
