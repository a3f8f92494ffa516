"""The table against a second, independent listing: what each spec has, written down from the specs' documentation."""

import pytest

from mcs.ignition.fields import CONCATENATED, ITSELF, ListOf, Scalar, Struct
from mcs.ignition.schema import Row, rows
from mcs.ignition.versions import SPEC_3, SUPPORTED, SpecVersion

ROWS = {row.path: row for row in rows()}


def resource(place: str, *members: str) -> list[str]:
    return [f"{place}.{member}" for member in members]


def in_3_0() -> set[str]:
    reference = ("source", "verification", "verification.hash")
    contents = (*reference, "compression")
    node = ("path", "overwrite", "user", "user.id", "user.name", "group", "group.id", "group.name")
    user = "name passwordHash sshAuthorizedKeys[] uid gecos homeDir noCreateHome primaryGroup groups[] noUserGroup"
    partition = "label number sizeMiB startMiB typeGuid guid wipePartitionEntry shouldExist"
    return {
        "ignition",
        "ignition.version",
        "ignition.config",
        "ignition.config.merge[]",
        *resource("ignition.config.merge[]", *reference),
        "ignition.config.replace",
        *resource("ignition.config.replace", *reference),
        "ignition.security",
        "ignition.security.tls",
        "ignition.security.tls.certificateAuthorities[]",
        *resource("ignition.security.tls.certificateAuthorities[]", *reference),
        "ignition.timeouts",
        *resource("ignition.timeouts", "httpResponseHeaders", "httpTotal"),
        "passwd",
        "passwd.users[]",
        *resource("passwd.users[]", *user.split(), "noLogInit", "shell", "system"),
        "passwd.groups[]",
        *resource("passwd.groups[]", "name", "gid", "passwordHash", "system"),
        "storage",
        "storage.disks[]",
        *resource("storage.disks[]", "device", "wipeTable", "partitions[]"),
        *resource("storage.disks[].partitions[]", *partition.split()),
        "storage.raid[]",
        *resource("storage.raid[]", "name", "level", "devices[]", "spares", "options[]"),
        "storage.filesystems[]",
        *resource("storage.filesystems[]", "path", "device", "format", "wipeFilesystem", "label", "uuid", "options[]"),
        "storage.files[]",
        *resource("storage.files[]", *node, "contents", "append[]", "mode"),
        *resource("storage.files[].contents", *contents),
        *resource("storage.files[].append[]", *contents),
        "storage.directories[]",
        *resource("storage.directories[]", *node, "mode"),
        "storage.links[]",
        *resource("storage.links[]", *node, "target", "hard"),
        "systemd",
        "systemd.units[]",
        *resource("systemd.units[]", "name", "enabled", "mask", "contents", "dropins[]"),
        *resource("systemd.units[].dropins[]", "name", "contents"),
    }


def new_in_3_1() -> set[str]:
    headers = ("httpHeaders[]", "httpHeaders[].name", "httpHeaders[].value")
    references = [
        "ignition.config.merge[]",
        "ignition.config.replace",
        "ignition.security.tls.certificateAuthorities[]",
    ]
    return {
        *(path for place in references for path in resource(place, "compression", *headers)),
        *resource("storage.files[].contents", *headers),
        *resource("storage.files[].append[]", *headers),
        "ignition.proxy",
        *resource("ignition.proxy", "httpProxy", "httpsProxy", "noProxy[]"),
        "storage.filesystems[].mountOptions[]",
    }


def new_in_3_2() -> set[str]:
    luks = ("name", "device", "keyFile", "label", "uuid", "options[]", "wipeVolume", "clevis")
    clevis = ("custom", "tang[]", "tpm2", "threshold")
    headers = ("httpHeaders[]", "httpHeaders[].name", "httpHeaders[].value")
    return {
        "storage.luks[]",
        *resource("storage.luks[]", *luks),
        *resource("storage.luks[].keyFile", "source", "compression", "verification", "verification.hash", *headers),
        *resource("storage.luks[].clevis", *clevis),
        *resource("storage.luks[].clevis.custom", "pin", "config", "needsNetwork"),
        *resource("storage.luks[].clevis.tang[]", "url", "thumbprint"),
        "storage.disks[].partitions[].resize",
        "passwd.users[].shouldExist",
        "passwd.groups[].shouldExist",
    }


@pytest.mark.parametrize(
    ("version", "paths"),
    [
        pytest.param("3.0", in_3_0(), id="3.0"),
        pytest.param("3.1", new_in_3_1(), id="3.1"),
        pytest.param("3.2", new_in_3_2(), id="3.2"),
        pytest.param(
            "3.3",
            {"kernelArguments", "kernelArguments.shouldExist[]", "kernelArguments.shouldNotExist[]"},
            id="3.3",
        ),
        pytest.param(
            "3.4",
            {
                "storage.luks[].discard",
                "storage.luks[].openOptions[]",
                "storage.luks[].clevis.tang[].advertisement",
            },
            id="3.4",
        ),
        pytest.param("3.5", {"storage.luks[].cex", "storage.luks[].cex.enabled"}, id="3.5"),
        pytest.param("3.6", set(), id="3.6"),
    ],
)
def test_each_spec_has_exactly_these_new_fields(version: str, paths: set[str]) -> None:
    since = SpecVersion(3, int(version.removeprefix("3.")))

    assert {row.path for row in ROWS.values() if row.since == since} == paths


@pytest.mark.parametrize(
    ("version", "paths"),
    [
        pytest.param(
            None,
            {
                "ignition.version",
                "passwd.users[].name",
                "passwd.groups[].name",
                "storage.disks[].device",
                "storage.disks[].partitions[].number",
                "storage.raid[].name",
                "storage.luks[].name",
                "storage.luks[].clevis.tang[].url",
                "storage.filesystems[].device",
                "storage.files[].path",
                "storage.directories[].path",
                "storage.links[].path",
                "systemd.units[].name",
                "systemd.units[].dropins[].name",
                *(row.path for row in ROWS.values() if row.path.endswith("httpHeaders[].name")),
            },
            id="never",
        ),
        pytest.param(SpecVersion(3, 1), {"ignition.security.tls.certificateAuthorities[].source"}, id="3.1"),
        pytest.param(
            SpecVersion(3, 3),
            {
                "storage.raid[].level",
                "storage.links[].target",
                "storage.luks[].clevis.custom.pin",
                "storage.luks[].clevis.custom.config",
            },
            id="3.3",
        ),
    ],
)
def test_these_scalars_are_optional_only_from_a_later_spec_on(version: SpecVersion | None, paths: set[str]) -> None:
    assert {row.path for row in ROWS.values() if row.field.optional_since == version} == paths


KEYS = {
    "ignition.config.merge[]": ("source",),
    "ignition.security.tls.certificateAuthorities[]": ("source",),
    "ignition.proxy.noProxy[]": ITSELF,
    "passwd.users[]": ("name",),
    "passwd.users[].groups[]": ITSELF,
    "passwd.users[].sshAuthorizedKeys[]": ITSELF,
    "passwd.groups[]": ("name",),
    "storage.disks[]": ("device",),
    "storage.disks[].partitions[]": ("number", "label"),
    "storage.raid[]": ("name",),
    "storage.raid[].devices[]": ITSELF,
    "storage.raid[].options[]": CONCATENATED,
    "storage.luks[]": ("name",),
    "storage.luks[].options[]": CONCATENATED,
    "storage.luks[].openOptions[]": ITSELF,
    "storage.luks[].clevis.tang[]": ("url",),
    "storage.filesystems[]": ("device",),
    "storage.filesystems[].options[]": CONCATENATED,
    "storage.filesystems[].mountOptions[]": CONCATENATED,
    "storage.files[]": ("path",),
    "storage.files[].append[]": CONCATENATED,
    "storage.directories[]": ("path",),
    "storage.links[]": ("path",),
    "systemd.units[]": ("name",),
    "systemd.units[].dropins[]": ("name",),
    "kernelArguments.shouldExist[]": ITSELF,
    "kernelArguments.shouldNotExist[]": ITSELF,
}


def test_each_list_says_what_makes_two_items_the_same_one() -> None:
    lists = {path: row.field.type.key for path, row in ROWS.items() if isinstance(row.field.type, ListOf)}
    headers = {path: key for path, key in lists.items() if path.endswith("httpHeaders[]")}

    assert {path: key for path, key in lists.items() if path not in headers} == KEYS
    assert set(headers.values()) == {("name",)}


def test_lists_that_share_their_keys() -> None:
    groups: dict[str, set[str]] = {}
    for path, row in ROWS.items():
        if isinstance(row.field.type, ListOf) and row.field.type.group:
            groups.setdefault(row.field.type.group, set()).add(path)

    assert list(groups.values()) == [
        {"kernelArguments.shouldExist[]", "kernelArguments.shouldNotExist[]"},
        {"storage.files[]", "storage.directories[]", "storage.links[]"},
    ]


@pytest.mark.parametrize("row", [pytest.param(row, id=path) for path, row in ROWS.items()])
def test_the_entry_makes_sense(row: Row) -> None:
    field = row.field
    versions = [field.since, field.optional_since, field.optional_before]

    assert all(version in (SUPPORTED[0], *SPEC_3) for version in versions if version is not None)
    if field.since > SPEC_3[0]:
        assert field.words, "a field that a spec may lack needs words for the error"
    if field.default is not None:
        assert isinstance(field.type, Scalar)
        assert type(field.default) is field.type.python
    if isinstance(field.type, ListOf) and isinstance(field.type.element, Struct) and field.type.key is not None:
        assert field.type.key != ITSELF
        assert set(field.type.key) <= set(field.type.element.fields)
    if isinstance(field.type, ListOf) and isinstance(field.type.element, Scalar):
        assert field.type.key in (ITSELF, CONCATENATED)
    since = [feature.since for feature in field.features]
    assert since == sorted(since, reverse=True), "the newest first: the first that applies is reported"


def test_objects_that_exist_though_empty_matter_before_3_3_only_at_clevis() -> None:
    assert {row.path: row.field.optional_before for row in ROWS.values() if row.field.optional_before} == {
        "storage.luks[].clevis": SpecVersion(3, 3),
        "storage.luks[].clevis.custom": SpecVersion(3, 3),
    }
