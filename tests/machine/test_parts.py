"""How the parts of a machine are had: made once and whole, by root alone, from the mirror that apt uses.

Stand-ins for the programs that the recipe and its preparation call are scripts, the only programs on PATH beside a few
of the system's.
"""

import os
import platform
from pathlib import Path

import pytest

from tests.machine.guest import PartsMissing, find_parts
from tools import machine
from tools.ignition_clients import Unavailable
from tools.machine import RECIPE, Parts, missing, parts, prepare

MIRROR = "http://mirror.example.net/debian/"
# A recipe that keeps what it was called with.
RECIPE_TEXT = """#!/bin/sh
cd "$1" && echo "$2 ${http_proxy:-no proxy}" >root.img && touch vmlinuz initrd.img build
"""
FAILING_RECIPE = """#!/bin/sh
cd "$1" && touch vmlinuz initrd.img && echo "no such suite" >&2 && exit 3
"""
TARGETS = (
    "http://other.example.net/|nodistro|main|",
    "http://mirror.example.net/security/|bookworm-security|main|Debian",
    "cdrom:[Debian]/|bookworm|main|Debian",
    "http://mirror.example.net/debian/|bookworm|contrib|Debian",
    f"{MIRROR}|bookworm|main|Debian",
)


def script(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "programs"
    path.mkdir()
    for name in ("sh", "touch", "cat"):
        (path / name).symlink_to(Path("/bin") / name)
    script(path / "nice", '#!/bin/sh\nshift 2\nexec "$@"\n')
    script(path / "unshare", '#!/bin/sh\nshift 3\nexec "$@"\n')
    script(path / "apt-config", "#!/bin/sh\n")
    say_targets(path, *TARGETS)
    monkeypatch.setenv("PATH", str(path))
    monkeypatch.delenv("http_proxy", raising=False)
    return path


def say_targets(programs: Path, *lines: str) -> None:
    said = programs.parent / "targets"
    said.write_text("".join(f"{line}\n" for line in lines))
    script(programs / "apt-get", f"#!/bin/sh\nexec cat {said}\n")


@pytest.fixture
def wanted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Parts:
    monkeypatch.setattr(machine, "PACKAGES", ())
    return parts({"XDG_CACHE_HOME": str(tmp_path / "cache")})


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    return script(tmp_path / "recipe", RECIPE_TEXT)


def test_the_folder_is_outside_the_tree_and_bears_the_recipe(tmp_path: Path) -> None:
    changed = tmp_path / "recipe"
    changed.write_text(RECIPE.read_text().replace("bookworm", "trixie"))
    of_recipe, of_changed = (parts({"HOME": "/home/a"}, path).root.parent for path in (RECIPE, changed))
    assert of_recipe.parent == of_changed.parent == Path("/home/a/.cache/mcs-tools")
    assert of_recipe != of_changed


@pytest.mark.usefixtures("programs")
def test_the_parts_appear_together_and_nothing_else_does(wanted: Parts, recipe: Path) -> None:
    paths = [wanted.kernel, wanted.initramfs, wanted.root]
    assert missing(wanted) == tuple(map(str, paths))
    prepare(wanted, recipe)
    assert missing(wanted) == ()
    assert sorted(wanted.root.parent.iterdir()) == sorted(paths)
    assert [path.name for path in wanted.root.parent.parent.iterdir() if path.is_dir()] == [wanted.root.parent.name]


@pytest.mark.usefixtures("programs")
def test_anyone_can_read_the_parts(wanted: Parts, recipe: Path) -> None:
    prepare(wanted, recipe)
    folder = wanted.root.parent
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o644}
    assert folder.stat().st_mode & 0o777 == 0o755


@pytest.mark.usefixtures("programs")
def test_parts_that_are_there_are_not_made_again(wanted: Parts, recipe: Path, tmp_path: Path) -> None:
    prepare(wanted, recipe)
    prepare(wanted, script(tmp_path / "failing", FAILING_RECIPE))
    assert missing(wanted) == ()


@pytest.mark.usefixtures("programs")
def test_a_lost_part_is_made_again(wanted: Parts, recipe: Path) -> None:
    prepare(wanted, recipe)
    wanted.root.unlink()
    prepare(wanted, recipe)
    assert missing(wanted) == ()


@pytest.mark.usefixtures("programs")
def test_a_recipe_that_fails_leaves_nothing_behind_and_shows_what_was_said(wanted: Parts, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"failing ended with 3\):\nno such suite"):
        prepare(wanted, script(tmp_path / "failing", FAILING_RECIPE))
    assert [path.name for path in wanted.root.parent.parent.iterdir() if path.is_dir()] == []


@pytest.mark.usefixtures("programs")
def test_what_a_killed_run_has_left_is_cleared_away(wanted: Parts, recipe: Path) -> None:
    left = wanted.root.parent.parent / f"{machine.SCRATCH_PREFIX}x" / "rootfs"
    left.mkdir(parents=True)
    prepare(wanted, recipe)
    assert not left.parent.exists()


@pytest.mark.parametrize(
    ("targets", "mirror"),
    [
        pytest.param(TARGETS, MIRROR, id="Debian's before another's"),
        pytest.param([f"{MIRROR}|stable|main|"], MIRROR, id="without lists"),
    ],
)
def test_the_parts_come_from_the_mirror_that_apt_uses(
    wanted: Parts, recipe: Path, programs: Path, targets: list[str], mirror: str
) -> None:
    say_targets(programs, *targets)
    prepare(wanted, recipe)
    assert wanted.root.read_text() == f"{mirror} no proxy\n"


def test_the_parts_come_through_the_proxy_that_apt_uses(wanted: Parts, recipe: Path, programs: Path) -> None:
    script(programs / "apt-config", "#!/bin/sh\necho \"PROXY='http://proxy.example.net:3128'\"\n")
    prepare(wanted, recipe)
    assert wanted.root.read_text() == f"{MIRROR} http://proxy.example.net:3128\n"


def test_without_a_mirror_it_says_what_to_do(wanted: Parts, recipe: Path, programs: Path) -> None:
    say_targets(programs, *TARGETS[1:4])
    with pytest.raises(Unavailable, match=r"no Debian mirror: name one in /etc/apt"):
        prepare(wanted, recipe)


def test_others_than_root_are_told_the_one_command(
    wanted: Parts, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("XDG_CACHE_HOME", str(wanted.root.parents[2]))
    assert machine.main() == 1
    said = capsys.readouterr().err
    assert f"as root, run: cd {RECIPE.parents[1]} && XDG_CACHE_HOME={wanted.root.parents[2]} " in said
    assert said.endswith(" -m tools.machine\n")


def test_root_has_the_packages_installed_and_the_parts_made(
    wanted: Parts, recipe: Path, programs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = programs / "qemu"
    called = programs.parent / "called"
    answers = f'case "$1" in indextargets) echo "{MIRROR}|stable|main|" ;; install) touch {shown} ;; esac'
    script(programs / "apt-get", f'#!/bin/sh\necho "$@" >>{called}\n{answers}\n')
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(machine, "PACKAGES", (("qemu-system-x86", str(shown)),))
    monkeypatch.setattr(machine, "parts", lambda _environment: wanted)
    monkeypatch.setattr(machine, "prepare", lambda found: prepare(found, recipe))
    assert machine.main() == 0
    assert missing(wanted) == ()
    assert called.read_text().splitlines()[:2] == ["update", "install -y --no-install-recommends qemu-system-x86"]
    assert "one to five minutes" in capsys.readouterr().out


def test_only_amd64_makes_them(
    wanted: Parts, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    monkeypatch.setenv("XDG_CACHE_HOME", str(wanted.root.parents[2]))
    assert machine.main() == 1
    assert "made on amd64 only; this is aarch64" in capsys.readouterr().err


def test_a_test_that_lacks_them_is_told_what_to_do(wanted: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(wanted.root.parents[2]))
    with pytest.raises(PartsMissing, match=r"root\.img\. Run, as root: make tools"):
        find_parts()


def test_the_recipe_names_no_mirror() -> None:
    assert "://" not in RECIPE.read_text()
