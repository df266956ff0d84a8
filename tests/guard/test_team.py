"""One team, one budget, however its name is spelled."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.errors import InvalidInput
from holdfast.guard.team import spelling_key, team_key

SAME = [
    "blue",
    "Blue",
    "BLUE",
    "bLuE",
    " blue",
    "blue ",
    "\tblue\n",
    "blue\u00a0",
    "\u3000blue",
    "ｂｌｕｅ",
    "ＢＬＵＥ",
    "𝐛𝐥𝐮𝐞",
    "𝒷𝓁𝓊ℯ",
    "ⓑⓛⓤⓔ",
    "ᵇˡᵘᵉ",
    "bⅼue",
]
REFUSED = {
    "zero-width space": "bl\u200bue",
    "zero-width joiner": "bl\u200due",
    "word joiner": "blue\u2060",
    "byte order mark": "\ufeffblue",
    "soft hyphen": "bl\u00adue",
    "right-to-left override": "\u202eeulb",
    "variation selector": "blue\ufe0f",
    "grapheme joiner": "bl\u034fue",
    "Hangul filler": "blue\u3164",
    "half-width Hangul filler": "blue\uffa0",
    "Braille blank": "blue\u2800",
    "tag": "blue\U000e0041",
    "control": "bl\x07ue",
    "line break": "blue\nteam",
    "surrogate": "bl\ud800ue",
    "Cyrillic letter": "blu\u0435",
    "Greek letter": "\u03b2lue",
    "Armenian letter": "bl\u057ce",
    "empty": "",
    "blank": " \u3000",
    "too long": "b" * 201,
    "too long when taken apart": "\ufdfa" * 20,
}


@pytest.mark.parametrize("name", SAME)
def test_every_spelling_has_one_key(name):
    assert team_key(name) == "blue"


@pytest.mark.parametrize("name", REFUSED.values(), ids=REFUSED.keys())
def test_a_name_that_hides_something_is_refused(name):
    with pytest.raises(InvalidInput, match="team must"):
        team_key(name)


@pytest.mark.parametrize("name", [None, 7, b"blue"])
def test_what_is_no_text_is_refused(name):
    with pytest.raises(InvalidInput, match=f"team must be a name, got {type(name).__name__}"):
        team_key(name)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("blue", "blue 2"),
        ("blue", "blues"),
        ("blue team", "blueteam"),
        ("bläu", "blau"),
        ("Команда A", "Команда B"),
        ("チームA", "チームB"),
        ("蓝", "藍"),
        ("π", "p"),
    ],
)
def test_names_that_can_be_told_apart_stay_apart(one, other):
    assert team_key(one) != team_key(other)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=20))
def test_a_key_is_its_own_key_whatever_the_form_case_or_blanks(name):
    key = spelling_key(name)
    assert spelling_key(key) == key
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert spelling_key(unicodedata.normalize(form, name)) == key
    assert spelling_key(f" {name}\u2003") == key
    assert spelling_key(unicodedata.normalize("NFD", name).casefold()) == key
