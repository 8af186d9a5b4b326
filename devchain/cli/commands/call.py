"""`devchain call`: call a contract with eth_call and decode what it returns."""

from __future__ import annotations

from typing import Annotated

import typer

from devchain.cli import contract_calls, options, output
from devchain.cli.view_rows import reader_of, warn_of_missing_code
from devchain.client.chain_reader import FACT_MISSING
from devchain.client.views import data_bytes
from devchain.errors import RpcFailure

Function = Annotated[
    str, typer.Argument(help=f"{contract_calls.FUNCTION_HELP} Or data in hex.", metavar="FUNCTION")
]


def call(
    to: options.AccountOrAddress,
    function: Function = "0x",
    arguments: contract_calls.Arguments = None,
    sender: contract_calls.Sender = None,
    value: contract_calls.Value = None,
    gas: contract_calls.Gas = None,
    block: options.AtBlock = "latest",
    url: options.Url = options.DEFAULT_URL,
    as_json: options.AsJson = False,
) -> None:
    """Call a contract without a transaction and print what it returns.

    Each value is on a line of its own; without types the result is hex. If the call reverts, the
    reason is shown and the exit code is 1.

    Examples:
      devchain call 0x77045e71a7a2c50903d88e564cd72fab11e82051 get
      devchain call 0x77045e71a7a2c50903d88e564cd72fab11e82051 'get()(uint256)'
      devchain call 0x77045e71a7a2c50903d88e564cd72fab11e82051 0x6d4ce63c
    """
    node, at = options.connect(url), options.block_reference(block)
    request, entry = contract_calls.read_call(node, to, function, arguments, sender)
    if value is not None:
        request["value"] = hex(value)
    if gas is not None:
        request["gas"] = hex(gas)
    reader = reader_of(node)
    try:
        returned = node.call("eth_call", request, at)
    except RpcFailure as failure:
        if failure.code == FACT_MISSING:  # so it is for an explanation
            raise output.DetailedError(f"the call failed: {failure.message}") from None
        explained = reader.explain_call(failure, request, at)
        reason, lines = contract_calls.failure_text(node, explained, entry, request["to"])
        raise output.DetailedError(f"the call failed: {reason}", lines) from None
    if as_json:
        output.write_json(returned)
        return
    texts = entry and contract_calls.returned_texts(
        entry, data_bytes(returned), node, request["to"], reader.notation()
    )
    if not texts and returned == "0x":
        warn_of_missing_code(node, request["to"])
    for text in texts or [str(returned)]:
        output.write_line(text)
