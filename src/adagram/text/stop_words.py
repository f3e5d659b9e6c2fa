"""English function words: articles, pronouns, prepositions, conjunctions, auxiliary verbs and a few common adverbs."""

from __future__ import annotations

_WORDS = """
a an the this that these those such same other another each every all both either neither some any no none
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
herself it its itself they them their theirs themselves who whom whose which what whoever whatever one ones
in on at by for from to of off out up down over under above below into onto with without within through during
before after since until till between among against about around along across behind beyond near per via upon
toward towards despite except like unlike
and or but nor so yet if then else than as because while though although unless whether where when why how
am is are was were be been being do does did doing done have has had having can could may might must shall should
will would ought
not also only just even still too very much many more most less least few little several own again further once
here there now ever never always often however thus therefore hence already rather quite almost
s t d ll re ve m don isn aren wasn weren doesn didn hasn haven hadn won wouldn couldn shouldn
isn't aren't wasn't weren't don't doesn't didn't hasn't haven't hadn't won't wouldn't can't cannot couldn't
shouldn't i'm i've i'd i'll you're you've you'd you'll he's he'd he'll she's she'd she'll it's it'd it'll we're
we've we'd we'll they're they've they'd they'll that's there's who's what's let's
"""
ENGLISH = frozenset(_WORDS.split())
