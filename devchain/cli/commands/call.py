"""`devchain call`: call a contract with eth_call and decode what it returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from devchain.cli import output
from devchain.cli.chain_views import (
    reader_of,
    warn_of_checksums,
    warn_of_missing_code,
    with_hint,
)
from devchain.cli.options import (
    DEFAULT_URL,
    Arguments,
    AsJson,
    AtBlock,
    Url,
    account_address,
    block_reference,
    call_data,
    connect,
    first_account,
    parse_account,
    quantity,
    wei,
)
from devchain.client.chain_reader import FACT_MISSING
from devchain.client.http import Client
from devchain.client.views import data_bytes
from devchain.errors import RpcFailure
from devchain.evm.revert_reasons import NO_REASON

if TYPE_CHECKING:
    from devchain.cli.contract_calls import Signature as Function
    from devchain.contracts.abi import Param

To = Annotated[
    str,
    typer.Argument(
        help="Contract: its address, or the number of one of the node's accounts.",
        metavar="TO",
        parser=parse_account,
    ),
]
Signature = Annotated[
    str,
    typer.Argument(
        help="Function, like 'balanceOf(address)(uint256)', or data in hex; its name alone where "
        "the contract is known.",
        metavar="FUNCTION",
    ),
]
Sender = Annotated[
    str | None,
    typer.Option(
        "--from",
        help="Sender, its address or number; default: 0, the node's first account, or the zero "
        "address.",
        metavar="ACCOUNT",
        parser=parse_account,
    ),
]
Value = Annotated[
    str | None,
    typer.Option("--value", help="Amount to send: 1.5rbtc, 10gwei, or wei.", metavar="AMOUNT"),
]
Gas = Annotated[
    str | None, typer.Option("--gas", help="Gas limit; default: chosen by the node.", metavar="GAS")
]


def call(
    to: To,
    signature: Signature = "0x",
    arguments: Arguments = None,
    sender: Sender = None,
    value: Value = None,
    gas: Gas = None,
    block: AtBlock = "latest",
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Call a contract without a transaction and print the returned values, one per line.

    The name of a function is enough if the node, or the project in this folder, has artifacts of
    the contract. The result is printed as hex if its types are neither known nor in the signature.
    If the call reverts, the decoded reason is shown and the exit code is 1.

    Examples:
      devchain call 0x77045e71a7a2c50903d88e564cd72fab11e82051 get
      devchain call 0x77045e71a7a2c50903d88e564cd72fab11e82051 'get()(uint256)'
      devchain call 0x77045e71a7a2c50903d88e564cd72fab11e82051 0x6d4ce63c
    """
    node = connect(url)
    typed = (to, sender, *(arguments or []))
    to = account_address(node, to).lower()  # any letter case is right for a node that checks it
    payload, function = call_data(signature, arguments or [], node, to)
    request = {"to": to, "data": payload}
    if value is not None:
        request["value"] = hex(wei(value))
    if gas is not None:
        request["gas"] = quantity(gas)
    warn_of_checksums(node, *typed)
    sender = account_address(node, sender) if sender else first_account(node)
    if sender is not None:
        request["from"] = sender.lower()
    try:
        returned = node.call("eth_call", request, block_reference(block))
    except RpcFailure as failure:
        raise _failure(node, failure, request, block_reference(block), function) from None
    if as_json:
        output.write_json(returned)
        return
    values: tuple[Param, ...] = ()
    if function is not None:
        from devchain.cli.contract_calls import decode, returned_values

        values = function.outputs or returned_values(function, node, to)
    if not values:
        if returned == "0x":
            warn_of_missing_code(node, to)
        output.write_line(str(returned))
        return
    for text in decode(values, data_bytes(returned), reader_of(node).notation()):
        output.write_line(text)


def _failure(
    node: Client,
    failure: RpcFailure,
    request: dict[str, str],
    block: str | dict[str, str],
    function: Function | None,
) -> output.DetailedError:
    if failure.code == FACT_MISSING:  # so it is for an explanation
        return output.DetailedError(f"the call failed: {failure.message}")
    call = reader_of(node).explain_call(failure, request, block)
    reason, lines = call.reason, call.source_lines(call.reason)
    if function is not None and reason == NO_REASON:
        from devchain.cli.contract_calls import missing_function

        if missing := missing_function(function, node, request["to"]):
            reason, lines = missing, []
        elif not lines:
            reason += f"; the contract may have no function {function.signature}"
    return output.DetailedError(f"the call failed: {with_hint(node, reason)}", lines)
