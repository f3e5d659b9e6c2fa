import bz2
import gzip
import io
import lzma
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adagram.corpus.decode import open_bytes
from adagram.errors import InputError, MissingExtraError

COMPRESS = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.ZstdCompressor().compress,
}
DATA = b"".join(b"line %d of some text that is not all the same\n" % i for i in range(4000))


def read(path: Path) -> bytes:
    with open_bytes(path) as stream:
        return stream.read()


@pytest.mark.parametrize("kind", COMPRESS)
def test_compressed_content_is_read_whatever_the_extension(kind: str, tmp_path: Path) -> None:
    for name in (f"text.{kind}", "text.txt", "text"):
        (tmp_path / name).write_bytes(COMPRESS[kind](DATA))
        assert read(tmp_path / name) == DATA


@pytest.mark.parametrize("kind", COMPRESS)
def test_several_compressed_parts_in_one_file(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"parts.{kind}"
    path.write_bytes(COMPRESS[kind](DATA) + COMPRESS[kind](b"second") + COMPRESS[kind](b""))
    assert read(path) == DATA + b"second"


@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_truncated_files_are_named(kind: str, share: float, tmp_path: Path) -> None:
    path = tmp_path / f"cut.{kind}"
    whole = COMPRESS[kind](DATA)
    path.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(InputError, match=rf"cut\.{kind} is (truncated|damaged)"):
        read(path)


@pytest.mark.parametrize("kind", COMPRESS)
def test_wrong_extension_is_named(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"plain.{kind}"
    path.write_bytes(b"just text\n")
    with pytest.raises(InputError, match=rf"plain\.{kind} is not a \.{kind} file"):
        read(path)
    path.write_bytes(b"")
    with pytest.raises(InputError, match=rf"plain\.{kind} is empty"):
        read(path)


def test_raw_bytes_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress(DATA))
    seen: list[int] = []
    with open_bytes(path, seen.append) as stream:
        stream.read(1000)
        assert 0 < sum(seen) <= path.stat().st_size
        stream.read()
    assert sum(seen) == path.stat().st_size


def test_missing_and_unreadable_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.txt cannot be read"):
        read(tmp_path / "nowhere.txt")
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path)


def test_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(DATA))))
    assert read(Path("-")) == DATA


def test_zst_without_the_library_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "text.zst"
    path.write_bytes(COMPRESS["zst"](DATA))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtraError, match=r"adagram\[zst\]"):
        read(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    kind=st.sampled_from(sorted(COMPRESS)), place=st.floats(0, 1), flip=st.integers(1, 255), data=st.binary()
)
def test_any_damage_is_an_input_error_or_harmless(
    tmp_path: Path, kind: str, place: float, flip: int, data: bytes
) -> None:
    whole = data + DATA[:2000]
    damaged = bytearray(COMPRESS[kind](whole))
    damaged[int(place * (len(damaged) - 1))] ^= flip
    path = tmp_path / f"damaged.{kind}"
    path.write_bytes(damaged)
    with suppress(InputError):
        found = read(path)
        assert kind == "zst" or found == whole, "zst has no checksum of its own; the others do"
