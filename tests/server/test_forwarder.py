"""Forwarders: other hosts' frames, rebuilt as their code runs them, against one board."""

import ast
import http.server
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from holdfast.cli import main
from holdfast.client.forwarder import HOSTS, forwarder, sending
from holdfast.errors import InvalidInput
from tests.server.conftest import as_csv, listening
from tests.server.test_api import changed

STDLIB = {"__future__", "hashlib", "http", "importlib", "json", "os", "random", "ssl", "sys",
          "time", "typing", "urllib"}  # fmt: skip


def interpreters():
    """Return Pythons as old as the hosts' that start here; else the one that runs the tests."""
    found = []
    for version in ("3.7", "3.9"):
        places = [shutil.which(f"python{version}")]
        places += sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
        for place in places:
            if (
                place
                and subprocess.run([place, "-c", "import ssl"], capture_output=True).returncode == 0
            ):
                found.append(str(place))
                break
    return found or [sys.executable]


INTERPRETERS = interpreters()


@pytest.mark.parametrize("host", HOSTS)
def test_a_file_keeps_to_the_grammar_and_the_library_of_python_3_7(host):
    text = forwarder(host, "https://boards.example/b/pets")
    tree = ast.parse(text, feature_version=(3, 7))
    assert "holdfast." not in text.replace("holdfast forwarder", "")
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            assert {alias.name.partition(".")[0] for alias in node.names} <= STDLIB
        if isinstance(node, ast.ImportFrom):
            assert node.module in STDLIB
        # Grammar that feature_version does not check.
        assert not isinstance(node, (ast.NamedExpr, ast.Match))
    doc = ast.get_docstring(tree)
    assert doc is not None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"host": "kagle"}, "host must be one of"),
        ({"board": "https://boards.example/pets"}, "board must be an address"),
        ({"metric": 'a"b'}, "metric must be plain"),
        ({"token": "a\nb"}, "token must be plain"),
    ],
)
def test_settings_that_would_break_the_file_are_refused(options, message):
    with pytest.raises(InvalidInput, match=message):
        forwarder(**{"host": "kaggle", "board": "https://boards.example/b/pets", **options})


def run(python, *arguments, cwd=None, **environment):
    clean = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", **environment}
    return subprocess.run(
        [python, *map(str, arguments)], capture_output=True, text=True, env=clean, cwd=cwd
    )


def test_an_answer_that_breaks_off_is_asked_for_again_under_the_same_key(monkeypatch):
    told = json.dumps({"released": 0.5, "receipt_id": "1-a", "looks_left": 3, "meaning": "m"})
    answers = [
        "HTTP/1.1 201 Created\r\nContent-Length: 1000\r\n\r\n{",
        "nonsense\r\n\r\n",
        "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 1000\r\n\r\n<",
        f"HTTP/1.1 201 Created\r\nContent-Length: {len(told)}\r\n\r\n{told}",
    ]
    asked = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(20)

        def serve():
            for answer in answers:
                connection, _ = server.accept()
                with connection:
                    got = b""
                    while not got.endswith(b"\r\n\r\nbody"):
                        got += connection.recv(65536)
                    asked.append(got)
                    connection.sendall(answer.encode())

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        monkeypatch.setattr(sending, "BOARD", f"http://127.0.0.1:{server.getsockname()[1]}/b/pets")
        monkeypatch.setattr(sending.time, "sleep", lambda seconds: None)
        assert sending.send(b"body", "blue", "t", "a\nb\u00e9.csv")["released"] == 0.5
        thread.join(20)
    assert len(asked) == len(answers)
    keys = {line for got in asked for line in got.split(b"\r\n") if b"dempotency" in line}
    assert len(keys) == 1


def test_a_redirect_is_not_followed_and_the_token_goes_nowhere_else(monkeypatch):
    asked = []

    class Elsewhere(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            asked.append(self.path)
            self.send_response(302)
            self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_POST  # noqa: N815 - the name that the library looks for

        def log_message(self, *arguments):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setattr(sending, "BOARD", f"http://127.0.0.1:{server.server_port}/b/pets")
        with pytest.raises(sending.Refused, match="tell the organizers"):
            sending.send(b"body", "blue", "t", "a.csv")
        server.shutdown()
    assert asked == ["/api/v1/boards/pets/service/submissions"]


def looks_of(place):
    return [entry for entry in place.entries() if entry.kind == "look"]


@pytest.mark.parametrize("python", INTERPRETERS)
def test_three_fresh_codabench_containers_share_one_budget(place, tmp_path, python, capsys):
    policy = 'release = "round:1"\nlooks_per_team = 2\n'
    place.boards.change(place.board, place.phase(), "policy", policy, "test")
    secret = tmp_path / "token"
    secret.write_text(place.token(scope="service"))
    secret.chmod(0o600)
    with listening(place) as url:
        told = ["forwarder", "codabench", "--board", url, "--token-file", str(secret)]
        assert main([*told, "--metric", "score_1"]) == 0
        program = capsys.readouterr().out
        outcomes = []
        for number, wrong in enumerate((15, 6, 30)):
            # What the compute worker mounts: /app/program, /app/input/{ref,res}, /app/output.
            app = tmp_path / f"container-{number}"
            for folder in ("program", "input/ref", "input/res", "output"):
                (app / folder).mkdir(parents=True)
            (app / "program/score.py").write_text(program)
            (app / "input/res/predictions.csv").write_bytes(as_csv(changed(place.labels, wrong)))
            (app / "input/res/metadata").write_text("")
            for _ in range(2):  # a worker that is restarted runs the same submission again
                done = run(python, app / "program/score.py", app / "input", app / "output")
            scores = app / "output/scores.json"
            outcomes.append(
                (
                    done.returncode,
                    json.loads(scores.read_text()) if scores.exists() else done.stderr,
                )
            )
    assert outcomes == [
        (0, {"score_1": 0.8, "looks_left": 1}),
        (0, {"score_1": 0.9, "looks_left": 0}),
        (1, "all looks of everyone on this data set are used up.\n"),
    ]
    assert len(looks_of(place)) == 2


WORKER = """
import importlib, json, sys
sys.path.insert(0, sys.argv[1])
# As EvalAI's worker: the package of the challenge is imported, and called with paths and metadata.
script = importlib.import_module("challenge_data.challenge_1")
try:
    metadata = json.loads(sys.argv[4])
    result = script.evaluate(sys.argv[2], sys.argv[3], "dev", submission_metadata=metadata)
except Exception as error:
    sys.exit("refused: {}".format(error))
print(json.dumps(result))
"""


@pytest.mark.parametrize("python", INTERPRETERS)
def test_an_evalai_worker_counts_each_participant_team(place, tmp_path, python):
    policy = 'release = "exact"\nlooks_per_team = 1\n'
    place.boards.change(place.board, place.phase(), "policy", policy, "test")
    token = place.token(scope="service")
    outcomes = []
    with listening(place) as url:
        text = forwarder("evalai", url, token=token, metric="Accuracy", split="test_split")
        for number, (team, wrong) in enumerate(((7, 15), (7, 3), (8, 3))):
            package = tmp_path / f"worker-{number}/challenge_data/challenge_1"
            package.mkdir(parents=True)
            (package.parent / "__init__.py").write_text("")
            (package / "__init__.py").write_text(text)
            # One file per phase is all that reaches the worker.
            annotations = tmp_path / f"worker-{number}/annotations.json"
            annotations.write_text("")
            guess = tmp_path / f"worker-{number}/submission.csv"
            guess.write_bytes(as_csv(changed(place.labels, wrong)))
            metadata = json.dumps({"participant_team": team, "id": number})
            done = run(
                python, "-c", WORKER, tmp_path / f"worker-{number}", annotations, guess, metadata
            )
            outcomes.append(
                json.loads(done.stdout)["result"] if done.returncode == 0 else done.stderr
            )
    assert outcomes == [
        [{"test_split": {"Accuracy": 0.75}}],
        "refused: all looks of team 7 on this data set are used up.\n",
        [{"test_split": {"Accuracy": 0.95}}],
    ]


HUB = """
def hf_hub_download(repo_id, filename, token, repo_type):
    assert (repo_id, token, repo_type) == ("org/pets", "secret", "dataset")
    return FOLDER + "/" + filename.replace("submissions/", "")
"""

COMPUTE = """
import json, types
import metric
params = types.SimpleNamespace(competition_id="org/pets", token="secret", team_id="t1")
params.submission_id = "s1"
print(json.dumps(metric.compute(params)))
"""


def test_hugging_face_is_told_the_public_score_twice(place, tmp_path):
    with listening(place) as url:
        token = place.token(scope="service")
        (tmp_path / "metric.py").write_text(forwarder("huggingface", url))
        (tmp_path / "huggingface_hub.py").write_text(f"FOLDER = {str(tmp_path)!r}\n{HUB}")
        (tmp_path / "t1-s1.csv").write_bytes(as_csv(changed(place.labels, 15)))
        done = run(INTERPRETERS[-1], "-c", COMPUTE, cwd=tmp_path, HOLDFAST_TOKEN=token)
    told = json.loads(done.stdout)
    assert told == {"public_score": {"accuracy": 0.75}, "private_score": {"accuracy": 0.75}}


def test_any_script_forwards_a_file_in_a_teams_name(place, tmp_path):
    script, guess = tmp_path / "forward.py", tmp_path / "guess.csv"
    guess.write_bytes(as_csv(changed(place.labels, 15)))
    with listening(place) as url:
        script.write_text(forwarder("kaggle", url, token=place.token(scope="service")))
        done = run(INTERPRETERS[0], script, guess, "Jürgen")
        guess.write_text("nonsense\n")
        bad = run(INTERPRETERS[0], script, guess, "Jürgen")
        script.write_text(forwarder("kaggle", url, token="hf_x_y"))
        wrong = run(INTERPRETERS[0], script, guess, "Jürgen")
    assert json.loads(done.stdout)["team"] == "Jürgen"
    assert json.loads(done.stdout)["released"] == 0.75
    assert bad.returncode == wrong.returncode == 1
    assert bad.stderr.startswith("submission must hold at least one example")
    assert wrong.stderr == "submissions can't be scored at present; please tell the organizers.\n"
