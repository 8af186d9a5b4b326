"""Formats amounts, times, sizes and addresses as readable text, without colors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from devchain.errors import InvalidInput
from devchain.networks import NETWORKS, coin
from devchain.text import amount, plural

ADDRESS = re.compile("[0-9a-f]{40}")
BAR_CELLS = 20
MAX_DIGITS = 80
"""A longer text is not parsed as a number: a 256-bit one has at most 78 decimal digits."""


@dataclass(frozen=True, slots=True)
class Notation:
    """How addresses and amounts of a chain are written: checksum and name of the coin.

    Addresses have the checksum of EIP-55, the only one that most tools accept, or with
    `uses_eip1191` that of EIP-1191 for the chain id. `names` has the names of contracts, by address
    in lower case.
    """

    chain_id: int
    uses_eip1191: bool = False
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def coin(self) -> str:
        """The name of the native currency."""
        return coin(self.chain_id)

    def address(self, text: object) -> str:
        """An address with its checksum; any other text is unchanged."""
        digits = str(text).lower().removeprefix("0x")
        return self.address_of(bytes.fromhex(digits)) if ADDRESS.fullmatch(digits) else str(text)

    def address_of(self, address: bytes) -> str:
        """The address of these 20 bytes."""
        from devchain.types import checksum

        return checksum(address, self.chain_id if self.uses_eip1191 else None)

    def has_checksum(self, text: str) -> bool:
        """Whether the letter case of an address is a checksum's, or all letters have the same.

        EIP-55's and EIP-1191's are both right.
        """
        digits = text.removeprefix("0x")
        if digits in (digits.lower(), digits.upper()):
            return True
        from devchain.types import checksum

        address = bytes.fromhex(digits)
        return text in (checksum(address), checksum(address, self.chain_id))

    def named(self, text: object) -> str:
        """An address with its checksum and the name of its contract: `0x12.. (Token)`."""
        name = self.names.get(str(text).lower())
        return f"{self.address(text)} ({name})" if name else self.address(text)

    def amount(self, wei: int) -> str:
        """An amount, exact: `1.5 RBTC`; in wei if it is tiny."""
        return amount(wei, self.coin)


def is_address(text: str) -> bool:
    """Whether a text is an address: 0x and 40 hex digits."""
    return text[:2] == "0x" and ADDRESS.fullmatch(text[2:].lower()) is not None


def keccak(raw: bytes) -> bytes:
    """The Keccak-256 hash of some bytes."""
    import sha3  # type: ignore[import-untyped]  # safe-pysha3 has no type hints

    return bytes(sha3.keccak_256(raw).digest())


def number(value: object) -> int | None:
    """The integer in a QUANTITY or a JSON number; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        return None
    if isinstance(value, str) and len(value) > MAX_DIGITS:
        return None
    try:
        return int(value, 0) if isinstance(value, str) else value
    except ValueError:
        return None


def data_bytes(value: object) -> bytes:
    """The bytes in a DATA value; raises `InvalidInput` if it is anything else."""
    try:
        return bytes.fromhex(str(value).removeprefix("0x"))
    except ValueError:
        raise InvalidInput(
            f"the node returned {str(value)[:MAX_DIGITS]!r}, which is not DATA (0x hex)"
        ) from None


def bar(part: int, whole: int, cells: int = BAR_CELLS) -> tuple[str, str]:
    """The filled and the empty part of a bar; a share above zero fills at least one cell."""
    filled = min(cells, -(-part * cells // whole)) if whole else 0
    return "█" * filled, "░" * (cells - filled)


def size(count: int) -> str:
    """A number of bytes: `1 byte`, `1,234 bytes`."""
    return plural(count, "byte")


def network_name(chain_id: int) -> str:
    """The name of a Rootstock network, empty for any other chain id."""
    names = (each.title for each in NETWORKS.values() if each.chain_id == chain_id)
    return next(names, "")
