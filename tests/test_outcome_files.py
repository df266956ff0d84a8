"""Files of outcomes, as the tools write them that run tasks."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from holdfast.errors import HoldfastError, InvalidInput
from holdfast.files.outcomes import read_outcomes, read_tasks

# What the tools wrote themselves; tests/outcome_files/README.md says how.
FILES = Path(__file__).parent / "outcome_files"


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
    ],
)
def test_json_of_any_shape_is_read(tmp_path, text, found):
    assert read_outcomes(written(tmp_path, text)) == found


def test_a_report_of_swe_bench_is_read_as_it_writes_it():
    """Incomplete, empty and failed instances, too: they are not resolved."""
    found = read_outcomes(FILES / "swe_bench.json")
    assert found == {
        "astropy__astropy-12907": False,
        "django__django-11099": False,
        "django__django-11133": True,
        "flask__flask-4045": False,
        "pylint__pylint-5859": False,
        "sympy__sympy-20590": True,
    }
    assert set(read_tasks(FILES / "swe_bench.json")) == set(found)


def test_inspect_logs_are_read(tmp_path):
    two = [inspect_sample("a", includes="C"), inspect_sample(3, includes="I")]
    log = inspect_log(tmp_path / "run.eval", *two)
    assert read_outcomes(log) == {"a": True, "3": False}
    assert read_outcomes(written(tmp_path, json.dumps({"eval": {}, "samples": two}))) == {
        "a": True,
        "3": False,
    }
    broken = {"id": "b", "epoch": 1, "error": {"message": "no container"}, "scores": {}}
    half = inspect_log(tmp_path / "half.eval", *two, broken)
    assert read_outcomes(half) == {"a": True, "3": False}  # no outcome: its owner says what it is
    several = inspect_log(tmp_path / "b.eval", inspect_sample("a", includes="C", match="P"))
    with pytest.raises(InvalidInput, match=r"'includes', 'match'.*name it with --key"):
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
    lists = written(tmp_path, '{"a": [1, 0, 1, 0], "b": [true]}')
    with pytest.raises(InvalidInput, match=r"one outcome for each task, got 4 for .a..*--mean"):
        read_outcomes(lists)
    assert read_outcomes(lists, mean=True) == {"a": 0.5, "b": True}
    rows = written(tmp_path, '[{"id": "a", "passed": [1, 0]}, {"id": "b", "passed": 1}]')
    assert read_outcomes(rows, mean=True) == {"a": 0.5, "b": 1}
    several = inspect_log(tmp_path / "c.eval", inspect_sample("a", pair=[1, 0]))
    with pytest.raises(InvalidInput, match="true, false or a number"):  # scores, and no runs
        read_outcomes(several, mean=True)


def test_samples_of_lm_eval_are_read_as_it_writes_them():
    choice, words = FILES / "lm_eval_choice.jsonl", FILES / "lm_eval_words.jsonl"
    assert read_outcomes(choice, score="acc") == {"0": 1.0, "1": 0.0, "2": 1.0}
    assert read_outcomes(choice, score="acc_norm") == {"0": 1.0, "1": 0.0, "2": 0.0}
    with pytest.raises(InvalidInput, match="several: 'acc', 'acc_norm'"):
        read_outcomes(choice)
    with pytest.raises(InvalidInput, match="one of 'exact_match', got 'acc', 'acc_norm'"):
        read_outcomes(choice, score="exact_match")
    found = read_outcomes(words, score="exact_match,flexible-extract")
    assert found == {"0": 0.0, "1": 1.0, "2": 0.0}
    assert read_outcomes(words, score="exact_match,strict-match") == dict.fromkeys("012", 0.0)
    # Two filters are no two runs of a task.
    for score in (None, "exact_match", "exact_match,strict"):
        with pytest.raises(InvalidInput, match=r"one filter, got 'strict-match', 'flexible-extr"):
            read_outcomes(words, score=score, mean=True)


def test_a_test_run_is_read_as_pytest_writes_it(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import pytest\n"
        "@pytest.fixture\n"
        "def broken(): raise OSError\n"
        "@pytest.fixture\n"
        "def untidy():\n"
        "    yield\n"
        "    raise OSError\n"
        "def test_passes(): pass\n"
        "def test_fails(): assert False\n"
        "@pytest.mark.skip\n"
        "def test_skipped(): pass\n"
        "def test_has_no_setup(broken): pass\n"
        "def test_ends_badly(untidy): pass\n"
        "def test_fails_and_ends_badly(untidy): assert False\n"
        "@pytest.mark.parametrize('n', [1, 2])\n"
        "def test_each(n): assert n == 1\n"
        "class TestOf:\n"
        "    def test_one(self): pass\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml=run.xml"]
    subprocess.run([*command, "test_it.py"], cwd=tmp_path, capture_output=True, check=False)
    found = read_outcomes(tmp_path / "run.xml")
    names = ("passes", "fails", "skipped", "has_no_setup", "ends_badly", "fails_and_ends_badly")
    expected = {f"test_it::test_{name}": name == "passes" for name in names}
    others = {"test_it::test_each[1]": True, "test_it::test_each[2]": False}
    assert found == expected | others | {"test_it.TestOf::test_one": True}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must be JSON or JSON lines"),
        ("{}", "one task at least"),
        ("[]", "one task at least"),
        ("3", "an object, a list or JSON lines, got 3"),
        ('{"a": null}', "true, false or a number, got None for 'a'"),
        ('{"a": NaN}', "true, false or a number"),
        ('{"a": []}', "true, false or a number"),
        ('{"a": [1, [0]]}', "true, false or a number"),
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
    for read, what in ((read_outcomes, "outcomes"), (read_tasks, "tasks")):
        with pytest.raises(InvalidInput, match=f"^{what} .* must be a file, but there is none"):
            read(tmp_path / "none")
        # What has no end, or waits for a writer, is not begun.
        os.mkfifo(tmp_path / what)
        for path in (tmp_path / what, "/dev/zero"):
            with pytest.raises(
                InvalidInput, match="must be a regular file, got a pipe or a device"
            ):
                read(path)
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match="in UTF-8"):
        read_outcomes(tmp_path / "bytes")


def test_tasks_are_read_from_lines_a_list_or_outcomes(tmp_path):
    for text in ("a\n b \n\n", '["a", "b"]', '{"a": true, "b": false}'):
        assert read_tasks(written(tmp_path, text)) == ["a", "b"]
