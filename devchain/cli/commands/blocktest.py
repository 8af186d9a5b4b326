"""`devchain blocktest`: run Ethereum's blockchain tests on an engine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from devchain.cli.commands.statetest import AsJson, Engine, Fork, Run
from devchain.cli.vectors import Selection, check_engine, name_pattern, run_block_tests

Fixtures = Annotated[
    list[Path] | None,
    typer.Argument(
        help="Files of blockchain tests, or folders of them; without any, file names from stdin.",
        metavar="PATH",
    ),
]


def blocktest(
    paths: Fixtures = None,
    engine: Engine = "fast",
    fork: Fork = None,
    run: Run = "",
    as_json: AsJson = False,
) -> None:
    """Run Ethereum's blockchain tests: whole blocks, valid and invalid ones.

    Blocks are imported one after another: header, transactions, withdrawals and roots are checked.
    Proof of work is not. Cases with uncles, blocks beside the head or unknown hardforks are
    reported as not supported. The exit code is 1 if a case failed or is not supported, with --json
    too.

    Examples:
      devchain blocktest BlockchainTests/ValidBlocks
      devchain blocktest fixture.json --run Shanghai --engine reference
    """
    selection = Selection(name_pattern(run), fork)
    raise typer.Exit(run_block_tests(paths, selection, check_engine(engine), as_json=as_json))
