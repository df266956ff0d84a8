"""Seeded mutations of files: what a bad disk, a bad editor and a bad mind do to them."""

import numpy as np

TOKENS = [
    b"\n", b"\r\n", b"\r", b",", b'"', b'""', b"'", b" ", b"\t", b"\0", b"\xff", b"\xc3\xa9",
    b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\x1b[31m", b"nan", b"inf", b"-1", b"1.0", b"1.5", b"1e999",
    b"9" * 30, b"9" * 5000, b"0x" + b"f" * 6000, b"x" * 5000, b"1979-05-27", b"True", b"False",
    b"None", b"[", b"]", b"{", b"}", b"[" * 3000, b"{" * 3000, b"(" * 200, b"a." * 500, b"=", b"#",
    b":", b"- ", b"&a ", b"*a", b"<<: ", b"!!python/object:os.system ", b"%", b"\x93NUMPY", b"|O",
    b"<U0", b"<U99999999", b"<i3", b"(99999999999,)", b"(60000000,)",
]  # fmt: skip


def mutated(data: bytes, rng: np.random.Generator) -> bytes:
    """Return a file with one to four random edits."""
    edited = bytearray(data)
    for _ in range(int(rng.integers(1, 5))):
        at = int(rng.integers(0, len(edited) + 1))
        # Headers decide more than bodies do.
        if rng.random() < 0.4:
            at = min(at, int(rng.integers(0, 120)))
        span = int(rng.integers(1, 20))
        kind = int(rng.integers(7))
        if kind == 0:
            edited[at : at + span] = b""
        elif kind == 1:
            edited[at:at] = TOKENS[int(rng.integers(len(TOKENS)))]
        elif kind == 2:
            edited[at : at + span] = TOKENS[int(rng.integers(len(TOKENS)))]
        elif kind == 3:
            edited[at : at + span] = rng.bytes(min(span, len(edited) - at))
        elif kind == 4:
            edited[at:at] = edited[at : at + 10 * span]
        elif kind == 5:
            del edited[at:]
        elif at < len(edited):
            edited[at] ^= 1 << int(rng.integers(8))
    return bytes(edited)
