"""Run the explorer until it is stopped."""

from __future__ import annotations

import errno
import ipaddress
import socket
from functools import partial

import uvicorn

from adagram.errors import InputError
from adagram.web.app import make_app
from adagram.web.editing import Editor
from adagram.web.explorer import Explorer
from adagram.web.limits import GuardedProtocol, Limits

LIMITS = Limits()
_LOCAL_NAMES = ["localhost", "127.0.0.1", "[::1]"]


def open_socket(host: str, port: int) -> socket.socket:
    """A listening socket, or one sentence that says why there is none."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        raise InputError(
            f"the host '{host}' is not known; give an address of this machine with --host"
        ) from None
    # With the protocol named, asyncio turns off Nagle's delay, which costs 40 ms a request.
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise InputError(_why(error, host, port)) from None
    return listener


def _why(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is already in use; choose another with --port"
    if error.errno == errno.EACCES:
        return f"port {port} needs more rights; choose one from 1024 to 65535 with --port"
    return f"cannot listen on {host} port {port}: {error.strerror or error}"


def address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def is_local(listener: socket.socket) -> bool:
    return ipaddress.ip_address(listener.getsockname()[0].partition("%")[0]).is_loopback


def make_server(
    explorer: Explorer, listener: socket.socket, limits: Limits = LIMITS, editor: Editor | None = None
) -> uvicorn.Server:
    hosts = _LOCAL_NAMES if is_local(listener) else ["*"]
    config = uvicorn.Config(
        make_app(explorer, hosts, editor),
        http=partial(GuardedProtocol, limits=limits),  # type: ignore[arg-type]  # called like the class
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=3,
        timeout_keep_alive=limits.idle,
        backlog=128,  # accepted at once: more would use up the open files before any can be closed
        ws="none",
        lifespan="off",
    )
    return uvicorn.Server(config)


def serve(explorer: Explorer, listener: socket.socket, editor: Editor | None = None) -> None:
    """Answer requests until Ctrl-C or a request to terminate, then finish those that are under way."""
    try:
        make_server(explorer, listener, editor=editor).run(sockets=[listener])
    except KeyboardInterrupt:
        pass  # uvicorn has shut down in good order and passes the signal on
    finally:
        listener.close()
