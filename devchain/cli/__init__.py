"""The `devchain` command line: commands that start a node, and commands that call one.

Everything that reads options or writes to a terminal belongs here, and nothing that depends on
the chain: commands call a node through a JSON-RPC client, so that they work with nodes of any kind,
and only `start` and `methods` import more, when they run. The entry point is `devchain.cli.main`.
"""
