"""What was recorded is still so: every case, and no case without a record."""

import pytest

from tests.golden.records import differences, read
from tests.golden.table import KINDS, cases

RECORDS = {kind: read(kind) for kind in KINDS}
CASES = [
    pytest.param(kind, name, make, id=f"{kind}: {name}")
    for kind in KINDS
    for name, make in cases(kind)
]


@pytest.mark.parametrize(("kind", "name", "make"), CASES)
def test_it_is_as_recorded(kind, name, make, tmp_path):
    found = list(differences(RECORDS[kind][name], make(tmp_path)))
    assert not found, "\n".join([f"{kind}: {name}", *found[:20]])


@pytest.mark.parametrize("kind", KINDS)
def test_every_record_is_of_a_case(kind):
    assert list(RECORDS[kind]) == [name for name, _ in cases(kind)]
