"""Every verb that writes, on small inputs that are made once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from adagram.export import EXPORTS, export
from adagram.training.checkpoint import Saving, has_checkpoint
from adagram.training.run import train_encoded
from torture import texts
from torture.samples import CHUNKS, ambiguous, command, configured, corpus, model

LINES = ("the cat sat on the mat\n" * 20, "a dog ran to the old house\n" * 30)
Write = Callable[[Path, int, bool], None]  # where, which of two contents, overwrite


@dataclass(frozen=True)
class Victim:
    """A verb, what it does over an older result, and what must be there before it."""

    name: str
    write: Write
    prepare: Callable[[Path], None] = lambda target: None
    is_one: bool = True  # what it writes gets its name in one step; else each of its files does
    weight: int = 4  # how often it is chosen: slow ones less


class Inputs:
    """Files that the verbs read, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.texts = [folder / f"text{turn}.txt" for turn in (0, 1)]
        self.models = [folder / f"model{turn}" for turn in (0, 1)]
        self.vectors = [folder / f"vectors{turn}.txt" for turn in (0, 1)]
        self.dated = [folder / f"dated{turn}.jsonl" for turn in (0, 1)]
        self.more = [folder / f"more{turn}.txt" for turn in (0, 1)]
        self.dump = folder / "dump.xml"
        folder.mkdir()
        for turn in (0, 1):
            self.texts[turn].write_text(LINES[turn])
            model(turn).save(self.models[turn])
            export(model(turn), self.vectors[turn], "word2vec")
            self.dated[turn].write_text(texts.DATED * (turn + 1))
            self.more[turn].write_text(f"a{turn} a1 a2 a3 a4 new\n" * 40)
        self.dump.write_text(texts.senses_dump())


def victims(given: Inputs) -> list[Victim]:
    return [*_makers(given), *_exports(), *_changers(given), _reproduce(given)]


def _flag(overwrite: bool) -> tuple[str, ...]:
    return ("--overwrite",) if overwrite else ()


def _train(algorithm: str) -> Write:
    def write(target: Path, turn: int, overwrite: bool) -> None:
        saving = Saving(target, 1e-9, resume=has_checkpoint(target), overwrite=overwrite)
        train_encoded(corpus(turn), configured(algorithm), saving, lambda progress: None, CHUNKS)

    return write


def _makers(given: Inputs) -> list[Victim]:
    """Verbs whose result is one file or one folder."""

    def verb(name: str, *more: object, of: list[Path], then: tuple[object, ...] = ()) -> Write:
        return lambda target, turn, overwrite: command(name, *more, of[turn], *then, "-o", target, *_flag(overwrite))

    two = ambiguous()
    return [
        Victim("save", lambda target, turn, overwrite: model(turn).save(target, overwrite)),
        Victim("encode", verb("encode", of=given.texts, then=("--min-count", 1, "--threads", 1))),
        Victim("train", _train("adagram"), weight=8),
        Victim("train np-mssg", _train("np-mssg")),
        Victim(
            "train --continue",
            verb("train", of=given.more, then=("--continue", given.models[0], "--threads", 1)),
        ),
        Victim("import", verb("import", of=given.vectors, then=("-f", "word2vec"))),
        Victim("tag", verb("tag", given.models[0], of=given.texts, then=("--threads", 1))),
        Victim(
            "plot",
            lambda target, turn, overwrite: command(
                *("plot", "senses", given.models[0], two, "--top", 3 + turn),
                *("-o", target.with_suffix(".png"), *_flag(overwrite)),
            ),
            is_one=False,
            weight=1,
        ),
        Victim(
            "wwsi",
            lambda target, turn, overwrite: command(
                *("wwsi", given.dump, "--output", target / "wwsi.tsv", "--min-count", 2, "--min-contexts", 1 + turn),
                *("--threads", 1, *_flag(overwrite)),
            ),
            Path.mkdir,
            is_one=False,
            weight=2,
        ),
    ]  # fmt: skip


def _exports() -> list[Victim]:
    def write(format: str) -> Write:
        return lambda target, turn, overwrite: export(model(turn), target, format, overwrite)

    return [Victim(f"export {format}", write(format), weight=1) for format in EXPORTS]


def _changers(given: Inputs) -> list[Victim]:
    """Verbs that add files to a model folder."""

    def prepare(target: Path) -> None:
        model(0).save(target)

    def label(target: Path, turn: int, overwrite: bool) -> None:
        command("label", target, f"{ambiguous()}#0", f"label {turn}")

    return [
        Victim(
            "describe",
            lambda target, turn, overwrite: command(
                "describe", target, given.dated[turn], "--threads", 1, *_flag(overwrite)
            ),
            prepare,
            is_one=False,
        ),
        Victim(
            "trends",
            lambda target, turn, overwrite: command(
                *("trends", target, given.dated[turn], "--by", "year", "--min-count", 1, "--threads", 1),
                *("--frequencies", target.with_suffix(".tsv"), *_flag(overwrite)),
            ),
            prepare,
            is_one=False,
        ),
        Victim("label", label, prepare, is_one=False),
    ]


def _reproduce(given: Inputs) -> Victim:
    def write(target: Path, turn: int, overwrite: bool) -> None:
        command(
            *("reproduce", "nn", "--corpus", given.texts[turn], "-o", target, "--dim", 8, "--min-count", 1),
            *("--threads", 1, "--bootstrap", 0, *_flag(overwrite)),
        )

    return Victim("reproduce", write, is_one=False, weight=1)
