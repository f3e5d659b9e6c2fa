"""A model from a zip or tar file: the same model, or a refusal that leaves nothing behind."""

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

import adagram
from adagram.errors import InputError
from adagram.places import packed


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def zipped(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in files.items():
            file.writestr(name, data)
    return path


def tarred(path: Path, files: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz" if path.suffix == ".gz" else "w") as file:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            file.addfile(info, io.BytesIO(data))
    return path


def contents(folder: Path, prefix: str = "") -> dict[str, bytes]:
    return {prefix + path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("name", ["m.zip", "m.tar", "m.tar.gz"])
@pytest.mark.parametrize("prefix", ["", "model/", "./a/b/"])
def test_it_is_the_same_model(tmp_path: Path, planted_folder: Path, name: str, prefix: str) -> None:
    make = zipped if name.endswith(".zip") else tarred
    path = make(tmp_path / name, {**contents(planted_folder, prefix), "__MACOSX/._config.json": b"x"})
    plain, model = adagram.load(planted_folder), adagram.load(path)
    assert model.senses("planted") == plain.senses("planted")
    assert adagram.load(path).folder == model.folder  # unpacked once


@pytest.mark.parametrize("make", [zipped, tarred])
@pytest.mark.parametrize(
    "name", ["../evil", "/tmp/evil", "model/../../evil", "a\\..\\evil", "C:evil", "model/sub/config.json"]
)
def test_paths_that_lead_elsewhere_are_refused(
    tmp_path: Path, cache: Path, planted_folder: Path, make: type, name: str
) -> None:
    path = make(tmp_path / "m", {**contents(planted_folder, "model/"), name: b"x"})
    with pytest.raises(InputError, match=r"leads out of a folder|not the folder of one model"):
        adagram.load(path)
    assert [p for p in cache.rglob("*") if p.is_file()] == []
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_devices_are_refused(tmp_path: Path, kind: bytes) -> None:
    with tarfile.open(tmp_path / "m.tar", "w") as file:
        info = tarfile.TarInfo("config.json")
        info.type, info.linkname = kind, "/etc/passwd"
        file.addfile(info)
    with pytest.raises(InputError, match="link or device"):
        adagram.load(tmp_path / "m.tar")


def test_a_link_in_a_zip_file_is_refused(tmp_path: Path) -> None:
    info = zipfile.ZipInfo("config.json")
    info.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "m.zip", "w") as file:
        file.writestr(info, "/etc/passwd")
    with pytest.raises(InputError, match="has a link in it"):
        adagram.load(tmp_path / "m.zip")


@pytest.mark.parametrize("make", [zipped, tarred])
def test_a_bomb_is_refused(tmp_path: Path, make: type, monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    monkeypatch.setattr(packed, "LEAST_BOUND", 1000)
    path = make(tmp_path / "m.tar.gz", {"vocab.txt": b"0" * 3_000_000})
    with pytest.raises(InputError, match="more than is plausible"):
        adagram.load(path)
    assert [p for p in cache.rglob("*") if p.is_file()] == []


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({"notes.txt": b"x"}, "do not belong to a model: notes.txt"),
        ({"vocab.txt": b"x"}, "has no model in it"),
    ],
)
def test_what_is_no_model_is_refused(tmp_path: Path, files: dict[str, bytes], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        adagram.load(zipped(tmp_path / "m.zip", files))


def test_damage_is_refused(tmp_path: Path, planted_folder: Path) -> None:
    files = contents(planted_folder)
    damaged = zipped(tmp_path / "a.zip", {**files, "vocab.txt": files["vocab.txt"][:-1] + b"0\n"})
    with pytest.raises(InputError, match="not what was written"):
        adagram.load(damaged)
    cut = zipped(tmp_path / "b.zip", files).read_bytes()
    (tmp_path / "c.tar.gz").write_bytes(tarred(tmp_path / "d.tar.gz", files).read_bytes()[: len(cut) // 2])
    with pytest.raises(InputError, match=r"cannot be unpacked|damaged"):
        adagram.load(tmp_path / "c.tar.gz")
