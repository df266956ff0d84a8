"""Label files: CSV with any column and class names, and NPY.

A CSV file holds class *names*: they are numbered in sorted order (numerically if all are
integers). An NPY file of integers holds class *numbers*, which stay as they are. To read a second
file in the numbering of a first one, hand it the first one's `class_names`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.csv_columns import Column, read_columns
from holdfast.errors import InvalidInput
from holdfast.labels import Labels, as_labels, label_dtype
from holdfast.quoting import listed, quoted, shortened

__all__ = ["LabelFile", "read_labels"]

NPY_MAGIC = b"\x93NUMPY"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, eq=False)
class LabelFile:
    """What a label file holds.

    Attributes
    ----------
    labels
        One class number per example, in the file's order.
    class_names
        The name of each class number.
    ids
        One distinct id per example, integers if all of them are, else strings; None if the file
        has no ids.
    split
        Which part of the test set each example belongs to, as a number, and `split_names` the
        names found in the `Usage` or `split` column; None if the file has no such column.
    """

    labels: Labels
    class_names: tuple[str, ...]
    ids: NDArray[Any] | None = None
    split: NDArray[Any] | None = None
    split_names: tuple[str, ...] = ()

    @property
    def n_examples(self) -> int:
        """Number of examples."""
        return int(self.labels.size)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.class_names)


def read_labels(
    path: str | os.PathLike[str],
    *,
    id_column: str | None = None,
    label_column: str | None = None,
    class_names: Sequence[str] | None = None,
) -> LabelFile:
    r"""Read a CSV or NPY file of labels, or raise `InvalidInput` naming the file and the rule.

    Parameters
    ----------
    path
        The file. One that starts like an NPY file is read as such, any other as CSV in UTF-8 with
        a first line that names the columns.
    id_column, label_column
        Which columns of a CSV file to read. By default a single column is the label, the first of
        two columns is the id and the second the label, and among more columns those named `id`
        and `label` (in any case) are taken. A column named `Usage` or `split` beside them says
        which part a row belongs to.
    class_names
        The known classes, in the order of their numbers; any other class in the file is an error.
        By default the classes are those found in the file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "truth.csv"
    ...     _ = path.write_text("image,animal\n7,dog\n9,cat\n4,dog\n")
    ...     file = read_labels(path)
    >>> file.labels, file.class_names, file.ids
    (array([1, 0, 1], dtype=uint8), ('cat', 'dog'), array([7, 9, 4]))
    """
    path = Path(path)
    if class_names is not None:
        class_names = _checked_names(class_names)
    try:
        if not path.is_dir() and not path.is_file() and path.exists():
            raise InvalidInput(f"{path} must be a regular file, got a pipe or a device.")
        with path.open("rb") as file:
            magic = file.read(len(NPY_MAGIC))
    except FileNotFoundError:
        raise InvalidInput(f"{path} must be a file, but there is none.") from None
    except IsADirectoryError:
        raise InvalidInput(f"{path} must be a file, got a directory.") from None
    except OSError as error:
        raise InvalidInput(f"{path} must be readable, got: {error.strerror}.") from None
    if not magic:
        raise InvalidInput(f"{path} must hold labels, got an empty file.")
    if magic == NPY_MAGIC:
        return _from_npy(path, class_names)
    if magic[:2] in UTF16_MARKS:
        raise InvalidInput(f"{path} must be UTF-8 text, got UTF-16; save it as UTF-8.")
    ids, column, split = read_columns(path, id_column=id_column, label_column=label_column)
    file_ = _from_names(path, column, class_names, ids)
    if split is None:
        return file_
    return replace(file_, split=split.codes, split_names=tuple(split.names))


def _checked_names(names: Sequence[str]) -> tuple[str, ...]:
    texts = tuple(str(name) for name in names)
    if len(set(texts)) != len(texts):
        twice = next(name for name in texts if texts.count(name) > 1)
        raise InvalidInput(f"class_names must be distinct, got {quoted(twice)} twice.")
    return texts


def _from_npy(path: Path, class_names: tuple[str, ...] | None) -> LabelFile:
    try:
        # Mapped, so that a header promising more than the file holds is refused, not allocated.
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        reason = shortened(str(error)).rstrip(".")
        raise InvalidInput(f"{path} must be a plain NPY array, got: {reason}.") from None
    if array.ndim != 1:
        raise InvalidInput(f"{path} must be one-dimensional, got shape {array.shape}.")
    if array.dtype.kind in "US":
        texts, codes = np.unique(array, return_inverse=True)
        firsts = np.full(texts.size, array.size)
        np.minimum.at(firsts, codes, np.arange(array.size))
        names = [
            text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
            for text in texts.tolist()
        ]
        column = Column(codes, names, [f"position {first}" for first in firsts])
        return _from_names(path, column, class_names, None)
    if array.size and array.dtype.kind in "iu":
        if array.min() < 0:
            where = int(np.argmax(array < 0))
            raise InvalidInput(
                f"{path} must hold class numbers from 0 on, got {array[where]} at position {where}."
            )
        most = len(class_names) if class_names is not None else int(array.max()) + 1
    else:
        most = 2  # as_labels names the rule that the array breaks
    labels = as_labels(array, most, name=str(path))
    names_ = class_names or tuple(str(number) for number in range(most))
    return LabelFile(np.array(labels), names_)


def _from_names(
    path: Path, column: Column, class_names: tuple[str, ...] | None, ids: NDArray[Any] | None
) -> LabelFile:
    """Check the names found, put them in order, and renumber the codes accordingly."""
    _refuse_missing(path, column, class_names or ())
    if class_names is not None:
        number = {name: index for index, name in enumerate(class_names)}
        for name, first in zip(column.names, column.firsts, strict=True):
            if name not in number:
                raise InvalidInput(
                    f"{path} must hold only known classes ({listed(class_names, quote=False)}), "
                    f"got {quoted(name)} at {first}."
                )
    else:
        _refuse_floats(path, column)
        class_names = tuple(sorted(column.names, key=_by_number_then_name(column.names)))
        number = {name: index for index, name in enumerate(class_names)}
    new = np.array([number[name] for name in column.names], dtype=label_dtype(len(class_names)))
    return LabelFile(new[column.codes], class_names, ids)


def _refuse_missing(path: Path, column: Column, known: tuple[str, ...]) -> None:
    for name, first in zip(column.names, column.firsts, strict=True):
        if (not name or name.lower() == "nan") and name not in known:
            got = "NaN" if name else "a blank"
            raise InvalidInput(f"{path} must have a label for every example, got {got} at {first}.")


def _refuse_floats(path: Path, column: Column) -> None:
    if all(_is_number(name) for name in column.names):
        for name, first in zip(column.names, column.firsts, strict=True):
            if not _is_integer(name):
                raise InvalidInput(
                    f"{path} must hold class names or integers, got {quoted(name)} at {first}."
                )


def _is_integer(text: str) -> bool:
    return text.isascii() and text.removeprefix("-").isdigit()


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _by_number_then_name(names: Sequence[str]) -> Any:
    if all(_is_integer(name) for name in names):
        return lambda name: (int(name), name)
    return str
