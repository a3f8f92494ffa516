import pytest

from mcs.boot.endings import BootState, ended_by, state
from mcs.boot.records import BootLease
from mcs.machineconfig.nodes import NodeView
from tests.boot.examples import OTHER, lease, node

ID = "a" * 26


@pytest.mark.parametrize(
    ("nodes", "ended"),
    [
        pytest.param([node("n", ID)], "n", id="the node bears the id and names the config"),
        pytest.param([node("n", ID, addresses=frozenset())], "n", id="its address does not matter"),
        pytest.param([node("n", ID, created=1.0)], "n", id="nor does its age: a reinstalled machine keeps its Node"),
        pytest.param([node("n", ID, current_config=None)], None, id="the node names no config yet"),
        pytest.param([node("n", ID, current_config=OTHER)], None, id="the node names another config"),
        pytest.param([node("n", ID), node("m", ID)], None, id="two nodes bear the id"),
        pytest.param([node("n", ID), node("m", ID, current_config=OTHER)], None, id="two bear it, one names it"),
        pytest.param([node("n")], None, id="the node bears no id, though all else fits"),
        pytest.param([node("n", "b" * 26)], None, id="the node bears another id"),
        pytest.param([], None, id="no node"),
    ],
)
def test_a_lease_with_an_id_ends_only_by_the_one_node_that_bears_it(nodes: list[NodeView], ended: str | None) -> None:
    assert ended_by(lease(ID), [lease(ID)], nodes) == ended


@pytest.mark.parametrize(
    ("others", "nodes", "ended"),
    [
        pytest.param([], [node("n")], "n", id="one lease and one node fit"),
        pytest.param([], [node("n", created=999.0)], None, id="the node is older than the fetch"),
        pytest.param([], [node("n", created=1000.0)], None, id="the node is as old as the fetch"),
        pytest.param([], [node("n", created=None)], None, id="the node's age is unknown"),
        pytest.param([], [node("n", addresses=frozenset({"192.0.2.8"}))], None, id="another address"),
        pytest.param([], [node("n", current_config=OTHER)], None, id="another config"),
        pytest.param([], [node("n"), node("m")], None, id="two nodes behind one address"),
        pytest.param([lease(None, name="other")], [node("n")], None, id="two leases from one address"),
        pytest.param([lease(None, name="other", ended=1.0)], [node("n")], "n", id="the other one has ended"),
        pytest.param([lease(None, name="other", config=OTHER)], [node("n")], "n", id="the other names another config"),
        pytest.param(
            [lease(None, name="other", fetched=1600.0)], [node("n")], "n", id="the other is younger than the node"
        ),
        pytest.param([lease("b" * 26)], [node("n")], "n", id="the other has an id of its own"),
        pytest.param(
            [lease(None, name="agg", network="192.0.2.0/24")], [node("n")], None, id="an aggregate of its network"
        ),
        pytest.param([lease(None, name="agg", network="10.0.0.0/24")], [node("n")], "n", id="one of another network"),
    ],
)
def test_a_lease_without_an_id_ends_only_where_nothing_is_ambiguous(
    others: list[BootLease], nodes: list[NodeView], ended: str | None
) -> None:
    mine = lease(None)
    assert ended_by(mine, [mine, *others], nodes) == ended


def test_an_aggregate_ends_by_expiry_only() -> None:
    aggregate = lease(None, name="aggregate-1", network="192.0.2.0/24", count=300)
    assert ended_by(aggregate, [aggregate], [node("n")]) is None


@pytest.mark.parametrize(
    ("record", "joined", "now", "expected"),
    [
        pytest.param(lease(), None, 1600.0, BootState.FETCHED, id="within its duration"),
        pytest.param(lease(), None, 1659.0, BootState.FETCHED, id="within the skew after it"),
        pytest.param(lease(), None, 1661.0, BootState.EXPIRED, id="beyond doubt"),
        pytest.param(lease(renewed=9e9), None, 1661.0, BootState.FETCHED, id="renewed in the future"),
        pytest.param(lease(), "n", 9000.0, BootState.JOINED, id="joined, however late"),
        pytest.param(lease(ended=1500.0, node="n"), None, 9000.0, BootState.JOINED, id="ended on record"),
    ],
)
def test_the_state_of_a_boot(record: BootLease, joined: str | None, now: float, expected: BootState) -> None:
    assert state(record, joined, now, skew=60.0) is expected
