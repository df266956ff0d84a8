import doctest
from pathlib import Path

from scripts import rule_table

from holdfast.rules import parse_rule, rule_classes

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"


def test_the_examples_in_the_page_run():
    results = doctest.testfile(str(PAGE), module_relative=False)
    assert results.attempted > 0
    assert results.failed == 0


def test_the_table_of_rules_is_fresh():
    text = PAGE.read_text(encoding="utf-8")
    assert rule_table.page(text) == text


def test_every_text_form_is_one_of_its_rule():
    for rule in rule_classes():
        assert rule.text_forms
        for text in rule.text_forms:
            parsed = parse_rule(text)
            assert type(parsed) is rule
            assert str(parsed) == text
