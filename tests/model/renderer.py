"""A renderer as an actor: a process that runs the shipped generator, as its driver would, with every answer it may get.

It reads the pool and then its MachineConfigs; if they render to N it makes an attempt to publish N, else it points the
pool at another config, which is always there. When to do so is free, and so is giving up: it may die anywhere, and what
it wrote may be done late, done without an answer, or not at all.

What it read of the config and of the pool is current until anybody writes them; then each write with a precondition on
that is refused. So no versions are kept, only whether what was read is current: this is exact.

Steps that are merged, and why no interleaving that matters is lost:
- reading the pool and its MachineConfigs: MachineConfigs that change in between are as if they had changed before; a
  pool that changes in between makes the attempt fail, as one that changes later does.
- starting and the first reading of the clock: when to start is free.
- a late creation leads where a restoration does, a late unmark where the unmark of a collector does.
"""

from collections.abc import Hashable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from mcs.boot.clock import Reading
from mcs.boot.protocol import Acked, Ask, Claim, NotAcked, Now, PutHold, Unreadable
from mcs.controller.protocol import (
    Create,
    Exists,
    Look,
    Outcome,
    Point,
    Publication,
    Refused,
    Stale,
    TakeMarkOff,
    Written,
)
from tests.model.runs import Done, Run, Runs, Seen
from tests.model.server import CONFIG, POOL, Protocol
from tests.model.world import (
    NEVER,
    Candidate,
    Config,
    Event,
    Move,
    Pointing,
    Pool,
    Rendering,
    RenderingBudget,
    Request,
    State,
    Verb,
    World,
    carry_out,
    settled,
)

__all__ = ["ANY_VERSION", "Renderer", "RendererActor", "nothing_rendered", "noticed"]

ACTOR = "renderer"
DIGEST = "spec of N"
ANY_VERSION = 0
"""A precondition that holds always. Only a mutant asks so."""


class Renderer(NamedTuple):
    """What the process has in memory: its claim, and its attempt.

    rendering: which state of the MachineConfigs the attempt is about. due: when the pool's write must be done, NEVER
    before it is allowed. config_is_current, pool_is_current: whether what the attempt read of them is so still.
    """

    claim: Claim | None = None
    run: Run | None = None
    rendering: int = 0
    due: int = NEVER
    config_is_current: bool = False
    pool_is_current: bool = False


def nothing_rendered(world: World) -> Rendering:
    """Return the start: the pool names another config than N, as its MachineConfigs say."""
    budget = world.rendering or RenderingBudget(changes=0, runs=0, mishaps=0)
    return Rendering(0, Pool(), Renderer() if world.rendering else None, NEVER, NEVER, frozenset(), budget)


def noticed(before: State, after: State) -> State:
    """Return the state after a step, in which nobody takes for current what the step has changed."""
    rendering = after.rendering
    renderer = rendering.renderer
    if renderer is None:
        return after
    if renderer.config_is_current and before.candidate.config != after.candidate.config:
        renderer = renderer._replace(config_is_current=False)
    if before.rendering.pool != rendering.pool:
        pointings = frozenset(pointing for pointing in rendering.pointings if not pointing.conditional)
        rendering = rendering._replace(pointings=pointings)
        renderer = renderer._replace(pool_is_current=False)
    return after._replace(rendering=rendering._replace(renderer=renderer))


class RendererActor:
    """The moves of the renderer, and of what it has left in flight."""

    def __init__(self, world: World, protocol: Protocol) -> None:
        self.world = world
        self.protocol = protocol
        answers = self._answers()
        runs = Runs(lambda request: answers[type(request)])
        self.begin, self.proceed = runs.begin, cache(runs.proceed)
        self.aged = cache(self._aged)

    def __call__(self, state: State) -> Iterator[Move]:
        """Yield each move that the renderer can make."""
        rendering = state.rendering
        renderer = rendering.renderer
        if renderer is None:
            return
        if rendering.inputs < rendering.budget.changes:
            what = "another config again" if rendering.inputs % 2 else "N again, as they did long ago"
            event = Event("people", "change", f"change the pool's MachineConfigs: they render to {what}")
            yield event, state._replace(rendering=rendering._replace(inputs=rendering.inputs + 1))
        yield from self._late(state)
        if renderer.run is not None:
            yield from self._proceed(state, renderer, renderer.run)
        elif rendering.inputs % 2:
            yield from self._begin(state, renderer)
        elif rendering.pool.rendering < rendering.inputs:
            event = Event(ACTOR, "point elsewhere", "renders another config, and points the pool at it")
            yield event, state._replace(rendering=_pointed(rendering, rendering.inputs))
        if renderer != Renderer():
            yield from self._spend(state, "mishaps", self._crash(state))

    def _answers(self) -> dict[type[Ask[Any]], tuple[Hashable, ...]]:
        """Return every answer that each request may get in this world."""
        times = range(self.world.horizon + 1)
        uids = range(1, self.world.recreations + 2)
        return {
            Now: tuple(_reading(now) for now in times),
            PutHold: (NotAcked(), *(Acked(store_clock=now) for now in times)),
            Look: (None, Unreadable(), *(_seen(Config(uid, 1, marked)) for uid in uids for marked in (False, True))),
            Create: (Written(), Exists(), Refused(), NotAcked()),
            TakeMarkOff: (Written(), Stale(), NotAcked()),
            Point: (Written(), Stale(), NotAcked()),
        }

    # ---- time

    def _aged(self, rendering: Rendering, now: int) -> Rendering:
        """Return the rendering at a later time: a write that is overdue is never done, a claim's age saturates."""
        renderer = rendering.renderer
        if renderer is None:
            return rendering
        oldest = now - int(self.world.durations.hold) - 1
        if renderer.claim is not None and renderer.claim.since.boot < oldest:
            renderer = renderer._replace(claim=replace(renderer.claim, since=_reading(oldest)))
        if self.world.writes_in_time and NEVER < renderer.due < now:
            renderer = Renderer(renderer.claim)
        hold, late = settled(self.world, rendering.hold, rendering.late, now)
        pointings = frozenset(pointing for pointing in rendering.pointings if pointing.until >= now)
        return rendering._replace(renderer=renderer, hold=hold, late=late, pointings=pointings)

    # ---- steps

    def _spend(self, state: State, what: str, *moves: Move) -> Iterator[Move]:
        budget = state.rendering.budget
        left = getattr(budget, what)
        if left == 0:
            return
        for event, after in moves:
            spent = budget if left is None else budget._replace(**{what: left - 1})
            yield event, after._replace(rendering=after.rendering._replace(budget=spent))

    def _late(self, state: State) -> Iterator[Move]:
        rendering = state.rendering
        for pointing in sorted(rendering.pointings):
            event = Event("store", "pointing lands", "carries out the renderer's late write: the pool names N")
            landed = rendering._replace(pointings=rendering.pointings - {pointing})
            yield event, state._replace(rendering=_pointed(landed, pointing.rendering))
        if rendering.late != NEVER:
            text = f"carries out the late write of the renderer's hold, renewed at t={rendering.late}"
            held = self._holding(rendering, rendering.late, state.now)._replace(late=NEVER)
            yield Event("store", "renderer's hold lands", text), state._replace(rendering=held)

    def _crash(self, state: State) -> Move:
        rendering = state.rendering
        former = max(state.former, rendering.hold)
        former, late = settled(self.world, former, max(state.former_late, rendering.late), state.now)
        dead = rendering._replace(renderer=Renderer(), hold=NEVER, late=NEVER)
        event = Event(ACTOR, "crash", "is killed; its successor has another id and knows nothing")
        return event, state._replace(former=former, former_late=late, rendering=dead)

    def _begin(self, state: State, renderer: Renderer) -> Iterator[Move]:
        rendering = state.rendering
        standing = rendering.pool.rendering == rendering.inputs
        publication = Publication(
            pool=POOL,
            pool_uid="uid-1",
            pool_version=1,
            config=CONFIG,
            digest=DIGEST,
            source=("00-worker",),
            standing=standing,
        )
        run = self.begin(self.protocol.publish, publication, renderer.claim, self.world.durations)
        run = self._clock(run, state.now)
        names = "it names N already" if standing else "it does not name N for these"
        text = f"reads the pool ({names}) and its MachineConfigs, renders N, and reads its clock: t={state.now}"
        begun = Renderer(renderer.claim, None, rendering.inputs, NEVER, False, True)
        after = self._running(state, begun, run)
        yield from self._spend(state, "runs", (Event(ACTOR, "begin", text), after))

    def _proceed(self, state: State, renderer: Renderer, run: Run) -> Iterator[Move]:
        request = run.pending
        if isinstance(request, Now):
            checked = renderer._replace(due=self._due(state.now))
            event = Event(ACTOR, "clock", f"reads its clock: t={state.now}")
            yield event, self._running(state, checked, self._clock(run, state.now))
        elif isinstance(request, PutHold):
            yield from self._put_hold(state, run, int(request.since.wall))
        elif isinstance(request, Look):
            yield from self._look(state, renderer, run)
        elif isinstance(request, Create):
            yield from self._create(state, run)
        elif isinstance(request, TakeMarkOff):
            yield from self._take_mark_off(state, renderer, run)
        elif isinstance(request, Point):
            yield from self._point(state, renderer, run, request)

    def _due(self, now: int) -> int:
        return now + int(self.world.durations.boot + self.world.durations.body)

    def _clock(self, run: Run, now: int) -> Run:
        return self.proceed(run, _reading(now)) if isinstance(run.pending, Now) else run

    def _answered(self, state: State, run: Run, answer: Hashable) -> State:
        renderer = state.rendering.renderer
        assert renderer is not None
        return self._running(state, renderer, self.proceed(run, answer))

    def _running(self, state: State, renderer: Renderer, run: Run) -> State:
        """Return the state in which the renderer goes on with its attempt, or has what the attempt returned."""
        if isinstance(run.pending, Done):
            outcome: Outcome = run.pending.value
            after = Renderer(outcome.claim)
        else:
            keeps_config = renderer.config_is_current and isinstance(run.pending, TakeMarkOff)
            due = renderer.due if isinstance(run.pending, Point) else NEVER
            after = renderer._replace(run=run, config_is_current=keeps_config, due=due)
        return state._replace(rendering=state.rendering._replace(renderer=after))

    def _holding(self, rendering: Rendering, renewed: int, now: int) -> Rendering:
        hold, late = settled(self.world, max(rendering.hold, renewed), rendering.late, now)
        return rendering._replace(hold=hold, late=late)

    def _put_hold(self, state: State, run: Run, renewed: int) -> Iterator[Move]:
        text = f"writes its hold on N, renewed at t={renewed}"
        rendering = state.rendering
        held = state._replace(rendering=self._holding(rendering, renewed, state.now))
        yield Event(ACTOR, "hold", f"{text}: acked"), self._answered(held, run, Acked(store_clock=state.now))
        hold, late = settled(self.world, rendering.hold, max(rendering.late, renewed), state.now)
        later = state._replace(rendering=rendering._replace(hold=hold, late=late))
        yield from self._spend(
            state,
            "mishaps",
            (
                Event(ACTOR, "hold, unknown", f"{text}: done, but the answer is lost"),
                self._answered(held, run, NotAcked()),
            ),
            (
                Event(ACTOR, "hold, late", f"{text}: no answer, and it may still be carried out"),
                self._answered(later, run, NotAcked()),
            ),
            (Event(ACTOR, "hold, refused", f"{text}: not done"), self._answered(state, run, NotAcked())),
        )

    def _look(self, state: State, renderer: Renderer, run: Run) -> Iterator[Move]:
        config = state.candidate.config
        text = "it is gone" if config is None else "it bears a mark" if config.marked else "it is there, without a mark"
        seen = None if config is None else _seen(config)
        knowing = renderer._replace(config_is_current=True)
        yield Event(ACTOR, "look", f"looks at N: {text}"), self._running(state, knowing, self.proceed(run, seen))
        event = Event(ACTOR, "look, failed", "looks at N: the read fails")
        yield from self._spend(state, "mishaps", (event, self._answered(state, run, Unreadable())))

    def _create(self, state: State, run: Run) -> Iterator[Move]:
        if state.candidate.config is not None:
            event = Event(ACTOR, "create, exists", "creates N: it exists already")
            yield event, self._answered(state, run, Exists())
        elif state.recreations == 0:
            yield Event(ACTOR, "create, refused", "creates N: refused"), self._answered(state, run, Refused())
        else:
            uid = self.world.recreations - state.recreations + 2
            made = state._replace(candidate=Candidate(Config(uid, 1, marked=False)), recreations=state.recreations - 1)
            yield Event(ACTOR, "create", "creates N"), self._answered(made, run, Written())
            event = Event(ACTOR, "create, unknown", "creates N: done, but the answer is lost")
            yield from self._spend(state, "mishaps", (event, self._answered(made, run, NotAcked())))
        event = Event(ACTOR, "create, failed", "creates N: not done, and no answer")
        yield from self._spend(state, "mishaps", (event, self._answered(state, run, NotAcked())))

    def _take_mark_off(self, state: State, renderer: Renderer, run: Run) -> Iterator[Move]:
        text = "takes the mark off N, as it saw it"
        config = state.candidate.config
        if not renderer.config_is_current or config is None:
            event = Event(ACTOR, "unmark, stale", f"{text}: N was changed meanwhile, and stays as it is")
            yield event, self._answered(state, run, Stale())
        else:
            request = Request(Verb.UNMARK, config.uid, config.version)
            done = state._replace(candidate=carry_out(state.candidate, request))
            yield Event(ACTOR, "unmark", text), self._answered(done, run, Written())
            event = Event(ACTOR, "unmark, unknown", f"{text}: done, but the answer is lost")
            yield from self._spend(state, "mishaps", (event, self._answered(done, run, NotAcked())))
        event = Event(ACTOR, "unmark, failed", f"{text}: not done, and no answer")
        yield from self._spend(state, "mishaps", (event, self._answered(state, run, NotAcked())))

    def _point(self, state: State, renderer: Renderer, run: Run, request: Point) -> Iterator[Move]:
        text = "points the pool at N"
        conditional = request.resource_version != ANY_VERSION
        if conditional and not renderer.pool_is_current:
            event = Event(ACTOR, "point, stale", f"{text}: the pool was changed meanwhile, and stays as it is")
            yield event, self._answered(state, run, Stale())
        else:
            done = state._replace(rendering=_pointed(state.rendering, renderer.rendering))
            yield Event(ACTOR, "point", text), self._answered(done, run, Written())
            until = renderer.due if self.world.writes_in_time else self.world.horizon
            pointing = Pointing(renderer.rendering, until, conditional)
            rendering = state.rendering._replace(pointings=state.rendering.pointings | {pointing})
            later = state._replace(rendering=rendering)
            yield from self._spend(
                state,
                "mishaps",
                (
                    Event(ACTOR, "point, unknown", f"{text}: done, but the answer is lost"),
                    self._answered(done, run, NotAcked()),
                ),
                (
                    Event(ACTOR, "point, late", f"{text}: no answer, and it may still be carried out"),
                    self._answered(later, run, NotAcked()),
                ),
            )
        event = Event(ACTOR, "point, failed", f"{text}: not done, and no answer")
        yield from self._spend(state, "mishaps", (event, self._answered(state, run, NotAcked())))


def _pointed(rendering: Rendering, target: int) -> Rendering:
    backwards = rendering.pool.backwards or target < rendering.pool.rendering
    return rendering._replace(pool=Pool(target, backwards))


def _reading(now: int) -> Reading:
    return Reading(wall=now, boot=now)


def _seen(config: Config) -> Seen:
    return Seen(CONFIG, f"uid-{config.uid}", config.version, config.marked, DIGEST)
