"""What `mcs ignition` answers to files that are no configs or cannot be read, whichever the command."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from mcs.cli.ignition_files import LARGEST
from mcs.jsondata import JSONObject, compact
from tests.cli.commands import Place
from tests.cli.ignition_configs import FINE, TWO_ERRORS, WARNING, told

YAML_CONFIG = "# mine\n---\nignition:\n  version: 3.4.0\n"
IN_MACHINE_CONFIG: JSONObject = {"ignition": {"version": "3.4.0"}}
MACHINE_CONFIG: JSONObject = {"apiVersion": "x/v1", "kind": "MachineConfig", "spec": {"config": IN_MACHINE_CONFIG}}

TAKEN_FOR_CONFIGS = [
    pytest.param(
        compact(MACHINE_CONFIG),
        "this is a MachineConfig: take the value of its spec.config (jq .spec.config)",
        id="MachineConfig",
    ),
    pytest.param(
        yaml.safe_dump(MACHINE_CONFIG),
        "this is a MachineConfig in YAML: take the value of its spec.config, as JSON (yq -o json .spec.config)",
        id="MachineConfig, YAML",
    ),
    pytest.param(
        '{"apiVersion": "v1", "kind": "Li\\nst"}',
        "this is a Kubernetes manifest of a Li st, not an Ignition config",
        id="manifest",
    ),
    pytest.param(
        "apiVersion: v1\nkind: Node\n", "this is a Kubernetes manifest, not an Ignition config", id="manifest, YAML"
    ),
    pytest.param(
        "variant: fcos\nversion: 1.5.0\n",
        "this is a Butane config: have butane make an Ignition config of it",
        id="Butane",
    ),
    pytest.param(
        '{"variant": "fcos"}', "this is a Butane config: have butane make an Ignition config of it", id="Butane, JSON"
    ),
    pytest.param(
        YAML_CONFIG, "this is YAML, and Ignition reads JSON alone: rewrite it (yq -o json)", id="config, YAML"
    ),
    pytest.param("#cloud-config\na: 1\n", "not a config (found coreos-cloudconfig)", id="cloud-config"),
    pytest.param("#!/bin/sh\nkind: x\n", "not a config (found coreos-cloudinit script)", id="script"),
]


@pytest.mark.parametrize("command", [["validate"], ["convert", "--to", "3.1"]], ids=["validate", "convert"])
@pytest.mark.parametrize(("text", "hint"), TAKEN_FOR_CONFIGS)
def test_what_is_no_config_is_told_by_its_name(here: Place, text: str, hint: str, command: list[str]) -> None:
    outcome = here.mcs("ignition", *command, stdin=text)
    assert (outcome.status, outcome.out + outcome.err) == (1, [f"<stdin>:1:1: error: {hint}"])


def test_the_config_of_a_machine_config_is_one(here: Place) -> None:
    assert told(here.mcs("ignition", "validate", stdin=compact(IN_MACHINE_CONFIG))) == (0, [], [])


UNREADABLE = [
    pytest.param("absent.ign", "absent.ign: error: cannot be read: No such file or directory", id="absent"),
    pytest.param(".", ".: error: cannot be read: Is a directory", id="directory"),
    pytest.param("a\nb", r"a\nb: error: cannot be read: No such file or directory", id="two lines"),
    pytest.param("a\0b", r"a\x00b: error: cannot be read: embedded null byte", id="NUL"),
    pytest.param("a\udcff", r"a\xff: error: cannot be read: No such file or directory", id="not UTF-8"),
    pytest.param("x" * 300, f"{'x' * 300}: error: cannot be read: File name too long", id="too long"),
]


@pytest.mark.parametrize(
    "command", [["validate"], ["convert", "--to", "3.1"], ["merge", "-"]], ids=["validate", "convert", "merge"]
)
@pytest.mark.parametrize(("name", "message"), UNREADABLE)
def test_a_file_that_cannot_be_read_is_one_line(here: Place, name: str, message: str, command: list[str]) -> None:
    outcome = here.mcs("ignition", *command, name, stdin=FINE)
    assert (outcome.status, outcome.out + outcome.err) == (1, [message])


def test_a_file_that_is_too_large_is_not_read(here: Place) -> None:
    with (here.directory / "a.ign").open("wb") as file:
        file.truncate(LARGEST + 1)
    assert told(here.mcs("ignition", "validate", "a.ign")) == (1, ["a.ign: error: is larger than 16 MiB"], [])


def test_what_is_not_utf_8_is_no_traceback(here: Place) -> None:
    (here.directory / "a.ign").write_bytes(b"\xff\xfe{\x00}\x00")
    outcome = here.mcs("ignition", "validate", "a.ign")
    assert told(outcome) == (1, ["a.ign:1:1: error: not JSON: Expecting value"], [])


PIECES = [FINE, WARNING, TWO_ERRORS, YAML_CONFIG, compact(MACHINE_CONFIG), "{", "[", '"', "\n", ": ", "null", "\ud800"]


@pytest.mark.parametrize(
    "command", [["validate"], ["validate", "-o", "json"], ["convert", "--to", "2.4"]], ids=" ".join
)
@given(text=st.binary(max_size=40) | st.lists(st.sampled_from(PIECES), max_size=4).map("".join))
@settings(max_examples=50)
def test_no_input_is_a_traceback(text: str | bytes, command: list[str]) -> None:
    data = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    assert Place(Path("/nowhere")).mcs("ignition", *command, stdin=data).status in {0, 1}
