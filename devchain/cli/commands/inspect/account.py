"""`devchain inspect account`: balance, nonce and code of an address."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from devchain.cli import output
from devchain.cli.format import Notation, keccak, number, octets, size
from devchain.cli.options import (
    DEFAULT_URL,
    AddressOf,
    AsJson,
    AtBlock,
    Url,
    block_reference,
    connect,
)
from devchain.cli.views import Row, amount_row, notation


def account(
    address: AddressOf, block: AtBlock = "latest", url: Url = DEFAULT_URL, as_json: AsJson = False
) -> None:
    """Show an account: its balance, nonce and code, now or at a block.

    Examples:
      devchain inspect account 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266
      devchain inspect account 0x77045e71a7a2c50903d88e564cd72fab11e82051 --block 12
    """
    node = connect(url)
    at = block_reference(block)
    found = {
        "address": address,
        "balance": node.call("eth_getBalance", address, at),
        "nonce": node.call("eth_getTransactionCount", address, at),
        "code": node.call("eth_getCode", address, at),
    }
    if as_json:
        output.show_json(found)
        return
    written = notation(node)
    kind = "contract" if octets(found["code"]) else "account"
    output.title(written.address(address), kind, f"at {block}")
    output.fields(_rows(found, written))


def _rows(found: dict[str, Any], notation: Notation) -> Iterator[Row]:
    yield amount_row("Balance", found["balance"], notation)
    yield "Nonce", [f"{number(found['nonce']) or 0:,}"]
    code = octets(found["code"])
    yield "Code", [size(len(code)) if code else "none"]
    yield "Code hash", [f"0x{keccak(code).hex()}"] if code else None
