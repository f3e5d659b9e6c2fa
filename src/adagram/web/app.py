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
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from adagram.errors import InputError, UnknownWordError
from adagram.web.editing import Editor, ForbiddenError
from adagram.web.endpoints import ENDPOINTS, Endpoint
from adagram.web.explorer import Explorer, NearWordsError
from adagram.web.openapi import describe
from adagram.web.parameters import TooLargeError, read_object, read_parameters

TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-cache"),
]
Handler = Callable[[Request], Awaitable[Response]]


def make_app(explorer: Explorer, hosts: list[str], editor: Editor | None = None) -> Starlette:
    """The application; `hosts` are the names it answers to, so that no foreign page can borrow a visitor's browser.

    With an editor it shows the explorer as the last decision left it, and takes the next one.
    """
    routes = [
        _api_route((lambda: editor.explorer) if editor else (lambda: explorer), endpoint)
        for endpoint in ENDPOINTS
    ]
    routes.append(Route("/api/edit", _edit(editor), methods=["GET", "POST"]))
    description = _json(describe(ENDPOINTS))
    routes.append(Route("/openapi.json", _constant(bytes(description.body), "application/json")))
    # The page's files are read once and served by name: no request ever names a path on the disk.
    for file in resources.files("adagram.web").joinpath("static").iterdir():
        path = "/" if file.name == "index.html" else f"/static/{file.name}"
        routes.append(Route(path, _constant(file.read_bytes(), TYPES[file.name.rpartition(".")[2]])))
    middleware = [Middleware(SafeHeaders), Middleware(TrustedHostMiddleware, allowed_hosts=hosts)]
    return Starlette(
        routes=routes,
        middleware=middleware,
        exception_handlers={
            UnknownWordError: _refuse(404),
            ForbiddenError: _refuse(403),
            InputError: _refuse(400),
            TooLargeError: _refuse(413),
            HTTPException: _http_error,
        },
    )


class SafeHeaders:
    """Adds the security headers to every response, errors included."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *HEADERS]
            await send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)


def _api_route(explorer: Callable[[], Explorer], endpoint: Endpoint) -> Route:
    async def handle(request: Request) -> Response:
        values = await read_parameters(request, endpoint.parameters)
        if endpoint.is_long:
            return await run_in_threadpool(lambda: _answer(endpoint, explorer(), values))
        return _answer(endpoint, explorer(), values)

    # A word may contain a slash.
    path = endpoint.path.replace("}", ":path}")
    return Route(path, handle, methods=["GET", "POST"] if endpoint.takes_body else ["GET"])


def _answer(endpoint: Endpoint, explorer: Explorer, values: dict[str, Any]) -> Response:
    answer = endpoint.answer(explorer, **values)
    if not isinstance(answer, str):
        return _json(answer)
    name = quote(values["word"] + ".csv", safe="")
    headers = {"content-disposition": f"attachment; filename*=utf-8''{name}"}
    return Response(answer, headers=headers, media_type=f"{endpoint.media_type}; charset=utf-8")


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


def _json(value: Any, status: int = 200) -> Response:
    # ASCII only: what a client sends may hold lone surrogates, which have no UTF-8 form.
    return Response(json.dumps(value, separators=(",", ":")), status, media_type="application/json")


def _refuse(status: int) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def handle(request: Request, error: Exception) -> Response:
        near = {"near": error.near} if isinstance(error, NearWordsError) else {}
        return _json({"error": str(error), **near}, status)

    return handle


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _json({"error": error.detail}, error.status_code)
