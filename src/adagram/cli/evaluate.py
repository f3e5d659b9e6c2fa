"""`adagram evaluate`: score a model, or an answer file, on a public task."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from adagram.api import load
from adagram.cli import options as opt
from adagram.cli.output import log, print_table
from adagram.corpus.languages import ENGLISH
from adagram.errors import InputError
from adagram.files.atomic import write_text
from adagram.options import Flag, IntRange, OneOf, Text, WordList, check_options, option

if TYPE_CHECKING:
    from adagram.evaluation.report import Evaluation, Resampling
    from adagram.evaluation.wsi import ContextRule
    from adagram.evaluation.wsi_data import Key
    from adagram.model import Model

SystemPath = Annotated[Path, Argument(metavar="MODEL|ANSWERS", help="A model folder, or a file of answers to score.")]
DataPath = Annotated[Path, Argument(metavar="DATA", help="The data set.")]
KeyOption = Annotated[Path | None, Option(help="Gold key, if the set has it in a file that is not beside it.")]
AnswersOption = Annotated[
    Path | None, Option(help="Also write the model's answers there, in the task's official format.")
]
PerWordOption = Annotated[bool, Option("--per-word", help="One row per word in place of the totals.")]
PerPairOption = Annotated[bool, Option("--per-pair", help="One row per pair in place of the totals.")]
_option = partial(option, panel="Options")


@dataclass(frozen=True)
class ContextOptions:
    """Which words around a target are its context."""

    context_weights: str = _option(
        "kept",
        OneOf(("kept", "none")),
        "kept: weigh context words as training with --subsample kept them; none: equal weights, as in the paper.",
    )
    stop_words: frozenset[str] = _option(
        frozenset(), WordList({"english": ENGLISH}), "File of words that are never context, or `english`.", unset="none"
    )

    def __post_init__(self) -> None:
        check_options(self)

    def rule(self, window: int | None) -> ContextRule:
        from adagram.evaluation.wsi import ContextRule

        return ContextRule(window, self.stop_words, self.context_weights)


@dataclass(frozen=True)
class ScoreOptions:
    """How a model is opened, and scores are computed and printed."""

    bootstrap: int = _option(1000, IntRange(0, 10**9), "Resamples for the 95 % intervals; 0: none.")
    seed: int = _option(0, IntRange(0, 2**63 - 1), "Seed of the resampling.")
    resolution: str = _option("fine", Text(), opt.RESOLUTION)
    raw: bool = _option(False, Flag("--raw"), "Ignore the journal: senses as they were learned.")
    json: bool = _option(False, Flag("--json"), "Print JSON lines instead of a table.")

    def __post_init__(self) -> None:
        check_options(self)

    @property
    def resampling(self) -> Resampling:
        from adagram.evaluation.report import Resampling

        return Resampling(self.bootstrap, self.seed)

    def load(self, path: Path) -> Model:
        return load(path, self.raw).at(self.resolution)

    def print(self, result: Evaluation, per_item: bool = False) -> None:
        """Print the totals or the rows per item on stdout, the remarks on stderr."""
        rows: list[dict[str, Any]] = result.per_item if per_item else [vars(score) for score in result.scores]
        if rows:
            print_table(list(rows[0]), (list(row.values()) for row in rows), self.json, number="{:.4f}".format)
        for remark in result.remarks:
            log(remark)


def wsi(
    system: SystemPath,
    data: DataPath,
    context: ContextOptions,
    score: ScoreOptions,
    key: KeyOption = None,
    window: opt.WindowOption = None,
    answers: AnswersOption = None,
    overwrite: opt.OverwriteOption = False,
    per_word: PerWordOption = False,
) -> None:
    """Word sense induction: ARI, V-measure and paired F of the most probable senses.

    DATA: a TSV (target, instance_id, sense, left, right, surface), SemEval-2007, 2010 or 2013 XML (a file or
    a folder), dataset.txt with its key.txt, or wwsi.txt; to score ANSWERS, a gold key alone is enough.
    """
    from adagram.evaluation.wsi import score_wsi
    from adagram.evaluation.wsi_data import key_text

    opt.check_output(answers, system, data, key)
    gold, found = _gold_and_answers(system, data, key, context.rule(window), 1.0, score)
    result = score_wsi(gold, found, score.resampling)
    _save_answers(answers, system, key_text(found) if answers else "", overwrite)
    score.print(result, per_word)


def fuzzy(
    system: SystemPath,
    data: DataPath,
    context: ContextOptions,
    score: ScoreOptions,
    key: KeyOption = None,
    window: opt.WindowOption = None,
    share: Annotated[
        float, Option(min=0.0, max=1.0, help="Minimum posterior of an answered sense, as a share of the best sense's.")
    ] = 0.1,
    answers: AnswersOption = None,
    overwrite: opt.OverwriteOption = False,
    per_word: PerWordOption = False,
) -> None:
    """Graded word sense induction (SemEval-2013 task 13): fuzzy NMI and fuzzy B-cubed of the posteriors.

    DATA and ANSWERS in the same forms as for wsi; --share 1 answers with the most probable sense alone.
    """
    from adagram.evaluation.wsi import score_fuzzy
    from adagram.evaluation.wsi_data import key_text

    opt.check_output(answers, system, data, key)
    gold, found = _gold_and_answers(system, data, key, context.rule(window), share, score)
    result = score_fuzzy(gold, found, score.resampling)
    _save_answers(answers, system, key_text(found) if answers else "", overwrite)
    score.print(result, per_word)


def search(
    system: SystemPath,
    data: DataPath,
    context: ContextOptions,
    score: ScoreOptions,
    answers: AnswersOption = None,
    overwrite: opt.OverwriteOption = False,
    per_query: Annotated[
        bool, Option("--per-query", "--per-word", help="One row per query in place of the totals.")
    ] = False,
) -> None:
    """Search-result diversification: S-recall@K and S-precision@r, and RI, ARI, JI and F1 of the clusters.

    DATA: a folder with topics.txt, results.txt and STRel.txt (SemEval-2013 task 11, AMBIENT, MORESQUE).
    """
    from adagram.evaluation.search import cluster_results, clusters_text, read_clusters, read_search_set, score_search

    opt.check_output(answers, system)
    queries = read_search_set(data)
    if _is_model(system):
        clusters = cluster_results(score.load(system), queries, context.rule(None))
    else:
        clusters = read_clusters(system)
    result = score_search(queries, clusters, score.resampling)
    _save_answers(answers, system, clusters_text(clusters) if answers else "", overwrite)
    score.print(result, per_query)


def scws(
    model: opt.ModelPath,
    data: DataPath,
    score: ScoreOptions,
    window: opt.WindowOption = None,
    context_weights: opt.ContextWeightsOption = "kept",
    per_pair: PerPairOption = False,
) -> None:
    """Contextual word similarity: Spearman correlation x 100 of AvgSimC, MaxSimC, AvgSim and globalSim.

    AvgSimC is the expected cosine of the senses; AvgSimC/K1K2 divides it by the numbers of senses of both words.

    DATA: ratings.txt of SCWS (Huang et al. 2012).
    """
    from adagram.evaluation.similarity import read_scws, score_scws

    pairs, rule = read_scws(data), ContextOptions(context_weights).rule(window)
    score.print(score_scws(score.load(model), pairs, rule, score.resampling), per_pair)


def similarity(model: opt.ModelPath, data: DataPath, score: ScoreOptions, per_pair: PerPairOption = False) -> None:
    """Word similarity without context: Spearman correlation x 100 with human ratings.

    DATA: lines of two words and a rating (WordSim-353, SimLex-999, MEN, RareWords).
    """
    from adagram.evaluation.similarity import read_similarity, score_similarity

    pairs = read_similarity(data)
    score.print(score_similarity(score.load(model), pairs, score.resampling), per_pair)


def analogy(
    model: opt.ModelPath,
    data: DataPath,
    score: ScoreOptions,
    most_frequent: Annotated[
        int, Option(min=4, help="Take answers from this many of the most frequent words.")
    ] = 30_000,
) -> None:
    """Analogies by vector offset: share of questions whose answer is the nearest word.

    DATA: lines of four words, sections begun by ': name' (Google's questions-words.txt).
    """
    from adagram.evaluation.similarity import read_analogies, score_analogies

    questions = read_analogies(data)
    score.print(score_analogies(score.load(model), questions, most_frequent, score.resampling))


def change(model: opt.ModelPath, data: DataPath, score: ScoreOptions, per_word: PerWordOption = False) -> None:
    """Change of meaning between two periods: ARI of the senses, and words ranked by change against gold.

    DATA: a folder with uses.tsv (target, sense, left, right, period: 1 or 2) and change.tsv (target, change_graded,
    change_binary), as in DWUG. Baselines: change of the number of uses in the set, and cosine of the
    two periods' mean context vectors.
    """
    from adagram.evaluation.change import read_change_set, score_change, score_words

    uses, gold = read_change_set(data)
    scores, unknown = score_words(score.load(model), uses, gold)
    score.print(score_change(scores, unknown, score.resampling), per_word)


_TASKS = (wsi, fuzzy, search, scws, similarity, analogy, change)
evaluate = opt.group("evaluate", "Score a model, or an answer file, on a public task.", *_TASKS)


def _is_model(system: Path) -> bool:
    """Return whether MODEL|ANSWERS names a model: a folder, a packed one or one on the Hub."""
    from adagram.files.hub import is_archive

    return system.is_dir() or is_archive(system)


def _gold_and_answers(
    system: Path, data: Path, key: Path | None, rule: ContextRule, share: float, score: ScoreOptions
) -> tuple[Key, Key]:
    """Return the gold senses, and the answers of a model or of an answer file."""
    from adagram.evaluation.wsi import disambiguate, graded_answers
    from adagram.evaluation.wsi_data import gold_key, read_gold, read_instances, read_key

    if not _is_model(system):
        return read_gold(data, key), read_key(system)
    model = score.load(system)
    instances = read_instances(data, key)
    return gold_key(instances), graded_answers(model, disambiguate(model, instances, rule), share)


def _save_answers(path: Path | None, system: Path, text: str, overwrite: bool) -> None:
    """Write the answers of a model, if --answers names a file."""
    if path is None:
        return
    if not _is_model(system):
        raise InputError(f"--answers {path}: {system} already is an answer file; nothing to write")
    write_text(path, text, overwrite)
    log(f"answers written to {path}")
