"""Probes among submissions, found without labels: evidence for a host, never enforcement.

Whoever reads how it works evades it at no cost: the ledger is the defence. See docs/detect.md.
"""

from holdfast.detect.board import detect, stands
from holdfast.detect.evidence import Evidence, evidence_of
from holdfast.detect.looks import Detection, Look, TeamFound, looks_of
from holdfast.detect.panel import Panel
from holdfast.detect.watch import Judged, Watch, Why

__all__ = [
    "Detection",
    "Evidence",
    "Judged",
    "Look",
    "Panel",
    "TeamFound",
    "Watch",
    "Why",
    "detect",
    "evidence_of",
    "looks_of",
    "stands",
]
