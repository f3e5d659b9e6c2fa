"""A model from a zip or tar file: the same model, or a refusal that leaves nothing behind."""

import io
import json
import os
import pickle
import tarfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import adagram
from adagram.cli import main
from adagram.errors import InputError
from adagram.files import hub


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
    "name", ["../evil", "/tmp/evil", "model/../../evil", "a\\..\\evil", "C:evil", "model/notes.txt", "../vocab.txt"]
)
def test_files_that_are_not_of_the_model_are_left_out(
    tmp_path: Path, cache: Path, planted_folder: Path, make: type, name: str
) -> None:
    path = make(tmp_path / "m", {**contents(planted_folder, "model/"), name: b"x"})
    folder = adagram.load(path).folder
    assert folder
    assert contents(folder) == contents(planted_folder)
    assert [p.parent for p in cache.rglob("*") if p.is_file()] == [folder] * len(contents(folder))
    assert not list(tmp_path.rglob("evil"))


@pytest.mark.parametrize("make", [zipped, tarred])
def test_several_models_are_refused(tmp_path: Path, cache: Path, planted_folder: Path, make: type) -> None:
    path = make(tmp_path / "m", {**contents(planted_folder, "a/"), **contents(planted_folder, "b/")})
    with pytest.raises(InputError, match="has 2 models in it; pack the folder of one model"):
        adagram.load(path)
    assert [p for p in cache.rglob("*") if p.is_file()] == []


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_devices_are_not_files_of_a_model(tmp_path: Path, kind: bytes) -> None:
    with tarfile.open(tmp_path / "m.tar", "w") as file:
        info = tarfile.TarInfo("config.json")
        info.type, info.linkname = kind, "/etc/passwd"
        file.addfile(info)
    with pytest.raises(InputError, match="has no models in it"):
        adagram.load(tmp_path / "m.tar")


def test_a_link_in_a_zip_file_is_not_followed(tmp_path: Path) -> None:
    info = zipfile.ZipInfo("config.json")
    info.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "m.zip", "w") as file:
        file.writestr(info, "/etc/passwd")
    with pytest.raises(InputError, match="has no model in it"):
        adagram.load(tmp_path / "m.zip")


@pytest.mark.parametrize("make", [zipped, tarred])
def test_a_bomb_is_refused(tmp_path: Path, make: type, monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    monkeypatch.setattr(hub, "MIN_LIMIT", 1000)
    path = make(tmp_path / "m.tar.gz", {"config.json": b"{}", "vocab.txt": b"0" * 3_000_000})
    with pytest.raises(InputError, match="more than is plausible"):
        adagram.load(path)
    assert [p for p in cache.rglob("*") if p.is_file()] == []


@pytest.mark.parametrize(
    ("files", "sentence"),
    [({"vocab.txt": b"x"}, "has no models in it"), ({"config.json": b'{"model_type": "bert"}'}, "has no model in it")],
)
def test_what_is_no_model_is_refused(tmp_path: Path, files: dict[str, bytes], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        adagram.load(zipped(tmp_path / "m.zip", files))


def test_a_file_that_is_cut_is_refused(tmp_path: Path, planted_folder: Path) -> None:
    path = tarred(tmp_path / "m.tar.gz", contents(planted_folder))
    path.write_bytes(path.read_bytes()[:15])
    with pytest.raises(InputError, match=r"m\.tar\.gz cannot be unpacked: Compressed file ended"):
        adagram.load(path)


def test_a_zip_file_with_parts_before_its_start_is_refused(tmp_path: Path, planted_folder: Path) -> None:
    path = zipped(tmp_path / "m.zip", contents(planted_folder))
    path.write_bytes(path.read_bytes()[100:])  # the directory at its end is whole
    with pytest.raises(InputError, match=r"m\.zip cannot be unpacked: "):
        adagram.load(path)


def test_damage_is_refused(tmp_path: Path, planted_folder: Path) -> None:
    files = contents(planted_folder)
    damaged = zipped(tmp_path / "a.zip", {**files, "vocab.txt": files["vocab.txt"][:-1] + b"0\n"})
    with pytest.raises(InputError, match="not what was written"):
        adagram.load(damaged)
    cut = zipped(tmp_path / "b.zip", files).read_bytes()
    (tmp_path / "c.tar.gz").write_bytes(tarred(tmp_path / "d.tar.gz", files).read_bytes()[: len(cut) // 2])
    with pytest.raises(InputError, match=r"cannot be unpacked|damaged"):
        adagram.load(tmp_path / "c.tar.gz")


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    shown = capsys.readouterr()
    return int(stop.value.code or 0), shown.out, shown.err


@pytest.fixture
def packed_model(tmp_path: Path, planted_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    text = " ".join(["planted", *adagram.load(planted_folder).vocabulary.words[:10]])
    lines = [{"text": text, "year": year} for year in range(1990, 1996) for _ in range(5)]
    Path("c.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return zipped(tmp_path / "m.zip", contents(planted_folder))


def everything(folder: Path) -> dict[str, bytes]:
    """All files but compiled kernels."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and "kernels" not in path.parts]
    return {str(path): path.read_bytes() for path in files}


@pytest.mark.parametrize(
    "command",
    [
        ["label", "m.zip", "planted#0", "x"],
        ["hide", "m.zip", "planted#0"],
        ["merge", "m.zip", "planted", "0", "1"],
        ["undo", "m.zip"],
        ["describe", "m.zip", "c.jsonl"],
        ["serve", "m.zip", "--edit"],
    ],
    ids=lambda command: command[0],
)
def test_verbs_that_write_say_first_that_a_packed_model_is_read_only(
    packed_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    adagram.load(packed_model)  # unpacks it
    before = everything(tmp_path)
    code, out, err = run(capsys, *command)
    assert (code, out) == (1, "")
    assert err.startswith("adagram: m.zip is read-only")
    assert err.count("\n") == 1
    assert everything(tmp_path) == before


def test_trends_of_a_packed_model_are_shown_and_not_kept(
    packed_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    adagram.load(packed_model)
    before = everything(tmp_path)
    code, out, err = run(capsys, "trends", "m.zip", "c.jsonl", "--by", "year", "--min-count", "1")
    assert code == 0, err
    assert out.startswith("word\tsense")
    assert err.startswith("adagram: what is counted is shown, but not kept for adagram plot: m.zip is read-only")
    assert everything(tmp_path) == before


def test_a_model_that_was_pickled_stays_read_only(packed_model: Path) -> None:
    model = pickle.loads(pickle.dumps(adagram.load(packed_model)))
    with pytest.raises(InputError, match=r"m\.zip is read-only"):
        model.decide("hide planted#0")
    assert model.n_senses == adagram.load(packed_model).n_senses


def test_a_packed_model_can_be_checked(packed_model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "check", "m.zip")
    assert code == 0, (out, err)
    assert "checksums\tgood" in out


def test_a_packed_model_is_not_taken_for_answers(
    packed_model: Path, planted_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = adagram.load(planted_folder).vocabulary.words[:6]
    rows = [f"planted\tplanted.{i}\t{i % 2}\t{word}\t\tplanted\n" for i, word in enumerate(words)]
    Path("set.tsv").write_text("target\tinstance_id\tsense\tleft\tright\tsurface\n" + "".join(rows))
    shown = [run(capsys, "evaluate", "wsi", name, "set.tsv") for name in ("m.zip", planted_folder)]
    assert shown[0] == shown[1]
    assert shown[0][0] == 0, shown[0][2]


def test_another_version_is_unpacked_anew_and_what_is_unused_is_removed(packed_model: Path, cache: Path) -> None:
    first = adagram.load(packed_model)
    os.utime(packed_model, (1, 1))
    second = adagram.load(packed_model)
    assert first.folder
    assert second.folder
    assert second.folder != first.folder
    os.utime(first.folder, (1, 1))  # not used for long
    adagram.load(packed_model)
    assert [path.name for path in (cache / "adagram" / "unpacked").iterdir()] == [second.folder.name]


def test_a_damaged_cache_is_filled_again(packed_model: Path) -> None:
    folder = adagram.load(packed_model).folder
    assert folder
    (folder / "config.json").write_text("{}")
    assert adagram.load(packed_model).n_senses


def test_a_file_that_is_opened_twice_at_once_is_unpacked_once(packed_model: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: adagram.load(packed_model).folder, range(16)))
    assert len(set(found)) == 1
