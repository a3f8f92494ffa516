"""A server as an actor: one worker that runs the shipped generators, as a driver would, with every answer it may get.

A worker has at most one attempt to answer a machine and at most one flight (a run that obtains or renews the hold):
what it has between attempts is its claim. An attempt uses the claim at once while it covers, whatever flies; else it
waits for the flight that is under way, and then uses that flight's outcome or starts its own: a driver may do either.

Steps that are merged, and why no interleaving that matters is lost:
- asking and resolving; building the bytes and asking for the clock: their answers do not depend on the world, and time
  may pass before the reading that follows. A build that fails is a machine that goes away.
- starting a flight and its first reading of the clock: when to start is free.
- two readings with nothing in between (obtain decides, acquire begins): a host that pauses there behaves as one that
  paused before both, since a hold that does not cover never covers later. `World.every_step` undoes this.
"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count
from typing import Any, NamedTuple

from mcs.boot import protocol
from mcs.boot.clock import Reading
from mcs.boot.protocol import (
    Acked,
    Acquisition,
    Answer,
    Ask,
    Build,
    Built,
    Claim,
    GetMeta,
    Grant,
    NotAcked,
    Now,
    Obtain,
    PutHold,
    Resolved,
    Unreadable,
)
from mcs.boot.protocol import Run as Running
from mcs.boot.reasons import Reason, Refusal
from mcs.controller.protocol import Outcome, publish
from tests.model.runs import Done, Run, Runs, Seen
from tests.model.world import NEVER, Config, Event, Move, Server, State, World, settled, written

__all__ = ["CONFIG", "DropHold", "Protocol", "ServerActor", "Worker", "having", "name_of"]

CONFIG, POOL = "N", "worker"
RESOLVED, BUILT, REFUSAL = Resolved(CONFIG, "as last seen here"), Built(), Refusal(Reason.HOLD_NOT_ACKED)


def _uid(uid: int) -> str:
    return f"uid-{uid}"


def _seen(config: Config) -> Seen:
    return Seen(CONFIG, _uid(config.uid), config.version, config.marked)


@dataclass(frozen=True)
class Protocol:
    """The generators that servers and a renderer run: the shipped ones, or a mutant's."""

    answer: Callable[..., Running[Answer]] = protocol.answer
    obtain: Callable[..., Running[Acquisition]] = protocol.obtain
    acquire: Callable[..., Running[Acquisition]] = protocol.acquire
    publish: Callable[..., Running[Outcome]] = publish


@dataclass(frozen=True, slots=True)
class DropHold(Ask[None]):
    """Delete this worker's hold. Only a mutant asks for it: the shipped protocol has no such request."""

    config: str


_serials = count()


@dataclass(frozen=True, slots=True, eq=False)
class Worker:
    """What a server process has in memory. Made by `having` alone: workers are equal if identical.

    attempt: asks for Obtain, or for Now with the bytes built. body: when the body that is being sent must have ended.
    """

    claim: Claim | None
    attempt: Run | None
    body: int | None
    flight: Run | None
    serial: int = field(default_factory=_serials.__next__)


@cache
def having(
    claim: Claim | None = None, attempt: Run | None = None, body: int | None = None, flight: Run | None = None
) -> Worker:
    """Return the one worker that has this in memory."""
    return Worker(claim, attempt, body, flight)


class Step(NamedTuple):
    """One step of a worker, and at most one effect on the rest of the world."""

    event: Event
    worker: Worker
    writes: int = NEVER
    writes_late: int = NEVER
    boots: int = NEVER
    drops: bool = False
    dies: bool = False
    spends: str = ""


class Change(NamedTuple):
    """What a step makes of a server, and what it adds to the rest of the world."""

    event: Event
    server: Server
    former: int
    former_late: int
    boots: int


def name_of(slot: int) -> str:
    """Return a server's name in stories."""
    return f"server {'ABC'[slot]}"


class ServerActor:
    """The moves of the server in one slot."""

    def __init__(self, world: World, protocol: Protocol, slot: int) -> None:
        self.world = world
        self.protocol = protocol
        self.slot = slot
        self.name = name_of(slot)
        self.offset = world.offsets[slot]
        self.runs = Runs(self._alphabet)
        self.aged = cache(self._aged)
        self._steps = cache(lambda worker, now, config: tuple(self._all_steps(worker, now, config)))
        self._changes = cache(lambda server, now, config: tuple(self._all_changes(server, now, config)))

    def __call__(self, state: State) -> Iterator[Move]:
        """Yield each move that this server can make."""
        now, candidate, servers, former, former_late, booting, recreations, rendering = state
        before, after = servers[: self.slot], servers[self.slot + 1 :]
        for event, server, died, died_late, boots in self._changes(servers[self.slot], now, candidate.config):
            hold, late = former, former_late
            if died != NEVER or died_late != NEVER:
                hold, late = settled(self.world, max(former, died), max(former_late, died_late), now)
            changed = (*before, server, *after)
            yield event, State(now, candidate, changed, hold, late, max(booting, boots), recreations, rendering)

    def _alphabet(self, request: Ask[Any]) -> tuple[Hashable, ...]:
        """Return every answer that a request may get in this world; why a hold is refused is not told apart."""
        times = range(self.world.horizon + 1)
        uids = range(1, self.world.recreations + 2)
        if isinstance(request, Now):
            return tuple(self._reading(now) for now in times)
        if isinstance(request, PutHold):
            return (NotAcked(), *(self._acked(now) for now in times))
        if isinstance(request, GetMeta):
            return (None, Unreadable(), *(_seen(Config(uid, 1, marked)) for uid in uids for marked in (False, True)))
        if isinstance(request, Obtain):
            claims = (
                Claim(CONFIG, _uid(uid), 1, self._reading(now), self.world.durations.hold)
                for uid in uids
                for now in times
            )
            acquired = (Acquisition(claim, refusal) for claim in claims for refusal in (None, REFUSAL))
            return (Acquisition(None, REFUSAL), *acquired)
        return (None,) if isinstance(request, DropHold) else (BUILT,) if isinstance(request, Build) else (RESOLVED,)

    # ---- what a step changes

    def _all_changes(self, server: Server, now: int, config: Config | None) -> Iterator[Change]:
        for step in self._steps(server.worker, now, config):
            budget = server.budget
            if step.spends and (left := getattr(budget, step.spends)) is not None:
                if left == 0:
                    continue
                budget = budget._replace(**{step.spends: left - 1})
            changed = self._changed(server._replace(worker=step.worker, budget=budget), step, now)
            died, died_late = (server.hold, server.late) if step.dies else (NEVER, NEVER)
            yield Change(step.event, changed, died, died_late, step.boots)
        if server.late != NEVER:
            text = f"carries out the late write of {self.name}'s hold, renewed at t={server.late}"
            landed = self._settled(written(self.world, server, server.late)._replace(late=NEVER), now)
            yield Change(Event("store", "hold lands", text), landed, NEVER, NEVER, NEVER)

    def _changed(self, server: Server, step: Step, now: int) -> Server:
        if step.dies or step.drops:
            server = server._replace(hold=NEVER, late=NEVER if step.dies else server.late)
        if step.writes != NEVER:
            server = written(self.world, server, step.writes)
        if step.writes_late != NEVER and not (self.world.store_shortens and server.late != NEVER):
            # Of two late writes the later one protects longer; only where a store shortens holds does the other matter.
            server = server._replace(late=max(server.late, step.writes_late))
        return self._settled(server, now)

    def _settled(self, server: Server, now: int) -> Server:
        hold, late = settled(self.world, server.hold, server.late, now)
        return Server(server.worker, hold, late, server.budget)

    def _aged(self, server: Server, now: int) -> Server:
        """Return the server at a later time: its driver cuts a body that is overdue, and a claim's age saturates."""
        was = server.worker
        body = was.body if was.body is not None and was.body >= now else None
        aged = having(self._saturated(was.claim, now), was.attempt, body, was.flight)
        return self._settled(server._replace(worker=aged), now)

    def _saturated(self, claim: Claim | None, now: int) -> Claim | None:
        """Take a claim that is older than every duration for one that is just so: none is compared with more."""
        oldest = now - int(self.world.durations.hold) - 1
        if claim is None or claim.since.boot >= oldest:
            return claim
        return replace(claim, since=self._reading(oldest))

    def _reading(self, now: int) -> Reading:
        return Reading(wall=now + self.offset, boot=now)

    def _acked(self, now: int) -> Acked:
        return Acked(store_clock=now if self.world.store_has_clock else None)

    # ---- the steps

    def _all_steps(self, worker: Worker, now: int, config: Config | None) -> Iterator[Step]:
        yield from self._machine(worker, now)
        yield from self._flight(worker, now, config)
        if worker is not having():
            event = self._event("crash", "is killed; its successor has another id and knows nothing")
            yield Step(event, having(), dies=True, spends="mishaps")

    def _event(self, kind: str, text: str) -> Event:
        return Event(self.name, kind, text)

    def _machine(self, worker: Worker, now: int) -> Iterator[Step]:
        """The machine's side of an attempt, and what the attempt does when it does not wait for a flight."""
        claim, attempt, body, flight = worker.claim, worker.attempt, worker.body, worker.flight
        if body is not None:
            until = now + int(self.world.durations.boot)
            event = self._event("last byte", f"the machine has its last byte, and needs N until t={until}")
            yield Step(event, having(claim, None, None, flight), boots=until)
        elif attempt is None:
            run = self.runs.begin(self.protocol.answer, POOL, self.world.durations)
            asked = self.runs.proceed(run, RESOLVED)
            event = self._event("ask", "a machine asks for its config; the pool, as last seen here, names N")
            yield Step(event, having(claim, asked, None, flight), spends="asks")
        elif isinstance(attempt.pending, Now):
            yield self._decide(worker, self.runs.proceed(attempt, self._reading(now)))
        if body is not None or attempt is not None:
            yield Step(self._event("goes away", "the machine goes away"), having(claim, None, None, flight))

    def _decide(self, worker: Worker, attempt: Run) -> Step:
        claim, flight = worker.claim, worker.flight
        if not isinstance(attempt.pending, Done):
            event = self._event("too late", "has the bytes, but the hold ends too soon: begins again")
            return Step(event, having(claim, attempt, None, flight))
        granted = attempt.pending.value
        if not isinstance(granted, Grant):
            return Step(
                self._event("refuse", f"answers the machine 503: {granted.detail}"), having(claim, None, None, flight)
            )
        deadline = int(granted.at.boot + self.world.durations.body)
        event = self._event(
            "send", f"has the bytes, and starts to send N to the machine: the last byte is due by t={deadline}"
        )
        return Step(event, having(claim, None, deadline, flight))

    def _flight(self, worker: Worker, now: int, config: Config | None) -> Iterator[Step]:
        flight, attempt, claim = worker.flight, worker.attempt, worker.claim
        if attempt is not None and isinstance(attempt.pending, Obtain):
            run = self._clock(self.runs.begin(self.protocol.obtain, CONFIG, claim, self.world.durations), now)
            if isinstance(run.pending, Done):
                event = self._event("covered", "has a claim on N that still covers")
                yield Step(event, self._using(worker, run.pending.value, flight))
            elif flight is None:
                event = self._event("obtain", f"needs a hold on N, and reads its clock: t={now}")
                yield from self._fly(worker, run, now, event, spends="flights")
        if flight is None:
            run = self._clock(self.runs.begin(self.protocol.acquire, CONFIG, claim, self.world.durations), now)
            why = "sets out to renew its hold on N" if claim else "sets out to hold N, ahead of any machine"
            event = self._event("renew", f"{why}, and reads its clock: t={now}")
            yield from self._fly(worker, run, now, event, spends="flights")
        elif isinstance(flight.pending, PutHold):
            yield from self._put_hold(worker, flight, flight.pending, now)
        elif isinstance(flight.pending, GetMeta):
            yield from self._look(worker, flight, now, config)
        elif isinstance(flight.pending, DropHold):
            yield from self._fly(
                worker, self.runs.proceed(flight, None), now, self._event("drop", "drops its hold"), drops=True
            )
        else:
            yield from self._fly(
                worker, self._clock(flight, now), now, self._event("clock", f"reads its clock: t={now}")
            )

    def _clock(self, run: Run, now: int) -> Run:
        while isinstance(run.pending, Now):
            run = self.runs.proceed(run, self._reading(now))
            if self.world.every_step:
                break
        return run

    def _put_hold(self, worker: Worker, flight: Run, put: PutHold, now: int) -> Iterator[Step]:
        renewed = int(put.since.wall)
        done = self.runs.proceed(flight, self._acked(now))
        unknown = self.runs.proceed(flight, NotAcked())
        text = f"writes its hold on N, renewed at t={renewed}"
        yield from self._fly(worker, done, now, self._event("hold", f"{text}: acked"), writes=renewed)
        event = self._event("hold, unknown", f"{text}: done, but the answer is lost")
        yield from self._fly(worker, unknown, now, event, writes=renewed, spends="mishaps")
        event = self._event("hold, late", f"{text}: no answer, and it may still be carried out")
        yield from self._fly(worker, unknown, now, event, writes_late=renewed, spends="mishaps")
        yield from self._fly(worker, unknown, now, self._event("hold, refused", f"{text}: not done"), spends="mishaps")

    def _look(self, worker: Worker, flight: Run, now: int, config: Config | None) -> Iterator[Step]:
        seen = None if config is None else _seen(config)
        text = "it is gone" if config is None else "it bears a mark" if config.marked else "it is there, without a mark"
        yield from self._fly(worker, self.runs.proceed(flight, seen), now, self._event("look", f"looks at N: {text}"))
        event = self._event("look, failed", "looks at N: the read fails")
        yield from self._fly(worker, self.runs.proceed(flight, Unreadable()), now, event, spends="mishaps")

    def _fly(self, worker: Worker, flight: Run, now: int, event: Event, **effect: Any) -> Iterator[Step]:
        """Go on with a flight; when it has returned, the worker has its claim, and a waiting attempt may use it."""
        if not isinstance(flight.pending, Done):
            yield Step(event, having(worker.claim, worker.attempt, worker.body, flight), **effect)
            return
        acquisition: Acquisition = flight.pending.value
        landed = having(self._saturated(acquisition.claim, now), worker.attempt, worker.body)
        if landed.attempt is not None and isinstance(landed.attempt.pending, Obtain):
            yield Step(event, self._using(landed, acquisition, None), **effect)
        yield Step(event, landed, **effect)

    def _using(self, worker: Worker, acquisition: Acquisition, flight: Run | None) -> Worker:
        """Answer the attempt's Obtain, and build what it then asks for; one that is refused is over: 503."""
        assert worker.attempt is not None
        answer = Acquisition(acquisition.claim, None if acquisition.refusal is None else REFUSAL)
        attempt = self.runs.proceed(worker.attempt, answer)
        while isinstance(attempt.pending, Build):
            attempt = self.runs.proceed(attempt, BUILT)
        return having(worker.claim, None if isinstance(attempt.pending, Done) else attempt, None, flight)
