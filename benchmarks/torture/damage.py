"""Damaged files over every reader: they are read, or refused in a sentence, soon."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from adagram.errors import AdagramError
from torture.children import End, run
from torture.readers import Sample, samples
from torture.report import Report

BATCH = 200  # files that one child reads
SLOW_SECONDS = 5  # of processor time
INSERTS = (
    b"9" * 5_000, b"\xff\xfe", b"\0" * 64, b"<!DOCTYPE[" * 500, b"&#" + b"9" * 5_000 + b";", b"<" * 5_000, b"-" * 9,
    "²“”\ud7ff\u2028".encode(), b"NaN", b"1e999", b" " * 4_000, b"\t\n\r", b"[" * 3_000, b'{"a":' * 500,
    b"\x00\x00\xc0\x7f", b"\xff\xff\xff\x7f", b"\xff" * 8, str(2**63).encode(), b"#0", b"null", b"-1",
)  # fmt: skip


class Hang(BaseException):
    """Not an error that a reader could take for its own."""


def damaged(content: bytes, draw: random.Random) -> bytes:
    """One to three changes: flipped bytes, a cut, a repeated or removed stretch, something strange put in."""
    data = bytearray(content)
    for _ in range(draw.randint(1, 3)):
        at = draw.randrange(len(data) + 1)
        stop = min(len(data), at + draw.choice((1, 4, 8, 100, 5_000)))
        match draw.randrange(6):
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
            case _:
                data[at : at + 8] = draw.choice(INSERTS)[:8]
    return bytes(data)


class Damage:
    def __init__(self, folder: Path, report: Report, seed: int) -> None:
        self._folder, self._report, self._draw = folder, report, random.Random(seed)
        self._samples = samples(folder)

    def batch(self) -> int:
        """Some hundred damaged forms of one sample; returns how many."""
        sample = self._draw.choice(self._samples)
        seed = self._draw.randrange(1 << 30)
        notes = self._folder / "notes"
        notes.write_text("")
        n = max(1, BATCH // sample.cost)
        end = run(lambda: _torture(sample, seed, n, self._folder / "damaged", notes))
        self._report.add(f"damaged {sample.name}", n)
        self._judge(sample, end, notes.read_text(errors="replace"))
        shutil.rmtree(self._folder / "damaged", ignore_errors=True)
        return n

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


def _torture(sample: Sample, seed: int, n: int, place: Path, notes: Path) -> None:
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)

    def too_long(number: int, frame: object) -> None:
        raise Hang

    signal.signal(signal.SIGVTALRM, too_long)
    with open(notes, "a", encoding="utf-8", errors="replace") as log:
        for number in range(n):
            draw = random.Random(f"{seed}-{number}")
            name = draw.choice(sample.files)
            copy = sample.copy(place)
            copy_of = copy / name
            copy_of.write_bytes(damaged(copy_of.read_bytes(), draw))
            log.write(f"\fnow\n{sample.name} {name} seed {seed}-{number}\n")
            log.flush()
            found = _read(sample.read, copy)
            if found:
                log.write(f"\f{found[0]}\n{sample.name} {name} seed {seed}-{number}: {found[1]}")
            shutil.rmtree(copy)


def _read(read: Callable[[Path], None], place: Path) -> tuple[str, str] | None:
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
