"""`python -m devchain` is the `devchain` command."""

from devchain.cli.main import run

run()
