"""Certificates: the least upper bound on expected accuracy that is proved for given looks.

Every "allowed", "certified" and "safe looks" of the package comes from here. The way to one:

1. `certify`, or `certify_histories` for looks in a ledger, describes the looks (`asked`), what the
   analysts know before the first one (`knowledge`), and how they ask (`limits.Analysts`).
2. `limits` bounds the information in all answers together, in nats. The knowledge turns the least
   of these limits into an accuracy: rate-distortion, backwards.
3. `theorems` bounds the accuracy itself, for rules and analysts of which more is proved.
4. The least accuracy is the certificate (`record`). A bound whose assumptions do not hold is listed
   with the reason; none is ever stretched.

Where looks show another metric or groups, `displays` counts the released numbers:
`certify_display`, and `certify_recorded` for looks in a ledger. `metric_gains` certifies gains in
the metric's own unit, where an inequality for fixed submissions is known: `certify_gain`.

Programs that are scored by outcomes of tasks guess no labels: `programs` bounds how far their score
may exceed their value, `certify_programs`.

`docs/bounds.md` has the proofs.
"""

from holdfast.certificates.certify import (
    ALL_TEAMS,
    Histories,
    certify,
    certify_histories,
    log_transcripts,
    of_all_teams,
    safe_looks,
)
from holdfast.certificates.displays import (
    certify_display,
    certify_recorded,
    log_transcripts_of,
)
from holdfast.certificates.ladder_error import LeaderboardError, certify_ladder
from holdfast.certificates.metric_gains import CertifiedGain, certify_gain
from holdfast.certificates.programs import (
    ProgramCertificate,
    certify_programs,
    certify_recorded_programs,
)
from holdfast.certificates.record import Certificate, NotCovered

__all__ = [
    "ALL_TEAMS",
    "Certificate",
    "CertifiedGain",
    "Histories",
    "LeaderboardError",
    "NotCovered",
    "ProgramCertificate",
    "certify",
    "certify_display",
    "certify_gain",
    "certify_histories",
    "certify_ladder",
    "certify_programs",
    "certify_recorded",
    "certify_recorded_programs",
    "log_transcripts",
    "log_transcripts_of",
    "of_all_teams",
    "safe_looks",
]
