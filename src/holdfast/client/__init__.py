"""Clients of a board: requests that cannot spend a look twice, and the state of a run."""
