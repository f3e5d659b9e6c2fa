"""The small hand-written dump, and its expected data set worked out by hand."""

from __future__ import annotations

import bz2
from pathlib import Path

import pytest

from adagram.experiments.wwsi.build import Files
from adagram.experiments.wwsi.rules import SenseRules, load_rules

SMALL = Path(__file__).with_name("small.xml")

# window 2, at least 6 occurrences, 2 contexts a sense, 2 senses a word
EXPECTED = """\
target	instance_id	sense	left	right	surface
crane	crane.x.1	Crane (bird)	the	is tall	crane
crane	crane.x.2	Crane (bird)	tall a	dances cranes	crane
crane	crane.x.3	Crane (machine)	tower	lifts crane	crane
crane	crane.x.4	Crane (machine)	crane lifts	parts	crane
crane	crane.x.5	Lifting device	each	here old	crane
crane	crane.x.6	Lifting device	here old	there crane	crane
crane	crane.x.7	Lifting device	crane there	end	crane
mouse	mouse.x.1	MOUSE		means minimal	mouse
mouse	mouse.x.2	MOUSE	in 1953	flew	mouse
mouse	mouse.x.3	Mouse	the	is a	mouse
mouse	mouse.x.4	Mouse	rodent a	eats seeds	mouse
mouse	mouse.x.5	Mouse	eats seeds	life every	mouse
mouse	mouse.x.6	Mouse	life every	sleeps	mouse
mouse	mouse.x.7	Mouse (computing)	a	moves a	mouse
mouse	mouse.x.8	Mouse (computing)	pointer the	button clicks	mouse
mouse	mouse.x.9	Mouse (computing)	this unclosed		mouse
mouse	mouse.x.10	Mouse (hidden)		one then	mouse
mouse	mouse.x.11	Mouse (hidden)	one then	two category	mouse
élan	élan.x.1	Élan (Magazin)		erschien 1950	élan
élan	élan.x.2	Élan (Magazin)	1950 das	endete	élan
élan	élan.x.3	Élan (ski)		baut ski	élan
élan	élan.x.4	Élan (ski)	ski der	fährt	élan
"""


@pytest.fixture
def small() -> Path:
    return SMALL


@pytest.fixture
def expected() -> str:
    return EXPECTED


@pytest.fixture
def rules() -> SenseRules:
    return load_rules(min_count=6, min_contexts=2, window=2)


@pytest.fixture
def files(tmp_path: Path) -> Files:
    (tmp_path / "out").mkdir()
    return Files.beside(tmp_path / "out" / "wwsi.tsv")


@pytest.fixture
def multistream(tmp_path: Path) -> Path:
    """The small dump as Wikimedia packs it: header, streams of 10 pages, footer."""
    header, *pages = SMALL.read_text(encoding="utf-8").split("  <page>\n")
    pages[-1], footer = pages[-1].removesuffix("</mediawiki>\n"), "</mediawiki>\n"
    packed = bytearray(bz2.compress(header.encode()))
    for start in range(0, len(pages), 10):
        packed += bz2.compress("".join(f"  <page>\n{page}" for page in pages[start : start + 10]).encode())
    packed += bz2.compress(footer.encode())
    path = tmp_path / "smallwiki-20240101-pages-articles-multistream.xml.bz2"
    path.write_bytes(packed)
    return path
