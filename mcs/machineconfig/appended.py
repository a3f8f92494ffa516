"""What a machine gets: the stored Ignition config at the spec it asked for, and the files that a first boot expects.

The stored object is never modified. The order of the appended files is the Machine Config Operator's.
"""

from dataclasses import dataclass
from hashlib import sha256

from mcs.ignition import SpecVersion, Unsupported, UnsupportedFeatures, convert, declared_version, unknown_members
from mcs.ignition.versions import V3_0, V3_1, V3_3
from mcs.jsondata import JSON, JSONObject, encode, list_at, object_at, text_at
from mcs.machineconfig.names import (
    ANNOTATION_BOOT,
    ANNOTATION_CURRENT_CONFIG,
    ANNOTATION_DESIRED_CONFIG,
    ANNOTATION_FIRST_CONFIG,
    ANNOTATION_STATE,
    BOOT_ID_LENGTH,
    LABEL_BOOT,
    LABEL_CONFIG_HASH,
    Kind,
    config_hash,
)
from mcs.machineconfig.placing import AppendedFile, appending_to_what_is_there, with_contents, with_files
from mcs.machineconfig.unpacking import unpacked

__all__ = ["AppendedFile", "AppendedSet", "Body", "build_body", "compose"]

PATH_ANNOTATIONS = "/etc/machine-config-daemon/node-annotations.json"
PATH_LABELS = "/etc/mcs/node-labels.env"
PATH_KUBECONFIG = "/etc/kubernetes/kubeconfig"
PATH_FULL_CONFIG = "/etc/mcs-machine-config-content.json"
PATH_ENCAPSULATED = "/etc/ignition-machine-config-encapsulated.json"

KERNEL_ARGUMENTS_SINCE = V3_3
UNPACKING_SINCE = V3_1


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendedSet:
    """Everything that is appended, beside what the config itself gives: part of the key under which bytes are cached.

    bundles: CA bundles; one whose content is empty leaves an existing file alone. kubeconfig: its content, or None.
    boot_ids: whether responses carry a boot id. full_config: whether the debug file with the whole object is added.
    """

    bundles: tuple[AppendedFile, ...] = ()
    kubeconfig: bytes | None = None
    boot_ids: bool = True
    full_config: bool = False
    extra: tuple[AppendedFile, ...] = ()

    def __post_init__(self) -> None:
        own = [PATH_ANNOTATIONS, PATH_LABELS, PATH_KUBECONFIG, PATH_FULL_CONFIG, PATH_ENCAPSULATED]
        paths = [*own, *(file.path for file in (*self.bundles, *self.extra))]
        twice = sorted({path for path in paths if paths.count(path) > 1})
        if twice:
            raise ValueError(f"{twice[0]} is appended twice, or is a file that the server itself appends")


@dataclass(frozen=True, slots=True)
class Body:
    """The bytes of a response, in parts: a boot id stands between each two of them. One part: no boot id.

    The id has a fixed width, so that the length is known; the parts are shared by all responses, never copied.
    """

    parts: tuple[bytes, ...]
    spec: SpecVersion

    def fill(self, boot_id: str) -> list[bytes]:
        """Return the bytes that carry a boot id, in pieces: no copy, no rendering."""
        identity = boot_id.encode("ascii")
        pieces = [self.parts[0]]
        for part in self.parts[1:]:
            pieces += (identity, part)
        return pieces

    def __len__(self) -> int:
        return sum(map(len, self.parts)) + BOOT_ID_LENGTH * (len(self.parts) - 1)


def build_body(machine_config: JSONObject, spec: SpecVersion, appended: AppendedSet) -> Body:
    """Build the bytes for one config at one spec. Raises what `compose` raises."""
    if not appended.boot_ids:
        return Body((encode(compose(machine_config, spec, appended, None)),), spec)
    attempt = 0
    while True:
        placeholder = _placeholder(machine_config, attempt)
        parts = encode(compose(machine_config, spec, appended, placeholder)).split(placeholder.encode("ascii"))
        if len(parts) == 3:  # the node annotations and the node labels; more means that the config holds the text too
            return Body(tuple(parts), spec)
        attempt += 1


def compose(machine_config: JSONObject, spec: SpecVersion, appended: AppendedSet, boot_id: str | None) -> JSONObject:
    """Return the Ignition config that a machine gets.

    machine_config: the stored object. boot_id: None for a response without one.
    Raises UnsupportedFeatures, or Untranslatable for spec 3 made of spec 2, where the config cannot be said at that
    spec; another IgnitionError where it is none.
    """
    stored = object_at(machine_config, "spec", "config")
    config, moved, removed = _without_kernel_arguments(stored, spec)
    unknown_members(config)  # raises for a value of a wrong type, which a conversion to the same spec lets pass
    config, form = _ready(config, spec, removed)
    for bundle in appended.bundles:
        if bundle.content:
            config = with_contents(config, bundle, form)
    seen = _seen_object(machine_config, moved)
    files = [
        AppendedFile(PATH_ANNOTATIONS, _node_annotations(machine_config, boot_id)),
        AppendedFile(PATH_LABELS, _node_labels(machine_config, boot_id)),
    ]
    if appended.kubeconfig is not None:
        files.append(AppendedFile(PATH_KUBECONFIG, appended.kubeconfig))
    if appended.full_config:
        files.append(AppendedFile(PATH_FULL_CONFIG, encode(seen, indent=4)))
    files += [*appended.extra, AppendedFile(PATH_ENCAPSULATED, _encapsulated(seen, spec))]
    config = with_files(config, files, form)
    return config if form == spec else appending_to_what_is_there(convert(config, spec))


def _ready(config: JSONObject, spec: SpecVersion, removed: tuple[Unsupported, ...]) -> tuple[JSONObject, SpecVersion]:
    """Return the config as files are put into it, and the spec whose form it has.

    That is the spec asked for, but for spec 2 made of spec 3: there a path goes to one of several filesystems, which
    the conversion finds out, so that it is converted last.
    removed: what else that spec cannot say. Raises UnsupportedFeatures with all of it, at paths in the given config.
    """
    form = declared_version(config)
    try:
        # Configs are stored in specs, too, that nobody asks for and nothing is converted to.
        converted = config if form == spec else convert(config, spec)
    except UnsupportedFeatures as error:
        raise UnsupportedFeatures(spec, (*error.features, *removed)) from error
    if removed:
        raise UnsupportedFeatures(spec, removed)
    if spec < V3_0 <= form:
        return unpacked(config), form
    return (unpacked(converted) if spec < UNPACKING_SINCE else converted), spec


def _without_kernel_arguments(
    config: JSONObject, spec: SpecVersion
) -> tuple[JSONObject, list[JSON], tuple[Unsupported, ...]]:
    """Split off the arguments that go into the encapsulated MachineConfig where the spec has no field for them.

    Returns the config without them, the arguments, and what can be said nowhere.
    """
    arguments = object_at(config, "kernelArguments")
    if spec >= KERNEL_ARGUMENTS_SINCE or not arguments:
        return config, [], ()
    removed: tuple[Unsupported, ...] = ()
    if list_at(arguments, "shouldNotExist"):  # the MachineConfig has no field for arguments to remove either
        path = "$.kernelArguments.shouldNotExist"
        removed = (Unsupported(path, "kernel arguments to remove", KERNEL_ARGUMENTS_SINCE),)
    rest = {key: value for key, value in config.items() if key != "kernelArguments"}
    return rest, list_at(arguments, "shouldExist"), removed


def _seen_object(machine_config: JSONObject, moved_arguments: list[JSON]) -> JSONObject:
    """Return the MachineConfig as a machine sees it: its name and spec, nothing that may change while they do not."""
    metadata: JSONObject = {"name": text_at(machine_config, "metadata", "name") or ""}
    spec = {**object_at(machine_config, "spec")}
    if moved_arguments:
        spec["kernelArguments"] = [*list_at(spec, "kernelArguments"), *moved_arguments]
    kind = Kind.CONFIG
    return {"kind": kind.kind, "apiVersion": kind.api_version, "metadata": metadata, "spec": spec}


def _encapsulated(seen: JSONObject, spec: SpecVersion) -> bytes:
    empty: JSONObject = {"ignition": {"version": str(spec)}}
    document = {**seen, "spec": {**object_at(seen, "spec"), "config": empty}}
    return encode(document)


def _node_annotations(machine_config: JSONObject, boot_id: str | None) -> bytes:
    name = text_at(machine_config, "metadata", "name") or ""
    annotations: JSONObject = {
        ANNOTATION_CURRENT_CONFIG: name,
        ANNOTATION_DESIRED_CONFIG: name,
        ANNOTATION_FIRST_CONFIG: name,
        ANNOTATION_STATE: "Done",
    }
    if boot_id is not None:
        annotations[ANNOTATION_BOOT] = boot_id
    return encode(dict(sorted(annotations.items())))


def _node_labels(machine_config: JSONObject, boot_id: str | None) -> bytes:
    """Return an environment file for a kubelet's unit: `--node-labels=${MCS_NODE_LABELS}`."""
    digest = config_hash(text_at(machine_config, "metadata", "name") or "")
    labels = {LABEL_BOOT: boot_id, LABEL_CONFIG_HASH: digest}
    text = ",".join(f"{key}={value}" for key, value in labels.items() if value is not None)
    return f"MCS_NODE_LABELS={text}\n".encode()


def _placeholder(machine_config: JSONObject, attempt: int) -> str:
    """Return a text as wide as a boot id that is unlikely to be in the config."""
    name = text_at(machine_config, "metadata", "name") or ""
    return sha256(f"{attempt} {name}".encode()).hexdigest()[:BOOT_ID_LENGTH]
