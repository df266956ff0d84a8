from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest

from holdfast.audit import Prediction, Request, parse_looks, parts_of
from holdfast.audit.judgement.verdict import judge
from holdfast.audit.metrics.units import unit_for
from holdfast.audit.scenarios.measurer import Measured, Strongest
from holdfast.audit.scenarios.scenarios import Scenario
from holdfast.cli import main
from holdfast.experiments.matrix_plays import Played
from holdfast.files.label_files import LabelFile
from holdfast.rules import parse_rule


def make_request(labels=None, *, n=300, m=3, ids=None, split=None, final=None, **settings):
    """Make a small request; keyword arguments replace its settings."""
    if labels is None:
        labels = np.random.default_rng(5).integers(m, size=n).astype(np.uint8)
    codes = names = None
    if split is not None:
        names = tuple(dict.fromkeys(split))
        codes = np.array([names.index(part) for part in split])
    file = LabelFile(
        np.asarray(labels, dtype=np.uint8),
        tuple(str(number) for number in range(m)),
        None if ids is None else np.asarray(ids),
        codes,
        names or (),
    )
    parts = parts_of(file, final)
    settings = {"release": "exact", "looks": parse_looks("20"), **settings}
    rule = parse_rule(settings.pop("release"))
    predictions = settings.pop("predictions", ())
    return Request(
        name="test",
        file=file,
        parts=parts,
        rule=rule,
        predictions=[Prediction(f"model {at}", p) for at, p in enumerate(predictions)],
        **settings,
    )


def played_on(labels, baseline, seed, beliefs=None):
    """Return what plays on accuracies ask of a board."""
    return SimpleNamespace(labels=labels, baseline=baseline, seed=seed, beliefs=beliefs)


def gaining(gain=0.0, *, refused=lambda job: None):
    """Return players of whom each gains the same, or what `gain(job)` says, unless it is refused.

    They go to `audit(play=)`, so that a test says what was gained and reads what is said of it.
    """

    def play(jobs, on_done=None):
        for job in jobs:
            reason = refused(job)
            bias = gain(job) if callable(gain) else gain
            played = Played(0.0 if reason else bias, 1, reason)
            if on_done is not None:
                on_done(job, played)
            yield played

    return play


def judged(request, gain, limits, gap, findings=(), who=("features", "champion-challenger")):
    """Return the verdict on a board whose strongest attack gained a mean with its error."""
    board = request
    unit = unit_for(board)
    looks = request.n_looks
    points = unit.interval(gain, 4)
    found = Measured(Scenario(*who), request.rule, looks, 4, gain, points, None)
    strongest = Strongest(found, unit, (), request.rule)
    return judge(board, unit, strongest, gap, findings, limits=limits)


@pytest.fixture
def made_up(monkeypatch):
    """Let commands audit by plays that are made up: each gains 0.1, or what is said."""

    def use(gain):
        made = nullcontext(gaining(gain))
        monkeypatch.setattr("holdfast.audit.run.players", lambda *_, **__: made)

    use(0.1)
    return use


@pytest.fixture
def request_for():
    return make_request


@pytest.fixture
def refused(capsys):
    """Run a command that must be refused: exit code 2 and one line on stderr."""

    def run(*arguments):
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert code == 2
        assert captured.out == ""
        assert captured.err.startswith("error: ")
        assert captured.err.count("\n") == 1
        assert len(captured.err) < 2000
        return captured.err.removeprefix("error: ").rstrip("\n")

    return run
