"""`adagram.train` and `adagram.load`."""

from __future__ import annotations

import inspect
import logging
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard, get_type_hints

from adagram.config import TrainConfig, TrainOptions, check_used, read_options
from adagram.corpus.decode import STDIN
from adagram.corpus.encoded import EncodedCorpus, is_encoded, read_meta
from adagram.corpus.options import EncodeOptions
from adagram.errors import InputError
from adagram.files.atomic import locked, remove_folder
from adagram.files.folders import CORPUS, kind_of
from adagram.model import Model
from adagram.model.arguments import checked_path
from adagram.model.storage import check_writable, read_only
from adagram.options import Flag, FloatRange, IntRange, checked, options_of, spelled
from adagram.types import StageProgress

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from adagram.cluster.connection import ClusterOptions
    from adagram.training.checkpoint import Saving
    from adagram.training.continue_model import PreviousModel
    from adagram.training.progress import Progress

    Report = Callable[[Progress | StageProgress], None]
else:
    Report = Callable[[Any], None]

LOG = logging.getLogger("adagram")
Sources = str | Path | Sequence[str | Path] | Iterable[Sequence[str]]


def load(path: str | Path, raw: bool = False) -> Model:
    """Open a model by memory map, in milliseconds.

    Parameters
    ----------
    path
        A model folder, a zip or tar file of one, `hf:owner/name` on the Hugging Face Hub, or "en", the English model
        that comes with the package. A model folder of that name in the working directory comes first. Only a folder
        can be written to.
    raw
        Ignore the editor's journal: senses as they were learned.

    Raises
    ------
    InputError
        If there is no model, or it is damaged.

    Examples
    --------
    >>> load("model")
    <adagram.Model: 13 words, ... senses, ... words with several, adagram, dim 16>
    """
    from adagram.files.hub import folder_of

    checked_path(path, "path")
    folder, archive = folder_of(path)
    return Model.load(folder, raw, archive)


def load_writable(path: str | Path, raw: bool = False) -> Model:
    """Load a model for a verb that writes into its folder; refuse one that cannot be written to, before it is read."""
    from adagram.files.hub import is_archive

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
    config: TrainConfig | None = None,
    resume: bool = False,
    overwrite: bool = False,
    checkpoint_minutes: float = 5.0,
    report: Report | None = None,
    ray: str | bool = False,
    workers: int | None = None,
    start: Model | str | Path | None = None,
    **options: Unpack[TrainOptions],
) -> Model:
    """Train a model.

    Parameters
    ----------
    corpus
        A path, a glob, an encoded corpus, or an iterable of paths, texts or token lists.
    output
        Folder to save the model to; checkpoints are written beside it. Without it the model is in memory only.
    config
        All options of training, in place of those by name.
    resume
        Go on from the checkpoint of `output`.
    overwrite
        Replace a model that exists, when the new one is complete.
    checkpoint_minutes
        Minutes between checkpoints; 0 writes one only on Ctrl-C.
    report
        Called with the progress: `StageProgress` while the corpus is read, `Progress` while the model is trained. The
        same goes to the logger "adagram", at level INFO. In a notebook the default shows it in the cell.
    ray
        Address of a Ray cluster, or True for one on this machine, with `workers` processes (default: one per CPU).
    start
        A model, or its folder, to continue: its senses keep their numbers, and its options hold unless others are
        given. A text that can be read only once, an iterator or "-", is then learned as a stream; its new words join
        the model with the next text.
    **options
        Fields of `TrainConfig` (dim, alpha, window, …) and of `EncodeOptions` (min_count, stop_words, …), named as on
        the command line; `preset="paper"` gives the paper's values to the others.

    Raises
    ------
    InputError
        If an option or the corpus is not valid, or the output exists.

    Examples
    --------
    >>> train([["money", "bank"], ["river", "bank"]] * 50, dim=4, min_count=1, threads=1).vocabulary.words
    ['bank', 'money', 'river']
    """
    from adagram.training.checkpoint import Saving
    from adagram.training.continue_model import PreviousModel

    if report is not None and not callable(report):
        raise InputError(f"report is {spelled(report)}; it must be a function that takes the progress")
    previous = None
    if start is not None:
        previous = PreviousModel(start if isinstance(start, Model) else load(start), warnings.warn)
    if previous and config is not None:
        raise InputError(f"config holds all options, but {previous.name} has its own; give options by name")
    config, encoding = previous.options(options) if previous else read_options(options, config)
    check_used(options, config.algorithm)
    _check_encoded(corpus, options)
    if config.memory and not previous:
        raise InputError(f"memory is {config.memory:g}, but no model is continued; leave it out, or name one")
    saving = Saving(
        None if output is None else checked_path(output, "output"),
        checked(checkpoint_minutes, "checkpoint_minutes", FloatRange(0.0, 1e6)),
        checked(resume, "resume", Flag()),
        checked(overwrite, "overwrite", Flag()),
    )
    cluster = cluster_options(ray, workers)
    job = _Job(corpus, config, encoding, saving, _logged(report or notebook_report()), previous)
    return job.run(cluster)


def _tell_options(function: Callable[..., Any]) -> None:
    """Put all options into the signature, the type hints and the docstring of `train`: editors read `TrainOptions`."""
    del function.__annotations__["options"]
    hints, types = get_type_hints(function), get_type_hints(TrainOptions)
    fields = options_of(TrainConfig, EncodeOptions)
    own = inspect.signature(function).parameters
    parameters = [own[name].replace(annotation=hints[name]) for name in own if name != "options"]
    lines = []
    for name, type_ in types.items():
        default = fields[name][0].default if name in fields else None
        parameters.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=type_))
        if name in fields:
            about = fields[name][1]
            lines += [f"    {name}", f"        {about.help} Default: {about.unset or spelled(default)}."]
    function.__annotations__ = hints | types
    function.__signature__ = inspect.Signature(parameters, return_annotation=Model)  # type: ignore[attr-defined]
    before, raises, after = (function.__doc__ or "").partition("\n    Raises\n")
    function.__doc__ = "\n".join([before.rstrip(), *lines, raises + after])


_tell_options(train)


def cluster_options(ray: str | bool, workers: int | None) -> ClusterOptions | None:
    """Return the options of a Ray cluster, None to work in this process."""
    if workers is not None:
        workers = checked(workers, "workers", IntRange(1, 1_000_000))
    if not ray:
        if workers:
            raise InputError(
                f"workers is {workers}, but there is no Ray cluster; threads={workers} uses cores of this machine, "
                "ray=True starts workers"
            )
        return None
    from adagram.cluster.connection import LOCAL, ClusterOptions

    return ClusterOptions(LOCAL if ray is True else ray, workers or 0)


def _check_encoded(corpus: Sources, given: Mapping[str, Any]) -> None:
    """Refuse options of reading for a corpus that is encoded: they would do nothing."""
    names = [name for name in options_of(EncodeOptions) if name in given and name != "threads"]
    if names and _is_encoded(corpus):
        raise InputError(
            f"{names[0]} is {spelled(given[names[0]])}, but {corpus} is encoded already, with its vocabulary; "
            f"give {names[0]} to adagram encode, or train on the text"
        )


def _is_encoded(corpus: Sources) -> TypeGuard[str | Path]:
    return isinstance(corpus, str | Path) and is_encoded(Path(corpus))


def _is_stream(corpus: Sources) -> bool:
    """Return whether a corpus can be read only once: standard input, or an iterator."""
    names = corpus if isinstance(corpus, list) else [corpus]
    return isinstance(corpus, Iterator) or [str(name) for name in names[:2]] == [STDIN]


def _encoded_path(output: Path) -> Path:
    return output.with_name(output.name + ".encoded")


@dataclass(frozen=True)
class _Job:
    """A training run on any corpus: encode it if that has not been done, then train."""

    corpus: Sources
    config: TrainConfig
    encoding: EncodeOptions
    saving: Saving
    report: Report
    previous: PreviousModel | None

    def run(self, cluster: ClusterOptions | None) -> Model:
        from adagram.training.checkpoint import check_places
        from adagram.training.run import train_encoded

        config, saving, previous = self.config, self.saving, self.previous
        with ExitStack() as stack:
            stack.enter_context(locked(saving.output) if saving.output else nullcontext())
            check_places(saving)
            if previous and not cluster and _is_stream(self.corpus):
                from adagram.training.stream import train_stream

                self._reusable()
                return train_stream(self.corpus, config, self.encoding, saving, self.report, previous)
            encoded = stack.enter_context(self._encoded())
            if previous:
                previous.warn_of_text(encoded.meta.get("text"))
            if cluster:
                from adagram.cluster.train import train_on_ray

                return train_on_ray(encoded, config, saving, self.report, cluster, previous_model=previous)
            return train_encoded(encoded, config, saving, self.report, previous_model=previous)

    @contextmanager
    def _encoded(self) -> Iterator[EncodedCorpus]:
        """Open or encode the corpus. What is encoded here stands beside the output until the run cannot be resumed."""
        from adagram.training.checkpoint import has_checkpoint

        output = self.saving.output
        if _is_encoded(self.corpus) and not self.previous:
            yield EncodedCorpus.open(Path(self.corpus))
        elif output is None:
            with tempfile.TemporaryDirectory(prefix="adagram-") as folder:
                yield self._encode(Path(folder) / "encoded", None)
        else:
            is_there, beside = self._reusable(), _encoded_path(output)
            try:
                yield EncodedCorpus.open(beside) if is_there else self._encode(beside, output.name)
            finally:
                if not has_checkpoint(output) and kind_of(beside) is CORPUS:
                    remove_folder(beside)

    def _reusable(self) -> bool:
        """Return whether the encoded corpus of the run to resume exists; delete that of a run that was given up."""
        if self.saving.output is None:
            return False
        path, name = _encoded_path(self.saving.output), self.saving.output.name
        if kind_of(path) is CORPUS and read_meta(path).get("temporary_for") == name:
            if self.saving.resume:
                return True
            remove_folder(path)
        if path.exists():
            raise InputError(f"{path} stands where the encoded corpus would be; move it, or give another name")
        return False

    def _encode(self, folder: Path, temporary_for: str | None) -> EncodedCorpus:
        """Encode the corpus; the ids are those of the model that is continued."""
        from adagram.corpus.encoder import encode, renumber

        previous = self.previous
        known = previous.vocabulary(self.config.memory) if previous else None
        rare = previous.model._continuation.unknown if previous else None
        if previous and known and _is_encoded(self.corpus):
            encoded = EncodedCorpus.open(Path(self.corpus))
            previous.check_encoded(encoded)
            return renumber(encoded, known, folder, temporary_for, rare)
        return encode(self.corpus, folder, self.encoding, self.report, False, temporary_for, known, rare)


def _logged(report: Report | None) -> Report:
    """Send the progress to the logger "adagram" too."""

    def both(progress: Progress | StageProgress) -> None:
        LOG.info(progress_line(progress))
        if report:
            report(progress)

    return both


def training_line(progress: Progress) -> str:
    """Return the state of a training as one line of text."""
    name = "objective" if progress.likelihood is None else "likelihood"
    return (
        f"{progress.how_far}  {progress.words_per_second / 1000:.0f} k words/s  ETA {progress.time_left}  "
        f"{name} {getattr(progress, name):.3f}  {progress.live_senses:.2f} senses/word  rate {progress.rate:.4f}"
    )


def notebook_report() -> Report | None:
    """Return a report that keeps a line of a notebook's cell up to date; None outside of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if getattr(shell, "kernel", None) is None:  # IPython in a terminal has none
        return None
    return lambda progress: print(f"\r{progress_line(progress):<100}", end="", flush=True)


def progress_line(progress: Progress | StageProgress) -> str:
    return str(progress) if isinstance(progress, StageProgress) else training_line(progress).strip()
