"""How fast text becomes an encoded corpus, and in how much memory.

    python benchmarks/encode_speed.py TEXT [--megabytes 200] > benchmarks/results/encode_speed.tsv

TEXT is raw text, possibly compressed, one document per line. Each row is one fresh process after a warm-up that fills
the compiler's cache; the time is that of `encode` alone, from opening the files to the finished folder. The processor
time, unlike that of the clock, hardly grows when other programs use the machine, whose load is the last column.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

from adagram.corpus.decode import open_bytes
from adagram.corpus.tokenize import make_tokenizer

COLUMNS = (
    "input",
    "tokenizer",
    "threads",
    "MB",
    "words",
    "seconds",
    "words/s",
    "MB/s",
    "cpu seconds",
    "peak MB",
    "load",
)
WORKER = """
import resource, sys, time
from pathlib import Path
from adagram.config import EncodeOptions
from adagram.corpus.encoder import encode
source, output, threads, pretokenized = sys.argv[1:]
options = EncodeOptions(threads=int(threads), pretokenized=pretokenized == "True")
def cpu_seconds():
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime

started, cpu = time.perf_counter(), cpu_seconds()
corpus = encode(source, Path(output), options)
seconds = time.perf_counter() - started
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(corpus.meta["report"]["tokens"], seconds, cpu_seconds() - cpu, peak)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("text", type=Path)
    parser.add_argument("--megabytes", type=int, default=200, help="of text for the rows with a part of it")
    parser.add_argument("--whole", action="store_true", help="also encode all of TEXT, as it is")
    parser.add_argument("--repeat", type=int, default=3, help="runs per row, of which the fastest counts")
    arguments = parser.parse_args()
    print(*COLUMNS, sep="\t")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        raw, tokens, dump = write_inputs(arguments.text, arguments.megabytes << 20, folder)
        measure(raw, folder, 1, False)
        for threads in (1, 2):
            for path, pretokenized in ((tokens, True), (raw, False), (dump, False)):
                rows = [measure(path, folder, threads, pretokenized) for _ in range(arguments.repeat)]
                show(path, threads, pretokenized, min(rows, key=lambda row: row[1]))
            if arguments.whole:
                show(arguments.text, threads, False, measure(arguments.text, folder, threads, False))


def write_inputs(text: Path, size: int, folder: Path) -> tuple[Path, Path, Path]:
    """The first `size` bytes raw, tokenized, and a third of them as a dump with the usual markup."""
    raw, tokens, dump = folder / "raw.txt", folder / "tokenized.txt", folder / "dump.xml"
    with open_bytes(text) as stream:
        raw.write_bytes(stream.read(size).rpartition(b"\n")[0] + b"\n")
    tokenize = make_tokenizer()
    with open(raw, encoding="utf-8") as source, open(tokens, "w", encoding="utf-8") as target:
        target.writelines(" ".join(tokenize(line)) + "\n" for line in source)
    with open(raw, encoding="utf-8") as source, open(dump, "w", encoding="utf-8") as target:
        target.write('<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/">\n')
        target.writelines(pages(source, size // 3))
        target.write("</mediawiki>\n")
    return raw, tokens, dump


def pages(lines: Iterator[str], size: int) -> Iterator[str]:
    """Documents dressed as wiki pages: an infobox, links, references, a table and categories."""
    done = 0
    for number, line in enumerate(lines):
        words = line.split()
        for at in range(7, len(words), 12):
            words[at] = f"[[{words[at]} (topic)|{words[at]}]]"
        for at in range(20, len(words), 60):
            words[at] += f"<ref name=r{at}>{{{{cite web|url=http://example.org/{at}|title={words[at - 1]}}}}}</ref>"
        box = "{{Infobox thing\n| name = x\n| image = [[File:a.jpg|thumb|text]]\n| born = {{birth|1900|1|1}}\n}}\n"
        table = "\n{| class=wikitable\n|-\n! a !! b\n|-\n| 1 || 2\n|}\n[[Category:Things]]"
        body = escape(box + " ".join(words) + table)
        head = f"<page><title>P{number}</title><ns>0</ns><id>{number}</id>"
        page = f"{head}<revision><text>{body}</text></revision></page>\n"
        yield page
        done += len(page)
        if done > size:
            return


def measure(source: Path, folder: Path, threads: int, pretokenized: bool) -> tuple[float, ...]:
    command = [sys.executable, "-c", WORKER, str(source), str(folder / "encoded"), str(threads), str(pretokenized)]
    result = subprocess.run(command, check=True, capture_output=True, text=True)
    return tuple(map(float, result.stdout.split()))


def show(path: Path, threads: int, pretokenized: bool, row: tuple[float, ...]) -> None:
    words, seconds, cpu, peak = row
    size = path.stat().st_size / 1e6
    kind = "pretokenized" if pretokenized else "default"
    values = (
        f"{words:.0f}",
        f"{seconds:.2f}",
        f"{words / seconds:.0f}",
        f"{size / seconds:.1f}",
        f"{cpu:.2f}",
        f"{peak:.0f}",
    )
    print(path.name, kind, threads, f"{size:.0f}", *values, f"{os.getloadavg()[0]:.1f}", sep="\t", flush=True)


if __name__ == "__main__":
    started = time.perf_counter()
    main()
    print(f"finished in {time.perf_counter() - started:.0f} s", file=sys.stderr)
