"""The `devchain` command line: a thin client of a node, and the way to start one."""
