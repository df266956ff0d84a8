"""The audit: labels and a policy in, one verdict and the evidence for it out.

Three words are kept apart: *possible* (an attack did it), *allowed* (no bound rules it out),
*observed* (a history shows it).
"""

from holdfast.audit.comparison import Comparison, compare, comparison_as_json
from holdfast.audit.inputs.history import Submission, read_history
from holdfast.audit.inputs.looks import Looks, parse_looks, parse_rate
from holdfast.audit.inputs.parts import Parts, parts_of
from holdfast.audit.inputs.reading import read_request
from holdfast.audit.inputs.request import Prediction, Request
from holdfast.audit.recommended import recommended_policy
from holdfast.audit.result import Audit, as_json
from holdfast.audit.run import audit, n_plays
from holdfast.audit.saved import read_audit

__all__ = [
    "Audit",
    "Comparison",
    "Looks",
    "Parts",
    "Prediction",
    "Request",
    "Submission",
    "as_json",
    "audit",
    "compare",
    "comparison_as_json",
    "n_plays",
    "parse_looks",
    "parse_rate",
    "parts_of",
    "read_audit",
    "read_history",
    "read_request",
    "recommended_policy",
]
