"""What a corpus in another language, or of lemmas, becomes: words, never clauses; and a model asked in the same way."""

from pathlib import Path

import pytest

import adagram
from adagram import config
from adagram.config import EncodeOptions
from adagram.corpus.encode import encode
from adagram.errors import AdagramError, InputError, MissingExtraError
from adagram.evaluation.protocol import find_word

CHINESE = "苹果公司今天发布了新手机。\n银行利率没有变。\n"
RIVERS = "The rivers flooded their banks and the banks lent money. " * 30


@pytest.fixture
def no_icu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "can_cut", lambda: False)


def encoded(tmp_path: Path, text: str, **options: object) -> list[str]:
    return encode([text], tmp_path / "out", EncodeOptions(min_count=1, **options)).vocabulary.words


def test_a_chinese_text_becomes_words(tmp_path: Path) -> None:
    assert {"苹果", "公司", "银行", "手机"} <= set(encoded(tmp_path, CHINESE))


@pytest.mark.usefixtures("no_icu")
def test_clauses_are_never_words_in_silence(tmp_path: Path) -> None:
    with pytest.raises(MissingExtraError, match=r'3 of 3 words.*pip install "adagram\[languages\]"'):
        encoded(tmp_path, "苹果公司今天发布了新手机，很好。\n银行利率没有变。")
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("no_icu")
def test_a_name_in_another_script_is_left_whole_with_a_warning(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="1 runs of a script without spaces were left whole"):
        assert "北京" in encoded(tmp_path, "Beijing (北京) is a city. " + "word " * 40)


def test_words_between_spaces_need_no_library(tmp_path: Path) -> None:
    assert encoded(tmp_path, "苹果公司 银行", pretokenized=True) == ["苹果公司", "银行"]


def test_a_model_of_lemmas_maps_what_it_is_asked(tmp_path: Path) -> None:
    adagram.train([RIVERS], tmp_path / "m", lemmas="en", min_count=5, dim=8, threads=1)
    model = adagram.load(tmp_path / "m")
    assert sorted(model) == ["and", "bank", "flood", "lend", "money", "river", "the", "their"]
    assert model.senses("Banks")[0].name == "bank#0"
    assert model.tokenize("Rivers flooded") == ["river", "flood"]
    as_text, as_words = (model.disambiguate("banks", c) for c in ("rivers flooded", ["rivers", "flooded"]))
    assert as_text.known == as_words.known == 2
    assert find_word(model, "banks.n") == "bank"
    assert (model.assign(["rivers", "nothing"])[0] >= 0).tolist() == [True, False]


def test_token_lists_become_lemmas_too(tmp_path: Path) -> None:
    corpus = encode([["rivers", "River"]] * 2, tmp_path / "out", EncodeOptions(min_count=1, lemmas="en"))
    assert "river" in corpus.vocabulary


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"lemmas": "xx"}, "lemmas is 'xx'; it must be one of ar"),
        ({"lemmas": "en", "unit": "lemma"}, "unit is 'lemma', so lemmas come with the corpus"),
        ({"language": "english"}, "it must be one of ar, .* all other languages need none"),
        ({"language": "tr", "tokenizer": str.split}, "leave out pretokenized, fold_case, language"),
    ],
)
def test_what_cannot_be_done_is_refused(options: dict[str, object], sentence: str) -> None:
    with pytest.raises((InputError, AdagramError), match=sentence):
        EncodeOptions(**options)
