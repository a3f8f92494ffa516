"""The table against a second, independent listing: what each spec has, written down from the specs' documentation."""

from collections import Counter
from collections.abc import Iterator

import pytest

from mcs.ignition.fields import CONCATENATED, ListOf, Scalar, Struct
from mcs.ignition.schema import Row, rows
from mcs.ignition.schema_2 import CONFIG
from mcs.ignition.tables import table
from mcs.ignition.versions import SPEC_2, V2_0, V2_1, V2_2, V2_3, V2_4, V3_0, SpecVersion, parse_version

ROWS = {row.path: row for row in rows(CONFIG, since=V2_0)}
NODES = ("storage.files[]", "storage.directories[]", "storage.links[]")
REFERENCES = ("ignition.config.append[]", "ignition.config.replace", "storage.files[].contents")
AUTHORITY = "ignition.security.tls.certificateAuthorities[]"


def below(place: str, members: str) -> set[str]:
    return {f"{place}.{member}" for member in members.split()}


def in_2_0() -> set[str]:
    user = "uid gecos homeDir noCreateHome primaryGroup groups[] noUserGroup noLogInit shell system"
    return {
        "ignition",
        *below("ignition", "version config config.append[] config.replace"),
        *(path for place in REFERENCES for path in below(place, "source verification verification.hash")),
        "networkd",
        *below("networkd", "units[] units[].name units[].contents"),
        "passwd",
        *below("passwd", "users[] users[].create groups[]"),
        *below("passwd.users[]", "name passwordHash sshAuthorizedKeys[]"),
        *below("passwd.users[].create", user),
        *below("passwd.groups[]", "name gid passwordHash system"),
        "storage",
        *below("storage", "disks[] raid[] filesystems[] files[]"),
        *below("storage.disks[]", "device wipeTable partitions[]"),
        *below("storage.disks[].partitions[]", "label number size start typeGuid"),
        *below("storage.raid[]", "name level devices[] spares"),
        *below("storage.filesystems[]", "name path mount mount.device mount.format mount.create"),
        *below("storage.filesystems[].mount.create", "force options[]"),
        *below("storage.files[]", "filesystem path contents contents.compression mode user user.id group group.id"),
        "systemd",
        *below("systemd", "units[]"),
        *below("systemd.units[]", "name enable mask contents dropins[] dropins[].name dropins[].contents"),
    }


def new_in_2_1() -> set[str]:
    user = "uid gecos homeDir noCreateHome primaryGroup groups[] noUserGroup noLogInit shell system"
    node = "filesystem path user user.id user.name group group.id group.name"
    return {
        "ignition.timeouts",
        *below("ignition.timeouts", "httpResponseHeaders httpTotal"),
        *below("passwd.users[]", user),
        "storage.disks[].partitions[].guid",
        *below("storage.filesystems[].mount", "wipeFilesystem label uuid options[]"),
        *below("storage.files[]", "user.name group.name"),
        "storage.directories[]",
        *below("storage.directories[]", f"{node} mode"),
        "storage.links[]",
        *below("storage.links[]", f"{node} target hard"),
        "systemd.units[].enabled",
    }


def new_in_2_2() -> set[str]:
    return {
        *below("ignition", "security security.tls security.tls.certificateAuthorities[]"),
        *below(AUTHORITY, "source verification verification.hash"),
        *below("networkd.units[]", "dropins[] dropins[].name dropins[].contents"),
        "storage.raid[].options[]",
        *(f"{place}.overwrite" for place in NODES),
        "storage.files[].append",
    }


def new_in_2_4() -> set[str]:
    headers = "httpHeaders[] httpHeaders[].name httpHeaders[].value"
    return {
        *(path for place in (*REFERENCES, AUTHORITY) for path in below(place, headers)),
        "ignition.proxy",
        *below("ignition.proxy", "httpProxy httpsProxy noProxy[]"),
    }


@pytest.mark.parametrize(
    ("version", "paths"),
    [
        pytest.param("2.0.0", in_2_0(), id="2.0"),
        pytest.param("2.1.0", new_in_2_1(), id="2.1"),
        pytest.param("2.2.0", new_in_2_2(), id="2.2"),
        pytest.param(
            "2.3.0",
            below("storage.disks[].partitions[]", "sizeMiB startMiB wipePartitionEntry shouldExist"),
            id="2.3",
        ),
        pytest.param("2.4.0", new_in_2_4(), id="2.4"),
    ],
)
def test_each_spec_adds_these_fields(version: str, paths: set[str]) -> None:
    assert {row.path for row in ROWS.values() if row.since == parse_version(version)} == paths


@pytest.mark.parametrize(
    ("version", "paths"),
    [
        pytest.param(
            V2_1,
            {"passwd.users[].passwordHash", *(f"{place}.{owner}.id" for place in NODES for owner in ("user", "group"))},
            id="2.1",
        ),
        pytest.param(V2_2, {"storage.files[].mode", "storage.directories[].mode"}, id="2.2"),
        pytest.param(V2_3, below("storage.disks[].partitions[]", "label size start"), id="2.3"),
        pytest.param(V2_4, set(), id="2.4"),
    ],
)
def test_from_a_spec_on_absence_is_no_zero_any_more(version: SpecVersion, paths: set[str]) -> None:
    assert {row.path for row in ROWS.values() if row.field.optional_since == version} == paths


def test_of_scalars_these_never_meant_zero_by_their_absence() -> None:
    paths = {
        row.path for row in ROWS.values() if isinstance(row.field.type, Scalar) and row.field.optional_since == V2_0
    }
    hashes = {f"{place}.verification.hash" for place in (*REFERENCES, AUTHORITY)}
    assert paths - hashes == {
        *below("ignition.timeouts", "httpResponseHeaders httpTotal"),
        *below("passwd", "users[].uid users[].create.uid groups[].gid"),
        *below("storage.disks[].partitions[]", "sizeMiB startMiB shouldExist"),
        *below("storage.filesystems[]", "path mount.label mount.uuid"),
        *(f"{place}.overwrite" for place in NODES),
        "systemd.units[].enabled",
    }


def test_of_objects_these_say_something_even_if_they_are_empty() -> None:
    assert {row.path: row.field.optional_before for row in ROWS.values() if row.field.optional_before} == dict.fromkeys(
        (
            "ignition.config.replace",
            "passwd.users[].create",
            "storage.filesystems[].mount",
            "storage.filesystems[].mount.create",
        ),
        V3_0,
    )


def test_what_came_later_is_named_in_words() -> None:
    assert [row.path for row in ROWS.values() if row.field.since > V2_0 and not row.field.words] == []


def test_no_list_has_a_key() -> None:
    assert {row.field.type.key for row in ROWS.values() if isinstance(row.field.type, ListOf)} == {CONCATENATED}


def test_a_name_stands_for_one_struct() -> None:
    named = {(struct.name, id(struct)) for struct in structs(CONFIG)}
    assert [name for name, count in Counter(name for name, _ in named).items() if count > 1] == []


def structs(struct: Struct) -> Iterator[Struct]:
    yield struct
    for field in struct.fields.values():
        inner = field.type.element if isinstance(field.type, ListOf) else field.type
        if isinstance(inner, Struct):
            yield from structs(inner)


def test_a_default_is_a_value_of_the_field() -> None:
    def fits(row: Row) -> bool:
        return isinstance(row.field.type, Scalar) and type(row.field.default) is row.field.type.python

    assert [row.path for row in ROWS.values() if row.field.default is not None and not fits(row)] == []


@pytest.mark.parametrize("version", SPEC_2, ids=str)
def test_it_is_the_table_of_every_spec_2(version: SpecVersion) -> None:
    assert table(version) is CONFIG
