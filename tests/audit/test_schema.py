"""The JSON of audits: one shape for every metric, described by a schema that follows the record."""

import json
from dataclasses import replace

import jsonschema
import numpy as np
import pytest
from scripts import audit_schema

from holdfast.audit import as_json, parse_looks, quick_audit
from holdfast.audit.result import FORMAT
from holdfast.metrics.display import Display
from tests.audit.sample import sample_audit, sample_with_private_part

LABELS = np.random.default_rng(1).integers(0, 2, 60)


def valid(data):
    """Check plain data as a program would that has only the file."""
    schema = json.loads(audit_schema.PLACE.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(json.loads(json.dumps(data)))
    return data


def test_the_schema_in_the_docs_is_that_of_the_record():
    assert audit_schema.PLACE.read_text(encoding="utf-8") == audit_schema.text(), (
        "run python scripts/audit_schema.py"
    )


@pytest.mark.parametrize("audit", [sample_audit(), sample_with_private_part()])
def test_a_whole_audit_fits_the_schema_and_says_its_format_and_unit(audit):
    data = valid(as_json(audit))
    assert (data["format"], data["unit"], data["scale"]) == (FORMAT, "of accuracy", 1.0)
    assert data["looks"] == data["board"]["looks"]  # where the first format had it
    data["verdict"]["gain"] = 0.1
    with pytest.raises(jsonschema.ValidationError):
        valid(data)


@pytest.mark.parametrize("metric", ["accuracy", "f1", "log_loss"])
def test_a_quick_audit_of_any_metric_fits_the_same_schema(request_for, metric):
    request = request_for(LABELS, m=2, looks=parse_looks("3"))
    data = valid(quick_audit(replace(request, display=Display.of(metric))).as_json())
    assert data["unit"].endswith(metric)
    assert data["gains"][0]["gain"]["mean"] is not None
    assert data["constant"] == data["free"]
