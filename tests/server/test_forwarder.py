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
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest

from holdfast.cli import main
from holdfast.client import BoardClient
from holdfast.client.forwarder import HOSTS, forwarder, sending
from holdfast.errors import InvalidInput
from tests.server.conftest import as_csv, listening, write_labels
from tests.server.test_api import changed

STDLIB = {"__future__", "hashlib", "http", "importlib", "ipaddress", "json", "os", "random", "re",
          "ssl", "sys", "time", "typing", "urllib"}  # fmt: skip


def interpreter(version):
    """Return a Python of this version that starts here; None: there is none."""
    places = [shutil.which(f"python{version}")]
    places += sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    for place in places:
        works = place and subprocess.run([place, "-c", "import ssl"], capture_output=True)
        if works and works.returncode == 0:
            return str(place)
    return None


@pytest.fixture(params=["3.7", pytest.param("3.9", marks=pytest.mark.long), "this"])
def python(request):
    """The Pythons of hosts' images, where there are such here, and the one that runs the tests."""
    found = sys.executable if request.param == "this" else interpreter(request.param)
    if found is None:
        pytest.skip(f"no Python {request.param} found: a host's image is not rebuilt here")
    return found


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
        ({"board": "http://boards.example/b/pets"}, "https, or be on this machine"),
        ({"board": "http://127.0.0.1.example/b/pets"}, "https, or be on this machine"),
        ({"board": "http://127.0.0.1@boards.example/b/pets"}, "https, or be on this machine"),
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


TOLD = {"released": 0.5, "receipt_id": "1-a", "looks_left": 3, "meaning": "m"}


def answer_of(body, status="201 Created"):
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n{body}"


@contextmanager
def answering(monkeypatch, *answers):
    """A board on a socket that gives these answers in turn; the list of what it was asked."""
    asked = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(20)

        def serve():
            for answer in answers:
                connection, _ = server.accept()
                with connection, suppress(OSError):
                    got = b""
                    while not got.endswith(b"\r\n\r\nbody"):
                        got += connection.recv(65536)
                    asked.append(got)
                    connection.sendall(answer.encode())

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        monkeypatch.setattr(sending, "BOARD", f"http://127.0.0.1:{server.getsockname()[1]}/b/pets")
        monkeypatch.setattr(sending.time, "sleep", lambda seconds: None)
        yield asked
        thread.join(20)
    assert len(asked) == len(answers)


def test_an_answer_that_breaks_off_is_asked_for_again_under_the_same_key(monkeypatch):
    """Broken off, no HTTP, nested until Python gives up, or endless: nothing is known of it."""
    answers = [
        "HTTP/1.1 201 Created\r\nContent-Length: 1000\r\n\r\n{",
        "nonsense\r\n\r\n",
        "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 1000\r\n\r\n<",
        answer_of("[" * 100_000),
        answer_of("{}", "503 Busy\r\nRetry-After: \u00b2"),
        answer_of(" " * sending.LARGEST_ANSWER + json.dumps(TOLD)),
        answer_of(json.dumps(TOLD)),
    ]
    with answering(monkeypatch, *answers) as asked:
        assert sending.send(b"body", "blue", "t", "a\nb\u00e9.csv") == TOLD
    keys = {line for got in asked for line in got.split(b"\r\n") if b"dempotency" in line}
    assert len(keys) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"released": float("nan")},
        {"released": float("inf")},
        {"released": 10**400},
        {"released": True},
        {"released": "<script>"},
        {"released": [0.5]},
        {"looks_left": "3"},
        {"receipt_id": "<b>"},
        {"receipt_id": [1]},
    ],
)
def test_what_is_no_finite_number_and_no_receipt_reaches_no_host(monkeypatch, wrong):
    with (
        answering(monkeypatch, answer_of(json.dumps({**TOLD, **wrong}))),
        pytest.raises(sending.Refused, match=r"at present \(bad_answer\)"),
    ):
        sending.send(b"body", "blue", "t", "a.csv")


def test_texts_of_an_answer_reach_a_host_without_markup(monkeypatch):
    told = {**TOLD, "meaning": "best of <b>\x1b[31m", "numbers": {"<i>": "<i>"}, "team": None}
    with answering(monkeypatch, answer_of(json.dumps(told))):
        found = sending.send(b"body", "blue", "t", "a.csv")
    assert found == {**TOLD, "meaning": "best of ?b??[31m", "team": None}


def test_a_refusal_of_nested_json_is_one_neutral_line(monkeypatch):
    with (
        answering(monkeypatch, answer_of("[" * 100_000, "422 Unprocessable")),
        pytest.raises(sending.Refused, match=r"at present \(http_422\)"),
    ):
        sending.send(b"body", "blue", "t", "a.csv")


@pytest.mark.parametrize("board", ["http://boards.example/b/pets", "http://10.0.0.1/b/pets"])
def test_no_token_is_sent_in_clear_text_to_another_machine(monkeypatch, board):
    """Nor is one sent to a proxy: nothing is asked at all."""
    monkeypatch.setattr(sending.urllib.request, "build_opener", pytest.fail)
    monkeypatch.setattr(sending, "BOARD", board)
    with pytest.raises(sending.Refused, match=r"\(insecure_board\)"):
        sending.send(b"body", "blue", "t", "a.csv")
    with pytest.raises(InvalidInput, match=r"--insecure \(insecure=True\) insists"):
        BoardClient(board, "t")
    assert BoardClient(board, "t", insecure=True).url == board
    assert 'INSECURE = "yes"' in forwarder("kaggle", board, insecure=True)


def test_a_proxy_of_the_environment_sees_no_token_in_clear_text(monkeypatch):
    """It is asked neither on the way to this machine nor where clear text is insisted on."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    with answering(monkeypatch, answer_of(json.dumps(TOLD))) as asked:
        assert sending.send(b"body", "blue", "t", "a.csv") == TOLD
    assert asked[0].startswith(b"POST /api/v1/")


@pytest.mark.parametrize("team", ["blue\ud800", "bl\0ue", "\u200bblue"])
def test_a_team_that_fits_no_header_is_told_so(monkeypatch, team):
    monkeypatch.setattr(sending.urllib.request, "build_opener", pytest.fail)
    monkeypatch.setattr(sending, "BOARD", "https://boards.example/b/pets")
    with pytest.raises(sending.Refused, match=r"^team must be a printable name"):
        sending.send(b"body", team, "t", "a.csv")


def test_a_team_whose_name_a_board_does_not_take_is_told_why(place, tmp_path):
    """Long names and those of mixed alphabets; 200 letters of two bytes each are not long."""
    script, guess = tmp_path / "forward.py", tmp_path / "guess.csv"
    guess.write_bytes(as_csv(place.labels))
    with listening(place) as url:
        script.write_text(forwarder("kaggle", url, token=place.token(scope="service")))
        said = {
            team: run(sys.executable, script, guess, team)
            for team in ("b" * 201, "\u03a0ython", "\u0431" * 200)
        }
    long, mixed, fine = said.values()
    assert (long.returncode, mixed.returncode) == (1, 1)
    assert long.stderr == "team must have at most 200 characters, got 201.\n"
    assert mixed.stderr.startswith("team must not mix Greek and Latin letters in one word")
    assert json.loads(fine.stdout)["released"] == 1.0


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
        with pytest.raises(sending.Refused, match=r"at present \(http_302\); please tell the org"):
            sending.send(b"body", "blue", "t", "a.csv")
        server.shutdown()
    assert asked == ["/api/v1/boards/pets/service/submissions"]


def looks_of(place):
    return [entry for entry in place.entries() if entry.kind == "look"]


def test_three_fresh_codabench_containers_share_one_budget(place, tmp_path, python, capsys):
    policy = 'release = "round:1"\nlooks_per_team = 2\nalso = ["f1_macro"]\n'
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
        # Besides what ranks, columns that are called as other numbers of the board.
        (0, {"accuracy": 0.8, "f1_macro": 0.7, "score_1": 0.8, "looks_left": 1}),
        (0, {"accuracy": 0.9, "f1_macro": 0.9, "score_1": 0.9, "looks_left": 0}),
        (1, "all looks of everyone on this data set are used up.\n"),
    ]
    assert len(looks_of(place)) == 2


WORKER = """
import importlib, json, sys, traceback
sys.path.insert(0, sys.argv[1])
# As EvalAI's worker: the package of the challenge is imported, and called with paths and metadata.
script = importlib.import_module("challenge_data.challenge_1")
try:
    metadata = json.loads(sys.argv[4])
    result = script.evaluate(sys.argv[2], sys.argv[3], "dev", submission_metadata=metadata)
except Exception:
    sys.stderr.write(traceback.format_exc())
    result = {}
if "result" not in result:
    sys.exit(1)  # the worker marks it as failed, and shows what is on stderr
print(json.dumps(result))
"""


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
        "all looks of team 7 on this data set are used up.\n",
        [{"test_split": {"Accuracy": 0.95}}],
    ]


HUB = """
import os
def hf_hub_download(repo_id, filename, token, repo_type):
    assert (repo_id, token, repo_type) == ("org/pets", "secret", "dataset")
    if not os.path.exists(FOLDER + "/" + filename.replace("submissions/", "")):
        raise OSError("404 Client Error. Entry Not Found for url: https://hub/" + filename)
    return FOLDER + "/" + filename.replace("submissions/", "")
"""

COMPUTE = """
import json, sys, types
import metric
params = types.SimpleNamespace(competition_id="org/pets", token="secret", team_id="t1")
params.submission_id = "s1"
try:
    print(json.dumps(metric.compute(params)))
except Exception as error:
    sys.exit("{}: {}".format(type(error).__name__, error))
"""


def rebuilt_space(folder, url, token=""):
    """Write what a Hugging Face Space has when it scores: metric.py, and the hub's client."""
    (folder / "metric.py").write_text(forwarder("huggingface", url, token=token))
    (folder / "huggingface_hub.py").write_text(f"FOLDER = {str(folder)!r}\n{HUB}")


def test_hugging_face_is_told_the_public_score_twice(place, tmp_path, python):
    with listening(place) as url:
        rebuilt_space(tmp_path, url)
        (tmp_path / "t1-s1.csv").write_bytes(as_csv(changed(place.labels, 15)))
        token = place.token(scope="service")
        done = run(python, "-c", COMPUTE, cwd=tmp_path, HOLDFAST_TOKEN=token)
    told = json.loads(done.stdout)
    assert told == {"public_score": {"accuracy": 0.75}, "private_score": {"accuracy": 0.75}}


def test_hugging_face_fails_a_submission_that_gets_no_look(place, tmp_path, python):
    policy = 'release = "exact"\nlooks_per_team = 1\n'
    place.boards.change(place.board, place.phase(), "policy", policy, "test")
    with listening(place) as url:
        rebuilt_space(tmp_path, url, place.token(scope="service"))
        said = []
        for body in (b"nonsense\n", as_csv(place.labels), as_csv(changed(place.labels, 1))):
            (tmp_path / "t1-s1.csv").write_bytes(body)
            done = run(python, "-c", COMPUTE, cwd=tmp_path)
            said.append(done.stderr if done.returncode else json.loads(done.stdout))
    assert said[0].startswith("Refused: submission must hold at least one example")
    assert said[1]["public_score"] == {"accuracy": 1.0}
    assert said[2] == "Refused: all looks of team t1 on this data set are used up.\n"


def test_a_parquet_file_on_hugging_face_ends_in_a_sentence(place, tmp_path, python):
    rebuilt_space(tmp_path, "http://127.0.0.1:9/b/pets", "token")
    (tmp_path / "t1-s1.parquet").write_bytes(b"PAR1")
    done = run(python, "-c", COMPUTE, cwd=tmp_path)
    said = "Refused: submission must be a CSV file, got a Parquet file; send it as CSV.\n"
    assert done.stderr == said
    (tmp_path / "t1-s1.parquet").unlink()
    assert "404 Client Error" in run(python, "-c", COMPUTE, cwd=tmp_path).stderr


CONTAINER = """
import sys
sys.argv = ["/app/program/score.py"]
text = open({script!r}).read()
space = {{"__name__": "score", "__file__": {script!r}}}
exec(compile(text, {script!r}, "exec"), space)
space["MOUNTS"] = {mounts!r}
sys.exit(space["main"]([{inside!r}, {out!r}]))
"""
MOUNT = "7 6 0:1 /codabench/uPK-{}_sID-345__fjq9jg9j/input /app/input rw - ext4 /dev/sda rw\n"


def test_codabenchs_users_have_budgets_of_their_own_by_the_mounts_of_the_worker(
    place, tmp_path, python
):
    policy = 'release = "round:1"\nlooks_per_team = 1\n'
    place.boards.change(place.board, place.phase(), "policy", policy, "test")
    outcomes = []
    with listening(place) as url:
        script = tmp_path / "score.py"
        token = place.token(scope="service")
        script.write_text(forwarder("codabench", url, token=token, per_user=True))
        for number, user in enumerate((12, 12, 13, None)):
            # The archive had a folder, as those of many participants have.
            inside, mounts = tmp_path / f"{number}/res/mine", tmp_path / f"{number}/mountinfo"
            inside.mkdir(parents=True)
            (inside / "guess.csv").write_bytes(as_csv(changed(place.labels, 6 * number)))
            (inside.parent / "__MACOSX").mkdir()
            (inside.parent / "__MACOSX/._guess.csv").write_text("")
            mounts.write_text("1 0 0:2 / / rw - overlay\n" + (MOUNT.format(user) if user else ""))
            paths = {"mounts": str(mounts), "inside": str(tmp_path / str(number))}
            program = CONTAINER.format(script=str(script), out=str(tmp_path / "o"), **paths)
            done = run(python, "-c", program)
            outcomes.append((done.returncode, done.stderr or done.stdout.splitlines()[0]))
        two = tmp_path / "two/res"
        two.mkdir(parents=True)
        for name in ("a.csv", "b.csv"):
            (two / name).write_text("")
        program = CONTAINER.format(script=str(script), mounts="none", inside=str(two.parent),
                                   out=str(tmp_path / "o"))  # fmt: skip
        several = run(python, "-c", program)
    assert outcomes == [
        (0, "released 1.0: score of this submission, rounded to 1 decimals"),
        (1, "all looks of user 12 on this data set are used up.\n"),
        (0, "released 0.8: score of this submission, rounded to 1 decimals"),
        (0, "whose submission it is was not told: it counts for everyone's budget"),
    ]
    assert "in the top folder of its archive, got 2." in several.stderr
    with pytest.raises(InvalidInput, match="per_user must be for codabench"):
        forwarder("kaggle", url, per_user=True)


def test_any_script_forwards_a_file_in_a_teams_name(place, tmp_path, python):
    script, guess = tmp_path / "forward.py", tmp_path / "guess.csv"
    guess.write_bytes(as_csv(changed(place.labels, 15)))
    with listening(place) as url:
        script.write_text(forwarder("kaggle", url, token=place.token(scope="service")))
        done = run(python, script, guess, "Jürgen")
        guess.write_text("nonsense\n")
        bad = run(python, script, guess, "Jürgen")
        none = run(python, script, tmp_path / "none.csv", "Jürgen")
        guess.write_bytes(as_csv(changed(place.labels, 15)))
        lines = run(python, script, guess, "Jürgen\nand others")
        script.write_text(forwarder("kaggle", url, token="hf_x_y"))
        wrong = run(python, script, guess, "Jürgen")
    assert json.loads(done.stdout)["team"] == "Jürgen"
    assert json.loads(done.stdout)["released"] == 0.75
    assert bad.returncode == wrong.returncode == 1
    assert none.returncode == 1
    assert "No such file or directory" in none.stderr
    assert "Traceback" not in none.stderr
    assert json.loads(lines.stdout)["team"] == "Jürgen and others"
    assert bad.stderr.startswith("submission must hold at least one example")
    neutral = "submissions can't be scored at present ({}); please tell the organizers.\n"
    assert wrong.stderr == neutral.format("not_signed_in")


METRIC = """
import json, sys
import forward

class Frame:  # as much of a data frame as the metric asks of it
    def __init__(self, path):
        self.path = path
    def to_csv(self, index):
        assert not index
        with open(self.path) as file:
            return file.read()

said = []
for path in sys.argv[1:]:
    try:
        said.append(forward.score(None, Frame(path), "id"))
    except forward.ParticipantVisibleError as error:
        said.append(str(error))
print(json.dumps(said))
"""


@pytest.mark.parametrize("rule", ["exact", "batch:3"])
def test_a_kaggle_metric_shows_participants_why_nothing_is_released(place, tmp_path, rule, python):
    policy = f'release = "{rule}"\nlooks_per_team = 2\n'
    place.boards.change(place.board, place.phase(), "policy", policy, "test")
    guesses = []
    for number, body in enumerate(
        (b"nonsense\n", *(as_csv(changed(place.labels, wrong)) for wrong in (6, 3, 0)))
    ):
        guesses.append(tmp_path / f"{number}.csv")
        guesses[-1].write_bytes(body)
    with listening(place) as url:
        text = forwarder("kaggle", url, token=place.token(scope="service"))
        (tmp_path / "forward.py").write_text(text)
        done = run(python, "-c", METRIC, *guesses, cwd=tmp_path)
    said = json.loads(done.stdout)
    waiting = "recorded; the score is released when the batch is full."
    assert said[0].startswith("submission must hold at least one example")
    assert said[1:3] == ([0.9, 0.95] if rule == "exact" else [waiting] * 2)
    assert said[3] == "all looks of everyone on this data set are used up."


@pytest.mark.parametrize("host", HOSTS)
def test_a_token_may_lie_in_a_file_beside_the_script(place, tmp_path, host, python):
    """What the pages say of a file holdfast-token is true of each host."""
    guess = tmp_path / "guess.csv"
    guess.write_bytes(as_csv(changed(place.labels, 15)))
    with listening(place) as url:
        text = forwarder(host, url)
        if host == "codabench":
            for folder in ("input/ref", "input/res"):
                (tmp_path / folder).mkdir(parents=True)
            shutil.copy(guess, tmp_path / "input/res")
            call = (tmp_path / "forward.py", tmp_path / "input", tmp_path / "output")
            folders = (tmp_path, tmp_path / "input/ref")
        elif host == "evalai":
            package = tmp_path / "challenge_data/challenge_1"
            package.mkdir(parents=True)
            (package / "__init__.py").write_text(text)
            (tmp_path / "phase").mkdir()
            call = ("-c", WORKER, tmp_path, tmp_path / "phase/annotations.json", guess, "{}")
            folders = (package, tmp_path / "phase")
        elif host == "huggingface":
            rebuilt_space(tmp_path, url)
            shutil.copy(guess, tmp_path / "t1-s1.csv")
            call, folders = ("-c", COMPUTE), (tmp_path,)
        else:
            call, folders = (tmp_path / "forward.py", guess), (tmp_path,)
        (tmp_path / "forward.py").write_text(text)
        missing = run(python, *call, cwd=tmp_path)
        assert missing.returncode == 1
        assert "(no_token)" in missing.stderr
        for folder in folders:
            (folder / "holdfast-token").write_text(place.token(scope="service") + "\n")
            done = run(python, *call, cwd=tmp_path)
            assert done.returncode == 0, done.stderr
            assert "0.75" in done.stdout
            (folder / "holdfast-token").unlink()


def test_a_forwarder_shows_the_score_on_the_present_labels_under_the_present_rule(place, tmp_path):
    script, guess = tmp_path / "forward.py", tmp_path / "guess.csv"
    guess.write_bytes(as_csv(changed(place.labels, 9)))
    new = write_labels(tmp_path / "fresh.csv", seed=5)
    with listening(place) as url:
        script.write_text(forwarder("kaggle", url, token=place.token(scope="service")))

        def released():
            """Run it twice, as a host may; it is one look."""
            told = [json.loads(run(sys.executable, script, guess).stdout) for _ in range(2)]
            assert told[0] == told[1]
            return told[0]["released"]

        assert released() == 0.85
        place.boards.change(place.board, place.phase(), "policy", 'release = "round:1"\n', "test")
        assert released() == 0.9
        fresh = str(tmp_path / "fresh.csv")
        place.boards.change(place.board, place.phase(), "rotate", fresh, "test")
        assert released() == round(np.mean(new == changed(place.labels, 9)), 1)
        # Where labels and rule stay, so do keys, whatever else a policy changes.
        policy = 'release = "round:1"\nlooks_per_team = 1\n'
        place.boards.change(place.board, place.phase(), "policy", policy, "test")
        assert released() == round(np.mean(new == changed(place.labels, 9)), 1)
    assert len(looks_of(place)) == 3
