"""Golden records: what the commands and the attacks say with fixed seeds, and must go on saying.

`python -m tests.golden` says what differs from the records, `--write` renews them.
"""
