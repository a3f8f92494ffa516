"""Configs made from the tables of fields, so that a field added there is tested without another line here."""

from functools import cache

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from mcs.ignition import schema, schema_2
from mcs.ignition.fields import Field, ListOf, Scalar, Struct
from mcs.ignition.tables import table
from mcs.ignition.versions import SPEC_3, SpecVersion
from mcs.jsondata import JSON, JSONObject

# A config is a large thing to make: hypothesis finds that slow, rightly.
thorough = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], deadline=None)

_TEXTS = st.text(max_size=8) | st.sampled_from(["a", "/etc/a", "data:,a"])
# Fields of which some values mean something to a conversion; what a spec does not have is filtered out below.
_TELLING: dict[str, st.SearchStrategy[JSON]] = {
    "source": st.sampled_from(["", "data:,a", "https://a.example/b", "gs://a/b", "ARN:aws:s3:::a/b"]),
    "hash": st.sampled_from(["sha512-00", "sha256-00"]),
    "format": st.sampled_from(["ext4", "xfs", "none"]),
    "pin": st.sampled_from(["tpm2", "tang", "sss", "fido2"]),
    "mode": st.integers(0, 0o777) | st.integers(0, 0o7777),
}


@cache
def configs(version: SpecVersion) -> st.SearchStrategy[JSONObject]:
    """Well-typed configs of a spec that use nothing newer; plain members are always there."""
    return _objects(table(version), version).map(lambda config: _declaring(config, version))


def _declaring(config: JSONObject, version: SpecVersion) -> JSONObject:
    ignition = config.get("ignition")
    return config | {"ignition": {**(ignition if isinstance(ignition, dict) else {}), "version": str(version)}}


def _objects(struct: Struct, version: SpecVersion) -> st.SearchStrategy[JSONObject]:
    known = {name: field for name, field in struct.fields.items() if field.since <= version}
    plain = {name for name, field in known.items() if field.optional_since is None or version < field.optional_since}
    members = {name: _values(name, field, version) for name, field in known.items()}
    return st.fixed_dictionaries(
        {name: member for name, member in members.items() if name in plain},
        optional={name: member for name, member in members.items() if name not in plain},
    )


def _values(name: str, field: Field, version: SpecVersion) -> st.SearchStrategy[JSON]:
    if isinstance(field.type, ListOf):
        return st.lists(_elements(field.type.element, version), max_size=2)
    if isinstance(field.type, Struct):
        return _objects(field.type, version)
    values = _TELLING[name] if name in _TELLING else _elements(field.type, version)
    newer = [feature for feature in field.features if feature.since > version]
    return values.filter(lambda value: not any(feature.used_by(value) for feature in newer))


def _elements(kind: Scalar | Struct, version: SpecVersion) -> st.SearchStrategy[JSON]:
    if isinstance(kind, Struct):
        return _objects(kind, version)
    if kind is Scalar.TEXT:
        return _TEXTS
    return st.integers(-5, 5000) if kind is Scalar.INTEGER else st.booleans()


def _names(struct: Struct) -> set[str]:
    names = set(struct.fields)
    for field in struct.fields.values():
        inner = field.type.element if isinstance(field.type, ListOf) else field.type
        if isinstance(inner, Struct):
            names |= _names(inner)
    return names


_KEYS = st.sampled_from(sorted(_names(schema.CONFIG) | _names(schema_2.CONFIG))) | st.text(max_size=5)
_KEYS_IN_ANY_CASE = _KEYS | _KEYS.map(str.upper) | _KEYS.map(str.title)
_SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
anything: st.SearchStrategy[JSON] = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS_IN_ANY_CASE, inner, max_size=4),
    max_leaves=15,
)


@st.composite
def broken_configs(draw: st.DrawFn, versions: tuple[SpecVersion, ...] = SPEC_3) -> JSONObject:
    """Configs of any of the specs in which some values, or names, are replaced by anything."""
    config: JSONObject = draw(st.sampled_from(versions).flatmap(configs))
    containers: list[JSONObject | list[JSON]] = [config]
    for container in containers:
        items = container.values() if isinstance(container, dict) else container
        containers += [item for item in items if isinstance(item, (dict, list))]
    for _ in range(draw(st.integers(1, 3))):
        container = draw(st.sampled_from(containers))
        if isinstance(container, list):
            container.append(draw(anything))
        else:
            key = draw(_KEYS_IN_ANY_CASE | st.sampled_from(sorted(container)) if container else _KEYS_IN_ANY_CASE)
            container[key] = draw(anything)
    return config
