"""Calls of one precompiled contract on a minimal chain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from eth.constants import BLANK_ROOT_HASH
from eth.db.atomic import AtomicDB
from eth.exceptions import VMError
from eth.vm.message import Message
from eth_hash.auto import keccak

from devchain.evm.rootstock.header import RootstockHeader
from devchain.evm.rootstock.precompiles.native_contract import encode
from devchain.evm.rootstock.vm import (
    ChainView,
    RootstockTransactionContext,
    RootstockVM,
    upgrade_vm,
)
from devchain.types import Address
from tests.bytecode import assemble, word

BRIDGE = 0x01000006
REMASC = 0x01000008
HD_WALLET_UTILS = 0x01000009
BLOCK_HEADER = 0x01000010
ENVIRONMENT = 0x01000011

GAS = 10_000_000
CALLER = Address(b"\x0c" * 20)


@dataclass(frozen=True)
class Log:
    """A log of a call: topics as numbers, the data as it is."""

    topics: tuple[int, ...]
    data: bytes


@dataclass(frozen=True)
class Outcome:
    """Output, gas used, error and logs of a call."""

    output: bytes
    gas: int
    error: VMError | None
    logs: tuple[Log, ...] = ()


@dataclass(frozen=True)
class Machine:
    """Executes calls under one upgrade, on one state; `blocks` are the ancestors, newest first.

    Calls are executed as messages from `CALLER`, which has 100 RBTC.
    """

    upgrade: str = "vetiver"
    chain_id: int = 33
    blocks: Sequence[Any] = ()
    local_call: bool = True

    def call(self, number: int, payload: bytes = b"", **message: Any) -> Outcome:
        """Call the contract at that address; `message` overrides fields of py-evm's message."""
        values = {"gas": GAS, "to": address(number), "sender": CALLER, "value": 0, "code": b""}
        sent = Message(**(values | {"data": payload} | message))
        context = RootstockTransactionContext(gas_price=0, origin=CALLER)
        context.local_call = self.local_call
        done = self.state.computation_class.apply_message(self.state, sent, context)
        logs = tuple(Log(topics, data) for _, topics, data in done.get_log_entries())
        return Outcome(done.output, sent.gas - done.get_gas_remaining(), done._error, logs)

    @cached_property
    def state(self) -> Any:
        """The state, which calls may change."""
        hashes = [block.header.hash for block in self.blocks]

        def find_ancestor(block_hash: bytes, depth: int) -> Any:
            place = hashes.index(block_hash) + depth
            return self.blocks[place] if place < len(self.blocks) else None

        view = ChainView(self.chain_id, find_ancestor)
        block = RootstockHeader(timestamp=1, block_number=len(self.blocks), gas_limit=GAS)
        context = RootstockVM.create_execution_context(block, hashes[:256], view)
        state = upgrade_vm(self.upgrade).get_state_class()(AtomicDB(), context, BLANK_ROOT_HASH)
        state.set_balance(CALLER, 100 * 10**18)
        return state


def address(number: int) -> Address:
    """The address of that number."""
    return Address(number.to_bytes(20, "big"))


def selector(signature: str) -> bytes:
    """First four bytes of the call data."""
    return keccak(signature.encode())[:4]


def dynamic(*values: bytes) -> bytes:
    """Encode arguments that are all `bytes` or `string`."""
    tails = [encode("bytes", value)[32:] for value in values]
    ends = [32 * len(values) + sum(map(len, tails[:index])) for index in range(len(values))]
    return b"".join(map(word, ends)) + b"".join(tails)


def unpack(output: bytes) -> bytes:
    """Decode the `bytes` or `string` in an output."""
    size = int.from_bytes(output[32:64], "big")
    return output[64 : 64 + size]


def forwarder(number: int, opcode: str = "CALL") -> bytes:
    """Code that calls a contract with its calldata and returns the success word and the output."""
    value = "0 " if opcode in {"CALL", "CALLCODE"} else ""
    return assemble(f"""
        CALLDATASIZE 0 0 CALLDATACOPY
        0 0 CALLDATASIZE 0 {value}{number} GAS {opcode}
        0 MSTORE
        RETURNDATASIZE 0 32 RETURNDATACOPY
        RETURNDATASIZE 32 ADD 0 RETURN
    """)
