"""Show examples that stand in the text of a docstring, outside its Examples section, as code (read by mkdocstrings)."""

from __future__ import annotations

import re
from typing import Any

import griffe

# A paragraph that begins with a prompt, unless it follows the underline of a section.
EXAMPLE = re.compile(r"(?<!---\n)^(?P<code>>>> .*(?:\n.+)*)", re.MULTILINE)


class FenceExamples(griffe.Extension):
    """Put fences around examples."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring and "Examples\n---" not in obj.docstring.value:
            obj.docstring.value = EXAMPLE.sub(r"```pycon\n\g<code>\n```", obj.docstring.value)
