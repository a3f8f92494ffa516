"""Warnings that are said once, by those who look every second."""

import logging

__all__ = ["Complaints"]


class Complaints:
    """Logs a text once for as long as it is the newest about its subject. For one thread."""

    def __init__(self, log: logging.Logger) -> None:
        self._log = log
        self._said: dict[str, str] = {}

    def say(self, subject: str, text: str) -> None:
        """Log a warning, unless that is what was last said of the subject."""
        if self._said.get(subject) != text:
            self._said[subject] = text
            self._log.warning("%s", text)

    def settle(self, subject: str) -> None:
        """Take in that there is nothing to complain of: the next warning is logged again."""
        self._said.pop(subject, None)
