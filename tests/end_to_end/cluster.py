"""The example fleet in a store of its own: loaded, served and looked at with the `mcs` command, as people do it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mcs.boot.records import BootLease, Hold
from mcs.jsondata import JSONObject, text_at
from mcs.store import open_store
from tests.web.serving import Serving, serving

__all__ = ["FLEET", "Cluster", "requests"]

FLEET = Path(__file__).parents[2] / "examples" / "fleet"


@dataclass(frozen=True, slots=True)
class Cluster:
    """A folder with a store in it."""

    folder: Path

    @property
    def path(self) -> Path:
        """The store's file."""
        return self.folder / "store.db"

    @property
    def address(self) -> str:
        """The store's address."""
        return f"sqlite:///{self.path}"

    def mcs(self, *arguments: str | Path, stdin: str = "") -> str:
        """Run the command; return what it printed. It has to succeed."""
        environment = {key: text for key, text in os.environ.items() if not key.startswith("MCS_")}
        command = [sys.executable, "-m", "mcs", *map(str, arguments)]
        done = subprocess.run(
            command, env=environment | {"MCS_STORE": self.address}, input=stdin, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def load(self, *files: str) -> None:
        """Apply the whole fleet, or some of its files."""
        for source in [FLEET / file for file in files] or [FLEET]:
            self.mcs("apply", "-f", source)

    def apply(self, *documents: JSONObject) -> None:
        """Apply objects."""
        listed = {"apiVersion": "v1", "kind": "List", "items": [*documents]}
        self.mcs("apply", "-f", "-", stdin=json.dumps(listed))

    def boot_states(self) -> dict[str, str]:
        """What `mcs get boots` says of each boot, by the boot's name."""
        return {boot["name"]: boot["state"] for boot in json.loads(self.mcs("get", "boots", "-o", "json"))}

    def leases(self) -> list[BootLease]:
        """Read the boot leases, the oldest first."""
        store = open_store(self.address)
        try:
            return [stored.value for stored in store.boot_leases()]
        finally:
            store.close()

    def holds(self) -> list[Hold]:
        """Read the holds."""
        store = open_store(self.address)
        try:
            return [stored.value for stored in store.holds()]
        finally:
            store.close()

    def lease(self, server: Serving, boot_id: str) -> BootLease:
        """Return a boot's lease once it is recorded, which a server does behind its answer's back."""
        server.wait_for(lambda: boot_id in {lease.name for lease in self.leases()}, f"boot {boot_id} is recorded")
        return next(lease for lease in self.leases() if lease.name == boot_id)

    @contextmanager
    def serve(self, *flags: str, port: int | None = None, ready: bool = True) -> Iterator[Serving]:
        """Run `mcs serve` with logs in JSON; at the end its log must hold no traceback."""
        with serving(self.path, "--log-format", "json", *flags, port=port, ready=ready) as server:
            yield server
        assert "Traceback" not in server.log()


def requests(server: Serving, path: str) -> list[JSONObject]:
    """Return what a server has logged of the requests for a path, in order, without a line that is being written."""
    lines = [line for line in server.log().split("\n")[:-1] if line.startswith("{")]
    return [logged for line in lines if text_at(logged := json.loads(line), "path") == path]
