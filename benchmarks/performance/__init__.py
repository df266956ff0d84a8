"""The performance record: every kernel against the plain way and the limit, in one table.

    python -m benchmarks.performance                 print the table, keep out/bench-COMMIT.json
    python -m benchmarks.performance compare BASE    the same on another commit's code, in turns
    python -m benchmarks.performance keep            put the last record into docs/performance.md

All figures are ratios of times taken in turns in one run, so that another machine, or another day
on this one, gives about the same: against what a user of numpy would write; against the limit,
which is memory bandwidth for a kernel and the bare match counts for a game; exponents in n, m and
k; one core against two; a fresh process against `import numpy`.
"""
