"""Files that somebody else wrote: opened only if they are regular files of a sane size."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import PurePath
from typing import BinaryIO

from holdfast.errors import InvalidInput

__all__ = ["LARGEST_SETTINGS", "open_regular_file", "read_text_file"]

# A file of settings with many megabytes is a slip of the pen.
LARGEST_SETTINGS = 16 << 20

# A pipe that nobody writes to must not be waited for, and a terminal not be taken over.
OPEN_FLAGS = sum(
    getattr(os, name, 0) for name in ("O_RDONLY", "O_BINARY", "O_CLOEXEC", "O_NONBLOCK", "O_NOCTTY")
)


def open_regular_file(
    path: str | os.PathLike[str],
    *,
    name: str | None = None,
    below: str | os.PathLike[str] | None = None,
) -> BinaryIO:
    """Open a file for reading its bytes, or raise `InvalidInput` if it is none.

    Parameters
    ----------
    path
        The file. A directory, a pipe or a device is refused: it may have no end.
    name
        What the message calls it; None: its path.
    below
        The folder in which somebody else may name files, with `path` relative to it: no link on the
        way is followed, whenever it is put there. None: there is none such.
    """
    name = str(path) if name is None else name
    try:
        descriptor = os.open(path, OPEN_FLAGS) if below is None else _open_below(below, path, name)
    except FileNotFoundError:
        raise InvalidInput(f"{name} must be a file, but there is none.") from None
    except IsADirectoryError:
        raise InvalidInput(f"{name} must be a file, got a directory.") from None
    except OSError as error:
        if stat.S_ISSOCK(_mode(path)):
            raise InvalidInput(f"{name} must be a regular file, got a socket.") from None
        raise InvalidInput(f"{name} must be readable, got: {error.strerror}.") from None
    except InvalidInput:
        raise
    except ValueError:
        raise InvalidInput("the name of a file must not hold a NUL character.") from None
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise InvalidInput(f"{name} must be a file, got a directory.")
        if not stat.S_ISREG(mode):
            raise InvalidInput(f"{name} must be a regular file, got a pipe or a device.")
    except BaseException:
        os.close(descriptor)
        raise
    return os.fdopen(descriptor, "rb")


def _open_below(folder: str | os.PathLike[str], path: str | os.PathLike[str], name: str) -> int:
    """Open a file below a folder one step at a time, so that no link leads out of it."""
    parts = PurePath(path).parts
    if not parts or PurePath(path).is_absolute() or ".." in parts:
        raise InvalidInput(f"{name} must be a path below its folder.")
    stay = getattr(os, "O_NOFOLLOW", 0)
    if os.open not in os.supports_dir_fd or not stay:
        return os.open(os.path.join(folder, path), OPEN_FLAGS)
    here = os.open(folder, OPEN_FLAGS | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            there = os.open(part, OPEN_FLAGS | os.O_DIRECTORY | stay, dir_fd=here)
            os.close(here)
            here = there
        return os.open(parts[-1], OPEN_FLAGS | stay, dir_fd=here)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENOTDIR):
            raise InvalidInput(f"{name} must be a file below its folder, got a link.") from None
        raise
    finally:
        os.close(here)


def read_text_file(path: str | os.PathLike[str], limit: int, *, name: str | None = None) -> str:
    """Return the text of a regular UTF-8 file of at most `limit` bytes.

    A byte order mark at the start is dropped.

    Parameters
    ----------
    path
        The file.
    limit
        The most bytes that it may have; no more are read.
    name
        What the message calls it; None: its path.
    """
    name = str(path) if name is None else name
    with open_regular_file(path, name=name) as file:
        try:
            data = file.read(limit + 1)
        except OSError as error:
            raise InvalidInput(f"{name} must be readable, got: {error.strerror}.") from None
    if len(data) > limit:
        raise InvalidInput(f"{name} must have at most {limit:,} bytes, got more.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidInput(f"{name} must be UTF-8 text, got other bytes at line {line}.") from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise InvalidInput(f"{name} must be text, got a NUL byte at line {line}.")
    return text


def _mode(path: str | os.PathLike[str]) -> int:
    try:
        return os.stat(path).st_mode
    except OSError:
        return 0
