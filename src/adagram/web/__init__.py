"""The explorer: a local page and a JSON API over a model."""
