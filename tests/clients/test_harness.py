"""The harness of the real clients: which spec a release asks for, and what it says when clients are missing."""

import dataclasses
from pathlib import Path

import pytest

from tests.clients.ignition import Client, ClientsMissing, find_clients, scratch
from tools.ignition_clients import read_pins


@pytest.mark.parametrize(
    ("version", "asks_for", "reads"),
    [
        pytest.param((0, 35, 0), "2.2.0", "2.2.0", id="0.35.0"),
        pytest.param((2, 0, 0), "2.2.0", "3.0.0", id="2.0.0"),
        pytest.param((2, 0, 1), "2.2.0", "3.0.0", id="2.0.1"),
        pytest.param((2, 1, 0), "3.0.0", "3.0.0", id="2.1.0"),
        pytest.param((2, 2, 1), "3.0.0", "3.0.0", id="2.2.1"),
        pytest.param((2, 10, 1), "3.2.0", "3.2.0", id="2.10.1"),
        pytest.param((2, 14, 0), "3.3.0", "3.3.0", id="2.14.0"),
        pytest.param((2, 25, 1), "3.5.0", "3.5.0", id="2.25.1"),
        pytest.param((2, 27, 0), "3.6.0", "3.6.0", id="newer than all we know"),
    ],
)
def test_a_release_asks_for_its_spec(version: tuple[int, int, int], asks_for: str, reads: str) -> None:
    client = Client("any", version, Path("ignition"))
    assert (client.asks_for, client.reads) == (asks_for, reads)


def test_missing_clients_are_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    pins = dataclasses.replace(read_pins(), debian_client=tmp_path / "none")
    said = r"ignition 0\.35\.0 at .*, ignition 2\.0\.1 in .*Debian's client at .*Run: make tools"
    with pytest.raises(ClientsMissing, match=said):
        find_clients(pins, tmp_path, tmp_path / "none")


def test_a_scratch_folder_lets_other_users_in_and_is_removed() -> None:
    with scratch() as workdir:
        modes = [path.stat().st_mode & 0o005 for path in (workdir, *workdir.parents)]
        (workdir / "left").mkdir()
    assert set(modes) == {0o005}
    assert not workdir.exists()
