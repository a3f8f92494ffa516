"""How the client of spec 2 is built: from a copy of its sources that differs only in what is said, or not at all.

The stand-in for go is a script that prints a folder as the module's, and "builds" a client that calls itself as told.
"""

from pathlib import Path

import pytest

from tools import ignition_0_35
from tools.ignition_0_35 import VERSION, BuildFailed, build
from tools.ignition_clients import read_pins, spec_2_client

GO = """#!/bin/sh
case "$1" in
  mod) echo '{{"Dir": "{module}"}}' ;;
  build)
    [ "{says}" = none ] && {{ echo "no such package" >&2; exit 1; }}
    find . -type f | sort > {seen}
    cat internal/providers/vmware/vmware_unsupported.go >> {seen}
    while [ "$1" != -o ]; do shift; done
    printf '#!/bin/sh\\necho Ignition {says}\\n' > "$2"
    chmod +x "$2" ;;
esac
"""


@pytest.fixture
def module(tmp_path: Path) -> Path:
    """A module's folder as Go's cache has it: read-only, folders too."""
    path = tmp_path / "module"
    provider = path / "internal/providers/vmware"
    provider.mkdir(parents=True)
    (path / "internal/main.go").write_text("package main\n")
    (provider / "vmware_amd64.go").write_text("package vmware // needs what is gone\n")
    (provider / "vmware_unsupported.go").write_text("// +build !amd64\n\npackage vmware\n")
    for one in (*path.rglob("*"), path):
        one.chmod(0o555 if one.is_dir() else 0o444)
    return path


def go(tmp_path: Path, module: Path, says: str) -> str:
    path = tmp_path / "go"
    path.write_text(GO.format(module=module, says=says, seen=tmp_path / "seen"))
    path.chmod(0o755)
    return str(path)


def test_it_is_built_without_the_provider_whose_modules_are_gone(tmp_path: Path, module: Path) -> None:
    target = tmp_path / "bin" / "ignition"
    target.parent.mkdir()
    build(go(tmp_path, module, VERSION), target)
    assert (tmp_path / "seen").read_text().splitlines() == [
        "./go.mod",
        "./go.sum",
        "./internal/main.go",
        "./internal/providers/vmware/vmware_unsupported.go",
        "",
        "package vmware",
    ]
    assert [path.name for path in target.parent.iterdir()] == ["ignition"]


@pytest.mark.parametrize(
    ("says", "message"),
    [
        pytest.param("none", f"ignition {VERSION} does not build:\nno such package", id="go fails"),
        pytest.param("0.34.0", f"the ignition {VERSION} just built calls itself 'Ignition 0.34.0'", id="another one"),
    ],
)
def test_a_build_that_fails_leaves_nothing_behind(tmp_path: Path, module: Path, says: str, message: str) -> None:
    target = tmp_path / "bin" / "ignition"
    target.parent.mkdir()
    with pytest.raises(BuildFailed, match=message):
        build(go(tmp_path, module, says), target)
    assert list(target.parent.iterdir()) == []


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        pytest.param({"MCS_TOOLS": "/opt/clients", "HOME": "/home/a"}, "/opt/clients/ignition-0.35.0", id="named"),
        pytest.param({"HOME": "/home/a"}, "/home/a/.cache/mcs-tools/spec-2-DIGEST/ignition-0.35.0", id="cached"),
    ],
)
def test_it_has_a_place_of_its_own(environment: dict[str, str], expected: str) -> None:
    assert spec_2_client(environment) == Path(expected.replace("DIGEST", ignition_0_35.digest()))
    assert read_pins().digest not in expected
