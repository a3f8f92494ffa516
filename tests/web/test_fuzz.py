"""Requests of any kind: every answer is one of the table's, and none is a fault of the program."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from werkzeug.test import EnvironBuilder, run_wsgi_app

from mcs.boot.reasons import Reason
from mcs.ignition import TARGETS
from mcs.jsondata import JSONObject
from tests.web.world import A, B, World, config, pool, start_world

pytestmark = pytest.mark.slow

STATUSES = {reason.code: reason.status for reason in Reason}
UNEXPECTED = {Reason.INTERNAL.code}

IGNITION: JSONObject = {"ignition": {"version": "3.3.0"}, "kernelArguments": {"shouldNotExist": ["quiet"]}}

version = st.one_of(
    st.from_regex(r"[0-9]{1,2}(\.[0-9]{1,3}){0,3}", fullmatch=True),
    st.sampled_from(["3.0.0", "3.6.0", "3.7.0-experimental", "2.2.0", "4.0.0", "1", "", '"3.4.0"', "3.4", "03.4.0"]),
    st.text(max_size=6),
)
media_range = st.builds(
    lambda name, parameters, comma: name + "".join(f";{key}={value}" for key, value in parameters) + comma,
    st.sampled_from(
        ["application/vnd.coreos.ignition+json", "*/*", "text/html", "APPLICATION/VND.coreos.ignition+json"]
    )
    | st.text(max_size=12),
    st.lists(st.tuples(st.sampled_from(["version", "q", "Version", " q", "charset"]), version), max_size=3),
    st.sampled_from(["", ",", ", ", ";"]),
)
accept = st.none() | st.text(max_size=80) | st.lists(media_range, max_size=4).map(",".join)

path = st.one_of(
    st.text(max_size=40),
    st.binary(max_size=40).map(lambda raw: raw.decode("latin-1")),
    st.lists(
        st.sampled_from(["config", "worker", "infra", "..", ".", "", "healthz", "readyz", "Worker"]), max_size=5
    ).map(lambda parts: "/" + "/".join(parts)),
    st.from_regex(r"/config/[a-z0-9.-]{0,30}", fullmatch=True),
)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    directory: Path = tmp_path_factory.mktemp("fuzz")
    world = start_world(directory, config(A), config(B, IGNITION), pool("worker", A), pool("infra", B))
    yield world
    world.server.stop()
    world.store.close()


def request(running: World, method: str, path: str, accept: str | None, client: str) -> tuple[int, Any, bytes]:
    """Hand a request to the application as a WSGI server would: any bytes may stand in path and headers."""
    builder = EnvironBuilder(method=method)
    environ = builder.get_environ()
    builder.close()
    environ["PATH_INFO"] = path.encode("utf-8", "replace").decode("latin-1")
    environ["HTTP_USER_AGENT"] = client.encode("utf-8", "replace").decode("latin-1")
    if accept is not None:
        environ["HTTP_ACCEPT"] = accept.encode("utf-8", "replace").decode("latin-1")
    chunks, status, headers = run_wsgi_app(running.client.application.wsgi_app, environ)
    return int(status.split()[0]), headers, b"".join(chunks)


@given(st.sampled_from(["GET", "GET", "GET", "HEAD", "POST"]), path, accept, st.text(max_size=20))
@settings(max_examples=10_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_answer_is_one_of_the_table(
    running: World, method: str, path: str, accept: str | None, client: str
) -> None:
    status, headers, body = request(running, method, path, accept, client)
    assert "Location" not in headers
    assert "Content-Encoding" not in headers
    if status == 200:
        assert method == "HEAD" or body
        return
    assert headers["Content-Type"] == "application/problem+json"
    if method != "HEAD":
        document = json.loads(body)
        assert STATUSES[document["reason"]] == status == document["status"]
        assert document["reason"] not in UNEXPECTED
    assert (status == 503) == ("Retry-After" in headers)


@given(accept)
@settings(max_examples=10_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_whatever_accept_says_a_config_comes_at_a_version_that_it_admits(running: World, accept: str | None) -> None:
    status, _, body = request(running, "GET", "/config/worker", accept, "")
    if status == 200:
        assert json.loads(body)["ignition"]["version"] in set(map(str, TARGETS))
    else:
        assert status in {400, 501}
