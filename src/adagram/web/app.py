"""The explorer over HTTP: the page, the API, and the rules that keep both safe."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from importlib import resources
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from adagram.errors import InputError, UnknownWordError
from adagram.web.editing import Editor, ForbiddenError
from adagram.web.endpoints import ENDPOINTS, JSON, Endpoint
from adagram.web.explorer import Explorer, NearWordsError
from adagram.web.headers import SafeHeaders
from adagram.web.kept import KeptAnswers
from adagram.web.openapi import describe
from adagram.web.parameters import TooLargeError, read_object, read_parameters

TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
Handler = Callable[[Request], Awaitable[Response]]


def make_app(explorer: Explorer, hosts: list[str], editor: Editor | None = None) -> ASGIApp:
    """The application; `hosts` are the names it answers to, so that no foreign page can borrow a visitor's browser.

    With an editor it shows the explorer as the last decision left it, and takes the next one.
    """
    kept = KeptAnswers()
    shown = (lambda: editor.explorer) if editor else (lambda: explorer)
    routes = [_api_route(shown, endpoint, kept) for endpoint in ENDPOINTS]
    routes.append(Route("/api/edit", _edit(editor), methods=["GET", "POST"]))
    routes.append(Route("/openapi.json", _constant(_encode(describe(ENDPOINTS)), JSON)))
    # The page's files are read once and served by name: no request ever names a path on the disk.
    for file in resources.files("adagram.web").joinpath("static").iterdir():
        path = "/" if file.name == "index.html" else f"/static/{file.name}"
        routes.append(Route(path, _constant(file.read_bytes(), TYPES[file.name.rpartition(".")[2]])))
    app = Starlette(
        routes=routes,
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=hosts)],
        exception_handlers={
            UnknownWordError: _refuse(404),
            ForbiddenError: _refuse(403),
            InputError: _refuse(400),
            TooLargeError: _refuse(413),
            HTTPException: _http_error,
            Exception: _own_error,
        },
    )
    # Around all of it: what starlette answers when a handler fails passes no middleware.
    return SafeHeaders(app)


def _api_route(shown: Callable[[], Explorer], endpoint: Endpoint, kept: KeptAnswers) -> Route:
    async def handle(request: Request) -> Response:
        values = await read_parameters(request, endpoint.parameters)
        explorer = shown()
        question = json.dumps([explorer.version, endpoint.path, values])
        body = kept.get(question)
        if body is None:
            if endpoint.is_long:
                body = await run_in_threadpool(lambda: _encode(endpoint.answer(explorer, **values)))
            else:
                body = _encode(endpoint.answer(explorer, **values))
            kept.put(question, body)
        return Response(body, headers=_headers(endpoint, values), media_type=endpoint.media_type)

    # A word may contain a slash.
    path = endpoint.path.replace("}", ":path}")
    return Route(path, handle, methods=["GET", "POST"] if endpoint.takes_body else ["GET"])


def _headers(endpoint: Endpoint, values: dict[str, Any]) -> dict[str, str]:
    """What is no JSON is a file to keep, named by its word."""
    if endpoint.media_type == JSON:
        return {}
    name = quote(f"{values['word']}.csv", safe="")
    return {"content-disposition": f"attachment; filename*=utf-8''{name}"}


def _edit(editor: Editor | None) -> Handler:
    """Whether this server takes decisions and which stands last; POST takes one."""

    async def handle(request: Request) -> Response:
        if request.method == "GET":
            return _json({"is_on": editor is not None, **(editor.state() if editor else {"last": ""})})
        if editor is None:
            raise ForbiddenError("this server only shows; start it with adagram serve --edit")
        editor.check(request.headers)
        given = await read_object(request)
        return _json(await run_in_threadpool(editor.decide, given))

    return handle


def _constant(body: bytes, media_type: str) -> Handler:
    async def handle(request: Request) -> Response:
        return Response(body, media_type=media_type)

    return handle


def _encode(value: Any) -> bytes:
    if isinstance(value, str):
        return value.encode()
    # ASCII only: what a client sends may hold lone surrogates, which have no UTF-8 form.
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


def _json(value: Any, status: int = 200) -> Response:
    return Response(_encode(value), status, media_type=JSON)


def _refuse(status: int) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def handle(request: Request, error: Exception) -> Response:
        near = {"near": error.near} if isinstance(error, NearWordsError) else {}
        return _json({"error": str(error), **near}, status)

    return handle


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _json({"error": error.detail}, error.status_code)


async def _own_error(request: Request, error: Exception) -> Response:
    return _json({"error": "the server failed to answer this; its own messages say why"}, 500)
