"""The audit: labels and a policy in, one verdict and the evidence for it out.

Three words are kept apart: *possible* (an attack did it), *allowed* (no bound rules it out),
*observed* (a history shows it).

Start here: `run.audit` is one audit from request to record; `result` has the record that everything
else fills or shows. Four rooms lie between the two:

- `inputs`: what is audited. Files and options become one `Request`, each checked on its own.
- `scenarios`: what attacks gain. Who plays what against which rule, how often, and in which order.
- `judgement`: what follows. Findings that need no play, upper bounds, the verdict and its fixes.
- `page`: what a reader sees, with `exports` for other programs.

Between the rooms pass a `Request`, `Measured` gains and the frozen parts of an `Audit`, nothing
else. One accuracy is a metric: `metrics` has the unit of any, attacks through it and what is
certified of it.

`baseline` is what gains count from: a guess, or the majority class where classes are unequal
(`unequal_classes`), each with the formulas that hold for it (`formulas`). `quick`, `outlook` and
`events` say what can be said before an audit is through; `comparison` sets two side by side;
`recommended` turns one into a policy; `saved` reads its JSON back.
"""

from holdfast.audit.comparison import Comparison, compare, comparison_as_json
from holdfast.audit.events import KnownSoFar, Play, Stage
from holdfast.audit.inputs.history import Submission, read_history
from holdfast.audit.inputs.parts import Parts, parts_of
from holdfast.audit.inputs.reading import read_request
from holdfast.audit.inputs.request import Prediction, Request
from holdfast.audit.outlook import Outlook, outlook
from holdfast.audit.quick import QuickAudit, quick_audit
from holdfast.audit.recommended import recommended_fix, recommended_policy
from holdfast.audit.result import Audit, as_json
from holdfast.audit.run import audit
from holdfast.audit.saved import read_audit
from holdfast.audit.scenarios.play_cache import PlayCache, cache_folder
from holdfast.guard.looks import Looks, parse_looks, parse_rate

__all__ = [
    "Audit",
    "Comparison",
    "KnownSoFar",
    "Looks",
    "Outlook",
    "Parts",
    "Play",
    "PlayCache",
    "Prediction",
    "QuickAudit",
    "Request",
    "Stage",
    "Submission",
    "as_json",
    "audit",
    "cache_folder",
    "compare",
    "comparison_as_json",
    "outlook",
    "parse_looks",
    "parse_rate",
    "parts_of",
    "quick_audit",
    "read_audit",
    "read_history",
    "read_request",
    "recommended_fix",
    "recommended_policy",
]
