"""`mcs delete`: never what a machine may still need."""

import time

import pytest

from mcs.cli.world import World
from mcs.jsondata import JSONObject, compact
from mcs.machineconfig.names import ANNOTATION_MARK, Kind
from mcs.store.interface import Store
from tests.cli.commands import Place, hold, node, own_config, pool, rendered

NAME = "rendered-worker-0123456789abcdef0123456789abcdef"

DELETED = [
    pytest.param("pool", pool("it", NAME), "machineconfigpool/it deleted", id="pool"),
    pytest.param("pools", pool("it"), "machineconfigpool/it deleted", id="pools"),
    pytest.param("node", node("it", currentConfig=NAME), "node/it deleted", id="node"),
    pytest.param("nodes", node("it"), "node/it deleted", id="nodes"),
    pytest.param("config", own_config("it"), "machineconfig/it deleted", id="config"),
    pytest.param("MachineConfig", own_config("it"), "machineconfig/it deleted", id="kind"),
]


@pytest.mark.parametrize(("word", "document", "message"), DELETED)
def test_what_nobody_needs_is_deleted(place: Place, word: str, document: JSONObject, message: str) -> None:
    place.mcs("apply", "-f", "-", stdin=compact(document))
    outcome = place.mcs("delete", word, "it")
    assert (outcome.status, outcome.out) == (0, [message])
    assert place.mcs("delete", word, "it").status == 1


def test_a_rendered_config_is_the_collectors_business(place: Place) -> None:
    place.mcs("apply", "-f", "-", stdin=compact(rendered(NAME, "worker")))
    outcome = place.mcs("delete", "config", NAME)
    assert (outcome.status, outcome.out) == (1, [])
    assert outcome.err == [
        (
            f"mcs delete: {NAME} is a rendered config: that is the collector's business: mcs-gc "
            "(this version's mcs-gc collects nothing yet, so it stays)"
        )
    ]
    assert place.mcs("get", "config", NAME).status == 0


REFERRERS = [
    pytest.param(pool("p", "it"), "pool p (spec, served)", id="pool"),
    pytest.param(node("n", firstPivotConfig="it"), "node n (first)", id="node"),
]


@pytest.mark.parametrize(("referrer", "message"), REFERRERS)
def test_a_config_that_is_referred_to_stays(place: Place, referrer: JSONObject, message: str) -> None:
    place.mcs("apply", "-f", "-", stdin=compact(own_config("it")) + compact(referrer))
    outcome = place.mcs("delete", "config", "it")
    assert outcome.status == 1
    assert message in outcome.err[0]
    store = place.store()
    meta = store.metadata(Kind.CONFIG, "it")
    store.close()
    assert meta is not None
    assert meta.mark is None


def test_a_config_that_somebody_takes_to_while_it_is_being_deleted_stays(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.mcs("apply", "-f", "-", stdin=compact(own_config("it")))
    read = World.read

    def read_then_serve(store: Store, now: float) -> World:
        """A pool is pointed at it right after the references were read; its server takes the mark off and sends it."""
        world = read(store, now)
        meta = store.metadata(Kind.CONFIG, "it")
        assert meta is not None
        assert meta.mark is not None, "the mark goes before the look"
        store.patch(Kind.CONFIG, "it", {"metadata": {"annotations": {ANNOTATION_MARK: None}}})
        return world

    monkeypatch.setattr(World, "read", read_then_serve)
    assert place.mcs("delete", "config", "it").status == 1
    monkeypatch.undo()
    assert place.mcs("get", "config", "it").status == 0


def test_a_config_that_is_held_stays(place: Place) -> None:
    place.mcs("apply", "-f", "-", stdin=compact(own_config("it")))
    store = place.store()
    store.put_hold(hold("it", renewed=time.time()), acked=None)
    store.close()
    assert place.mcs("delete", "config", "it").status == 1


@pytest.mark.parametrize("word", ["hold", "boot", "secret"])
def test_other_kinds_are_wrong_usage(place: Place, word: str) -> None:
    assert place.mcs("delete", word, "it").status == 2
