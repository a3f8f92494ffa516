"""What the package offers to others: few names, each on its page, and nothing that has to be installed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import mcs.ignition

ROOT = Path(__file__).parents[2]


def test_every_name_is_on_the_page() -> None:
    page = (ROOT / "docs" / "ignition.md").read_text(encoding="utf-8")
    named = {name for code in re.findall(r"`([^`\n]+)`", page) for name in re.findall(r"\w+", code)}

    assert set(mcs.ignition.__all__) <= named


@pytest.mark.parametrize("name", mcs.ignition.__all__)
def test_every_name_is_there(name: str) -> None:
    assert hasattr(mcs.ignition, name)


def test_the_library_needs_nothing_but_python() -> None:
    program = """
import sys
before = set(sys.modules)
import mcs.ignition
new = [module for name, module in sys.modules.items() if name not in before]
print([module.__name__ for module in new if "site-packages" in (getattr(module, "__file__", None) or "")])
print(sorted({module.__name__.split(".")[1] for module in new if module.__name__.startswith("mcs.")}))
"""
    finished = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)

    assert finished.stdout == "[]\n['ignition', 'jsondata']\n"
