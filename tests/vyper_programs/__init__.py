"""Drawn Vyper programs, of which it is known what they do."""
