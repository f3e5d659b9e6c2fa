"""Checking a sense model against public tasks: metrics, data-set readers and the protocol of the paper."""
