"""What keeps a config from being said in another spec, in words: each with its place, and without."""

import pytest

from mcs.ignition.errors import (
    DuplicateDropin,
    DuplicateInode,
    DuplicateMount,
    DuplicateUnit,
    NetworkdUsed,
    NoFilesystem,
    Problem,
    SectorsUsed,
    Unsayable,
    Unsupported,
    UnsupportedFeatures,
    Untranslatable,
    UsesOwnLink,
)
from mcs.ignition.versions import V3_0, V3_1, V3_3

PATH = "$.storage.files.0"
MESSAGES: list[tuple[Problem, str]] = [
    (NetworkdUsed(PATH), "spec 3 has no networkd section, its units are files of it"),
    (SectorsUsed(PATH), "size and start are in sectors, spec 3 has MiB only"),
    (NoFilesystem(PATH, "var"), 'no mount point is given for the filesystem "var"'),
    (DuplicateInode(PATH, "File: /a", "Link: /a"), "Link: /a is there already as File: /a"),
    (DuplicateMount(PATH, "/m", "a", "b"), 'the filesystem "b" is mounted at /m, where "a" is already'),
    (UsesOwnLink(PATH, "File: /a/b", "/a"), "File: /a/b lies below the link /a"),
    (DuplicateUnit(PATH, "{0.path}"), 'the unit "{0.path}" is there already'),
    (DuplicateDropin(PATH, "a.service", "b.conf"), 'the drop-in "b.conf" of the unit "a.service" is there already'),
    (Unsayable(PATH, "filesystem that is mounted already"), "spec 3 has no filesystem that is mounted already"),
]


@pytest.mark.parametrize(("problem", "message"), [pytest.param(*each, id=type(each[0]).__name__) for each in MESSAGES])
def test_a_problem_has_words_and_a_place(problem: Problem, message: str) -> None:
    assert problem.message == message
    assert str(problem) == f"{PATH}: {message}"


def test_what_a_spec_lacks_is_told_with_the_first_that_has_it() -> None:
    problem = Unsupported("$.kernelArguments", "kernel arguments", V3_3)
    assert str(problem) == "$.kernelArguments (kernel arguments, since 3.3.0)"


def test_all_problems_are_told_together() -> None:
    lacking = (Unsupported("$.a", "one thing", V3_1), Unsupported("$.b", "another", V3_3))
    assert str(UnsupportedFeatures(V3_0, lacking)) == (
        "spec 3.0.0 lacks $.a (one thing, since 3.1.0); $.b (another, since 3.3.0)"
    )
    assert str(Untranslatable(V3_0, (DuplicateUnit("$.a", "b.service"), lacking[1]))) == (
        'not to be said in spec 3.0.0: $.a: the unit "b.service" is there already; $.b (another, since 3.3.0)'
    )
