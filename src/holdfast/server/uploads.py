"""Bodies of requests: limits on their size, packed or not.

An upload may be as large as its board's test set wants, which is public; all else is small.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import AsyncIterator

from starlette.types import Message, Receive

from holdfast.server.problems import Problem

__all__ = ["LARGEST_BODY", "given", "is_upload", "largest_upload", "read_body", "unpacked"]

# Of forms, JSON and whatever else is no upload.
LARGEST_BODY = 256 * 1024
# Addresses that say themselves how much they take, once they know who asks.
UPLOADS = re.compile(r"/api/v1/boards/[^/]+(/service)?/submissions|/b/[^/]+/submit")

# A row has an id and a class of some letters; ids and names may be long, within reason.
BYTES_PER_ROW, BYTES_PER_COLUMN, BYTES_BESIDES = 64, 32, 64 * 1024


def is_upload(method: str, path: str) -> bool:
    """Tell whether what is sent to an address is an upload.

    >>> is_upload("POST", "/b/pets/submit"), is_upload("POST", "/api/v1/verify")
    (True, False)
    """
    return method == "POST" and UPLOADS.fullmatch(path) is not None


def largest_upload(n_examples: int, n_columns: int = 1, longest_id: int = 0) -> int:
    """Return how many bytes an upload may have, as sent and when inflated.

    >>> largest_upload(1000), largest_upload(1000, n_columns=10)
    (129536, 417536)
    """
    # A number is written with up to 25 characters, an escaped letter of an id with six.
    row = BYTES_PER_ROW + BYTES_PER_COLUMN * max(0, n_columns - 1) + 6 * longest_id
    return row * n_examples + BYTES_BESIDES


def given(body: bytes, receive: Receive) -> Receive:
    """Return what gives a body that was read already, and then what `receive` gives."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return messages.pop() if messages else await receive()

    return again


async def read_body(stream: AsyncIterator[bytes], announced: str | None, most: int) -> bytes:
    """Return a body, or raise as soon as it is too large."""
    if announced is not None and announced.isdecimal() and int(announced) > most:
        raise _too_large(most)
    pieces, size = [], 0
    async for piece in stream:
        size += len(piece)
        if size > most:
            raise _too_large(most)
        pieces.append(piece)
    return b"".join(pieces)


def unpacked(body: bytes, encoding: str | None, most: int) -> bytes:
    """Return a body without its content encoding: gzip, deflate or none."""
    word = (encoding or "identity").strip().lower()
    if word == "identity":
        return body
    if word not in ("gzip", "deflate"):
        raise Problem("bad_request", "Content-Encoding must be gzip, deflate or identity.")
    inflater = zlib.decompressobj(zlib.MAX_WBITS | 32)  # either header
    try:
        found = inflater.decompress(body, most + 1)  # so that a bomb is noticed early
    except zlib.error:
        raise Problem("bad_request", f"The body must be {word}, as it says.") from None
    if len(found) > most:
        raise _too_large(most)
    if not inflater.eof:
        raise Problem("bad_request", "The body ends before its compressed content does.")
    return found


def _too_large(most: int) -> Problem:
    return Problem("too_large", f"A request may have {most:,} bytes here.")
