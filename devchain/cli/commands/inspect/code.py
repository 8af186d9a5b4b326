"""`devchain inspect code`: the code of a contract."""

from __future__ import annotations

from devchain.cli import output
from devchain.cli.options import (
    DEFAULT_URL,
    AddressOf,
    AsJson,
    AtBlock,
    Url,
    block_reference,
    connect,
)


def code(
    address: AddressOf, block: AtBlock = "latest", url: Url = DEFAULT_URL, as_json: AsJson = False
) -> None:
    """Print the code of a contract as hex; 0x if there is none.

    Examples:
      devchain inspect code 0x77045e71a7a2c50903d88e564cd72fab11e82051
      devchain inspect code $CONTRACT > contract.hex
    """
    found = connect(url).call("eth_getCode", address, block_reference(block))
    if as_json:
        output.show_json(found)
    else:
        output.write(str(found))
