"""Why a machine does not get a config: the one closed table that answers, logs and metrics use.

Ignition retries a status of 500 and above for ever and takes everything else but 200 as final, so a state that may
pass never has a status below 500.
"""

from dataclasses import dataclass
from enum import Enum

__all__ = ["Reason", "Refusal"]


class Reason(Enum):
    """A code, the HTTP status of the answer, and a title in words.

    >>> Reason.POOL_UNKNOWN.code, Reason.POOL_UNKNOWN.status
    ('pool-unknown', 503)
    """

    NO_SUCH_PATH = ("no-such-path", 404, "There is nothing at this path")
    POOL_NAME_IMPOSSIBLE = ("pool-name-impossible", 404, "No pool can ever have this name")
    METHOD_NOT_ALLOWED = ("method-not-allowed", 405, "This path is read with GET or HEAD only")
    ACCEPT_MALFORMED = ("accept-malformed", 400, "The Accept header names an Ignition version that is none")
    REQUEST_MALFORMED = ("request-malformed", 400, "The request is not well-formed")
    BODY_REFUSED = ("body-refused", 413, "No request has a body here")
    REQUEST_TOO_LARGE = ("request-too-large", 431, "The request line or its headers are too large")
    SPEC_NOT_SPOKEN = ("spec-not-spoken", 501, "This server does not speak the Ignition spec that is asked for")
    SPEC_LACKS_FEATURE = ("spec-lacks-feature", 500, "The config uses what the requested Ignition spec lacks")
    CONFIG_INVALID = ("config-invalid", 500, "The stored config cannot be served")
    INTERNAL = ("internal", 500, "The server met an error of its own")
    POOL_UNKNOWN = ("pool-unknown", 503, "There is no such pool (yet)")
    POOL_NAMES_NO_CONFIG = ("pool-names-no-config", 503, "The pool names no rendered config (yet)")
    POOL_UNSETTLED = ("pool-unsettled", 503, "What the pool's config is made of has not settled yet")
    CONFIG_MISSING = ("config-missing", 503, "The pool's rendered config does not exist (yet)")
    CONFIG_DELETING = ("config-deleting", 503, "The pool's rendered config is being deleted")
    CONFIG_MARKED = ("config-marked", 503, "The pool's rendered config is marked for collection")
    CONFIG_CHANGED = ("config-changed", 503, "The rendered config was replaced while it was being served")
    STORE_UNREACHABLE = ("store-unreachable", 503, "The store cannot be reached")
    HOLD_NOT_ACKED = ("hold-not-acked", 503, "The store did not acknowledge the hold on the config")
    HOLD_LAPSED = ("hold-lapsed", 503, "The hold on the config no longer lasts long enough")
    CLOCK_OFF = ("clock-off", 503, "This host's clock and the store's differ by too much")
    FILE_UNREADABLE = ("file-unreadable", 503, "A file that the config is to be served with cannot be read")
    STARTING = ("starting", 503, "The server is starting")
    STOPPING = ("stopping", 503, "The server is stopping")
    TOO_SLOW = ("too-slow", 503, "The answer was not ready in time")

    def __init__(self, code: str, status: int, title: str) -> None:
        self.code = code
        self.status = status
        self.title = title


@dataclass(frozen=True, slots=True)
class Refusal:
    """One answer that is no config. detail: facts for the operator: which pool, config, field; never a secret."""

    reason: Reason
    detail: str = ""
