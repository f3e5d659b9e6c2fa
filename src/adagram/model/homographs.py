"""Common English words that most speakers know to have unrelated or clearly different senses."""

from __future__ import annotations

_WORDS = """
address air anchor angle apple apron arch arm arms atlas august axis badger ball ballet band bank banks bar bark
barrel base bass bat bats battery bay beam bear bed bell belt bench bill bit blade block blues board boat bolt bond
book boot bow bowl bowler box branch bridge brush buck bug bulb bull bureau bus butter button cab cabinet calf camp
cane cap cape capital card case cast castle cataract cell cells chair channel charge check chest chip chips chord
circuit clip club coach code coil cold colon column compound conductor console constitution contract copper cord core
corn corporal count counter course court crab craft crane cream cricket crop cross crown current date dates deck
degree depression desert diamond dish dock draft drill drive drum duck eagle ear element engine entrance exchange
express eye fair fall fan fast fault felt field figure file film fine firm fisher fit flag flat fleet float fly foil
folk foot forge fork formula frame frank fret fuse gear gin glass gold grade grave gravity green ground guard gum gut
hail ham hammer hand harbor harp hatch hawk head heat hide hip hood hook horn host hull image interest iris iron issue
jack jade jam japan jar java jet joint judge jumper jupiter kernel key keys kid kiwi lap lash law lead leaf league
leaves letter letters lie light lime line litter live lock log lot magazine mail mantle march mark market mars mass
master match medium mercury mine mines mint minute missile model mold mole monitor mouse mouth mug nail navy net
nickel note notes novel nut object oracle orange orbit order organ organs pack palm panel park party pass patch
patient pen period phoenix pick pilot pin pipe pitch plain plane plant plants plate plot poker pole pool pop port
ports post pot pound press prince program puma pump pupil python quack quarry quarter queen race racket radical range
rank ray record reed reef refrain ring rings rock rocket rocks roll root rose row ruler saw scale scales score screen
seal season seat sentence shaft shed shell ship shot sign sink sling sole solution soul sound spa space spade speaker
spell spike spring springs square squash staff stage stalk stall stamp stand star stars stem step stern stick stock
stocks strand stream strike string suit suite swallow sweet swift switch table tablet tank tap tape tear temple tender
terminal tick tie tin tip tire tissue titan toast toll tongue top torch track train trains transmission trial trip
trunk tube turkey uniform union unit vault vessel vessels volume ward watch wave waves web wells wing wings wire wolf
wood yard yarn
"""

HOMOGRAPHS = frozenset(_WORDS.split())
