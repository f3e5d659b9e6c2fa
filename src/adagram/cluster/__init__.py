"""Training and tagging by many machines, on a Ray cluster."""
