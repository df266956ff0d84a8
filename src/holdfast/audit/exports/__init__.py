"""An audit in other programs' formats: a badge, SARIF, and JUnit XML."""

from holdfast.audit.exports.badge import badge
from holdfast.audit.exports.junit import junit
from holdfast.audit.exports.sarif import sarif
from holdfast.audit.exports.whole_file import write_whole

__all__ = ["badge", "junit", "sarif", "write_whole"]
