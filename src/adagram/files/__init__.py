"""Atomic writes of files and folders, checksums, locks, and models in archives or on the Hub."""
