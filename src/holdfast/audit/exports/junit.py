"""The audit as JUnit XML, the format of test reports."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from holdfast.audit.exports.checks import checks
from holdfast.audit.result import Audit

__all__ = ["junit"]

# What XML 1.0 can't hold: control characters other than tab, newline and return.
UNPRINTABLE = {code: "\N{REPLACEMENT CHARACTER}" for code in range(32) if code not in (9, 10, 13)}


def junit(audit: Audit, *, limit: float | None = None) -> str:
    """Return the XML text: a test for the verdict, one for the limit, and one for each finding.

    UNSAFE, a gain above the limit and a finding that voids the verdict are failures; all else
    passes, and its text is the test's output. MARGINAL passes, too: who wants it to fail sets a
    limit for the gain.

    Parameters
    ----------
    audit
        The audit.
    limit
        The gain, in the audit's unit, above which it is to fail; None: none was set.
    """
    found = list(checks(audit, limit=limit))
    failures = sum(check.level == "error" for check in found)
    name = audit.name.translate(UNPRINTABLE)
    facts = {"tests": str(len(found)), "failures": str(failures), "errors": "0"}
    suites = ET.Element("testsuites", {"name": "holdfast audit", **facts})
    suite = ET.SubElement(suites, "testsuite", {"name": name, **facts, "skipped": "0"})
    suite.set("time", f"{audit.seconds:.1f}")
    suite.set("timestamp", f"{audit.date}T00:00:00")
    for check in found:
        case = ET.SubElement(
            suite, "testcase", {"classname": f"holdfast.{name}", "name": check.code, "time": "0"}
        )
        text = check.text.translate(UNPRINTABLE)
        if check.level == "error":
            failure = ET.SubElement(case, "failure", {"type": check.code, "message": text})
            failure.text = text
        else:
            ET.SubElement(case, "system-out").text = f"{check.level}: {text}"
    ET.indent(suites)
    text = ET.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'
