"""Files of outcomes, as the tools write them that run tasks."""

import json
import subprocess
import sys
import zipfile

import pytest

from holdfast.errors import HoldfastError, InvalidInput
from holdfast.files.outcomes import read_outcomes, read_tasks

# What `make_run_report` of swebench 5.0.2 writes, shortened.
SWE_BENCH = {
    "total_instances": 4,
    "submitted_instances": 3,
    "completed_ids": ["django__django-11099", "sympy__sympy-20590"],
    "incomplete_ids": ["astropy__astropy-12907"],
    "empty_patch_ids": [],
    "submitted_ids": ["django__django-11099", "flask__flask-4045", "sympy__sympy-20590"],
    "resolved_ids": ["sympy__sympy-20590"],
    "unresolved_ids": ["django__django-11099"],
    "error_ids": ["flask__flask-4045"],
    "schema_version": 2,
}
RESOLVED = {
    "astropy__astropy-12907": False,
    "django__django-11099": False,
    "flask__flask-4045": False,
    "sympy__sympy-20590": True,
}


def inspect_sample(task, epoch=1, **values):
    """A sample of an Inspect log (inspect_ai 0.3.285), shortened."""
    scores = {
        name: {"value": value, "answer": "x", "history": []} for name, value in values.items()
    }
    return {"id": task, "epoch": epoch, "input": "a", "target": "b", "scores": scores}


def inspect_log(path, *samples, compression=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", compression) as log:
        log.writestr("header.json", "{}")
        log.writestr("_journal/start.json", "{}")
        for sample in samples:
            name = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
            log.writestr(name, json.dumps(sample))
        log.writestr("summaries.json", "[]")
    return path


def lm_eval_row(doc_id, name, **metrics):
    """A row of lm-eval's samples (lm_eval 0.4.13), shortened."""
    return {
        "doc_id": doc_id,
        "doc": {"question": "?"},
        "target": "1",
        "resps": [["1"]],
        "filter": name,
        "metrics": list(metrics),
        "doc_hash": "0",
        **metrics,
    }


def written(tmp_path, text, name="outcomes"):
    path = tmp_path / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": true, "b": false, "c": 1}', {"a": True, "b": False, "c": 1}),
        ('\ufeff{"a": 0.5}', {"a": 0.5}),
        ('[{"id": "a", "passed": true}, {"id": 7, "passed": false}]', {"a": True, "7": False}),
        ('{"task_id": "a", "score": 1}\n\n{"task_id": "b", "score": 0}\n', {"a": 1, "b": 0}),
        ('{"instance_id": "a", "resolved": true}', {"a": True}),
        (json.dumps(SWE_BENCH), RESOLVED),
    ],
)
def test_json_of_any_shape_is_read(tmp_path, text, found):
    assert read_outcomes(written(tmp_path, text)) == found


def test_inspect_logs_are_read(tmp_path):
    two = [inspect_sample("a", includes="C"), inspect_sample(3, includes="I")]
    log = inspect_log(tmp_path / "run.eval", *two)
    assert read_outcomes(log) == {"a": True, "3": False}
    assert read_outcomes(written(tmp_path, json.dumps({"eval": {}, "samples": two}))) == {
        "a": True,
        "3": False,
    }
    several = inspect_log(tmp_path / "b.eval", inspect_sample("a", includes="C", match="P"))
    with pytest.raises(InvalidInput, match=r"'includes', 'match'.*name it by score"):
        read_outcomes(several)
    assert read_outcomes(several, score="match") == {"a": 0.5}


def test_inspect_logs_packed_by_zstandard_are_read(tmp_path, monkeypatch):
    """As inspect_ai writes them now; the standard library reads them from Python 3.14 on."""
    zstandard = pytest.importorskip("zstandard")
    sample = json.dumps(inspect_sample("a", includes="C")).encode()
    packed = zstandard.ZstdCompressor().compress(sample)
    path = tmp_path / "run.eval"
    with zipfile.ZipFile(path, "w") as log:
        log.writestr("samples/a_epoch_1.json", packed)
    # The method and the size before packing, in the member's header and in the directory.
    data = bytearray(path.read_bytes())
    directory = data.index(b"PK\x01\x02")
    for at in (8, directory + 10):
        data[at : at + 2] = (93).to_bytes(2, "little")
    for at in (22, directory + 24):
        data[at : at + 4] = len(sample).to_bytes(4, "little")
    path.write_bytes(data)
    assert read_outcomes(path) == {"a": True}
    data[data.index(packed) + len(packed) // 2] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(HoldfastError):
        read_outcomes(path)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(HoldfastError, match=r"holdfast\[inspect\]"):
        read_outcomes(path)


def test_several_runs_of_a_task_are_an_error_or_their_mean(tmp_path):
    runs = [inspect_sample("a", epoch, includes=value) for epoch, value in ((1, "C"), (2, "I"))]
    log = inspect_log(tmp_path / "run.eval", *runs)
    with pytest.raises(InvalidInput, match=r"one outcome for each task, got 2 for .a..*--mean"):
        read_outcomes(log)
    assert read_outcomes(log, mean=True) == {"a": 0.5}


def test_samples_of_lm_eval_are_read(tmp_path):
    rows = [
        lm_eval_row(task, name, exact_match=value)
        for task, name, value in ((0, "strict", 1.0), (0, "flexible", 1.0), (1, "strict", 0.0))
    ]
    one = written(tmp_path, json.dumps(rows[0]) + "\n" + json.dumps(rows[2]))
    assert read_outcomes(one) == {"0": 1.0, "1": 0.0}
    both = written(tmp_path, "\n".join(map(json.dumps, rows)))
    assert read_outcomes(both, score="exact_match,strict") == {"0": 1.0, "1": 0.0}
    with pytest.raises(InvalidInput, match="got 2 for '0'"):
        read_outcomes(both)
    two = written(tmp_path, json.dumps(lm_eval_row(0, "none", acc=1.0, acc_norm=0.0)))
    with pytest.raises(InvalidInput, match="several: 'acc', 'acc_norm'"):
        read_outcomes(two)
    assert read_outcomes(two, score="acc_norm") == {"0": 0.0}


def test_a_test_run_is_read_as_pytest_writes_it(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import pytest\n"
        "def test_passes(): pass\n"
        "def test_fails(): assert False\n"
        "@pytest.mark.skip\n"
        "def test_skipped(): pass\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml=run.xml"]
    subprocess.run([*command, "test_it.py"], cwd=tmp_path, capture_output=True, check=False)
    found = read_outcomes(tmp_path / "run.xml")
    assert found == {
        "test_it::test_passes": True,
        "test_it::test_fails": False,
        "test_it::test_skipped": False,
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must be JSON or JSON lines"),
        ("{}", "one task at least"),
        ("[]", "one task at least"),
        ("3", "an object, a list or JSON lines, got 3"),
        ('{"a": null}', "true, false or a number, got None for 'a'"),
        ('{"a": NaN}', "true, false or a number"),
        ('{"a": true, "a": false}', "'a' stands twice"),
        ('{"id": "a"}', "have an outcome in every row"),
        ('[{"passed": true}]', "have an id in every row"),
        ("[1, 2]", "hold rows with an id"),
        ('{"resolved_ids": 3}', "list ids under resolved_ids"),
        ('{"eval": {}, "samples": [{"id": 1}]}', "samples with an id and scores"),
        ("[" * 100_000, "nested too deeply"),
        ("<testsuite>", "be JUnit XML, got an error"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "without a document type"),
        ("PK\x03\x04 no zip", "be an Inspect log"),
    ],
)
def test_what_is_no_file_of_outcomes_is_refused_with_the_rule(tmp_path, text, message):
    with pytest.raises(InvalidInput, match=message):
        read_outcomes(written(tmp_path, text))


def test_a_missing_file_and_bytes_that_are_no_text_are_refused(tmp_path):
    with pytest.raises(InvalidInput, match="must be readable: No such file"):
        read_outcomes(tmp_path / "none")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match="in UTF-8"):
        read_outcomes(tmp_path / "bytes")


def test_tasks_are_read_from_lines_a_list_or_outcomes(tmp_path):
    for text in ("a\n b \n\n", '["a", "b"]', '{"a": true, "b": false}'):
        assert read_tasks(written(tmp_path, text)) == ["a", "b"]
    assert read_tasks(written(tmp_path, json.dumps(SWE_BENCH))) == list(
        read_outcomes(written(tmp_path, json.dumps(SWE_BENCH)))
    )
