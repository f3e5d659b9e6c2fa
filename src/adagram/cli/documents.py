"""Documents of a corpus for the verbs that go through text, with progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from adagram.cli.options import corpus_paths
from adagram.cli.output import say
from adagram.cli.progress import progress_bar
from adagram.config import DocumentOptions

if TYPE_CHECKING:
    from adagram.corpus.documents import Document
    from adagram.model import Model

DateField = Annotated[
    str | None, typer.Option("--date", help="Field with the date, to show it.", show_default="none")
]


@contextmanager
def documents_of(
    corpus: list[str], options: DocumentOptions, model: Model, is_live: bool = False
) -> Iterator[Iterator[Document]]:
    """The documents of a corpus, read as the model's text was; what was left out is said at the end."""
    from adagram.corpus.readers import read_as_trained

    with progress_bar() as progress:
        documents, report = read_as_trained(corpus_paths(corpus), model.info, options, progress, is_live)
        yield documents
    if report.replaced_utf8:
        say(f"replaced {report.replaced_utf8:,} invalid bytes or characters")
    for what, n in report.skipped.items():
        say(f"left out {n:,}: {what}")
    for bad in report.bad_sources:
        say(f"left out the rest of {bad.name}: {bad.reason}")


def dates_by(field: str | None, skip_bad: bool) -> Callable[[Document], str]:
    """The date of a document as it stands in its record, "" if none is asked for."""
    from adagram.analysis.epochs import missing_field
    from adagram.errors import InputError

    def date_of(document: Document) -> str:
        if field is None:
            return ""
        if field not in document.fields and not skip_bad:
            raise InputError(f"{document.name}: {missing_field(document, field)}; name another --date")
        value = document.fields.get(field)
        return "" if value is None else str(value)

    return date_of
