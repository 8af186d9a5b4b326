"""`devchain debug`: step through a transaction or call on a terminal."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from devchain.cli import options
from devchain.cli.contract_calls import FUNCTION_HELP, Arguments, Artifacts, Sender, read_call
from devchain.client.http import Client
from devchain.errors import InvalidInput

if TYPE_CHECKING:
    from devchain.contracts.artifact_registry import Registry

MAX_STEPS = 100_000

Subject = Annotated[
    str,
    typer.Argument(help="Hash or latest; with --call the contract that is called.", metavar="TX"),
]
Function = Annotated[
    str | None, typer.Argument(help=f"With --call: {FUNCTION_HELP}", metavar="FUNCTION")
]
IsCall = Annotated[bool, typer.Option("--call", help="Step through a call, not a transaction.")]
MaxSteps = Annotated[
    int,
    typer.Option(
        "--max-steps",
        help="Read only the first N opcodes.",
        parser=options.parse_whole(1, 10_000_000),
        metavar="N",
    ),
]


def debug(
    subject: Subject,
    function: Function = None,
    arguments: Arguments = None,
    is_call: IsCall = False,
    sender: Sender = None,
    block: options.AtBlock = "latest",
    artifacts: Artifacts = None,
    max_steps: MaxSteps = MAX_STEPS,
    url: options.Url = options.DEFAULT_URL,
) -> None:
    """Step through a transaction or call, forward and backward.

    It shows source, call stack, storage, EVM stack, memory and gas, and has breakpoints; ? lists
    its keys. It works on any node with debug_traceTransaction; nothing on the chain changes. It
    needs `pip install "devchain[tui]"`.

    Examples:
      devchain debug latest
      devchain debug 0x5c50...e060 --artifacts ~/vault --url http://127.0.0.1:8545
      devchain debug --call 0x77045e71a7a2c50903d88e564cd72fab11e82051 'take(uint256)' 9
    """
    from devchain.client.rpc_trace import trace_call, trace_transaction

    if not is_call and (function or arguments or sender):
        raise typer.BadParameter("a function, its arguments and --from go with --call")
    check_terminal()
    node = options.connect(url)
    if is_call:
        to = options.parse_account(subject)
        request, _ = read_call(node, to, function or "0x", arguments, sender)
        trace = trace_call(node, request, options.block_reference(block), max_steps)
    else:
        tx_hash = options.transaction_hash(node, options.parse_transaction(subject))
        trace = trace_transaction(node, tx_hash, max_steps)
    from devchain.cli.tui.debugger import run_debugger
    from devchain.source.follow import Execution
    from devchain.source.steps import Debugger

    debugger = Debugger(Execution(trace, _contracts(node, artifacts)))
    debugger.start()
    run_debugger(debugger)


def _contracts(node: Client, artifacts: Path | None) -> Registry:
    from devchain.client.project_names import local_contracts
    from devchain.client.rpc_trace import NodeContracts
    from devchain.contracts.artifact_registry import Registry

    known = Registry() if artifacts else NodeContracts(node)
    return local_contracts(artifacts, known) or known


def check_terminal() -> None:
    """Raise `InvalidInput` where the debugger cannot run."""
    if find_spec("textual") is None:
        raise InvalidInput(
            'the debugger needs Textual: pip install "devchain[tui]" (from a clone ".[tui]")'
        )
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        raise InvalidInput(
            "the debugger needs a terminal; `devchain inspect tx` prints the calls of a transaction"
        )
