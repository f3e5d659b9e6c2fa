"""Character references of HTML and XML."""

from __future__ import annotations

import html
import re

_TOO_LONG = re.compile(r"&#(?:[0-9]{8,}|[xX][0-9a-fA-F]{8,});?")  # beyond all characters


def unescape(text: str) -> str:
    """References replaced by their characters; those beyond all characters by U+FFFD, at any length.

    >>> unescape("&lt;&#65;&#" + "9" * 5000 + ";")
    '<A\\ufffd'
    """
    return html.unescape(_TOO_LONG.sub("\ufffd", text))
