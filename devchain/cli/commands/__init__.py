"""The commands, a file each; commands for the same thing share one (`ps`, `logs` and `stop`).

A command reads its options, calls the node through `devchain.cli.options.connect` and prints the
result with `devchain.cli.output`. `devchain.cli.main` adds it to the application.
"""
