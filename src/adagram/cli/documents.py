"""Documents of a corpus for the verbs that go through them, with progress."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from adagram.cli.output import say
from adagram.cli.progress import progress_bar

if TYPE_CHECKING:
    from adagram.desk.options import DocumentOptions
    from adagram.text.documents import Document

DateField = Annotated[
    str | None, typer.Option("--date", help="Field with the date, to show it.", show_default="none")
]


@contextmanager
def documents_of(corpus: list[str], options: DocumentOptions) -> Iterator[Iterator[Document]]:
    """The documents of a corpus; what was left out is said at the end."""
    from adagram.corpus.documents import read_documents
    from adagram.corpus.state import CorpusReport

    report = CorpusReport()
    with progress_bar() as progress:
        yield read_documents(corpus, options.encoding, report, progress)
    for what, n in report.skipped.items():
        say(f"left out {n:,}: {what}")
    for bad in report.bad_sources:
        say(f"left out the rest of {bad.name}: {bad.reason}")


def date_of(document: Document, field: str | None) -> str:
    """The date of a document as it stands in its record, "" without one."""
    value = document.fields.get(field or "")
    return "" if value is None else str(value)
