import copy
import json
import subprocess
import sys
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcs.jsondata import JSON, JSONObject, lookup
from mcs.machineconfig.metadata import is_rendered
from mcs.machineconfig.render_error import Reason, RenderError
from mcs.machineconfig.rendered_name import rendered_name
from mcs.machineconfig.rendering import MAX_SIZE, Origin, render, selected, selects_everything
from tests.machineconfig.machine_configs import (
    BUILD_ANNOTATION,
    POOL,
    file,
    files,
    ignition,
    machine_config,
    of_spec,
    rendered,
    unit,
)

# ---- order


@pytest.mark.parametrize(
    ("names", "source"),
    [
        pytest.param(["b", "a"], ("a", "b"), id="by-name"),
        pytest.param(["50-a", "infra:00-b"], ("50-a", "00-b"), id="those-for-workers-first"),
        pytest.param(["infra:a", "edge:b", "c", "b0"], ("b0", "c", "a", "b"), id="the-others-by-name-alone"),
        pytest.param(["Z", "a", "é"], ("Z", "a", "é"), id="by-bytes"),
    ],
)
def test_the_order_of_merging(names: list[str], source: tuple[str, ...]) -> None:
    configs = []
    for each in names:
        role, _, name = each.rpartition(":")
        configs.append(machine_config(name, role=role or "worker"))

    assert rendered(*configs).source == source


# ---- the members of a spec


@pytest.mark.parametrize(
    ("specs", "member", "value"),
    [
        pytest.param([{}], "kernelArguments", [], id="no-arguments"),
        pytest.param(
            [{"kernelArguments": ["z", "a"]}, {"kernelArguments": ["a"]}],
            "kernelArguments",
            ["z", "a", "a"],
            id="arguments-neither-sorted-nor-unique",
        ),
        pytest.param(
            [{"extensions": ["usbguard"]}, {"extensions": ["ipsec", "usbguard"]}],
            "extensions",
            ["usbguard", "ipsec", "usbguard"],
            id="extensions",
        ),
        pytest.param([{"fips": True}, {"fips": False}], "fips", True, id="fips-once-is-enough"),
        pytest.param([{}], "fips", False, id="no-fips"),
        pytest.param([{}], "kernelType", "default", id="no-kernel-type"),
        pytest.param(
            [{"kernelType": "realtime"}, {"kernelType": "64k-pages"}], "kernelType", "64k-pages", id="the-last-kernel"
        ),
        pytest.param(
            [{"kernelType": "realtime"}, {"kernelType": "default"}, {"kernelType": ""}],
            "kernelType",
            "realtime",
            id="default-overrides-no-kernel",
        ),
        pytest.param([{}], "osImageURL", "os@sha256:1", id="default-image"),
        pytest.param(
            [{"osImageURL": "x"}, {"osImageURL": "y"}, {"osImageURL": ""}], "osImageURL", "y", id="last-image"
        ),
        pytest.param(
            [{"baseOSExtensionsContainerImage": "x"}], "baseOSExtensionsContainerImage", "x", id="extensions-image"
        ),
    ],
)
def test_members(specs: list[JSONObject], member: str, value: JSON) -> None:
    configs = [of_spec(f"{index:02}", spec) for index, spec in enumerate(specs)]

    assert rendered(*configs).spec[member] == value


def test_only_people_override_images() -> None:
    generated = machine_config("99", annotations={BUILD_ANNOTATION: "b1"}, osImageURL="generated")

    assert rendered(machine_config("00", osImageURL="person"), generated).spec["osImageURL"] == "person"
    assert rendered(generated).spec["osImageURL"] == "os@sha256:1"


@pytest.mark.parametrize(
    ("image", "annotated"),
    [pytest.param("other", True, id="other"), pytest.param("os@sha256:1", False, id="the-default")],
)
def test_an_overridden_image_is_annotated(image: str, annotated: bool) -> None:
    annotations = rendered(machine_config("00", osImageURL=image)).annotations

    expected = {BUILD_ANNOTATION: "b1", "machineconfiguration.openshift.io/release-image-version": "4.19"}
    if annotated:
        expected["machineconfiguration.openshift.io/os-image-url-overridden"] = "true"
    assert annotations == expected


def test_the_object_is_known_as_rendered_and_nobody_owns_it() -> None:
    result = rendered(machine_config("00"))
    document = result.document("worker")

    assert is_rendered(document)
    assert lookup(document, "metadata", "ownerReferences") is None
    assert lookup(document, "metadata", "name") == result.name == rendered_name("worker", result.spec)


@pytest.mark.parametrize(
    ("generation", "annotation"),
    [pytest.param(7, "7", id="of-a-stored-pool"), pytest.param(None, None, id="of-a-manifest")],
)
def test_the_object_names_the_generation_of_its_pool(generation: JSON, annotation: JSON) -> None:
    pool = {**POOL, "metadata": {"name": "worker", "generation": generation}}

    document = rendered(machine_config("00"), pool=pool).document("worker")

    assert lookup(document, "metadata", "annotations", "mcs.internal/pool-generation") == annotation


def test_rendered_configs_are_never_merged_whatever_the_selector_says() -> None:
    earlier = rendered(machine_config("00", config=unit("a.service"))).document("worker")
    everything: JSONObject = {"metadata": {"name": "worker"}, "spec": {"machineConfigSelector": {}}}

    assert [lookup(each, "metadata", "name") for each in selected(everything, [earlier, machine_config("01")])] == [
        "01"
    ]


@pytest.mark.parametrize(
    ("selector", "everything"),
    [
        pytest.param({}, True, id="empty"),
        pytest.param({"matchLabels": {}, "matchExpressions": []}, True, id="empty-parts"),
        pytest.param(None, False, id="none-selects-nothing"),
        pytest.param({"matchLabels": {"a": "b"}}, False, id="labels"),
        pytest.param({"matchExpressions": [{"key": "a", "operator": "Exists"}]}, False, id="expressions"),
        pytest.param([], False, id="no-selector-at-all"),
    ],
)
def test_the_empty_selector_is_known_as_such(selector: JSON, everything: bool) -> None:
    assert selects_everything({"spec": {"machineConfigSelector": selector}}) is everything


# ---- what is refused


DIRECTORY = ignition(storage={"directories": [{"path": "/var/d"}]})
LARGE = "data:," + "a" * MAX_SIZE


@pytest.mark.parametrize(
    ("configs", "reason", "culprit"),
    [
        pytest.param([], Reason.NO_CONFIGS, None, id="nothing-selected"),
        pytest.param(
            [machine_config("00"), machine_config("01", annotations={BUILD_ANNOTATION: "b0"})],
            Reason.VERSION_SKEW,
            "01",
            id="made-by-another-build",
        ),
        pytest.param(
            [machine_config("00", extensions=["kernel-devel"]), machine_config("01", kernelType="realtime")],
            Reason.EXTENSION_KERNEL,
            "00",
            id="headers-for-another-kernel",
        ),
        pytest.param(
            [
                machine_config("00", config=unit("a.service", contents="[Unit]\nA=b\n")),
                machine_config("01", config=files(file("/etc/systemd/system/a.service"))),
                machine_config("02"),
            ],
            Reason.IGNITION_INVALID,
            "01",
            id="valid-alone-invalid-together",
        ),
        pytest.param(
            [machine_config("00"), machine_config("01", config=unit("a.service", contents="[Unit]\nA=\x85\n"))],
            Reason.HASH_INPUT,
            "01",
            id="a-character-that-would-give-two-specs-one-name",
        ),
        pytest.param([machine_config("00", kernelArguments=["a", "b\x81"])], Reason.HASH_INPUT, "00", id="control"),
        pytest.param([machine_config("00", config=files(file("/a", LARGE)))], Reason.TOO_LARGE, None, id="too-large"),
    ],
)
def test_refused(configs: list[JSONObject], reason: Reason, culprit: str | None) -> None:
    with pytest.raises(RenderError) as caught:
        rendered(*configs)

    assert (caught.value.reason, caught.value.culprit) == (reason, culprit)
    if culprit is not None:
        assert str(caught.value).startswith(f"MachineConfig {culprit}: ")


UNIT = unit("a.service", contents="[Unit]\nA=b\n")
AT_THE_UNIT = files(file("/b"), file("/etc/systemd/system/a.service"))
BAD = "[Unit]\nA=\x85\n"


@pytest.mark.parametrize(
    ("configs", "culprit", "said"),
    [
        pytest.param(
            [("00", UNIT), ("01", AT_THE_UNIT), ("02", unit("c.service"))],
            "01",
            "by 01 ($.config.storage.files.1.path of its spec) and 00",
            id="the-later-first",
        ),
        pytest.param(
            [("00", AT_THE_UNIT), ("01", UNIT)],
            "01",
            "by 01 and 00 ($.config.storage.files.1.path of its spec)",
            id="the-later-one-has-the-unit",
        ),
        pytest.param([("00", UNIT), ("01", AT_THE_UNIT), ("02", UNIT)], "02", "by 02 and 01 (", id="one-of-two-alike"),
        pytest.param(
            [("00", unit("a.service", contents=BAD)), ("01", unit("a.service", enabled=True))],
            "00",
            "00: $.config.systemd.units.0.contents: the character",
            id="not-who-has-the-unit-but-who-says-its-contents",
        ),
        pytest.param(
            [("00", unit("a.service")), ("01", ignition(systemd={"units": [{"name": "b.service", "contents": BAD}]}))],
            "01",
            "01: $.config.systemd.units.0.contents of its spec, "
            "$.config.systemd.units.1.contents of the rendered one: ",
            id="at-another-place",
        ),
        pytest.param(
            [
                (
                    "00",
                    ignition(
                        "2.2.0", systemd={"units": [{"name": "z.service"}, {"name": "a.service", "contents": BAD}]}
                    ),
                ),
                ("01", unit("a.service", enabled=True)),
            ],
            "00",
            "00: $.config.systemd.units.1.contents of its spec, "
            "$.config.systemd.units.0.contents of the rendered one: ",
            id="as-it-stands-in-spec-2",
        ),
    ],
)
def test_whose_it_is_and_where_it_stands_there(configs: list[tuple[str, JSONObject]], culprit: str, said: str) -> None:
    with pytest.raises(RenderError) as caught:
        rendered(*(machine_config(name, config=config) for name, config in configs))

    assert caught.value.culprit == culprit
    assert said in str(caught.value)


def test_what_is_too_large_names_its_largest_parts() -> None:
    sizes = {"00": 300_000, "01": 900_000, "02": 10, "03": 400_000}
    configs = [
        machine_config(name, config=files(file(f"/{name}", "data:," + "a" * size))) for name, size in sizes.items()
    ]

    with pytest.raises(
        RenderError, match=r"the largest parts: 01 \(9\d{5} bytes\), 03 \(4\d{5} bytes\), 00 \(3\d{5} bytes\)$"
    ):
        rendered(*configs)


def test_an_image_cannot_be_overridden_where_the_pool_names_a_stream() -> None:
    pool = copy.deepcopy(POOL)
    pool["spec"]["osImageStream"] = {"name": "rhel-10"}  # type: ignore[index, call-overload]  # an object in POOL

    with pytest.raises(RenderError) as caught:
        rendered(machine_config("00", osImageURL="x"), machine_config("01"), pool=pool)

    assert (caught.value.reason, caught.value.culprit) == (Reason.STREAM_OVERRIDE, "00")


def test_a_config_without_labels_is_refused() -> None:
    pool: JSONObject = {
        "metadata": {"name": "odd"},
        "spec": {"machineConfigSelector": {"matchExpressions": [{"key": "never", "operator": "DoesNotExist"}]}},
    }

    with pytest.raises(RenderError) as caught:
        rendered({"metadata": {"name": "00-a"}, "spec": {}}, pool=pool)

    assert (caught.value.reason, caught.value.culprit) == (Reason.LABELS_MISSING, "00-a")


@pytest.mark.parametrize(
    "selector",
    [
        pytest.param({"matchExpressions": [{"key": "a", "operator": "Like"}]}, id="operator"),
        pytest.param([], id="list"),
    ],
)
def test_a_bad_selector_is_refused_even_where_nothing_exists(selector: JSON) -> None:
    with pytest.raises(RenderError) as caught:
        selected({"spec": {"machineConfigSelector": selector}}, [])

    assert caught.value.reason is Reason.SELECTOR


# ---- reachability


def test_a_config_that_machines_cannot_be_brought_to_is_refused_with_whose_it_is() -> None:
    current = rendered(machine_config("00")).document("worker")

    with pytest.raises(RenderError) as caught:
        rendered(machine_config("00"), machine_config("10", config=DIRECTORY), machine_config("20"), current=current)

    assert (caught.value.reason, caught.value.culprit) == (Reason.IRRECONCILABLE, "10")


def test_what_is_taken_away_has_no_culprit() -> None:
    current = rendered(machine_config("00", config=DIRECTORY)).document("worker")

    with pytest.raises(RenderError) as caught:
        rendered(machine_config("00"), current=current)

    assert (caught.value.reason, caught.value.culprit) == (Reason.IRRECONCILABLE, None)


def test_without_a_current_config_anything_goes() -> None:
    assert lookup(rendered(machine_config("00", config=DIRECTORY)).spec, "config", "storage", "directories") == [
        {"path": "/var/d"}
    ]


# ---- laws


_PATHS = st.sampled_from(["/a", "/b", "/c/d"])
_CONFIGS = st.builds(
    lambda paths, arguments, fips: {
        "config": files(*(file(path, f"data:,{number}", mode=number % 512) for path, number in paths.items())),
        "kernelArguments": arguments,
        "fips": fips,
    },
    st.dictionaries(_PATHS, st.integers(0, 511), max_size=3),
    st.lists(st.text(st.characters(codec="ascii", exclude_characters="\x7f"), max_size=5), max_size=2),
    st.booleans(),
)


@given(st.lists(_CONFIGS, min_size=1, max_size=4), st.randoms())
def test_the_result_does_not_depend_on_the_order_of_arrival_and_inputs_stay(
    specs: list[JSONObject], random: Random
) -> None:
    configs = [of_spec(f"{index:02}", spec) for index, spec in enumerate(specs)]
    before = copy.deepcopy(configs)
    shuffled = configs[:]
    random.shuffle(shuffled)

    assert rendered(*shuffled) == rendered(*configs)
    assert configs == before


@given(_CONFIGS)
@settings(max_examples=30)
def test_rendering_what_was_rendered_gives_the_same_config(spec: JSONObject) -> None:
    first = rendered(of_spec("00", spec))
    again = rendered(of_spec("00", first.spec))

    assert again.name == first.name


@pytest.mark.slow
def test_the_name_is_the_same_in_another_process() -> None:
    spec = rendered(machine_config("00", config=files(file("/a")), kernelArguments=["é", "yes", "a: b"])).spec
    script = "import json, sys; from mcs.machineconfig.rendered_name import rendered_name; "
    script += "print(rendered_name('worker', json.load(sys.stdin)))"
    for seed in ("0", "1"):
        run = subprocess.run(
            [sys.executable, "-c", script],
            input=json.dumps(spec),
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed},
            timeout=60,
        )
        assert run.stdout.strip() == rendered_name("worker", spec)


def test_the_origin_is_the_default_for_images() -> None:
    bare = render(POOL, [machine_config("00")], Origin(build="b1"))

    assert (bare.spec["osImageURL"], bare.spec["baseOSExtensionsContainerImage"]) == ("", "")
