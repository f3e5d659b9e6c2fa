"""`adagram evaluate`: score a model, or an answer file, on a public task."""

from __future__ import annotations

from typing import Annotated

import typer

from adagram.cli import evaluate_support as shared
from adagram.cli.evaluate_support import (
    AnswersOption,
    BootstrapOption,
    DataPath,
    JsonOption,
    KeyOption,
    ModelPath,
    PerPairOption,
    PerQueryOption,
    PerWordOption,
    SeedOption,
    StopWordsOption,
    SystemPath,
)
from adagram.cli.look import ContextWeightsOption, RawOption, WindowOption
from adagram.cli.output import OverwriteOption

app = typer.Typer(
    help="Score a model, or an answer file, on a public task.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def register(root: typer.Typer) -> None:
    root.add_typer(app, name="evaluate")


@app.command()
def wsi(
    system: SystemPath,
    data: DataPath,
    key: KeyOption = None,
    window: WindowOption = None,
    context_weights: ContextWeightsOption = "kept",
    stop_words: StopWordsOption = None,
    answers: AnswersOption = None,
    overwrite: OverwriteOption = False,
    per_word: PerWordOption = False,
    bootstrap: BootstrapOption = 1000,
    seed: SeedOption = 0,
    raw: RawOption = False,
    json: JsonOption = False,
) -> None:
    """Word sense induction: ARI, V-measure and paired F of the most probable senses.

    DATA: a TSV (target, instance_id, sense, left, right, surface), SemEval-2007, 2010 or 2013 XML (a file or
    a folder), dataset.txt with its key.txt, or wwsi.txt; to score ANSWERS, a gold key alone is enough.
    """
    from adagram.evaluation.protocol import hard_answers
    from adagram.evaluation.report import Resampling
    from adagram.evaluation.wsi import score_wsi
    from adagram.evaluation.wsi_data import key_text

    rule = shared.context_rule(window, stop_words, context_weights)
    gold, found = shared.gold_and_answers(system, data, key, rule, hard_answers, raw)
    report = score_wsi(gold, found, Resampling(bootstrap, seed))
    shared.save_answers(answers, system, key_text(found) if answers else "", overwrite)
    shared.emit(report, per_word, json)


@app.command()
def fuzzy(
    system: SystemPath,
    data: DataPath,
    key: KeyOption = None,
    window: WindowOption = None,
    context_weights: ContextWeightsOption = "kept",
    stop_words: StopWordsOption = None,
    share: Annotated[
        float,
        typer.Option(
            min=0.0, max=1.0, help="Least posterior of an answered sense, as a share of the best's."
        ),
    ] = 0.1,
    answers: AnswersOption = None,
    overwrite: OverwriteOption = False,
    per_word: PerWordOption = False,
    bootstrap: BootstrapOption = 1000,
    seed: SeedOption = 0,
    raw: RawOption = False,
    json: JsonOption = False,
) -> None:
    """Graded word sense induction (SemEval-2013 task 13): fuzzy NMI and fuzzy B-cubed of the posteriors.

    DATA and ANSWERS in the same forms as for wsi; --share 1 answers with the most probable sense alone.
    """
    from functools import partial

    from adagram.evaluation.protocol import graded_answers
    from adagram.evaluation.report import Resampling
    from adagram.evaluation.wsi import score_fuzzy
    from adagram.evaluation.wsi_data import key_text

    rule = shared.context_rule(window, stop_words, context_weights)
    gold, found = shared.gold_and_answers(system, data, key, rule, partial(graded_answers, share=share), raw)
    report = score_fuzzy(gold, found, Resampling(bootstrap, seed))
    shared.save_answers(answers, system, key_text(found) if answers else "", overwrite)
    shared.emit(report, per_word, json)


@app.command()
def search(
    system: SystemPath,
    data: DataPath,
    stop_words: StopWordsOption = None,
    context_weights: ContextWeightsOption = "kept",
    answers: AnswersOption = None,
    overwrite: OverwriteOption = False,
    per_query: PerQueryOption = False,
    bootstrap: BootstrapOption = 1000,
    seed: SeedOption = 0,
    raw: RawOption = False,
    json: JsonOption = False,
) -> None:
    """Search-result diversification: S-recall@K and S-precision@r, and RI, ARI, JI and F1 of the clusters.

    DATA: a folder with topics.txt, results.txt and STRel.txt (SemEval-2013 task 11, AMBIENT, MORESQUE).
    """
    from adagram.evaluation.report import Resampling
    from adagram.evaluation.search import (
        cluster_results,
        clusters_text,
        read_clusters,
        read_search_set,
        score_search,
    )

    queries = read_search_set(data)
    if shared.is_model(system):
        rule = shared.context_rule(None, stop_words, context_weights)
        clusters = cluster_results(shared.load_model(system, raw), queries, rule)
    else:
        clusters = read_clusters(system)
    report = score_search(queries, clusters, Resampling(bootstrap, seed))
    shared.save_answers(answers, system, clusters_text(clusters) if answers else "", overwrite)
    shared.emit(report, per_query, json)


@app.command()
def scws(
    model: ModelPath,
    data: DataPath,
    window: WindowOption = None,
    context_weights: ContextWeightsOption = "kept",
    per_pair: PerPairOption = False,
    bootstrap: BootstrapOption = 1000,
    seed: SeedOption = 0,
    raw: RawOption = False,
    json: JsonOption = False,
) -> None:
    """Contextual word similarity: Spearman correlation x 100 of AvgSimC, MaxSimC, AvgSim and globalSim.

    AvgSimC is the expected cosine of the senses; AvgSimC/K1K2 divides it by the numbers of senses of both words.

    DATA: ratings.txt of SCWS (Huang et al. 2012).
    """
    from adagram.evaluation.report import Resampling
    from adagram.evaluation.similarity import read_scws, score_scws

    rule = shared.context_rule(window, None, context_weights)
    pairs = read_scws(data)
    report = score_scws(shared.load_model(model, raw), pairs, rule, Resampling(bootstrap, seed))
    shared.emit(report, per_pair, json)


@app.command()
def similarity(
    model: ModelPath,
    data: DataPath,
    per_pair: PerPairOption = False,
    bootstrap: BootstrapOption = 1000,
    seed: SeedOption = 0,
    raw: RawOption = False,
    json: JsonOption = False,
) -> None:
    """Word similarity without context: Spearman correlation x 100 with human ratings.

    DATA: lines of two words and a rating (WordSim-353, SimLex-999, MEN, RareWords).
    """
    from adagram.evaluation.report import Resampling
    from adagram.evaluation.similarity import read_similarity, score_similarity

    pairs = read_similarity(data)
    report = score_similarity(shared.load_model(model, raw), pairs, Resampling(bootstrap, seed))
    shared.emit(report, per_pair, json)


@app.command()
def analogy(
    model: ModelPath,
    data: DataPath,
    most_frequent: Annotated[
        int, typer.Option(min=4, help="Answers come from so many frequent words.")
    ] = 30_000,
    bootstrap: BootstrapOption = 1000,
    seed: SeedOption = 0,
    raw: RawOption = False,
    json: JsonOption = False,
) -> None:
    """Analogies by vector offset: share of questions whose answer is the nearest word.

    DATA: lines of four words, sections begun by ': name' (Google's questions-words.txt).
    """
    from adagram.evaluation.analogy import read_analogies, score_analogies
    from adagram.evaluation.report import Resampling

    questions = read_analogies(data)
    report = score_analogies(
        shared.load_model(model, raw), questions, most_frequent, Resampling(bootstrap, seed)
    )
    shared.emit(report, per_item=False, json=json)


@app.command()
def change(
    model: ModelPath,
    data: DataPath,
    per_word: PerWordOption = False,
    bootstrap: BootstrapOption = 1000,
    seed: SeedOption = 0,
    raw: RawOption = False,
    json: JsonOption = False,
) -> None:
    """Change of meaning between two periods: ARI of the senses, and words ranked by change against gold.

    DATA: a folder with uses.tsv (target, sense, left, right, period: 1 or 2) and change.tsv (target, change_graded,
    change_binary), as DWUG has them. Baselines: change of the number of uses in the set, and cosine of the
    two periods' mean context vectors.
    """
    from adagram.evaluation.change import read_change_set, score_change, score_words
    from adagram.evaluation.report import Resampling

    uses, gold = read_change_set(data)
    scores, unknown = score_words(shared.load_model(model, raw), uses, gold)
    shared.emit(score_change(scores, unknown, Resampling(bootstrap, seed)), per_word, json)
