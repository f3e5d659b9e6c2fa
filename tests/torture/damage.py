"""Damaged files over every reader: they are read, or refused in a sentence, soon."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from adagram.errors import AdagramError
from torture.children import End, run
from torture.readers import Sample
from torture.report import Report

BATCH = 500  # files that one child reads, at most
BATCH_SECONDS = 2.0  # of processor time
SLOW_SECONDS = 5  # of processor time
INSERTS = (
    b"9" * 5_000, b"\xff\xfe", b"\0" * 64, b"<!DOCTYPE[" * 500, b"&#" + b"9" * 5_000 + b";", b"<" * 5_000, b"-" * 9,
    "²“”\ud7ff\u2028".encode(), b"NaN", b"1e999", b" " * 20_000, b"# " + b" " * 20_000, b"<doc " + b'a="b" ' * 3_000,
    b"\t\n\r", b"[" * 3_000, b'{"a":' * 500,
    b"\x00\x00\xc0\x7f", b"\x00\x00\x80\x7f", b"\xff\xff\xff\x7f", b"\xff" * 8, str(2**63).encode(), b"#0", b"null",
    b"-1", b"true", b'"x"', b"[]", b"{}", b"0", b"''", b"\xf0\x9f\x98\x80", b"\x1f\x8b\x08", b"BZh9", b"PK\x03\x04",
)  # fmt: skip
ODD_VALUES = (
    *("null", "true", "-1", "0", "1e308", "NaN", "1e999", '"x"', '""', "[]", "[[1]]", '["x"]', "{}", '{"tokens": "y"}'),
    *("9" * 400, "[" * 2_000 + "]" * 2_000, "[" * 100_000, '[{"text": 3}]', '"\\ud800"', '"a\\u0000b"'),
)


class Hang(BaseException):
    """Not an error that a reader could take for its own."""


def damaged(content: bytes, draw: random.Random) -> bytes:
    """One to three changes: flipped bits, other bytes, a cut, a repeated or removed stretch, something strange put in.

    Of JSON often one value in the place of another.
    """
    if content[:1] == b"{" and draw.random() < 0.5:
        return _with_odd_value(content, draw)
    data = bytearray(content)
    for _ in range(draw.randint(1, 3)):
        # Half of the changes near the beginning, where headers are.
        at = draw.randrange(min(len(data), 512 if draw.random() < 0.5 else len(data)) + 1)
        stop = min(len(data), at + draw.choice((1, 4, 8, 100, 5_000)))
        match draw.randrange(8):
            case 7 if at < len(data):
                data[at] ^= 1 << draw.randrange(8)
            case 0:
                for place in range(at, min(stop, at + 8)):
                    data[place] = draw.randrange(256)
            case 1:
                del data[at:]
            case 2:
                data[at:at] = data[at:stop] * draw.choice((1, 2, 50))
            case 3:
                del data[at:stop]
            case 4:
                data[at:at] = draw.choice(INSERTS)
            case 5:
                _replace_number(data, at, draw)
            case _:
                data[at : at + 8] = draw.choice(INSERTS)[:8]
    return bytes(data)


def _with_odd_value(content: bytes, draw: random.Random) -> bytes:
    """JSON, or one of several lines of it, with one value replaced."""
    lines = content.splitlines() if content[:2] != b"{\n" else [content]
    at = draw.randrange(len(lines))
    document = json.loads(lines[at])
    inner: Any = document
    while True:
        keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
        key = draw.choice(keys)
        if not isinstance(inner[key], dict | list) or not inner[key] or draw.random() < 0.3:
            break
        inner = inner[key]
    inner[key] = "here"
    odd = draw.choice(ODD_VALUES)
    lines[at] = json.dumps(document).replace('"here"', odd, 1).encode()
    return b"\n".join(lines) + b"\n"


def _replace_number(data: bytearray, at: int, draw: random.Random) -> None:
    """Another value in the place of the next number, so that the rest can still be read."""
    digits = b"0123456789"
    start = next((i for i in range(at, min(len(data), at + 200)) if data[i] in digits), None)
    if start is not None:
        stop = start
        while stop < len(data) and data[stop] in digits:
            stop += 1
        data[start:stop] = draw.choice(
            (b"0", b"-1", b"1e999", b"NaN", b"9" * 30, b"4294967296", b"1.5", b"true", b"null", b'"x"', b"1e-320")
        )


class Damage:
    def __init__(self, folder: Path, report: Report, seed: int, readers: list[Sample]) -> None:
        self._folder, self._report, self._draw, self._readers = folder, report, random.Random(seed), readers

    def batch(self) -> None:
        """Some hundred damaged forms of the files of one sample, read one after the other by one child."""
        sample = self._draw.choice(self._readers)
        seed = self._draw.randrange(1 << 30)
        notes = self._folder / "notes"
        notes.write_text("")
        end = run(lambda: _torture(sample, seed, self._folder / "damaged", notes))
        found = notes.read_text(errors="replace")
        self._report.add(f"damaged {sample.name}", found.count("\fnow\n"))
        self._judge(sample, end, found)
        shutil.rmtree(self._folder / "damaged", ignore_errors=True)

    def _judge(self, sample: Sample, end: End, notes: str) -> None:
        for entry in notes.split("\f"):
            kind, _, what = entry.partition("\n")
            if kind in ("tracebacks", "hangs"):
                self._report.fault(kind, sample.name, what)
        last = notes.rpartition("\f")[2]
        if end.is_hung:
            self._report.fault("hangs", sample.name, f"{end}: {last}")
        elif end.signal:
            self._report.fault("crashes", sample.name, f"signal {end.signal}: {last}")
        elif end.code:
            self._report.fault("tracebacks", sample.name, end.words)


def _torture(sample: Sample, seed: int, place: Path, notes: Path) -> None:
    def too_long(number: int, frame: object) -> None:
        raise Hang

    signal.signal(signal.SIGVTALRM, too_long)
    sample.write(place)
    os.chdir(place)
    start = time.process_time()
    with open(notes, "a", encoding="utf-8", errors="replace") as log:
        for number in range(BATCH):
            if time.process_time() - start > BATCH_SECONDS:
                break
            _trial(sample, f"{seed}-{number}", place, log)


def _trial(sample: Sample, seed: str, place: Path, log: TextIO) -> None:
    draw = random.Random(seed)
    name = draw.choice(list(sample.files))
    (place / name).write_bytes(damaged(sample.files[name], draw))
    log.write(f"\fnow\n{sample.name} {name} seed {seed}\n")
    log.flush()
    if found := _read(sample.read, place):
        log.write(f"\f{found[0]}\n{sample.name} {name} seed {seed}: {found[1]}")
    sample.restore(place, name)


def _read(read: Callable[[Path], object], place: Path) -> tuple[str, str] | None:
    """What went wrong, if anything."""
    start = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, SLOW_SECONDS)
    try:
        read(place)
    except AdagramError as error:
        if "\n" in str(error).strip():
            return "tracebacks", f"an error of several lines: {error}"
    except Hang:
        return "hangs", f"more than {SLOW_SECONDS} s of processor time"
    except Exception:
        return "tracebacks", traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    spent = time.process_time() - start
    return ("hangs", f"{spent:.1f} s of processor time") if spent > SLOW_SECONDS else None
