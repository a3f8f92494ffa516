"""The settings of `mcs serve` and `mcs controller`: one table, from which flags, MCS_* variables, the TOML file and the
help are made.

A flag goes before a variable, a variable before the file, the file before the default.
"""

import difflib
import os
import re
import socket
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path, PurePosixPath
from typing import TypeVar, cast

import mcs
from mcs.boot.durations import DurationRuleError, Durations, parse_duration
from mcs.ignition import Asking22
from mcs.machineconfig.appended import AppendedFile, AppendedSet

__all__ = ["FileSource", "Listen", "Setting", "Settings", "SettingsError", "controller_table", "load", "table"]

T = TypeVar("T")


class SettingsError(ValueError):
    """Settings that cannot be used; `problems` names each: where it stands, what is wrong and what would be right."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


@dataclass(frozen=True, slots=True)
class Listen:
    """Where to listen. host: an address or a name."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether only this host can connect."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


@dataclass(frozen=True, slots=True)
class FileSource:
    """A file of this host that is appended to every config. mode: its permission bits on the machine."""

    path: str
    source: Path
    mode: int = 0o644


# ---- how the text of a setting is read; a ValueError's text says what is wanted


def _text(text: str) -> str:
    if not text:
        raise ValueError("it is empty")
    return text


def _path(text: str) -> Path:
    return Path(_text(text))


def _listen(text: str) -> Listen:
    match = re.fullmatch(r"(?:\[(?P<six>[0-9A-Fa-f:.%]+)\]|(?P<host>[^:\s\[\]]+)):(?P<port>\d{1,5})", text, re.ASCII)
    if match is None or not 0 <= int(match["port"]) <= 65535 or match["host"] in {"unix", "fd"}:
        raise ValueError("it is not HOST:PORT, such as 127.0.0.1:22623 or [::1]:22623")
    return Listen(match["six"] or match["host"], int(match["port"]))


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if re.fullmatch(r"\d{1,12}", text, re.ASCII) is None or not low <= int(text) <= high:
            raise ValueError(f"it is not a whole number from {low} to {high}")
        return int(text)

    return read


def _network(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text)
    except ValueError:
        raise ValueError("it is not a network, such as 192.0.2.0/24 or 2001:db8::/64") from None


def _size(text: str) -> int:
    match = re.fullmatch(r"(\d+)(|k|M|G)", text, re.ASCII)
    if match is None:
        raise ValueError("it is not a size in bytes, such as 500k or 32M")
    return int(match[1]) * {"": 1, "k": 1000, "M": 1000**2, "G": 1000**3}[match[2]]


_SWITCH = {"on": True, "true": True, "yes": True, "1": True, "off": False, "false": False, "no": False, "0": False}


def _switch(text: str) -> bool:
    if text.lower() not in _SWITCH:
        raise ValueError("it is neither on nor off")
    return _SWITCH[text.lower()]


def _one_of(*words: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in words:
            raise ValueError(f"it is none of {', '.join(words)}")
        return text

    return read


def _asking_2_2(text: str) -> Asking22:
    return Asking22(_one_of(*Asking22)(text))


def _file_source(text: str) -> FileSource:
    match = re.fullmatch(r"(?P<path>/[^=\x00-\x1f\x7f]*)=(?P<source>[^,\x00]+)(?:,mode=(?P<mode>0?[0-7]{3}))?", text)
    if match is None:
        raise ValueError("it is not PATH=FILE or PATH=FILE,mode=0600, with PATH absolute and without commas")
    path = match["path"]
    if str(PurePosixPath(path)) != path or path.startswith("//") or ".." in PurePosixPath(path).parts or path == "/":
        raise ValueError(f"{path} is not a plain absolute path")
    return FileSource(path, Path(match["source"]), int(match["mode"] or "644", 8))


# ---- the table


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table. many: may be given several times (a list in the file)."""

    name: str
    read: Callable[[str], object]
    metavar: str
    help: str
    default: str | None
    many: bool

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        return "MCS_" + self.name.upper()

    @property
    def key(self) -> str:
        return self.name.replace("_", "-")


def _setting(read: Callable[[str], T], metavar: str, text: str, default: str | None = None) -> T:
    value = MISSING if default is None else read(default)
    return cast("T", field(default=value, metadata={"row": (read, metavar, text, default, False)}))


def _optional(read: Callable[[str], T], metavar: str, text: str) -> T | None:
    return cast("T | None", field(default=None, metadata={"row": (read, metavar, text, None, False)}))


def _settings(read: Callable[[str], T], metavar: str, text: str) -> tuple[T, ...]:
    return cast("tuple[T, ...]", field(default=(), metadata={"row": (read, metavar, text, None, True)}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings of `mcs serve` and of `mcs controller`: both can read the same file."""

    store: str = _setting(_text, "ADDRESS", "where objects and records are kept: sqlite:///PATH")
    listen: Listen = _setting(_listen, "HOST:PORT", "where machines fetch their configs", "127.0.0.1:22623")
    tls_cert: Path | None = _optional(
        _path, "FILE", "serve TLS with this certificate and its chain, in PEM; loaded anew when it changes"
    )
    tls_key: Path | None = _optional(_path, "FILE", "the certificate's private key, in PEM")
    allow_plain_http: bool = _setting(
        _switch, "on|off", "allow plain HTTP on an address that other hosts can reach", "off"
    )
    admin_listen: Listen = _setting(
        _listen, "HOST:PORT", "where metrics, status and probes are; plain HTTP, on loopback only", "127.0.0.1:9623"
    )
    proxy_protocol_from: tuple[IPv4Network | IPv6Network, ...] = _settings(
        _network, "NETWORK", "expect the PROXY protocol of every connection from this network, and only from there"
    )
    name: str = _setting(
        _text, "NAME", "what records call this server; default: this host's name", socket.gethostname()
    )
    workers: int = _setting(_whole(1, 64), "N", "worker processes", "2")
    threads: int = _setting(_whole(1, 1024), "N", "threads in each worker", "32")
    hold: float = _setting(parse_duration, "DURATION", "how long a hold protects after its last renewal", "24h")
    renewal: float = _setting(parse_duration, "DURATION", "how often a hold is renewed while it is needed", "5m")
    boot_bound: float = _setting(
        parse_duration, "DURATION", "the time within which the hold alone protects a machine", "12h"
    )
    boot_lease: float = _setting(parse_duration, "DURATION", "how long a boot lease protects after its fetch", "7d")
    skew: float = _setting(parse_duration, "DURATION", "how far clocks may differ; beyond it the answer is 503", "60s")
    body_deadline: float = _setting(parse_duration, "DURATION", "the longest that sending a config may take", "15m")
    body_progress: float = _setting(
        parse_duration, "DURATION", "how long a client may take nothing of a config before it is given up", "60s"
    )
    head_deadline: float = _setting(
        parse_duration,
        "DURATION",
        "from accepting a connection to the end of the request, TLS handshake included",
        "10s",
    )
    keep_alive: float = _setting(
        parse_duration, "DURATION", "how long an idle connection is kept for another request", "5s"
    )
    connections: int = _setting(_whole(1, 65536), "N", "connections that a worker has open at most", "4096")
    drain: float = _setting(
        parse_duration, "DURATION", "how long a stopping server still accepts while it says that it is not ready", "10s"
    )
    pool_refresh: float = _setting(parse_duration, "DURATION", "how often pools are looked at for a change", "1s")
    quiet_period: float = _setting(
        parse_duration,
        "DURATION",
        "how long a pool and its MachineConfigs must stay unchanged until they are rendered, and until what was "
        "rendered of them is served; 0: not at all",
        "5s",
    )
    spec_for_2_2: Asking22 = _setting(
        _asking_2_2,
        "auto|2.2|3.0",
        "what clients get that ask for spec 2.2: 3.0 if they call themselves Ignition 2.0, which reads nothing else, "
        "and otherwise 2.2 (auto); or one of the two, whatever they are called",
        "auto",
    )
    compat_mco: bool = _setting(
        _switch,
        "on|off",
        "answer as the Machine Config Operator's server does; so far only this: a request that names no Ignition "
        "version gets spec 2.2, not the stored one",
        "off",
    )
    boot_id: bool = _setting(
        _switch, "on|off", "give each boot an id; off for stubs that pin a hash of the config", "on"
    )
    full_config: bool = _setting(
        _switch, "on|off", "append the whole MachineConfig too, for debugging (it may hold secrets)", "off"
    )
    kubeconfig: Path | None = _optional(
        _path, "FILE", "append this file as /etc/kubernetes/kubeconfig; read anew for each request"
    )
    ca_bundle: tuple[FileSource, ...] = _settings(
        _file_source,
        "PATH=FILE",
        "append FILE as PATH, or replace the contents of PATH in the config, unless FILE is empty",
    )
    extra_file: tuple[FileSource, ...] = _settings(
        _file_source, "PATH=FILE[,mode=MODE]", "append FILE as PATH on the machine; read anew for each request"
    )
    cache_size: int = _setting(
        _size,
        "BYTES",
        "bytes of built configs that a worker keeps, and half as many of what they are built from",
        "32M",
    )
    log_format: str = _setting(_one_of("console", "json"), "console|json", "how log lines look", "console")
    log_level: str = _setting(
        _one_of("debug", "info", "warning", "error"), "LEVEL", "the least level that is logged", "info"
    )

    quiet_cap: float = _setting(
        parse_duration, "DURATION", "how long a change waits at most until it is rendered, quiet or not", "60s"
    )
    os_image: str | None = _optional(
        str,
        "IMAGE",
        "the osImageURL that is rendered, where no MachineConfig says another; '' if machines are to have none",
    )
    extensions_image: str | None = _optional(
        str,
        "IMAGE",
        "the baseOSExtensionsContainerImage that is rendered, where no MachineConfig says another; likewise",
    )
    build: str = _setting(
        _text,
        "TEXT",
        "the build that is noted on rendered configs; MachineConfigs that another build generated are refused",
        mcs.__version__,
    )
    release: str = _setting(str, "TEXT", "the cluster's release that is noted on rendered configs", "")
    no_render: bool = _setting(_switch, "on|off", "render nothing: only take marks off and end boot leases", "off")

    @property
    def reads_files(self) -> bool:
        """Whether files are read for each request."""
        return bool(self.kubeconfig is not None or self.ca_bundle or self.extra_file)

    def durations(self) -> Durations:
        """Return the durations of the protocol; raises DurationRuleError where they break its rule."""
        return Durations(
            hold=self.hold,
            renewal=self.renewal,
            boot=self.boot_bound,
            lease=self.boot_lease,
            skew=self.skew,
            body=self.body_deadline,
        )


def _row(name: str, entry: "Field[object]") -> Setting:
    read, metavar, text, default, many = entry.metadata["row"]
    return Setting(name, read, metavar, text, default, many)


_CONTROLLER_ALONE = frozenset({"quiet_cap", "os_image", "extensions_image", "build", "release", "no_render"})
_CONTROLLER_TOO = frozenset(
    {
        *("store", "name", "quiet_period", "log_format", "log_level"),
        *("hold", "renewal", "boot_bound", "boot_lease", "skew", "body_deadline"),
    }
)


def table() -> tuple[Setting, ...]:
    """Return the rows of `mcs serve`, in the order of the help."""
    return tuple(row for row in _rows() if row.name not in _CONTROLLER_ALONE)


def controller_table() -> tuple[Setting, ...]:
    """Return the rows of `mcs controller`, in the order of the help."""
    return tuple(row for row in _rows() if row.name in _CONTROLLER_ALONE | _CONTROLLER_TOO)


def _rows() -> tuple[Setting, ...]:
    return tuple(_row(entry.name, entry) for entry in fields(Settings))


def load(
    flags: Mapping[str, str | tuple[str, ...]], environment: Mapping[str, str] | None = None, file: Path | None = None
) -> Settings:
    """Make the settings.

    flags: by the row's name, only those that were given. environment: default this process's. file: a TOML file whose
    keys are the flags without dashes in front. Raises SettingsError with every problem.
    """
    environment = os.environ if environment is None else environment
    problems: list[str] = []
    in_file = _read_file(file, problems) if file is not None else {}
    values: dict[str, object] = {}
    for row in _rows():
        where, given = _given(row, flags, environment, in_file, file)
        if given is None:
            if row.name == "store":
                problems.append(f"no store is named: give {row.flag} ADDRESS or set {row.variable}")
            continue
        read = []
        for text in given:
            try:
                read.append(row.read(text))
            except ValueError as error:
                problems.append(f"{where}: {text!r}: {error}")
        if read:
            values[row.name] = tuple(read) if row.many else read[0]
    if problems:
        raise SettingsError(problems)
    settings = cast("Callable[..., Settings]", Settings)(**values)
    problems = list(_rules(settings))
    if problems:
        raise SettingsError(problems)
    return settings


def _given(
    row: Setting,
    flags: Mapping[str, str | tuple[str, ...]],
    environment: Mapping[str, str],
    in_file: Mapping[str, list[str]],
    file: Path | None,
) -> tuple[str, list[str] | None]:
    """Return where a setting stands and its texts, None where it is not given. A variable's list is split at spaces."""
    flag = flags.get(row.name)
    if flag is not None:
        return row.flag, [flag] if isinstance(flag, str) else list(flag)
    variable = environment.get(row.variable)
    if variable is not None:
        return row.variable, variable.split() if row.many else [variable]
    if row.key in in_file:
        return f"{file}: {row.key}", in_file[row.key]
    return "", None


def _read_file(file: Path, problems: list[str]) -> dict[str, list[str]]:
    """Read the TOML file into texts by key; problems are added to the list."""
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        problems.append(f"{file}: {error.strerror}")
        return {}
    except UnicodeDecodeError:
        problems.append(f"{file}: it is not UTF-8 text")
        return {}
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits, lists in lists in lists
        problems.append(f"{file}: {error}")
        return {}
    rows = {row.key: row for row in _rows()}
    texts: dict[str, list[str]] = {}
    for key, value in document.items():
        if key not in rows:
            near = difflib.get_close_matches(key, rows, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            problems.append(f"{file}: there is no setting {key!r}{hint}")
            continue
        items = value if isinstance(value, list) and rows[key].many else [value]
        if any(isinstance(item, list | dict) or not isinstance(item, str | bool | int | float) for item in items):
            problems.append(f"{file}: {key}: it is not a {'list of texts' if rows[key].many else 'text or number'}")
            continue
        texts[key] = [_as_text(item) for item in items]
    return texts


def _as_text(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


def _rules(settings: Settings) -> Iterable[str]:
    """Say which rules between settings are broken."""
    tls = settings.tls_cert is not None
    if tls != (settings.tls_key is not None):
        yield f"{'--tls-cert' if tls else '--tls-key'}: give --tls-cert and --tls-key together"
    if not settings.listen.is_loopback and not settings.allow_plain_http and not tls:
        yield (
            f"--listen {settings.listen}: other hosts could read configs there, which hold secrets, in plain HTTP: "
            "give --tls-cert and --tls-key, listen on loopback, or give --allow-plain-http on"
        )
    if not settings.admin_listen.is_loopback:
        yield f"--admin-listen {settings.admin_listen}: it is plain HTTP without a password: listen on loopback"
    if settings.admin_listen == settings.listen:
        yield "--admin-listen: it is the same as --listen"
    for name in ("pool_refresh", "head_deadline", "body_progress"):
        if getattr(settings, name) <= 0:
            yield f"--{name.replace('_', '-')}: it must be more than 0"
    try:
        files = (*settings.ca_bundle, *settings.extra_file)
        AppendedSet(extra=tuple(AppendedFile(file.path, b"") for file in files))
    except ValueError as error:
        yield f"--ca-bundle, --extra-file: {error}"
    try:
        settings.durations()
    except DurationRuleError as error:
        yield f"durations: {error}"
