"""Manifests: what is read, what is refused and where the message points, and that no text does anything else."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcs.jsondata import JSON, JSONObject, compact
from mcs.machineconfig.manifest_documents import scan
from mcs.machineconfig.manifests import ManifestError, decode, examine, read, write_yaml
from mcs.machineconfig.names import Kind

MCO = "machineconfiguration.openshift.io/v1"
RENDERED = "rendered-worker-0123456789abcdef0123456789abcdef"


def config(**spec: JSON) -> JSONObject:
    return {"apiVersion": MCO, "kind": "MachineConfig", "metadata": {"name": "c"}, "spec": spec}


def pool(metadata: JSONObject | None = None, **members: JSON) -> JSONObject:
    return {"apiVersion": MCO, "kind": "MachineConfigPool", "metadata": {"name": "p", **(metadata or {})}, **members}


def node(**members: JSON) -> JSONObject:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, **members}


def ignition(version: JSON) -> JSONObject:
    return config(config={"ignition": {"version": version}})


def faults(text: str, source: str = "f.yaml") -> list[str]:
    return [str(error) for error in examine(text, source).errors]


# ---- what is read

TEXTS = [
    pytest.param("kind: Node\napiVersion: v1\nmetadata: {name: one}\n", id="YAML"),
    pytest.param('{"kind":"Node","apiVersion":"v1","metadata":{"name":"one"}}', id="JSON"),
    pytest.param("{kind: Node, apiVersion: v1, metadata: {name: one}}", id="flow YAML"),
    pytest.param(
        "%YAML 1.1\n--- # a comment\nkind: Node\napiVersion: v1\nmetadata: {name: one}\n...\n", id="directive"
    ),
    pytest.param("kind: Node\napiVersion: v1\nmetadata: &m {name: one}\nextra: *m\n", id="alias"),
    pytest.param("kind: Node\r\napiVersion: v1\r\nmetadata: {name: one}\r\n", id="CRLF"),
    pytest.param("!!map\nkind: !!str Node\napiVersion: v1\nmetadata: {name: one}\n", id="tags"),
]


@pytest.mark.parametrize("text", TEXTS)
def test_an_object_is_read_from(text: str) -> None:
    (manifest,) = read(text, "f.yaml")
    assert (manifest.kind, manifest.name, manifest.index) == (Kind.NODE, "one", 1)


ACCEPTED = [
    pytest.param(config(), id="config without Ignition"),
    pytest.param(config(config=None, kernelArguments=None), id="null is absent"),
    pytest.param(
        config(fips=True, kernelArguments=["a"], extensions=["b"], osImageURL="", unknown={"x": [1.5]}), id="all"
    ),
    pytest.param(ignition("3.6.0"), id="newest spec"),
    pytest.param(pool(), id="pool without anything"),
    pytest.param(pool(spec={"configuration": {"name": ""}}), id="pool without a config"),
    pytest.param(pool(spec={"maxUnavailable": "10%"}, status={"machineCount": 3}), id="counts"),
    pytest.param(pool({"annotations": {"mcs.internal/serve": "status"}}), id="serve status"),
    pytest.param(pool({"annotations": {"mcs.internal/serve": RENDERED}}), id="serve a name"),
    pytest.param(node(status={"addresses": [{"type": "InternalIP", "address": "192.0.2.1"}]}), id="node"),
    pytest.param(
        pool(spec={"nodeSelector": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}}),
        id="selector",
    ),
]


@pytest.mark.parametrize("document", ACCEPTED)
def test_objects_are_kept_as_they_are(document: JSONObject) -> None:
    for text in (compact(document), json.dumps(document, indent=3), write_yaml(document)):
        (manifest,) = read(text, "f")
        assert manifest.document == document
        assert manifest.warnings == ()


def test_documents_and_lists_are_numbered_and_know_their_lines() -> None:
    text = """# nothing in document 1
---
---
kind: List
apiVersion: v1
items:
- kind: Node
  apiVersion: v1
  metadata: {name: a}
- {kind: Node, apiVersion: v1, metadata: {name: b}}
---
kind: NodeList
apiVersion: v1
items:
- metadata: {name: c}
"""
    found = [(manifest.name, manifest.index, manifest.line) for manifest in read(text, "f.yaml")]
    assert found == [("a", 2, 7), ("b", 2, 10), ("c", 3, 15)]
    assert read(text, "f.yaml")[2].document == {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "c"}}


def test_json_documents_follow_each_other() -> None:
    text = compact(node()) + "\n" + compact(pool())
    assert [(manifest.kind, manifest.index, manifest.line) for manifest in read(text, "f.json")] == [
        (Kind.NODE, 1, 1),
        (Kind.POOL, 2, 2),
    ]


@pytest.mark.parametrize("text", ["", "# only a comment\n", "---\n---\n", "null", "\n \n"])
def test_nothing_is_read_from_nothing(text: str) -> None:
    assert read(text, "f.yaml") == []


SCALARS: list[tuple[str, JSON]] = [
    ("2026-01-01", "2026-01-01"),
    ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
    ("12:30", "12:30"),
    ("0644", 420),
    ("0o644", 420),
    ("-0x1F", -31),
    ("0b101", 5),
    ("1_000", 1000),
    ("08", 8.0),
    ("1e3", 1000.0),
    ("yes", True),
    ("off", False),
    ("~", None),
    ("", None),
    ("9223372036854775807", 2**63 - 1),
    ("-9223372036854775808", -(2**63)),
    ("'1'", "1"),
    ("!!str 1", "1"),
    ("3.4.0", "3.4.0"),
    ("1.", 1.0),
    ("+", "+"),
    ("0x", "0x"),
    ("-.5e1", -5.0),
]


@pytest.mark.parametrize(("text", "value"), SCALARS)
def test_a_plain_scalar_means_what_it_means_to_kubernetes(text: str, value: JSON) -> None:
    (document,), errors = scan(f"a: {text}\n", "f.yaml")
    assert errors == []
    assert document.value == {"a": value}
    assert isinstance(document.value, dict)
    assert type(document.value["a"]) is type(value)


# ---- what is refused

REFUSED_TEXTS = [
    pytest.param("a: b: c", "f:1: document 1: is no YAML: mapping values are not allowed in this context", id="YAML"),
    pytest.param('{"a" 1}', "f:1: document 1: is no JSON: expected :, found '1'", id="JSON"),
    pytest.param('{"a":\n[1,]}', "f.json:2: document 1: is no JSON: expected a value, found ']'", id="comma"),
    pytest.param('null\n{"a":', "f.json:2: document 2: is no JSON: expected a value, found the end", id="second JSON"),
    pytest.param('{"a":NaN}', "f.json:1: document 1: is no JSON: expected a value, found 'NaN'", id="NaN in JSON"),
    pytest.param('{"a":1e400}', "f:1: document 1: a: is no finite number", id="infinity in JSON"),
    pytest.param('{"a":"\\ud800"}', "f:1: document 1: a: holds half a surrogate pair", id="surrogate"),
    pytest.param("a: \ud800", "f:1: holds half a surrogate pair", id="raw surrogate"),
    pytest.param("a: 1\na: 2\n", "f:2: document 1: a: stands twice in one object, first in line 1", id="twice"),
    pytest.param('{"a":{"b":1,\n"b":1}}', "f:2: document 1: a.b: stands twice in one object", id="twice in JSON"),
    pytest.param("a: {1: b}", "f:1: document 1: a.1: has a key that is no text", id="number as key"),
    pytest.param("yes: b", "f:1: document 1: yes: has a key that is no text", id="boolean as key"),
    pytest.param("? [a]\n: b", "f:1: document 1: has a key that is an object or a list", id="list as key"),
    pytest.param("a: &a {b: c}\nd:\n  <<: *a", 'f:3: document 1: d["<<"]: is a merge key', id="merge key"),
    pytest.param("a: &a b\n*a : c", "f:2: document 1: a: has an alias for a key", id="alias as key"),
    pytest.param("a: &a [*a]", "f:1: document 1: a[0]: alias *a has no finished anchor", id="alias in itself"),
    pytest.param("a: *b", "f:1: document 1: a: alias *b has no finished anchor", id="alias of nothing"),
    pytest.param("a: .nan", "f:1: document 1: a: is no finite number", id="NaN"),
    pytest.param("a: -.inf", "f:1: document 1: a: is no finite number", id="infinity"),
    pytest.param("a: 9223372036854775808", "f:1: document 1: a: is an integer beyond 64 bits", id="65 bits"),
    pytest.param("a: " + "9" * 5000, "f:1: document 1: a: is an integer beyond 64 bits", id="5000 digits"),
    pytest.param("a: 0x1" + "0" * 16, "f:1: document 1: a: is an integer beyond 64 bits", id="hexadecimal"),
    pytest.param("a: !!binary aGk=", "f:1: document 1: a: bears the tag '!!binary'", id="binary"),
    pytest.param("a: !!int b", "f:1: document 1: a: bears the tag '!!int'", id="wrong tag"),
    pytest.param("a: !!python/object:os.system {}", "f:1: document 1: a: bears the tag", id="code"),
    pytest.param("- !!set {a}", "f:1: document 1: [0]: bears the tag '!!set'", id="set"),
    pytest.param("a: 1\nb: \x07", "f:2: document 1: holds the control character U+0007", id="control character"),
    pytest.param("[" * 101 + "]" * 101, "is nested deeper than 100 levels", id="deep JSON"),
    pytest.param("- " * 500, "is nested deeper than 100 levels", id="deep YAML"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED_TEXTS)
def test_a_text_is_refused(text: str, message: str) -> None:
    source = "f.json" if message.startswith("f.json") else "f"
    (fault,) = faults(text, source)
    assert message in fault
    with pytest.raises(ManifestError) as raised:
        read(text, source)
    assert str(raised.value) == fault


def test_aliases_that_repeat_too_much_are_refused() -> None:
    levels = "".join(
        f"{name}: &{name} [{','.join([f'*{below}'] * 9)}]\n" for below, name in zip("abcdefgh", "bcdefghi", strict=True)
    )
    (fault,) = faults("a: &a [x,x,x,x,x,x,x,x,x]\n" + levels)
    assert "aliases repeat more than 8 MiB" in fault


def test_the_error_list_is_bounded() -> None:
    found = faults("a: 1\n" * 1000)
    assert len(found) == 101
    assert "the rest was not read" in found[-1]


BYTES = [
    pytest.param(b"a: \xff\n", "f:1: byte 0xff is not UTF-8: save the file as UTF-8", id="no UTF-8"),
    pytest.param(b"a: 1\nb: \xe2\x82", "f:2: byte 0xe2 is not UTF-8: save the file as UTF-8", id="cut short"),
    pytest.param("a".encode("utf-16"), "f:1: begins with a byte order mark", id="UTF-16"),
    pytest.param(b"\xef\xbb\xbfa: 1", "f:1: begins with a byte order mark", id="byte order mark"),
    pytest.param(b"a" * (64 * 2**20 + 1), "f: is larger than 64 MiB", id="size"),
]


@pytest.mark.parametrize(("data", "message"), BYTES)
def test_bytes_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(ManifestError) as raised:
        decode(data, "f")
    assert str(raised.value).startswith(message)


REFUSED_OBJECTS = [
    pytest.param([], "", "must be an object with apiVersion, kind and metadata", id="list"),
    pytest.param("x", "", "must be an object with apiVersion, kind and metadata", id="text"),
    pytest.param({"apiVersion": "v1"}, "kind", "is missing or no text", id="no kind"),
    pytest.param({"kind": "Node"}, "apiVersion", "is missing or no text", id="no apiVersion"),
    pytest.param({"kind": "Pod", "apiVersion": "v1"}, "kind", '"Pod" of "v1" is no kind of object', id="kind"),
    pytest.param(
        {"kind": "Node", "apiVersion": "v2"}, "kind", "accepted are MachineConfigPool, MachineConfig of", id="version"
    ),
    pytest.param({"kind": "NodeList", "apiVersion": "v1", "items": {}}, "items", "must be a list", id="items"),
    pytest.param({"kind": "Node", "apiVersion": "v1"}, "metadata", "is missing", id="no metadata"),
    pytest.param({"kind": "Node", "apiVersion": "v1", "metadata": {}}, "metadata.name", "is missing", id="no name"),
    pytest.param(pool({"name": "A"}), "metadata.name", "cannot be an object's name", id="name"),
    pytest.param(
        pool({"name": 7}), "metadata.name", "must be text, but is the number 7: write it in quotes", id="name type"
    ),
    pytest.param(
        pool({"labels": {"a": True}}), "metadata.labels.a", "must be text, but is the boolean true", id="label"
    ),
    pytest.param(pool({"labels": {"a": None}}), "metadata.labels.a", "must be text, but is null", id="null label"),
    pytest.param(pool({"labels": []}), "metadata.labels", "must be an object, but is a list", id="labels"),
    pytest.param(
        pool({"annotations": {"a.b/c": {}}}), 'metadata.annotations["a.b/c"]', "but is an object", id="annotation"
    ),
    pytest.param(pool({"generation": "1"}), "metadata.generation", "must be an integer", id="generation"),
    pytest.param(
        pool({"annotations": {"mcs.internal/serve": "both of them"}}),
        'metadata.annotations["mcs.internal/serve"]',
        'must be spec, status or the name of a rendered config, but is "both of them"',
        id="serve",
    ),
    pytest.param(
        pool(spec={"configuration": {"name": "A b"}}), "spec.configuration.name", "cannot be", id="configuration"
    ),
    pytest.param(pool(spec={"configuration": "x"}), "spec.configuration", "must be an object", id="configuration type"),
    pytest.param(pool(status={"configuration": {"name": 1}}), "status.configuration.name", "must be text", id="status"),
    pytest.param(pool(status={"updatedMachineCount": 1.5}), "status.updatedMachineCount", "an integer", id="count"),
    pytest.param(pool(status={"machineCount": True}), "status.machineCount", "an integer", id="boolean count"),
    pytest.param(pool(spec={"paused": "no"}), "spec.paused", "must be true or false", id="paused"),
    pytest.param(
        pool(spec={"machineConfigSelector": {"matchExpressions": [{"key": "a", "operator": "in"}]}}),
        "spec.machineConfigSelector.matchExpressions[0].operator",
        "must be one of In, NotIn, Exists, DoesNotExist",
        id="selector",
    ),
    pytest.param(node(status={"addresses": {}}), "status.addresses", "must be a list", id="addresses"),
    pytest.param(
        node(status={"addresses": [{"type": "Hostname"}]}), "status.addresses[0].address", "is missing", id="address"
    ),
    pytest.param({**config(), "spec": None}, "spec", "is missing", id="no spec"),
    pytest.param(config(config="{}"), "spec.config", "must be an object, but is the text", id="config as text"),
    pytest.param(config(config={}), "spec.config.ignition", "is missing", id="no ignition"),
    pytest.param(config(config={"ignition": {}}), "spec.config.ignition.version", "is missing", id="no version"),
    pytest.param(ignition(3.4), "spec.config.ignition.version", 'must be text such as "3.4.0"', id="version type"),
    pytest.param(ignition("3.4"), "spec.config.ignition.version", "is no Ignition version", id="version text"),
    pytest.param(config(kernelArguments="a b"), "spec.kernelArguments", "must be a list", id="kernel arguments"),
    pytest.param(config(kernelArguments=[1]), "spec.kernelArguments[0]", "must be text", id="kernel argument"),
    pytest.param(config(extensions=[None]), "spec.extensions[0]", "must be text, but is null", id="extension"),
    pytest.param(config(fips="yes"), "spec.fips", "must be true or false", id="fips"),
    pytest.param(config(osImageURL=[]), "spec.osImageURL", "must be text", id="image"),
    pytest.param(
        config() | {"metadata": {"name": RENDERED, "labels": {"mcs.internal/pool": "worker"}}},
        "spec.config",
        "a rendered config must have one",
        id="rendered without config",
    ),
    pytest.param(config(big="x" * 3 * 2**20), "", "at most 3 MiB can be stored", id="size"),
]


@pytest.mark.parametrize(("document", "field", "message"), REFUSED_OBJECTS)
@pytest.mark.parametrize("write", [compact, write_yaml], ids=["JSON", "YAML"])
def test_an_object_is_refused(document: JSON, field: str, message: str, write: object) -> None:
    assert callable(write)
    (error,) = examine(write(document), "f").errors
    assert (error.document, error.field) == (1, field)
    assert message in error.message


def test_all_errors_are_reported_with_file_line_document_and_field() -> None:
    text = """kind: MachineConfig
apiVersion: machineconfiguration.openshift.io/v1
metadata:
  name: Upper
spec:
  fips: maybe
---
kind: List
apiVersion: v1
items:
- {kind: Node, apiVersion: v1, metadata: {name: fine}}
- kind: Node
  apiVersion: v1
  metadata:
    name: x
    labels:
      on: 1
- kind: Node
---
a: [
"""
    reading = examine(text, "dir/f.yaml")
    assert [str(error).split(": ")[:3] for error in reading.errors] == [
        ["dir/f.yaml:4", "document 1", "metadata.name"],
        ["dir/f.yaml:6", "document 1", "spec.fips"],
        ["dir/f.yaml:17", "document 2", "items[1].metadata.labels.on"],
        ["dir/f.yaml:21", "document 3", "is no YAML"],
    ]
    assert reading.manifests == ()


def test_messages_hold_nothing_that_a_terminal_obeys() -> None:
    (fault,) = faults(compact(pool({"labels": {"\x1b[2J": 1}})))
    assert fault.isprintable()


# ---- laws

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(
    [
        "y",
        "1e3",
        "1:30",
        "<<",
        "0o17",
        "08",
        "1_0",
        ".5",
        ".nan",
        "--- a",
        "2026-01-01",
        " a",
        "a\n",
        "\x85",
        "\u2028",
        "\ufeff",
        "😀",
        "~",
    ]
)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
values: st.SearchStrategy[JSON] = st.recursive(
    scalars, lambda below: st.lists(below, max_size=3) | st.dictionaries(texts, below, max_size=3), max_leaves=5
)


@settings(deadline=None)
@given(values)
def test_what_is_written_is_read_back(value: JSON) -> None:
    for text in (write_yaml([value]), compact([value]), json.dumps([value])):
        (document,), errors = scan(text, "f")
        assert errors == []
        assert document.value == [value]


FRAGMENTS = [
    *(
        "kind: Node\n",
        "apiVersion: v1\n",
        "metadata: {name: a}\n",
        "metadata:\n  labels:\n",
        "---\n",
        "...\n",
        "- ",
        "? ",
    ),
    *(
        ": ",
        "&a ",
        "*a ",
        "!!int ",
        "{",
        "}",
        "[",
        "]",
        ",",
        '"',
        "'",
        "|\n",
        ">-\n",
        "%YAML 1.1\n",
        "<<: ",
        "\t",
        "#",
        "\\",
    ),
    *("\x00", "\ud800", "\ufeff", "0x", "1e999", '{"kind":"Node","apiVersion":"v1","metadata":{"name":"a"}', "}}"),
]
members = st.fixed_dictionaries(
    {},
    optional={
        "apiVersion": st.sampled_from(["v1", MCO]) | values,
        "kind": st.sampled_from(["Node", "MachineConfig", "MachineConfigPool", "List", "NodeList"]) | values,
        "metadata": st.fixed_dictionaries(
            {}, optional={"name": st.just("a") | values, "labels": values, "annotations": values}
        )
        | values,
        "spec": st.fixed_dictionaries({}, optional={"config": values, "configuration": values, "fips": values})
        | values,
        "status": st.fixed_dictionaries({}, optional={"addresses": values, "configuration": values}) | values,
        "items": values,
    },
)
inputs = st.one_of(
    st.text(),
    st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=4), max_size=25).map("".join),
    members.map(json.dumps),
    members.map(write_yaml),
    members.map(lambda document: write_yaml({"kind": "List", "apiVersion": "v1", "items": [document]})),
)


@pytest.mark.slow
@settings(max_examples=10_000, deadline=None)
@given(inputs, st.sampled_from(["f", "f.json"]))
def test_any_text_gives_objects_and_errors_and_raises_nothing(text: str, source: str) -> None:
    reading = examine(text, source)
    assert all(str(error).startswith(source) and error.message for error in reading.errors)
    assert all(manifest.name and manifest.line >= 1 for manifest in reading.manifests)


@given(st.binary())
def test_no_bytes_raise_anything_but_a_manifest_error(data: bytes) -> None:
    try:
        text = decode(data, "f")
    except ManifestError:
        return
    assert text.encode() == data
