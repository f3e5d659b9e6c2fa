"""One module per format: each turns a source into blocks of text."""
