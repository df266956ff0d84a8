"""What nobody may send: large bodies, slow ones, endless heads; at every address, by the routes."""

import contextlib
import http.client
import json
import socket
import threading
import time
from urllib.parse import urlsplit

import anyio
import pytest

from holdfast.server.listening import Limited
from holdfast.server.uploads import LARGEST_BODY, is_upload
from tests.server.conftest import bearer, free_port, wait_until
from tests.server.test_authorization import routes_of

PIECE = 32 * 1024
VALUES = {"slug": "pets", "number": "1", "action": "none", "name": "x", "secret": "x",
          "receipt_id": "1-x"}  # fmt: skip


class Stream:
    """A body that comes in pieces, without a length, and never ends; it counts what was read."""

    def __init__(self, first=b"", *, waits=False):
        self.read, self._next, self._waits = 0, first, waits

    async def __call__(self):
        if self._waits and self.read:
            await anyio.sleep_forever()
        assert self.read < 100, "all of it is read"
        piece, self._next = self._next or b" " * PIECE, b""
        self.read += 1
        return {"type": "http.request", "body": piece, "more_body": True}


def ask(app, method, path, stream, headers=()):
    """Call the application as a server would; return the status and what came with it."""
    told = []

    async def send(message):
        told.append(message)

    async def call():
        scope = {
            "type": "http", "method": method, "path": path, "raw_path": path.encode(),
            "query_string": b"", "headers": [(b"host", b"x"), (b"x-team", b"7"), *headers],
            "client": ("10.0.0.1", 1), "server": ("x", 80), "scheme": "http",
            "http_version": "1.1", "root_path": "", "state": {}, "app": app,
        }  # fmt: skip
        with anyio.fail_after(20):
            await app(scope, stream, send)

    anyio.run(call)
    return told[0]["status"], b"".join(each.get("body", b"") for each in told)


KINDS = {"json": b"application/json", "form": b"application/x-www-form-urlencoded"}


@pytest.mark.parametrize("kind", KINDS)
def test_no_address_reads_more_of_nobody_than_a_small_body(place, kind):
    """Uploads ask first who sends them; all else ends at the limit, before it is parsed."""
    headers = [(b"content-type", KINDS[kind])]
    with place.client(flood="100000/second", sign_ins="100000/second") as client:
        for method, route in sorted(routes_of(client.app)):
            path, stream = route.format(**VALUES), Stream()
            status, _ = ask(client.app, method, path, stream, headers)
            if is_upload(method, path):
                assert (status, stream.read) == (401, 0), route
            else:
                expected = LARGEST_BODY // PIECE + 1
                assert (status, stream.read) == (413, expected), (method, route)


def test_a_body_that_says_that_it_is_large_is_not_read_at_all(place):
    with place.client() as client:
        stream = Stream()
        length = [(b"content-length", b"400000000")]
        status, said = ask(client.app, "POST", "/api/v1/verify", stream, length)
    assert (status, stream.read) == (413, 0)
    assert json.loads(said)["type"] == "too_large"
    assert "262,144 bytes" in json.loads(said)["detail"]


def test_a_slow_body_ends_in_time_at_every_address(place):
    """Those of uploads wait for no body of nobody; the others end with 408."""
    with place.client(upload_seconds=0.02, sign_ins="100000/second") as client:
        for method, route in sorted(routes_of(client.app)):
            status, _ = ask(client.app, method, route.format(**VALUES), Stream(b"{", waits=True))
            assert status == (401 if is_upload(method, route) else 408), route


@pytest.mark.parametrize("body", [b"[" * 200_000, b'{"receipts":' * 20_000, b"9" * 200_000])
def test_a_small_body_that_is_no_use_is_the_callers_fault(place, body):
    with place.client() as client:
        for path in ("/api/v1/verify", "/api/v1/boards/pets/actions"):
            sent = client.post(path, content=body, headers={"Content-Type": "application/json"})
            assert 400 <= sent.status_code < 500, path


def test_a_small_body_arrives_whole_wherever_it_is_read(place):
    policy = 'release = "ladder:0.01"\n' + "# more\n" * 10_000
    with place.client() as client:
        headers = bearer(place.token(scope="host"))
        told = {"action": "policy", "value": policy}
        done = client.post("/api/v1/boards/pets/actions", json=told, headers=headers)
        assert done.status_code == 200
        lines = client.request("GET", "/api/v1/boards/pets/ledger.jsonl", headers=headers,
                               content=b"x" * 1000)  # fmt: skip
    assert lines.status_code == 200


@contextlib.contextmanager
def limited(place, monkeypatch, seconds):
    """Serve on a real socket as `holdfast serve` does, with heads that may take so long."""
    import uvicorn

    monkeypatch.setattr(Limited, "seconds", seconds)
    port = free_port()
    config = uvicorn.Config(place.app(), port=port, http=Limited, log_config=None)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        wait_until(lambda: server.started)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()


def connected(url):
    connection = socket.create_connection((urlsplit(url).hostname, urlsplit(url).port))
    connection.settimeout(10)
    return connection


GET = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"


@pytest.mark.slow
def test_connections_on_which_no_head_ends_are_closed(place, monkeypatch):
    """Nothing, half a head, and half of the next one; drop by drop, too."""
    with limited(place, monkeypatch, 2.5) as url:
        idle, half, second, drops = (connected(url) for _ in range(4))
        half.sendall(GET)
        second.sendall(GET + b"\r\n")
        assert second.recv(1000).startswith(b"HTTP/1.1 200")
        second.sendall(GET)
        drops.sendall(GET)
        good, begun = connected(url), time.monotonic()
        with contextlib.suppress(OSError):  # it is closed meanwhile
            while time.monotonic() - begun < 20:
                drops.sendall(b"a: b\r\n")
                good.sendall(GET + b"\r\n")
                assert good.recv(1000).startswith(b"HTTP/1.1 200")
                time.sleep(0.1)
        assert time.monotonic() - begun < 10
        for each in (idle, half, second):
            assert each.recv(1000) == b""
        good.sendall(GET + b"\r\n")  # who goes on asking is not closed
        assert good.recv(1000).startswith(b"HTTP/1.1 200")


def test_a_head_that_does_not_end_is_refused(place, monkeypatch):
    with limited(place, monkeypatch, 10) as url, connected(url) as connection:
        connection.sendall(GET + b"a: ")
        with contextlib.suppress(OSError):
            for _ in range(100):
                connection.sendall(b"b" * 4096)
                time.sleep(0.001)
            raise AssertionError("all of it is read")
        with contextlib.suppress(ConnectionResetError):
            assert connection.recv(1000).startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize("piece", [b"a: b\r\n" * 10_000, b"b" * 60_000], ids=["many", "endless"])
def test_trailers_that_do_not_end_are_refused(place, monkeypatch, piece):
    """Headers behind a body in chunks: 60 MB of them, of nobody, took a gigabyte."""
    with limited(place, monkeypatch, 10) as url, connected(url) as connection:
        head = b"POST /api/v1/verify HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        connection.sendall(head + b"1\r\nx\r\n0\r\na: ")
        with contextlib.suppress(OSError):
            for _ in range(1000):
                connection.sendall(piece)
            raise AssertionError("all of it is read")


def test_a_body_in_chunks_of_any_size_arrives_whole(place, monkeypatch):
    body = json.dumps({"receipts": ["1-x"] * 100}).encode() + b" " * 200_000
    with limited(place, monkeypatch, 10) as url:
        for size in (100, 4093, 65_536, len(body)):
            with contextlib.closing(http.client.HTTPConnection(urlsplit(url).netloc)) as client:
                pieces = (body[at : at + size] for at in range(0, len(body), size))
                headers = {"Content-Type": "application/json", "Transfer-Encoding": "chunked"}
                for _ in range(2):  # the connection goes on
                    client.request("POST", "/api/v1/verify", pieces, headers, encode_chunked=True)
                    answer = client.getresponse()
                    told = json.loads(answer.read())
                    assert answer.status == 200
                    assert len(told["receipts"]) == 1
                    pieces = iter([body])
