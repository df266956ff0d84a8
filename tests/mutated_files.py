"""Read many mutated files of one kind: `python -m tests.mutated_files KIND COUNT SEED FOLDER`.

Prints, as JSON, how many were read, how many were refused, what went wrong, and the peak of memory
in megabytes. A file is either read or refused by an error of the package with one line.
"""

import io
import json
import sys
import traceback
import warnings
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from holdfast.audit.inputs.history import read_history
from holdfast.errors import HoldfastError
from holdfast.files.label_files import read_labels
from holdfast.files.outcomes import read_tasks
from holdfast.files.tables import read_groups
from holdfast.guard import GuardedFile, OutcomeGuard, Policy
from holdfast.guard.class_names import read_classes
from holdfast.guard.files import read_private_labels
from holdfast.guard.policy import POLICY_TEMPLATE
from holdfast.guard.solution import Solution
from holdfast.lint import lint
from holdfast.metrics import Submission
from holdfast.problem import Problem
from holdfast.transcript import FORMAT, Transcript
from tests.lint.shapes import BLANK_LIMITS, CONF_JSON, DECIMAL_PRECISION, PHASENUMBER
from tests.mutations import mutated

# A message names the file and quotes some of it.
LONGEST_MESSAGE = 600

ROWS = [(7 * i % 40, i % 4) for i in range(40)]
TABLES = [
    "id,label\n" + "".join(f"{i},{label}\n" for i, label in ROWS),
    "image,animal\n" + "".join(f"img_{i:03d},animal_{label}\n" for i, label in ROWS),
    "id,label,Usage\n" + "".join(f'"{i}",{label}.0,Public\n' for i, label in ROWS),
    "label\r\n" + "".join(f"{label}\r\n" for _, label in ROWS),
]
HISTORY = "team,time,score,private\n" + "".join(
    f"team {i % 3},2026-03-{i + 1:02d}T12:00,0.{50 + i},0.{49 + i}\n" for i in range(20)
)
POLICY = """\
release = "thresholdout:threshold=0.04,scale=0.01,budget=50+round:3"
window = "7 days"
min_gap = "10 minutes"
days = 60
teams = 40
ranking_gap = 1.0
classes = ["cat", "dog"]
witness = "../witness.db"
"""
PROBLEM = Problem(3, 2, 5)


def npy(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


ARRAYS = [
    npy(np.array([label for _, label in ROWS])),
    npy(np.array([label for _, label in ROWS], dtype=np.float32)),
    npy(np.array([label > 1 for _, label in ROWS])),
    npy(np.array([f"name {label}" for _, label in ROWS])),
    npy(np.array([f"name {label}".encode() for _, label in ROWS])),
]
TRANSCRIPT = (
    json.dumps({"format": FORMAT, "problem": PROBLEM._asdict()})
    + "\n"
    + "".join(json.dumps({"query": "ab" * 16, "answer": i / 3}) + "\n" for i in range(3))
)


def read_submission(path, truth=[]):  # noqa: B006 - read once
    if not truth:
        path.with_name("truth.csv").write_text(TABLES[0])
        truth.append(read_labels(path.with_name("truth.csv")))
    file = read_labels(path)
    Solution(truth[0], declared=False).predicted(file, name="submission")


# What submissions hold, by form: a metric, the hidden table, and tables and arrays handed in.
CELLS = [(i, (7 * i % 11) / 10, i % 3, (i + 1) % 3) for i in range(30)]
HIDDEN = "id,label\n" + "".join(f"{i},{['cat', 'dog', 'emu'][c]}\n" for i, _, c, _ in CELLS)
BINARY = "id,label\n" + "".join(f"{i},{int(c > 0)}\n" for i, _, c, _ in CELLS)
TARGETS = "id,label\n" + "".join(f"{i},{x}\n" for i, x, _, _ in CELLS)
SETS = "id,cat,dog\n" + "".join(f"{i},{int(c > 0)},{int(d > 0)}\n" for i, _, c, d in CELLS)
ROW = {0: "1,0,0", 1: "0.25,0.5,0.25", 2: "0,0,1"}
FORMS = {
    Submission.LABELS: ("f1_macro", HIDDEN, [HIDDEN, npy(np.array([c for *_, c, _ in CELLS]))]),
    Submission.NUMBERS: ("mse", TARGETS, [TARGETS, npy(np.array([x for _, x, *_ in CELLS]))]),
    Submission.SCORES: (
        "roc_auc",
        BINARY,
        [TARGETS, npy(np.array([[x] for _, x, *_ in CELLS], dtype=np.float32))],
    ),
    Submission.PROBABILITIES: (
        "log_loss[0,10]",
        HIDDEN,
        [
            "id,emu,cat,dog\n" + "".join(f"{i},{ROW[c]}\n" for i, _, c, _ in CELLS),
            npy(np.full((len(CELLS), 3), 1 / 3)),
        ],
    ),
    Submission.RANKED_LABELS: (
        "top_k_accuracy:2",
        HIDDEN,
        [
            "id,a,b\n" + "".join(f"{i},cat,{['dog', 'emu', 'dog'][c]}\n" for i, _, c, _ in CELLS),
            npy(np.array([[c, (c + 1) % 3] for *_, c, _ in CELLS])),
        ],
    ),
    Submission.LABEL_SETS: (
        "exact_match",
        SETS,
        [SETS, npy(np.array([[c > 0, d > 0] for *_, c, d in CELLS]))],
    ),
}
# Outcomes of tasks, in each format that is read.
PASSED = {f"task-{i}": c > 0 for i, _, c, _ in CELLS}
SAMPLES = [
    {"id": task, "epoch": 1, "scores": {"includes": {"value": "C" if passed else "I"}}}
    for task, passed in PASSED.items()
]


def inspect_log():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as log:
        for sample in SAMPLES:
            log.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
    return stream.getvalue()


OUTCOMES = [
    json.dumps(PASSED),
    "\n".join(json.dumps({"task_id": task, "score": int(p)}) for task, p in PASSED.items()),
    json.dumps({"eval": {}, "samples": SAMPLES}),
    json.dumps({
        "resolved_ids": [task for task, passed in PASSED.items() if passed],
        "unresolved_ids": [task for task, passed in PASSED.items() if not passed],
        "submitted_ids": list(PASSED),
        "completed_ids": list(PASSED),
        "incomplete_ids": [], "empty_patch_ids": [], "error_ids": [], "schema_version": 2,
    }),
    "<testsuite>" + "".join(
        f'<testcase name="{task}">{"" if passed else "<failure/>"}</testcase>'
        for task, passed in PASSED.items()
    ) + "</testsuite>",
    inspect_log(),
]  # fmt: skip
PLENTY = 10**6


def scored_outcomes(path, hosts={}):  # noqa: B006 - made once for each folder
    if path.parent not in hosts:
        policy = Policy("exact", looks_per_team=PLENTY, refusals_per_team=PLENTY)
        policy = replace(policy, looks_per_data_set=PLENTY)
        ledger = path.with_name("ledger.db")
        hosts[path.parent] = OutcomeGuard(
            list(PASSED), policy, ledger, secret=b"0" * 32, create=True
        )
    hosts[path.parent].score_file(path, team="blue")


def scored(form):
    """Return what scores a file in this form, or says why it is refused."""
    metric, hidden, _ = FORMS[form]
    hosts = {}

    def read(path):
        if path.parent not in hosts:
            truth = path.with_name("truth.csv")
            truth.write_text(hidden)
            truth.chmod(0o600)
            policy = Policy("exact", metric=metric, looks_per_team=PLENTY, refusals_per_team=PLENTY)
            policy = replace(policy, looks_per_data_set=PLENTY)
            ledger = path.with_name("ledger.db")
            hosts[path.parent] = GuardedFile(truth, policy, ledger, create=True)
        hosts[path.parent].score(path, team="blue")

    return read


def read_truth(form):
    """Return what reads hidden values in this form."""
    return lambda path: read_private_labels(path, takes=form, shared=True)


KINDS = {
    **{f"{form.name.lower()}.table": (FORMS[form][2], scored(form)) for form in FORMS},
    "outcomes": (OUTCOMES, scored_outcomes),
    "tasks.txt": (["\n".join(PASSED), json.dumps(PASSED)], read_tasks),
    "hidden_numbers.csv": ([TARGETS], read_truth(Submission.NUMBERS)),
    "hidden_sets.csv": ([SETS], read_truth(Submission.LABEL_SETS)),
    "groups.csv": (TABLES[2:3], lambda path: read_groups(path, "Usage", 40)),
    "truth.csv": (TABLES, read_labels),
    "submission.csv": (TABLES, read_submission),
    "labels.npy": (ARRAYS, read_labels),
    "policy.toml": ([POLICY_TEMPLATE, POLICY], Policy.read),
    "classes.txt": (["cat\ndog\nemu\n"], read_classes),
    "history.csv": ([HISTORY], read_history),
    "config.yaml": (
        [BLANK_LIMITS, DECIMAL_PRECISION, PHASENUMBER],
        lambda path: lint(path, n_examples=100, n_classes=10),
    ),
    "conf.json": ([CONF_JSON], lint),
    "looks.jsonl": ([TRANSCRIPT], lambda path: Transcript(PROBLEM, path)),
}


def run(kind, count, seed, folder):
    """Return what became of so many mutated files."""
    rng = np.random.default_rng(seed)
    originals, read = KINDS[kind]
    path = Path(folder) / kind
    outcome = {"read": 0, "refused": 0, "faults": []}
    for number in range(count):
        original = originals[int(rng.integers(len(originals)))]
        data = mutated(original if isinstance(original, bytes) else original.encode(), rng)
        path.write_bytes(data)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                read(path)
            outcome["read"] += 1
        except HoldfastError as error:
            outcome["refused"] += 1
            message = str(error)
            if not message.isprintable() or len(message) > LONGEST_MESSAGE + len(str(path)):
                outcome["faults"].append(f"{number}: message {message[:2000]!r}")
        except BaseException:
            outcome["faults"].append(f"{number}: {data[:300]!r} {traceback.format_exc()[-1500:]}")
    return outcome


def peak_megabytes():
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) // 1024


if __name__ == "__main__":
    name, wanted, first_seed, where = sys.argv[1:]
    found = run(name, int(wanted), int(first_seed), where)
    print(json.dumps({**found, "megabytes": peak_megabytes()}))
