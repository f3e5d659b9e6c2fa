"""Documents keep the fields of their records, whatever the format."""

from __future__ import annotations

import json

import pytest

from adagram.config import EncodeOptions
from adagram.corpus.documents import CorpusReport, ReadState
from adagram.corpus.readers import read_documents
from adagram.errors import InputError

VERTICAL = """<doc id="a1" year="1999" country='FR'>
<s>
The\tDT\tthe
bank\tNN\tbank
</s>
<s>
closed\tVBD\tclose
</s>
</doc>
<doc id="a2" year="2001">
<s>
Rivers\tNNS\triver
</s>
</doc>
"""
CONLLU = """# newdoc id = a1
# year = 1999
# sent_id = 1
1\tThe\tthe\tDET\t_\t_\t_\t_\t_\t_
2\tbank\tbank\tNOUN\t_\t_\t_\t_\t_\t_

# sent_id = 2
1\tclosed\tclose\tVERB\t_\t_\t_\t_\t_\t_

# newdoc id = a2
# year = 2001
1\tRivers\triver\tNOUN\t_\t_\t_\t_\t_\t_
"""


def read(*names, **options):
    return list(
        read_documents(
            list(map(str, names)), ReadState(EncodeOptions(**options), CorpusReport(), needs_fields=True)
        )
    )


def test_json_lines_and_parquet_give_the_same_documents(tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [{"text": "The bank", "year": 1999, "id": "a"}, {"text": "Rivers", "year": 2001, "id": "b"}]
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, rows)))
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "c.parquet")
    assert read(tmp_path / "c.jsonl") == read(tmp_path / "c.parquet")
    assert [(d.name, d.text, d.fields["year"]) for d in read(tmp_path / "c.jsonl")] == [
        ("a", "The bank", 1999),
        ("b", "Rivers", 2001),
    ]


def test_attributes_of_vertical_and_comments_of_conllu_are_fields(tmp_path):
    (tmp_path / "c.vert").write_text(VERTICAL)
    (tmp_path / "c.conllu").write_text(CONLLU)
    for name in ("c.vert", "c.conllu"):
        first, second = read(tmp_path / name)
        assert (first.name, first.text, first.fields["year"]) == ("a1", "The bank\nclosed", "1999")
        assert (second.name, second.text, second.fields["year"]) == ("a2", "Rivers", "2001")
    assert read(tmp_path / "c.vert")[0].fields["country"] == "FR"
    assert read(tmp_path / "c.vert", unit="lemma")[0].text == "the bank\nclose"


def test_plain_text_is_named_by_its_file(tmp_path):
    (tmp_path / "1999").mkdir()
    (tmp_path / "1999" / "news.txt").write_text("one line\nanother\n")
    (document,) = read(tmp_path)
    assert document.name == str(tmp_path / "1999" / "news.txt")
    assert document.text.split("\n")[:2] == ["one line", "another"]


def test_damaged_records_are_refused_or_left_out(tmp_path):
    (tmp_path / "c.jsonl").write_text('{"text": "good"}\n{"text": \n')
    with pytest.raises(InputError, match="line 2: this is not a JSON record"):
        read(tmp_path / "c.jsonl")
    assert [d.text for d in read(tmp_path / "c.jsonl", skip_bad=True)] == ["good"]
