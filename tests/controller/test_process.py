import sys

import pytest

from mcs.controller.process import log_faults


def test_a_fault_of_the_program_is_logged_with_its_traceback(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    log_faults()
    fault = RuntimeError("a fault")
    sys.excepthook(RuntimeError, fault, None)
    [record] = caplog.records
    assert record.levelname == "CRITICAL"
    assert record.exc_info is not None
    assert record.exc_info[1] is fault
