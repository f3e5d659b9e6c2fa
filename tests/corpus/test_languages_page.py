"""The three commands of docs/languages.md, on small made dumps in four languages: two senses of a homonym."""

from __future__ import annotations

import bz2
import json
import random
from pathlib import Path

import pytest

from adagram.cli import main

# Options, a homonym, words around each of its meanings, and how words are joined.
LANGUAGES = {
    "de": (
        [],
        "Bank",
        "Kredit Zinsen Konto Sparkasse Geld Filiale Kunde Schulden Aktien Überweisung",
        "Park Garten Sitz Holz Baum Pause Spaziergang Rücken Wiese Schatten",
        " ",
    ),
    "ru": (
        ["--language", "ru"],
        "коса",
        "трава сено поле луг лезвие косарь лето урожай деревня роса",
        "волосы девушка лента причёска голова гребень платье красота невеста шёлк",
        " ",
    ),
    "ar": (
        ["--language", "ar"],
        "عين",
        "ماء بئر جبل نهر قرية صحراء شرب وادي مطر أرض",
        "طبيب نظر بصر وجه رأس جفن دموع مرض دواء مستشفى",
        " ",
    ),
    "zh": (
        ["--language", "zh"],
        "杜鹃",
        "森林 鸟类 翅膀 羽毛 歌声 春天 老虎 动物 飞行 昆虫",
        "花园 植物 花朵 颜色 土壤 盆栽 叶子 园艺 公园 阳光",
        "，",
    ),
}


def dump(language: str, path: Path) -> str:
    """Write a dump of 200 articles with markup; return the homonym."""
    _, homonym, first, second, joiner = LANGUAGES[language]
    chosen = random.Random(language)
    pages = []
    for number in range(200):
        topic = (first, second)[number % 2].split()
        lines = []
        for _ in range(15):
            words = chosen.sample(topic, 6)
            lines.append(joiner.join([*words[:3], homonym, *words[3:]]) + ".")
        text = f"'''[[{topic[0]}|{topic[1]}]]''' {{{{info|x=1}}}}\n\n" + "\n\n".join(lines)
        pages.append(
            f"<page><title>{number}</title><ns>0</ns><id>{number + 1}</id><revision><id>1</id>"
            f'<text xml:space="preserve">{text}</text></revision></page>'
        )
    xml = (
        '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" '
        f'xml:lang="{language}">{"".join(pages)}</mediawiki>'
    )
    path.write_bytes(bz2.compress(xml.encode()))
    return homonym


def run(*arguments: str) -> None:
    with pytest.raises(SystemExit) as stop:
        main([*arguments])
    assert stop.value.code == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_dump_becomes_a_model_with_its_senses(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if language == "zh":
        pytest.importorskip("icu4py")
    monkeypatch.chdir(tmp_path)
    homonym = dump(language, Path("dump.xml.bz2"))
    run("train", "dump.xml.bz2", "--output", language, "--dim", "20", *LANGUAGES[language][0])
    capsys.readouterr()
    run("senses", language, homonym, "--json", "--top", "5")
    senses = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(senses) == 2, senses
    found = [{near["sense"].rpartition("#")[0] for near in sense["neighbours"]} for sense in senses]
    topics = [{word.lower() for word in LANGUAGES[language][part].split()} for part in (2, 3)]
    if language == "ru":
        topics = [{word.replace("ё", "е") for word in topic} for topic in topics]
    assert {tuple(near <= topic for topic in topics) for near in found} == {(True, False), (False, True)}, found
