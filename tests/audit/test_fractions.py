"""Units of the audit's record: points for people, fractions in JSON, none of them unmarked."""

import math
from dataclasses import fields, is_dataclass

import pytest

from holdfast.audit import as_json, result
from holdfast.audit.fractions import JSON_NAMES, Percent, Points, field_types, in_fractions
from tests.audit.sample import sample_audit

# Numbers that are no gain and no accuracy, with their units.
OTHER_UNITS = {
    "bits_per_look": "bits",
    "final_share": "share of the examples",
    "labels_right": "per cent",
    "loss": "doublings",
    "scale": "points between two scores that are 1 apart",
    "seconds": "seconds",
}
RECORDS = [each for each in vars(result).values() if isinstance(each, type) and is_dataclass(each)]


def test_every_number_of_the_record_says_its_unit():
    unmarked = [
        f"{record.__name__}.{name}"
        for record in RECORDS
        for name, kind in field_types(record).items()
        if "float" in str(kind).replace(str(Points), "").replace(str(Percent), "")
        and name not in OTHER_UNITS
    ]
    assert unmarked == []


def test_no_name_in_the_json_says_points_or_per_cent():
    names = {
        JSON_NAMES.get(field.name, field.name) for record in RECORDS for field in fields(record)
    }
    assert [name for name in names if "point" in name or "percent" in name] == []


def test_the_json_has_the_fractions_of_the_records_points():
    audit = sample_audit()
    told = as_json(audit)
    assert told["verdict"]["gap"] == pytest.approx(audit.verdict.gap_points / 100)
    assert told["verdict"]["gain"]["mean"] == pytest.approx(audit.verdict.points.mean / 100)
    assert told["limits"]["allowed"] == pytest.approx(audit.limits.allowed / 100)
    assert told["limits"]["looks_until"] == dict(audit.limits.looks_until)
    assert told["limits"]["bits_per_look"] == audit.limits.bits_per_look
    assert told["rules"][0]["blur"] == pytest.approx(audit.rules[0].price_points / 100)
    assert told["board"]["free"] == pytest.approx(audit.board.free / 100)
    assert told["what_if"]["axes"] == in_fractions(audit.what_if["axes"])
    kept = audit.what_if["round"]["allowed"][0][0][0][0]
    assert told["what_if"]["round"]["allowed"][0][0][0][0] == pytest.approx(kept / 100)


def test_a_bound_that_is_none_is_null():
    assert in_fractions(math.inf, Points) is None
