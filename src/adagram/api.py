"""What `import adagram` offers: train a model, load a model."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from adagram.config import EncodeOptions, TrainConfig, check_used, read_options
from adagram.encoded import EncodedCorpus, is_encoded, read_meta
from adagram.errors import InputError
from adagram.model import Model
from adagram.model.about import objective_name
from adagram.model.arguments import checked, checked_path
from adagram.model.model import check_writable
from adagram.options import Number, Switch, Whole, options_of, spelled
from adagram.text.files import STDIN
from adagram.whole import CORPUS, kind_of, locked, remove_folder

if TYPE_CHECKING:
    from adagram.cluster.connection import ClusterOptions
    from adagram.corpus import Progress as Reading
    from adagram.training.ahead import Wait
    from adagram.training.checkpoint import Saving
    from adagram.training.progress import Report
    from adagram.training.start import Start
    from adagram.vocabulary import Vocabulary

Sources = str | Path | Sequence[str | Path] | Iterable[Sequence[str]]


def load(path: str | Path, raw: bool = False) -> Model:
    """Open a model by memory map, in milliseconds; `raw` ignores the editor's journal.

    A model is a folder, a zip or tar file of one, or `hf:owner/name` on the Hugging Face Hub; only a folder can be
    written to.

    >>> load("model")
    <adagram.Model: 13 words, ... senses, ... words with several, adagram, dim 16>
    """
    from adagram.places import folder_of

    checked_path(path, "path")
    folder, archive = folder_of(path)
    return Model.load(folder, raw, archive)


def load_writable(path: str | Path, raw: bool = False) -> Model:
    """Load a model for a verb that writes into its folder; InputError, before anything is fetched, if it cannot."""
    from adagram.model.storage import read_only
    from adagram.places import is_archive

    checked_path(path, "path")
    if is_archive(path):
        raise read_only(path)
    model = Model.load(path, raw)
    check_writable(model)
    return model


def train(
    corpus: Sources,
    output: str | Path | None = None,
    *,
    resume: bool = False,
    overwrite: bool = False,
    checkpoint_minutes: float = 5.0,
    report: Report | None = None,
    ray: str | bool = False,
    workers: int = 0,
    start: Model | str | Path | None = None,
    **options: Any,
) -> Model:
    """Train a model on a path, glob, encoded corpus, or an iterable of paths, texts or token lists.

    `options` are the fields of `TrainConfig` (dim, alpha, window, …) and of `adagram.corpus.EncodeOptions`
    (min_count, stop_words, …), named as on the command line; `preset="paper"` gives the paper's
    values to the others. With `output` the model is saved there, and checkpoints are written beside it; a
    model that is there already is replaced only with `overwrite`, when the new one is complete. With `ray`, the address
    of a Ray cluster or True for a local one, `workers` processes train together. With `start`, a model or its folder,
    training goes on from there: its senses keep their numbers, and its options hold where no others are given. A text
    that can be read once only, an iterator or "-", is then a stream: it is learned as it comes, and words that are new
    in it join the model with the next text.

    >>> train([["money", "bank"], ["river", "bank"]] * 50, dim=4, min_count=1, threads=1).vocabulary.words
    ['bank', 'money', 'river']
    """
    from adagram.training.checkpoint import Saving
    from adagram.training.notebook import notebook_report

    beginning = start_of(start) if start is not None else None
    config, encoding = beginning.options(options) if beginning else read_options(options)
    check_used(options, config.algorithm)
    check_encoded(corpus, options)
    workers = checked(workers, "workers", Whole(0, 1_000_000))
    if report is not None and not callable(report):
        raise InputError(f"report is {spelled(report)}; it must be a function that takes the progress")
    if workers and not ray:
        raise InputError(
            f"workers is {workers}, but there is no Ray cluster; threads={workers} uses cores of this machine, "
            "ray=True starts workers"
        )
    saving = Saving(
        None if output is None else checked_path(output, "output"),
        checked(checkpoint_minutes, "checkpoint_minutes", Number(0.0, 1e6)),
        checked(resume, "resume", Switch()),
        checked(overwrite, "overwrite", Switch()),
    )
    cluster = None
    if ray:
        from adagram.cluster.connection import LOCAL, ClusterOptions

        cluster = ClusterOptions(LOCAL if ray is True else ray, workers)
    report = report or notebook_report(objective_name(config)) or (lambda progress: None)
    return train_any(corpus, config, encoding, saving, Listener(report), cluster, beginning)


def start_of(model: Model | str | Path, say: Callable[[str], None] = warnings.warn) -> Start:
    """A run goes on from a model, or from the folder of one; `say` hears what is assumed."""
    from adagram.training.start import Start

    return Start(model if isinstance(model, Model) else load(model), say)


@dataclass(frozen=True)
class Listener:
    """Who hears of the progress: `reading` while the corpus is read, `training` after that."""

    training: Report
    reading: Reading | None = None


def train_any(
    corpus: Sources,
    config: TrainConfig,
    encoding: EncodeOptions,
    saving: Saving,
    listener: Listener,
    cluster: ClusterOptions | None = None,
    start: Start | None = None,
) -> Model:
    """Encode the corpus if it is not encoded yet, then train, here or on a cluster."""
    from adagram.training.ahead import compiled_ahead

    if config.memory and start is None:
        raise InputError(f"memory is {config.memory:g}, but no model is continued; leave it out, or name one")
    known = start.vocabulary(config.memory) if start else None
    with ExitStack() as stack:
        wait = stack.enter_context(compiled_ahead(config)) if cluster is None else lambda: None

        def train_here(encoded: EncodedCorpus) -> Model:
            if start:
                start.warn_of_text(encoded.meta.get("text"))
            if cluster:
                from adagram.cluster.train import train_on_ray

                return train_on_ray(encoded, config, saving, listener.training, cluster, start=start)
            wait()
            from adagram.training.run import train_encoded

            return train_encoded(encoded, config, saving, listener.training, start=start)

        def encode(folder: Path, temporary_for: str | None) -> EncodedCorpus:
            return _encode(corpus, folder, encoding, listener, temporary_for, start, known)

        if start and not cluster and is_stream(corpus):
            return _train_stream(corpus, config, encoding, saving, listener.training, start, wait)
        if is_encoded_corpus(corpus) and not start:
            return _train_encoded(Path(corpus), saving, train_here)
        return _train_text(encode, saving, train_here)


def _train_stream(
    corpus: Sources,
    config: TrainConfig,
    encoding: EncodeOptions,
    saving: Saving,
    report: Report,
    start: Start,
    wait: Wait,
) -> Model:
    from adagram.streaming.run import train_stream
    from adagram.training.checkpoint import check_places

    with locked(saving.output) if saving.output else nullcontext():
        check_places(saving)
        if saving.output and not saving.resume:
            _check_beside(_beside(saving.output), saving)  # that of a run that was given up
        return train_stream(corpus, config, encoding, saving, report, start, wait=wait)


def is_stream(corpus: Sources) -> bool:
    """What can be read once only: standard input, or an iterator."""
    names = [corpus] if isinstance(corpus, str | Path) else corpus
    is_stdin = isinstance(names, list) and [str(name) for name in names] == [STDIN]
    return is_stdin or isinstance(corpus, Iterator)


def _train_encoded(corpus: Path, saving: Saving, train: Callable[[EncodedCorpus], Model]) -> Model:
    from adagram.training.checkpoint import check_places

    if saving.output is None:
        return train(EncodedCorpus.open(corpus))
    with locked(saving.output):
        check_places(saving)
        return train(EncodedCorpus.open(corpus))


def _train_text(
    encode: Callable[[Path, str | None], EncodedCorpus],
    saving: Saving,
    train: Callable[[EncodedCorpus], Model],
) -> Model:
    """The encoded corpus stands beside the model until training is done, so that a stopped run can be resumed."""
    from adagram.training.checkpoint import check_places, kept_for_resuming

    if saving.output is None:
        with tempfile.TemporaryDirectory(prefix="adagram-") as folder:
            return train(encode(Path(folder) / "encoded", None))
    with locked(saving.output):
        check_places(saving)
        beside = _beside(saving.output)
        is_there = _check_beside(beside, saving)
        with kept_for_resuming(beside, saving.output):
            return train(EncodedCorpus.open(beside) if is_there else encode(beside, saving.output.name))


def _encode(
    corpus: Sources,
    folder: Path,
    encoding: EncodeOptions,
    listener: Listener,
    temporary_for: str | None,
    start: Start | None,
    known: Vocabulary | None,
) -> EncodedCorpus:
    """The corpus as ids, those of the model that is continued, if one is."""
    met = start.model.unknown if start else None
    if start and known and is_encoded_corpus(corpus):
        from adagram.corpus.renumber import renumber

        encoded = EncodedCorpus.open(Path(corpus))
        start.check_encoded(encoded)
        return renumber(encoded, known, folder, temporary_for, met)
    from adagram.corpus import encode

    return encode(
        corpus, folder, encoding, listener.reading, temporary_for=temporary_for, known=known, met=met
    )


def check_encoded(corpus: Sources, given: Mapping[str, Any]) -> None:
    """Refuse options that say how to read a corpus which has been read: they would do nothing."""
    names = [name for name in options_of(EncodeOptions) if name in given and name != "threads"]
    if names and is_encoded_corpus(corpus):
        raise InputError(
            f"{names[0]} is {spelled(given[names[0]])}, but {corpus} is encoded already, with its vocabulary; "
            f"give {names[0]} to adagram encode, or train on the text"
        )


def is_encoded_corpus(corpus: Sources) -> TypeGuard[str | Path]:
    return isinstance(corpus, str | Path) and is_encoded(Path(corpus))


def _beside(output: Path) -> Path:
    """Where the encoded corpus of a run stands."""
    return output.with_name(output.name + ".encoded")


def _check_beside(beside: Path, saving: Saving) -> bool:
    """Whether the encoded corpus of a run that is resumed is there; one that is of no use any more is removed."""
    if kind_of(beside) is CORPUS and read_meta(beside).get("temporary_for") == beside.name.removesuffix(
        ".encoded"
    ):
        if saving.resume:
            return True
        remove_folder(beside)
    if beside.exists():
        raise InputError(f"{beside} stands where the encoded corpus would be; move it, or give another name")
    return False
