"""Print every speed comparison of the paper's attacks: `python -m benchmarks`."""

from benchmarks import block_majority, column_vote, features

for part in (block_majority, column_vote, features):
    part.main()
