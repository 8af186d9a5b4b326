"""Benchmarks: devchain's engines compared with each other, and with any node at a URL."""
