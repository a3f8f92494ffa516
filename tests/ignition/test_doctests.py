import doctest
import importlib
import pkgutil

import pytest

import mcs.ignition

MODULES = ["mcs.ignition", *(f"mcs.ignition.{module.name}" for module in pkgutil.iter_modules(mcs.ignition.__path__))]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_are_true(name: str) -> None:
    module = importlib.import_module(name)

    assert doctest.testmod(module).failed == 0


def test_there_are_examples_at_all() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    tests = [test for name in MODULES for test in finder.find(importlib.import_module(name))]

    assert sum(len(test.examples) for test in tests) >= 10
