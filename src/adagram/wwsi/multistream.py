"""Multistream dumps: many small bzip2 streams in one file, and an index of where they start."""

from __future__ import annotations

import bz2
from itertools import pairwise
from pathlib import Path

from adagram.corpus.decode import open_bytes
from adagram.errors import InputError

# A stream holds 100 pages, a few MB at most; a wider gap means that the index lacks part of the dump.
WIDEST_GAP = 1 << 26


def find_index(dump: Path) -> Path | None:
    """The index beside a multistream dump, by the names that the Wikimedia dumps have."""
    name = dump.name.replace("multistream", "multistream-index", 1).replace(".xml", ".txt", 1)
    if name == dump.name or "multistream" not in dump.name:
        return None
    for candidate in (dump.with_name(name), dump.with_name(name.removesuffix(".bz2"))):
        if candidate.is_file():
            return candidate
    return None


LONGEST_OFFSET = 18  # digits


def read_offsets(index: Path, dump: Path) -> list[int]:
    """Where the streams with pages start (lines `offset:page id:title`), and last the size of the dump."""
    size = dump.stat().st_size
    offsets: list[int] = []
    last = b""
    with open_bytes(index) as stream:
        for line in stream:
            offset = line.partition(b":")[0]
            if offset == last:
                continue
            if (
                not offset.isdigit()
                or len(offset) > LONGEST_OFFSET
                or (offsets and int(offset) <= offsets[-1])
            ):
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
    if any(end - start > WIDEST_GAP for start, end in pairwise(offsets)):
        raise InputError(f"{index} lacks part of {dump}; fetch it again")
    return offsets


def unpack_streams(path: str, start: int, n_bytes: int) -> bytes:
    """The text of the whole bzip2 streams in a byte range of a file."""
    with open(path, "rb") as file:
        file.seek(start)
        packed = file.read(n_bytes)
    parts: list[bytes] = []
    while packed:
        unpacker = bz2.BZ2Decompressor()
        try:
            parts.append(unpacker.decompress(packed))
        except OSError as error:
            where = start + n_bytes - len(packed)
            raise InputError(
                f"{path} is damaged at byte {where}, or its index belongs to another dump; fetch it again"
            ) from error
        if not unpacker.eof:
            raise InputError(
                f"{path} is cut off after byte {start}, or its index belongs to another dump; fetch it again"
            )
        packed = unpacker.unused_data
    return b"".join(parts)
