"""Twelve label files as owners have them, and what an audit says of each.

    python -m tests.audit.label_files           compare with what was read and found true
    python -m tests.audit.label_files --write   keep what it says now; read it before you commit it
    python -m tests.audit.label_files --play    play everything anew, and keep it, before that

Each file is made from a fixed seed. What is kept is every sentence of both verdicts, in
tests/audit/verdicts.json, and what came of every play, in recorded_plays.json.gz: an audit of
plays that are known takes a second.
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from holdfast.audit import Audit, Play, Request, audit, read_request
from holdfast.audit.events import Event
from holdfast.audit.scenarios.plays import Job
from holdfast.experiments.matrix_plays import Played

KEPT = Path(__file__).with_name("verdicts.json")
PLAYS = Path(__file__).with_name("recorded_plays.json.gz")


@dataclass(frozen=True)
class Case:
    """A label file, and who writes it with the options of its audit."""

    name: str
    write: Callable[[Path, np.random.Generator], dict[str, Any]]


def table(path: Path, header: str, rows: Iterable[Iterable[object]], *, mark: str = "") -> Path:
    """Write a CSV file, with a byte order mark if one is given."""
    lines = [header, *(",".join(map(str, row)) for row in rows)]
    path.write_text(mark + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def sorted_by_label(to: Path, rng: np.random.Generator) -> dict[str, Any]:
    """Rows that come class by class, with ids that were drawn at random, under a strict rule."""
    ids = rng.permutation(10**6)[:600]
    rows = zip(ids, np.repeat(["cat", "cow", "dog"], 200), strict=True)
    return {"labels": table(to / "truth.csv", "id,label", rows), "mechanism": "ladder:0.05",
            "looks": "20"}  # fmt: skip


def numbered_by_label(to: Path, rng: np.random.Generator) -> dict[str, Any]:
    """Rows in random order whose ids were numbered class by class."""
    labels = np.repeat(["cat", "cow", "dog"], 200)
    order = rng.permutation(600)
    rows = zip(order, labels[order], strict=True)
    return {"labels": table(to / "truth.csv", "id,label", rows), "looks": "20"}


def skewed(to: Path, rng: np.random.Generator) -> dict[str, Any]:
    """One of a hundred examples is positive."""
    labels = (rng.permutation(3000) < 30).astype(int)
    rows = zip(rng.permutation(3000), labels, strict=True)
    return {"labels": table(to / "truth.csv", "id,fraud", rows), "looks": "30",
            "label_column": "fraud"}  # fmt: skip


def several_labels(to: Path, rng: np.random.Generator) -> dict[str, Any]:
    """Sets of labels as one text each, as of sounds."""
    names = np.array(["music", "speech", "dog", "rain", "siren"])
    chosen = rng.random((2000, 5)) < [0.5, 0.4, 0.2, 0.2, 0.1]
    texts = [";".join(names[row]) or "none" for row in chosen]
    rows = zip(rng.permutation(2000), texts, strict=True)
    return {"labels": table(to / "truth.csv", "clip,labels", rows), "looks": "20"}


def unicode_names(to: Path, rng: np.random.Generator) -> dict[str, Any]:
    """Names of classes and ids in several scripts, after a byte order mark."""
    names = np.array(["猫", "собака", "vache", "köttur"])
    rows = zip((f"δείγμα-{j}" for j in rng.permutation(1200)), names[rng.integers(4, size=1200)],
               strict=True)  # fmt: skip
    return {"labels": table(to / "truth.csv", "όνομα,κλάση", rows, mark="\ufeff"), "looks": "20"}


def fifty(to: Path, rng: np.random.Generator) -> dict[str, Any]:
    """Fifty rows, two classes."""
    rows = zip(rng.permutation(10**6)[:50], rng.permutation(50) % 2, strict=True)
    return {"labels": table(to / "truth.csv", "id,label", rows), "looks": "5"}


def large(to: Path, rng: np.random.Generator) -> dict[str, Any]:
    """Two hundred thousand rows, and one look."""
    np.save(to / "truth.npy", rng.integers(10, size=200_000).astype(np.uint8))
    return {"labels": to / "truth.npy", "looks": "1"}


def thousand_classes(to: Path, rng: np.random.Generator) -> dict[str, Any]:
    """A thousand classes with ten examples each."""
    labels = rng.permutation(np.repeat(np.arange(1000), 10))
    rows = zip(rng.permutation(10_000), (f"n{label:08}" for label in labels), strict=True)
    return {"labels": table(to / "truth.csv", "image,synset", rows), "looks": "50"}


def private_part(to: Path, rng: np.random.Generator) -> dict[str, Any]:
    """A public part that looks are scored on, and a private one that decides."""
    usage = np.array(["Public", "Private"])[(rng.permutation(3000) >= 1000).astype(int)]
    rows = zip(rng.permutation(3000), rng.integers(5, size=3000), usage, strict=True)
    return {"labels": table(to / "truth.csv", "id,label,Usage", rows), "looks": "40", "teams": 25}


def public_counts_too(to: Path, rng: np.random.Generator) -> dict[str, Any]:
    """The same, but the final ranking is by all rows."""
    return {**private_part(to, rng), "final": "all"}


def float_codes(to: Path, rng: np.random.Generator) -> dict[str, Any]:
    """Classes written as decimal numbers, as a data frame with gaps has them."""
    rows = zip(rng.permutation(10**6)[:900], rng.integers(3, size=900).astype(float), strict=True)
    return {"labels": table(to / "truth.csv", "id,target", rows), "looks": "8", "gap": 5.0,
            "mechanism": "round:2"}  # fmt: skip


def past_board(to: Path, rng: np.random.Generator) -> dict[str, Any]:
    """A history with a byte order mark, tied ranks, and more looks than are stated."""
    rows = zip(rng.permutation(10**6)[:418], rng.permutation(418) % 2, strict=True)
    labels = table(to / "truth.csv", "PassengerId,Survived", rows)
    scores = [(f"team {at // 11}", f"{(320 + at % 11) / 418:.5f}") for at in range(55)]
    past = table(to / "history.csv", "TeamName,PublicScore", scores, mark="\ufeff")
    return {"labels": labels, "history": past, "looks": "5"}


def good_models(to: Path, rng: np.random.Generator) -> dict[str, Any]:
    """A model that is nearly always right, a strict rule, and a wide gap: proven to be safe."""
    labels = rng.integers(4, size=20_000)
    guess = np.where(rng.random(20_000) < 0.97, labels, (labels + 1) % 4)
    np.save(to / "truth.npy", labels.astype(np.uint8))
    np.save(to / "model.npy", guess.astype(np.uint8))
    return {"labels": to / "truth.npy", "predictions": [to / "model.npy"], "looks": "10",
            "mechanism": "ladder:0.02", "gap": 4.0}  # fmt: skip


CASES = [
    Case("sorted by label", sorted_by_label),
    Case("ids numbered by label", numbered_by_label),
    Case("one in a hundred", skewed),
    Case("several labels as text", several_labels),
    Case("Unicode names", unicode_names),
    Case("fifty rows", fifty),
    Case("200,000 rows", large),
    Case("1,000 classes", thousand_classes),
    Case("private part decides", private_part),
    Case("public part counts, too", public_counts_too),
    Case("float codes", float_codes),
    Case("history with a mark", past_board),
    Case("good model, strict rule", good_models),
]


def request_of(case: Case) -> Request:
    """Make the file and read it."""
    with tempfile.TemporaryDirectory() as folder:
        options = case.write(Path(folder), np.random.default_rng(12))
        return read_request(**options)


def audited(case: Case) -> Audit:
    """Make the file and audit it by the plays that are kept."""
    plays = recorded()[case.name]

    def play(jobs: Iterable[Job], on_done: Any = None) -> Iterator[Played]:
        for job in jobs:
            played = played_as(plays, job)
            if on_done is not None:
                on_done(job, played)
            yield played

    return audit(request_of(case), play=play)


def place(job: Job) -> str:
    """Return where the trials of a play are kept."""
    return f"{job.attack}|{job.setting}|{job.accounts}|{job.rule}|{job.looks}"


def played_as(plays: dict[str, Any], job: Job) -> Played:
    """Return what came of a play when it was recorded."""
    found = plays.get(place(job), {}).get(str(job.trial))
    assert found is not None, f"{job} was never played: python -m tests.audit.label_files --play"
    return Played(0.0, 0, found) if isinstance(found, str) else Played(found, job.looks)


@cache
def recorded() -> dict[str, Any]:
    """Return every play: what was gained, or why it could not be played, by trial."""
    plays: dict[str, Any] = json.loads(gzip.decompress(PLAYS.read_bytes()))
    return plays


def record() -> None:
    """Play every audit, and keep what came of each play."""
    now: dict[str, dict[str, Any]] = {}
    for case in CASES:
        plays = now.setdefault(case.name, {})

        def take(event: Event, plays: dict[str, Any] = plays) -> None:
            if isinstance(event, Play):
                played, of_trials = event.played, plays.setdefault(place(event.job), {})
                told = played.bias if played.reason is None else played.reason
                of_trials[str(event.job.trial)] = told

        audit(request_of(case), on_event=take)
        print(f"{case.name}: {sum(map(len, plays.values())):,} plays", flush=True)
    keep(now)


def keep(plays: dict[str, Any]) -> None:
    """Write plays into their file, the same bytes for the same plays."""
    text = json.dumps(plays, sort_keys=True, separators=(",", ":"))
    PLAYS.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def said(result: Audit) -> dict[str, Any]:
    """Return every sentence of the verdicts, and the findings."""
    return {
        "header": result.board.header,
        "findings": [each.what for each in result.findings],
        **{
            verdict.about: [
                verdict.sentence,
                *([] if verdict.certified is None else [verdict.certified]),
                *(fix.text for fix in verdict.fixes),
                *verdict.would_do,
            ]
            for verdict in result.verdicts
        },
    }


def kept() -> dict[str, Any]:
    """Return what was read and found true."""
    sentences: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8"))
    return sentences


def main() -> int:
    """Play, compare, or write."""
    if "--play" in sys.argv:
        record()
    now = {}
    for case in CASES:
        now[case.name] = said(audited(case))
        print(case.name, json.dumps(now[case.name], indent=1, ensure_ascii=False), flush=True)
    if "--write" in sys.argv:
        KEPT.write_text(json.dumps(now, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return 0
    differing = [name for name, sentences in kept().items() if now.get(name) != sentences]
    print(f"differ: {', '.join(differing) or 'none'}")
    return bool(differing)


if __name__ == "__main__":
    sys.exit(main())
