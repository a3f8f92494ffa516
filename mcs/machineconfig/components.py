"""One MachineConfig on its way into a rendered config: checked on its own, and brought to the common spec. Pure.

Every refusal names the MachineConfig. What is refused, and that nothing else is, decides over names: the checks are
those of the Machine Config Operator.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from mcs.ignition import (
    IgnitionError,
    InvalidConfig,
    InvalidVersion,
    Report,
    SpecVersion,
    UnknownVersion,
    convert,
    declared_version,
    merge,
    validate,
)
from mcs.ignition.versions import V2_0, V2_1, V2_2, V2_4, V3_0, V3_1, V3_2, V3_3, V3_4, V3_5
from mcs.jsondata import JSON, JSONObject, integer_at, list_at, lookup, object_at, text_at, texts_at
from mcs.machineconfig.names import ANNOTATION_GENERATED_BY, LABEL_ROLE
from mcs.machineconfig.render_error import Reason, RenderError

__all__ = ["COMMON_SPEC", "DEFAULT_KERNEL", "Component", "component"]

COMMON_SPEC = V3_5  # what rendered configs are stored at; another one would change every name
_READ = (V2_0, V2_1, V2_2, V3_0, V3_1, V3_2, V3_3, V3_4, V3_5)

DEFAULT_KERNEL = "default"
_KERNELS = ("", DEFAULT_KERNEL, "realtime", "64k-pages")
_EXTENSIONS = frozenset(
    {"two-node-ha", "ipsec", "usbguard", "kerberos", "kernel-devel", "sandboxed-containers", "sysstat"}
)
_MOST_MODE = 0o777
_SPEC_2_USER = "core"
_WORKER = "worker"


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """What a MachineConfig contributes. config: at COMMON_SPEC, None if it has none. generated: by a controller.

    manifest: its spec as it was given, for messages.
    """

    name: str
    manifest: JSONObject
    for_workers: bool
    generated: bool
    config: JSONObject | None
    kernel_arguments: tuple[str, ...]
    extensions: tuple[str, ...]
    fips: bool
    kernel_type: str
    os_image: str
    extensions_image: str


def component(machine_config: JSONObject) -> Component:
    """Check a MachineConfig and bring its config to the common spec; the document stays as it is.

    Raises RenderError with the reason and the MachineConfig's name.
    """
    name = text_at(machine_config, "metadata", "name") or ""
    spec = object_at(machine_config, "spec")
    kernel_type = text_at(spec, "kernelType") or ""
    if kernel_type not in _KERNELS:
        allowed = ", ".join(_KERNELS[1:])
        raise RenderError(Reason.KERNEL_TYPE, name, f"kernelType {kernel_type!r} is unknown; there are {allowed}")
    extensions = _texts(spec, "extensions")
    config = _config(name, spec)
    unknown = sorted(set(extensions) - _EXTENSIONS)
    if unknown and config is not None:
        known = ", ".join(sorted(_EXTENSIONS))
        raise RenderError(Reason.EXTENSION, name, f"extensions {', '.join(unknown)} are unknown; there are {known}")
    return Component(
        name=name,
        manifest=spec,
        for_workers=texts_at(machine_config, "metadata", "labels").get(LABEL_ROLE) == _WORKER,
        generated=ANNOTATION_GENERATED_BY in texts_at(machine_config, "metadata", "annotations"),
        config=config,
        kernel_arguments=_texts(spec, "kernelArguments"),
        extensions=extensions,
        fips=lookup(spec, "fips") is True,
        kernel_type=kernel_type,
        os_image=text_at(spec, "osImageURL") or "",
        extensions_image=text_at(spec, "baseOSExtensionsContainerImage") or "",
    )


def _texts(spec: JSONObject, name: str) -> tuple[str, ...]:
    return tuple(item for item in list_at(spec, name) if isinstance(item, str))


def _config(name: str, spec: JSONObject) -> JSONObject | None:
    config = spec.get("config")
    if config is None:
        return None
    try:
        version = _readable_version(name, config if isinstance(config, dict) else {"ignition": config})
        assert isinstance(config, dict)  # its version was found in it
        _check(name, validate(config, version))
        spelled = _spelled(config, version)
        converted = convert(_one_of_each(name, spelled), COMMON_SPEC) if version.major == 2 else spelled
    except InvalidConfig as error:
        raise RenderError(Reason.IGNITION_INVALID, name, f"its Ignition config is invalid: {error}") from error
    except IgnitionError as error:
        reason = Reason.SPEC_2_CONVERT
        raise RenderError(reason, name, f"its Ignition config cannot be said in spec {COMMON_SPEC}: {error}") from error
    for index, file in enumerate(list_at(spelled, "storage", "files")):
        mode = integer_at(file, "mode") or 0
        if mode > _MOST_MODE:
            path = text_at(file, "path") or f"number {index}"
            raise RenderError(
                Reason.FILE_MODE, name, f"file {path} has mode {mode:#o}; at most {_MOST_MODE:#o} is allowed"
            )
    return converted


def _spelled(config: JSONObject, version: SpecVersion) -> JSONObject:
    """Return a config at the common spec, or of spec 2 at its newest one, with each member by its known name.

    Clients read a member whatever the case of its name.
    """
    if version == COMMON_SPEC:
        return merge(config)  # of one alone: a conversion to a config's own spec would leave the names as they are
    return convert(config, V2_4 if version.major == 2 else COMMON_SPEC)


def _readable_version(name: str, config: JSONObject) -> SpecVersion:
    known = ", ".join(f"{version.major}.{version.minor}" for version in _READ)
    try:
        version = declared_version(config)
    except InvalidVersion as error:
        raise RenderError(Reason.VERSION_INVALID, name, f"its Ignition version is missing or none: {error}") from error
    except UnknownVersion as error:
        raise RenderError(Reason.VERSION_UNKNOWN, name, f"{error}; rendered are {known}") from error
    if version not in _READ:
        raise RenderError(Reason.VERSION_UNKNOWN, name, f"Ignition {version} cannot be rendered; rendered are {known}")
    return version


def _check(name: str, report: Report) -> None:
    if not report.is_valid:
        texts = "; ".join(map(str, report.errors))
        raise RenderError(Reason.IGNITION_INVALID, name, f"its Ignition config is invalid: {texts}")


# Spec 2 allows several entries for one path, unit or user; the last one counts.


def _one_of_each(name: str, config: JSONObject) -> JSONObject:
    """Leave one entry for each path, unit and user of a spec 2 config, the last first, as the operator does."""
    users = list_at(config, "passwd", "users")
    for user in users:
        other = text_at(user, "name") or ""
        if other != _SPEC_2_USER:
            raise RenderError(
                Reason.SPEC_2_USER, name, f"user {other!r} in a config of spec 2: only {_SPEC_2_USER} is supported"
            )
    result = dict(config)
    if users:
        result["passwd"] = {**object_at(config, "passwd"), "users": [_last_user(users)]}
    files = list_at(config, "storage", "files")
    if files:
        result["storage"] = {**object_at(config, "storage"), "files": list(_last_of_each(files, "path"))}
    units = list_at(config, "systemd", "units")
    if units:
        result["systemd"] = {**object_at(config, "systemd"), "units": _last_units(units)}
    return result


def _last_of_each(items: list[JSON], key: str) -> Iterable[JSONObject]:
    seen: set[str] = set()
    for item in reversed(items):
        name = text_at(item, key) or ""
        if isinstance(item, dict) and name not in seen:
            seen.add(name)
            yield item


def _last_units(units: list[JSON]) -> list[JSON]:
    """Keep the last unit of each name, with the drop-ins that only earlier ones have after its own."""
    kept: list[JSON] = []
    for unit in _last_of_each(units, "name"):
        name = text_at(unit, "name")
        dropins = [
            dropin
            for other in reversed(units)
            if text_at(other, "name") == name
            for dropin in list_at(other, "dropins")
        ]
        named = {text_at(dropin, "name"): dropin for dropin in reversed(dropins)}
        own = len(list_at(unit, "dropins"))
        earlier = [dropin for dropin in dropins[own:] if named[text_at(dropin, "name")] is dropin]
        kept.append({**unit, "dropins": [*dropins[:own], *earlier]} if earlier else unit)
    return kept


def _last_user(users: list[JSON]) -> JSONObject:
    """Return the last user, with the keys of all: its own first, then those of the ones before it, each once."""
    last = users[-1]
    assert isinstance(last, dict)  # validation has looked
    keys = [key for user in reversed(users) for key in list_at(user, "sshAuthorizedKeys")]
    unique: list[JSON] = list(dict.fromkeys(key for key in keys if isinstance(key, str)))
    return {**last, "sshAuthorizedKeys": unique} if unique else last
