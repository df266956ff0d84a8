import pytest

from holdfast.files.spelling import class_numbers, is_integer, is_number, plain_spelling


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("1.0", "1"), ("1.", "1"), ("+1.0", "1"), ("-1.000", "-1"), ("-0.0", "0"), ("0.0", "0"),
        ("1e3", "1000"), ("1.5e1", "15"), ("12345678901234567890.0", "12345678901234567890"),
        ("007.0", "7"), ("9" * 400 + ".0", "9" * 400),
    ],
)  # fmt: skip
def test_a_whole_number_written_as_a_float_is_the_integer(name, plain):
    assert plain_spelling(name) == plain


@pytest.mark.parametrize(
    "name",
    ["1", "-1", "007", "1.5", "1e-3", "1e400", "1e99", "nan", "inf", "1.0.0", "v1.0", "", "١.٠"],
)
def test_anything_else_stays_as_it_is(name):
    assert plain_spelling(name) == name


def test_numbers_are_told_from_names():
    assert all(map(is_number, ["1", "-1.5", ".5", "1e9", "nan", "-inf", "Infinity"]))
    assert not any(map(is_number, ["", "1_0", "one", "1.0.0", "0x1", "١", "1 2"]))
    assert is_integer("-12")
    assert not any(map(is_integer, ["", "-", "+1", "1.0", "١", "²"]))


def test_the_same_text_comes_before_the_same_number():
    assert class_numbers(["1", "1.0"], ["1.0", "1"]) == [1, 0]


def test_a_spelling_that_two_classes_share_settles_nothing():
    assert class_numbers(["1.00"], ["1.0", "1"]) == [-1]
    assert class_numbers(["TRUE"], ["True", "true"]) == [-1]


def test_truth_values_match_only_classes_that_are_all_truth_values():
    assert class_numbers(["True"], ["0", "1", "2"]) == [-1]
    assert class_numbers(["1"], ["False", "True", "maybe"]) == [-1]
    assert class_numbers(["0", "TRUE"], ["False", "True"]) == [0, 1]
