"""What of a MachineConfig is a secret, and how it is shown instead: eight digits of a hash, so that a change is seen.

The hash has a key that every process draws for itself: the digits tell two secrets of one output apart, and confirm no
guess. What looks like a secret is a matter of names and shapes; this helps, and promises nothing.
"""

import hashlib
import re
import secrets
from functools import cache

from mcs.jsondata import JSON, integer_at
from mcs.machineconfig.contents import contents_of
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
    |   (?:\.key|[._-]key\.pem|\.ppk|\.p12|\.pfx|\.jks|\.keytab)$
    |   ^/(?:etc|run|usr/lib)/NetworkManager/system-connections/
    |   ^/etc/(?:wireguard|luks)/
    |   /(?:containers|ostree)/auth\.json$
    |   /private/
    |   /(?:iscsid\.conf|chrony\.keys|apikey)$
    |   /wpa_supplicant[^/]*\.conf$
    |   (?:password|passwd|secret|token|credential)s?(?:$|[._/-])""",
    re.VERBOSE | re.IGNORECASE,
)
_HARMLESS_PATHS = frozenset({"/etc/passwd", "/etc/passwd-"})

_WITH_CONTENTS = ("file", "unit", "drop-in")

# Texts that are a secret as a whole.
_TEXTS = re.compile(
    r"""-----BEGIN\ [A-Z ]{0,40}PRIVATE\ KEY
    |AGE-SECRET-KEY-
    |(?:^|["\s])auths?["]?[\ \t]*+:[\ \t]*+(?:[{"\r\n]|$)
    |\bclient-key-data\s*+:""",
    re.VERBOSE,
)

# After a name with such a word in it, and = or :, the rest of the line is a secret.
_WORD = re.compile(
    r"""authorization|pass(?:word|wd|phrase)|(?<![a-z])(?:pass|pwd|psk)(?![a-z])|secret|token|cookie|credential
    |(?:api|access|account|private|signing|encryption|shared)[_-]?key""",
    re.VERBOSE | re.IGNORECASE,
)
_REST_OF_NAME = re.compile(r"[\w.-]*+")
_IS = re.compile(r"""["']?\s*+[=:]\s*+(?=\S)""")

# Of these the value alone is one.
_VALUES = re.compile(
    r"""(?P<word>(?:^|(?<=[\s"'=]))--?(?:password|passphrase|pass|token|secret|api-key)\s++
    |(?:^|(?<=\s))-u\s++(?=[^\s:]++:)
    |[?&;](?:sig|signature|x-amz-signature|x-amz-security-token|key|auth|code)=
    |\bbearer\s++
    |<password>
    |(?:^|(?<=[:\s"']))(?=\$(?:1|2[aby]|5|6|y|7|argon2[a-z]{0,2})\$)
    )(?P<secret>[^\s&"'<>]++)""",
    re.VERBOSE | re.IGNORECASE,
)
_URL = "://"
_NOT_USERINFO = re.compile(r"[\s\"'<>?#]|$")


@cache
def _key() -> bytes:
    return secrets.token_bytes(16)


def masked(value: bytes | str) -> str:
    """Return what is shown instead of a secret: within one process the same for the same one.

    >>> masked("a") == masked(b"a"), masked("a") == masked("b")
    (True, False)
    """
    raw = value.encode(errors="surrogatepass") if isinstance(value, str) else value
    return f"(secret {hashlib.blake2b(raw, key=_key(), digest_size=4).hexdigest()})"


def is_secret(subject: Subject, path: str, *said: JSON) -> bool:
    """Tell whether a member of a subject is to be hidden. said: all that is said of the subject, before and after.

    A file's contents are secret if others may not read it, or its path is known to hold secrets; those of a unit, too,
    if their text is known to be one. Before or after: either suffices.
    """
    whole = f"{subject.name}.{path}" if subject.kind == "member" else path
    if _MEMBERS.search(whole) is not None:
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
    """Return a line with what looks like a secret in it masked. The time it takes grows with the line's length alone.

    >>> without_secrets("Environment=API_TOKEN=abc") == f"Environment=API_TOKEN={masked('abc')}"
    True
    >>> without_secrets("https://me:pw@example.net/") == f"https://{masked('me:pw')}@example.net/"
    True
    """
    at = _secret_rest(line)
    if at is not None:
        return _without_shapes(line[:at]) + masked(line[at:])
    return _without_shapes(line)


def _without_shapes(line: str) -> str:
    """Mask what is a secret by its own shape: passwords in URLs and options, tokens, hashes of passwords."""
    return _VALUES.sub(lambda match: match["word"] + masked(match["secret"]), _without_userinfo(line))


def _secret_rest(line: str) -> int | None:
    """Return where a value begins whose name says that it is a secret."""
    position = 0
    while (word := _WORD.search(line, position)) is not None:
        rest = _REST_OF_NAME.match(line, word.end())
        position = rest.end() if rest is not None else word.end()
        value = _IS.match(line, position)
        if value is not None:
            return value.end()
    return None


def _without_userinfo(line: str) -> str:
    """Mask what stands before the last @ of each URL, whatever a password holds."""
    parts: list[str] = []
    done = 0
    while (at := line.find(_URL, done)) >= 0:
        begin = at + len(_URL)
        end = _NOT_USERINFO.search(line, begin)
        assert end is not None  # the end of the line is one
        sign = line.rfind("@", begin, end.start())
        parts.append(line[done:begin])
        done = begin
        if sign > begin:
            parts.append(masked(line[begin:sign]))
            done = sign
        parts.append(line[done : end.start()])
        done = end.start()
    return "".join(parts) + line[done:]
