"""Workers that listen on one address, each with a socket of its own."""

import contextlib
import pickle
import socket
import sys
from types import SimpleNamespace

import pytest

from holdfast.cli.serve import _bound_socket
from holdfast.errors import InvalidInput

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="other systems do not spread connections over sockets"
)


def test_a_crowd_of_connections_is_spread_over_the_workers():
    with contextlib.ExitStack() as stack:
        held = stack.enter_context(_bound_socket(SimpleNamespace(host="127.0.0.1", port=0)))
        # As the address travels to a worker that is started.
        workers = [stack.enter_context(pickle.loads(pickle.dumps(held))) for _ in range(2)]
        for worker in workers:
            worker.listen(100)
            worker.setblocking(False)
        for _ in range(64):
            stack.enter_context(socket.create_connection(held.getsockname()))
        counts = []
        for worker in workers:
            counts.append(0)
            with contextlib.suppress(BlockingIOError):
                while True:
                    stack.enter_context(worker.accept()[0])
                    counts[-1] += 1
        # By chance fewer than 8 of 64 with probability 1e-10.
        assert sum(counts) == 64
        assert min(counts) >= 8
        with pytest.raises(InvalidInput, match="port must be free"):
            _bound_socket(SimpleNamespace(host="127.0.0.1", port=held.getsockname()[1]))
