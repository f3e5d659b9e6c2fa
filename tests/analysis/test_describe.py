"""The sense sheet and what is made of it: collocates, examples, labels, concordance lines."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from adagram.analysis.concordance import collocates_of, examples_of, find_uses
from adagram.analysis.describe import Collocations, describe, split_sentences, suggest_merges
from adagram.analysis.uses import uses_of
from adagram.model import Model
from adagram.model.edits import append_line
from adagram.model.sheet import SHEET, Entry, Example, different, entry_of
from adagram.model.storage import JOURNAL
from analysis.dated import dated_documents

DOCUMENTS = dated_documents([0.5] * 5, per_year=60)


def entries_of(model: Model, word: str) -> list[Entry]:
    rows = model.rows(word)
    return [entry_of(model, row) for row in range(rows.start, rows.stop)]


def year(document):
    return str(document.fields["year"])


@pytest.fixture(scope="module")
def described(planted_folder, tmp_path_factory):
    folder = tmp_path_factory.mktemp("described") / "model"
    shutil.copytree(planted_folder, folder)
    describe(Model.load(folder), DOCUMENTS, folder, year, threads=2)
    return folder


def topics(words):
    return {word[: len("topic0")] for word in words}


def test_the_sheet_tells_the_senses_apart(described):
    model = Model.load(described)
    entries = entries_of(model, "planted")
    assert len(entries) == len(model.senses("planted"))
    likely = sorted(entries, key=lambda e: -e.hard)[:2]
    assert sum(entry.hard for entry in entries) == len(DOCUMENTS)
    assert sum(entry.expected for entry in entries) == pytest.approx(len(DOCUMENTS), abs=0.1)
    found = [topics(c.word for c in entry.collocates) for entry in likely]
    assert sorted(map(sorted, found)) == [["topic0"], ["topic1"]]
    for entry, topic in zip(likely, found, strict=True):
        assert topics(entry.label.split(", ")) == topic
        assert 1 <= len(entry.examples) <= 5  # twelve words make few sentences that are not alike
        for example in entry.examples:
            assert topics(w for w in model.tokenize(example.text) if w != "planted") == topic
            document = next(d for d in DOCUMENTS if d.name == example.document)
            assert (example.text, example.date) == (document.text, year(document))


def test_the_sheet_is_one_line_of_json_per_learned_sense(described):
    lines = (described / SHEET).read_text().splitlines()
    model = Model.load(described)
    assert [json.loads(line)["sense"] for line in lines] == model.names(slice(0, model.n_senses))


def test_labels_are_shown_and_an_editors_comes_first(described, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(described, folder)
    senses = Model.load(folder).senses("planted")
    assert all(topics(sense.label.split(", ")) <= {"topic0", "topic1"} for sense in senses[:2])
    append_line(folder / JOURNAL, "label planted#1 the other thing")
    assert Model.load(folder).senses("planted")[1].label == "the other thing"


def test_the_entry_of_a_merged_sense_sums_up_its_members(described, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(described, folder)
    before = entries_of(Model.load(folder), "planted")
    append_line(folder / JOURNAL, "merge planted 0 1")
    model = Model.load(folder)
    entry = entry_of(model, model.row("planted#1"))
    assert entry.hard == before[0].hard + before[1].hard
    assert topics(c.word for c in entry.collocates) == {"topic0", "topic1"}
    assert {e.text for e in entry.examples} <= {e.text for b in before for e in b.examples}


def test_an_interrupted_description_leaves_nothing(planted_folder, tmp_path):
    def stopped():
        yield from DOCUMENTS[:50]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        describe(Model.load(planted_folder), stopped(), tmp_path, year)
    assert list(tmp_path.iterdir()) == []


def test_a_small_table_still_has_the_strongest_collocates(planted_model):
    """Pairs beyond the room are forgotten, the rarest first."""
    uses = uses_of(planted_model, DOCUMENTS)
    large, small = Collocations(planted_model), Collocations(planted_model, slots=128)
    for tables in (large, small):
        tables.add(uses)
        tables.add(uses)
    strongest, left = large.strongest(), small.strongest()
    kept = set(zip(left.rows.tolist(), left.words.tolist(), strict=True))
    assert 0 < len(kept) < 128
    assert kept <= set(zip(strongest.rows.tolist(), strongest.words.tolist(), strict=True))


def test_collocates_are_counted_as_they_stand(planted_model):
    """Against a plain count over the windows of all uses."""
    uses = uses_of(planted_model, DOCUMENTS)
    tables = Collocations(planted_model)
    tables.rates[:] = 1.0
    tables.add(uses)
    row, w = planted_model.rows("planted").start, planted_model.vocabulary.id("planted")
    window, counted = planted_model.config.window, {}
    for d, end in enumerate(uses.ends):
        begin = uses.ends[d - 1] if d else 0
        for i in range(begin, end):
            if uses.ids[i] == w and uses.posteriors[i].argmax() == 0:
                around = [*uses.ids[max(begin, i - window) : i], *uses.ids[i + 1 : min(end, i + window + 1)]]
                for c in around:
                    counted[c] = counted.get(c, 0) + 1
    pairs = tables.strongest(top=1000)
    mine = pairs.rows == row
    assert mine.any()
    for c, n in zip(pairs.words[mine], pairs.counts[mine], strict=True):
        assert counted[c] == n


def test_examples_do_not_repeat_themselves():
    same = [Example(f"the cat sat on the mat {n}", "d", "", 1.0) for n in "abc"]
    other = Example("dogs bark at night in summer", "d", "", 0.9)
    assert different([*same, other], 5) == [same[0], other]


def test_sentences_end_where_a_capital_follows():
    assert split_sentences("One is 3.5 high. Two? (Three!) Four.") == ["One is 3.5 high.", "Two?", "(Three!)", "Four."]


def test_a_concordance_has_every_use_in_its_place(planted_model):
    hits = list(find_uses(planted_model, "planted", DOCUMENTS, year, width=30))
    assert len(hits) == len(DOCUMENTS)
    for hit, document in zip(hits, DOCUMENTS, strict=True):
        assert hit.left + hit.keyword + hit.right in document.text
        assert hit.keyword.lower() == "planted"
        assert hit.sentence == document.text
        assert hit.row in range(*planted_model.rows("planted").indices(10**9))
        assert 0.0 < hit.probability <= 1.0


def test_examples_and_collocates_without_a_sheet(planted_model):
    hits = list(find_uses(planted_model, "planted", DOCUMENTS, year))
    for row, examples in examples_of(planted_model, "planted", hits, 3).items():
        uses = [hit for hit in hits if hit.row == row]
        assert {e.text for e in examples} <= {hit.sentence for hit in uses}
        if len(uses) > 30:
            assert len(topics(c.word for c in collocates_of(planted_model, row, hits))) == 1


def test_senses_with_one_vector_are_suggested_for_merging():
    from model_support import random_model

    model = random_model()
    vectors = np.array(model.arrays["vectors"])
    vectors[2] = vectors[0] * 1.01
    arrays = dict(model.arrays) | {"vectors": vectors, "norms": np.linalg.norm(vectors, axis=1).astype(np.float32)}
    first = suggest_merges(Model(arrays, model.vocabulary, model.info))[0]
    assert (first.word, first.first, first.second) == ("w0", "0", "2")
    assert first.cosine == pytest.approx(1.0)


def test_only_content_words_are_collocates_and_in_labels(described, tmp_path, monkeypatch):
    model = Model.load(described)

    def words(folder):
        entries = [json.loads(line) for line in (folder / SHEET).read_text().splitlines()]
        labels = [word for entry in entries for word in entry["label"].split(", ")]
        return {c["word"] for entry in entries for c in entry["collocates"]}, labels

    common = max(words(described)[1], key=words(described)[1].count)
    monkeypatch.setattr(
        "adagram.analysis.describe.content_words", lambda model: np.array([word != common for word in model])
    )
    describe(model, DOCUMENTS, tmp_path, year)
    collocates, labels = words(tmp_path)
    assert common not in collocates
    assert common not in labels
