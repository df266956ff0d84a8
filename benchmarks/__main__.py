"""Print every speed comparison of the paper's attacks: `python -m benchmarks`."""

import argparse

from benchmarks import block_majority, column_vote, features

if __name__ == "__main__":
    argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__).parse_args()
    for part in (block_majority, column_vote, features):
        part.main()
