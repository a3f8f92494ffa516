"""What of a MachineConfig is a secret, and how it is shown instead: eight digits of a hash, so that a change is seen.

The digits are those of a hash without a key: they tell whether two secrets are the same, and confirm a guess. Whoever
may not even know that should not be shown a comparison.
"""

import re

from mcs.jsondata import JSON, integer_at
from mcs.machineconfig.contents import contents_of, fingerprint
from mcs.machineconfig.subjects import Subject

__all__ = ["is_secret", "masked", "without_secrets"]

_READ_BY_OTHERS = 0o004
_DEFAULT_MODE = 0o644  # Ignition's, where a file says none

# Members that are secrets wherever they stand.
_MEMBERS = re.compile(r"(?:^|[.\]])(?:passwordHash|keyFile|clevis|httpHeaders|advertisement)(?:$|[.\[])")

# Files that are known to hold secrets, whatever mode they have.
_PATHS = re.compile(
    r"""/(?:shadow-?|gshadow-?|\.dockerconfigjson|\.netrc|\.pgpass|id_(?:rsa|dsa|ecdsa|ed25519)|ssh_host_\w+_key)$
    |   ^/var/lib/kubelet/config\.json$
    |   ^/(?:root|home/[^/]+)/\.docker/config\.json$
    |   (?:^|[/._-])kubeconfig(?:$|[._-])
    |   (?:\.key|[._-]key\.pem|\.p12|\.pfx|\.jks|\.keytab)$
    |   ^/etc/NetworkManager/system-connections/
    |   ^/etc/wireguard/
    |   (?:password|passwd|secret|token|credential)s?(?:$|[._/-])""",
    re.VERBOSE | re.IGNORECASE,
)
_HARMLESS_PATHS = frozenset({"/etc/passwd", "/etc/passwd-"})

_WITH_CONTENTS = ("file", "unit", "drop-in")

# Texts that are a secret as a whole.
_TEXTS = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----|\"auths?\"\s*:\s*[{\"]|\bclient-key-data\s*:")

# What follows such a word in a line is a secret; so is what stands before the @ of a URL.
_AFTER_WORD = re.compile(
    r"""(?P<word>\b[\w.-]*(?:authorization|password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key
    |private[_-]?key|credentials?)[\w.-]*["']?\s*(?:=|:)\s*)(?P<secret>\S.*)""",
    re.VERBOSE | re.IGNORECASE,
)
_IN_URL = re.compile(r"(?P<word>\b[a-z][a-z0-9+.-]*://)(?P<secret>[^\s/@]+)(?=@)", re.IGNORECASE)


def masked(value: bytes | str) -> str:
    """Return what is shown instead of a secret.

    >>> masked("a")
    '(secret ca978112)'
    """
    return f"(secret {fingerprint(value)})"


def is_secret(subject: Subject, path: str, *said: JSON) -> bool:
    """Tell whether a member of a subject is to be hidden. said: all that is said of the subject, before and after.

    A file's contents are secret if others may not read it, or its path is known to hold secrets; those of a unit, too,
    if their text is known to be one. Before or after: either suffices.
    """
    if _MEMBERS.search(path) is not None:
        return True
    if subject.kind not in _WITH_CONTENTS or not path.startswith(("contents", "append")):
        return False
    if subject.kind == "file":
        if subject.name not in _HARMLESS_PATHS and _PATHS.search(subject.name) is not None:
            return True
        if any(each is not None and _is_private(each) for each in said):
            return True
    return any(_holds_secret(each) for each in said)


def _is_private(said: JSON) -> bool:
    mode = integer_at(said, "mode")
    return not (_DEFAULT_MODE if mode is None else mode) & _READ_BY_OTHERS


def _holds_secret(said: JSON) -> bool:
    if not isinstance(said, dict):
        return False
    appended = said.get("append")
    resources = [said.get("contents"), *(appended if isinstance(appended, list) else [])]
    return any(_TEXTS.search(contents_of(each).text or "") is not None for each in resources if each is not None)


def without_secrets(line: str) -> str:
    """Return a line with what looks like a secret in it masked.

    >>> without_secrets("Environment=API_TOKEN=abc"), without_secrets("https://me:pw@example.net/")
    ('Environment=API_TOKEN=(secret ba7816bf)', 'https://(secret 7fb75272)@example.net/')
    """
    for pattern in (_AFTER_WORD, _IN_URL):
        line = pattern.sub(lambda match: match["word"] + masked(match["secret"]), line)
    return line
