"""Proxies: the contracts whose code runs at an address.

Known are the slots of ERC-1967, that of a beacon too, and of ERC-1822, minimal proxies (ERC-1167)
and accounts that delegate to a contract (EIP-7702).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from eth_hash.auto import keccak

from devchain.evm.opcodes import DELEGATION
from devchain.types import ADDRESS_SIZE, Address

ERC1967 = {
    name: int.from_bytes(keccak(f"eip1967.proxy.{name}".encode())) - 1
    for name in ("implementation", "admin", "beacon", "rollback")
}
"""The slots that ERC-1967 names, by what they have."""

ERC1822 = int.from_bytes(keccak(b"PROXIABLE"))  # the slot of the implementation in ERC-1822
SLOTS = (ERC1967["implementation"], ERC1967["beacon"], ERC1822)
IMPLEMENTATION_CALL = keccak(b"implementation()")[:4]  # what a beacon is asked with
MAX_HOPS = 4  # contracts that are followed: a minimal proxy may be one of another proxy

MINIMAL_PROXY = re.compile(
    rb"(?:\x36\x3d\x3d\x37\x3d\x3d\x3d\x36\x3d|\x36\x5f\x5f\x37\x5f\x5f\x36\x5f)"
    rb"\x73(.{20})\x5a\xf4",
    re.DOTALL,
)
"""ERC-1167, and the same with PUSH0; the code behind the call differs."""

DELEGATECALL = re.compile(
    b"(?:[^\x60-\x7f\xf4]++%b)*+\xf4"
    % b"".join(b"|\\x%x.{%d}" % (0x5F + size, size) for size in range(1, 33)),
    re.DOTALL,
)
"""Instructions up to one that delegates."""


@dataclass(frozen=True, slots=True)
class AccountReader:
    """Reads accounts of a chain: their code, the words in slots, and what a call of one returns."""

    code: Callable[[Address], bytes]
    slots: Callable[[Address, Sequence[int]], Sequence[int]]
    call: Callable[[Address, bytes], bytes]


def implementations(address: Address, reader: AccountReader) -> list[Address]:
    """The contracts to whose code that at an address delegates all calls, the next one first.

    Slots are read only of code that can delegate: most contracts cost no more than their code.
    """
    found = [address]
    while len(found) <= MAX_HOPS:
        target = _target(reader.code(found[-1]), address, reader)
        if target is None or target in found:
            break
        found.append(target)
    return found[1:]


def _target(code: bytes, address: Address, reader: AccountReader) -> Address | None:
    if minimal := MINIMAL_PROXY.match(code):
        return Address(minimal[1])
    if code.startswith(DELEGATION):
        return _address(int.from_bytes(code[len(DELEGATION) :]))
    if not DELEGATECALL.match(code):
        return None
    implementation, beacon, other = map(_address, reader.slots(address, SLOTS))
    if implementation is None and beacon:
        implementation = _address(int.from_bytes(reader.call(beacon, IMPLEMENTATION_CALL)))
    return implementation or other


def _address(word: int) -> Address | None:
    return Address(word.to_bytes(ADDRESS_SIZE)) if 0 < word < 2 ** (8 * ADDRESS_SIZE) else None
