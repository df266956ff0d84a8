import doctest
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_examples_in_the_bounds_page_run() -> None:
    results = doctest.testfile(str(DOCS / "bounds.md"), module_relative=False)
    assert results.attempted > 0
    assert results.failed == 0
