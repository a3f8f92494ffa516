import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.machineconfig.names import config_hash, is_dns_subdomain, rendered_pool

HASH = "0123456789abcdef" * 2


@pytest.mark.parametrize(
    ("name", "possible"),
    [
        pytest.param("worker", True, id="plain"),
        pytest.param("a", True, id="one character"),
        pytest.param("0", True, id="a digit"),
        pytest.param("worker-gpu.eu", True, id="dashes and dots"),
        pytest.param("a" * 253, True, id="253 characters"),
        pytest.param("a" * 254, False, id="254 characters"),
        pytest.param("", False, id="empty"),
        pytest.param("Worker", False, id="upper case"),
        pytest.param("-worker", False, id="begins with a dash"),
        pytest.param("worker-", False, id="ends with a dash"),
        pytest.param("a..b", False, id="an empty label"),
        pytest.param("..", False, id="dots alone"),
        pytest.param("wörker", False, id="not ASCII"),
        pytest.param("worker\n", False, id="a line break at the end"),
        pytest.param("a/b", False, id="a slash"),
        pytest.param("a_b", False, id="an underscore"),
    ],
)
def test_names_that_objects_can_have(name: str, possible: bool) -> None:
    assert is_dns_subdomain(name) is possible


@pytest.mark.parametrize(
    ("name", "pool"),
    [
        pytest.param(f"rendered-worker-{HASH}", "worker", id="worker"),
        pytest.param(f"rendered-gpu-a100-{HASH}", "gpu-a100", id="a pool with a dash"),
        pytest.param(f"rendered-rendered-{HASH}", "rendered", id="a pool called rendered"),
        pytest.param(f"rendered-{HASH}", None, id="no pool"),
        pytest.param(f"rendered-worker-{HASH[1:]}", None, id="31 digits"),
        pytest.param(f"rendered-worker-{HASH.upper()}", None, id="upper case"),
        pytest.param(f"rendered-worker-{HASH}\n", None, id="a line break at the end"),
        pytest.param(f"copy-of-rendered-worker-{HASH}", None, id="something in front"),
        pytest.param("00-worker", None, id="no rendered config"),
    ],
)
def test_the_pool_in_a_rendered_name(name: str, pool: str | None) -> None:
    assert rendered_pool(name) == pool
    if pool is not None:
        assert config_hash(name) == HASH


@given(st.text())
def test_any_text_is_told(text: str) -> None:
    assert is_dns_subdomain(text) in {True, False}
    assert rendered_pool(text) is None or text.startswith("rendered-")
