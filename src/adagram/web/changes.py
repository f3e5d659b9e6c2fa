"""What the model has learned since the one it went on from, where the server was given both."""

from __future__ import annotations

from adagram.model.diff import difference
from adagram.model.neighbours import Neighbour
from adagram.web.explorer import Answer, Explorer


def changes(explorer: Explorer, top: int = 20) -> Answer:
    """The biggest changes of each kind; none where there is no earlier model."""
    if explorer.since is None:
        return {"since": "", "changes": []}
    return {
        "since": explorer.since.folder.name if explorer.since.folder else "the earlier model",
        "changes": [
            {
                "what": each.what,
                "name": each.name,
                "size": each.size,
                "before": _near(each.before),
                "after": _near(each.after),
            }
            for each in difference(explorer.since, explorer.model, top=top)
        ],
    }


def _near(neighbours: list[Neighbour]) -> list[Answer]:
    return [{"sense": near.name, "similarity": near.similarity} for near in neighbours]
