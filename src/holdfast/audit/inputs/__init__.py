"""Inputs of an audit: labels, policy, history, models, and the unit of its figures.

`reading` is the door: it turns paths and options into a `Request`, which checks itself when it is
made, so that nothing behind it meets a bad argument. Each kind of file has a module of its own.

- `request`: what is audited, and what follows from it at once (looks in all, separate pasts);
- `parts`: which rows looks are scored on, and which the final ranking counts;
- `history`, `models`, `group_columns`: past submissions, predictions, columns that look like
  groups;
- `disclosure`: the unit to which every figure made from hidden labels is rounded, so that the
  record can be shared: an exact gain of a known attack would be one more look;
- `header`, `example`: the first line of every output, and the test set that comes along.
"""
