"""What a page title says: the word it is about, and the sense in brackets."""

from __future__ import annotations

from adagram.text.tokenizer import TokenizerConfig, clean, make_tokenizer


class TitleReader:
    """Splits `WORD (qualifier)`; a title that is not one word of the tokenizer is about no word."""

    def __init__(self, config: TokenizerConfig) -> None:
        self._tokenize = make_tokenizer(config)
        self._fold = bool(config.fold_case)

    def read(self, title: str) -> tuple[str, str | None]:
        """The word ("" if the name is not a single word) and the qualifier in brackets, if any.

        >>> reader = TitleReader(TokenizerConfig())
        >>> reader.read("Mouse (computing)"), reader.read("Mouse"), reader.read("Ice cream (food)")
        (('mouse', 'computing'), ('mouse', None), ('', 'food'))
        """
        name, bracket, qualifier = title.partition(" (")
        if not bracket or not qualifier.endswith(")"):
            return self._word(title), None
        return self._word(name), qualifier[:-1]

    def _word(self, name: str) -> str:
        if " " in name:
            return ""
        tokens = self._tokenize(name)
        # As long as the name: "C++" is not the word "c".
        is_whole = len(tokens) == 1 and len(tokens[0]) == len(clean(name, self._fold))
        return tokens[0] if is_whole else ""
