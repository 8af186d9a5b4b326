"""`devchain call`: ask a contract something, without a transaction."""

from __future__ import annotations

from typing import Annotated

import typer

from devchain.cli import output
from devchain.cli.format import octets
from devchain.cli.options import (
    DEFAULT_URL,
    AsJson,
    AtBlock,
    Url,
    block_reference,
    connect,
    quantity,
)
from devchain.cli.revert_reasons import reason
from devchain.cli.sending import call_data, wei
from devchain.cli.views import notation
from devchain.errors import InvalidInput, RpcFailure

To = Annotated[str, typer.Argument(help="Contract: 0x and 40 hex digits.", metavar="TO")]
Signature = Annotated[
    str,
    typer.Argument(
        help="Function and what it returns, like 'balanceOf(address)(uint256)', or data in hex.",
        metavar="SIGNATURE",
    ),
]
Arguments = Annotated[
    list[str] | None,
    typer.Argument(help="Its arguments; arrays and tuples as JSON arrays.", metavar="ARGS"),
]
Sender = Annotated[
    str | None, typer.Option("--from", help="Account to call as.", metavar="ADDRESS")
]
Value = Annotated[
    str | None, typer.Option("--value", help="Like 1.5rbtc, 10gwei, or wei.", metavar="AMOUNT")
]
Gas = Annotated[
    str | None, typer.Option("--gas", help="Gas limit; default: the node's.", metavar="GAS")
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
    """Call a contract without sending a transaction and print what it returns, a value a line.

    Without the returned types in the signature the answer is printed as hex. A revert is
    decoded; the exit code is then 1.

    Examples:
      devchain call 0x77045e71a7a2c50903d88e564cd72fab11e82051 'get()(uint256)'
      devchain call 0x77045e71a7a2c50903d88e564cd72fab11e82051 0x6d4ce63c
    """
    payload, called = call_data(signature, arguments or [])
    request = {"to": to, "data": payload}
    if sender is not None:
        request["from"] = sender
    if value is not None:
        request["value"] = hex(wei(value))
    if gas is not None:
        request["gas"] = quantity(gas)
    node = connect(url)
    try:
        answer = node.call("eth_call", request, block_reference(block))
    except RpcFailure as failure:
        msg = f"the call failed: {reason(failure)}"
        raise InvalidInput(msg) from None
    if as_json:
        output.show_json(answer)
    elif called is None or not called.outputs:
        output.write(str(answer))
    else:
        from devchain.cli.contract_calls import decode

        for text in decode(called.outputs, octets(answer), notation(node)):
            output.write(text)
