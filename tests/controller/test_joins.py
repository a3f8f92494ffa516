"""Which boots are over: exactly those of the one rule, however many there are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs.boot.endings import ended_by
from mcs.boot.records import BootLease
from mcs.controller.joins import joined
from mcs.machineconfig.nodes import NodeView
from mcs.store.interface import Stored
from tests.boot.examples import OTHER, lease, node

IDS = ("a" * 26, "b" * 26)
ADDRESSES = ("192.0.2.7", "192.0.2.8", "10.0.0.1")


def stored(leases: list[BootLease]) -> list[Stored[BootLease]]:
    return [Stored(one.name, f"uid-{number}", number, 0.0, one) for number, one in enumerate(leases)]


LEASES = st.builds(
    lambda boot_id, config, address, fetched, ended, network: lease(
        boot_id,
        **config,
        address=address,
        fetched=fetched,
        ended=ended,
        network=network if boot_id is None else None,
    ),
    st.sampled_from([*IDS, None]),
    st.sampled_from([{}, {"config": OTHER}]),
    st.sampled_from(ADDRESSES),
    st.sampled_from([1000.0, 1600.0]),
    st.sampled_from([None, None, None, 1.0]),
    st.sampled_from([None, None, "192.0.2.0/24", "10.0.0.0/24"]),
)
NODES = st.builds(
    lambda name, boot_ids, config, addresses, created: node(
        name, *boot_ids, **config, addresses=frozenset(addresses), created=created
    ),
    st.sampled_from("nmo"),
    st.sets(st.sampled_from(IDS)),
    st.sampled_from([{}, {"current_config": OTHER}, {"current_config": None}]),
    st.sets(st.sampled_from(ADDRESSES)),
    st.sampled_from([999.0, 1500.0, None]),
)


@given(st.lists(LEASES, max_size=6), st.lists(NODES, max_size=5))
def test_it_is_the_one_rule(leases: list[BootLease], nodes: list[NodeView]) -> None:
    wanted = [(one, name) for one in leases if one.ended is None and (name := ended_by(one, leases, nodes)) is not None]
    assert [(found.value, name) for found, name in joined(stored(leases), nodes)] == wanted


@pytest.mark.parametrize(
    ("rival", "ends"),
    [
        pytest.param({"address": "192.0.2.9"}, True, id="another machine's"),
        pytest.param({"address": "192.0.2.8"}, False, id="at the node's other address"),
        pytest.param({"address": "", "network": "192.0.2.0/24"}, False, id="an aggregate of its network"),
        pytest.param({"address": "", "network": "10.0.0.0/24"}, True, id="an aggregate of another network"),
    ],
)
def test_a_boot_without_an_id_has_rivals_at_every_address_of_its_node(rival: dict[str, str], ends: bool) -> None:
    mine, other = lease(None), lease(None, name="other", **rival)
    of_both = node("n", addresses=frozenset({"192.0.2.7", "192.0.2.8"}))
    assert (mine in [found.value for found, _ in joined(stored([mine, other]), [of_both])]) == ends


def test_a_thousand_boots_of_a_thousand_nodes() -> None:
    ids = [f"{number:026}" for number in range(1000)]
    found = list(joined(stored([lease(boot_id) for boot_id in ids]), [node(f"n{one}", one) for one in ids]))
    assert [(one.name, name) for one, name in found] == [(boot_id, f"n{boot_id}") for boot_id in ids]


def test_a_lease_that_has_ended_is_left_alone() -> None:
    assert list(joined(stored([lease(IDS[0], ended=5.0)]), [node("n", IDS[0])])) == []
