"""The machine of the load test: which answers it retries, when it is lost, how long it waits."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadtests.boot import (
    CLIENTS,
    Answer,
    Booted,
    Client,
    Ended,
    Loss,
    Lost,
    NoAnswer,
    Outcome,
    Retry,
    boot,
    judge,
    machines,
    waits,
)
from mcs.ignition import SPEC_3
from tests.loadtests.samples import BOOT_ID, CONFIG, NEWEST, body


def answer(status: int = 200, content: bytes | None = None, cut: str | None = None, **headers: str) -> Answer:
    named = {"mcs-boot-id": BOOT_ID, "mcs-config": CONFIG} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    return Answer(status, named, body() if content is None else content, cut)


def with_annotations(content: str | None, times: int = 1) -> bytes:
    file = {"path": "/etc/machine-config-daemon/node-annotations.json", "contents": {"source": content}}
    return json.dumps({"ignition": {"version": NEWEST.spec}, "storage": {"files": [file] * times}}).encode()


# ---- the requests


def test_a_client_of_every_spec_boots() -> None:
    assert {client.spec for client in CLIENTS} == {str(version) for version in SPEC_3}


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.user_agent)
def test_each_client_sends_ignitions_headers(client: Client) -> None:
    assert client.headers == {
        "User-Agent": client.user_agent,
        "Accept": f"application/vnd.coreos.ignition+json;version=3.{client.minor}.0, */*;q=0.1",
        "Accept-Encoding": "identity",
    }
    assert client.user_agent.startswith("Ignition/")


def test_machines_are_all_clients_for_each_pool() -> None:
    found = machines("master, edge:3.2")

    assert [machine.client for machine in found if machine.path == "/config/master"] == list(CLIENTS)
    assert {machine.client for machine in found if machine.path == "/config/edge"} == {
        client for client in CLIENTS if client.minor >= 2
    }


@pytest.mark.parametrize("pools", ["", "a,,b", ":3.2", "a:", "a:2.4", "a:3.7", "a:x"])
def test_a_text_that_names_no_pools_is_refused(pools: str) -> None:
    with pytest.raises(ValueError, match=r"is no pool: write NAME, or NAME:3\.X"):
        machines(pools)


# ---- the judgement


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.user_agent)
def test_what_the_server_sends_boots_a_machine_of_every_spec(client: Client) -> None:
    content = body(client)
    assert judge(answer(content=content), client) == Booted(BOOT_ID, len(content))


def test_annotations_in_base64_are_read_too() -> None:
    # {"machineconfiguration.openshift.io/currentConfig":"c","mcs.internal/boot":"b"}
    encoded = (
        "eyJtYWNoaW5lY29uZmlndXJhdGlvbi5vcGVuc2hpZnQuaW8vY3VycmVudENvbmZpZyI6ImMiLCJtY3MuaW50ZXJuYWwvYm9vdCI6ImIifQ=="
    )
    sent = answer(content=with_annotations(f"data:;base64,{encoded}"), mcs_boot_id="b", mcs_config="c")
    assert isinstance(judge(sent, NEWEST), Booted)


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        pytest.param(NoAnswer("Connection refused"), "Connection refused", id="refused"),
        pytest.param(NoAnswer("no response headers in time"), "no response headers in time", id="late headers"),
        pytest.param(answer(500, b""), "500", id="500"),
        pytest.param(answer(501, b'{"reason":"spec-not-spoken"}'), "501 spec-not-spoken", id="501"),
        pytest.param(answer(503, b'{"reason":"hold-not-acked"}'), "503 hold-not-acked", id="503 with a problem"),
        pytest.param(answer(503, b"<html>"), "503", id="503 of a proxy"),
        pytest.param(answer(503, b'{"reason":"sta', "3 more"), "503", id="503 cut short"),
        pytest.param(answer(599, b"[]"), "599", id="599"),
    ],
)
def test_these_are_retried(outcome: Outcome, reason: str) -> None:
    assert judge(outcome, NEWEST) == Retry(reason)


@pytest.mark.parametrize(
    ("outcome", "loss"),
    [
        pytest.param(answer(308, b"", location="/config/worker"), Loss.REDIRECTED, id="redirect"),
        pytest.param(answer(304, b""), Loss.FINAL_STATUS, id="304"),
        pytest.param(answer(404, b""), Loss.FINAL_STATUS, id="404"),
        pytest.param(answer(429, b""), Loss.FINAL_STATUS, id="429"),
        pytest.param(answer(206), Loss.FINAL_STATUS, id="206"),
        pytest.param(answer(cut="1 byte did not come"), Loss.CUT_SHORT, id="cut short"),
        pytest.param(answer(content=b"", cut="all did not come"), Loss.CUT_SHORT, id="nothing came"),
        pytest.param(answer(content_encoding="gzip"), Loss.ENCODED, id="compressed"),
        pytest.param(answer(200, b""), Loss.EMPTY, id="empty 200"),
        pytest.param(answer(204, b""), Loss.EMPTY, id="204"),
        pytest.param(answer(content=b"<html>"), Loss.NO_CONFIG, id="no JSON"),
        pytest.param(answer(content=b"\xff\xfe"), Loss.NO_CONFIG, id="no text"),
        pytest.param(answer(content=b"[]"), Loss.NO_CONFIG, id="no object"),
        pytest.param(answer(content=b'{"ignition":{"version":3}}'), Loss.NO_CONFIG, id="version is no text"),
        pytest.param(answer(content=body(CLIENTS[0])), Loss.OTHER_SPEC, id="other spec"),
        pytest.param(answer(content=b'{"ignition":{"version":"3.6.0"}}'), Loss.NO_ANNOTATIONS, id="no files"),
        pytest.param(answer(content=with_annotations(None)), Loss.NO_ANNOTATIONS, id="no contents"),
        pytest.param(answer(content=with_annotations("data:,{}")), Loss.NO_ANNOTATIONS, id="no boot id"),
        pytest.param(answer(content=with_annotations("data:;base64,&")), Loss.NO_ANNOTATIONS, id="no base64"),
        pytest.param(answer(content=with_annotations("data:,\ud800")), Loss.NO_ANNOTATIONS, id="no characters"),
        pytest.param(answer(content=with_annotations("https://a/b,c")), Loss.NO_ANNOTATIONS, id="no data URL"),
        pytest.param(answer(mcs_boot_id="zzzzzzzzzzzzzzzzzzzzzzzzzz"), Loss.OTHER_BOOT, id="other boot id"),
        pytest.param(answer(mcs_config="rendered-other"), Loss.OTHER_BOOT, id="other config"),
        pytest.param(Answer(200, {}, body()), Loss.OTHER_BOOT, id="no headers"),
    ],
)
def test_these_lose_the_machine(outcome: Outcome, loss: Loss) -> None:
    verdict = judge(outcome, NEWEST)
    assert isinstance(verdict, Lost)
    assert verdict.loss is loss


def test_annotations_that_are_there_twice_lose_the_machine() -> None:
    twice = json.loads(body())
    twice["storage"]["files"] *= 2
    verdict = judge(answer(content=json.dumps(twice).encode()), NEWEST)
    assert isinstance(verdict, Lost)
    assert verdict.loss is Loss.NO_ANNOTATIONS


@given(st.integers(200, 599))
def test_only_a_200_boots_and_only_500_and_above_is_retried(status: int) -> None:
    verdict = judge(answer(status), NEWEST)
    assert isinstance(verdict, Retry) == (status >= 500)
    assert isinstance(verdict, Booted) == (status == 200)


@given(st.integers(0, len(body()) - 1))
def test_no_part_of_a_body_boots_even_where_its_length_is_unknown(length: int) -> None:
    assert isinstance(judge(answer(content=body()[:length]), NEWEST), Lost)


@given(
    st.binary()
    | st.recursive(st.text(), lambda inner: st.dictionaries(st.text(), inner)).map(
        lambda value: json.dumps(value).encode()
    )
)
def test_no_other_body_boots_or_fails(content: bytes) -> None:
    assert isinstance(judge(answer(content=content), NEWEST), Lost)


# ---- a whole boot


@dataclass
class World:
    """A clock that only sleeping and fetching move, and the outcomes of attempts, the last one over and over."""

    outcomes: Sequence[Outcome]
    attempt_seconds: float = 0.0
    time: float = 1000.0
    begun: list[float] = field(default_factory=list)
    left: list[float] = field(default_factory=list)

    def fetch(self, left: float) -> Outcome:
        self.begun.append(self.time)
        assert len(self.begun) < 100, "the boot has no end"
        self.left.append(left)
        self.sleep(min(left, self.attempt_seconds))
        return self.outcomes[min(len(self.begun), len(self.outcomes)) - 1]

    def sleep(self, seconds: float) -> None:
        self.time += seconds

    def boot(self, limit: float) -> Ended:
        return boot(NEWEST, limit, fetch=self.fetch, now=lambda: self.time, sleep=self.sleep)


def test_waits_double_from_a_fifth_of_a_second_to_five() -> None:
    assert list(islice(waits(), 8)) == [0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0, 5.0]


def test_a_machine_waits_between_attempts_and_boots_at_last() -> None:
    world = World([NoAnswer("refused"), answer(503, b""), answer(500, b""), answer()])
    ended = world.boot(30)

    assert [moment - 1000.0 for moment in world.begun] == pytest.approx([0.0, 0.2, 0.6, 1.4])
    assert ended.verdict == Booted(BOOT_ID, len(body()))
    assert ended.retries == ("refused", "503", "500")
    assert ended.seconds == pytest.approx(1.4)


def test_a_final_answer_is_not_asked_for_again() -> None:
    world = World([answer(503, b""), answer(404, b""), answer()])
    ended = world.boot(30)

    assert ended.verdict == Lost(Loss.FINAL_STATUS, "404")
    assert len(world.begun) == 2


def test_a_machine_that_only_retries_is_lost_when_its_time_is_over() -> None:
    ended = World([answer(503, b'{"reason":"starting"}')]).boot(3)

    assert ended.verdict == Lost(Loss.TOO_LATE, "none within 3 s; the last attempt: 503 starting")
    assert ended.retries == ("503 starting",) * 4  # at 0, 0.2, 0.6 and 1.4 s; the next would be at 3 s


@given(
    st.lists(st.sampled_from([NoAnswer("refused"), answer(503, b"")]), max_size=12),
    st.floats(0.1, 40.0),
    st.floats(0.0, 12.0),
)
def test_a_boot_never_outlasts_its_limit(retried: list[Outcome], limit: float, attempt_seconds: float) -> None:
    world = World([*retried, answer()], attempt_seconds)
    ended = world.boot(limit)

    assert ended.seconds <= limit + 1e-6
    assert all(left > 0 for left in world.left)
    gaps = [later - earlier for earlier, later in zip(world.begun, world.begun[1:], strict=False)]
    assert gaps == pytest.approx([wait + attempt_seconds for wait in islice(waits(), len(gaps))])
    if isinstance(ended.verdict, Booted):
        assert len(ended.retries) == len(retried)
        assert len(world.begun) == len(retried) + 1
    else:
        assert ended.verdict.loss is Loss.TOO_LATE
        assert len(ended.retries) == len(world.begun)
