"""`mcs render`: what it writes, what it refuses, and which names hold."""

import json

import pytest

from mcs.jsondata import JSONObject, list_at, lookup, text_at
from mcs.machineconfig.names import ANNOTATION_MARK, Kind
from mcs.machineconfig.rendered_name import rendered_name
from tests.cli.commands import Place
from tests.cli.rendering import apply, config, file, ignition, named_by, of_files, of_unit, pool, rendered, stored
from tests.cli.test_fleet import FLEET, RENDERED

# ---- writing


def test_a_rendered_config_is_stored_held_and_named_by_its_pool(place: Place) -> None:
    apply(place, pool(), config("01-b", kernelArguments=["b"]), config("00-a", config=of_files(file("/a"))))

    outcome = place.mcs("render", "worker", "--os-image", "os@sha256:1", "--release", "4.19", "--build", "b1")

    name = named_by(place)
    assert (outcome.status, outcome.err) == (0, [])
    assert outcome.out == [f"worker: {name} from 2 MachineConfigs: created, and the pool names it now"]
    found = stored(place, Kind.CONFIG, name)
    assert name == rendered_name("worker", found["spec"])  # type: ignore[index, arg-type]  # an object, as is its spec
    assert text_at(found, "spec", "osImageURL") == "os@sha256:1"
    annotations = lookup(found, "metadata", "annotations")
    assert isinstance(annotations, dict)
    assert set(annotations.values()) == {"b1", "4.19", "1"}  # the last is the pool's generation
    sources = list_at(stored(place, Kind.POOL, "worker"), "spec", "configuration", "source")
    assert [text_at(each, "name") for each in sources] == ["00-a", "01-b"]
    assert [row[1] for row in place.mcs("get", "holds").rows()] == [name]


def test_nothing_is_written_where_nothing_has_changed(place: Place) -> None:
    name = rendered(place, pool(), config("00-a", kernelArguments=["a"]))
    before = stored(place, Kind.POOL, "worker")

    outcome = place.mcs("render", "worker")

    assert outcome.out == [f"worker: {name} from 1 MachineConfig: the pool names it already"]
    assert stored(place, Kind.POOL, "worker") == before


def test_after_a_revert_the_old_config_is_named_again_and_no_longer_marked(place: Place) -> None:
    first = rendered(place, pool(), config("00-a", kernelArguments=["a"]))
    second = rendered(place, config("00-a", kernelArguments=["b"]))
    store = place.store()
    mark: JSONObject = {"metadata": {"annotations": {ANNOTATION_MARK: "collector"}}}
    store.patch(Kind.CONFIG, first, mark)
    store.close()
    apply(place, config("00-a", kernelArguments=["a"]))

    outcome = place.mcs("render", "worker")

    assert outcome.out == [
        (
            f"worker: {first} from 1 MachineConfig: there already, no longer marked for collection, "
            "and the pool names it now"
        )
    ]
    assert named_by(place) == first != second
    assert lookup(stored(place, Kind.CONFIG, first), "metadata", "annotations", ANNOTATION_MARK) is None


@pytest.mark.parametrize("options", [["--dry-run"], ["--diff"], ["--explain", "a"], ["--dry-run", "-o", "yaml"]])
def test_what_only_shows_writes_nothing(place: Place, options: list[str]) -> None:
    apply(place, pool(), config("00-a", kernelArguments=["a"]))
    before = place.mcs("get", "configs", "-o", "json"), place.mcs("get", "pools", "-o", "json")

    assert place.mcs("render", "worker", *options).status == 0

    assert (place.mcs("get", "configs", "-o", "json"), place.mcs("get", "pools", "-o", "json")) == before
    assert place.mcs("get", "holds").out == []


def test_a_dry_run_says_what_would_be_done(place: Place) -> None:
    apply(place, pool(), config("00-a", kernelArguments=["a"]))
    [new] = place.mcs("render", "worker", "--dry-run").out
    first = rendered(place)
    [same] = place.mcs("render", "worker", "--dry-run").out
    rendered(place, config("00-a", kernelArguments=["b"]))
    apply(place, config("00-a", kernelArguments=["a"]))
    [old] = place.mcs("render", "worker", "--dry-run").out

    assert new == f"worker: {first} from 1 MachineConfig: new, the pool names none (dry run)"
    assert same == f"worker: {first} from 1 MachineConfig: the pool names it (dry run)"
    assert old == f"worker: {first} from 1 MachineConfig: there already, the pool names {named_by(place)} (dry run)"


@pytest.mark.parametrize("output", ["yaml", "json"])
def test_the_printed_config_can_be_applied_and_holds(place: Place, output: str) -> None:
    apply(place, pool(), config("00-a", config=of_files(file("/a", "ü\n")), kernelArguments=["yes", "1e3"]))
    printed = place.mcs("render", "worker", "--dry-run", "-o", output)
    path = place.file(f"printed.{output}", "\n".join(printed.out))

    assert place.mcs("apply", "-f", path).status == 0

    [name] = [row[0] for row in place.mcs("get", "configs").rows() if row[0].startswith("rendered-")]
    assert place.mcs("render", "--verify", name).out == [f"{name}: the name holds"]


# ---- several pools


def test_one_pool_that_cannot_be_rendered_keeps_no_other_back(place: Place) -> None:
    apply(
        place,
        pool("alpha"),
        pool("beta"),
        pool("gamma", selector={}),
        config("00-alpha", role="alpha", kernelType="rt"),
        config("00-beta", role="beta"),
    )

    outcome = place.mcs("render", "--all")

    assert outcome.status == 1
    assert [line.partition(":")[0] for line in outcome.out] == ["beta"]
    assert outcome.err == [
        "pool alpha: MachineConfig 00-alpha: kernelType 'rt' is unknown; there are default, realtime, 64k-pages",
        "pool gamma: it is not rendered: its spec.machineConfigSelector is empty or absent",
        "mcs render: 1 of 3 pools failed",
    ]
    assert named_by(place, "beta").startswith("rendered-beta-")


def test_a_pool_that_selects_everything_is_no_failure_among_all(place: Place) -> None:
    apply(place, pool(selector={}), config("00-a"))

    assert place.mcs("render", "--all").status == 0
    assert place.mcs("render", "worker").status == 1


def test_all_are_printed_as_one_list(place: Place) -> None:
    apply(place, pool("alpha"), pool("beta"), config("00-a", role="alpha"), config("00-b", role="beta"))

    printed = json.loads("\n".join(place.mcs("render", "--all", "--dry-run", "-o", "json").out))

    assert [item["metadata"]["labels"] for item in printed["items"]] == [
        {"mcs.internal/pool": "alpha"},
        {"mcs.internal/pool": "beta"},
    ]


# ---- what is refused

GROUP = ignition(passwd={"groups": [{"name": "operators"}]})


@pytest.mark.parametrize(
    ("documents", "said"),
    [
        pytest.param([], "there is no such pool", id="no-pool"),
        pytest.param([pool()], "the pool's selector chooses no MachineConfig", id="nothing-selected"),
        pytest.param(
            [pool(selector={"matchExpressions": [{"key": "-a", "operator": "Exists"}]})],
            "spec.machineConfigSelector: '-a' is no label name",
            id="selector",
        ),
        pytest.param(
            [
                pool(),
                config("00-a", annotations={"machineconfiguration.openshift.io/generated-by-controller-version": "b0"}),
            ],
            "MachineConfig 00-a: it was made by build b0, and this is 0.1.0",
            id="another-build",
        ),
        pytest.param(
            [pool(), config("00-a", config=of_unit("a.service", "[Unit]\nA=\x85\n"))],
            "MachineConfig 00-a: $.config.systemd.units.0.contents: "
            "the character U+0085 cannot be part of a rendered config: take it out",
            id="next-line",
        ),
    ],
)
def test_refused_in_one_line(place: Place, documents: list[JSONObject], said: str) -> None:
    apply(place, *documents)

    outcome = place.mcs("render", "worker")

    assert (outcome.status, outcome.out, outcome.err) == (1, [], [f"mcs render: pool worker: {said}"])


def test_what_machines_cannot_be_brought_to_is_refused_unless_it_is_allowed(place: Place) -> None:
    first = rendered(place, pool(), config("00-a"))
    apply(place, config("01-b", config=GROUP))

    refused = place.mcs("render", "worker")
    assert (refused.status, named_by(place)) == (1, first)
    why = (
        "MachineConfig 01-b: not reachable from the current config: groups cannot be changed once machines run; "
        "--allow-unreachable renders it all the same"
    )
    assert refused.err == [f"mcs render: pool worker: {why}"]
    looked = place.mcs("render", "worker", "--diff")
    assert (looked.status, looked.err) == (0, [f"warning: pool worker: it would be refused: {why}"])
    assert looked.out[-1] == "1 added, 0 changed, 0 removed"

    assert place.mcs("render", "worker", "--allow-unreachable").status == 0
    assert named_by(place) != first


def test_without_a_current_config_there_is_nothing_to_be_reached_from(place: Place) -> None:
    apply(place, pool(configuration={"name": "rendered-worker-" + "0" * 32}), config("01-b", config=GROUP))

    assert place.mcs("render", "worker").status == 0


def test_an_image_is_not_lost_because_it_was_not_given_this_time(place: Place) -> None:
    apply(place, pool(), config("00-a"))
    assert place.mcs("render", "worker", "--os-image", "os@sha256:1").status == 0
    first = named_by(place)

    lost = "osImageURL was os@sha256:1 and would become empty: give --os-image IMAGE, or --os-image '' if that is meant"
    for options in ([], ["--dry-run"], ["--dry-run", "-o", "yaml"]):
        refused = place.mcs("render", "worker", *options)
        assert (refused.status, refused.out, refused.err) == (1, [], [f"mcs render: pool worker: {lost}"])
    for options in (["--diff"], ["--explain", "osImageURL"]):
        looked = place.mcs("render", "worker", *options)
        assert (looked.status, looked.err) == (0, [f"warning: pool worker: {lost}"])
    assert named_by(place) == first

    assert place.mcs("render", "worker", "--os-image", "").status == 0
    assert named_by(place) != first


def test_two_images_that_would_be_lost_are_told_at_once(place: Place) -> None:
    apply(place, pool(), config("00-a"))
    assert place.mcs("render", "worker", "--os-image", "os@1", "--extensions-image", "ext@1").status == 0

    [refused] = place.mcs("render", "worker").err

    assert "; baseOSExtensionsContainerImage was ext@1 and would become empty: give --extensions-image" in refused


@pytest.mark.parametrize(
    ("variable", "status"),
    [pytest.param(None, 1, id="absent"), pytest.param("", 0, id="empty"), pytest.param("os@sha256:2", 0, id="given")],
)
def test_an_empty_variable_says_that_no_image_is_meant(
    place: Place, monkeypatch: pytest.MonkeyPatch, variable: str | None, status: int
) -> None:
    apply(place, pool(), config("00-a"))
    assert place.mcs("render", "worker", "--os-image", "os@sha256:1").status == 0
    if variable is not None:
        monkeypatch.setenv("MCS_OS_IMAGE", variable)

    assert place.mcs("render", "worker").status == status

    named = stored(place, Kind.CONFIG, named_by(place))
    assert lookup(named, "spec", "osImageURL") == ("os@sha256:1" if variable is None else variable)


@pytest.mark.parametrize("options", [[], ["--dry-run"]])
def test_a_name_that_has_another_spec_is_never_overwritten(place: Place, options: list[str]) -> None:
    apply(place, pool(), config("00-a", kernelArguments=["a"]))
    printed = json.loads("\n".join(place.mcs("render", "worker", "--dry-run", "-o", "json").out))
    name = printed["metadata"]["name"]
    printed["spec"]["kernelArguments"] = ["b"]
    apply(place, printed)

    outcome = place.mcs("render", "worker", *options)

    said = f"there is a MachineConfig {name} with another spec"
    assert (outcome.status, outcome.err) == (1, [f"mcs render: pool worker: {said}"])
    assert lookup(stored(place, Kind.CONFIG, name), "spec", "kernelArguments") == ["b"]
    assert named_by(place) == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param([], "name a POOL, or give --all or --verify, and only one of them", id="nothing"),
        pytest.param(
            ["worker", "--all"], "name a POOL, or give --all or --verify, and only one of them", id="pool-and-all"
        ),
        pytest.param(
            ["worker", "--diff", "-o", "yaml"], "--output, --diff and --explain exclude one another", id="two-views"
        ),
        pytest.param(
            ["--verify", "a", "--dry-run"],
            "--verify renders nothing: it goes with no other option but --store",
            id="verify-and-more",
        ),
        pytest.param([""], "Invalid value for '[POOL]': it is empty", id="empty-pool"),
        pytest.param(["worker", "--explain", ""], "Invalid value for '--explain': it is empty", id="empty-name"),
        pytest.param(
            ["worker", "--os-image", "os\n@1"],
            "Invalid value for '--os-image': \"os\\n@1\" is no image: it has control characters",
            id="image-of-two-lines",
        ),
        pytest.param(
            ["worker", "--extensions-image", "\x1b[2J"],
            "Invalid value for '--extensions-image': \"\\u001b[2J\" is no image: it has control characters",
            id="image-with-control-characters",
        ),
        pytest.param(["worker", "--show-secrets"], "--show-secrets is for --diff", id="secrets-of-nothing"),
    ],
)
def test_wrong_usage(place: Place, arguments: list[str], said: str) -> None:
    outcome = place.mcs("render", *arguments)

    assert (outcome.status, outcome.err[-1]) == (2, f"mcs render: {said}")


# ---- --verify


def test_a_name_that_does_not_hold_is_told_with_the_one_that_would(place: Place) -> None:
    good = rendered(place, pool(), config("00-a", kernelArguments=["a"]))
    bad = "rendered-worker-" + "0" * 32
    document = stored(place, Kind.CONFIG, good)
    assert document is not None
    apply(place, document | {"metadata": {"name": bad}})
    odd = "rendered-worker-" + "1" * 32
    apply(place, config(odd, kernelArguments=["\x81"]))

    outcome = place.mcs("render", "--verify", good, "--verify", bad, "--verify", odd)

    assert (outcome.status, outcome.out) == (1, [f"{good}: the name holds"])
    assert outcome.err == [
        f"{bad}: the name does not hold: by its spec it is {good}",
        (
            f"{odd}: no name can be computed: spec.kernelArguments.0: "
            "the character U+0081 cannot be part of a rendered config: take it out"
        ),
        "mcs render: 2 of 3 names do not hold",
    ]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        pytest.param("00-a", "it is no name of a rendered config, rendered-POOL-HASH", id="no-such-name"),
        pytest.param("rendered-worker-" + "0" * 32, "there is no such MachineConfig", id="not-stored"),
    ],
)
def test_what_cannot_be_verified(place: Place, name: str, said: str) -> None:
    assert place.mcs("render", "--verify", name).err[0] == f"{name}: {said}"


# ---- the example fleet


@pytest.fixture
def fleet(place: Place) -> Place:
    outcome = place.mcs("apply", "-f", FLEET)
    assert outcome.status == 0
    return place


def test_the_names_of_the_example_fleet_hold(fleet: Place) -> None:
    names = [each.name for each in RENDERED]
    options = [option for name in names for option in ("--verify", name)]

    outcome = fleet.mcs("render", *options)

    assert (outcome.status, outcome.out) == (0, [f"{name}: the name holds" for name in names])


def test_the_example_fleet_names_what_its_machineconfigs_are_rendered_to(fleet: Place) -> None:
    outcome = fleet.mcs("render", "--all", "--dry-run")

    assert (outcome.status, len(outcome.out)) == (0, 4)
    assert all(line.endswith(": the pool names it (dry run)") for line in outcome.out)
