"""A learned model: its senses, and what can be asked of them."""

from adagram.model.model import Model, Neighbour, Sense

__all__ = ["Model", "Neighbour", "Sense"]
