"""The lexicographer's desk: what senses are, in words a person reads, and how they change over time."""
