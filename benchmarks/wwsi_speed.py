"""Speed and memory of `adagram wwsi` on a generated dump (200 MB of XML), by pass and number of cores.

    python benchmarks/wwsi_speed.py [--megabytes 200] [--threads 1 2] [--folder DIR]

Writes a multistream .xml.bz2 dump to DIR (kept, so that a second run starts at once), builds
the data set from it with the command's own code, and prints a TSV line per measurement.
"""

from __future__ import annotations

import argparse
import bz2
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

from adagram.experiments.wwsi.build import Files, build
from adagram.experiments.wwsi.rules import load_rules
from adagram.types import StageProgress

HEADER = (
    '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">\n'
    "  <siteinfo>\n    <sitename>Generated</sitename>\n  </siteinfo>\n"
)
PAGE = (
    "  <page>\n    <title>{title}</title>\n    <ns>0</ns>\n    <id>{id}</id>\n    <revision>\n"
    "      <id>{id}</id>\n      <timestamp>2024-01-01T00:00:00Z</timestamp>\n"
    "      <contributor><username>A</username><id>1</id></contributor>\n"
    "      <model>wikitext</model>\n      <format>text/x-wiki</format>\n"
    '      <text bytes="{size}" xml:space="preserve">{text}</text>\n      <sha1>0</sha1>\n'
    "    </revision>\n  </page>\n"
)
PAGES_PER_STREAM = 100
SENSES = ("computing", "animal", "physics", "chess", "film")


class Wiki:
    """Random articles with about the markup of Wikipedia: links, refs, an infobox, a table."""

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)
        syllables = [a + b for a in "bcdfghklmnprstvz" for b in ("a", "e", "i", "o", "u", "ai", "en", "or")]
        pick = self._random.choice
        self.words = ["".join(pick(syllables) for _ in range(pick((1, 2, 2, 3, 4)))) for _ in range(50_000)]
        for rank in range(200, len(self.words), 100):  # as in English text, most articles are not all ASCII
            self.words[rank] += "é"
        self._weights = [1 / (rank + 10) for rank in range(len(self.words))]

    def pages(self) -> Iterator[tuple[str, str]]:
        """Endless titles and texts; after every fiftieth a disambiguation page and its senses."""
        number = 0
        while True:
            number += 1
            if number % 50:
                yield f"Article number {number}", self.article(self._random.randrange(100, 1500), None)
                continue
            word = self.words[number // 50 % len(self.words)].capitalize()
            yield word, f"'''{word}''' may refer to:\n* [[{word} (animal)]]\n{{{{disambiguation}}}}"
            for sense in SENSES:
                yield f"{word} ({sense})", self.article(1000, word)

    def article(self, n_words: int, topic: str | None) -> str:
        parts = ["{{Infobox settlement\n| image = [[File:A.jpg|thumb|250px]]\n| area = {{convert|5|km2}}\n}}\n"]
        for i, word in enumerate(self._random.choices(self.words, self._weights, k=n_words)):
            chance = self._random.random()
            if chance < 0.03:
                parts.append(f"[[{word} {word}|{word}]]")
            elif chance < 0.08:
                parts.append(f"[[{word}]]")
            elif chance < 0.09:
                parts.append(f"{word}.<ref>{{{{cite web|url=http://a.org/{i}|title={word}|date=1 May 2020}}}}</ref>")
            elif chance < 0.1:
                parts.append(f"''{word}''&nbsp;{{{{nowrap|{word}}}}}")
            elif chance < 0.104:
                parts.append(f"\n\n== {word} ==\n")
            elif topic and chance < 0.15:
                parts.append(topic)
            else:
                parts.append(word)
        table = '\n{| class="wikitable"\n|-\n| a || b\n|-\n| c || d\n|}\n'
        return " ".join(parts) + table + "[[Category:Generated articles]]"


def write_dump(folder: Path, megabytes: float) -> tuple[Path, float]:
    """A multistream dump with about so many MB of XML; returns it and its true size."""
    dump = folder / f"generated{megabytes:g}-pages-articles-multistream.xml.bz2"
    size_file = dump.with_suffix(".size")
    if size_file.exists():
        return dump, float(size_file.read_text())
    n_bytes, number = 0, 0
    pages = Wiki().pages()
    with dump.open("wb") as file:
        file.write(bz2.compress(HEADER.encode()))
        while n_bytes < megabytes * 1e6:
            parts = []
            for _ in range(PAGES_PER_STREAM):
                title, text = next(pages)
                number += 1
                parts.append(PAGE.format(title=escape(title), id=number, size=len(text), text=escape(text)))
            xml = "".join(parts).encode()
            n_bytes += len(xml)
            file.write(bz2.compress(xml))
        file.write(bz2.compress(b"</mediawiki>\n"))
    size_file.write_text(str(n_bytes / 1e6))
    return dump, n_bytes / 1e6


def cpu_seconds() -> float:
    """Of this process and of its workers that have ended."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


class Clock:
    """Notes the time and the CPU time when each pass begins."""

    def __init__(self) -> None:
        self.times: list[tuple[float, float]] = []

    def note(self) -> None:
        self.times.append((time.perf_counter(), cpu_seconds()))

    def __call__(self, progress: StageProgress) -> None:
        if progress.done == 0:
            self.note()


def measure(dump: Path, megabytes: float, threads: int) -> None:
    """Build once in this process and print the speed of each pass and the peak memory."""
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder:
        files = Files.beside(Path(folder) / "wwsi.tsv")
        data = build([dump], files, load_rules(min_count=500), threads, clock)
        clock.note()
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    workers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024 * (threads if threads > 1 else 0)
    first, second, end = clock.times
    for name, start, stop in (("pass 1", first, second), ("pass 2", second, end), ("both", first, end)):
        seconds, cpu = stop[0] - start[0], stop[1] - start[1]
        row = [threads, name, f"{seconds:.1f}", f"{megabytes / seconds:.1f}"]
        row += [f"{cpu:.1f}", f"{megabytes / cpu:.1f}", f"{own + workers:.0f}", data.n_contexts]
        print(*row, sep="\t", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--megabytes", type=float, default=200)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "adagram-wwsi-benchmark")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    dump, megabytes = write_dump(options.folder, options.megabytes)
    if options.one:
        measure(dump, megabytes, options.threads[0])
        return
    print(f"# {megabytes:.1f} MB of XML, {dump.stat().st_size / 1e6:.1f} MB packed")
    columns = "threads pass seconds MB_per_s CPU_seconds MB_per_CPU_s peak_MB contexts"
    print(columns.replace(" ", "\t"), flush=True)
    for threads in options.threads:  # a process each, for its own peak of memory
        arguments = ["--megabytes", f"{options.megabytes}", "--folder", str(options.folder), "--one"]
        subprocess.run([sys.executable, __file__, *arguments, "--threads", str(threads)], check=True)


if __name__ == "__main__":
    main()
