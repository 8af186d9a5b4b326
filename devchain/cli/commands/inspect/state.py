"""`devchain inspect account`, `code` and `storage`: the state of an address at a block."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Annotated

import typer

from devchain.cli import output
from devchain.cli.chain_views import amount_row, chain_notation, warn_of_checksums
from devchain.cli.format import data_bytes, keccak, number, size
from devchain.cli.options import (
    DEFAULT_URL,
    MAX_UINT256,
    TAGS,
    AccountOrAddress,
    AddressOf,
    AsJson,
    AtBlock,
    Url,
    account_address,
    block_reference,
    connect,
    parse_whole,
    quantity,
)
from devchain.errors import InvalidInput, RpcFailure

WORD = 32
MAX_DIGITS = 66
"""Digits of a number that are shown: as many as fit on its line beside the label."""

Slot = Annotated[
    str, typer.Argument(help="First slot to read: a number, decimal or 0x hex.", metavar="SLOT")
]
Count = Annotated[
    int,
    typer.Option(
        "--count",
        help="How many slots to read, up to 1,000.",
        parser=parse_whole(1, 1_000),
        metavar="N",
    ),
]


def account(
    address: AccountOrAddress,
    block: AtBlock = "latest",
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Show an account: its balance, nonce and code, now or at a block.

    Examples:
      devchain inspect account 0
      devchain inspect account 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266
      devchain inspect account 0x77045e71a7a2c50903d88e564cd72fab11e82051 --block 12
    """
    node = connect(url)
    at = block_reference(block)
    address = account_address(node, address)
    found = {
        "address": address,
        "balance": node.call("eth_getBalance", address, at),
        "nonce": node.call("eth_getTransactionCount", address, at),
        "code": node.call("eth_getCode", address, at),
    }
    if as_json:
        output.write_json(found)
        return
    warn_of_checksums(node, address)
    notation = chain_notation(node, found)
    contract_code = data_bytes(found["code"])
    kind = notation.names.get(address.lower()) or ("contract" if contract_code else "account")
    where = block if block in TAGS else f"block {_block_name(at)}"
    output.write_title(notation.address(address), kind, f"at {where}")
    output.write_fields(
        [
            amount_row("Balance", found["balance"], notation),
            ("Nonce", [f"{number(found['nonce']) or 0:,}"]),
            ("Code", [size(len(contract_code)) if contract_code else "none"]),
            ("Code hash", [f"0x{keccak(contract_code).hex()}"] if contract_code else None),
        ]
    )


def _block_name(at: str | dict[str, str]) -> str:
    """A block as it is written in titles: `1,000`, or its hash."""
    return at["blockHash"] if isinstance(at, dict) else f"{number(at):,}"


def code(
    address: AddressOf, block: AtBlock = "latest", url: Url = DEFAULT_URL, as_json: AsJson = False
) -> None:
    """Print the code of a contract as hex; 0x if there is none.

    Examples:
      devchain inspect code 0x77045e71a7a2c50903d88e564cd72fab11e82051
      devchain inspect code $CONTRACT > contract.hex
    """
    node = connect(url)
    warn_of_checksums(node, address)
    found = node.call("eth_getCode", address, block_reference(block))
    if as_json:
        output.write_json(found)
    else:
        output.write_line(str(found))


def storage(
    address: AddressOf,
    slot: Slot = "0",
    count: Count = 1,
    block: AtBlock = "latest",
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Show slots of a contract's storage, 32 bytes each, as hex, and as a text or a number.

    A text is shown where the bytes are those of a short string of Solidity.

    Examples:
      devchain inspect storage 0x77045e71a7a2c50903d88e564cd72fab11e82051 0
      devchain inspect storage $CONTRACT 0 --count 8
    """
    first, at = int(quantity(slot), 16), block_reference(block)
    slots = [hex(each) for each in range(first, min(first + count, MAX_UINT256 + 1))]
    node = connect(url)
    warn_of_checksums(node, address)
    values = node.batch([("eth_getStorageAt", address, each, at) for each in slots])
    for value in values:
        if isinstance(value, RpcFailure):
            raise value
    if as_json:
        output.write_json(dict(zip(slots, values, strict=True)))
        return
    for name, value in zip(slots, values, strict=True):
        label = f"Slot {int(name, 16)}"
        if len(label) >= output.LABEL_WIDTH:
            output.write_line((f"Slot {name}", output.FAINT))
            label = ""
        output.write_field(label, str(value))
        if meaning := _word_meaning(str(value)):
            output.write_field("", (meaning, output.FAINT))


def _word_meaning(value: str) -> str:
    """A word as the text of a short string, else as a number; empty if that fits no line."""
    try:
        word = data_bytes(value)
    except InvalidInput:
        return ""
    if len(word) == WORD and word[0] and not word[-1] % 2 and 0 < word[-1] // 2 < WORD:
        length = word[-1] // 2
        with suppress(UnicodeDecodeError):
            text = word[:length].decode()
            if not any(word[length:-1]) and text.isprintable():
                return json.dumps(text, ensure_ascii=False)
    digits = str(int.from_bytes(word, "big"))
    return digits if len(digits) <= MAX_DIGITS else ""
