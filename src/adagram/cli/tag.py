"""`adagram tag`: rewrite a corpus with sense-tagged words."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from adagram.cli.documents import documents_of
from adagram.cli.look import ContextWeightsOption, ModelPath, RawOption, WindowOption
from adagram.cli.options import takes_groups
from adagram.cli.output import OverwriteOption, say, show_json, tell
from adagram.cli.ray_options import Ray, Workers, cluster_options
from adagram.config import DocumentOptions
from adagram.errors import InputError

TaggedAsJson = Annotated[
    bool, typer.Option("--json", help="A line of JSON for every line; with --output one that counts.")
]


def register(app: typer.Typer) -> None:
    app.command()(tag)


@takes_groups(reading=DocumentOptions)
def tag(
    model: ModelPath,
    text: Annotated[
        list[str],
        typer.Argument(
            metavar="TEXT",
            help="Files, folders, globs of any format that `train` reads; - is standard input.",
            show_default=False,
        ),
    ],
    reading: DocumentOptions,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A file (default: standard output).")
    ] = None,
    min_probability: Annotated[
        float, typer.Option(min=0, max=1, help="Leave a word bare if no sense is this probable.")
    ] = 0.0,
    context_weights: ContextWeightsOption = "kept",
    window: WindowOption = None,
    raw: RawOption = False,
    ray: Ray = None,
    workers: Workers = None,
    overwrite: OverwriteOption = False,
    json: TaggedAsJson = False,
) -> None:
    """Rewrite a corpus with sense-tagged words: apple#1 for the second sense of apple.

    Example: adagram tag model/ corpus.txt.gz --min-probability 0.6 --output tagged.txt

    TEXT is read as the model's training text was. Each line of it gives one line of words with spaces between them.
    Words that the model does not know stay bare. The context of a word stays inside its line. With --ray the machines
    of a cluster tag; MODEL must then be on a file system that all of them see.
    """
    from adagram.analysis.tag import tag_documents
    from adagram.api import load

    cluster = cluster_options(ray, workers)
    if cluster and reading.threads:
        raise InputError(f"--threads {reading.threads} is for this machine; with --ray give --workers")
    if cluster and raw:
        raise InputError("--raw is for this machine; on a cluster the journal is followed")
    if sys.stderr.isatty():
        say("tagging (the first run compiles for a few seconds)")
    loaded = load(model, raw).using(context_weights, window)
    with (
        documents_of(text, reading, loaded, is_live=True) as documents,
        _writer(output, overwrite, json) as write,
    ):
        if cluster:
            from adagram.cluster.tag import tag_on_ray

            tally = tag_on_ray(model, documents, write, min_probability, cluster, (context_weights, window))
        else:
            tally = tag_documents(loaded, documents, write, min_probability, reading.threads)
    bare = f"{tally.unknown:,} that the model does not know"
    if min_probability > 0:
        bare += f" and {tally.unsure:,} without a sense of probability {min_probability:g}"
    told = f"tagged {tally.tagged:,} of {tally.words:,} words; left bare: {bare}"
    tell(json and output is not None, told, output=output, **asdict(tally))


@contextmanager
def _writer(output: Path | None, overwrite: bool, as_json: bool) -> Iterator[Callable[[bytes], object]]:
    """Where the tagged text goes: a new file, or standard output as it comes."""
    if output is not None:
        from adagram.files.atomic import new_file

        with new_file(output, overwrite) as made, open(made, "wb") as file:
            yield file.write
        return
    if as_json:
        yield _JsonLines().write
        return
    sys.stdout.flush()
    descriptor = sys.stdout.fileno()  # written to directly: a stuck pipe must not hold the lock of sys.stdout

    def write_all(data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]

    yield write_all


class _JsonLines:
    """Tagged lines as lines of JSON; a long line comes in several pieces."""

    def __init__(self) -> None:
        self._begun = b""

    def write(self, data: bytes) -> None:
        *lines, self._begun = (self._begun + data).split(b"\n")
        for line in lines:
            show_json([("tagged", line.decode("utf-8"))])
