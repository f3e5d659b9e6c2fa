"""Training: spans of text to threads, the schedule, progress and checkpoints."""
