"""One pool's part in `mcs render`: what is tried again, and what is not."""

from collections.abc import Iterator

import pytest

from mcs.boot.durations import Durations
from mcs.cli.render_attempt import Asked, CannotError, done
from mcs.clock import read_clock
from mcs.controller.driver import Publisher
from mcs.controller.protocol import Outcome, Reason
from mcs.jsondata import JSONObject
from mcs.machineconfig.rendering import Origin, Rendered
from mcs.store.interface import Store, Stored
from tests.cli.commands import Place
from tests.cli.rendering import apply, config, pool

ASKED = Asked(
    origin=Origin(build="b1"),
    images={"osImageURL": None, "baseOSExtensionsContainerImage": None},
    dry_run=False,
    output=None,
    diff=False,
    explain=None,
    show_secrets=False,
    allow_unreachable=False,
)
POINTED = Outcome(Reason.POINTED)


class Scripted(Publisher):
    """Publishes nothing, and answers as it is told."""

    def __init__(self, store: Store, *outcomes: Outcome) -> None:
        super().__init__(store, worker="w" * 32, server="s", clock=read_clock)
        self.outcomes = list(outcomes)
        self.versions: list[int] = []

    def publish(self, pool: Stored[JSONObject], rendered: Rendered, durations: Durations) -> Outcome:  # noqa: ARG002 - of the class
        self.versions.append(pool.resource_version)
        return self.outcomes.pop(0)


@pytest.fixture
def store(place: Place) -> Iterator[Store]:
    apply(place, pool(), config("00-a"))
    opened = place.store()
    yield opened
    opened.close()


@pytest.mark.parametrize("reason", [Reason.POOL_CHANGED, Reason.CONFIG_CHANGED, Reason.CONFIG_MISSING])
def test_what_others_changed_meanwhile_is_rendered_anew(store: Store, reason: Reason) -> None:
    publisher = Scripted(store, Outcome(reason), Outcome(reason), POINTED)

    _, outcome = done(store, "worker", ASKED, publisher)

    assert (outcome, len(publisher.versions)) == (POINTED, 3)


def test_others_that_write_all_the_time_end_it(store: Store) -> None:
    publisher = Scripted(store, *[Outcome(Reason.POOL_CHANGED, "the pool has changed")] * 9)

    with pytest.raises(CannotError, match=r"^the pool has changed; try again$"):
        done(store, "worker", ASKED, publisher)

    assert len(publisher.versions) == 5


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        pytest.param(Outcome(Reason.NAME_TAKEN, "another spec"), "another spec", id="for-good"),
        pytest.param(Outcome(Reason.HOLD_NOT_ACKED, "locked"), "locked; try again", id="may-pass"),
        pytest.param(Outcome(Reason.CLOCK_OFF), "clock_off; try again", id="without-a-word"),
    ],
)
def test_what_another_attempt_would_not_change_is_told_at_once(store: Store, outcome: Outcome, said: str) -> None:
    publisher = Scripted(store, outcome)

    with pytest.raises(CannotError) as caught:
        done(store, "worker", ASKED, publisher)

    assert (str(caught.value), publisher.outcomes) == (said, [])
