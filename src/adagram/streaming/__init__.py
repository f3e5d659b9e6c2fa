"""Going on with a stream: its words are learned in blocks, as they come."""
