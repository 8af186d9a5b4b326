"""`devchain inspect storage`: slots of a contract's storage."""

from __future__ import annotations

from typing import Annotated

import typer

from devchain.cli import output
from devchain.cli.format import number
from devchain.cli.options import (
    DEFAULT_URL,
    LARGEST,
    AddressOf,
    AsJson,
    AtBlock,
    Url,
    block_reference,
    connect,
    quantity,
)
from devchain.errors import RpcFailure

Slot = Annotated[
    str, typer.Argument(help="First slot to read: a number, decimal or 0x hex.", metavar="SLOT")
]
Count = Annotated[
    int, typer.Option("--count", help="How many slots to read.", min=1, max=1000, metavar="N")
]


def storage(
    address: AddressOf,
    slot: Slot = "0",
    count: Count = 1,
    block: AtBlock = "latest",
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Show slots of a contract's storage, 32 bytes each, as hex and as a number.

    Examples:
      devchain inspect storage 0x77045e71a7a2c50903d88e564cd72fab11e82051 0
      devchain inspect storage $CONTRACT 0 --count 8
    """
    first, at = int(quantity(slot), 16), block_reference(block)
    slots = [hex(each) for each in range(first, min(first + count, LARGEST + 1))]
    found = connect(url).batch([("eth_getStorageAt", address, each, at) for each in slots])
    for failure in found:
        if isinstance(failure, RpcFailure):
            raise failure
    if as_json:
        output.show_json(dict(zip(slots, found, strict=True)))
        return
    for name, value in zip(slots, found, strict=True):
        _show(name, str(value))


def _show(name: str, value: str) -> None:
    label = f"Slot {int(name, 16)}"
    if len(label) >= output.LABEL_WIDTH:
        output.write((f"Slot {name}", output.FAINT))
        label = ""
    output.field(label, value)
    output.field("", (str(number(value)), output.FAINT))
