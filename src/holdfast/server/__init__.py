"""Leaderboard server: submissions, guarded scores, budgets and pages, over the guard's ledger.

Start with `app`, which puts the parts together. `gatekeeper` is the only module that sees labels
or a `Guard`; an import contract keeps it so. Everything else sees ledger entries, receipts and the
rows of `store`, so that nothing exact can reach an answer, a page, a log line or an export.
"""
