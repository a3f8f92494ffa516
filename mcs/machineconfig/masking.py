"""What of a MachineConfig is a secret, and how it is shown instead: eight digits of a hash, so that a change is seen.

The hash has a key that every process draws for itself: the digits tell two secrets of one output apart, and confirm no
guess. What looks like a secret is a matter of names and shapes; this helps, and promises nothing.
"""

import hashlib
import re
import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from mcs.jsondata import JSON, integer_at
from mcs.machineconfig.contents import Contents, contents_of
from mcs.machineconfig.subjects import Subject

__all__ = ["has_secret_contents", "is_secret", "lines_without_secrets", "masked", "without_secrets"]

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
    |   ^/run/containers/[^/]+/auth\.json$
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
_IN_NAMES = r"""pass(?:word|wd|phrase)|(?<![a-z])(?:pass|pwd|psk)(?![a-z])|secret|token|cookie|credential
    |(?:api|access|account|private|signing|encryption|shared)[_-]?key
    |(?-i:(?<=[A-Z0-9]_)(?<!PUBLIC_)(?<!PUB_)(?:KEYS?|PW|AUTH|CREDS?|PIN)\d*+(?=["']?\s*+[=:]))"""
_WORD = re.compile(f"authorization|{_IN_NAMES}", re.VERBOSE | re.IGNORECASE)
_REST_OF_NAME = re.compile(r"[\w.-]*+")
_IS = re.compile(r"""["']?\s*+[=:]\s*+(?=\S)""")

# After a line of YAML that has such a name alone, or one whose text begins below it, what is indented by more is one.
_HEAD = re.compile(
    r"""(?P<indent>\s*+(?:-\s++)*+)(?P<name>["']?[\w.-]++["']?\s*+:)\s*+
    (?:[!&]\S*+\s*+)*+(?P<style>[|>][-+\d]*+\s*+)?(?:\#.*+)?""",
    re.VERBOSE | re.DOTALL,
)
_NAMES_OF_BLOCKS = re.compile(_IN_NAMES, re.VERBOSE | re.IGNORECASE)  # `authorization:` is how sections begin

# Of these the value alone is one.
_VALUES = re.compile(
    r"""(?P<word>(?:^|(?<=[\s"'=]))--?(?:password|passphrase|pass|token|secret|api-key)\s++
    |(?:^|(?<=\s))-u\s++(?=[^\s:]++:)
    |[?&;](?:sig|signature|x-amz-signature|x-amz-security-token|key|auth|code)=
    |\bbearer\s++
    |<password>
    |(?:^|(?<=[:\s"'=]))(?=\$(?:1|2[abxy]?|5|6|7|y|gy|apr1|md5|sha1|scrypt|argon2[a-z]{0,2}|pbkdf2[a-z0-9-]{0,9})\$)
    |(?=AGE-SECRET-KEY-)
    )(?P<secret>[^\s&"'<>]++)""",
    re.VERBOSE | re.IGNORECASE,
)
_URL = re.compile(r"://|\biscsi:", re.IGNORECASE)
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


def is_secret(subject: Subject, path: str) -> bool:
    """Tell whether a member of a subject is to be hidden whatever is said of the subject.

    >>> is_secret(Subject("user", "core"), "passwordHash"), is_secret(Subject("user", "core"), "shell")
    (True, False)
    """
    whole = f"{subject.name}.{path}" if subject.kind == "member" else path
    return _MEMBERS.search(whole) is not None


def has_secret_contents(subject: Subject, *said: JSON, read: Callable[[JSON], Contents] = contents_of) -> bool:
    """Tell whether the contents of a file or unit are to be hidden. said: all that is said of it, before and after.

    They are if others may not read the file, if its path is known to hold secrets, or if the text is known to be one.
    Before or after: either suffices.
    """
    if subject.kind not in _WITH_CONTENTS:
        return False
    if subject.kind == "file":
        if subject.name not in _HARMLESS_PATHS and _PATHS.search(subject.name) is not None:
            return True
        if any(each is not None and _is_private(each) for each in said):
            return True
    return any(_holds_secret(each, read) for each in said)


def _is_private(said: JSON) -> bool:
    mode = integer_at(said, "mode")
    return not (_DEFAULT_MODE if mode is None else mode) & _READ_BY_OTHERS


def _holds_secret(said: JSON, read: Callable[[JSON], Contents]) -> bool:
    if not isinstance(said, dict):
        return False
    appended = said.get("append")
    resources = [said.get("contents"), *(appended if isinstance(appended, list) else [])]
    return any(_TEXTS.search(read(each).text or "") is not None for each in resources if each is not None)


def without_secrets(line: str) -> str:
    """Return a line with what looks like a secret in it masked. The time it takes grows with the line's length alone.

    >>> without_secrets("Environment=API_TOKEN=abc") == f"Environment=API_TOKEN={masked('abc')}"
    True
    >>> without_secrets("https://me:pw@example.net/") == f"https://{masked('me:pw')}@example.net/"
    True
    """
    at = _secret_rest(line)
    if at is None:
        return _without_shapes(line)
    at = next((begin for begin, end in _userinfo(line) if begin < at <= end), at)  # a password may hold such a name
    return _without_shapes(line[:at]) + masked(line[at:])


def lines_without_secrets(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a text as `without_secrets` does, and mask what a secret's name says of the lines after it.

    That is what YAML has below such a name, indented by more, and what follows a backslash at the end of a secret.

    >>> list(lines_without_secrets(["password: |", "  a", "b: c"])) == ["password: |", f"  {masked('a')}", "b: c"]
    True
    """
    block: _Block | None = None
    continued = False
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if continued or (block is not None and block.holds(line, indent)):
            yield line[:indent] + masked(line[indent:]) if line.strip() else line
            continued = continued and line.endswith("\\")
            continue
        block = _block(line)
        if block is None:
            yield without_secrets(line)
            continued = line.endswith("\\") and _secret_rest(line) is not None
        else:
            yield _without_shapes(line)


@dataclass(frozen=True, slots=True)
class _Block:
    """What follows a name in YAML. column: of the name; listed: whether a list may begin there."""

    column: int
    listed: bool

    def holds(self, line: str, indent: int) -> bool:
        is_item = self.listed and indent == self.column and line.startswith("- ", indent)
        return indent > self.column or is_item or not line.strip()


def _block(line: str) -> _Block | None:
    """Return what a line begins that holds a secret, None if it begins nothing."""
    head = _HEAD.fullmatch(line)
    if head is None:
        return None
    words = _WORD if head["style"] else _NAMES_OF_BLOCKS
    found = words.search(line, head.start("name"), head.end("name"))
    if found is None:
        return None
    return _Block(head.start("name"), listed=head["style"] is None)


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
    parts: list[str] = []
    done = 0
    for begin, end in _userinfo(line):
        parts += [line[done:begin], masked(line[begin:end])]
        done = end
    return "".join(parts) + line[done:]


def _userinfo(line: str) -> Iterator[tuple[int, int]]:
    """Yield what stands before the last @ of each URL, whatever a password holds."""
    done = 0
    while (opening := _URL.search(line, done)) is not None:
        begin = opening.end()
        end = _NOT_USERINFO.search(line, begin)
        assert end is not None  # the end of the line is one
        sign = line.rfind("@", begin, end.start())
        if sign > begin:
            yield begin, sign
        done = end.start()
