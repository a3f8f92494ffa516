"""How the real clients are had: what is missing is installed or named, and a build that fails leaves nothing behind.

Stand-ins for apt-get and go are scripts, the only programs on PATH beside a few of the system's.
"""

import dataclasses
import os
from pathlib import Path

import pytest

from tools import ignition_clients
from tools.ignition_clients import Pins, Unavailable, binary, build, folder, install_packages, missing, read_pins

VERSIONS = ("2.2.1", "2.26.0")
# A go whose `install` writes a client that calls itself by the version asked for, or as SAYS tells.
GO = """#!/bin/sh
[ "$1 $2" = "env GOVERSION" ] && { echo go1.26.8; exit 0; }
for last; do :; done
version=${SAYS:-${last##*@v}}
[ "$version" = none ] && { echo "no such module"; exit 1; }
printf '#!/bin/sh\\necho Ignition %s\\n' "$version" > "$GOBIN/internal"
chmod +x "$GOBIN/internal"
"""


@pytest.fixture
def pins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pins:
    monkeypatch.setattr(ignition_clients, "TO_WRITE_AS_OTHERS", (("uidmap", str(tmp_path / "newuidmap")),))
    monkeypatch.setattr(ignition_clients, "BESIDE_SERVER", (("haproxy", str(tmp_path / "haproxy")),))
    return dataclasses.replace(read_pins(), versions=VERSIONS, debian_client=tmp_path / "debian-ignition")


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "programs"
    path.mkdir()
    for name in ("sh", "chmod", "touch"):
        (path / name).symlink_to(Path("/bin") / name)
    monkeypatch.setenv("PATH", str(path))
    return path


def script(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        pytest.param({"MCS_TOOLS": "/opt/clients", "HOME": "/home/a"}, "/opt/clients", id="named"),
        pytest.param({"XDG_CACHE_HOME": "/cache", "HOME": "/home/a"}, "/cache/mcs-tools/DIGEST/bin", id="XDG cache"),
        pytest.param({"XDG_CACHE_HOME": "", "HOME": "/home/a"}, "/home/a/.cache/mcs-tools/DIGEST/bin", id="home"),
    ],
)
def test_the_folder_is_outside_the_tree_and_bears_the_pins(environment: dict[str, str], expected: str) -> None:
    pins = read_pins()
    assert folder(pins, environment) == Path(expected.replace("DIGEST", pins.digest))


def test_other_pins_are_another_folder(tmp_path: Path) -> None:
    changed = tmp_path / "pins.toml"
    changed.write_text(ignition_clients.PINS.read_text().replace("2.26.0", "2.26.1"))
    assert folder(read_pins(changed), {}) != folder(read_pins(), {})


def test_root_has_missing_packages_installed(
    pins: Pins, programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    script(
        programs / "apt-get",
        f'#!/bin/sh\necho "$@" >> {programs}/called\ntouch {pins.debian_client} {tmp_path}/haproxy\n',
    )
    install_packages(pins, building=False)
    called = (programs / "called").read_text().splitlines()
    assert called == ["update", "install -y --no-install-recommends ignition haproxy"]


def test_others_are_told_the_one_line(pins: Pins, programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    script(programs / "apt-get", f"#!/bin/sh\ntouch {programs}/called\n")
    line = "as root, run: apt-get update && apt-get install -y --no-install-recommends ignition haproxy uidmap"
    with pytest.raises(Unavailable, match=line):
        install_packages(pins, building=False)
    assert not (programs / "called").exists()


@pytest.mark.usefixtures("programs")
def test_a_machine_that_is_no_debian_is_told_where_the_tests_run(pins: Pins, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(
        Unavailable, match=r"lacks ignition, haproxy .* has no apt-get .* on Debian or in a Debian container"
    ):
        install_packages(pins, building=False)


def test_a_failing_installation_shows_what_was_said(
    pins: Pins, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    script(programs / "apt-get", "#!/bin/sh\necho E: the lists are locked\nexit 100\n")
    with pytest.raises(Unavailable, match="apt-get update failed:\nE: the lists are locked"):
        install_packages(pins, building=False)


def test_built_clients_appear_under_their_versions(pins: Pins, programs: Path, tmp_path: Path) -> None:
    script(programs / "go", GO)
    bin_folder = tmp_path / "bin"
    assert missing(pins, bin_folder) == VERSIONS
    build(pins, VERSIONS, bin_folder)
    assert missing(pins, bin_folder) == ()
    assert sorted(path.name for path in bin_folder.iterdir()) == [f"ignition-{version}" for version in VERSIONS]


@pytest.mark.parametrize(
    ("says", "message"),
    [
        pytest.param("none", "ignition 2.2.1 does not build:\nno such module", id="go fails"),
        pytest.param("2.9.9", "the ignition 2.2.1 just built calls itself 'Ignition 2.9.9'", id="another version"),
    ],
)
def test_a_build_that_fails_leaves_nothing_behind(
    pins: Pins, programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str, message: str
) -> None:
    script(programs / "go", GO)
    monkeypatch.setenv("SAYS", says)
    with pytest.raises(Unavailable, match=message):
        build(pins, VERSIONS, tmp_path / "bin")
    assert list((tmp_path / "bin").iterdir()) == []


def test_only_what_is_missing_is_built(pins: Pins, programs: Path, tmp_path: Path) -> None:
    script(programs / "go", GO)
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    binary(bin_folder, "2.2.1").write_text("built before")
    assert missing(pins, bin_folder) == ("2.26.0",)
