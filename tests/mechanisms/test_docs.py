import doctest
from pathlib import Path

from holdfast import mechanisms
from holdfast.mechanisms import Rule, parse_mechanism

PAGE = Path(__file__).parents[2] / "docs" / "mechanisms.md"


def test_the_examples_in_the_page_run():
    results = doctest.testfile(str(PAGE), module_relative=False)
    assert results.attempted > 0
    assert results.failed == 0


def test_every_rule_is_in_the_table_and_every_text_form_there_is_one():
    rows = [line.split("|") for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    table = {row[2].strip(" `"): row[1] for row in rows if row[2].strip(" `") in dir(mechanisms)}
    classes = {
        name
        for name in mechanisms.__all__
        if isinstance(getattr(mechanisms, name), type)
        and issubclass(getattr(mechanisms, name), Rule)
        and name != "Rule"
    }
    assert set(table) == classes
    for name, forms in table.items():
        for form in forms.split("`")[1::2]:
            assert type(parse_mechanism(form)).__name__ == name
