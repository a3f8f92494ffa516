"""The examples in docstrings and on the page about the library are true."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import mcs.ignition

PAGE = Path(__file__).parents[2] / "docs" / "ignition.md"
MODULES = ["mcs.ignition", *(f"mcs.ignition.{module.name}" for module in pkgutil.iter_modules(mcs.ignition.__path__))]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_are_true(name: str) -> None:
    module = importlib.import_module(name)

    assert doctest.testmod(module).failed == 0


def test_there_are_examples_at_all() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    tests = [test for name in MODULES for test in finder.find(importlib.import_module(name))]

    assert sum(len(test.examples) for test in tests) >= 10


def test_the_examples_on_the_page_are_true_and_all_functions_have_one() -> None:
    results = doctest.testfile(str(PAGE), module_relative=False)

    assert results.failed == 0
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in ("parse", "validate", "convert", "merge") if f" ignition.{name}(" not in text] == []
