"""New sentences for the demo, not from its text: two for each word, each with another meaning and a word for it."""

from __future__ import annotations

# Word: (sentence, what is meant) twice. None is left out for what a model makes of it.
SENTENCES = {
    "air": (("the air contains oxygen and nitrogen", "gas"), ("the air force attacked the city", "aircraft")),
    "arms": (
        ("the nations agreed to limit nuclear arms", "weapons"),
        ("the mother held the child in her arms", "body"),
    ),
    "bank": (("the bank refused the loan", "money"), ("they sat on the bank of the river", "river")),
    "banks": (
        ("the banks lowered interest on deposits", "money"),
        ("trees grow along the banks of the river", "river"),
    ),
    "bear": (
        ("they must bear the burden of taxes", "pay"),
        ("a brown bear and other animals live in the forest", "animal"),
    ),
    "board": (
        ("the board of directors elected a chairman", "committee"),
        ("the players move pieces on the board", "game"),
    ),
    "branch": (
        ("the executive branch must obey congress", "government"),
        ("algebra is a branch of mathematics", "science"),
    ),
    "capital": (
        ("the capital is the largest city of the country", "city"),
        ("foreign capital was invested in industry", "investment"),
    ),
    "cell": (
        ("the nucleus of the cell contains dna", "protein"),
        ("the prisoner was locked in his cell", "prison"),
    ),
    "charge": (
        ("the electron has a negative charge", "electric"),
        ("the officer in charge of the post resigned", "duty"),
    ),
    "court": (("the court found him guilty", "judge"), ("the ball landed outside the court", "tennis")),
    "current": (
        ("the electric current heats the wire", "electric"),
        ("the current year ends in june", "present"),
    ),
    "element": (
        ("oxygen is a chemical element", "chemical"),
        ("trust is an element of good government", "part"),
    ),
    "field": (("the magnetic field is weak", "magnetic"), ("the farmer worked in the field", "agriculture")),
    "figure": (
        ("he was a leading figure of french literature", "writer"),
        ("the figure is a sum of millions of dollars", "amount"),
    ),
    "formula": (
        ("the formula of the compound contains carbon", "chemical"),
        ("the driver won a formula one race", "racing"),
    ),
    "gold": (
        ("gold and silver coins were in circulation", "money"),
        ("she won the gold medal at the olympics", "medal"),
    ),
    "head": (
        ("the king is the head of state", "leader"),
        ("the bird has a white head and a long tail", "body"),
    ),
    "interest": (
        ("the interest on the debt is payable in gold", "debt"),
        ("they showed great interest in the arts", "attention"),
    ),
    "light": (
        ("light is a wave in the visible spectrum", "wave"),
        ("in the light of experience we must reconsider the law", "knowledge"),
    ),
    "march": (
        ("the treaty was signed in march", "april"),
        ("the soldiers began their march to the sea", "army"),
    ),
    "mass": (
        ("the mass of the particle is small", "weight"),
        ("weapons of mass destruction threaten peace", "weapons"),
    ),
    "object": (
        ("the object of this law is to protect workers", "purpose"),
        ("the telescope found a distant object in the sky", "planet"),
    ),
    "plant": (
        ("the plant has green leaves and white flowers", "flowers"),
        ("the plant burns coal to produce electricity", "factory"),
    ),
    "range": (
        ("the mountain range extends to the north", "mountains"),
        ("a wide range of products is sold", "variety"),
    ),
    "rock": (
        ("the band played rock music on the guitar", "music"),
        ("volcanic rock contains minerals", "stone"),
    ),
    "solution": (
        ("salt dissolves in the solution", "liquid"),
        ("the solution of this problem is difficult", "question"),
    ),
    "sound": (
        ("the sound of the guitar is loud", "music"),
        ("a sound policy keeps the treasury safe", "wise"),
    ),
    "space": (
        ("a point in euclidean space has three dimensions", "geometry"),
        ("nasa sent astronauts into space", "nasa"),
    ),
    "square": (("the area is ten square miles", "area"), ("the crowd met in the main square", "street")),
    "star": (("the star is brighter than the sun", "sun"), ("he became a star of hollywood film", "actor")),
    "turkey": (
        ("turkey has a border with greece", "country"),
        ("they ate roast turkey with vegetables", "bird"),
    ),
    "vessels": (
        ("the vessels sailed from the port", "ships"),
        ("blood vessels carry oxygen to the heart", "blood"),
    ),
    "volume": (
        ("the volume of trade increased", "amount"),
        ("the first volume of the book was published", "book"),
    ),
}
