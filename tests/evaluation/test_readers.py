"""Data-set readers on hand-made samples of every form, and on damaged files."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adagram.errors import AdagramError, InputError
from adagram.evaluation.search import clusters_text, read_clusters, read_search_set
from adagram.evaluation.similarity import read_analogies, read_scws, read_similarity
from adagram.evaluation.wsi_data import (
    Instance,
    key_text,
    read_gold,
    read_instances,
    read_key,
    read_tsv,
    read_xml,
    split_at_target,
)

HEADER = "target\tinstance_id\tsense\tleft\tright\tsurface\n"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_tsv(tmp_path):
    rows = "bank.n\tbank.n.1\tRiver bank\tdown by the\tof the “Thames”\tbanks\nbank.n\tbank.n.2\ta/4|b/2\t\t\t\n"
    path = write(tmp_path / "set.tsv", HEADER + rows)
    first, second = read_instances(path)
    river = {"River bank": 1.0}
    assert first == Instance("bank.n", "bank.n.1", "down by the", "of the “Thames”", "banks", river)
    assert second.senses == {"a": 4.0, "b": 2.0}


def test_a_repeated_line_of_a_key_is_harmless(tmp_path):
    """The official scorers take such files."""
    once = write(tmp_path / "once.key", "w w.1 s/2 t/1\nw w.2 s\n")
    twice = write(tmp_path / "twice.key", "w w.1 s/2 t/1\nw w.2 s\nw w.1 s/2 t/1\n")
    assert read_key(twice) == read_key(once)


def test_compressed_tsv_and_columns_in_another_order(tmp_path):
    path = tmp_path / "set.tsv.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbfsense\ttarget\tinstance_id\tright\tleft\r\nS\tw\t1\tr\tl\r\n"))
    assert read_instances(path) == [Instance("w", "1", "l", "r", "", {"S": 1.0})]


def test_dataset_txt_finds_the_key_beside_it_and_matches_by_id(tmp_path):
    data = write(tmp_path / "dataset.txt", "access.n 2\nbuilding\tto the sea\ngranting\tto azt\nadd.v 1\nthey\tup\n")
    write(tmp_path / "key.txt", "access.n access.n.2 s1\nadd.v add.v.1 s1\naccess.n access.n.1 s2\n")
    instances = read_instances(data)
    assert [(i.id, i.left, i.right, i.senses) for i in instances] == [
        ("access.n.1", "building", "to the sea", {"s2": 1.0}),
        ("access.n.2", "granting", "to azt", {"s1": 1.0}),
        ("add.v.1", "they", "up", {"s1": 1.0}),
    ]


def test_wwsi_txt(tmp_path):
    island = "Java_(island)\t50\t2\n1\non java lies\n0\nJava is warm\n"
    language = "Java_(language)\t40\t1\n2\ncode in Java\n"
    found = read_instances(write(tmp_path / "wwsi.txt", "Java\tJava\t900\t2\n" + island + language))
    assert [(i.id, i.left, i.surface, i.right, *i.senses) for i in found] == [
        ("java.x.1", "on", "java", "lies", "Java_(island)"),
        ("java.x.2", "", "Java", "is warm", "Java_(island)"),
        ("java.x.3", "code in", "Java", "", "Java_(language)"),
    ]


def test_semeval_2007_xml(tmp_path):
    text = """<?xml version="1.0"?>
<!DOCTYPE corpus SYSTEM "lexical-sample.dtd">
<corpus lang="english"><lexelt item="explain.v">
<instance id="explain.v.1" corpus="wsj"> AT&T could not <head> explain </head> the fall . </instance>
</lexelt></corpus>"""
    (found,) = read_xml(write(tmp_path / "senseinduction.xml", text))
    assert found == Instance("explain.v", "explain.v.1", "AT&T could not", "the fall .", "explain")


def test_senseval_2_xml_of_2013(tmp_path):
    text = """<corpus lang="english"><lexelt item="become.v"><instance id="become.v.1">
<answer instance="become.v.1" senseid="x"/><context>Wolf has  <head>become</head>  a consultant.</context>
</instance></lexelt></corpus>"""
    (found,) = read_xml(write(tmp_path / "test.xml", text))
    assert (found.target, found.left, found.surface, found.right) == ("become.v", "Wolf has", "become", "a consultant.")


def test_semeval_2010_xml_folder_with_key(tmp_path):
    noun = """<access.n.test>
<access.n.1>Ports grew .
<TargetSentence>They accessed the building with access to the sea .</TargetSentence> Ships came .</access.n.1>
</access.n.test>"""
    sentence = "<TargetSentence>He swore an oath .</TargetSentence>"
    verb = f"<swear.v.test><swear.v.1>{sentence}</swear.v.1></swear.v.test>"
    write(tmp_path / "data" / "nouns" / "access.n.xml", noun)
    write(tmp_path / "data" / "verbs" / "swear.v.xml", verb)
    key = write(tmp_path / "all.key", "access.n access.n.1 s1\nswear.v swear.v.1 s2\n")
    first, second = read_instances(tmp_path / "data", key)
    assert (first.left, first.surface) == ("Ports grew . They accessed the building with", "access")
    assert first.right == "to the sea . Ships came ."
    assert (second.target, second.left, second.surface, second.right) == ("swear.v", "He", "swore", "an oath .")


def test_semeval_2013_xml_by_places(tmp_path):
    common = 'lemma="win" partOfSpeech="v"'
    text = f"""<instances {common}>
<instance id="win.v.1" {common} token="won" tokenStart="11" tokenEnd="14">Who won? I won twice.</instance>
<instance id="win.v.2" {common} token="wins" tokenStart="90" tokenEnd="95">She wins.</instance>
</instances>"""
    first, second = read_xml(write(tmp_path / "win.v.xml", text))
    assert (first.target, first.left, first.right) == ("win.v", "Who won? I", "twice.")
    assert (second.left, second.surface, second.right) == ("She", "wins", ".")


@pytest.mark.parametrize(
    ("sentence", "target", "surface"),
    [
        ("The men laid it down", "lay.v", "laid"),
        ("A cell is one of many cells", "cell.n", "cell"),
        ("They stuck to it", "stick.v", "stuck"),
        ("Happenings happen", "happen.v", "happen"),
    ],
)
def test_an_unmarked_target_is_found_by_its_form(sentence, target, surface):
    left, found, right = split_at_target(sentence, target)
    assert found == surface
    assert left + found + right == sentence


def test_keys_round_trip(tmp_path):
    key = {"win.v": {"win.v.1": {"a": 1.0}, "win.v.2": {"a": 1.0, "b": 0.25}}}
    assert read_key(write(tmp_path / "k", key_text(key))) == key


def test_a_missing_weight_makes_all_weights_one(tmp_path):
    path = write(tmp_path / "k", "win.v win.v.1 a/3 b\n")
    assert read_gold(path) == {"win.v": {"win.v.1": {"a": 1.0, "b": 1.0}}}


def test_search_set_and_clusters(tmp_path):
    write(tmp_path / "topics.txt", "ID\tdescription\n1\tsoul_food\n")
    results = "1.1\tu\tSoul <b>food</b>\tfried &amp; hot\n1.2\tu\tA film\tabout\nfood\n1.3\tu\tA song\n"
    write(tmp_path / "results.txt", "ID\turl\ttitle\tsnippet\n" + results)
    write(tmp_path / "STRel.txt", "subTopicID\tresultID\n1.1\t1.1\n1.2\t1.2\n")
    (query,) = read_search_set(tmp_path)
    assert query.text == "soul food"
    assert [text.split() for text in query.results.values()] == [
        ["Soul", "food", "fried", "&", "hot"],
        ["A", "film", "about", "food"],
        ["A", "song"],
    ]
    assert query.annotated == ["1.1", "1.2"]
    clusters = {"1": [["1.1", "1.3"], ["1.2"]]}
    assert read_clusters(write(tmp_path / "answers", clusters_text(clusters))) == clusters


def test_pair_sets(tmp_path):
    scws = "1\tbank\tn\tmoney\tn\tthe <b> bank </b> pays\t<b>money</b> , spent\t7.5" + "\t7.5" * 10 + "\n"
    (pair,) = read_scws(write(tmp_path / "ratings.txt", scws))
    assert (pair.first.left.strip(), pair.second.right.strip(), pair.rating) == ("the", ", spent", 7.5)
    pairs = read_similarity(write(tmp_path / "ws.csv", "Word 1,Word 2,Human (mean)\nlove,sex,6.77\n"))
    assert [(p.first.word, p.second.word, p.rating) for p in pairs] == [("love", "sex", 6.77)]
    (question,) = read_analogies(write(tmp_path / "q.txt", ": capital common\nAthens Greece Rome Italy\n"))
    assert (question.section, question.words[-1]) == ("capital-common", "Italy")


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.tsv", "target\tinstance_id\tleft\n", "line 1: the header lacks the column sense"),
        ("a.tsv", HEADER + "bank\tbank.1\ts\tl\n", "line 2: expected 6 tab-separated cells, found 4"),
        ("a.tsv", HEADER + "w\t1\ts\tl\tr\tw\n" * 2, "the instance id 1 of w occurs twice"),
        ("a.tsv", HEADER, "holds no instances"),
        ("a.xml", "<corpus><lexelt>\n</corpus>", "line 2: not well-formed XML"),
        ("a.xml", "<corpus></corpus>", "holds no instance"),
        ("a.txt", "access.n 3\nl\tr\n", "ends too early: access.n has 1 of its 3 contexts"),
        ("a.txt", "access.n 1\nno tab here\n", "line 2: expected left and right context"),
        ("wwsi.txt", "J\tj\t9\t1\nJ_(x)\t5\t1\n", "ends too early: a context of J_\\(x\\) is missing"),
        ("wwsi.txt", "J\tj\t9\t1\nJ_(x)\t5\t1\n7\na b\n", "line 4: the target's place 7 is past the 2 words"),
        ("a.key", "w w.1 s\nw w.1 s\n", "a key without contexts"),
        ("odd", "hello\n", "line 1: not a data set this program knows, found 'hello'"),
        ("empty", "", "line 1: not a data set"),
    ],
)
def test_bad_data_sets_are_named_with_line_and_reason(tmp_path, name, text, reason):
    path = write(tmp_path / name, text)
    with pytest.raises(InputError, match=reason) as caught:
        read_instances(path)
    assert name in str(caught.value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("w w.1\n", "line 1: expected target, instance and sense"),
        ("w w.1 s\nw w.1 t\n", "line 2: instance w.1 of w was answered otherwise before"),
        ("w w.1 s/x\n", "line 1: the weight of sense s should be a number, found 'x'"),
        ("w w.1 s/-1\n", "the weight of sense s is negative"),
        ("w w.1 s/nan\n", "should be a number"),
        ("\n", "holds no answers"),
    ],
)
def test_bad_keys_are_named_with_line_and_reason(tmp_path, text, reason):
    with pytest.raises(InputError, match=reason):
        read_key(write(tmp_path / "k", text))


def test_a_key_of_another_set_is_refused(tmp_path):
    data = write(tmp_path / "dataset.txt", "access.n 1\nl\tr\n")
    with pytest.raises(InputError, match=r"names none of the 1 instances"):
        read_instances(data, write(tmp_path / "other.key", "add.v add.v.1 s\n"))
    with pytest.raises(InputError, match="no gold senses and no key"):
        read_instances(data)


readers = [read_instances, read_gold, read_tsv, read_key, read_xml, read_scws, read_similarity, read_analogies]
pieces = st.sampled_from([b"target\t", b"w.n w.n.1 s", b"\t", b"\n", b" 3", b"<a>", b"&", b"\xff", b"\x00", b"1"])


@given(st.lists(st.one_of(pieces, st.binary(max_size=8)), max_size=30).map(b"".join))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_read_or_refused_in_one_sentence(tmp_path, content):
    path = tmp_path / "anything"
    path.write_bytes(content)
    for read in (*readers, read_clusters):
        sentence = ""
        try:
            read(path)
        except AdagramError as error:
            sentence = str(error)
        assert "\n" not in sentence
