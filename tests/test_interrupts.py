"""Ctrl-C waits while something must not stop halfway, and is not lost anywhere."""

import contextlib
import functools
import os
import signal
import subprocess
import sys
import threading

import numba
import pytest
from numba.core import event

from holdfast.cli import main
from holdfast.experiments.pool import pool
from holdfast.interrupts import (
    HAS_MASKS,
    deferred_interrupt,
    noted_interrupts,
    raise_noted,
)

SHOW_MASK = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"


def interrupted(send):
    """Send an interrupt inside the block; return the steps that were taken all the same."""
    steps = []

    def block():
        with deferred_interrupt():
            send()
            steps.append("end of the block")
        steps.append("after it")

    with pytest.raises(KeyboardInterrupt):
        block()
    return steps


def test_an_interrupt_acts_after_the_block():
    assert interrupted(lambda: os.kill(os.getpid(), signal.SIGINT)) == ["end of the block"]


def test_an_interrupt_that_reaches_another_thread_waits_too():
    now = threading.Event()

    def receive():
        now.wait()
        signal.raise_signal(signal.SIGINT)

    other = threading.Thread(target=receive)
    other.start()

    def send():
        now.set()
        other.join()

    assert interrupted(send) == ["end of the block"]


def test_whatever_handled_interrupts_before_does_so_after():
    seen = []

    def handle(number, frame):
        seen.append(number)

    before = signal.signal(signal.SIGINT, handle)
    try:
        with deferred_interrupt():
            signal.raise_signal(signal.SIGINT)
            assert seen == []
        assert seen == [signal.SIGINT]
        assert signal.getsignal(signal.SIGINT) is handle
    finally:
        signal.signal(signal.SIGINT, before)


def test_without_an_interrupt_nothing_changes():
    before = signal.getsignal(signal.SIGINT)
    with deferred_interrupt():
        pass
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.skipif(not HAS_MASKS, reason="the system has no signal masks")
@pytest.mark.parametrize("main_thread", [True, False])
def test_processes_started_inside_are_born_with_the_signal_blocked(main_thread):
    shown = []

    def start():
        with deferred_interrupt():
            shown.append(subprocess.check_output([sys.executable, "-c", SHOW_MASK], text=True))
        shown.append(subprocess.check_output([sys.executable, "-c", SHOW_MASK], text=True))

    if main_thread:
        start()
    else:
        other = threading.Thread(target=start)
        other.start()
        other.join()
    assert shown == ["True\n", "False\n"]


def test_an_interrupt_that_a_library_swallowed_is_raised_at_the_next_question():
    with noted_interrupts():
        raise_noted()  # nothing came yet
        with contextlib.suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            raise_noted()
    raise_noted()  # what was noted in a block ends with it


def test_a_commands_interrupt_waits_until_a_kernel_is_compiled_however_many_it_is_made_of():
    @numba.njit
    def inner(x):
        return x + 1

    seen = []

    class Sender(event.Listener):
        def on_start(self, _):
            if not seen:
                signal.raise_signal(signal.SIGINT)  # LLVM's callbacks must not see it
            seen.append("start")

        def on_end(self, _):
            seen.append("end")

    @numba.njit
    def outer(x):
        return 2 * inner(x)

    with noted_interrupts():
        with event.install_listener("numba:compile", Sender()), pytest.raises(KeyboardInterrupt):
            outer(1)
        assert seen == ["start", "start", "end", "end"]
        assert outer(1) == 4  # whole, and not told again
    assert outer(1.5) == 5.0


def test_a_kernel_that_another_thread_compiles_keeps_no_interrupt_waiting():
    @numba.njit
    def kernel(x):
        return x + 1

    class Sender(event.Listener):
        def on_start(self, _):
            signal.raise_signal(signal.SIGINT)

        def on_end(self, _):
            pass

    def wait_for_it():
        other = threading.Thread(target=kernel, args=(1,))
        other.start()
        other.join(60)

    with (
        noted_interrupts(),
        event.install_listener("numba:compile", Sender()),
        pytest.raises(KeyboardInterrupt),
    ):
        wait_for_it()


def swallow(shared, task):
    with contextlib.suppress(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
    return task


@pytest.mark.parametrize("processes", [1, 2])
def test_a_pool_stops_after_an_interrupt_that_got_lost(processes):
    lost = functools.partial(swallow, None, None)
    with (
        noted_interrupts(),
        pytest.raises(KeyboardInterrupt),
        pool(swallow, None, processes=processes, rehearsals=[lost]) as mapped,
    ):
        list(mapped(range(3)))


def test_a_command_that_is_interrupted_while_it_imports_says_so_in_one_line(monkeypatch, capsys):
    def wrapped(arguments):
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        raise RuntimeError("Error calling __set_name__")  # as Python wraps it in class bodies

    monkeypatch.setattr("holdfast.cli._run", wrapped)
    assert main(["audit"]) == 130
    assert capsys.readouterr().err == "error: interrupted.\n"
