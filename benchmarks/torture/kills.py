"""Every verb that writes is killed at each of its steps; what was there stays, and the next run ends well."""

from __future__ import annotations

import os
import random
import shutil
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import adagram
from adagram.care import examine
from adagram.config import EncodeOptions
from adagram.corpus import encode
from adagram.formats import export
from adagram.training.checkpoint import Saving, has_checkpoint
from adagram.training.run import train_encoded
from adagram.whole import kind_of
from torture.children import GOOD, REFUSED, End, leftovers, run
from torture.report import Report
from torture.samples import CONFIG, PACE, corpus, model

ALL = EncodeOptions(min_count=1, threads=1)
TEXTS = (["the cat sat on the mat"] * 20, ["a dog ran to the old house"] * 30)


@dataclass(frozen=True)
class Victim:
    """A verb: what it does over an older result, and whether what it writes is a folder of ours."""

    name: str
    write: Callable[[Path, int, bool], None]  # where, which of two contents, overwrite
    is_ours: bool = True


def _save(target: Path, turn: int, overwrite: bool) -> None:
    model(turn).save(target, overwrite)


def _encode(target: Path, turn: int, overwrite: bool) -> None:
    encode([text.split() for text in TEXTS[turn]], target, ALL, overwrite=overwrite)


def _export(format: str) -> Callable[[Path, int, bool], None]:
    return lambda target, turn, overwrite: export(model(turn), target, format, overwrite)


def _train(target: Path, turn: int, overwrite: bool) -> None:
    saving = Saving(target, 1e-9, resume=has_checkpoint(target), overwrite=overwrite)
    train_encoded(corpus(turn), CONFIG, saving, lambda progress: None, PACE)


VICTIMS = (
    Victim("save", _save),
    Victim("encode", _encode),
    Victim("train", _train),
    Victim("export word2vec", _export("word2vec"), is_ours=False),
    Victim("export word2vec-bin", _export("word2vec-bin"), is_ours=False),
    Victim("export projector", _export("projector"), is_ours=False),
)


def contents(target: Path) -> dict[str, bytes]:
    """All bytes below a name; config.json, which has times in it, and what depends on it are left out."""
    files = [target] if target.is_file() else sorted(target.rglob("*")) if target.exists() else []
    timed = {"config.json", "training.jsonl", "README.md", "SHA256SUMS", "corpus.json"}
    return {path.name: path.read_bytes() for path in files if path.is_file() and path.name not in timed}


class Kills:
    """Trials in one folder, with a bystander in it that nothing may touch."""

    def __init__(self, folder: Path, report: Report, seed: int) -> None:
        self._folder, self._report, self._draw = folder, report, random.Random(seed)
        self._whole = {victim.name: [self._made(victim, turn) for turn in (0, 1)] for victim in VICTIMS}

    def _made(self, victim: Victim, turn: int) -> dict[str, bytes]:
        target = self._folder / f"whole-{turn}"
        victim.write(target, turn, False)
        made = contents(target)
        shutil.rmtree(target) if target.is_dir() else target.unlink()
        return made

    def trial(self) -> None:
        """One kill of one verb at a random step, with or without an older result."""
        victim = self._draw.choice(VICTIMS)
        is_over = self._draw.random() < 0.5
        place = self._folder / "trial"
        place.mkdir()
        bystander = place / "out.try"
        bystander.mkdir()
        (bystander / "thesis.txt").write_text("precious")
        target = place / "out"
        if is_over:
            victim.write(target, 0, False)
        kill_at = self._draw.randint(1, 12 if self._draw.random() < 0.3 else 250)
        after = self._draw.random() * 0.2 if self._draw.random() < 0.2 else None
        end = run(lambda: victim.write(target, 1, is_over), None if after else kill_at, after)
        where = (
            f"{victim.name}, {'over an older one' if is_over else 'new'}, killed at step {kill_at} or {after}"
        )
        self._report.add(f"kill {victim.name}")
        self._judge(victim, target, is_over, end, where)
        if (bystander / "thesis.txt").read_text() != "precious":
            self._report.fault("losses", victim.name, f"{where}: the folder beside it was touched")
        shutil.rmtree(place)

    def _judge(self, victim: Victim, target: Path, is_over: bool, end: End, where: str) -> None:
        fault, whole = self._report.fault, self._whole[victim.name]
        if end.is_crash or end.is_hung:
            fault("hangs" if end.is_hung else "crashes", victim.name, f"{where}: {end}")
        if end.code not in (GOOD, REFUSED):
            fault("tracebacks", victim.name, f"{where}: {end.words}")
        found = contents(target)
        if found not in ([whole[0], whole[1]] if is_over else [whole[1], {}]) and not _is_hidden(target):
            fault("losses", victim.name, f"{where}: {sorted(found)} is neither the old nor the new one")
        if found and victim.is_ours and kind_of(target) and any(one.damage for one in examine(target)):
            fault("losses", victim.name, f"{where}: {examine(target)}")
        again = run(lambda: victim.write(target, 1, True))
        if again.code != GOOD or contents(target) != whole[1]:
            fault("losses", victim.name, f"{where}: the next run did not end well: {again}")
        if left := leftovers(target.parent):
            fault("debris", victim.name, f"{where}: {left}")


def _is_hidden(target: Path) -> bool:
    """Where names cannot be exchanged at once, the old one may have a temporary name until the next run looks."""
    return not target.exists() and any(path.name.endswith(".part.old") for path in target.parent.iterdir())


def loads_while_saving(folder: Path, report: Report, n: int) -> None:
    """A model is replaced again and again by one of the same size, while another process opens it."""
    target = folder / "replaced"
    model(0).save(target)

    def replace() -> None:
        for turn in range(1, 100_000):
            model(turn % 2).save(target, overwrite=True)

    def load() -> None:
        for _ in range(n):
            found = adagram.load(target)
            turn = int(found.vocabulary.words[0][0] == "b")
            assert np.array_equal(found.arrays["vectors"], model(turn).arrays["vectors"]), "mixed"

    writer = os.fork()
    if writer == 0:
        replace()
        os._exit(0)
    end = run(load)
    os.kill(writer, signal.SIGKILL)
    os.waitpid(writer, 0)
    report.add("loads while saving", n)
    if end.code != GOOD or end.signal:
        report.fault("losses", "loads while saving", str(end))
    shutil.rmtree(target)
