"""Fuzzers: `python -m tests.fuzzing NAME --minutes N`."""
