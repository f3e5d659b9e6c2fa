"""The options that say how a corpus is read, shared by every verb that takes one."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

if TYPE_CHECKING:
    from adagram.corpus import EncodeOptions

_READING, _VOCABULARY = "Reading the corpus", "Vocabulary"

Corpus = Annotated[
    list[str],
    typer.Argument(
        metavar="CORPUS", help="Files, folders, globs, `hf:NAME` data sets; `-` is stdin.", show_default=False
    ),
]
Threads = Annotated[int | None, typer.Option(min=1, help="Threads to use.", show_default="all cores")]


def _options(
    *,
    format: Annotated[
        str | None,
        typer.Option(
            help="text, mediawiki, wikiextractor, jsonl, parquet, datasets, conllu or vertical.",
            show_default="found from name and content",
            rich_help_panel=_READING,
        ),
    ] = None,
    column: Annotated[
        str,
        typer.Option(help="Column with the text (parquet, JSON lines, datasets).", rich_help_panel=_READING),
    ] = "text",
    split: Annotated[
        str | None, typer.Option(help="Split of a data set.", show_default="all", rich_help_panel=_READING)
    ] = None,
    unit: Annotated[
        str, typer.Option(help="word, lemma or lemma_pos (CoNLL-U, vertical).", rich_help_panel=_READING)
    ] = "word",
    pretokenized: Annotated[
        bool,
        typer.Option(
            "--pretokenized", help="Words are what stands between spaces.", rich_help_panel=_READING
        ),
    ] = False,
    fold_case: Annotated[
        bool | None,
        typer.Option(
            "--fold-case/--keep-case",
            help="Lower-case all words.",
            show_default="fold, but keep with --pretokenized",
            rich_help_panel=_READING,
        ),
    ] = None,
    numbers: Annotated[
        bool,
        typer.Option("--numbers/--no-numbers", help="Keep words without letters.", rich_help_panel=_READING),
    ] = True,
    skip_bad: Annotated[
        bool,
        typer.Option(
            "--skip-bad",
            help="Go on after damaged files and lines, and count them.",
            rich_help_panel=_READING,
        ),
    ] = False,
    phrases: Annotated[
        int, typer.Option(min=0, help="Passes of joining phrases such as new_york.", rich_help_panel=_READING)
    ] = 0,
    phrase_min_count: Annotated[
        int, typer.Option(min=1, help="Pairs that occur less often stay apart.", rich_help_panel=_READING)
    ] = 20,
    phrase_threshold: Annotated[
        float, typer.Option(min=0, help="Higher: fewer phrases.", rich_help_panel=_READING)
    ] = 100.0,
    min_count: Annotated[
        int, typer.Option(min=1, help="Drop words that occur less often.", rich_help_panel=_VOCABULARY)
    ] = 20,
    max_words: Annotated[
        int | None,
        typer.Option(min=1, help="Keep only so many words.", show_default="all", rich_help_panel=_VOCABULARY),
    ] = None,
    remove_top: Annotated[
        int, typer.Option(min=0, help="Drop so many of the most frequent words.", rich_help_panel=_VOCABULARY)
    ] = 0,
    stop_words: Annotated[
        Path | None, typer.Option(help="File with words to drop, one per line.", rich_help_panel=_VOCABULARY)
    ] = None,
    pattern: Annotated[
        str | None,
        typer.Option(
            help="Keep only words that this regular expression matches whole.", rich_help_panel=_VOCABULARY
        ),
    ] = None,
    vocabulary: Annotated[
        Path | None,
        typer.Option(help="Word-count file: use these words and counts.", rich_help_panel=_VOCABULARY),
    ] = None,
) -> EncodeOptions:
    """The options as one object."""
    from adagram.corpus import EncodeOptions, PhraseOptions
    from adagram.text.tokenizer import TokenizerConfig

    return EncodeOptions(
        tokenizer=TokenizerConfig(fold_case=fold_case, numbers=numbers, pretokenized=pretokenized),
        min_count=min_count,
        max_words=max_words,
        remove_top=remove_top,
        stop_words=_read_words(stop_words),
        pattern=pattern,
        vocabulary=vocabulary,
        phrases=PhraseOptions(passes=phrases, min_count=phrase_min_count, threshold=phrase_threshold),
        format=format,
        column=column,
        split=split,
        unit=unit,
        skip_bad=skip_bad,
    )


def takes_corpus_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a verb all corpus options; it receives them as one argument, `corpus_options: EncodeOptions`."""
    shared = inspect.signature(_options).parameters
    hints = get_type_hints(_options, localns={"EncodeOptions": Any}, include_extras=True)

    @functools.wraps(command)
    def wrapper(**values: Any) -> Any:
        corpus_options = _options(**{name: values.pop(name) for name in shared})
        return command(**values, corpus_options=corpus_options)

    own = {n: p for n, p in inspect.signature(command).parameters.items() if n != "corpus_options"}
    own_hints = get_type_hints(command, localns={"EncodeOptions": Any}, include_extras=True)
    parameters = [p.replace(kind=p.KEYWORD_ONLY, annotation=own_hints[n]) for n, p in own.items()]
    parameters += [p.replace(annotation=hints[n]) for n, p in shared.items()]
    wrapper.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    wrapper.__annotations__ = {p.name: p.annotation for p in parameters}
    return wrapper


def _read_words(path: Path | None) -> frozenset[str]:
    from adagram.errors import InputError

    if path is None:
        return frozenset()
    try:
        return frozenset(path.read_text(encoding="utf-8").split())
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the stop-word file {path} cannot be read: {error}") from error
