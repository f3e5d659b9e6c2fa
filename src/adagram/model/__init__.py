"""A learned model: its senses, and what can be asked of them."""

from adagram.model.context import CONTEXT_WEIGHTS, Sides
from adagram.model.model import Model, Neighbour, Sense

__all__ = ["CONTEXT_WEIGHTS", "Model", "Neighbour", "Sense", "Sides"]
