from holdfast.statements import load


def test_the_json_lists_every_statement(holdfast):
    outcome = holdfast("statements", "--json")
    assert outcome.code == 0
    statements = outcome.json["statements"]
    assert len(statements) == 17
    for statement in statements:
        assert list(statement) == ["label", "kind", "number", "summary", "files", "tests"]


def test_the_text_names_code_and_tests(holdfast):
    out = holdfast("statements").out
    for statement in load():
        assert statement.title in out
    assert "holdfast/attacks/paper/block_majority.py::BlockMajority" in out
