"""`python -m tests.golden [--write] [kind ...]`: what differs from the records, or new ones."""

import argparse
import tempfile
import time
from pathlib import Path

import benchmarks  # noqa: F401 - first: it settles how numpy multiplies matrices

from tests.golden.records import differences, read, write
from tests.golden.table import KINDS, cases

parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
parser.add_argument("--write", action="store_true", help="renew the records")
parser.add_argument("kinds", nargs="*", metavar="kind", help=f"of {', '.join(KINDS)}")
options = parser.parse_args()
for kind in options.kinds or KINDS:
    start, old, new = time.process_time(), read(kind), {}
    for name, make in cases(kind):
        with tempfile.TemporaryDirectory() as folder:
            new[name] = make(Path(folder))
        for line in differences(old.get(name, {}), new[name]):
            print(f"{kind}: {name}: {line}" if name in old else f"{kind}: {name}: new", flush=True)
            if name not in old:
                break
    for name in old.keys() - new.keys():
        print(f"{kind}: {name}: gone")
    if options.write:
        write(kind, new)
    print(f"{kind}: {len(new)} cases, {time.process_time() - start:.1f} s")
