"""The tokenizer, its languages, and scripts without spaces."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import adagram
from adagram.corpus import tokenize as module
from adagram.corpus.encoder import encode
from adagram.corpus.options import EncodeOptions
from adagram.corpus.tokenize import TokenizerConfig, make_tokenizer
from adagram.errors import AdagramError, InputError, MissingExtraError
from adagram.evaluation.wsi import find_word
from model_support import assign

tokenize = make_tokenizer()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello, world!", ["hello", "world"]),
        ("don't Rock'n'Roll 'quoted' dogs'", ["don't", "rock'n'roll", "quoted", "dogs"]),
        ("don’t donʼt", ["don't", "don't"]),
        ("state-of-the-art -- 1914-18 - end-", ["state-of-the-art", "1914-18", "end"]),
        ("3.14 1,000,000 3. ,5 v2.0 a.b", ["3.14", "1,000,000", "3", "5", "v2.0", "a", "b"]),
        ("snake_case x²", ["snake", "case", "x²"]),
        ("cafe\u0301 CAFÉ", ["café", "café"]),
        ("Straße ΛΌΓΟΣ", ["straße", "λόγος"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("می‌خواهم", ["می‌خواهم"]),
        ("שָׁלוֹם צה״ל", ["שָׁלוֹם", "צה״ל"]),
        ("col·lecció", ["col·lecció"]),
        ("Здравствуй, мир", ["здравствуй", "мир"]),
        ("soft\u00adhyphen", ["softhyphen"]),
        ("a\x00b\x1bc \ufeffd", ["a", "b", "c", "d"]),
        ("𝔄𝔟 𐐀𐐨", ["𝔄𝔟", "𐐨𐐨"]),
        ("😀 👍🏽 ok", ["ok"]),
        ("\u0301stray mark", ["stray", "mark"]),
        ("", []),
        ("…!?", []),
    ],
)
def test_words_of_many_scripts(text: str, words: list[str]) -> None:
    assert tokenize(text) == [unicodedata.normalize("NFC", w) for w in words]


def test_numbers_by_choice() -> None:
    no_numbers = make_tokenizer(TokenizerConfig(numbers=False))
    assert no_numbers("In 1984, 3.14 of 20th ½") == ["in", "of", "20th"]


def test_case_by_choice() -> None:
    assert make_tokenizer(TokenizerConfig(fold_case=False))("New York") == ["New", "York"]


def test_pretokenized_text_is_left_alone_but_for_spaces() -> None:
    as_is = make_tokenizer(TokenizerConfig(pretokenized=True))
    assert as_is("Don't  stop ,\t3.14 !\nnew_york 10\u00a0000") == [
        *("Don't", "stop", ",", "3.14", "!", "new_york", "10\u00a0000")
    ]
    folded = make_tokenizer(TokenizerConfig(pretokenized=True, fold_case=True))
    assert folded("Don't STOP!") == ["don't", "stop!"]


def test_very_long_words_are_dropped() -> None:
    assert tokenize("a " + "x" * 1_000_000 + " b " + "y" * 100) == ["a", "b", "y" * 100]


def test_known_phrases_are_joined_as_in_training() -> None:
    join = make_tokenizer(TokenizerConfig(phrase_joiner="_"), {"new_york", "new_york_city", "york_city"})
    assert join("The New York city and York City") == ["the", "new_york_city", "and", "york_city"]


@pytest.mark.parametrize(
    "config", [TokenizerConfig(), TokenizerConfig(pretokenized=True), TokenizerConfig(False, False, max_chars=7)]
)
def test_settings_survive_json(config: TokenizerConfig) -> None:
    assert TokenizerConfig.from_dict(json.loads(json.dumps(config.to_dict()))) == config


def test_unknown_settings_are_refused() -> None:
    with pytest.raises(InputError, match="stemming"):
        TokenizerConfig.from_dict({"stemming": True})


@given(st.text())
def test_tokens_are_clean_and_tokenizing_them_again_changes_nothing(text: str) -> None:
    words = tokenize(text)
    for word in words:
        assert word
        assert unicodedata.is_normalized("NFC", word)
        assert not any(c.isspace() or unicodedata.category(c) == "Cc" for c in word)
        assert any(c.isalnum() for c in word)
    assert tokenize(" ".join(words)) == words


@given(st.text(), st.text(), st.sampled_from(" \n\t\r\x00"))
def test_spaces_separate(left: str, right: str, space: str) -> None:
    assert tokenize(left + space + right) == tokenize(left) + tokenize(right)


@given(st.text())
def test_canonically_equal_texts_give_equal_words(text: str) -> None:
    assert tokenize(unicodedata.normalize("NFD", text)) == tokenize(unicodedata.normalize("NFC", text))


def words(text: str, language: str = "", **settings: bool) -> str:
    return " ".join(make_tokenizer(TokenizerConfig(language=language, cut_unspaced=True, **settings))(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("苹果公司今天发布了新手机，银行利率没有变。", "苹果 公司 今天 发布 了 新 手机 银行 利率 没有 变"),
        ("私は昨日、東京の図書館で本を買う。", "私 は 昨日 東京 の 図書館 で 本 を 買う"),
        ("ฉันไปธนาคารเพื่อฝากเงิน", "ฉัน ไป ธนาคาร เพื่อ ฝาก เงิน"),
        ("ខ្ញុំទៅផ្សារនៅថ្ងៃនេះ។", "ខ្ញុំ ទៅ ផ្សារ នៅ ថ្ងៃនេះ"),
        ("ຂ້ອຍໄປຕະຫຼາດມື້ນີ້", "ຂ້ອຍ ໄປ ຕະຫຼາດ ມື້ນີ້"),
        ("ကျွန်တော်ဈေးသို့သွားသည်။", "ကျွန်တော် ဈေး သို့ သွား သည်"),
        ("购买iPhone 15手机 state-of-the-art技术", "购买 iphone 15 手机 state-of-the-art 技术"),
        ("𠮷野家で食べる", "𠮷 野家 で 食べる"),
        ("한국어는 띄어쓰기를 한다", "한국어는 띄어쓰기를 한다"),
    ],
)
def test_scripts_without_spaces_are_cut_into_words(text: str, expected: str) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("tr", "IŞIK, İstanbul'da ve Ankara’nın IRMAĞI", "ışık istanbul 'da ve ankara 'nın ırmağı"),
        ("", "IŞIK", "işik"),
        ("ru", "За́мок ещё стоит; кто-то открыл замо́к.", "замок еще стоит кто-то открыл замок"),
        ("", "Он ещё в Санкт-Петербурге", "он ещё в санкт-петербурге"),
        ("", "Die Straße „Über den Flüssen“ — E-Mails geht's", "die straße über den flüssen e-mails geht's"),
        ("ar", "ذَهَبَ الوَلَدُ إلى المدرســة", "ذهب الولد إلى المدرسة"),
        ("ar", "والكتاب بالمدرسة، والدين", "و الكتاب ب المدرسة والدين"),
        ("", "كتـــاب", "كتاب"),
        ("hi", "मैं हिन्‍दी पढ़ता हूँ। वह कॉलेज जाएगी।", "मैं हिन्दी पढ़ता हूँ वह कॉलेज जाएगी"),
        ("fr", "L'homme d’aujourd'hui qu'il aime", "l' homme d' aujourd'hui qu' il aime"),
        ("it", "Dell'acqua e un po' d'amore", "dell' acqua e un po d' amore"),
        ("he", "שָׁלוֹם עולם", "שלום עולם"),
        ("ja", "ＡＢＣを買う", "abc を 買う"),
    ],
)
def test_spellings_and_clitics(language: str, text: str, expected: str) -> None:
    from unicodedata import normalize

    assert words(text, language) == normalize("NFC", expected)


def test_case_that_is_kept_keeps_the_dotless_i() -> None:
    assert words("Istanbul İzmir", "tr", fold_case=False) == "Istanbul İzmir"


def test_a_missing_library_is_named_only_when_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: str) -> None:
        raise MissingExtraError('Run: pip install "adagram[languages]"')

    module.make_cutter.cache_clear()
    monkeypatch.setattr(module, "need", missing)
    assert words("no such script") == "no such script"
    with pytest.raises(MissingExtraError, match=r"adagram\[languages\]"):
        words("苹果公司")


CHINESE = "苹果公司今天发布了新手机。\n银行利率没有变。\n"
RIVERS = "The rivers flooded their banks and the banks lent money. " * 30


@pytest.fixture
def no_icu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adagram.corpus.options.can_cut", lambda: False)


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
    assert (assign(model, ["rivers", "nothing"])[0] >= 0).tolist() == [True, False]


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
