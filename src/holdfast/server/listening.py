"""Connections: a request's head has a limit on its size and on its time, as bodies have.

A head is what comes before the body: the line with the address, and the headers. uvicorn waits for
it without an end, and keeps as much of it as comes.
"""

from __future__ import annotations

from asyncio import Transport

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

__all__ = ["Limited"]

# What asyncio reads at once, of which trailers may be the end.
LARGEST_READ = 256 * 1024


class Limited(HttpToolsProtocol):
    """HTTP/1.1 that ends connections on which no request comes to the end of its head."""

    seconds = 20.0
    most = 64 * 1024

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._in_head, self._size, self._since = True, 0, self.loop.time()
        self._timer = self.loop.call_later(self.seconds, self._look_after)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, unless a head is too large."""
        super().data_received(data)
        if self._in_head:
            self._size += len(data)
            if self._size > self.most and not self.transport.is_closing():
                self.send_400_response("The headers are too large.")

    def on_message_begin(self) -> None:
        """Note that a head begins."""
        super().on_message_begin()
        self._in_head, self._size = True, 0

    def on_headers_complete(self) -> None:
        """Note that a head is complete."""
        super().on_headers_complete()
        self._in_head = False

    def on_chunk_header(self) -> None:
        """Count what follows a chunk's length, unless it is a body: trailers, which are kept."""
        self._in_head, self._size = True, -LARGEST_READ

    def on_body(self, body: bytes) -> None:
        """Note that no trailers came."""
        super().on_body(body)
        self._in_head = False

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        super().on_response_complete()
        self._since = self.loop.time()

    def _look_after(self) -> None:
        """Close the connection if nothing has been asked on it for too long; or look again."""
        left = self.seconds
        if self.cycle is None or self.cycle.response_complete:
            left += self._since - self.loop.time()
        if left <= 0:
            self.transport.close()
        else:
            self._timer = self.loop.call_later(left, self._look_after)
