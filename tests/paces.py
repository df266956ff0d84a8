"""Values of a test's parameter that every run tries, and more of them that `make long` tries."""

import pytest


def few(count, values):
    """Return all values, those after the first ones for `make long`."""
    every = [each if isinstance(each, tuple) else (each,) for each in values]
    return [
        pytest.param(*each, marks=[] if at < count else pytest.mark.long)
        for at, each in enumerate(every)
    ]
