import signal
import subprocess
import sys

import pytest

SCRIPT = """
import threading
from mcs.web.threads import ends_worker_unless

def loop():
    with ends_worker_unless(lambda: {stopping}):
        {ends}

thread = threading.Thread(target=loop)
thread.start()
thread.join()
print("still here", flush=True)
threading.Event().wait(0.2)
"""


@pytest.mark.parametrize(
    ("stopping", "ends", "status"),
    [
        pytest.param("False", "raise RuntimeError", -signal.SIGTERM, id="by a fault"),
        pytest.param("False", "pass", -signal.SIGTERM, id="though nobody asked it to"),
        pytest.param("True", "pass", 0, id="when it is asked to"),
    ],
)
def test_a_worker_ends_with_a_thread_that_it_needs(stopping: str, ends: str, status: int) -> None:
    script = SCRIPT.format(stopping=stopping, ends=ends)
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=60)
    assert ended.returncode == status
