"""Contracts by name: ABIs, compilers' artifacts, and what bytes say when those are known."""
