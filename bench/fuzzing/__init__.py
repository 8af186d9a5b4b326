"""Planted bugs in devchain's campaigns, forge's invariant tests and titanoboa's stateful ones."""
