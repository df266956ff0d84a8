"""Metrics of an audit, of which one accuracy is the first: what a board shows, and what it costs.

- inputs: `units` is what gains are counted in (points of a metric between two limits, a loss's own
  value else) and what the best constant submission scores; `findings` need no play.
- scenarios: `scenarios` lists who plays through which of the shown numbers, from what `starts` says
  is known. `match_counts` and `climbers` choose attacks on accuracies for them.
- judgement: `certified` has what no attack exceeds.

Attacks come from `attacks` and say for themselves which metrics they read, and what they submit
where they have read nothing.
"""
