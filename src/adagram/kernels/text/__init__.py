"""Kernels that read text: characters, words, pairs of words."""
