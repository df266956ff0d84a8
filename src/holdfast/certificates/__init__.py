"""Certificates: the least upper bound on expected accuracy that is proved for given looks.

Every "allowed", "certified" and "safe looks" of the package comes from here.
"""

from holdfast.certificates.certify import (
    ALL_TEAMS,
    Histories,
    certify,
    certify_histories,
    of_all_teams,
)
from holdfast.certificates.record import Certificate, NotCovered
from holdfast.certificates.safe_looks import safe_looks
from holdfast.certificates.transcripts import log_transcripts

__all__ = [
    "ALL_TEAMS",
    "Certificate",
    "Histories",
    "NotCovered",
    "certify",
    "certify_histories",
    "log_transcripts",
    "of_all_teams",
    "safe_looks",
]
