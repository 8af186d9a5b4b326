"""The accounts and slots a transaction touched, as they were before it and after."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from eth._utils.state import code_is_delegation_designation
from eth.vm import opcode_values as op
from eth.vm.forks.prague.constants import DELEGATION_DESIGNATION_PREFIX
from eth_hash.auto import keccak

from devchain.tracing.opcode_step import CALLS, Operation, as_address, as_int
from devchain.tracing.options import TraceOptions
from devchain.types import Address, Hash32

NO_CODE = Hash32(keccak(b""))
READING = frozenset({op.BALANCE, op.EXTCODESIZE, op.EXTCODECOPY, op.EXTCODEHASH, op.SELFDESTRUCT})
STORING = frozenset({op.SLOAD, op.SSTORE})


@dataclass(slots=True)
class AccountState:
    """What is known of an account; of a change, None where nothing changed."""

    balance: int | None
    nonce: int | None
    code: bytes | None
    code_hash: Hash32 | None
    storage: dict[int, int] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether there is, for Ethereum's rules, no such account."""
        return not (self.balance or self.nonce or self.code)


Accounts = dict[Address, AccountState]


@dataclass(frozen=True, slots=True)
class Difference:
    """What changed: accounts before and after, no more of them than differs."""

    before: Accounts
    after: Accounts


class PrestateWatch:
    """Looks at accounts and slots before anything can change them, and once more at the end."""

    opcodes: frozenset[int] | None = READING | STORING | CALLS

    def __init__(self, options: TraceOptions) -> None:
        """Look at what the options ask for."""
        self._options = options
        self._before: Accounts = {}
        self._empty: set[Address] = set()

    def look_at(self, state: Any, addresses: Iterable[Address]) -> None:
        """Keep what those accounts are now, unless they are known already."""
        for address in addresses:
            if address in self._before:
                continue
            found = _read(state, address)
            if found.is_empty:
                self._empty.add(address)
            self._before[address] = found

    def entered(self, state: Any, message: Any) -> None:
        """Look at the contract that is made or called, and whose code it is."""
        self.look_at(state, [message.storage_address])
        if not message.is_create:
            self._look_at_code(state, message.to)

    def before(self, operation: Operation) -> None:
        """Look at the account or the slot an opcode is about to use."""
        computation, stack = operation.computation, operation.stack
        if operation.opcode in READING and stack:
            self.look_at(computation.state, [as_address(stack[-1])])
        elif operation.opcode in CALLS and len(stack) > 1:
            self._look_at_code(computation.state, operation.callee)
        elif operation.opcode in STORING and stack and not self._options.disable_storage:
            own = computation.msg.storage_address
            self.look_at(computation.state, [own])
            slot = as_int(stack[-1])
            known = self._before[own].storage
            if slot not in known:
                known[slot] = computation.state.get_storage(own, slot)

    def _look_at_code(self, state: Any, address: Address) -> None:
        """Look at an account whose code is to run, and at the one that has it (EIP-7702)."""
        self.look_at(state, [address])
        code: bytes = state.get_code(address)
        if code_is_delegation_designation(code):
            self.look_at(state, [as_address(code[len(DELEGATION_DESIGNATION_PREFIX) :])])

    def after(self, operation: Operation) -> None:
        """What it did shows at the end."""

    def prestate(self) -> Accounts:
        """The accounts as they were; those that were not there only if asked for."""
        return {
            address: self._shown(found)
            for address, found in self._before.items()
            if self._options.include_empty or address not in self._empty
        }

    def difference(self, state: Any, deleted: Iterable[Address]) -> Difference:
        """What changed until now; deleted accounts are shown as they were alone."""
        difference = Difference({}, {})
        gone = set(deleted)
        for address, found in self._before.items():
            if address in gone:
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
        """What is new of an account, None if nothing is, and the slots that were otherwise."""
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
