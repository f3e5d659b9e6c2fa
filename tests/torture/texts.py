"""Good files, as text."""

from __future__ import annotations

PAGES = "".join(
    f"<page><title>T{i}</title><ns>0</ns><revision><text>The ''cat'' [[sat|sits]] &amp;lt; {{{{x|y=1}}}} on &lt;b&gt; "
    f"mat {i}.\n{{| class=a\n| b\n|}}</text></revision></page>\n"
    for i in range(20)
)
DUMP = f'<?xml version="1.0" encoding="utf-8"?><mediawiki>{PAGES}</mediawiki>'
XML = (
    '<?xml version="1.0"?><corpus><lexelt item="add.v"><instance id="add.v.1">to <head>add</head> &amp; more</instance>'
    '<instance id="add.v.2" lemma="add" partOfSpeech="v" token="add" tokenStart="3" tokenEnd="6">to add it</instance>'
    "</lexelt><access.n.1>the <TargetSentence>access was free</TargetSentence> here</access.n.1></corpus>"
)
KEY = "add.v add.v.1 add.1/3 add.2/1\nadd.v add.v.2 add.2\naccess.n access.n.1 access.1\n"
INSTANCES = (
    "target\tinstance_id\tsense\tleft\tright\tsurface\n"
    "bank\tbank.1\tm\tthe cash\tloan\tbank\nbank\tbank.2\tm/4|r/1\triver\tmud\tbank\n"
)
RULES = """\
min_count = 7
window = 4
disambiguation_templates = ["disambig", "hndis"]
primary_topic = true
[implied_categories]
"surname" = "surnames"
[tokenizer]
fold_case = false
numbers = true
"""
SEARCH = {
    "topics.txt": "ID\tdescription\n1\tthe_bank\n2\tjava\n",
    "results.txt": "ID\turl\ttitle\tsnippet\n1.1\tu\tt\ta <b>bank</b> &amp; &#65; x\n1.2\tu\tt\ts\n2.1\tu\tt\ts\n",
    "STRel.txt": "subTopicID\tresultID\n1.1\t1.1\n1.2\t1.2\n2.1\t2.1\n",
}
CHANGES = {
    "uses.tsv": "target\tsense\tleft\tright\tperiod\nbank\tm\tthe\tloan\t1\nbank\tr\triver\tmud\t2\n",
    "change.tsv": "target\tchange_graded\tchange_binary\nbank\t0.5\t1\n",
}
SOURCES = {
    "plain.txt": "The cat sat on the mat. It slept!\n" * 20,
    "records.jsonl": '{"text": "the cat sat", "id": 3}\n' * 10,
    "dump.xml": DUMP,
    "wiki_00": '<doc id="1" title="T">\nT\n\nthe cat &amp; &#65; dog\n</doc>\n' * 5,
    "trees.conllu": "# year = 1990\n1\tA\ta\tDET\t_\t_\t2\tdet\t_\t_\n2\tcat\tcat\tNOUN\t_\t_\t0\troot\t_\t_\n\n" * 5,
    "corpus.vert": '<doc year="1990">\n<s>\nThe\tDT\tthe\ncat\tNN\tcat\n</s>\n</doc>\n' * 5,
}  # fmt: skip
DATED = "".join(
    f'{{"text": "a{i % 7} a{i % 5} a{i % 3} a{i % 11} a{i % 4}", "year": {2000 + i % 6}}}\n' for i in range(240)
)


def senses_dump() -> str:
    """A dump from which `adagram wwsi` makes a data set: two meanings of Crane and what links to them."""
    pages = {
        "Crane": "{{disambig}} Crane may be: * [[Crane (bird)]] * [[Crane (machine)]]",
        "Crane (bird)": "A [[Crane (bird)|crane]] is tall. The crane dances and the crane flies.",
        "Crane (machine)": "The tower crane lifts parts. A crane stands there.",
    }
    for i in range(6):
        kind = ("bird", "machine")[i % 2]
        pages[f"Article {i}"] = f"Here an old [[Crane ({kind})|crane]] stands, the crane number {i} of the town."
    made = (
        f"<page><title>{title}</title><ns>0</ns><id>{i}</id><revision><text>{text}</text></revision></page>"
        for i, (title, text) in enumerate(pages.items(), 1)
    )
    return f"<mediawiki>{''.join(made)}</mediawiki>"
