"""Blocks and states of a chain, in memory or in an SQLite file."""
