"""The count of the house: what is a docstring, a quoted name, and a table of names."""

import re

from scripts import house_numbers

ATTACK = '''"""One line."""


class BlockMajority:
    """Two
    lines."""

    name = "block-majority"
'''


def small_house(folder, elsewhere):
    package = folder / "src" / "holdfast"
    (package / "attacks").mkdir(parents=True)
    (package / "attacks" / "block_majority.py").write_text(ATTACK)
    (package / "attacks" / "naive_bayes.py").write_text("class NaiveBayes:\n    pass\n")
    (package / "suite.py").write_text(elsewhere)
    return house_numbers.counted(folder)


def test_names_count_outside_the_attacks_own_file_and_tables_have_two_of_them(tmp_path):
    found = small_house(tmp_path, 'BOTH = {"block-majority": 1, "naive-bayes": 2}\n')
    assert (found.quoted, found.tables) == (2, 1)
    assert (found.files, found.lines, found.median) == (3, 8 + 2 + 1, 2)
    assert found.largest == (8, "attacks/block_majority.py")
    assert found.docstring_lines == 3
    assert found.packages == {"attacks": 10, "suite.py": 1}


def test_a_name_inside_a_sentence_is_not_quoted(tmp_path):
    found = small_house(tmp_path, 'ONE = ["naive-bayes"]\nSAID = "plays block-majority"\n')
    assert (found.quoted, found.tables) == (1, 0)


def test_the_pages_tables_are_those_that_the_script_writes(tmp_path):
    page = house_numbers.PAGE.read_text()
    found = house_numbers.tables({"now": small_house(tmp_path, "")})
    written = house_numbers.written(page, found)
    for table in found:
        assert table in written
        for name in re.findall(r"^\| ([a-z][^|]*) \|", table, re.MULTILINE):
            assert f"\n| {name} |" in page, name
    assert house_numbers.written(written, found) == written
