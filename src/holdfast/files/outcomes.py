"""Outcomes of tasks as the tools write them that run them: one number for each task id.

Every reader returns `{id: outcome}`, outcomes as booleans or numbers as the file has them. Which
one reads a file is told by what the file is, never by its name:

- a JSON object of id and outcome, or a list or JSON lines of rows with an id and an outcome; where
  a task was run several times, a list of outcomes;
- a SWE-bench report, a JSON object with `resolved_ids`;
- an Inspect log, a zip file with samples in it (`.eval`), or the same as one JSON object;
- lm-eval's sample files, JSON lines with a `doc_id`;
- a test run as JUnit XML.
"""

from __future__ import annotations

import json
import os
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

from holdfast.errors import InvalidInput
from holdfast.extras import needed_for
from holdfast.files.text_files import open_regular_file
from holdfast.quoting import listed, quoted, shortened

__all__ = ["ZIP_ERRORS", "parse_outcomes", "read_outcomes", "read_tasks"]

# Larger files are no outcomes of tasks.
LARGEST_FILE = 256 << 20
# How a zip file begins.
ZIP = b"PK\x03\x04"
# What rows call the id and the outcome, the first that is there.
ID_KEYS = ("id", "task_id", "instance_id", "sample_id", "doc_id", "task", "name")
OUTCOME_KEYS = ("passed", "resolved", "correct", "outcome", "success", "score", "reward", "acc")
# What Inspect's scorers write for correct, incorrect, partial and no answer.
INSPECT_VALUES = {"C": True, "I": False, "N": False, "P": 0.5}
# Lists of a SWE-bench report whose ids were not resolved.
NOT_RESOLVED = ("submitted_ids", "incomplete_ids", "unresolved_ids", "error_ids", "empty_patch_ids")

# The compression method of Zstandard in a zip file, which the standard library reads from Python
# 3.14 on, and where the lengths of name and extra field stand in a member's own header.
ZSTANDARD, LOCAL_HEADER_LENGTHS = 93, 26
# What is raised where a zip file is broken, encrypted or packed in a way that nobody here knows.
ZIP_ERRORS = (
    zipfile.BadZipFile,
    NotImplementedError,
    OSError,
    RuntimeError,
    EOFError,
    struct.error,
    zlib.error,
)

Found = dict[str, bool | float]


def read_outcomes(
    path: str | os.PathLike[str], *, score: str | None = None, mean: bool = False
) -> Found:
    r"""Read the outcome of each task from a file, or raise `InvalidInput` naming it and the rule.

    Parameters
    ----------
    path
        The file.
    score
        Which score to read where a file has several: the scorer of an Inspect log, "metric,filter"
        of lm-eval's samples, the key of rows.
    mean
        Take the mean where a task was run several times; by default that is an error.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "report.json")
    ...     _ = path.write_text('{"resolved_ids": ["a"], "unresolved_ids": ["b"]}')
    ...     read_outcomes(path)
    {'b': False, 'a': True}
    """
    path = Path(path)
    data = _content(path, "outcomes")
    if data.startswith(ZIP):
        return _merged(path, _inspect_zip(path, score), mean)
    text = _decoded(path, data)
    if text.lstrip().startswith("<"):
        return _merged(path, _junit(path, text), mean)
    return _merged(path, _json(path, text, score), mean)


def parse_outcomes(data: bytes) -> Found:
    """Return the outcomes that somebody sends as JSON or JSON lines, or raise `InvalidInput`.

    >>> parse_outcomes(b'{"fix-1": true, "fix-2": false}')
    {'fix-1': True, 'fix-2': False}
    """
    sent = Path("of the submission")
    return _merged(sent, _json(sent, _decoded(sent, data), None), mean=False)


def read_tasks(path: str | os.PathLike[str]) -> list[str]:
    r"""Read the ids of all tasks: a text file with one a line, a JSON list, or any outcomes.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "tasks.txt")
    ...     _ = path.write_text("fix-1\nfix-2\n")
    ...     read_tasks(path)
    ['fix-1', 'fix-2']
    """
    path = Path(path)
    data = _content(path, "tasks")
    text = "" if data.startswith(ZIP) else _decoded(path, data)
    if not text or text.lstrip()[:1] in ("{", "<"):
        return list(read_outcomes(path, mean=True))
    if not text.lstrip().startswith("["):
        return [line.strip() for line in text.splitlines() if line.strip()]
    ids = _loaded(path, text)
    if all(isinstance(each, str) for each in ids):
        return list(ids)
    return list(read_outcomes(path, mean=True))


def _content(path: Path, what: str) -> bytes:
    """Return what a regular file holds: a pipe or a device may have no end."""
    with open_regular_file(path, name=f"{what} {path}") as file:
        size = os.fstat(file.fileno()).st_size
        if size > LARGEST_FILE:
            raise InvalidInput(
                f"{what} {path} must be at most {LARGEST_FILE >> 20} MiB, got {size >> 20}."
            )
        try:
            return file.read(LARGEST_FILE)
        except OSError as error:
            raise InvalidInput(f"{what} {path} must be readable: {error.strerror}.") from None


def _refused(path: Path, rule: str) -> InvalidInput:
    return InvalidInput(f"outcomes {path} must {rule}.")


def _decoded(path: Path, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _refused(path, "be JSON, JSON lines, JUnit XML or an Inspect log in UTF-8") from None


def _loaded(path: Path, text: str, line: int | None = None) -> Any:
    """Return what a JSON text says."""
    try:
        return json.loads(text, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError) as error:
        where = "" if line is None else f" in line {line}"
        what = error if isinstance(error, ValueError) else "nested too deeply"
        raise _refused(path, f"be JSON or JSON lines, got an error{where}: {what}") from None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; one that says two things of one key is an error."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [key for key, _ in pairs]
        twice = next(key for key in names if names.count(key) > 1)
        raise ValueError(f"key {quoted(twice)} stands twice in one object")
    return found


def _merged(path: Path, rows: Iterable[tuple[str, object]], mean: bool) -> Found:
    """Return one outcome for each id; several of one task are an error, or their mean."""
    found: dict[str, list[bool | float]] = {}
    for task, outcome in rows:
        if not isinstance(outcome, bool | int | float) or not abs(outcome) <= sys.float_info.max:
            raise _refused(
                path, f"say true, false or a number, got {quoted(outcome)} for {quoted(task)}"
            )
        found.setdefault(task, []).append(outcome)
    if not found:
        raise _refused(path, "have the outcome of one task at least, got none")
    twice = next((task for task, several in found.items() if len(several) > 1), None)
    if twice is not None and not mean:
        raise _refused(
            path,
            f"have one outcome for each task, got {len(found[twice])} for {quoted(twice)}; "
            "take the mean of several runs with --mean (mean=True)",
        )
    return {
        task: several[0] if len(several) == 1 else sum(map(float, several)) / len(several)
        for task, several in found.items()
    }


def _json(path: Path, text: str, score: str | None) -> Iterable[tuple[str, object]]:
    """Yield what a JSON text says, or JSON lines."""
    lines = [(at, each) for at, each in enumerate(text.splitlines(), 1) if each.strip()]
    try:
        whole = _loaded(path, text)
    except InvalidInput:
        # Not one value: a value a line, then.
        if len(lines) < 2 or not all(each.lstrip().startswith("{") for _, each in lines):
            raise
        return _rows(path, [_loaded(path, each, at) for at, each in lines], score)
    if isinstance(whole, list):
        return _rows(path, whole, score)
    if not isinstance(whole, dict):
        raise _refused(path, f"be an object, a list or JSON lines, got {quoted(whole)}")
    if "resolved_ids" in whole:
        return _swe_bench(path, whole)
    if isinstance(whole.get("samples"), list) and "eval" in whole:
        return _inspect(path, whole["samples"], score)
    if any(key in whole for key in ID_KEYS) and _is_row(whole):
        return _rows(path, [whole], score)
    return [(task, each) for task, outcome in whole.items() for each in _runs(outcome)]


def _runs(outcome: object) -> list[Any]:
    """Return the outcomes of each run of a task: a list holds those of several."""
    return outcome if isinstance(outcome, list) and outcome else [outcome]


def _is_row(row: Mapping[str, Any]) -> bool:
    """Tell a single row from an object of ids and outcomes."""
    return "metrics" in row or any(isinstance(row.get(key), str) for key in ID_KEYS)


def _rows(path: Path, rows: list[Any], score: str | None) -> Iterable[tuple[str, object]]:
    """Yield id and outcome of each row; of lm-eval's, those of one filter."""
    score, _, wanted_filter = (score or "").partition(",")
    for row in _of_filter(path, rows, wanted_filter):
        names = [key for key in ID_KEYS if key in row]
        if not names:
            raise _refused(
                path, f"have an id in every row, one of {listed(ID_KEYS)}, got {listed(row)}"
            )
        metrics = list(map(str, row["metrics"])) if _is_sample_of_lm_eval(row) else None
        wanted = [score] if score else OUTCOME_KEYS if metrics is None else metrics
        keys = [key for key in wanted if key in row]
        if not keys or (len(keys) > 1 and "metrics" in row):
            got = f"several: {listed(keys)}" if keys else listed(metrics or row)
            raise _refused(
                path,
                f"have an outcome in every row, one of {listed(wanted)}, got {got}; "
                "name it with --key (score=)",
            )
        # A list among lm-eval's samples is what a metric is computed from.
        runs = _runs(row[keys[0]]) if metrics is None else [row[keys[0]]]
        yield from ((str(row[names[0]]), each) for each in runs)


def _of_filter(path: Path, rows: list[Any], wanted: str) -> Iterable[Mapping[str, Any]]:
    """Return the rows of a filter: lm-eval's samples have each task once for each filter."""
    stray = next((row for row in rows if not isinstance(row, dict)), None)
    if stray is not None:
        raise _refused(path, f"hold rows with an id and an outcome, got {quoted(stray)}")
    known = dict.fromkeys(str(row.get("filter")) for row in rows if _is_sample_of_lm_eval(row))
    if not wanted and len(known) < 2:
        return rows
    if wanted not in known:
        got = listed(known) or "rows without filters"
        raise _refused(
            path, f"be read by one filter, got {got}; name it with --key METRIC,FILTER (score=)"
        )
    return [row for row in rows if row.get("filter") == wanted]


def _is_sample_of_lm_eval(row: Mapping[str, Any]) -> bool:
    return "doc_id" in row and isinstance(row.get("metrics"), list)


def _swe_bench(path: Path, report: Mapping[str, Any]) -> Iterable[tuple[str, object]]:
    """Yield each instance of a report, and whether it was resolved."""
    found: dict[str, object] = {}
    for key in (*NOT_RESOLVED, "resolved_ids"):
        ids = report.get(key, [])
        if not (isinstance(ids, list) and all(isinstance(each, str) for each in ids)):
            raise _refused(path, f"list ids under {key}, got {quoted(ids)}")
        found |= dict.fromkeys(ids, key == "resolved_ids")
    return found.items()


def _inspect_zip(path: Path, score: str | None) -> Iterable[tuple[str, object]]:
    """Yield the samples of an Inspect log."""
    try:
        with zipfile.ZipFile(path) as log:
            names = [each for each in log.infolist() if _is_sample(each.filename)]
            if sum(each.file_size for each in names) > LARGEST_FILE:
                raise _refused(path, f"unpack to at most {LARGEST_FILE >> 20} MiB")
            samples = [_loaded(path, _decoded(path, _unpacked(log, each))) for each in names]
    except ZIP_ERRORS as error:
        # What the library says quotes names of the file's, of any length.
        said = shortened(str(error))
        raise _refused(path, f"be an Inspect log, got a zip file with an error: {said}") from None
    return _inspect(path, samples, score)


def _unpacked(log: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return a member of a zip file, also where it is packed by Zstandard, as new logs are."""
    if member.compress_type != ZSTANDARD:
        return log.read(member)
    with needed_for("an Inspect log packed by Zstandard"):
        import zstandard
    assert log.fp is not None
    log.fp.seek(member.header_offset + LOCAL_HEADER_LENGTHS)
    name_size, extra_size = struct.unpack("<HH", log.fp.read(4))
    log.fp.seek(name_size + extra_size, os.SEEK_CUR)
    packed = log.fp.read(member.compress_size)
    try:
        with zstandard.ZstdDecompressor().stream_reader(packed) as reader:
            data: bytes = reader.read(member.file_size + 1)
    except zstandard.ZstdError as error:
        raise zipfile.BadZipFile(str(error)) from None
    if len(data) != member.file_size:
        raise zipfile.BadZipFile(f"{member.filename} has another size than the file says")
    return data


def _is_sample(name: str) -> bool:
    return name.startswith("samples/") and name.endswith(".json")


def _inspect(path: Path, samples: list[Any], score: str | None) -> Iterable[tuple[str, object]]:
    """Yield the score of each sample of an Inspect log.

    A task of which a run broke off has no outcome: whether it fails is for the owner to say.
    """
    if not all(isinstance(sample, dict) and "id" in sample for sample in samples):
        raise _refused(path, "hold samples with an id and scores, got one without")
    broken = {
        str(sample["id"]) for sample in samples if sample.get("error") and not sample.get("scores")
    }
    for sample in samples:
        if str(sample["id"]) in broken:
            continue
        scores = sample.get("scores")
        if not (isinstance(scores, dict) and scores):
            raise _refused(path, "hold samples with an id and scores, got one without")
        names = [score] if score is not None else list(scores)
        if len(names) != 1 or names[0] not in scores:
            raise _refused(
                path,
                f"have one score for each sample, got {listed(scores)}; "
                "name it with --key (score=)",
            )
        value = scores[names[0]].get("value") if isinstance(scores[names[0]], dict) else None
        yield (
            str(sample["id"]),
            INSPECT_VALUES.get(value, value) if isinstance(value, str) else value,
        )


def _junit(path: Path, text: str) -> Iterable[tuple[str, object]]:
    """Yield each test case that was run, and whether it passed; skipped ones have failed.

    Of a test that fails and whose teardown is in error, too, pytest writes two cases in a row.
    """
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise _refused(path, "be JUnit XML without a document type")
    try:
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, expat.ExpatError, ValueError) as error:
        raise _refused(path, f"be JUnit XML, got an error: {error}") from None
    before = None
    for case in root.iter("testcase"):
        parts = (case.get("classname"), case.get("name"))
        name = "::".join(each for each in parts if each)
        faults = {each for each in ("failure", "error", "skipped") if case.find(each) is not None}
        if not (before == (name, {"failure"}) and faults == {"error"}):
            yield name, not faults
        before = name, faults
