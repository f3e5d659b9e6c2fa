"""The systems of the paper, one file each: what a model's state is and how a span of text changes it."""
