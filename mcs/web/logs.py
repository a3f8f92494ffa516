"""How log lines look: for people on a console, or as JSON; one line each, foreign text quoted."""

import json
import logging
import threading
from datetime import UTC, datetime

__all__ = ["log_config", "log_thread_faults"]

_log = logging.getLogger(__name__)


def _facts(record: logging.LogRecord) -> dict[str, object]:
    facts = getattr(record, "facts", None)
    return dict(facts) if isinstance(facts, dict) else {}


class ConsoleFormatter(logging.Formatter):
    """`2026-01-31T12:00:00Z info request status=200 path=/config/worker`."""

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        words = [moment.replace("+00:00", "Z"), record.levelname.lower(), record.getMessage()]
        words += [f"{key}={_quoted(fact)}" for key, fact in _facts(record).items()]
        line = " ".join(words)
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


class JSONFormatter(logging.Formatter):
    """One JSON object a line: time, level, logger, message, the facts of a request, a fault's traceback."""

    def format(self, record: logging.LogRecord) -> str:
        document: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "pid": record.process,
            **_facts(record),
        }
        if record.exc_info:
            document["traceback"] = self.formatException(record.exc_info)
        return json.dumps(document, ensure_ascii=False, default=str)


def _quoted(fact: object) -> str:
    text = str(fact)
    return json.dumps(text) if not text or any(char in text for char in ' "=\\') else text


def log_thread_faults() -> None:
    """Have faults that end a thread logged like all else, instead of printed."""

    def log(fault: threading.ExceptHookArgs) -> None:
        if fault.exc_value is not None:
            name = fault.thread.name if fault.thread is not None else "?"
            _log.critical("thread %s ended by a fault of the program", name, exc_info=fault.exc_value)

    threading.excepthook = log


def log_config(form: str, level: str) -> dict[str, object]:
    """Return the configuration for logging.config.dictConfig; form: console or json."""
    formatter = JSONFormatter if form == "json" else ConsoleFormatter
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": formatter}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "stream": "ext://sys.stderr"}},
        "root": {"handlers": ["stderr"], "level": level.upper()},
        "loggers": {
            "gunicorn.error": {"handlers": [], "level": level.upper(), "propagate": True},
            "gunicorn.access": {"handlers": [], "level": "WARNING", "propagate": False},
        },
    }
