"""What one visitor may hold up: a time limit on each stage of a connection, and a bound on their number."""

from __future__ import annotations

import asyncio
import json
import math
from dataclasses import dataclass
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol

from adagram.web.headers import HEADERS


@dataclass(frozen=True)
class Limits:
    """Times in seconds; none of them counts while the server works on an answer."""

    connections: int = 400
    head: float = 10  # until the request line and the headers are there
    body: float = 20
    idle: int = 5  # between two requests on one connection
    reading: float = 20  # until a visitor has taken an answer


class GuardedProtocol(H11Protocol):
    """Uvicorn's connection, with deadlines that sending a byte now and then does not put off."""

    def __init__(self, *arguments: Any, limits: Limits, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.limits = limits
        self._stage: tuple[str, object] = ("", None)
        self._timer: asyncio.TimerHandle | None = None
        self.waits_since: float | None = (
            None  # when it began to wait for its visitor; None while it is answered
        )

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()
        if len(self.connections) > self.limits.connections:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._arm(None)

    def send_400_response(self, msg: str) -> None:
        self._refuse(400, msg)

    def _watch(self) -> None:
        """Start the time of the stage that the connection is in, unless it was in it before."""
        stage = (self._name_of_stage(), self.cycle)
        if stage != self._stage:
            self._stage = stage
            self._arm(None if stage[0] == "answering" else getattr(self.limits, stage[0]))

    def _name_of_stage(self) -> str:
        if self.transport.is_closing() or self.flow.write_paused:
            return "reading"
        return {h11.IDLE: "head", h11.SEND_BODY: "body"}.get(self.conn.their_state, "answering")

    def _arm(self, seconds: float | None) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer, self.waits_since = None, None
        if seconds is not None:
            self._timer = self.loop.call_later(seconds, self._out_of_time)
            self.waits_since = self.loop.time()

    def _out_of_time(self) -> None:
        if self._stage[0] == "reading" or (self.cycle and self.cycle.response_started):
            self.transport.abort()
        else:
            self._refuse(408, "the request did not arrive in time")

    def _make_room(self) -> None:
        """Hang up on the visitor who has been waited for longest; where all are being answered, on this one."""
        longest, since = None, math.inf
        for other in self.connections:
            if isinstance(other, GuardedProtocol) and other is not self and other.waits_since is not None:
                longest, since = min((longest, since), (other, other.waits_since), key=lambda pair: pair[1])
        if longest:
            self.connections.discard(longest)
            longest.transport.abort()
        else:
            self._refuse(503, "the server is busy; try again in a moment")

    def _refuse(self, status: int, sentence: str) -> None:
        """An answer to what never became a request, in the form of all errors; then hang up."""
        body = json.dumps({"error": sentence}).encode()
        length = str(len(body)).encode()
        own = [(b"content-type", b"application/json"), (b"content-length", length), (b"connection", b"close")]
        headers = [*own, *HEADERS]
        try:
            for event in (
                h11.Response(status_code=status, headers=headers, reason=STATUS_PHRASES[status]),
                h11.Data(data=body),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event))
        except h11.LocalProtocolError:
            self.transport.abort()  # in the middle of another answer
            return
        self.transport.close()
        self._watch()
