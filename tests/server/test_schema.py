"""The API as described: no request, allowed by the description or not, is answered by a 5xx."""

import contextlib

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.errors import Unsatisfiable

from tests.paces import few
from tests.server.conftest import Place, bearer

schemathesis = pytest.importorskip("schemathesis")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def described(tmp_path_factory):
    folder = tmp_path_factory.mktemp("schema")
    place = Place(str(folder / "ledger.db"), folder, split=True)
    app = place.app(flood="100000/second", sign_ins="100000/second")
    tokens = [
        place.token(place.team("blue")),
        place.token(scope="host"),
        place.token(scope="service"),
    ]
    from starlette.testclient import TestClient

    with TestClient(app, raise_server_exceptions=False) as client:
        yield schemathesis.openapi.from_asgi("/api/v1/openapi.json", app), client, tokens


@pytest.mark.parametrize("mode", list(schemathesis.GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("who", few(1, range(4)))
def test_no_request_brings_the_server_down(described, who, mode):
    """Requests as the description allows them, and others that break it."""
    schema, client, tokens = described
    headers = {} if who == 3 else bearer(tokens[who])
    asked = 0
    for found in schema.get_all_operations():
        operation = found.ok()

        @settings(
            max_examples=12,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        @schemathesis_given(operation, mode)
        def check(case):
            nonlocal asked
            case.path_parameters = {**(case.path_parameters or {})}
            if "slug" in case.path_parameters and asked % 3:
                case.path_parameters["slug"] = "pets"
            asked += 1
            sent = case.as_transport_kwargs(base_url="http://testserver")
            sent.pop("cookies", None)
            sent["headers"] = {**dict(sent.get("headers") or {}), **headers}
            answer = client.request(**sent)
            assert answer.status_code < 500, (sent, answer.text)
            if answer.status_code >= 400:
                assert answer.headers["content-type"] == "application/problem+json"
                assert set(answer.json()) >= {"type", "title", "status", "detail"}

        with contextlib.suppress(Unsatisfiable):  # where nothing that is sent could be wrong
            check()
    assert asked > 100


def schemathesis_given(operation, mode):
    from hypothesis import given

    return given(case=operation.as_strategy(generation_mode=mode))
