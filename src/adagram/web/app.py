"""The explorer over HTTP: the routes of the page and of the API, errors as sentences, and the server."""

from __future__ import annotations

import ipaddress
import json
import socket
from pathlib import Path as FilePath
from typing import Annotated, Any, TypeVar
from urllib.parse import quote

import uvicorn
from fastapi import APIRouter, Depends, FastAPI, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect
from starlette.staticfiles import StaticFiles

from adagram import __version__
from adagram.errors import AdagramError, InputError, UnknownWordError
from adagram.web.editing import MAX_WORD, Decision, Editor, ForbiddenError
from adagram.web.explorer import SORTS, Explorer, NearWordsError
from adagram.web.moved import Answer

STATIC = FilePath(__file__).with_name("static")
MAX_TEXT = 20_000  # characters of a text or context
MAX_BODY = 100_000  # bytes of a request body
MAX_TOP = 100  # neighbours, completions or example lines
MAX_START = 10_000  # lines passed over
MAX_CONNECTIONS = 400
LOCAL_NAMES = ["localhost", "127.0.0.1", "[::1]"]
HEADERS = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cache-control", "no-cache"),
]

WORD = "A word of the vocabulary."
Body = TypeVar("Body", bound=BaseModel)
Top = Annotated[int, Query(ge=1, le=MAX_TOP, description="How many, at most.")]


class Question(BaseModel):
    """A word in a context, or a text."""

    word: str = Field("", max_length=MAX_WORD, description=WORD)
    context: str = Field("", max_length=MAX_TEXT, description="The words around it, as running text.")
    text: str = Field("", max_length=MAX_TEXT, description="A running text, instead of word and context.")


class Pair(BaseModel):
    """Two words, each in its context."""

    left: str = Field(min_length=1, max_length=MAX_WORD, description=WORD)
    right: str = Field(min_length=1, max_length=MAX_WORD, description=WORD)
    left_context: str = Field("", max_length=MAX_TEXT, description="The words around the left word.")
    right_context: str = Field("", max_length=MAX_TEXT, description="The words around the right word.")


class Problem(BaseModel):
    error: str
    near: list[str] = []


class TooLargeError(InputError):
    """The input is longer than the explorer accepts."""


class CSVResponse(Response):
    media_type = "text/csv"


class TSVResponse(Response):
    media_type = "text/tab-separated-values"


class Wanted(BaseModel):
    """Which lines with a word, and in which order."""

    sense: str = Field("", max_length=MAX_WORD, description="Such as rock#1.")
    year: str = Field("", max_length=MAX_WORD, description="A year of the text.")
    source: str = Field("", max_length=MAX_WORD, description="A source of the text.")
    beside: str = Field("", max_length=MAX_WORD, description="A word of the context.")
    sort: str = Field("", max_length=MAX_WORD, description=f"One of {', '.join(SORTS)}.")
    start: int = Field(0, ge=0, le=MAX_START, description="Lines to pass over.")
    top: int = Field(50, ge=1, le=MAX_TOP, description="How many, at most.")


class BytesResponse(Response):
    media_type = "application/octet-stream"


# What a request asks, read and checked


async def _shown(
    request: Request,
    resolution: Annotated[
        float | None, Query(ge=0, le=1, description="From 0, one sense per word, to 1, senses as learned.")
    ] = None,
) -> Explorer:
    """Return the explorer as the last decision left it, at a resolution."""
    state = request.app.state
    explorer: Explorer = state.editor.explorer if state.editor else state.explorer
    return explorer if resolution is None else await run_in_threadpool(explorer.at, resolution)


async def _editor(request: Request) -> Editor:
    editor: Editor | None = request.app.state.editor
    if editor is None:
        raise ForbiddenError("this server only shows; start it with adagram serve --edit")
    editor.check(request.headers)
    return editor


async def _word(
    word: Annotated[str, Path(max_length=MAX_WORD, description=WORD)],
    in_query: Annotated[
        str, Query(alias="word", max_length=MAX_WORD, description="The word, if not in the path.")
    ] = "",
) -> str:
    """Return the word from the path, or if that part is empty from the query: browsers drop "." and ".." from paths."""
    if not (word or in_query):
        raise InputError(f"'word' is missing: {WORD}")
    return word or in_query


def _in_body(kind: type[Body]) -> Any:
    """Read a JSON object, whatever the content type: `curl -d` and `fetch` of a string name another."""

    async def read(request: Request) -> Body:
        body = bytearray()
        try:
            async for part in request.stream():
                body += part
                if len(body) > MAX_BODY:
                    raise TooLargeError(f"the request has more than {MAX_BODY} bytes; send a shorter text")
            return kind.model_validate(json.loads(body))
        except ClientDisconnect:
            raise InputError("the request ended before its body did") from None
        except ValidationError as error:
            raise RequestValidationError(error.errors()) from None
        except (ValueError, RecursionError):
            raise InputError("the request body is not valid JSON") from None

    return Depends(read)


Shown = Annotated[Explorer, Depends(_shown)]
Asked = Annotated[str, Depends(_word)]
router = APIRouter(prefix="/api")


def _as_file(name: str) -> dict[str, str]:
    return {"content-disposition": f"attachment; filename*=utf-8''{quote(name, safe='')}"}


def _body_of(kind: type[BaseModel]) -> dict[str, Any]:
    """Describe a body that `_in_body` reads."""
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": kind.model_json_schema()}}}}


# The API


@router.get("/info")
def info(explorer: Shown) -> Answer:
    """What the model is."""
    return explorer.info()


@router.get("/complete")
def complete(explorer: Shown, prefix: Annotated[str, Query(max_length=MAX_WORD)] = "", top: Top = 10) -> Answer:
    """Words that begin with a prefix, most frequent first."""
    return explorer.complete(prefix, top)


@router.get("/senses/{word:path}")
def senses(explorer: Shown, word: Asked, top: Top = 10) -> Answer:
    """The senses of a word: prior, expected count and nearest senses of other words, by cosine, exactly."""
    return explorer.senses(word, top)


@router.get("/neighbours/{sense:path}")
def neighbours(
    explorer: Shown, sense: Annotated[str, Path(min_length=1, max_length=MAX_WORD)], top: Top = 10
) -> Answer:
    """A sense, such as rock#1 (write # as %23): prior, expected count and nearest senses of other words, exactly."""
    return explorer.sense(sense, top)


@router.post("/disambiguate", openapi_extra=_body_of(Question))
def disambiguate(explorer: Shown, question: Annotated[Question, _in_body(Question)]) -> Answer:
    """With `word` and `context`: the posterior over the senses of the word. With `text`: the same for all its words."""
    if question.word:
        return explorer.disambiguate(question.word, question.context)
    return explorer.tag(question.text)


@router.get("/map/{word:path}")
def show_map(explorer: Shown, word: Asked, top: Top = 12) -> Answer:
    """The senses of a word and their `top` nearest senses on a plane (principal components)."""
    return explorer.map(word, top)


@router.get("/vocabulary", response_class=BytesResponse)
def show_vocabulary(explorer: Shown) -> BytesResponse:
    """A map of all senses: positions, themes, sizes and words in a compact binary form."""
    return BytesResponse(explorer.vocabulary_map())


@router.get("/examples/{word:path}")
def examples(explorer: Shown, word: Asked, top: Top = 5) -> Answer:
    """Sentences of the corpus with the word: for each sense those that show it best."""
    return explorer.examples(word, top)


@router.get("/lines/{word:path}")
def lines(explorer: Shown, word: Asked, wanted: Annotated[Wanted, Query()]) -> Answer:
    """The concordance: uses of a word in the corpus with sense, date and source, up to 2,000 from all over it."""
    found, start = explorer.lines(word, **wanted.model_dump(exclude={"start", "top"})), wanted.start
    return {"word": explorer.known(word), "count": len(found), "lines": found[start : start + wanted.top]}


@router.get("/concordance/{word:path}", response_class=TSVResponse)
def concordance(explorer: Shown, word: Asked, wanted: Annotated[Wanted, Query()]) -> TSVResponse:
    """The same lines, all of them, as a table (TSV)."""
    table = explorer.line_table(explorer.lines(word, **wanted.model_dump(exclude={"start", "top"})))
    return TSVResponse(table, headers=_as_file(f"{word}.tsv"))


@router.get("/cards/{word:path}")
def cards(explorer: Shown, word: Asked, top: Top = 8) -> Answer:
    """A card per sense of a word, the most frequent first: gist, nearest senses, collocates, examples.

    `is_marginal` marks senses with few uses or made of leftovers.
    """
    return explorer.cards(word, top)


@router.get("/table/{word:path}", response_class=CSVResponse)
def table(explorer: Shown, word: Asked) -> CSVResponse:
    """The cards as a table for spreadsheets (CSV), a row per sense."""
    return CSVResponse(explorer.table(word), headers=_as_file(f"{word}.csv"))


@router.get("/start")
def start(explorer: Shown) -> Answer:
    """Ambiguous words with their main senses, and the newest words."""
    return explorer.start()


@router.get("/moved")
def moved(explorer: Shown) -> Answer:
    """Senses that rise and fall most and words that changed most, from the counts of `adagram trends`."""
    return explorer.moved()


@router.post("/compare", openapi_extra=_body_of(Pair))
def compare(explorer: Shown, pair: Annotated[Pair, _in_body(Pair)]) -> Answer:
    """Two words, each in its context: their posteriors and the cosines of their senses."""
    return explorer.compare(**pair.model_dump())


@router.get("/edit")
async def editing(request: Request) -> Answer:
    """Whether this server takes decisions, and the last one."""
    editor: Editor | None = request.app.state.editor
    return {"is_on": editor is not None, "last": editor.last if editor else ""}


@router.post("/edit", openapi_extra=_body_of(Decision))
def decide(editor: Annotated[Editor, Depends(_editor)], decision: Annotated[Decision, _in_body(Decision)]) -> Answer:
    """Take one decision, from the page itself only."""
    return {"last": editor.decide(decision)}


# The application and its errors


def make_app(explorer: Explorer, hosts: list[str], editor: Editor | None = None) -> FastAPI:
    """Make the application; it answers to the names `hosts` only, so that no foreign page can read from it."""
    app = FastAPI(
        title="adagram explorer",
        version=__version__,
        description="Senses of words, learned from raw text by Adaptive Skip-gram.",
        license_info={"name": "MIT", "identifier": "MIT"},
        docs_url=None,  # they load scripts from elsewhere
        redoc_url=None,
        responses={"4XX": {"model": Problem, "description": "What is wrong, in one sentence."}},
        exception_handlers={
            RequestValidationError: _invalid,
            AdagramError: _refused,
            StarletteHTTPException: _http_error,
            Exception: _failed,
        },
    )
    app.state.explorer, app.state.editor = explorer, editor
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=hosts)
    app.include_router(router)
    app.mount("/static", StaticFiles(directory=STATIC))
    app.mount("/", StaticFiles(directory=STATIC, html=True))  # index.html
    return app


async def _refused(request: Request, error: Exception) -> JSONResponse:
    kinds = {UnknownWordError: 404, ForbiddenError: 403, TooLargeError: 413}
    status = next((status for kind, status in kinds.items() if isinstance(error, kind)), 400)
    near = {"near": error.near} if isinstance(error, NearWordsError) else {}
    return JSONResponse({"error": str(error), **near}, status)


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    """Say in one sentence what is wrong with the first wrong parameter."""
    assert isinstance(error, RequestValidationError)
    first: dict[str, Any] = error.errors()[0]
    name = next((part for part in first["loc"] if part not in ("path", "query")), "the request body")
    status = 413 if first["type"] == "string_too_long" else 400
    return JSONResponse({"error": f"'{name}' is {str(first.get('input'))[:20]!r}: {first['msg']}"}, status)


async def _http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, StarletteHTTPException)
    return JSONResponse({"error": error.detail}, error.status_code)


async def _failed(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"error": "the server failed to answer this; its own messages say why"}, 500)


# The server


def open_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket, or raise an InputError that says why there is none."""
    try:
        listener = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "not a name of a host"
        raise InputError(
            f"cannot listen on {host} port {port}: {reason.partition(' (')[0]}; choose others with --host and --port"
        ) from None
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # Nagle's delay costs 40 ms a request
    return listener


def address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def is_local(listener: socket.socket) -> bool:
    return ipaddress.ip_address(listener.getsockname()[0].partition("%")[0]).is_loopback


def make_server(explorer: Explorer, listener: socket.socket, editor: Editor | None = None) -> uvicorn.Server:
    hosts = LOCAL_NAMES if is_local(listener) else ["*"]
    config = uvicorn.Config(
        make_app(explorer, hosts, editor),
        http="h11",
        ws="none",
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        headers=HEADERS,
        limit_concurrency=MAX_CONNECTIONS,
        timeout_graceful_shutdown=3,
    )
    return uvicorn.Server(config)


def serve(explorer: Explorer, listener: socket.socket, editor: Editor | None = None) -> None:
    """Answer requests until Ctrl-C or SIGTERM, then finish those that are running."""
    try:
        make_server(explorer, listener, editor).run(sockets=[listener])
    except KeyboardInterrupt:
        pass  # uvicorn has shut down in good order and raises the signal again
    finally:
        listener.close()
