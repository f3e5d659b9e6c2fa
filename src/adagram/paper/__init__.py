"""The paper's formulas as pure NumPy functions; each names its equation."""
