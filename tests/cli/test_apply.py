"""`mcs apply`: all or nothing, and every fault named."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mcs.boot.durations import Durations, of_pool
from mcs.cli.remarks import DURATION_ANNOTATIONS
from mcs.jsondata import JSONObject, compact
from mcs.machineconfig.manifests import write_yaml
from tests.cli.commands import Place, node, own_config, pool, rendered

NAME = "rendered-worker-0123456789abcdef0123456789abcdef"


def test_it_says_what_became_of_each_object(place: Place) -> None:
    file = place.file("a.yaml", write_yaml(pool("worker", NAME), rendered(NAME, "worker"), node("one")))
    assert place.mcs("apply", "-f", file).out == [
        "machineconfigpool/worker created",
        f"machineconfig/{NAME} created",
        "node/one created",
    ]
    place.file("a.yaml", write_yaml(pool("worker", NAME, status=NAME), rendered(NAME, "worker"), node("one")))
    assert place.mcs("apply", "-f", file).out == [
        "machineconfigpool/worker configured",
        f"machineconfig/{NAME} unchanged",
        "node/one unchanged",
    ]


def test_directories_are_read_in_order_of_names_and_not_below(place: Place) -> None:
    for number, name in enumerate(["d/b.json", "d/a.yaml", "d/c.yml", "d/e.txt", "d/below/f.yaml"]):
        place.file(name, compact(own_config(f"config-{number}")))
    directory = place.directory / "d"
    assert [line.split()[0] for line in place.mcs("apply", "-f", directory).out] == [
        "machineconfig/config-1",
        "machineconfig/config-0",
        "machineconfig/config-2",
    ]
    found = [line.split()[0] for line in place.mcs("apply", "-R", "-f", directory).out]
    assert "machineconfig/config-4" in found
    assert len(found) == 4


def test_standard_input_and_files_together(place: Place) -> None:
    file = place.file("a.yaml", compact(own_config("a")))
    outcome = place.mcs("apply", "-f", "-", "-f", file, stdin=compact(own_config("b")))
    assert outcome.out == ["machineconfig/b created", "machineconfig/a created"]


def test_standard_input_is_read_once(place: Place) -> None:
    outcome = place.mcs("apply", "-f", "-", "-f", "-")
    assert outcome.status == 2
    assert "can be read only once" in outcome.err[-1]


def test_all_errors_of_all_files_are_listed_and_nothing_is_applied(place: Place) -> None:
    good = place.file("good.yaml", compact(own_config("good")))
    bad = place.file("bad.yaml", write_yaml(own_config("Upper"), {"kind": "Pod", "apiVersion": "v1"}))
    worse = place.file("worse.json", "{")
    outcome = place.mcs("apply", "-f", good, "-f", bad, "-f", worse)
    assert (outcome.status, outcome.out) == (1, [])
    assert outcome.err[0].startswith(f"{bad}:5: document 1: metadata.name: ")
    assert outcome.err[1].startswith(f"{bad}:10: document 2: kind: ")
    assert outcome.err[2].startswith(f"{worse}:1: document 1: is no JSON: ")
    assert outcome.err[3:] == ["mcs apply: nothing was applied"]
    assert place.mcs("get", "configs").err == ["there are no configs"]


def test_one_object_twice_in_a_call_names_both_places(place: Place) -> None:
    one = place.file("one.yaml", compact(own_config("a")))
    two = place.file("two.yaml", "---\n" + compact(node("a")) + "\n---\n" + compact(own_config("a")))
    outcome = place.mcs("apply", "-f", one, "-f", two)
    assert outcome.status == 1
    assert outcome.err[0] == (
        f"{two}:4: document 2: metadata.name: MachineConfig a stands in {one}:1 (document 1) too: remove one of them"
    )


def test_a_rendered_config_never_changes_its_spec(place: Place) -> None:
    place.mcs("apply", "-f", "-", stdin=compact(rendered(NAME, "worker")))
    file = place.file("a.yaml", write_yaml(own_config("a"), rendered(NAME, "worker", version="3.5.0")))
    outcome = place.mcs("apply", "-f", file)
    assert (outcome.status, outcome.out) == (1, [])
    assert outcome.err[0].startswith(f"{file}:10: document 2: ")
    assert NAME in outcome.err[0]
    assert place.mcs("get", "config", "a").status == 1


def test_a_warning_stands_beside_success(place: Place) -> None:
    outcome = place.mcs("apply", "-f", "-", stdin=compact(rendered(NAME, "worker", version="3.9.0")))
    assert (outcome.status, outcome.out) == (0, [f"machineconfig/{NAME} created"])
    assert outcome.err == [
        (
            "warning: <stdin>:1: spec.config.ignition.version: Ignition 3.9.0 is not known here: "
            "the config is stored, but can be neither rendered nor served"
        )
    ]


def test_nothing_in_standard_input_is_said_so(place: Place) -> None:
    outcome = place.mcs("apply", "-f", "-", stdin="kind: List\napiVersion: v1\nitems: []\n")
    assert (outcome.status, outcome.err) == (
        1,
        ["mcs apply: no manifest was found in standard input; nothing was applied"],
    )


ANNOTATIONS = "metadata.annotations"
ABSENT = "yet: machines wait until it is applied"
MEANT_HOLD = "means nothing on a MachineConfigPool; did you mean mcs.internal/hold?"
NO_DURATION = "is ignored: it is not a duration, such as 90s, 5m, 12h or 7d"
BROKEN_RULE = (
    "by a server's default durations, the pool's durations are ignored: hold ≥ boot bound + body deadline + 2·renewal "
    "+ 2·skew does not hold: hold is 3600 s, and 43200 + 900 + 2·300 + 2·60 is 44820 s"
)

REMARKS = [
    pytest.param([pool("p", spec=NAME), rendered(NAME, "worker")], [], id="a config in the same call"),
    pytest.param(
        [pool("p", spec="stored")],
        ["8: spec.configuration.name: stored is not a rendered config: its spec may change and it may be deleted"],
        id="a stored config that is not rendered",
    ),
    pytest.param(
        [pool("p", status=NAME)],
        [f'8: status.configuration.name: there is no MachineConfig "{NAME}" {ABSENT}'],
        id="a config that is not there",
    ),
    pytest.param(
        [pool("p", annotations={"mcs.internal/serve": "gone"})],
        [f'6: {ANNOTATIONS}["mcs.internal/serve"]: there is no MachineConfig "gone" {ABSENT}'],
        id="an override that is not there",
    ),
    pytest.param([pool("p", annotations={"mcs.internal/serve": "status"})], [], id="an override that names no config"),
    pytest.param(
        [pool("p", annotations={"mcs.internal/holds": "1d"})],
        [f'6: {ANNOTATIONS}["mcs.internal/holds"]: {MEANT_HOLD}'],
        id="a misspelt annotation",
    ),
    pytest.param([pool("p", annotations={"example.com/hold": "x"})], [], id="somebody else's annotation"),
    pytest.param(
        [pool("p", annotations={"mcs.internal/hold": "2 days"})],
        [f'6: {ANNOTATIONS}["mcs.internal/hold"]: "2 days" {NO_DURATION}'],
        id="no duration",
    ),
    pytest.param(
        [pool("p", annotations={"mcs.internal/hold": "1h", "mcs.internal/boot-bound": "no"})],
        [f'7: {ANNOTATIONS}["mcs.internal/boot-bound"]: "no" {NO_DURATION}', f"5: {ANNOTATIONS}: {BROKEN_RULE}"],
        id="durations that break the rule",
    ),
    pytest.param(
        [pool("p", annotations={"mcs.internal/hold": "4h", "mcs.internal/boot-bound": "2h"})], [], id="good durations"
    ),
]


@pytest.mark.parametrize(("documents", "warnings"), REMARKS)
def test_what_looks_like_a_mistake_is_applied_with_a_warning(
    place: Place, documents: list[JSONObject], warnings: list[str]
) -> None:
    place.mcs("apply", "-f", "-", stdin=compact(own_config("stored")))
    file = place.file("a.yaml", write_yaml(documents[0]) + "---\n" + write_yaml(*documents[1:]))
    outcome = place.mcs("apply", "-f", file)
    assert (outcome.status, len(outcome.out)) == (0, len(documents))
    assert outcome.err == [f"warning: {file}:{warning}" for warning in warnings]


def test_what_is_refused_is_not_warned_about(place: Place) -> None:
    documents = [pool("p", spec=NAME), own_config("Upper")]
    outcome = place.mcs("apply", "-f", "-", stdin=write_yaml(*documents))
    assert outcome.status == 1
    assert not any(line.startswith("warning") for line in outcome.err)


@pytest.mark.parametrize("annotation", DURATION_ANNOTATIONS)
def test_every_duration_of_a_pool_is_one_that_a_server_reads(annotation: str) -> None:
    _, notes = of_pool({annotation: "nonsense"}, Durations())
    assert len(notes) == 1


UNREADABLE = [
    pytest.param("missing.yaml", "missing.yaml cannot be read: No such file or directory", id="missing"),
    pytest.param("empty.yaml", "no manifest was found in empty.yaml", id="empty"),
    pytest.param("directory", "no manifest was found in directory", id="directory without manifests"),
    pytest.param("x" * 300, "xxx cannot be read: File name too long", id="name too long"),
    pytest.param("empty.yaml/x.yaml", "empty.yaml/x.yaml cannot be read: Not a directory", id="below a file"),
    pytest.param("loop.yaml", "loop.yaml cannot be read: Too many levels of symbolic links", id="loop"),
    pytest.param("loops", "loops/loop.yaml cannot be read: Too many levels of symbolic links", id="loop below"),
    pytest.param("dangling", "dangling/x.yaml cannot be read: No such file or directory", id="dangling link below"),
    pytest.param("pipes", "pipes/x.yaml is no regular file: remove it, or name it with -f", id="pipe below"),
    pytest.param("latin.yaml", "latin.yaml:1: byte 0xe4 is not UTF-8: save the file as UTF-8", id="encoding"),
]


@pytest.mark.parametrize(("name", "message"), UNREADABLE)
def test_what_cannot_be_read_is_named(place: Place, monkeypatch: pytest.MonkeyPatch, name: str, message: str) -> None:
    monkeypatch.chdir(place.directory)
    Path("empty.yaml").touch()
    Path("directory").mkdir()
    Path("latin.yaml").write_bytes(b"a: \xe4")
    for directory in ("loops", "dangling", "pipes"):
        place.file(f"{directory}/good.yaml", compact(own_config("good")))
    for loop in ("loop.yaml", "loops/loop.yaml"):
        Path(loop).symlink_to("loop.yaml")
    Path("dangling/x.yaml").symlink_to("nowhere")
    os.mkfifo("pipes/x.yaml")
    outcome = place.mcs("apply", "-f", name)
    assert (outcome.status, outcome.out) == (1, [])
    assert message in outcome.err[0]
    assert outcome.err[-1].endswith("nothing was applied")


@contextmanager
def without_privileges() -> Iterator[None]:
    """Be nobody for a while, if this is root, who may read everything."""
    mine = os.geteuid()
    if mine == 0:
        os.seteuid(65534)
    yield
    os.seteuid(mine)


FORBIDDEN = [
    pytest.param(0o644, ["-f", "d/below"], "d/below/a.yaml", id="directory without x"),
    pytest.param(0o644, ["-f", "d/below/a.yaml"], "d/below/a.yaml", id="file below it"),
    pytest.param(0o300, ["-f", "d/below"], "d/below", id="directory without r"),
    pytest.param(0o000, ["-R", "-f", "d"], "d/below", id="directory below"),
]


@pytest.mark.parametrize(("mode", "arguments", "name"), FORBIDDEN)
def test_what_may_not_be_read_is_named(
    place: Place, monkeypatch: pytest.MonkeyPatch, mode: int, arguments: list[str], name: str
) -> None:
    place.file("d/b.yaml", compact(own_config("b")))
    below = place.file("d/below/a.yaml", compact(own_config("a"))).parent
    assert place.mcs("apply", "-f", "d/b.yaml", "--help").status == 0  # imports what nobody may not read
    monkeypatch.chdir(place.directory)
    place.directory.chmod(0o755)
    below.chmod(mode)
    with without_privileges():
        outcome = place.mcs("apply", *arguments)
    below.chmod(0o700)
    assert outcome.err == [f"mcs apply: {name} cannot be read: Permission denied; nothing was applied"]
    assert (outcome.status, outcome.out) == (1, [])


def test_an_empty_name_is_wrong_usage(place: Place) -> None:
    outcome = place.mcs("apply", "-f", "")
    assert (outcome.status, outcome.err[-1]) == (2, "mcs apply: -f names no file: it is empty")


def test_a_pipe_that_is_named_is_read(place: Place) -> None:
    read, write = os.pipe()
    os.write(write, compact(own_config("piped")).encode())
    os.close(write)
    outcome = place.mcs("apply", "-f", f"/dev/fd/{read}")
    os.close(read)
    assert outcome.out == ["machineconfig/piped created"]


def test_a_file_name_cannot_steer_a_terminal(place: Place) -> None:
    file = place.file("\x1b[2J.yaml", "{")
    outcome = place.mcs("apply", "-f", file)
    assert outcome.status == 1
    assert all(line.isprintable() for line in outcome.err)


def test_a_file_without_a_reader_is_no_traceback(place: Place) -> None:
    outcome = place.mcs("apply", "-f", os.devnull)
    assert (outcome.status, outcome.err) == (1, ["mcs apply: no manifest was found in /dev/null; nothing was applied"])
