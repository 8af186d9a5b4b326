"""Contracts by name: ABIs, compiler artifacts, source maps, coverage, console.log."""
