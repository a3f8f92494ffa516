"""One worker process: everything that is opened, started or drawn, and only after the fork."""

import errno
import secrets
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import mcs
from mcs.boot.durations import Durations
from mcs.boot.lease_queue import LeaseLimits
from mcs.boot.reasons import Reason, Refusal
from mcs.clock import Clock, read_clock
from mcs.machineconfig.appended import AppendedFile, AppendedSet
from mcs.settings import FileSource, Settings
from mcs.store import open_store
from mcs.store.interface import Store
from mcs.web.answers import Answers
from mcs.web.attempts import AttemptRecorder
from mcs.web.bodies import Bodies
from mcs.web.claims import Identity
from mcs.web.keeper import Keeper
from mcs.web.measured_store import MeasuredStore
from mcs.web.metrics import Metrics
from mcs.web.recorder import Recorder

__all__ = ["Worker", "read_appended", "start_worker"]

_STORE_THREADS = 8  # for holds, verification and building; requests wait for them with a time limit
_NEW_LEASES_PER_SECOND = 200.0  # of a server, shared by its workers


@dataclass(frozen=True, slots=True)
class Worker:
    """What a started worker consists of."""

    identity: Identity
    settings: Settings
    durations: Durations
    store: Store
    keeper: Keeper
    recorder: Recorder
    answers: Answers
    attempts: AttemptRecorder
    metrics: Metrics
    clock: Clock
    executor: ThreadPoolExecutor

    def stop(self) -> None:
        """Write what waits and close the store. Holds stay: machines may still be booting under them."""
        self.keeper.stop(timeout=5.0)
        self.recorder.stop(timeout=20.0)
        self.attempts.stop(timeout=5.0)
        self.executor.shutdown(wait=False, cancel_futures=True)
        self.store.close()


def start_worker(settings: Settings, clock: Clock = read_clock, store: Store | None = None) -> Worker:
    """Start a worker in this process; store: in place of the one that the settings name."""
    identity = Identity(secrets.token_hex(16), settings.name)
    durations = settings.durations()
    metrics = Metrics()
    store = MeasuredStore(store if store is not None else open_store(settings.store, create=False), metrics)
    executor = ThreadPoolExecutor(_STORE_THREADS, thread_name_prefix="store")
    recorder = Recorder(store, LeaseLimits(per_second=_NEW_LEASES_PER_SECOND / settings.workers), clock, metrics)
    bodies = Bodies(store, executor, settings.cache_size, metrics)
    keeper = Keeper(
        store,
        recorder,
        bodies,
        identity,
        durations,
        clock,
        executor,
        metrics,
        version=mcs.__version__,
        every=settings.pool_refresh,
        quiet=settings.quiet_period,
    )
    answers = Answers(keeper, bodies, recorder, identity, clock)
    attempts = AttemptRecorder(store, metrics)
    recorder.start()
    attempts.start()
    keeper.start()
    return Worker(identity, settings, durations, store, keeper, recorder, answers, attempts, metrics, clock, executor)


def read_appended(settings: Settings) -> AppendedSet | Refusal:
    """Read the files that are appended, anew for each request: they may change at any time."""
    try:
        return AppendedSet(
            bundles=tuple(_read(source) for source in settings.ca_bundle),
            kubeconfig=_content(settings.kubeconfig) if settings.kubeconfig is not None else None,
            boot_ids=settings.boot_id,
            full_config=settings.full_config,
            extra=tuple(_read(source) for source in settings.extra_file),
        )
    except OSError as error:
        return Refusal(Reason.FILE_UNREADABLE, f"{error.filename}: {error.strerror}")


def _read(source: FileSource) -> AppendedFile:
    return AppendedFile(source.path, _content(source.source), source.mode)


def _content(file: Path) -> bytes:
    """Read a regular file; anything else might keep a machine waiting for ever. Raises OSError."""
    if not file.is_file():
        raise FileNotFoundError(errno.ENOENT, "there is no such regular file", str(file))
    return file.read_bytes()
