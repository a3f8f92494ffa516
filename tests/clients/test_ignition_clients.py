"""What the real clients do to a server, one by one: the facts that the server's answers rest on."""

import json

import pytest

from mcs.jsondata import JSONObject, list_at, text_at
from tests.clients.ignition import NAMES, Client, clients, fetch, scratch, write_files
from tests.clients.scripted_server import Answer, serving
from tests.clients.written import Written

pytestmark = pytest.mark.real

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAnCwV7pgHg8xtzO1D4ySEVXQK8eIrPIUdzwX3m2kdkZ core@example"
UNIT = "[Unit]\nDescription=Says hello\n\n[Service]\nExecStart=/bin/true\n\n[Install]\nWantedBy=multi-user.target\n"


@pytest.fixture(params=NAMES)
def client(request: pytest.FixtureRequest) -> Client:
    return next(one for one in clients() if one.name == request.param)


def config(spec: str) -> JSONObject:
    root: JSONObject = {"filesystem": "root"} if spec < "3" else {}
    return {
        "ignition": {"version": spec},
        "passwd": {"users": [{"name": "core", "uid": 1234, "sshAuthorizedKeys": [KEY]}]},
        "storage": {
            "files": [
                {
                    **root,
                    "path": "/etc/greeting",
                    "mode": 0o640,
                    "user": {"id": 1234},
                    "group": {"id": 2345},
                    "contents": {"source": "data:,hello%0A"},
                }
            ],
            "directories": [{**root, "path": "/etc/greetings.d", "mode": 0o750}],
        },
        "systemd": {
            "units": [
                {"name": "hello.service", "enabled": True, "contents": UNIT},
                {"name": "masked.service", "mask": True},
                {"name": "kubelet.service", "dropins": [{"name": "10-hello.conf", "contents": "[Service]\n"}]},
            ]
        },
    }


def answer(document: JSONObject) -> Answer:
    return Answer(200, json.dumps(document).encode())


def stub(client: Client, url: str) -> JSONObject:
    spec = "3.0.0" if client.reads >= "3" else "2.2.0"
    return {"ignition": {"version": spec, "config": {"replace": {"source": url}}}}


ASKS_FOR = {
    "0.35.0": "2.2.0",
    "2.0.1": "2.2.0",
    "2.2.1": "3.0.0",
    "2.6.0": "3.1.0",
    "2.9.0": "3.2.0",
    "2.14.0": "3.3.0",
    "2.19.0": "3.4.0",
    "2.25.1": "3.5.0",
    "2.26.0": "3.6.0",
}


def test_one_built_client_asks_for_each_spec() -> None:
    assert {one.name: one.asks_for for one in clients() if one.name != "debian"} == ASKS_FOR


def test_a_client_sends_the_header_of_its_release_and_asks_for_identity(client: Client) -> None:
    with scratch() as workdir, serving(answer(config(client.reads))) as server:
        result = fetch(client, stub(client, server.url), workdir)
    assert result.rc == 0, result.log
    assert [(one.method, one.path) for one in server.asked] == [("GET", "/config/worker")]
    headers = server.asked[0].headers
    assert headers["accept"] == client.accept
    assert headers["accept-encoding"] == "identity"
    assert headers["user-agent"].startswith("Ignition/")
    assert "cookie" not in headers
    assert "authorization" not in headers


def test_a_fetched_config_is_what_the_server_sent(client: Client) -> None:
    with scratch() as workdir, serving(answer(config(client.reads))) as server:
        result = fetch(client, stub(client, server.url), workdir)
    assert result.rc == 0, result.log
    assert result.config is not None
    files = list_at(result.config, "storage", "files")
    assert [text_at(one, "path") for one in files] == ["/etc/greeting"]


def test_a_client_asks_again_after_503(client: Client) -> None:
    with scratch() as workdir, serving(Answer(503), Answer(503), answer(config(client.reads))) as server:
        result = fetch(client, stub(client, server.url), workdir)
    assert result.rc == 0, result.log
    assert len(server.asked) == 3
    assert {one.headers["accept"] for one in server.asked} == {client.accept}


@pytest.mark.parametrize("status", [404, 400, 403, 429])
def test_a_client_dies_at_any_other_status_below_500(client: Client, status: int) -> None:
    with scratch() as workdir, serving(Answer(status), answer(config(client.reads))) as server:
        result = fetch(client, stub(client, server.url), workdir)
    assert result.rc == 1
    assert len(server.asked) == 1
    said = "resource not found" if status == 404 else "failed to fetch resource"
    assert said in result.log


def test_a_client_gives_up_on_a_server_that_stays_down_when_its_time_is_over(client: Client) -> None:
    with scratch() as workdir, serving(Answer(503)) as server:
        result = fetch(client, stub(client, server.url), workdir, timeout=1)
    assert result.rc == 1
    assert "unable to fetch resource in time" in result.log


def test_a_client_refuses_an_answer_of_the_other_major_version(client: Client) -> None:
    other = "2.2.0" if client.reads >= "3" else "3.0.0"
    with scratch() as workdir, serving(answer({"ignition": {"version": other}})) as server:
        result = fetch(client, stub(client, server.url), workdir)
    assert result.rc == 1
    assert "unsupported config version" in result.log


def test_only_the_oldest_client_needs_the_files_stage_to_fetch() -> None:
    assert [one.name for one in clients() if not one.has_fetch_stage] == ["2.0.1"]


def test_a_client_writes_file_unit_and_user(client: Client) -> None:
    with scratch() as workdir, serving(answer(config(client.reads))) as server:
        result = fetch(client, stub(client, server.url), workdir)
        assert result.rc == 0, result.log
        root = write_files(client, workdir)
    assert root["/etc/greeting"] == Written("file", 0o640, 1234, 2345, b"hello\n")
    assert root["/etc/greetings.d"] == Written("directory", 0o750, 0, 0)
    assert root["/etc/systemd/system/hello.service"].text == UNIT
    assert root["/etc/systemd/system/kubelet.service.d/10-hello.conf"].text == "[Service]\n"
    assert root["/etc/systemd/system/masked.service"].contents == b"/dev/null"
    assert "enable hello.service" in root["/etc/systemd/system-preset/20-ignition.preset"].text.splitlines()
    assert "core:x:1234:" in root["/etc/passwd"].text
    assert root["/home/core"].uid == 1234
    keys = [one for path, one in root.items() if path.startswith("/home/core/.ssh/") and one.kind == "file"]
    assert {(one.uid, one.mode, one.text.strip()) for one in keys} == {(1234, 0o600, KEY)}  # 0.35 writes them twice
