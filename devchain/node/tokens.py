"""Tokens as contracts behave: standard, name, symbol, decimals, and what accounts own of them.

Contracts are asked with calls of little gas. Their answers are texts and numbers of anyone: they
are bounded here, and escaped where they are shown.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import unquote

import orjson
from eth_hash.auto import keccak

from devchain.contracts.abi import Param, decode_values
from devchain.evm.opcodes import Op
from devchain.node.contract_storage import read_call
from devchain.node.core import NodeCore
from devchain.text import decimal, shorten
from devchain.types import SELECTOR_SIZE, WORD_SIZE, Address, StateRef, Tag

Standard = Literal["ERC-20", "ERC-721", "ERC-1155"]

MAX_TEXT = 60  # characters of a name or symbol
MAX_LABEL = 24  # of a symbol behind amounts
MAX_DECIMALS = 77
MAX_URI = 200_000  # characters of an image
WORD, TEXT = (Param("", "uint256"),), (Param("", "string"),)
INTERFACES: dict[Standard, bytes] = {
    "ERC-721": bytes.fromhex("80ac58cd").ljust(WORD_SIZE, b"\0"),
    "ERC-1155": bytes.fromhex("d9b67a26").ljust(WORD_SIZE, b"\0"),
}
IMAGE = re.compile(r"data:image/(png|jpeg|gif|webp|svg\+xml)[;,][!-~]*")


def _selector(signature: str) -> bytes:
    return keccak(signature.encode())[:SELECTOR_SIZE]


BALANCE, SUPPLY = _selector("balanceOf(address)"), _selector("totalSupply()")
ITEM_BALANCE = _selector("balanceOf(address,uint256)")
NAME, SYMBOL, DECIMALS = map(_selector, ("name()", "symbol()", "decimals()"))
OWNER, SUPPORTS = _selector("ownerOf(uint256)"), _selector("supportsInterface(bytes4)")
URIS = {"ERC-721": _selector("tokenURI(uint256)"), "ERC-1155": _selector("uri(uint256)")}


@dataclass(frozen=True, slots=True)
class Token:
    """A token contract; `supply` is None where it does not say it."""

    address: Address
    standard: Standard
    name: str
    symbol: str
    decimals: int
    supply: int | None

    @property
    def label(self) -> str:
        return shorten(self.symbol or self.name or self.standard, MAX_LABEL)

    def amount(self, amount: int, token_id: int | None = None) -> str:
        """So much of it: `12.5 BZR`, `ART #3`, `30 × ITM #7`."""
        if self.standard == "ERC-20":
            return f"{decimal(amount, 10**self.decimals)} {self.label}"
        many = f"{amount:,} × " if amount != 1 else ""
        return f"{many}{self.label}{'' if token_id is None else f' #{token_id}'}"


def read_token(node: NodeCore, address: Address, block: StateRef = Tag.LATEST) -> Token | None:
    """The token that a contract behaves as; None if it does not."""
    code = node.chain.state_at(block).code(address)
    if not any(selector in code for selector in (BALANCE, ITEM_BALANCE)) and (
        Op.DELEGATECALL not in code
    ):
        return None

    def ask(data: bytes, params: Sequence[Param] = WORD) -> Any:  # of that type
        output = read_call(node, address, data, block)
        values = decode_values(params, output)
        return values[0] if values else output.rstrip(b"\0").decode(errors="replace")

    def text(data: bytes) -> str:
        return shorten(str(ask(data, TEXT)), MAX_TEXT)

    def number(data: bytes) -> int | None:
        return value if isinstance(value := ask(data), int) else None

    supply, decimals = number(SUPPLY), 0
    supported = (name for name, word in INTERFACES.items() if number(SUPPORTS + word) == 1)
    standard = next(supported, None)
    if standard is None:
        if supply is None or number(BALANCE + bytes(WORD_SIZE)) is None:
            return None
        standard, decimals = "ERC-20", number(DECIMALS) or 0
    decimals = decimals if decimals <= MAX_DECIMALS else 0
    return Token(address, standard, text(NAME), text(SYMBOL), decimals, supply)


def unknown_token(address: Address, token_id: int | None) -> Token:
    """What a transfer alone says of a token whose contract answers nothing."""
    return Token(address, "ERC-20" if token_id is None else "ERC-721", "", "unknown token", 0, None)


def balance(
    node: NodeCore,
    token: Token,
    holder: Address,
    token_id: int | None = None,
    block: StateRef = Tag.LATEST,
) -> int | None:
    """What an account owns of a token, or of one id of it; None if the contract does not say."""
    owner, numbered = holder.rjust(WORD_SIZE, b"\0"), (token_id or 0).to_bytes(WORD_SIZE)
    data = BALANCE + owner
    if token.standard == "ERC-1155":
        data = ITEM_BALANCE + owner + numbered
    elif token_id is not None:
        data = OWNER + numbered
    values = decode_values(WORD, read_call(node, token.address, data, block))
    if values is None:
        return None
    return int(values[0] == int.from_bytes(holder)) if data[:4] == OWNER else int(values[0])


def image(node: NodeCore, token: Token, token_id: int) -> tuple[str, str]:
    """Name and image of a token by its metadata, if both are in data URIs; empty otherwise."""
    if token.standard not in URIS:
        return "", ""
    data = URIS[token.standard] + token_id.to_bytes(WORD_SIZE)
    values = decode_values(TEXT, read_call(node, token.address, data, gas=2_000_000))
    uri = str(values[0])[:MAX_URI] if values else ""
    head, _, body = uri.partition(",")
    if not head.startswith("data:application/json"):
        return "", uri if IMAGE.fullmatch(uri) else ""
    try:
        text = base64.b64decode(body, validate=True) if head.endswith(";base64") else unquote(body)
        described = orjson.loads(text)
    except (ValueError, binascii.Error):
        return "", ""
    if not isinstance(described, dict):
        return "", ""
    name, source = str(described.get("name", "")), str(described.get("image", ""))
    return shorten(name, MAX_TEXT), source if IMAGE.fullmatch(source) else ""
