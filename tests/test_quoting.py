import pytest

from holdfast.errors import InvalidInput
from holdfast.files.label_files import read_labels
from holdfast.guard.windows import parse_duration
from holdfast.problem import check_at_least
from holdfast.quoting import LONGEST_QUOTE, listed, quoted, shortened
from holdfast.rules import parse_rule


def test_a_short_value_is_quoted_as_it_is():
    assert quoted("a  b") == "'a  b'"
    assert quoted(1.5) == "1.5"
    assert quoted("x" * 78) == repr("x" * 78)


@pytest.mark.parametrize(
    "value",
    ["x" * 79, "x" * 10**6, "\0" * 100, b"y" * 10**6, "\n" * 500, list(range(1000)), "é" * 81],
)
def test_a_long_value_is_cut_to_one_line_of_80_characters(value):
    text = quoted(value)
    assert len(text) == LONGEST_QUOTE
    assert text.endswith("...")
    assert text.isprintable()


def test_an_integer_that_python_refuses_to_write_out_is_named():
    assert quoted(10**5000) == "a very long int"


def test_a_list_inside_itself_is_quoted():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    assert quoted(deep) in ("a very long list", "[" * 77 + "...")


def test_a_text_of_several_lines_becomes_one():
    assert shortened("one\n two\tthree\x07") == "one two three?"
    assert len(shortened("word " * 1000)) == LONGEST_QUOTE


def test_a_list_shows_what_fits_and_counts_the_rest():
    assert listed(["a" * 200, "b"]) == quoted("a" * 200) + " and 1 more"
    assert listed(["a" * 30] * 4) == f"{'a' * 30!r}, {'a' * 30!r} and 2 more"
    assert listed(["cat", "dog"], quote=False) == "cat, dog"
    assert listed([]) == ""


LONG = "y" * 100_000


@pytest.mark.parametrize(
    "fails",
    [
        lambda: parse_rule(LONG),
        lambda: parse_rule(f"round:{LONG}"),
        lambda: parse_rule(f"thresholdout:{LONG}=3"),
        lambda: parse_duration(LONG),
        lambda: parse_duration("9" * 5000 + " days"),
        lambda: check_at_least("looks", -(10**5000), 1),
        lambda: check_at_least("looks", LONG, 1),
    ],
)
def test_no_message_repeats_a_long_value(fails):
    with pytest.raises(InvalidInput) as caught:
        fails()
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "content",
    [
        f"id,label\n1,{'z' * 900}\n",
        f"{LONG},label,other\n1,cat,x\n",
        "id,label\n" + "".join(f"{'7' * 250},cat\n" for _ in range(2)),
    ],
)
def test_no_message_about_a_file_repeats_its_content(tmp_path, content):
    path = tmp_path / "x.csv"
    path.write_text(content)
    with pytest.raises(InvalidInput) as caught:
        read_labels(path, class_names=["a" * 1000, "b" * 1000])
    assert len(str(caught.value)) < len(str(path)) + 300
