"""A dump as work for several cores: runs of whole pages, also of multistream files, that can be read apart."""

from __future__ import annotations

import bz2
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from adagram.corpus.decode import open_bytes
from adagram.corpus.mediawiki import Page, iter_fragment
from adagram.corpus.parallel import map_in_processes
from adagram.errors import InputError
from adagram.types import ReportStage, StageProgress

MAX_GAP = 1 << 26  # bytes; a stream of 100 pages has a few MB: with a wider gap part of the index is missing
MAX_OFFSET_DIGITS = 18


def find_index(dump: Path) -> Path | None:
    """Return the index beside a multistream dump, found by its Wikimedia name."""
    if "multistream" not in dump.name:
        return None
    name = dump.name.replace("multistream", "multistream-index", 1).replace(".xml", ".txt", 1)
    names = (name, name.removesuffix(".bz2"))
    return next((dump.with_name(name) for name in names if dump.with_name(name).is_file()), None)


def read_offsets(index: Path, dump: Path) -> list[int]:
    """Return the offsets of the streams (lines `offset:page id:title`), and last the size of the dump."""
    size = dump.stat().st_size
    offsets: list[int] = []
    last = b""
    with open_bytes(index) as stream:
        for line in stream:
            offset = line.partition(b":")[0]
            if offset == last:
                continue
            is_number = offset.isdigit() and len(offset) <= MAX_OFFSET_DIGITS
            if not is_number or (offsets and int(offset) <= offsets[-1]):
                raise InputError(f"{index} is not a multistream index: it has the line {line[:60]!r}")
            offsets.append(int(offset))
            last = offset
    if not offsets:
        raise InputError(f"{index} is not a multistream index: it is empty")
    if offsets[-1] >= size:
        raise InputError(
            f"{dump} is cut off or {index} belongs to another dump: the index goes to byte {offsets[-1]}, "
            f"the dump has {size}"
        )
    offsets.append(size)
    if any(end - start > MAX_GAP for start, end in pairwise(offsets)):
        raise InputError(f"{index} lacks part of {dump}; fetch it again")
    return offsets


def unpack_streams(path: str, start: int, n_bytes: int) -> bytes:
    """Decompress the bzip2 streams in a byte range of a file."""
    with open(path, "rb") as file:
        file.seek(start)
        packed = file.read(n_bytes)
    parts: list[bytes] = []
    while packed:
        unpacker = bz2.BZ2Decompressor()
        trouble = f"cut off after byte {start}"
        try:
            parts.append(unpacker.decompress(packed))
        except OSError:
            trouble = f"damaged at byte {start + n_bytes - len(packed)}"
        if not unpacker.eof:
            raise InputError(f"{path} is {trouble}, or its index belongs to another dump; fetch it again")
        packed = unpacker.unused_data
    return b"".join(parts)


PACKING = 4  # approximate compression ratio of bzip2
_START, _END = b"<mediawiki", b"</mediawiki>"
_PAGE, _PAGE_END = b"<page>", b"</page>"


@dataclass(frozen=True)
class PageRun:
    """A run of whole pages: its XML, or (`xml` is None) the byte range of the bzip2 streams that hold it."""

    path: str
    start: int
    n_bytes: int  # of the file, for the progress
    xml: bytes | None = None
    is_last: bool = False

    def pages(self) -> Iterator[Page]:
        xml = unpack_streams(self.path, self.start, self.n_bytes) if self.xml is None else self.xml
        if self.is_last:
            xml = xml.rstrip()
            if not xml.endswith(_END):
                raise InputError(f"{self.path} is cut off (it ends before </mediawiki>); fetch it again")
            xml = xml[: -len(_END)]
        return iter_fragment(xml, self.path, self.start)


@dataclass(frozen=True)
class Dump:
    """One dump file; with the index of a multistream file its streams are unpacked by the workers."""

    path: Path
    index: Path | None = None
    header_bytes: int = 1 << 20  # the description of the wiki before the first page takes some 10 kB
    run_bytes: int = 1 << 22  # of XML that one core reads at a time

    @classmethod
    def open(cls, path: str | Path, index: str | Path | None = None) -> Dump:
        """Check that the dump exists, and find its index by name if none is given."""
        path = Path(path)
        if str(path) == "-":
            raise InputError("wwsi reads the dump twice, so it cannot come from stdin; give a file")
        if not path.is_file():
            raise InputError(f"{path} is not a file; give a dump such as enwiki-latest-pages-articles.xml.bz2")
        if index is not None and not Path(index).is_file():
            raise InputError(f"the index {index} is not a file")
        return cls(path, Path(index) if index is not None else find_index(path))

    def page_runs(self) -> Iterator[PageRun]:
        """Yield all pages of the dump in order; InputError if it is cut off or not a dump."""
        if self.index is not None:
            return self._packed_runs(self.index)
        return self._unpacked_runs()

    def _packed_runs(self, index: Path) -> Iterator[PageRun]:
        starts = read_offsets(index, self.path)
        path, size = str(self.path), starts[-1]
        self._check_header(unpack_streams(path, 0, starts[0]) if starts[0] else b"")
        begin = starts[0]
        for start in starts[1:]:
            if start == size or start - begin >= self.run_bytes // PACKING:
                yield PageRun(path, begin, start - begin, is_last=start == size)
                begin = start

    def _unpacked_runs(self) -> Iterator[PageRun]:
        """Cut the XML after the last `</page>` of each block; `<` is escaped in text, so the tag is unambiguous."""
        path, start, n_consumed = str(self.path), 0, 0

        def count(n: int) -> None:
            nonlocal n_consumed
            n_consumed += n

        with open_bytes(self.path, on_read=count) as stream:
            buffer = bytearray(stream.read(self.header_bytes))
            first_page = buffer.find(_PAGE)
            n_header = first_page if first_page >= 0 else max(buffer.find(_END), 0)
            self._check_header(bytes(buffer[: n_header or None]))
            del buffer[:n_header]
            n_searched, n_reported = 0, 0
            while block := stream.read(self.run_bytes):
                cut = buffer.rfind(_PAGE_END, max(0, n_searched - len(_PAGE_END)))
                if cut >= 0:
                    cut += len(_PAGE_END)
                    yield PageRun(path, start, n_consumed - n_reported, bytes(buffer[:cut]))
                    start, n_reported = start + cut, n_consumed
                    del buffer[:cut]
                n_searched = len(buffer)
                buffer += block
            yield PageRun(path, start, n_consumed - n_reported, bytes(buffer), is_last=True)

    def _check_header(self, header: bytes) -> None:
        if _START not in header:
            start = repr(header[:40])[1:] if header else "nothing"
            raise InputError(f"{self.path} is not a MediaWiki dump: it starts with {start}")


Result = TypeVar("Result")
Work = Callable[[PageRun], Result]


@dataclass(frozen=True)
class DumpReader:
    """The dumps of a run, the number of processes, and a progress callback."""

    dumps: tuple[Dump, ...]
    threads: int = 1
    on_progress: ReportStage | None = None

    def map(self, stage: str, make_work: Callable[[], Work[Result]]) -> Iterator[Result]:
        """Return the results of one pass over all runs of all dumps, in order; `make_work` is called per process."""
        runs = self._runs(stage)
        return map(make_work(), runs) if self.threads == 1 else map_in_processes(make_work, runs, self.threads)

    def _runs(self, stage: str) -> Iterator[PageRun]:
        """Yield all runs of all dumps, and report the bytes before each."""
        done, total = 0, sum(dump.path.stat().st_size for dump in self.dumps)
        report = self.on_progress or (lambda progress: None)
        for dump in self.dumps:
            for run in dump.page_runs():
                report(StageProgress(stage, done, total))
                yield run
                done += run.n_bytes
        report(StageProgress(stage, total, total))  # with the header, which is not in a run
