"""A dump as work for several cores: runs of whole pages that can be read apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from adagram.corpus.decode import open_bytes
from adagram.corpus.mediawiki import Page, iter_fragment
from adagram.errors import InputError
from adagram.wwsi.multistream import find_index, read_offsets, unpack_streams

PACKING = 4  # bytes of XML in a byte of bzip2, about
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
        """Check that the dump is there, and find its index by name if none is given."""
        path = Path(path)
        if str(path) == "-":
            raise InputError("wwsi reads the dump twice, so it cannot come from stdin; give a file")
        if not path.is_file():
            raise InputError(
                f"{path} is not a file; give a dump such as enwiki-latest-pages-articles.xml.bz2"
            )
        if index is not None and not Path(index).is_file():
            raise InputError(f"the index {index} is not a file")
        return cls(path, Path(index) if index is not None else find_index(path))

    @property
    def n_bytes(self) -> int:
        return self.path.stat().st_size

    def page_runs(self) -> Iterator[PageRun]:
        """All pages of the dump in order; InputError if it is cut off or is no dump."""
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
        """Cut the XML after the last `</page>` of each block; text has `<` escaped, so the tag is the tag."""
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
