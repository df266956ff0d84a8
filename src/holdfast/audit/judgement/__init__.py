"""Findings, upper bounds, verdict and fixes of an audit.

Nothing here plays an attack, except that `fixes` has candidates measured. In the order of use:

- `preflight`, `history_findings`: what is wrong with a test set, a policy or a history by itself;
- `observed`: what a history shows, and how much of it chance and the bound explain;
- `allowed`, `limits`: certificates for the policy's looks, and the looks at which each passes the
  gap;
- `verdict`, `sentences`: SAFE, MARGINAL or UNSAFE, and the sentence that says why;
- `candidates`, `fixes`, `what_suffices`: changes by what they cost honest teams, and the cheapest
  enough;
- `what_if`: the surfaces of the page's panel, from formulas alone.

A gain is *points* here: percentage points of accuracy above what is had without a look. A *gap* is
the difference between two ranks that the board should be able to show. The verdict compares the
two, or a bound with the gap; all other numbers are there so that a reader can doubt it.
"""
