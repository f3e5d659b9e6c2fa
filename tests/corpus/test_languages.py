"""Real sentences, cut as their readers would cut them."""

import pytest

from adagram.corpus import tokenize
from adagram.corpus.tokenize import TokenizerConfig, make_tokenizer
from adagram.errors import MissingExtraError


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

    tokenize.make_cutter.cache_clear()
    monkeypatch.setattr(tokenize, "need", missing)
    assert words("no such script") == "no such script"
    with pytest.raises(MissingExtraError, match=r"adagram\[languages\]"):
        words("苹果公司")
