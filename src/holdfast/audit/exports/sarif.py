"""The audit in SARIF 2.1.0, the format of code scanning."""

from __future__ import annotations

import hashlib
import json
from typing import Any
from urllib.parse import quote

from holdfast._version import __version__
from holdfast.audit.exports.checks import Check, checks
from holdfast.audit.result import Audit

__all__ = ["sarif"]

HELP = "docs/audit.md of Holdfast explains every verdict, docs/reference/findings.md every finding."
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(audit: Audit, *, subject: str | None = None, limit: float | None = None) -> str:
    """Return the SARIF text: one result per finding, and one for the verdict unless it is SAFE.

    SARIF knows *rules*, kinds of results that are described once, and *results*, each of a kind and
    at a line of a file. Every check is a rule, passed or not, so that a viewer can list what was
    looked at; those that are not passed are results. A result is known again in the next run by its
    check and file alone: with numbers in its fingerprint every run would open another one.

    Parameters
    ----------
    audit
        The audit.
    subject
        The file that the results are about, relative to the repository: its policy or its
        labels; None: the test set's name.
    limit
        The gain in points from which on the audit was to fail; None: none was set.
    """
    found = list(checks(audit, limit=limit))
    place = subject or audit.name
    run = {
        "tool": {
            "driver": {
                "name": "Holdfast",
                "version": __version__,
                "rules": [_rule(each) for each in found],
            }
        },
        "columnKind": "utf16CodeUnits",
        "results": [
            _result(at, each, place) for at, each in enumerate(found) if each.level != "none"
        ],
        "properties": {
            "verdict": audit.verdict.word,
            **_gain(audit),
            "command": audit.reproduce.command,
            "labels": audit.reproduce.fingerprint,
        },
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _gain(audit: Audit) -> dict[str, Any]:
    """Return the worst gain with its unit; points of accuracy have a property besides."""
    told = {"gain": audit.worst, "unit": audit.unit, "metric": audit.board.metric}
    return told | ({"points": audit.worst} if audit.board.plain else {})


def _rule(check: Check) -> dict[str, Any]:
    """Return what SARIF calls a rule: a kind of result, described without this audit's numbers."""
    return {
        "id": check.code,
        "shortDescription": {"text": check.about},
        "fullDescription": {"text": check.about},
        "help": {"text": HELP},
        "defaultConfiguration": {"level": check.level},
    }


def _result(at: int, check: Check, place: str) -> dict[str, Any]:
    """Return a result of the rule at that place of the list; it stands at the file's first line."""
    # What a result is told from others by: not its text, whose numbers change from run to run.
    same = hashlib.sha256(f"{check.code}\n{place}".encode()).hexdigest()[:32]
    location = {
        "physicalLocation": {
            "artifactLocation": {"uri": _uri(place)},
            "region": {"startLine": 1},
        }
    }
    return {
        "ruleId": check.code,
        "ruleIndex": at,
        "level": check.level,
        "message": {"text": check.text},
        "locations": [location],
        "partialFingerprints": {"primaryLocationLineHash": same},
    }


def _uri(place: str) -> str:
    return quote(place.replace("\\", "/"), safe="/-._~")
