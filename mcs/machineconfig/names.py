"""Names and keys that this project shares with Kubernetes and the Machine Config Operator (MCO), and our own."""

import re
from enum import Enum

__all__ = [
    "ANNOTATION_BOOT",
    "ANNOTATION_CURRENT_CONFIG",
    "ANNOTATION_CURRENT_IMAGE",
    "ANNOTATION_CUSTOM_LABELS",
    "ANNOTATION_DESIRED_CONFIG",
    "ANNOTATION_DESIRED_IMAGE",
    "ANNOTATION_FIRST_CONFIG",
    "ANNOTATION_GENERATED_BY",
    "ANNOTATION_MARK",
    "ANNOTATION_POOL_GENERATION",
    "ANNOTATION_SERVE",
    "ANNOTATION_STATE",
    "BOOT_ID_LENGTH",
    "LABEL_BOOT",
    "LABEL_CONFIG_HASH",
    "LABEL_POOL",
    "LABEL_ROLE",
    "MCO_PREFIX",
    "POOL_COUNTS",
    "PREFIX",
    "STATUS_COUNTED",
    "Kind",
    "config_hash",
    "is_dns_subdomain",
    "rendered_pool",
]

PREFIX = "mcs.internal/"
MCO_PREFIX = "machineconfiguration.openshift.io/"

LABEL_ROLE = MCO_PREFIX + "role"

ANNOTATION_CURRENT_CONFIG = MCO_PREFIX + "currentConfig"
ANNOTATION_DESIRED_CONFIG = MCO_PREFIX + "desiredConfig"
ANNOTATION_FIRST_CONFIG = MCO_PREFIX + "firstPivotConfig"
ANNOTATION_STATE = MCO_PREFIX + "state"
ANNOTATION_CURRENT_IMAGE = MCO_PREFIX + "currentImage"
ANNOTATION_DESIRED_IMAGE = MCO_PREFIX + "desiredImage"
ANNOTATION_CUSTOM_LABELS = MCO_PREFIX + "customPoolLabelsApplied"
ANNOTATION_GENERATED_BY = MCO_PREFIX + "generated-by-controller-version"

ANNOTATION_MARK = PREFIX + "mark"
ANNOTATION_SERVE = PREFIX + "serve"
ANNOTATION_POOL_GENERATION = PREFIX + "pool-generation"
ANNOTATION_BOOT = PREFIX + "boot"
BOOT_ID_LENGTH = 26  # characters, whatever they say: bodies are cached around them

LABEL_BOOT = PREFIX + "boot"
LABEL_CONFIG_HASH = PREFIX + "config-hash"
LABEL_POOL = PREFIX + "pool"

POOL_COUNTS = (  # members of a pool's status
    "machineCount",
    "updatedMachineCount",
    "readyMachineCount",
    "unavailableMachineCount",
    "degradedMachineCount",
)
STATUS_COUNTED = PREFIX + "counted"  # a member of a pool's status: true if the store counts what stands there


class Kind(Enum):
    """The kinds of objects: the manifest's kind, its apiVersion, and what commands call it."""

    POOL = ("MachineConfigPool", "machineconfiguration.openshift.io/v1", "pools")
    CONFIG = ("MachineConfig", "machineconfiguration.openshift.io/v1", "configs")
    NODE = ("Node", "v1", "nodes")

    def __init__(self, kind: str, api_version: str, plural: str) -> None:
        self.kind = kind
        self.api_version = api_version
        self.plural = plural


_LABEL = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = re.compile(rf"{_LABEL}(?:\.{_LABEL})*", re.ASCII)
_RENDERED = re.compile(r"rendered-(?P<pool>.+)-(?P<hash>[0-9a-f]{32})", re.ASCII)


def is_dns_subdomain(name: str) -> bool:
    """Tell whether an object can have this name (Kubernetes: RFC 1123 subdomain, at most 253 characters).

    >>> is_dns_subdomain("worker"), is_dns_subdomain("Worker"), is_dns_subdomain("a..b")
    (True, False, False)
    """
    return len(name) <= 253 and _SUBDOMAIN.fullmatch(name) is not None


def rendered_pool(name: str) -> str | None:
    """Return the pool in a rendered config's name, or None if the name is not one of a rendered config.

    >>> rendered_pool("rendered-worker-0123456789abcdef0123456789abcdef")
    'worker'
    """
    match = _RENDERED.fullmatch(name)
    return match["pool"] if match is not None and is_dns_subdomain(match["pool"]) else None


def config_hash(name: str) -> str | None:
    """Return the hash in a rendered config's name: the value of the label `mcs.internal/config-hash`."""
    match = _RENDERED.fullmatch(name)
    return match["hash"] if match is not None else None
