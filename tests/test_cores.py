"""How many cores there are, where the system tells and where it does not."""

import os

import pytest

from holdfast.cores import available_cores


def test_only_the_cores_that_the_process_is_bound_to_count(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {2, 5, 7}, raising=False)
    assert available_cores() == 3


@pytest.mark.parametrize(("counted", "expected"), [(6, 6), (None, 1)])
def test_where_no_process_is_bound_all_cores_count(monkeypatch, counted, expected):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: counted)
    assert available_cores() == expected
