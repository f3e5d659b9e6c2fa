"""A learned model: its senses, and what can be asked of them."""

from adagram.model.context import CONTEXT_WEIGHTS, Sides
from adagram.model.display import Sense
from adagram.model.model import Model
from adagram.model.neighbours import Neighbour
from adagram.model.predict import Posterior

__all__ = ["CONTEXT_WEIGHTS", "Model", "Neighbour", "Posterior", "Sense", "Sides"]
