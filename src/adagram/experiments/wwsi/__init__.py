"""Build WWSI (Wikipedia word-sense induction) from a dump, as in the paper's supplement, section 3."""
