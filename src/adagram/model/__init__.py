"""A learned model: its senses, and what can be asked of them."""

from adagram.model.context import CONTEXT_WEIGHTS, Sides
from adagram.model.model import Model
from adagram.model.posterior import Posterior
from adagram.model.senses import Neighbour, Sense

__all__ = ["CONTEXT_WEIGHTS", "Model", "Neighbour", "Posterior", "Sense", "Sides"]
