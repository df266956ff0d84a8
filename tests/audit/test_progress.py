"""What an audit says while it runs: before the first play, on a bar, and when it is stopped."""

import os
import pty
import re
import select
import signal
import subprocess
import sys

import numpy as np
import pytest

from holdfast.audit import parse_looks
from holdfast.audit.scenarios.expected_time import expected_seconds
from holdfast.audit.scenarios.plays import Job
from holdfast.cli.audit_progress import AuditProgress, duration
from holdfast.rules import Exact

SCRIPT = "import sys; from holdfast.cli import main; sys.exit(main(sys.argv[1:]))"
# Ends where attacks would begin to play: what was not flushed by then is lost.
ENDS_BEFORE_PLAYS = """\
import os, sys
from holdfast.audit import quick
from holdfast.cli import main
quick.players = lambda *given, **settings: os._exit(7)
main(sys.argv[1:])
"""


@pytest.fixture
def labels_file(tmp_path):
    labels = np.random.default_rng(3).integers(3, size=400)
    np.save(tmp_path / "labels.npy", labels.astype(np.uint8))
    return tmp_path / "labels.npy"


def started(labels_file, *options, **settings):
    words = [sys.executable, "-c", SCRIPT, "audit", str(labels_file), "--processes", "1", *options]
    return subprocess.Popen(words, stdout=subprocess.PIPE, **settings)


@pytest.mark.slow
def test_findings_and_forecast_come_before_the_first_play_and_ctrl_c_tells_the_rest(labels_file):
    audit = started(labels_file, "--looks", "300", "--json", stderr=subprocess.PIPE, text=True)
    said = []
    for line in audit.stderr:
        said.append(line)
        if line.startswith("other rules"):
            break
    audit.send_signal(signal.SIGINT)
    out, rest = audit.communicate(timeout=120)
    assert audit.returncode == 130
    assert out == ""
    forecast = next(at for at, line in enumerate(said) if line.startswith("Forecast: about "))
    assert re.search(r"about [\d.]+ points? \(.*\); measuring, about .* left\.$", said[forecast])
    assert any(line.startswith("note: ") for line in said[:forecast])
    assert said[forecast + 1] == "attack suite ...\n"
    assert "known so far, and no verdict:" in rest
    assert re.search(
        r"\n  lattice: \d+ points with 300 looks \(attacker's knowledge: features; \d+ plays\)\n",
        rest,
    )
    assert "does not mean that it gains less" in rest
    assert rest.rstrip().endswith("error: interrupted.")


def test_a_quick_audit_has_told_findings_and_forecast_before_it_plays(labels_file):
    words = ("audit", str(labels_file), "--quick", "--looks", "300")
    told = subprocess.run(
        [sys.executable, "-c", ENDS_BEFORE_PLAYS, *words], capture_output=True, text=True
    )
    assert told.returncode == 7, told.stderr
    forecast = re.search(
        r"\nForecast for all 300 scored submissions .*: about [\d.]+ points", told.stdout
    )
    assert forecast is not None
    assert told.stdout[: forecast.start()].startswith("notes 2 constant submissions reveal")


@pytest.mark.slow
def test_a_terminal_shows_a_bar_with_a_total_and_the_time_left(labels_file):
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "110"}
    audit = started(labels_file, "--looks", "4", stderr=theirs, env=environment)
    os.close(theirs)
    seen = b""
    while select.select([ours], [], [], 120)[0]:
        try:
            part = os.read(ours, 65536)
        except OSError:  # Linux's end of file on a terminal
            break
        if not part:
            break
        seen += part
    os.close(ours)
    out, _ = audit.communicate(timeout=120)
    text = seen.decode()
    assert audit.returncode == 0
    assert b"points" in out
    assert text.index("Forecast: about ") < text.index("attack suite")
    done = [int(number) for number in re.findall(r"(\d+) of about \d+ plays", text)]
    assert done[-1] > done[0]
    assert re.search(r"about .+ left", text[text.index("attack suite") :])


def test_times_are_round():
    assert [duration(each) for each in (1.0, 2.4, 12.0, 98.0, 200.0)] == [
        "a second",
        "2 s",
        "10 s",
        "100 s",
        "3 min",
    ]


def test_more_looks_examples_and_effort_take_longer():
    job = Job("features", Exact(), "block-majority", 20, 0)
    seconds = expected_seconds([job], 1000)
    assert expected_seconds([job, job], 1000) == 2 * seconds
    assert expected_seconds([job._replace(looks=40)], 1000) > seconds
    assert expected_seconds([job], 10_000) > seconds
    assert expected_seconds([job._replace(attack="champion-challenger")], 1000) > seconds


def test_nothing_played_is_said_as_such(request_for, capsys):
    AuditProgress(request_for(looks=parse_looks("5")), 1, None).stopped()
    said = capsys.readouterr().err
    assert "Stopped after 0 plays" in said
    assert "no attack has played the policy's rule yet." in said
