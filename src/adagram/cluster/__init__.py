"""Training by many machines, on a Ray cluster."""
