"""Calls of the Bridge on minimal chains, and Bitcoin data for its methods."""

from __future__ import annotations

import hashlib
from types import SimpleNamespace
from typing import Any

from eth_hash.auto import keccak
from eth_keys import keys

from devchain.evm.rootstock.precompiles.native_contract import Call
from devchain.types import Address
from tests.bytecode import word
from tests.evm.rootstock.precompiles.calling import BRIDGE, Machine, Outcome, dynamic, selector

GENESIS = "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"
"""Hash of regtest's first Bitcoin block, the one the bridge has."""

GENESIS_ROOT = "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b"
"""The hash of that block's only transaction."""

VALID_ADDRESS = b"mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn"
"""A key's address on Bitcoin's test networks."""


def call(machine: Machine, signature: str, arguments: bytes = b"", **message: Any) -> Outcome:
    """Call a method."""
    return machine.call(BRIDGE, selector(signature) + arguments, **message)


def reading_call(machine: Machine) -> Call:
    """A call with which functions of the Bridge read and change the machine's state."""
    computation: Any = SimpleNamespace(state=machine.state)
    return Call(computation, machine.upgrade)


def at_block(machine: Machine, block_number: int, timestamp: int = 1) -> None:
    """Let the machine's next calls be executed in another block."""
    context = machine.state.execution_context
    context._block_number, context._timestamp = block_number, timestamp


def number(outcome: Outcome) -> int:
    """The integer a method returned."""
    assert outcome.error is None, outcome.error
    return int.from_bytes(outcome.output, "big", signed=True)


def account(seed: str) -> Address:
    """The account whose private key is the keccak-256 of that text."""
    key = keys.PrivateKey(keccak(seed.encode()))
    return Address(key.public_key.to_canonical_address())


def topic(signature: str) -> int:
    """The first topic of an event."""
    return int.from_bytes(keccak(signature.encode()), "big")


def hash_twice(payload: bytes) -> bytes:
    """The hash of a Bitcoin block or transaction, in the byte order that Bitcoin displays."""
    return hashlib.sha256(hashlib.sha256(payload).digest()).digest()[::-1]


def tree_of_one(transaction: bytes) -> bytes:
    """The partial Merkle tree that proves the only transaction of a block."""
    return b"\1\0\0\0" + b"\1" + hash_twice(transaction)[::-1] + b"\1" + b"\1"


def arguments(*values: int | bytes) -> bytes:
    """Encode arguments: numbers, and byte strings as `bytes` or `string`."""
    heads, tails = b"", b""
    for value in values:
        if isinstance(value, bytes):
            heads += word(32 * len(values) + len(tails))
            tails += dynamic(value)[32:]
        else:
            heads += word(value % 2**256)
    return heads + tails


EASY, HARD = bytes.fromhex("ffff7f20"), bytes.fromhex("ffff001d")
"""Targets of regtest and of mainnet, as headers have them."""


def child(target: bytes = EASY, previous: str = GENESIS, root: bytes = bytes(32)) -> bytes:
    """A header after that block, mined if the target is easy; `root` as Bitcoin displays it."""
    for nonce in range(1000):
        start = b"\1\0\0\0" + bytes.fromhex(previous)[::-1] + root[::-1] + b"time"
        header = start + target + nonce.to_bytes(4, "little")
        if target != EASY or int.from_bytes(hash_twice(header), "big") <= 0x7FFFFF << 232:
            return header
    raise AssertionError("no header was found")


def headers(*items: bytes) -> bytes:
    """Encode a list of headers."""
    return word(32) + word(len(items)) + dynamic(*items)
