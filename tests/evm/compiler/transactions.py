"""Random transactions, and random contracts that call, create and destroy one another.

They cover what `programs` does not: deep and reentrant calls with barely enough gas, contracts
created at the address of a destroyed one, delegations, repeated writes to a slot.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from eth.constants import CREATE_CONTRACT_ADDRESS
from eth.exceptions import VMError
from eth.vm import opcode_values as op
from eth_utils.exceptions import ValidationError

from devchain.types import Address
from tests.bytecode import init_code
from tests.evm.compiler.engines import ORIGIN, Engine, address, outcome
from tests.evm.compiler.programs import CALLING, HELPERS, LOOKING_UP, READING, SELF, RandomProgram

CONTRACTS = (SELF, 0xB1, 0xB2, 0xB3)
DELEGATED = {0xD1: 0xB1, 0xD2: 2, 0xD3: 0xD1, 0xD4: 0xD4}
"""Accounts that delegate to another (EIP-7702): to a contract, to a precompiled contract, to an
account that delegates, to themselves."""
CALLEES = (*CONTRACTS, *CONTRACTS, *range(1, 10), *HELPERS, *DELEGATED, 0xE0, 0x01000009)
EXACT_GAS = (
    *(0, 1, 15, 18, 21, 60, 72, 150, 600, 700, 720, 3_000, 5_000, 9_000, 20_000, 23_000, 50_000),
    *range(2_299, 2_316),
    *(2**64, 2**256 - 1),
)
"""Prices of precompiled contracts, of a stipend and of SSTORE, and numbers around them."""
CREATED = 0x200
"""Offset in memory of the address created last, with its init code behind it."""
RUNTIMES = tuple(
    map(
        bytes.fromhex,
        (
            "33ff",  # CALLER SELFDESTRUCT
            "30ff",  # ADDRESS SELFDESTRUCT
            "600160005401600055",  # counts in slot 0
            "60005c6001015f5d60005c60005260206000f3",  # counts in transient slot 0
            "5b6001600054016000556000548060051060005760206000f3",  # counts up to 5
        ),
    )
)
BEFORE = tuple(map(bytes.fromhex, ("", "", "6001600155", "6001600055", "60006000a0")))
"""The start of init code: nothing, a write to storage, a log."""
INIT_CODES = tuple(
    map(bytes.fromhex, ("fe", "60206000fd", "33ff", "30ff", "60ef60005360016000f3", "6170006000f3"))
)
"""Init code that fails, destroys itself, returns forbidden code, or too much code."""


class Contract(RandomProgram):
    """A random program with many calls and creations."""

    def expression(self, depth: int) -> None:
        """A random expression."""
        self._rng.choice(_NESTED if depth > 0 else _FLAT)(self, depth - 1)

    def statement(self, depth: int) -> None:
        """A random statement."""
        self._rng.choice(_COMPOUND if depth > 0 else _SIMPLE)(self, depth - 1)

    def account(self) -> None:
        """Push the address of an account, sometimes of the contract created last."""
        if self._rng.random() < 0.25:
            self.push(CREATED)
            self.emit(op.MLOAD)
        else:
            self.push(self._rng.choice(CALLEES))

    def call(self, _: int) -> None:
        """Call a contract with all the gas, with half of it, or with just enough."""
        rng = self._rng
        kind = rng.choice([each for each in CALLING if each in self._known])
        for _ in range(4):
            self.small()
        if kind in {op.CALL, op.CALLCODE}:
            self.push(rng.choice((0, 0, 0, 0, 1, 1, 2**200)))
        self.account()
        how = rng.randint(0, 9)
        if how < 3:
            self.emit(op.GAS)
        elif how < 5:
            self.push(2)
            self.emit(op.GAS, op.DIV)
        else:
            self.push(rng.choice(EXACT_GAS))
        self.emit(kind)

    def create(self, _: int) -> None:
        """Create a contract: a known one, one with this init code, or what is in memory."""
        rng = self._rng
        known = op.CREATE2 in self._known
        kind = rng.choice((op.CREATE, op.CREATE2, op.CREATE2)) if known else op.CREATE
        if kind == op.CREATE2:
            self.push(rng.randint(0, 1))
        how = rng.randint(0, 3)
        if how == 0:
            self.emit(op.CODESIZE, op.PUSH1, 0, op.PUSH1 + 1, *CREATED.to_bytes(2), op.CODECOPY)
            self.emit(op.CODESIZE)
        else:
            self.push(self._init_code() if how > 1 else rng.choice((0, 4, 60)))
        self.push(CREATED + 32)
        self.push(rng.choice((0, 0, 0, 1, 2**100)))
        self.emit(kind, op.DUP1)
        self.push(CREATED)
        self.emit(op.MSTORE)

    def _init_code(self) -> int:
        """Put init code into memory; its size."""
        rng = self._rng
        whole = (init_code(rng.choice(RUNTIMES)), init_code(rng.choice(RUNTIMES)))
        before = rng.choice(BEFORE)
        init = rng.choice((*whole, *INIT_CODES))
        if init in INIT_CODES:
            init = before + init
        for start in range(0, len(init), 32):
            self.emit(op.PUSH32, *init[start : start + 32].ljust(32, b"\0"))
            self.push(CREATED + 32 + start)
            self.emit(op.MSTORE)
        return len(init)

    def store_slot(self, depth: int) -> None:
        """Write a small number to storage, or one more than is in a slot."""
        rng = self._rng
        if rng.random() < 0.4:
            self.stored(depth)
            self.emit(op.PUSH1, 1, op.ADD)
        else:
            self.push(rng.choice((0, 0, 1, 2)))
        self.push(rng.randint(0, 2))
        self.one_of((op.SSTORE, op.SSTORE, op.SSTORE, op.TSTORE))

    def copy_code(self, _: int) -> None:
        """Copy the code of an account, its own too."""
        self.small()
        self.push(self._rng.choice((0, 0, 1, 5, 2**255)))
        self.small()
        self.account()
        self.emit(op.EXTCODECOPY)

    def copy_returned(self, _: int) -> None:
        """Copy all that the last call returned, or a byte too much."""
        self.one_of((op.RETURNDATASIZE,))
        self.push(self._rng.choice((0, 0, 0, 0, 1)))
        self.push(self._rng.choice((0, 32, 300)))
        self.one_of((op.RETURNDATACOPY,))

    def looked_up(self, _: int) -> None:
        """A property of an account or a block."""
        if self._rng.random() < 0.2:
            self.push(self._rng.choice((0, 1, 255, 256, 2**256 - 1)))
            self.one_of((op.BLOCKHASH, op.BLOBHASH))
        else:
            self.account()
            self.one_of(LOOKING_UP[:3])

    def reading(self, _: int) -> None:
        """A word of the environment."""
        self.one_of((*READING, op.BLOBBASEFEE, op.GAS, op.RETURNDATASIZE, op.MSIZE, op.SELFBALANCE))

    def jump_into_data(self, _: int) -> None:
        """Push JUMPDESTs; where value was sent, jump to one."""
        place = len(self.code)
        self.emit(op.PUSH1 + 1, op.JUMPDEST, op.JUMPDEST, op.POP, op.CALLVALUE)
        self.push(place + 1)
        self.emit(op.JUMPI)

    def self_destruct(self, _: int) -> None:
        """Self-destruct, sometimes."""
        if self._rng.random() < 0.3:
            self.account()
            self.emit(op.SELFDESTRUCT)


_C = Contract
_FLAT = (_C.number, _C.reading, _C.argument, _C.duplicate)
_NESTED = (
    *(*_FLAT, _C.unary, _C.binary, _C.binary, _C.ternary, _C.loaded, _C.stored, _C.hashed),
    *(_C.looked_up, _C.call, _C.call),
)
_SIMPLE = (
    *(_C.store_word, _C.store_slot, _C.store_slot, _C.store_slot, _C.copy, _C.copy_code),
    *(_C.copy_returned, _C.log, _C.drop, _C.shuffle, _C.any_opcode),
)
_COMPOUND = (
    *(*_SIMPLE, _C.branch, _C.branch, _C.loop, _C.loop, _C.call_function, _C.create, _C.create),
    *(_C.jump_anywhere, _C.jump_into_data, _C.self_destruct),
)


@dataclass(frozen=True)
class UnsignedTransaction:
    """An unsigned transaction, with the attributes that py-evm reads."""

    to: bytes
    data: bytes
    value: int
    gas: int
    access_list: tuple[Any, ...]
    sender: Address = ORIGIN
    gas_price: int = 10**10
    max_fee_per_gas: int = 10**10
    max_priority_fee_per_gas: int = 0
    type_id: int = 0
    nonce: int = 0
    intrinsic_gas: int = 0
    authorization_list: tuple[Any, ...] = ()
    blob_versioned_hashes: tuple[Any, ...] = ()
    r: int = 0
    s: int = 0
    y_parity: int = 0


class Scenario:
    """Random contracts and random transactions, the same for both engines."""

    def __init__(self, rng: Random, fork: str, known: Collection[int]) -> None:
        self._rng = rng
        self._known = known
        self.codes = {each: self._code() for each in CONTRACTS}
        self.hot = rng.choice((1, 2, 3))
        self.fork = fork

    def _code(self) -> bytes:
        """A contract's code, on Rootstock sometimes with a header before it."""
        rng = self._rng
        code = bytes(Contract(rng, self._known, rng.choice((3, 6, 9))).code)
        if rng.random() < 0.05:
            return bytes((0xFC, rng.choice((0, 0x60, 0x7F)), 0, rng.choice((0, 1, 9)))) + code
        return code

    def engine(self, name: str) -> Engine:
        """An engine with the contracts installed."""
        engine = Engine(self.fork, self.codes[SELF], name, self.hot)
        state = engine.state
        for number, code in self.codes.items():
            state.set_code(address(number), code)
            state.set_balance(address(number), 10**9)
            state.set_storage(address(number), 0, 1)
            state.set_storage(address(number), 1, 2)
        for number, to in DELEGATED.items():
            state.set_code(address(number), b"\xef\x01\x00" + address(to))
        state.set_balance(ORIGIN, 10**30)
        state.lock_changes()
        return engine

    def transactions(self) -> Iterator[UnsignedTransaction]:
        """Three to seven transactions."""
        rng = self._rng
        for _ in range(rng.randint(3, 7)):
            creates = rng.random() < 0.12
            data = bytes(rng.choice((0, 1, 255)) for _ in range(rng.choice((0, 4, 36, 68))))
            warm = rng.sample((*CONTRACTS, 0xE0), 2) if rng.random() < 0.3 else ()
            yield UnsignedTransaction(
                to=CREATE_CONTRACT_ADDRESS if creates else address(rng.choice(CALLEES)),
                data=bytes(Contract(rng, self._known, 4).code) if creates else data,
                value=rng.choice((0, 0, 1)),
                gas=rng.choice((300_000, 300_000, 1_000_000, rng.randint(90_000, 200_000))),
                access_list=tuple((address(each), (0, 1)) for each in warm),
            )


def transact(engine: Engine, tx: UnsignedTransaction) -> dict[str, Any]:
    """Execute and finalize a transaction and return all its effects."""
    state = engine.state
    state.lock_changes()
    executor = state.get_transaction_executor()
    before = state.snapshot()
    try:
        computation = executor.build_computation(executor.build_evm_message(tx), tx)
    except (VMError, NotImplementedError, ValueError, ValidationError) as raised:
        state.revert(before)
        return {"raised": type(raised)}
    seen = outcome(computation)
    executor.finalize_computation(tx, computation)
    if hasattr(state, "finish_transaction"):  # Rootstock's
        state.finish_transaction(computation)
    elif hasattr(state, "_transient_storage"):
        state.clear_transient_storage()
    return seen
