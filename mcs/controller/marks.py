"""Takes marks off configs that pools name, at once: a collector that died must stop no boot for long.

Who else does so does no harm: each write names the object and the version that was looked at.
"""

import logging

from mcs.clock import Clock
from mcs.controller.driver import Publisher
from mcs.controller.protocol import Outcome, Reason
from mcs.controller.watch import Sight
from mcs.web.complaints import Complaints

__all__ = ["Marks"]

_log = logging.getLogger(__name__)

_ASK_AGAIN = 5.0  # seconds; what a pool was served last is read of holds, which no look shows to change
_TRY_AGAIN = 1.0  # seconds; after what may pass


class Marks:
    """Asks about each mark when it appears, when a pool changes, and every few seconds."""

    def __init__(self, publisher: Publisher, clock: Clock) -> None:
        self._publisher = publisher
        self._clock = clock
        self._complaints = Complaints(_log)
        self._asked: dict[str, tuple[object, float]] = {}

    def look(self, sight: Sight) -> None:
        """Take the marks off that are seen, where pools name what bears them."""
        now = self._clock().boot
        marked = {name: config.resource_version for name, config in sight.configs.items() if config.mark is not None}
        self._asked = {name: asked for name, asked in self._asked.items() if name in marked}
        for name, version in marked.items():
            known, again = self._asked.get(name, (None, now))
            if known != (version, sight.pools) or now >= again:
                outcome = self._publisher.unmark(name)
                wait = _TRY_AGAIN if outcome.reason.may_pass else _ASK_AGAIN
                self._asked[name] = (version, sight.pools), now + wait
                self._tell(name, outcome)

    def _tell(self, config: str, outcome: Outcome) -> None:
        if outcome.unmarked:
            self._complaints.settle(config)
            _log.warning("unmarked", extra={"facts": {"config": config, "why": "a pool names it"}})
        elif outcome.reason.may_pass:
            self._complaints.say(config, f"{config} is marked for collection, and may still be: {outcome.detail}")
        elif outcome.reason is Reason.NOT_NAMED:
            self._complaints.settle(config)
