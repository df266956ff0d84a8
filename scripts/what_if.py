"""Write the what-if panel's surfaces into the package; again when a bound or forecast changes.

Run as `python scripts/what_if.py`; a test computes random cells of every surface again.
"""

import json
from pathlib import Path

from holdfast.audit.judgement.what_if import compute

TARGET = Path(__file__).parents[1] / "src/holdfast/audit/data/what_if.json"

if __name__ == "__main__":
    TARGET.write_text(json.dumps(compute(), separators=(",", ":")) + "\n", encoding="utf-8")
