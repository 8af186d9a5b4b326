"""`devchain rpc`: call any method of a node."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from devchain.cli import output
from devchain.cli.options import DEFAULT_URL, Url, connect
from devchain.files import read_file

Method = Annotated[str, typer.Argument(help="Its name, like eth_chainId.", metavar="METHOD")]
Params = Annotated[
    list[str] | None,
    typer.Argument(help="JSON, text that is a string, or @FILE with JSON.", metavar="PARAMS"),
]
JSON_MARKS = tuple('{["')
"""What a parameter begins with that is meant as JSON."""

Raw = Annotated[bool, typer.Option("--raw", "-r", help="Print a string without quotes.")]


def rpc(method: Method, params: Params = None, raw: Raw = False, url: Url = DEFAULT_URL) -> None:
    """Call a JSON-RPC method and print its result as JSON.

    Examples:
      devchain rpc eth_getBlockByNumber latest false
      devchain rpc eth_getLogs '{"fromBlock": "0x0", "topics": [null]}'
      devchain rpc devchain_addArtifacts @artifacts/contracts/Vault.sol/Vault.json
    """
    result = connect(url).call(
        method, *map(_parameter, range(1, len(params or ()) + 1), params or ())
    )
    if raw and isinstance(result, str):
        output.write_line(result)
    else:
        output.write_json(result)


def _parameter(number: int, text: str) -> object:
    # An object, list or text in quotes that is broken is a usage error, and so is a file that
    # cannot be read.
    if text.startswith("@"):
        file = text[1:]
        try:
            text = read_file(file, pipes=True).decode()
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            raise typer.BadParameter(f"parameter {number}: cannot read {file}: {reason}") from None
    try:
        return json.loads(text, parse_constant=_reject_constant)
    except (ValueError, RecursionError) as error:
        if text.lstrip()[:1] in JSON_MARKS:
            raise typer.BadParameter(f"parameter {number} is not valid JSON: {error}") from None
    return text


def _reject_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON value")
