"""Attacks on a policy and what each of them gained.

A *scenario* is an attack, what it knows, and from how many accounts it looks. A *job* is one play
of a scenario: a rule, a number of looks, a trial. From the single play up:

- `plays`: one job, a pure function of labels, seed and job, for any process or machine;
- `play_cache`: jobs that were played before, found again by a keyed digest;
- `scenarios`: which attacks are worth playing against a rule, by what they say of themselves;
- `by_forecast`: those that are strongest in some sizes only;
- `measurer`: jobs to mean gains, within a budget; the strongest measured again by fresh plays;
- `measurement`, `curve`, `rules`: the suite at today's looks, its strongest attacks at fewer looks,
  a few attacks against other rules;
- `expected_time`: how long that takes, before it begins.

No attack is named here. Which of them play is decided by their attributes (`strongest_on`,
`strongest_by_forecast`, `reads`, `takes_prior`, `effort`), so a new one takes part as soon as it is
registered.
"""
