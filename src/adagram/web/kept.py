"""Answers that were given before, as they went over the line; the least recently asked for go first."""

from __future__ import annotations

from collections import OrderedDict

MAX_BYTES = 32_000_000
PER_ANSWER = 300  # bytes that an entry takes besides question and body


class KeptAnswers:
    """Bodies by question, at most `max_bytes` of both. Used from one thread, that of the event loop."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self.max_bytes = max_bytes
        self.size = 0
        self._bodies: OrderedDict[str, bytes] = OrderedDict()

    def get(self, question: str) -> bytes | None:
        if question not in self._bodies:
            return None
        self._bodies.move_to_end(question)
        return self._bodies[question]

    def put(self, question: str, body: bytes) -> None:
        if question in self._bodies:
            return
        self._bodies[question] = body
        self.size += len(question) + len(body) + PER_ANSWER
        while self.size > self.max_bytes:
            old, gone = self._bodies.popitem(last=False)
            self.size -= len(old) + len(gone) + PER_ANSWER
