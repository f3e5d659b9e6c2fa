"""One table of attacks: what each does, and what must hold."""

from __future__ import annotations

import io
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import adagram
from adagram.cli import main as command_line
from adagram.corpus.vocabulary import Vocabulary
from adagram.errors import InputError
from adagram.model.storage import JOURNAL
from adagram.training.checkpoint import Saving, has_checkpoint
from adagram.training.progress import Progress
from adagram.training.run import train_encoded
from torture import texts
from torture.children import GOOD, REFUSED, TRACEBACK, End, leftovers, run
from torture.kills import contents
from torture.report import Report
from torture.samples import CHUNKS, CONFIG, ambiguous, command, corpus, curated, model

THESIS = "precious\n" * 100
MEMORY = 4 << 30  # bytes that a child may have more than now
PLAIN = Path(adagram.__file__).parent.parent  # where the package is


class Broken(Exception):
    """What had to hold did not; `kind` is one of the report's faults."""

    def __init__(self, kind: str, what: str) -> None:
        super().__init__(what)
        self.kind = kind


@dataclass(frozen=True)
class Attack:
    name: str
    must_hold: str
    do: Callable[[Path, random.Random], int]  # in an empty folder; returns the number of trials
    every: int = 1  # rounds: slow ones are rarer


class Attacks:
    """All attacks of the table, in turn, each in a new folder."""

    def __init__(self, folder: Path, report: Report, seed: int) -> None:
        self._folder, self._report, self._draw, self._round = folder, report, random.Random(seed), 0
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        curated(folder / "curated")

    def round(self) -> None:
        for attack in ATTACKS:
            if self._round % attack.every == 0:
                self._try(attack)
        self._round += 1

    def _try(self, attack: Attack) -> None:
        place, seed = self._folder / "attack", self._draw.randrange(1 << 30)
        place.mkdir()
        shutil.copytree(self._folder / "curated", place / "curated")
        try:
            self._report.add(attack.name, attack.do(place, random.Random(seed)))
        except Broken as broken:
            self._report.add(attack.name)
            self._report.fault(broken.kind, attack.name, f"{attack.must_hold}; seed {seed}: {broken}")
        finally:
            shutil.rmtree(place)


def check_end(end: End, what: str) -> None:
    """A child ended well, or in a sentence."""
    if end.is_hung or end.is_crash:
        raise Broken("hangs" if end.is_hung else "crashes", f"{what}: {end}")
    if end.code == TRACEBACK:
        raise Broken("tracebacks", f"{what}: {end.words}")


def check(holds: bool, what: str, kind: str = "losses") -> None:
    if not holds:
        raise Broken(kind, what)


# Decisions.


def decisions_at_once(place: Path, draw: random.Random) -> int:
    """Several processes label senses of one model, often the first decision of all."""
    target, n = place / "m", draw.choice((2, 4, 8))
    model(0).save(target)
    words = model(0).vocabulary.words[:n]
    lines = [f"label {word}#0 meaning {i} of {word}" for i, word in enumerate(words)]
    if draw.random() < 0.3:
        (target / JOURNAL).write_text("# decisions\n")
    begin = time.monotonic() + 0.05
    children = []
    for line in lines:
        if (child := os.fork()) == 0:
            code = 1
            try:
                opened = adagram.load(target)
                time.sleep(max(0.0, begin - time.monotonic()))
                opened.decide(line)
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    codes = [os.waitpid(child, 0)[1] for child in children]
    found = (target / JOURNAL).read_text().splitlines()
    check(codes == [0] * n, f"of {n} decisions some were refused: {codes}")
    check(sorted(line for line in found if line[0] != "#") == sorted(lines), f"{lines} became {found}")
    check(len(adagram.load(target).decisions) == n, "not all are followed")
    return n


def loads_while_replacing(place: Path, draw: random.Random) -> int:
    """A model is replaced by another, again and again, while others decide about it and open it."""
    target, n_loads = place / "m", 150
    models = [_labelled(place / f"model{turn}", turn) for turn in (0, 1)]
    models[0].save(target)

    def replace() -> None:
        for turn in range(1, 1_000_000):
            models[turn % 2].save(target, overwrite=True)

    def decide() -> None:
        while True:
            try:
                opened = adagram.load(target)
                opened.decide(_label_line(_turn_of(opened)))
            except InputError as error:
                if "replaced" not in str(error):
                    raise

    def load() -> None:
        warnings.simplefilter("error")
        for _ in range(n_loads):
            try:
                opened = adagram.load(target)
            except InputError as error:
                if "was replaced" not in str(error):
                    raise
                continue
            turn = _turn_of(opened)
            assert np.array_equal(opened.learned_arrays["vectors"], model(turn).arrays["vectors"]), "arrays of both"
            labels = {decision.label for decision in opened.decisions}
            assert labels == {f"of {turn}"}, f"model {turn} with the journal of {labels}"

    others = [_start(replace), _start(decide)]
    end = run(load)
    alive = [os.waitpid(other, os.WNOHANG) == (0, 0) for other in others]
    for other, is_alive in zip(others, alive, strict=True):
        if is_alive:
            os.kill(other, signal.SIGKILL)
            os.waitpid(other, 0)
    check(end.code == GOOD and not end.signal and all(alive), f"{end}, replacing and deciding: {alive}")
    return n_loads


def _turn_of(opened: adagram.Model) -> int:
    return int(opened.vocabulary.words[0][0] == "b")


def _label_line(turn: int) -> str:
    return f"label {model(turn).vocabulary.words[0]}#0 of {turn}"


def _labelled(folder: Path, turn: int) -> adagram.Model:
    model(turn).save(folder)
    return adagram.load(folder).decide(_label_line(turn))


def _start(work: Callable[[], None]) -> int:
    child = os.fork()
    if child == 0:
        warnings.simplefilter("ignore")  # a card is not renewed if its model was replaced
        try:
            work()
        finally:
            os._exit(1)
    return child


def short_writes(place: Path, draw: random.Random) -> int:
    """A file cannot grow beyond a size within the line that is to be written, as on a full disk."""
    target, line = place / "curated", f"label {ambiguous()}#0 the side of a river"
    journal = target / JOURNAL
    if draw.random() < 0.3:
        journal.unlink()
    before = journal.read_bytes() if journal.exists() else b""
    room = draw.randint(0, len(line))

    def decide() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        opened = adagram.load(target)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + room, resource.RLIM_INFINITY))
        opened.decide(line)

    end = run(decide)
    check_end(end, "decide")
    after = journal.read_bytes() if journal.exists() else b""
    check(end.code == REFUSED and after == before, f"room for {room} bytes: {end}, {before!r} became {after!r}")
    return 1


def long_journal(place: Path, draw: random.Random) -> int:
    """Thousands of decisions."""
    senses = [f"{word}#0" for word in model(0).vocabulary.words]
    lines = [f"label {draw.choice(senses)} meaning {i}" for i in range(4000)]
    (place / "curated" / JOURNAL).write_text("\n".join(lines) + "\n")
    start = time.process_time()
    opened = adagram.load(place / "curated").decide(f"hide {ambiguous()}#0")
    check(time.process_time() - start < 5.0, f"{time.process_time() - start:.1f} s for 4,000 decisions", "hangs")
    check(len(opened.decisions) == 4001, f"{len(opened.decisions)} of 4,001 decisions")
    return 1


# Model folders.


def links_and_devices(place: Path, draw: random.Random) -> int:
    """A file of a model folder is a link, a pipe, a device or a folder; each verb reads or writes the model."""
    kinds = ("link", "dangling", "fifo", "to fifo", "/dev/zero", "/dev/null", "folder")
    name, kind = draw.choice(sorted(os.listdir(place / "curated"))), draw.choice(kinds)
    target, thesis, dated, sense = (place / "m", place / "thesis.txt", place / "dated.jsonl", f"{ambiguous()}#0")
    verbs: list[tuple[object, ...]] = [
        ("senses", target, ambiguous()), ("info", target), ("check", target), ("undo", target),
        ("label", target, sense, "other"), ("trends", target, dated, "--by", "year", "--min-count", 1, "--threads", 1),
        ("describe", target, dated, "--threads", 1, "--overwrite"), ("examples", target, ambiguous()),
        ("export", target, "-f", "word2vec", "-o", place / "out.txt", "--overwrite"),
        ("train", dated, "--continue", target, "-o", target, "--overwrite", "--threads", 1),
    ]  # fmt: skip
    thesis.write_text(THESIS)
    dated.write_text(texts.DATED)
    os.mkfifo(place / "pipe")
    for verb in verbs:
        shutil.copytree(place / "curated", target)
        _put(kind, target / name, place)
        journal = target / JOURNAL
        before = journal.read_bytes() if journal.is_file() and not journal.is_symlink() else b""
        end = run(lambda verb=verb: _limited(*verb))  # type: ignore[misc]
        what = f"{name} is {kind}, {verb[0]}"
        check_end(end, what)
        check(thesis.read_text() == THESIS, f"{what}: the thesis was changed")
        check(not (place / "nowhere").exists(), f"{what}: a file was made behind a link")
        if end.code == REFUSED and before:
            check(journal.read_bytes() == before, f"{what}: refused, and the journal was changed")
        shutil.rmtree(target)
    return len(verbs)


def _put(kind: str, odd: Path, place: Path) -> None:
    """Put a link, a pipe, a device or a folder in the place of a file."""
    odd.unlink()
    if kind == "fifo":
        os.mkfifo(odd)
    elif kind == "folder":
        odd.mkdir()
    else:
        ours = {"link": "thesis.txt", "dangling": "nowhere", "to fifo": "pipe"}
        odd.symlink_to(place / ours[kind] if kind in ours else kind)


def _limited(*verb: object) -> None:
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, resource.RLIM_INFINITY))
    command(*verb)


def packed_models(place: Path, draw: random.Random) -> int:
    """Verbs that write, on a packed model."""
    target = place / "curated"
    if draw.random() < 0.5:
        packed = Path(shutil.make_archive(str(place / "m"), "zip", target))
    else:
        packed = place / "m.tar.gz"
        with tarfile.open(packed, "w:gz") as tar:
            tar.add(target, "m")
    (place / "dated.jsonl").write_text(texts.DATED)
    adagram.load(packed)
    word = ambiguous()
    verb = draw.choice(
        (
            *(("label", packed, f"{word}#0", "x"), ("merge", packed, word, 0, 1), ("hide", packed, f"{word}#0")),
            *(("undo", packed), ("describe", packed, place / "dated.jsonl", "--threads", 1)),
            ("trends", packed, place / "dated.jsonl", "--by", "year", "--min-count", 1, "--threads", 1),
            *(("check", packed), ("senses", packed, word)),
        )
    )
    below = [place, Path(os.environ["XDG_CACHE_HOME"])]
    before = [contents(folder) for folder in below]
    end = run(lambda: command(*verb))
    check_end(end, str(verb[0]))
    check([contents(folder) for folder in below] == before, f"{verb[0]} changed something")
    is_read = verb[0] in ("trends", "check", "senses")
    check((end.code == GOOD) == is_read, f"{verb[0]} of a packed model: {end}", "wrong")
    return 1


# Text and streams.

ENCODINGS = ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "latin-1", "cp1251", "gb18030")
ENCODINGS += ("shift_jis", "koi8-r", "utf-7", "cp037", "hz")
NO_ENCODINGS = ("rot13", "hex", "base64", "idna", "punycode", "undefined", "unicode_escape", "bz2", "nosuch", "", "\0")


def encodings(place: Path, draw: random.Random) -> int:
    """Each verb that reads text, with text in another encoding, named or not."""
    words = model(0).vocabulary.words
    text = "".join(f"{' '.join(draw.choices(words, k=8))} café naïve\n" for _ in range(60))
    encoding = draw.choice(ENCODINGS)
    (place / "utf8.txt").write_text(text, encoding="utf-8")
    (place / "odd.txt").write_bytes(text.encode(encoding, "replace"))
    options = {"": (), "named": ("--encoding", encoding), "nonsense": ("--encoding", draw.choice(NO_ENCODINGS))}
    how = draw.choice(list(options))
    answers = {}
    for verb in ("tag", "likelihood", "concordance", "describe"):
        end, out = _answer(place, verb, "odd.txt", options[how])
        check_end(end, f"{verb} of {encoding} text, {options[how]}")
        answers[verb] = out if end.code == GOOD else None
    is_read = [answer is not None for answer in answers.values()]
    is_alike = all(is_read) or not any(is_read)
    check(is_alike or how == "nonsense", f"{encoding} {how}: read by some verbs only: {is_read}", "wrong")
    has_all = text.encode(encoding, "replace").decode(encoding, "replace") == text
    if how == "named" and has_all:
        check(all(is_read), f"{encoding}, which was named, is refused", "wrong")
        for verb, answer in answers.items():
            check(answer == _answer(place, verb, "utf8.txt", ())[1], f"{verb}: {encoding} is read otherwise", "wrong")
    return len(answers)


def _answer(place: Path, verb: str, name: str, options: tuple[str, ...]) -> tuple[End, str]:
    """How a verb ended and what it printed, without the name of its input."""
    target, out = place / "curated", place / "answer"
    if verb == "concordance":
        arguments = [verb, target, ambiguous(), "--corpus", place / name, "--threads", 1]
    elif verb == "describe":
        arguments = [verb, target, place / name, "--threads", 1, "--overwrite"]
    else:
        arguments = [verb, target, place / name, "--threads", 1]
    out.write_text("")

    def work() -> None:
        said = io.StringIO()
        with open(out, "w", encoding="utf-8") as file, redirect_stdout(file), redirect_stderr(said):
            try:
                command_line([*map(str, arguments), *options])
            except SystemExit as stop:
                if stop.code:
                    raise InputError(said.getvalue()) from None

    end = run(work)
    found = (target / "senses.jsonl").read_text() if verb == "describe" else out.read_text(encoding="utf-8")
    return end, found.replace(name, "")


STREAMS = (
    "senses m {word}", "senses m 苹果é\u202e", "words m", "tag m t.txt", "tag m -", "info m", "check m",
    "label m {word}#0 x", "undo m",
    "export m -f csv -o /dev/stdout", "likelihood m t.txt", "concordance m {word} --corpus t.txt",
    "neighbours m {word}#0",
    "encode - -o e --min-count 1", "senses m $(printf '\\377')", "tag m $(printf '\\377')",
)  # fmt: skip
ENDS = (">&-", "2>&-", "<&-", "> /dev/full", "2> /dev/full", "| true", ">&- 2>&-", "> out 2>&1", "< /dev/null", "< .")
ODD_STDOUT = ("utf-8", "cp1252", "ascii", "utf-16", "latin-1", "shift_jis", "ascii:strict", "koi8-r:replace")


def odd_streams(place: Path, draw: random.Random) -> int:
    """Streams that are closed, full, gone or in another encoding; a vocabulary with odd characters."""
    words, first = model(0).vocabulary, draw.random() < 0.5
    named = Vocabulary([*words.words[:-1], "苹果é\u202e" if first else words.words[-1]], words.counts)
    adagram.Model(model(0).arrays, named, model(0).info).save(place / "m")
    (place / "t.txt").write_text("a0 a1 苹果é\u202e a2 café\n" * 20)
    encoding, verb, stream = draw.choice(ODD_STDOUT), draw.choice(STREAMS), draw.choice(ENDS)
    line = f"{sys.executable} -m adagram {verb.format(word=ambiguous())} {stream}"
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONPATH": str(PLAIN)}
    try:
        done = subprocess.run(
            *(["sh", "-c", line],), cwd=place, env=environment, capture_output=True, timeout=300, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Broken("hangs", f"PYTHONIOENCODING={encoding} {line}") from None
    out = (place / "out").read_bytes() if (place / "out").exists() else b""
    said = (done.stderr + done.stdout + out).decode(errors="replace").replace("\0", "")
    check("Traceback" not in said, f"PYTHONIOENCODING={encoding} {line}: {said}", "tracebacks")
    check("Exception ignored" not in said, f"PYTHONIOENCODING={encoding} {line}: {said}", "tracebacks")
    check(done.returncode in (0, 1, 2), f"PYTHONIOENCODING={encoding} {line}: {done.returncode}", "crashes")
    return 1


# In the place of `adagram`: the installed command does not have the current folder on its path.
COMMAND = "import sys; sys.path[:] = {paths!r}; from adagram.cli import main; main(sys.argv[1:])"
HOSTILE_VERBS = (
    "encode dump.xml -o e --min-count 1 --threads 2",
    "wwsi dump.xml --output w.tsv --threads 2 --min-count 2 --min-contexts 1",
    "train t.txt -o m --min-count 1 --threads 2 --dim 8 --epochs 1",
    "tag curated t.txt --threads 2",
    "describe curated dated.jsonl --threads 2 --overwrite",
    "trends curated dated.jsonl --by year --min-count 1 --threads 2",
    "concordance curated a0 --corpus dump.xml --threads 2",
)


def hostile_folder(place: Path, draw: random.Random) -> int:
    """Files named as modules stand in the current folder of verbs that start processes."""
    libraries = ("numpy", "numba", "rich", "typer", "click", "adagram", "sitecustomize", "usercustomize")
    for name in (*sys.stdlib_module_names, *libraries):
        (place / f"{name}.py").write_text(f"open({str(place / 'RUN')!r}, 'a').write('{name} ')\n")
    (place / "t.txt").write_text("the cat sat on the mat\n" * 200)
    (place / "dated.jsonl").write_text(texts.DATED)
    (place / "dump.xml").write_text(texts.senses_dump().replace("town", "a0 a1"))
    paths = [path for path in sys.path if path and not path.endswith("tests")]
    program = [sys.executable, "-I", "-c", COMMAND.format(paths=[*paths, str(PLAIN)])]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    verb = draw.choice(HOSTILE_VERBS)
    if verb.startswith("train"):
        environment["NUMBA_CACHE_DIR"] = str(place / "cold")  # so that it starts compilers
    done = subprocess.run(
        [*program, *verb.split()], cwd=place, env=environment, capture_output=True, text=True, check=False
    )
    check(not (place / "RUN").exists(), f"{verb} ran {(place / 'RUN').exists() and (place / 'RUN').read_text()}")
    check(done.returncode == 0, f"{verb}: {done.returncode} {done.stderr}", "wrong")
    return 1


# Training.


def late_signals(place: Path, draw: random.Random) -> int:
    """A signal after "100.0 %": while senses are merged, described or saved."""
    number = draw.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    whole = _late(place / "whole" / "m", 0, number)
    n_calls = whole.steps
    expected = contents(place / "whole")
    step = draw.randint(1, max(1, n_calls))
    target = place / "cut" / "m"
    end = _late(target, step, number)
    what = f"{signal.Signals(number).name} at call {step} of {n_calls} after the last report"
    if end.is_hung or end.code == TRACEBACK:
        raise Broken("hangs" if end.is_hung else "tracebacks", f"{what}: {end}")
    check((target / "config.json").exists() or has_checkpoint(target), f"{what}: nothing is left, {end}")
    if not (target / "config.json").exists():
        again = run(lambda: _train(Saving(target, resume=True), lambda progress: None))
        check(again.code == GOOD, f"{what}: the next run: {again}")
    check(contents(place / "cut") == expected, f"{what}: {end}, another model: {sorted(contents(place / 'cut'))}")
    check(not leftovers(place / "cut"), f"{what}: {leftovers(place / 'cut')}", "debris")
    return 1


def _train(saving: Saving, report: Callable[[Progress], None]) -> None:
    saving.output and saving.output.parent.mkdir(exist_ok=True)  # type: ignore[func-returns-value]
    train_encoded(corpus(0), CONFIG, saving, report, CHUNKS)


def _late(target: Path, step: int, number: int) -> End:
    """Train, and send a signal to itself at a call of Python after the last report; step 0 only counts."""
    counted = target.parent.with_suffix(".calls")

    def work() -> None:
        n_calls = 0

        def profile(frame: object, event: str, argument: object) -> None:
            nonlocal n_calls
            if event == "call":
                n_calls += 1
                if n_calls == step:
                    sys.setprofile(None)
                    os.kill(os.getpid(), number)

        def report(progress: Progress) -> None:
            if progress.is_last:
                sys.setprofile(profile)

        try:
            _train(Saving(target), report)
        finally:
            sys.setprofile(None)
            counted.write_text(str(n_calls))

    end = run(work)
    n = int(counted.read_text()) if counted.exists() else 0
    return End(end.code, end.signal, end.is_hung, end.words, n)


ATTACKS = [
    Attack("decisions at once", "none is lost or changed, none is refused", decisions_at_once),
    Attack("loads while replacing and deciding", "arrays and journal are of one model", loads_while_replacing, 8),
    Attack("short writes of decisions", "refused, and the journal is as it was", short_writes),
    Attack("4,000 decisions", "opened in linear time", long_journal, 8),
    Attack("links and devices", "no file outside is changed, nothing blocks", links_and_devices),
    Attack("packed models", "read-only: a verb that writes refuses", packed_models),
    Attack("encodings", "read alike by all verbs, or refused in a sentence", encodings, 2),
    Attack("odd streams", "no traceback", odd_streams, 2),
    Attack("hostile current folder", "no file of it is run", hostile_folder, 12),
    Attack("signals after the last report", "the model or a checkpoint is there", late_signals),
]
