"""`mcs render --diff`: what it says would change, and what of it is hidden."""

import gzip

import pytest

from mcs.jsondata import JSONObject, lookup
from tests.cli.commands import Outcome, Place
from tests.cli.rendering import apply, config, file, ignition, named_by, of_files, of_unit, pool, rendered


def difference(place: Place, before: JSONObject, after: JSONObject, *options: str) -> Outcome:
    """Return what is said of the change of a MachineConfig's spec."""
    rendered(place, pool(), config("00-a") | {"spec": before})
    apply(place, config("00-a") | {"spec": after})
    return place.mcs("render", "worker", "--diff", *options)


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        pytest.param({}, {}, [], id="nothing"),
        pytest.param(
            {"config": of_files(file("/a", "one\ntwo\n", mode=0o644))},
            {"config": of_files(file("/a", "one\n2\n", mode=0o755))},
            [
                "changed file /a",
                "  mode: 0644 -> 0755",
                "  contents: 8 bytes -> 6 bytes",
                "    @@ -1,2 +1,2 @@",
                "     one",
                "    -two",
                "    +2",
                "0 added, 1 changed, 0 removed",
            ],
            id="file",
        ),
        pytest.param(
            {"config": of_unit("a.service", "[Unit]\nA=b\n")},
            {"config": of_unit("b.service", "[Unit]\nA=b")},
            [
                "added unit b.service",
                "  contents: 10 bytes",
                "    +[Unit]",
                "    +A=b (no line feed at the end)",
                "removed unit a.service",
                "  contents: 11 bytes -> nothing",
                "    -[Unit]",
                "    -A=b",
                "1 added, 0 changed, 1 removed",
            ],
            id="unit",
        ),
        pytest.param(
            {"config": of_files(file("/a", "one\n"))},
            {"config": of_files({"path": "/a", "contents": {"source": "data:,one%0A"}})},
            ["changed file /a", "  contents: the same bytes, said in another way", "0 added, 1 changed, 0 removed"],
            id="only-written-in-another-way",
        ),
        pytest.param(
            {"config": of_files(file("/a", b"\xff\x00"))},
            {"config": of_files(file("/a", b"\xff"))},
            [
                "changed file /a",
                "  contents: binary, 2 bytes, SHA-256 ea5dbf9596d187e9 -> binary, 1 bytes, SHA-256 a8100ae6aa1940d0",
                "0 added, 1 changed, 0 removed",
            ],
            id="bytes",
        ),
        pytest.param(
            {"kernelArguments": ["a", "b"], "osImageURL": "x"},
            {"kernelArguments": ["b", "b", "c"], "osImageURL": "y"},
            [
                "changed kernel argument b",
                "  once -> 2 times",
                "added kernel argument c",
                "changed osImageURL",
                "  x -> y",
                "removed kernel argument a",
                "1 added, 2 changed, 1 removed",
            ],
            id="arguments-and-members",
        ),
        pytest.param(
            {"kernelArguments": ["a", "b"]},
            {"kernelArguments": ["b", "a"]},
            ["kernelArguments: in another order: a, b -> b, a", "only its order or how it is written would change"],
            id="order",
        ),
        pytest.param(
            {"config": ignition(passwd={"users": [{"name": "core", "sshAuthorizedKeys": ["k1", "k2"]}]})},
            {"config": ignition(passwd={"users": [{"name": "core", "sshAuthorizedKeys": ["k2", "k3"]}]})},
            [
                "changed user core",
                "  sshAuthorizedKeys:",
                "    -k1",
                "    +k3",
                "0 added, 1 changed, 0 removed",
            ],
            id="keys-of-a-user",
        ),
        pytest.param(
            {"config": of_files(file("/a", "one\n"))},
            {"config": of_files(file("/a", "\x1b[2J\tone\n"))},
            [
                "changed file /a",
                "  contents: 4 bytes -> 9 bytes",
                "    @@ -1 +1 @@",
                "    -one",
                "    +\\x1b[2J\tone",
                "0 added, 1 changed, 0 removed",
            ],
            id="nothing-that-a-terminal-obeys",
        ),
    ],
)
def test_a_difference_in_words(place: Place, before: JSONObject, after: JSONObject, lines: list[str]) -> None:
    outcome = difference(place, before, after)

    head, *rest = outcome.out
    assert (outcome.status, rest) == (0, lines)
    assert head.startswith(f"worker: {named_by(place)}")
    assert head.endswith(": nothing would change") is not bool(lines)


def test_packed_contents_are_compared_unpacked(place: Place) -> None:
    packed = file("/a", gzip.compress(b"one\n"))
    contents: JSONObject = {"source": lookup(packed, "contents", "source"), "compression": "gzip"}

    outcome = difference(
        place, {"config": of_files(file("/a", "two\n"))}, {"config": of_files({"path": "/a", "contents": contents})}
    )

    assert outcome.out[2:7] == [
        "  contents: 4 bytes -> 4 bytes",
        "    @@ -1 +1 @@",
        "    -two",
        "    +one",
        '  contents.compression: "gzip"',
    ]


SECRET = "correct horse battery staple"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            {"config": of_files(file("/a", "x", mode=0o644))},
            {"config": of_files(file("/a", SECRET, mode=0o600))},
            id="a-file-that-others-may-not-read",
        ),
        pytest.param(
            {"config": of_files(file("/a", SECRET, mode=0o600))},
            {"config": of_files(file("/a", "x", mode=0o644))},
            id="a-file-that-others-might-not-read-before",
        ),
        pytest.param({}, {"config": of_files(file("/etc/app/tls.key", SECRET))}, id="a-file-known-to-hold-a-key"),
        pytest.param({}, {"config": of_unit("a.service", f"[Service]\nEnvironment=DB_PASSWORD={SECRET}\n")}, id="unit"),
        pytest.param(
            {},
            {"config": ignition(passwd={"users": [{"name": "core", "passwordHash": SECRET}]})},
            id="password-hash",
        ),
        pytest.param({}, {"kernelArguments": [f"rd.token={SECRET}"]}, id="kernel-argument"),
        pytest.param(
            {},
            {
                "config": of_files(
                    {
                        "path": "/a",
                        "contents": {
                            "source": "https://example.net/a",
                            "httpHeaders": [{"name": "Authorization", "value": SECRET}],
                        },
                    }
                )
            },
            id="header",
        ),
    ],
)
def test_secrets_are_shown_only_if_they_are_asked_for(place: Place, before: JSONObject, after: JSONObject) -> None:
    outcome = difference(place, before, after)

    assert outcome.status == 0
    assert SECRET not in "\n".join(outcome.out)
    assert "(secret " in "\n".join(outcome.out)
    assert SECRET in "\n".join(place.mcs("render", "worker", "--diff", "--show-secrets").out)


def test_there_may_be_nothing_to_compare_with(place: Place) -> None:
    apply(place, pool(), config("00-a"))

    [line] = place.mcs("render", "worker", "--diff").out

    assert line.endswith("; there is no config yet to compare it with")
