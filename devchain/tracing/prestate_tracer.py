"""The prestate tracer: accounts and slots that a transaction touches, before and after it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from eth._utils.state import code_is_delegation_designation
from eth.vm.forks.prague.constants import DELEGATION_DESIGNATION_PREFIX
from eth_hash.auto import keccak

from devchain.evm.opcodes import CALLS, Op
from devchain.tracing.opcode_step import OpcodeStep, as_address, as_int
from devchain.tracing.options import TraceOptions
from devchain.tracing.path_recorder import MAX_PREIMAGE, MAX_PREIMAGES
from devchain.types import WORD_SIZE, Address, Hash32

NO_CODE = Hash32(keccak(b""))
READING = frozenset({Op.BALANCE, Op.EXTCODESIZE, Op.EXTCODECOPY, Op.EXTCODEHASH, Op.SELFDESTRUCT})
STORING = frozenset({Op.SLOAD, Op.SSTORE})
MAX_DELEGATES = 64
"""Contracts whose code on the storage of one account is kept."""


@dataclass(slots=True)
class AccountState:
    """Fields of an account; in a difference, None where nothing changed."""

    balance: int | None
    nonce: int | None
    code: bytes | None
    code_hash: Hash32 | None
    storage: dict[int, int] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether the account is empty by EIP-161."""
        return not (self.balance or self.nonce or self.code)


Accounts = dict[Address, AccountState]


@dataclass(frozen=True, slots=True)
class Difference:
    """What changed: accounts before and after, with the fields that differ.

    If the options ask for what names slots, `preimages` are the bytes that were hashed by their
    hash, and `delegates` the other code that ran on the storage of an account, with its address.
    """

    before: Accounts
    after: Accounts
    preimages: dict[int, bytes] = field(default_factory=dict)
    delegates: dict[Address, dict[Address, bytes]] = field(default_factory=dict)


class PrestateTracer:
    """Reads accounts and slots before they can change, and once more at the end."""

    opcodes: frozenset[int] | None = READING | STORING | CALLS

    def __init__(self, options: TraceOptions) -> None:
        """Record accounts, storage and code as the options select."""
        self._options = options
        self._before: Accounts = {}
        self._empty: set[Address] = set()
        self._preimages: dict[int, bytes] = {}
        self._delegates: dict[Address, dict[Address, bytes]] = {}
        if options.keep_preimages:
            self.opcodes = READING | STORING | CALLS | {Op.KECCAK256}

    def add_accounts(self, state: Any, addresses: Iterable[Address]) -> None:
        """Read those accounts, unless they have been read already."""
        for address in addresses:
            if address in self._before:
                continue
            found = _read(state, address)
            if found.is_empty:
                self._empty.add(address)
            self._before[address] = found

    def entered(self, state: Any, message: Any) -> None:
        """Read the account that runs, and the one whose code runs."""
        self.add_accounts(state, [message.storage_address])
        if not message.is_create:
            self._add_code(state, message.to)
        own, other = message.storage_address, message.code_address
        if self._options.keep_preimages and other != own and message.code:
            delegates = self._delegates.setdefault(own, {})
            if len(delegates) < MAX_DELEGATES:
                delegates[other] = bytes(message.code)

    def before(self, step: OpcodeStep) -> None:
        """Read the account or the slot that the opcode uses."""
        computation, stack = step.computation, step.stack
        if step.opcode in READING and stack:
            self.add_accounts(computation.state, [as_address(stack[-1])])
        elif step.opcode in CALLS and len(stack) > 1:
            self._add_code(computation.state, step.callee)
        elif step.opcode == Op.KECCAK256 and len(stack) > 1:
            self._note_preimage(computation, as_int(stack[-1]), as_int(stack[-2]))
        elif step.opcode in STORING and stack and not self._options.disable_storage:
            own = computation.msg.storage_address
            self.add_accounts(computation.state, [own])
            slot = as_int(stack[-1])
            known = self._before[own].storage
            if slot not in known:
                known[slot] = computation.state.get_storage(own, slot)

    def _note_preimage(self, computation: Any, start: int, size: int) -> None:
        if WORD_SIZE <= size <= MAX_PREIMAGE and len(self._preimages) < MAX_PREIMAGES:
            data = bytes(computation.read_memory(start, size))
            self._preimages[int.from_bytes(keccak(data), "big")] = data

    def _add_code(self, state: Any, address: Address) -> None:
        self.add_accounts(state, [address])
        code: bytes = state.get_code(address)
        if code_is_delegation_designation(code):
            self.add_accounts(state, [as_address(code[len(DELEGATION_DESIGNATION_PREFIX) :])])

    def after(self, step: OpcodeStep) -> None:
        """Do nothing: changes are read at the end."""

    def prestate(self) -> Accounts:
        """The accounts before the transaction; empty ones only with `include_empty`."""
        return {
            address: self._shown(found)
            for address, found in self._before.items()
            if self._options.include_empty or address not in self._empty
        }

    def difference(self, state: Any, deleted: Iterable[Address]) -> Difference:
        """The changes so far; deleted accounts are in `before` alone."""
        difference = Difference({}, {}, self._preimages, self._delegates)
        deleted_accounts = set(deleted)
        for address, found in self._before.items():
            if address in deleted_accounts:
                after = None
            else:
                after, found.storage = self._changed(state, address, found)
                if after is None:
                    continue
                difference.after[address] = self._shown(after)
            if address not in self._empty:
                difference.before[address] = self._shown(found)
        return difference

    def _changed(
        self, state: Any, address: Address, was: AccountState
    ) -> tuple[AccountState | None, dict[int, int]]:
        now = _read(state, address)
        slots = {slot: state.get_storage(address, slot) for slot in was.storage}
        different = {slot for slot, value in was.storage.items() if slots[slot] != value}
        new = AccountState(
            balance=now.balance if now.balance != was.balance else None,
            nonce=now.nonce if now.nonce != was.nonce else None,
            code=now.code if now.code != was.code else None,
            code_hash=(now.code_hash or NO_CODE) if now.code != was.code else None,
            storage={slot: slots[slot] for slot in different if slots[slot]},
        )
        old = {slot: was.storage[slot] for slot in different if was.storage[slot]}
        same = new.balance is None and new.nonce is None and new.code is None
        return (None if same and not different else new), old

    def _shown(self, found: AccountState) -> AccountState:
        return replace(found, code=None) if self._options.disable_code else found


def _read(state: Any, address: Address) -> AccountState:
    code: bytes = state.get_code(address)
    code_hash = Hash32(state.get_code_hash(address)) if code else None
    return AccountState(state.get_balance(address), state.get_nonce(address), code, code_hash)
