"""Runners of Ethereum's state and blockchain tests, and their own tests."""
