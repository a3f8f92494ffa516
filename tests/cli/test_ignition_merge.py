"""`mcs ignition merge`: the one config that it makes of many, and which file it refuses."""

import json

from tests.cli.commands import Place
from tests.cli.ignition_configs import FINE, UNKNOWN, config, told


def test_merge_lays_the_later_over_the_earlier_in_their_newest_spec(here: Place) -> None:
    here.file("a.ign", config("3.1.0", storage={"files": [{"path": "/a", "mode": 1}, {"path": "/b"}]}))
    here.file("b.ign", config("3.3.0", kernelArguments={"shouldExist": ["quiet"]}))
    last = config("3.0.0", storage={"files": [{"path": "/a", "mode": 2}]})
    outcome = here.mcs("ignition", "merge", "a.ign", "b.ign", "-", stdin=last)
    assert (outcome.status, outcome.err) == (0, [])
    assert json.loads("\n".join(outcome.out)) == {
        "ignition": {"version": "3.3.0"},
        "storage": {"files": [{"path": "/a", "mode": 2}, {"path": "/b"}]},
        "kernelArguments": {"shouldExist": ["quiet"]},
    }


def test_merge_refuses_a_result_with_errors(here: Place) -> None:
    here.file("a.ign", config(storage={"files": [{"path": "/a", "user": {"id": 1}}]}))
    here.file("b.ign", config(storage={"files": [{"path": "/a", "user": {"name": "b"}}]}))
    outcome = here.mcs("ignition", "merge", "a.ign", "b.ign")
    message = "cannot set both id and name"
    assert told(outcome) == (1, [], [f"<merged>: error: $.storage.files.0.user: {message}"])


def test_merge_refuses_files_with_errors_and_names_them_all(here: Place) -> None:
    here.file("a.ign", "")
    here.file("b.ign", config("3.9.0"))
    outcome = here.mcs("ignition", "merge", "a.ign", "-", "b.ign", stdin=FINE)
    assert told(outcome) == (
        1,
        [],
        ["a.ign: error: the config is empty", f"b.ign:1:26: error: $.ignition.version: {UNKNOWN}"],
    )


def test_merge_converts_spec_2_if_there_is_a_config_of_spec_3(here: Place) -> None:
    here.file("a.ign", config("2.4.0"))
    outcome = here.mcs("ignition", "merge", "a.ign", "-", stdin=config("3.2.0"))
    assert (outcome.status, json.loads("\n".join(outcome.out))) == (0, {"ignition": {"version": "3.2.0"}})


def test_merge_refuses_spec_2_alone(here: Place) -> None:
    here.file("a.ign", config("2.4.0"))
    outcome = here.mcs("ignition", "merge", "a.ign", "a.ign")
    message = "configs of spec 2 cannot be merged: convert them to spec 3 (mcs ignition convert)"
    assert told(outcome) == (1, [], [f"mcs ignition merge: {message}"])


def test_merge_says_which_file_cannot_be_converted(here: Place) -> None:
    here.file("a.ign", config("2.4.0", networkd={"units": [{"name": "a.network"}]}))
    outcome = here.mcs("ignition", "merge", "a.ign", "-", stdin=config("3.2.0"))
    message = "spec 3 has no networkd section, its units are files of it"
    assert told(outcome) == (1, [], [f"a.ign:1:59: error: $.networkd.units: {message}"])


def test_merge_says_what_to_do_with_a_config_that_takes_mount_points(here: Place) -> None:
    here.file("a.ign", config("2.4.0", storage={"files": [{"filesystem": "var", "path": "/a", "mode": 420}]}))
    outcome = here.mcs("ignition", "merge", "a.ign", "-", stdin=config("3.2.0"))
    message = 'no mount point is given for the filesystem "var": convert this file first'
    assert (outcome.status, outcome.out) == (1, [])
    assert outcome.err[-1] == (
        f"a.ign:1:59: error: $.storage.files.0: {message} (mcs ignition convert --filesystem var=PATH)"
    )
