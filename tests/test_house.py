"""The house itself: packages resolve where they should, wheel, locks, documents and commands agree with each other."""

import configparser
import doctest
import importlib
import importlib.metadata
import importlib.util
import os
import pkgutil
import re
import shutil
import stat
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import mcgc
import mcs

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCKS = sorted(path.name for path in ROOT.glob("requirements*.lock"))


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def required(requirements: list[str]) -> set[str]:
    return {canonical(re.match(r"[A-Za-z0-9._-]+", one)[0]) for one in requirements}  # type: ignore[index]  # always a name


# ---- gc/ is a source root, never a package


def test_gc_is_the_interpreters_own_module() -> None:
    found = importlib.util.find_spec("gc")
    assert found is not None
    assert found.origin == "built-in"


def test_mcgc_is_under_gc() -> None:
    assert mcgc.__file__ is not None
    assert Path(mcgc.__file__).parent == ROOT / "gc" / "mcgc"


def test_no_python_file_is_directly_in_gc() -> None:
    assert [path.name for path in (ROOT / "gc").glob("*.py")] == []


# ---- what is built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return zipfile.Path(built)


def files_of(wheel: zipfile.Path) -> set[str]:
    return {name for name in wheel.root.namelist() if not name.endswith("/")}


def test_the_wheel_says_that_both_packages_are_typed(wheel: zipfile.Path) -> None:
    assert {"mcs/py.typed", "mcgc/py.typed"} <= files_of(wheel)


def test_the_wheel_holds_the_two_packages_and_nothing_else(wheel: zipfile.Path) -> None:
    tops = {name.split("/")[0] for name in files_of(wheel)}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"mcs", "mcgc"}


def test_the_wheel_holds_every_module(wheel: zipfile.Path) -> None:
    sources = {f"mcs/{path.relative_to(ROOT / 'mcs')}" for path in (ROOT / "mcs").rglob("*.py")}
    sources |= {f"mcgc/{path.relative_to(ROOT / 'gc' / 'mcgc')}" for path in (ROOT / "gc" / "mcgc").rglob("*.py")}
    assert sources <= files_of(wheel)


def test_the_wheel_has_both_commands_and_the_licence(wheel: zipfile.Path) -> None:
    (entry_points,) = (name for name in files_of(wheel) if name.endswith(".dist-info/entry_points.txt"))
    parsed = configparser.ConfigParser()
    parsed.read_string((wheel / entry_points).read_text())
    assert dict(parsed["console_scripts"]) == {"mcs": "mcs.cli:main", "mcs-gc": "mcgc.__main__:main"}
    assert any(name.endswith("/LICENSE") for name in files_of(wheel))


def test_the_licence_is_apache_2() -> None:
    text = (ROOT / "LICENSE").read_text()
    assert text.split("\n", 3)[1:3] == [" " * 33 + "Apache License", " " * 27 + "Version 2.0, January 2004"]
    assert PROJECT["project"]["license"] == "Apache-2.0"


# ---- requirements, locks and the page about them


def pins(lock: str) -> dict[str, str]:
    lines = (ROOT / lock).read_text().replace("\\\n", " ").splitlines()
    return {canonical(line.split("==")[0]): line.split("==")[1].split()[0] for line in lines}


def test_there_are_locks_for_every_purpose() -> None:
    purposes = ("", "-build", "-go", "-load", "-run")
    assert sorted(LOCKS) == sorted(f"requirements{purpose}.lock" for purpose in purposes)


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_holds_pinned_hashed_requirements_and_nothing_else(lock: str) -> None:
    requirement = re.compile(r"[a-z0-9._-]+==[^\s;]+( ; [^\\]+?)?( +--hash=sha256:[0-9a-f]{64})+")
    lines = (ROOT / lock).read_text().replace("\\\n", " ").splitlines()
    assert lines
    assert [line for line in lines if not requirement.fullmatch(line)] == []


def test_the_locks_agree_on_every_version() -> None:
    main = pins("requirements.lock")
    others = {(lock, name): version for lock in LOCKS for name, version in pins(lock).items() if name in main}
    assert {key: version for key, version in others.items() if version != main[key[1]]} == {}


@pytest.mark.parametrize(
    ("lock", "requirements"),
    [
        pytest.param("requirements-run.lock", PROJECT["project"]["dependencies"], id="run"),
        pytest.param("requirements.lock", PROJECT["project"]["dependencies"], id="run, in development"),
        pytest.param("requirements.lock", PROJECT["dependency-groups"]["test"], id="test"),
        pytest.param("requirements.lock", PROJECT["dependency-groups"]["lint"], id="lint"),
        pytest.param("requirements.lock", PROJECT["dependency-groups"]["build"], id="build, in development"),
        pytest.param("requirements-build.lock", PROJECT["dependency-groups"]["build"], id="build"),
        pytest.param("requirements-load.lock", PROJECT["dependency-groups"]["load"], id="load"),
        pytest.param("requirements-go.lock", PROJECT["dependency-groups"]["go"], id="go"),
    ],
)
def test_a_lock_pins_all_that_is_required(lock: str, requirements: list[str]) -> None:
    assert required(requirements) <= pins(lock).keys()


def test_locust_stays_out_of_the_environment_that_tests_run_in() -> None:
    assert {"locust", "gevent"} & pins("requirements.lock").keys() == set()


def test_each_runtime_dependency_has_its_paragraph() -> None:
    page = (ROOT / "docs" / "dependencies.md").read_text()
    section = page.split("## At run time\n")[1].split("\n## ")[0]
    paragraphs = dict(re.findall(r"^### (\S+)\n(.+?)(?=^### |\Z)", section, re.MULTILINE | re.DOTALL))
    assert paragraphs.keys() == required(PROJECT["project"]["dependencies"])
    assert [name for name, text in paragraphs.items() if len(text.split()) < 30] == []


def test_each_development_requirement_is_named_on_the_page() -> None:
    page = (ROOT / "docs" / "dependencies.md").read_text()
    rows = re.findall(r"^\| (\w+) \| ([^|]+) \|", page, re.MULTILINE)
    named = {(group, name.strip()) for group, names in rows for name in names.split(",")}
    groups = {name: group for name, group in PROJECT["dependency-groups"].items() if name != "dev"}
    wanted = {(group, name) for group, requirements in groups.items() for name in required(requirements)}
    assert wanted <= named
    assert {group for group, _ in named} - {"group"} == groups.keys()


# ---- which Python


def make(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run make as a person would: these tests may be run by a make themselves, which tells its children so."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(["make", *arguments], cwd=cwd, env=environment, capture_output=True, text=True)


def interpreter(folder: Path, *, version: str, has_venv: bool = True) -> Path:
    """A stand-in for an interpreter: tells the version it is asked for, and whether it can make environments."""
    path = folder / f"python-{version}"
    tells = f'*version_info*) echo "{version}" ;; *ensurepip*) exit {0 if has_venv else 1} ;;'
    path.write_text(f'#!/bin/sh\ncase "$*" in {tells} esac\n')
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("version", "has_venv", "says"),
    [
        pytest.param("2.7", True, "needs Python 3.11 or newer", id="2.7"),
        pytest.param("3.8", True, "needs Python 3.11 or newer", id="3.8"),
        pytest.param("3.10", True, "needs Python 3.11 or newer", id="3.10"),
        pytest.param("no version", True, "needs Python 3.11 or newer", id="no Python at all"),
        pytest.param("3.12", False, "apt-get install python3-venv", id="without venv"),
    ],
)
def test_setup_refuses_what_cannot_run_the_project_in_one_sentence(
    tmp_path: Path, version: str, has_venv: bool, says: str
) -> None:
    for name in ("Makefile", "pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "tools", tmp_path / "tools")
    python = interpreter(tmp_path, version=version, has_venv=has_venv)
    done = make("setup", f"PYTHON={python}", cwd=tmp_path)
    assert done.returncode == 2
    sentence, of_make = done.stderr.splitlines()
    assert says in sentence
    assert of_make.startswith("make: ***")
    assert not (tmp_path / ".venv").exists()


@pytest.mark.parametrize(
    ("versions", "chosen"),
    [
        pytest.param({"python3": "3.11"}, "python3", id="the oldest that runs it"),
        pytest.param({"python3": "3.14", "python3.11": "3.11"}, "python3", id="python3 goes first"),
        pytest.param({"python3": "3.10", "python3.12": "3.12"}, "python3.12", id="an old python3 is passed over"),
        pytest.param({"python3.13": "", "python3.12": "3.12"}, "python3.12", id="a shim that runs nothing, too"),
    ],
)
def test_setup_finds_a_python_that_runs_the_project(tmp_path: Path, versions: dict[str, str], chosen: str) -> None:
    for name, version in versions.items():
        interpreter(tmp_path, version=version).rename(tmp_path / name)
    command = ["/bin/sh", str(ROOT / "tools" / "find_python.sh")]
    done = subprocess.run(command, env={"PATH": str(tmp_path)}, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (f"{chosen}\n", "")


def test_pip_refuses_an_older_python() -> None:
    assert importlib.metadata.metadata("mcs")["Requires-Python"] == ">=3.11"


# ---- the commands of the house


def test_make_help_lists_every_target() -> None:
    (phony,) = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    targets = re.findall(r"^ +make ([\w-]+) +\S.*$", make("help").stdout, re.MULTILINE)
    assert targets == phony.split()
    assert {"setup", "check", "tools", "test", "run", "load", "lock", "clean"} <= set(targets)


def test_no_target_uses_sudo() -> None:
    scripts = [ROOT / "Makefile", ROOT / ".ci" / "run", *(ROOT / "tools").glob("*.sh")]
    code = [re.sub(r"^#.*$", "", path.read_text(), flags=re.MULTILINE) for path in scripts]
    assert [path.name for path, text in zip(scripts, code, strict=True) if "sudo" in text] == []


def test_ci_runs_make_test() -> None:
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & stat.S_IXUSR
    lines = [line for line in script.read_text().splitlines() if not line.startswith("#")]
    assert lines[-1] == "exec make test"


def test_coverage_counts_branches_of_both_packages_and_of_every_process() -> None:
    run = PROJECT["tool"]["coverage"]["run"]
    assert run["branch"] is True
    assert run["source_pkgs"] == ["mcs", "mcgc"]
    assert set(run["patch"]) == {"subprocess", "fork"}


# ---- the image


def image() -> list[str]:
    """The instructions of the last stage of the Containerfile."""
    text = (ROOT / "Containerfile").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    last = max(number for number, line in enumerate(lines) if line.startswith("FROM "))
    return lines[last:]


def test_the_image_does_not_run_as_root() -> None:
    (user,) = (line for line in image() if line.startswith("USER "))
    assert re.fullmatch(r"USER [1-9]\d*:[1-9]\d*", user)


def test_the_image_has_a_pinned_base_that_can_be_replaced() -> None:
    text = (ROOT / "Containerfile").read_text()
    assert re.search(r"^ARG BASE=python:3\.\d+\.\d+-slim-\w+$", text, re.MULTILINE)
    assert set(re.findall(r"^FROM (\S+)", text, re.MULTILINE)) == {"${BASE}"}


def test_the_image_is_made_of_locked_requirements_and_our_own_files_only() -> None:
    text = (ROOT / "Containerfile").read_text()
    assert not re.search(r"^ADD ", text, re.MULTILINE)
    assert "://" not in re.sub(r"sqlite://", "", text)
    installs = re.findall(r"pip (?:--python \S+ )?install .*", text)
    assert installs
    assert all("--require-hashes" in line or "--no-index" in line for line in installs)


def test_the_image_is_built_from_what_is_copied_and_no_more() -> None:
    ignored = (ROOT / ".containerignore").read_text()
    assert (ROOT / ".dockerignore").read_text() == ignored
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", (ROOT / "Containerfile").read_text(), re.MULTILINE)
    allowed = [line.removeprefix("!") for line in ignored.splitlines() if line.startswith("!")]
    assert sorted(name for names in copied for name in names.split()) == sorted(allowed)
    assert [name for name in allowed if not (ROOT / name).exists()] == []


# ---- the examples in docstrings


def modules() -> list[str]:
    packages = (mcs, mcgc)
    inner = [one.name for each in packages for one in pkgutil.walk_packages(each.__path__, f"{each.__name__}.")]
    return [*(each.__name__ for each in packages), *inner]


@pytest.mark.parametrize("name", modules())
def test_the_examples_in_docstrings_are_true(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    results = doctest.testmod(importlib.import_module(name))
    assert results.failed == 0, capsys.readouterr().out


def test_there_are_examples_in_docstrings() -> None:
    assert doctest.testmod(importlib.import_module("mcs.jsondata")).attempted > 0
