"""The demo: train on real text, show what came out, and measure it where the truth is known."""
