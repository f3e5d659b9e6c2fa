"""Research programs: the paper's experiments, and the WWSI data set."""
