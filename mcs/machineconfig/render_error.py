"""Why a pool's MachineConfigs cannot be rendered: a closed list of reasons, and the error that carries one."""

from enum import Enum

__all__ = ["Reason", "RenderError"]


class Reason(Enum):
    """A reason, by the name that reports and metrics use."""

    KERNEL_TYPE = "kernel_type"
    EXTENSION = "extension"
    EXTENSION_KERNEL = "extension_kernel"
    FILE_MODE = "file_mode"
    VERSION_INVALID = "ignition_version_invalid"
    VERSION_UNKNOWN = "ignition_version_unknown"
    IGNITION_INVALID = "ignition_invalid"
    SPEC_2_USER = "ignition_v2_user"
    SPEC_2_CONVERT = "ignition_v2_convert"
    LABELS_MISSING = "labels_missing"
    NO_CONFIGS = "no_configs"
    SELECTOR = "selector"
    VERSION_SKEW = "component_version_skew"
    CONTROLLER_VERSION = "controllerconfig_version"
    CONTROLLER_NOT_READY = "controllerconfig_not_ready"
    STREAM_OVERRIDE = "osimagestream_override"
    HASH_INPUT = "hash_input"
    TOO_LARGE = "too_large"
    IRRECONCILABLE = "irreconcilable"
    IMAGE_LOST = "image_lost"
    NAME_TAKEN = "name_taken"


class RenderError(ValueError):
    """A pool cannot be rendered. culprit: the MachineConfig that causes it, None where no single one does."""

    def __init__(self, reason: Reason, culprit: str | None, message: str) -> None:
        super().__init__(reason, culprit, message)
        self.reason = reason
        self.culprit = culprit
        self.message = message

    def __str__(self) -> str:
        return self.message if self.culprit is None else f"MachineConfig {self.culprit}: {self.message}"
