"""A stand-in for the Hugging Face Hub on loopback: as much of its protocol as sending and fetching a model takes."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

COMMIT = "a" * 40


class StandIn(ThreadingHTTPServer):
    """Repositories by name; each is a dict of files."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.repositories: dict[str, dict[str, bytes]] = {}
        self.private: set[str] = set()
        self.objects: dict[str, bytes] = {}  # large files on their way, by checksum
        self.address = f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: StandIn
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None: ...

    def do_HEAD(self) -> None:
        self._file()

    def do_GET(self) -> None:
        if found := re.match(r"/api/models/([^/]+/[^/]+)/tree/", self.path):
            files = self.server.repositories.get(found[1], {})
            self._json([{"type": "file", "path": n, "size": len(d), "oid": _oid(d)} for n, d in files.items()])
        elif found := re.match(r"/api/models/([^/?]+/[^/?]+)", self.path):
            files = self.server.repositories.get(found[1])
            if files is None:
                self._missing()
                return
            siblings = [{"rfilename": name} for name in files]
            self._json({"id": found[1], "modelId": found[1], "sha": COMMIT, "siblings": siblings, "tags": []})
        elif self.path.startswith("/api/whoami"):
            self._json({"name": "me", "type": "user", "auth": {"accessToken": {"role": "write"}}})
        else:
            self._file()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.headers.get("Authorization") != "Bearer good":
            self._json({"error": "log in"}, 401)
        elif self.path == "/api/repos/create":
            asked = json.loads(body)
            name = f"{asked.get('organization') or 'me'}/{asked['name'].rpartition('/')[2]}"
            self.server.repositories.setdefault(name, {})
            if asked.get("private") or asked.get("visibility") == "private":
                self.server.private.add(name)
            self._json({"url": f"{self.server.address}/{name}", "name": name})
        elif "/preupload/" in self.path:
            files = [f["path"] for f in json.loads(body)["files"]]
            modes = {True: "lfs", False: "regular"}
            self._json(
                {
                    "files": [
                        {"path": p, "uploadMode": modes[p.endswith(".safetensors")], "shouldIgnore": False, "oid": None}
                        for p in files
                    ]
                }
            )
        elif self.path.endswith("/info/lfs/objects/batch"):
            objects = json.loads(body)["objects"]
            for one in objects:
                one["actions"] = {"upload": {"href": f"{self.server.address}/put/{one['oid']}"}}
            self._json({"transfer": "basic", "objects": objects})
        elif found := re.match(r"/api/models/([^/]+/[^/]+)/commit/", self.path):
            self._commit(found[1], body)
        else:
            self._json({"errors": [], "warnings": []})

    def do_PUT(self) -> None:
        data = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.objects[self.path.rpartition("/")[2]] = data
        self._json({})

    def _commit(self, name: str, body: bytes) -> None:
        files = self.server.repositories[name]
        for line in map(json.loads, body.splitlines()):
            value = line["value"]
            if line["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                files[value["path"]] = self.server.objects[value["oid"]]
        url = f"{self.server.address}/{name}/commit/{COMMIT}"
        self._json({"success": True, "commitOid": COMMIT, "commitUrl": url, "hookOutput": ""})

    def _file(self) -> None:
        found = re.match(r"/([^/]+/[^/]+)/resolve/[^/]+/([^?]+)", self.path)
        data = self.server.repositories.get(found[1], {}).get(found[2]) if found else None
        if data is None:
            self._missing()
        else:
            self._send(data, {"ETag": f'"{_oid(data)}"', "X-Repo-Commit": COMMIT})

    def _missing(self) -> None:
        self._json({"error": "Repository not found"}, 404, {"X-Error-Code": "RepoNotFound"})

    def _json(self, value: Any, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self._send(json.dumps(value).encode(), {"Content-Type": "application/json", **(headers or {})}, status)

    def _send(self, data: bytes, headers: dict[str, str], status: int = 200) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


def _oid(data: bytes) -> str:
    return hashlib.sha1(data).hexdigest()


@contextmanager
def stand_in() -> Iterator[StandIn]:
    server = StandIn()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
