"""Every verb that writes is killed at each of its steps; what was there stays, and the next run ends well."""

from __future__ import annotations

import random
import re
import shutil
from pathlib import Path

from adagram.cli.check import examine
from adagram.files.atomic import REPLACED
from adagram.files.folders import CORPUS, MODEL, kind_of
from adagram.model.storage import JOURNAL
from torture.children import AFTER_A_CALL, BEFORE_A_CALL, GOOD, REFUSED, End, Kill, leftovers, run
from torture.report import Report
from torture.verbs import Victim

# What has the time of its making in it, or depends on one that has.
TIMED = {"config.json", "training.jsonl", "README.md", "SHA256SUMS", "corpus.json", "index.md", "trends.npz"}
GOES_ON = re.compile(r"\.(checkpoint|encoded|partial)\b")  # what the next run goes on from
Contents = dict[str, bytes]


def contents(place: Path) -> Contents:
    """All bytes of what a verb wrote in a folder, except files with times in them."""
    return {
        str(path.relative_to(place)): b"" if path.name in TIMED or is_pickle(path) else path.read_bytes()
        for path in sorted(place.rglob("*"))
        if path.is_file()
        and not (path.name == JOURNAL and not path.stat().st_size)  # as good as none
        and not any(part.startswith(".") for part in path.relative_to(place).parts)
    }


def is_pickle(path: Path) -> bool:
    """What gensim reads; its bytes differ from time to time."""
    with open(path, "rb") as file:
        return file.read(2) == b"\x80\x04"


class Kills:
    """Trials in one folder, with a bystander in it that nothing may touch."""

    def __init__(self, folder: Path, report: Report, seed: int, victims: list[Victim]) -> None:
        self._folder, self._report, self._draw = folder, report, random.Random(seed)
        self._victims = victims
        self._weights = [victim.weight for victim in victims]
        self._whole: dict[str, tuple[Contents, Contents, Contents]] = {}
        self._steps: dict[tuple[str, str], int] = {}

    def warm_up(self, victim: Victim) -> None:
        """What a verb makes when nobody disturbs it, here and not in a child, so that all is loaded and compiled."""
        made = []
        for turns in ((), (0,), (1,)):
            place = self._new_place()
            target = place / "out"
            victim.prepare(target)
            for turn in turns:
                victim.write(target, turn, False)
            made.append(contents(place))
            shutil.rmtree(place)
        self._whole[victim.name] = (made[0], made[1], made[2])
        for how in (BEFORE_A_CALL, AFTER_A_CALL):
            place = self._new_place()
            victim.prepare(place / "out")
            end = run(lambda place=place: victim.write(place / "out", 1, False), Kill(how))
            self._steps[victim.name, how] = max(1, end.steps)
            shutil.rmtree(place)

    def _new_place(self) -> Path:
        place = self._folder / "trial"
        place.mkdir()
        (place / "out.try").mkdir()
        (place / "out.try" / "thesis.txt").write_text("precious")
        return place

    def trial(self) -> None:
        """One kill of one verb at one of its steps, or after a random time, with or without an older result."""
        victim = self._draw.choices(self._victims, self._weights)[0]
        if victim.name not in self._whole:
            self.warm_up(victim)
        is_over = self._draw.random() < 0.5
        place = self._new_place()
        target = place / "out"
        victim.prepare(target)
        if is_over:
            victim.write(target, 0, False)
        kill = self._kill(victim)
        end = run(lambda: victim.write(target, 1, is_over), kill)
        self._report.add(f"kill {victim.name}")
        where = f"{victim.name}, {'over an older one' if is_over else 'new'}, {kill}"
        self._judge(victim, target, is_over, end, where)
        shutil.rmtree(place)

    def _kill(self, victim: Victim) -> Kill:
        if self._draw.random() < 0.15:
            return Kill(seconds=self._draw.random() * 0.2)
        how = self._draw.choice((BEFORE_A_CALL, AFTER_A_CALL))
        return Kill(how, self._draw.randint(1, self._steps[victim.name, how]))

    def _judge(self, victim: Victim, target: Path, is_over: bool, end: End, where: str) -> None:
        fault, place = self._report.fault, target.parent
        nothing, old, new = self._whole[victim.name]
        if end.is_crash or end.is_hung:
            fault("hangs" if end.is_hung else "crashes", victim.name, f"{where}: {end}")
        if end.code not in (GOOD, REFUSED):
            fault("tracebacks", victim.name, f"{where}: {end.words}")
        found = contents(place)
        if not _is_allowed(found, old if is_over else nothing, new, victim.is_one) and not _is_hidden(target):
            fault("losses", victim.name, f"{where}: {sorted(found)} is neither the old nor the new one")
        if (
            target.is_dir()
            and kind_of(target) in (MODEL, CORPUS)
            and (bad := [one for one in examine(target) if one.damage])
        ):
            fault("losses", victim.name, f"{where}: {bad}")
        again = run(lambda: victim.write(target, 1, True))
        made = contents(place)
        is_new = made == new if victim.is_one else set(new) <= set(made)
        if again.code != GOOD or not is_new:
            fault("losses", victim.name, f"{where}: the next run did not end well: {again}, {sorted(made)}")
        if left := leftovers(place):
            fault("debris", victim.name, f"{where}: {left}")


def _is_allowed(found: Contents, before: Contents, new: Contents, is_one: bool) -> bool:
    """Either all as before or all new; where each file gets its name by itself, this holds for each file."""
    found = {name: content for name, content in found.items() if not GOES_ON.search(name)}
    if is_one:
        return found in (before, new)
    kept = all(name in found for name in before)
    return kept and all(_is_either(name, content, before, new) for name, content in found.items())


def _is_either(name: str, content: bytes, before: Contents, new: Contents) -> bool:
    old = before.get(name)
    grown = old + new[name] if old is not None and name.endswith("journal.txt") else old  # it only grows
    return content in (old, new.get(name), grown)


def _is_hidden(target: Path) -> bool:
    """Where names cannot be exchanged at once, the old one may be in a temporary folder until the next run looks."""
    return not target.exists() and any(target.parent.glob(f".*/{REPLACED}/{target.name}"))
