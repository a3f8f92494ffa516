"""The Ignition config of a rendered config: what describes a source stays with it, and what has one overwrites."""

import pytest

from mcs.jsondata import JSON, JSONObject, list_at, lookup
from tests.machineconfig.machine_configs import file, files, ignition, machine_config, rendered


def rendered_files(*machine_configs: JSONObject) -> list[JSON]:
    return list_at(rendered(*machine_configs).spec, "config", "storage", "files")


def test_what_comes_later_wins_at_its_place() -> None:
    merged = rendered_files(
        machine_config("00", config=files(file("/a", "data:,1", mode=0o600), file("/b"))),
        machine_config("10", config=files(file("/c"), file("/a", "data:,2"))),
    )

    assert [lookup(each, "path") for each in merged] == ["/a", "/b", "/c"]
    assert merged[0] == {"path": "/a", "mode": 0o600, "overwrite": True, "contents": {"source": "data:,2"}}


@pytest.mark.parametrize(
    ("contents", "merged"),
    [
        pytest.param(
            [{"source": "data:,a", "compression": "gzip"}, {"source": "data:,b"}],
            {"source": "data:,b"},
            id="the-compression-goes-with-its-source",
        ),
        pytest.param(
            [{"source": "data:,a", "compression": "gzip"}, {}],
            {"source": "data:,a", "compression": "gzip"},
            id="the-compression-stays-with-its-source",
        ),
        pytest.param(
            [{"source": "data:,a"}, {"compression": "gzip"}],
            {"source": "data:,a", "compression": "gzip"},
            id="a-later-config-may-describe-an-earlier-source",
        ),
        pytest.param(
            [{"source": "data:,a", "compression": ""}, {}], {"source": "data:,a"}, id="empty-says-nothing-once-merged"
        ),
        pytest.param(
            [{"source": "data:,a", "verification": {"hash": "sha512-" + "0" * 128}}, {"source": "data:,b"}],
            {"source": "data:,b"},
            id="the-hash-goes-with-its-source",
        ),
        pytest.param(
            [{"source": "data:,a", "verification": {"hash": "sha512-" + "0" * 128}}, {}],
            {"source": "data:,a", "verification": {"hash": "sha512-" + "0" * 128}},
            id="the-hash-stays-with-its-source",
        ),
    ],
)
def test_compression_and_hash_describe_the_source_they_came_with(contents: list[JSON], merged: JSON) -> None:
    configs = [
        machine_config(f"{index:02}", config=files({"path": "/a", "contents": each}))
        for index, each in enumerate(contents)
    ]

    assert rendered_files(*configs) == [{"path": "/a", "overwrite": True, "contents": merged}]


def test_the_compression_stays_with_its_source_whatever_the_case_of_members_names() -> None:
    contents: JSON = {"Source": "data:,a", "Compression": "gzip"}
    config = ignition(Storage={"Files": [{"Path": "/a", "Contents": contents}]})

    result = rendered(machine_config("00", config=config), machine_config("01", config=ignition()))

    (found,) = list_at(result.spec, "config", "storage", "files")
    assert lookup(found, "contents") == {"source": "data:,a", "compression": "gzip"}


def test_an_explicit_empty_compression_stays_where_nothing_is_merged() -> None:
    contents: JSON = {"source": "data:,a", "compression": ""}

    assert rendered_files(machine_config("00", config=files({"path": "/a", "contents": contents}))) == [
        {"path": "/a", "overwrite": True, "contents": contents}
    ]


@pytest.mark.parametrize(
    ("given_file", "overwrite"),
    [
        pytest.param(file("/a"), True, id="with-a-source"),
        pytest.param(file("/a", overwrite=False), False, id="as-it-says"),
        pytest.param(file("/a", None), None, id="without-a-source"),
        pytest.param({"path": "/a", "append": [{"source": "data:,a"}]}, None, id="only-appended-to"),
    ],
)
def test_only_a_file_with_a_source_overwrites(given_file: JSONObject, overwrite: JSON) -> None:
    [merged] = rendered_files(machine_config("00", config=files(given_file)))
    assert lookup(merged, "overwrite") == overwrite
