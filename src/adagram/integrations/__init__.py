"""Senses inside other libraries: scikit-learn and spaCy."""
