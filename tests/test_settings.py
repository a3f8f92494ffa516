from ipaddress import ip_network
from pathlib import Path

import pytest

from mcs.ignition import Asking22
from mcs.settings import FileSource, Listen, Settings, SettingsError, load, table

STORE = {"store": "sqlite:///x"}


def settings(
    flags: dict[str, str | tuple[str, ...]] | None = None, environment: dict[str, str] | None = None
) -> Settings:
    return load({**STORE, **(flags or {})}, environment or {})


def problems(flags: dict[str, str | tuple[str, ...]], environment: dict[str, str] | None = None) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        load({**STORE, **flags}, environment or {})
    return list(caught.value.problems)


def test_defaults() -> None:
    made = settings()
    assert made.listen == Listen("127.0.0.1", 22623)
    assert (made.hold, made.renewal, made.boot_bound, made.boot_lease) == (86400, 300, 43200, 604800)
    assert made.boot_id
    assert not made.full_config
    assert (made.spec_for_2_2, made.compat_mco) == (Asking22.BY_NAME, False)
    assert made.durations().body == 900
    assert made.quiet_period == 5


def test_a_flag_goes_before_a_variable_before_the_file_before_the_default(tmp_path: Path) -> None:
    file = tmp_path / "mcs.toml"
    file.write_text('workers = 3\nthreads = 3\nrenewal = "3s"\nspec-for-2-2 = 2.2\ncompat-mco = true\n')
    made = load({**STORE, "workers": "1"}, {"MCS_WORKERS": "2", "MCS_THREADS": "2"}, file)
    assert (made.workers, made.threads, made.renewal, made.skew) == (1, 2, 3, 60)
    assert (made.spec_for_2_2, made.compat_mco) == (Asking22.ALWAYS_2_2, True)


@pytest.mark.parametrize(
    ("flag", "text", "read"),
    [
        pytest.param("listen", "[::1]:80", Listen("::1", 80), id="an IPv6 address"),
        pytest.param("listen", "localhost:0", Listen("localhost", 0), id="a name, and a port to be found"),
        pytest.param("hold", "1.5d", 129600.0, id="a fraction of days"),
        pytest.param("pool_refresh", "250ms", 0.25, id="milliseconds"),
        pytest.param("skew", "30", 30.0, id="seconds without a unit"),
        pytest.param("cache_size", "64M", 64_000_000, id="megabytes"),
        pytest.param("proxy_protocol_from", ("10.0.0.0/8",), (ip_network("10.0.0.0/8"),), id="a network"),
        pytest.param("boot_id", "Off", False, id="a switch in any case"),
        pytest.param("spec_for_2_2", "3.0", Asking22.ALWAYS_3_0, id="one word of several"),
        pytest.param("extra_file", ("/etc/a=b",), (FileSource("/etc/a", Path("b"), 0o644),), id="a file"),
        pytest.param(
            "extra_file", ("/etc/a=b,mode=0600",), (FileSource("/etc/a", Path("b"), 0o600),), id="with a mode"
        ),
    ],
)
def test_texts_that_are_read(flag: str, text: str | tuple[str, ...], read: object) -> None:
    assert getattr(settings({flag: text}), flag) == read


@pytest.mark.parametrize(
    ("flags", "environment", "problem"),
    [
        pytest.param({"listen": "22623"}, {}, "--listen: '22623': it is not HOST:PORT", id="no host"),
        pytest.param({"listen": "::1:80"}, {}, "--listen: '::1:80': it is not HOST:PORT", id="IPv6 without brackets"),
        pytest.param({"listen": "h:99999"}, {}, "it is not HOST:PORT", id="no such port"),
        pytest.param({}, {"MCS_WORKERS": "many"}, "MCS_WORKERS: 'many': it is not a whole number", id="a variable"),
        pytest.param({"workers": "0"}, {}, "from 1 to 64", id="no workers"),
        pytest.param({"hold": "1 day"}, {}, "it is not a duration, such as", id="a duration in words"),
        pytest.param({"hold": "-1s"}, {}, "it is not a duration, such as", id="a negative duration"),
        pytest.param({"hold": "12h"}, {}, "hold ≥ boot bound + body deadline", id="durations that break the rule"),
        pytest.param({"boot_lease": "1h"}, {}, "boot lease ≥ boot bound", id="another rule"),
        pytest.param({"pool_refresh": "0"}, {}, "--pool-refresh: it must be more than 0", id="a busy loop"),
        pytest.param({"boot_id": "maybe"}, {}, "neither on nor off", id="a switch in between"),
        pytest.param({"extra_file": ("etc/a=b",)}, {}, "it is not PATH=FILE", id="a relative path"),
        pytest.param({"extra_file": ("/etc/../a=b",)}, {}, "is not a plain absolute path", id="a path with dots"),
        pytest.param({"listen": "0.0.0.0:80"}, {}, "give --allow-plain-http", id="plain HTTP for everybody"),
        pytest.param({"tls_cert": "c.pem"}, {}, "give --tls-cert and --tls-key together", id="a certificate alone"),
        pytest.param({"admin_listen": "0.0.0.0:1"}, {}, "listen on loopback", id="the admin port for everybody"),
        pytest.param({"admin_listen": "127.0.0.1:22623"}, {}, "the same as --listen", id="one port for both"),
        pytest.param({"proxy_protocol_from": ("10.0.0.1/8",)}, {}, "it is not a network", id="host bits in a network"),
        pytest.param({"spec_for_2_2": "2.0"}, {}, "it is none of auto, 2.2, 3.0", id="no such spec for 2.2"),
        pytest.param({"log_format": "xml"}, {}, "it is none of console, json", id="no such word"),
        pytest.param({"extra_file": ("/a=b", "/a=c")}, {}, "/a is appended twice", id="two files at one path"),
        pytest.param(
            {"extra_file": ("/etc/kubernetes/kubeconfig=b",)}, {}, "the server itself appends", id="a file of our own"
        ),
    ],
)
def test_texts_that_are_refused(
    flags: dict[str, str | tuple[str, ...]], environment: dict[str, str], problem: str
) -> None:
    [said] = problems(flags, environment)
    assert problem in said


def test_all_problems_are_said_at_once() -> None:
    assert len(problems({"workers": "x", "hold": "y"}, {"MCS_SKEW": "z"})) == 3


def test_no_store_is_said_with_both_ways_to_name_one() -> None:
    with pytest.raises(SettingsError, match="give --store ADDRESS or set MCS_STORE"):
        load({}, {})


def test_with_a_certificate_any_address_will_do() -> None:
    made = settings({"listen": "0.0.0.0:443", "tls_cert": "c.pem", "tls_key": "k.pem"})
    assert (made.tls_cert, made.tls_key) == (Path("c.pem"), Path("k.pem"))


def test_plain_http_for_everybody_can_be_asked_for() -> None:
    assert settings({"listen": "0.0.0.0:80", "allow_plain_http": "on"}).listen.port == 80


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("worker = 1", "there is no setting 'worker'; did you mean workers?", id="unknown, with a hint"),
        pytest.param("zzz = 1", "there is no setting 'zzz'", id="unknown"),
        pytest.param("workers = [1]", "it is not a text or number", id="a list for one value"),
        pytest.param("extra-file = [[1]]", "it is not a list of texts", id="a list of lists"),
        pytest.param("workers = 'x'", "workers: 'x': it is not a whole number", id="a bad value"),
        pytest.param("workers", "Expected '=' after a key", id="no TOML"),
    ],
)
def test_a_file_that_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "mcs.toml"
    file.write_text(text)
    with pytest.raises(SettingsError) as caught:
        load(STORE, {}, file)
    assert caught.value.problems[0].startswith(f"{file}: ")
    assert problem in str(caught.value)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="No such file"):
        load(STORE, {}, tmp_path / "none.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match="not UTF-8"):
        load(STORE, {}, tmp_path / "binary.toml")


def test_a_file_of_every_type(tmp_path: Path) -> None:
    file = tmp_path / "mcs.toml"
    file.write_text('store = "sqlite:///y"\nboot-id = false\nskew = 1.5\nextra-file = ["/a=b", "/c=d"]\n')
    made = load({}, {}, file)
    assert (made.store, made.boot_id, made.skew, len(made.extra_file)) == ("sqlite:///y", False, 1.5, 2)


def test_every_setting_says_what_it_is() -> None:
    for row in table():
        assert len(row.help) > 10, row.name
        assert row.flag == "--" + row.key
    assert len({row.variable for row in table()}) == len(table())
