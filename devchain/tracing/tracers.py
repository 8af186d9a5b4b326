"""Tracers: what they record of an execution beside its frames."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from eth._utils.state import code_is_delegation_designation
from eth.vm.forks.prague.constants import DELEGATION_DESIGNATION_PREFIX
from eth_hash.auto import keccak

from devchain.errors import LimitExceeded
from devchain.evm.opcodes import CALLS, OPCODES, Op
from devchain.tracing.frames import RAISED_BEFORE_RUNNING, failure_of
from devchain.tracing.opcode_step import OpcodeStep, OpcodeTracer, as_address, as_int
from devchain.tracing.options import Budget, TraceOptions
from devchain.tracing.paths import MAX_PREIMAGE, MAX_PREIMAGES
from devchain.types import WORD_SIZE, Address, Hash32

NO_CODE = Hash32(keccak(b""))
READING = frozenset({Op.BALANCE, Op.EXTCODESIZE, Op.EXTCODECOPY, Op.EXTCODEHASH, Op.SELFDESTRUCT})
STORING = frozenset({Op.SLOAD, Op.SSTORE})
MAX_DELEGATES = 64  # contracts whose code on the storage of one account is kept


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

    With `TraceOptions.keep_preimages`, `preimages` are the bytes that were hashed by their hash,
    and `delegates` the other code that ran on the storage of an account, with its address.
    """

    before: Accounts
    after: Accounts
    preimages: dict[int, bytes] = field(default_factory=dict)
    delegates: dict[Address, dict[Address, bytes]] = field(default_factory=dict)


class PrestateTracer(OpcodeTracer):
    """Reads accounts and slots before they can change, and once more at the end."""

    def __init__(self, options: TraceOptions) -> None:
        self.opcodes = READING | STORING | CALLS
        self._options = options
        self._before: Accounts = {}
        self._empty: set[Address] = set()
        self._preimages: dict[int, bytes] = {}
        self._delegates: dict[Address, dict[Address, bytes]] = {}
        if options.keep_preimages:
            self.opcodes |= {Op.KECCAK256}

    def add_accounts(self, state: Any, addresses: Iterable[Address]) -> None:
        for address in addresses:
            if address in self._before:
                continue
            account = _read(state, address)
            if account.is_empty:
                self._empty.add(address)
            self._before[address] = account

    def entered(self, state: Any, message: Any) -> None:
        self.add_accounts(state, [message.storage_address])
        if not message.is_create:
            self._add_code(state, message.to)
        own, other = message.storage_address, message.code_address
        if self._options.keep_preimages and other != own and message.code:
            delegates = self._delegates.setdefault(own, {})
            if len(delegates) < MAX_DELEGATES:
                delegates[other] = bytes(message.code)

    def before_payment(self, state: Any, receiver: Address) -> None:
        self.add_accounts(state, [receiver])

    def before(self, step: OpcodeStep) -> None:
        computation, stack = step.computation, step.stack
        if step.opcode in READING and stack:
            self.add_accounts(computation.state, [as_address(stack[-1])])
        elif step.opcode in CALLS and len(stack) > 1:
            self._add_code(computation.state, step.callee)
        elif step.opcode == Op.KECCAK256 and len(stack) > 1:
            start, size = as_int(stack[-1]), as_int(stack[-2])
            if WORD_SIZE <= size <= MAX_PREIMAGE and len(self._preimages) < MAX_PREIMAGES:
                data = bytes(computation.read_memory(start, size))
                self._preimages[int.from_bytes(keccak(data), "big")] = data
        elif step.opcode in STORING and stack and not self._options.disable_storage:
            own = computation.msg.storage_address
            self.add_accounts(computation.state, [own])
            slot = as_int(stack[-1])
            known = self._before[own].storage
            if slot not in known:
                known[slot] = computation.state.get_storage(own, slot)

    def _add_code(self, state: Any, address: Address) -> None:
        self.add_accounts(state, [address])
        code: bytes = state.get_code(address)
        if code_is_delegation_designation(code):
            self.add_accounts(state, [as_address(code[len(DELEGATION_DESIGNATION_PREFIX) :])])

    def prestate(self) -> Accounts:
        """The accounts before the transaction; empty ones only with `include_empty`."""
        return {
            address: self._shown(account)
            for address, account in self._before.items()
            if self._options.include_empty or address not in self._empty
        }

    def difference(self, state: Any, deleted: Iterable[Address]) -> Difference:
        """The changes so far; deleted accounts are in `before` alone."""
        difference = Difference({}, {}, self._preimages, self._delegates)
        deleted_accounts = set(deleted)
        for address, account in self._before.items():
            if address in deleted_accounts:
                after = None
            else:
                after, account.storage = self._changed(state, address, account)
                if after is None:
                    continue
                difference.after[address] = self._shown(after)
            if address not in self._empty:
                difference.before[address] = self._shown(account)
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

    def _shown(self, account: AccountState) -> AccountState:
        return replace(account, code=None) if self._options.disable_code else account


def _read(state: Any, address: Address) -> AccountState:
    code: bytes = state.get_code(address)
    code_hash = Hash32(state.get_code_hash(address)) if code else None
    return AccountState(state.get_balance(address), state.get_nonce(address), code, code_hash)


# Struct logs

Storage = dict[int, int]

STEP_WORDS = 8


@dataclass(slots=True)
class Step:
    """An opcode: the state before it ran, and what it cost.

    `depth` is 1 at the top, `code` the opcode's byte. Fields that are switched off are None.
    `storage` has the slots the contract has touched so far; `error` is why it could not run.
    """

    op: str
    code: int
    pc: int
    gas: int
    depth: int
    refund: int
    memory_size: int
    cost: int = 0
    error: str | None = None
    stack: list[int] | None = None
    memory: bytes | None = None
    storage: Storage | None = None
    return_data: bytes | None = None


class StructLogger(OpcodeTracer):
    """Logs every opcode as a `Step`, at most `limit` of them."""

    def __init__(self, options: TraceOptions, budget: Budget) -> None:
        self._budget = budget
        self.steps: list[Step] = []
        self._options = options
        self._open: dict[int, Step] = {}
        self._known: dict[Address, Storage] = {}
        self._shows_memory = options.enable_memory and not options.disable_memory

    def before(self, step: OpcodeStep) -> None:
        storage = self._storage(step)
        if self._options.disable_storage:
            storage = None
        if self._options.limit and len(self.steps) >= self._options.limit:
            if self._options.stops:
                raise LimitExceeded(f"the trace has {self._options.limit:,} steps")
            return
        computation, memory_size = step.computation, step.computation.memory_size
        words = STEP_WORDS + 2 * len(storage or ())
        words += 0 if self._options.disable_stack else len(computation.whole_stack())
        words += memory_size // WORD_SIZE if self._shows_memory else 0
        self._budget.spend(words)
        entry = Step(
            op=step.mnemonic,
            code=step.opcode,
            pc=step.pc,
            gas=step.gas,
            depth=computation.msg.depth + 1,
            refund=step.refund,
            memory_size=memory_size,
            storage=storage,
        )
        if not self._options.disable_stack:
            entry.stack = [as_int(word) for word in computation.whole_stack()]
        if self._shows_memory:
            entry.memory = computation.whole_memory()
        if self._options.enable_return_data:
            entry.return_data = computation.return_data
        self.steps.append(entry)
        self._open[id(step)] = entry

    def after(self, step: OpcodeStep) -> None:
        entry = self._open.pop(id(step), None)
        if entry is None:
            return
        entry.cost = step.cost
        if isinstance(step.error, RAISED_BEFORE_RUNNING):
            entry.error = failure_of(step.error).geth

    def _storage(self, step: OpcodeStep) -> Storage | None:
        slot = _slot_of(step)
        if self._options.disable_storage or (slot is None and not self._options.full_steps):
            return None
        known = self._known.setdefault(step.computation.msg.storage_address, {})
        if slot is None:
            pass
        elif step.opcode == Op.SLOAD:
            own = step.computation.msg.storage_address
            known[slot] = step.computation.state.get_storage(own, slot)
        else:
            known[slot] = as_int(step.stack[-2])
        return dict(known)


class RskStructLogger(StructLogger):
    """Logs opcodes as rskj does: storage at each of them, no STOP after the end of the code.

    Storage has the slots that are not zero of those accessed by earlier opcodes. `initial_storage`
    and `storage` have those before and after the execution, by contract.
    """

    def __init__(self, options: TraceOptions, budget: Budget) -> None:
        super().__init__(options, budget)
        self.initial_storage: dict[Address, Storage] = {}
        self.storage = self._known
        self._seen: set[tuple[Address, int]] = set()
        self._accessed: dict[int, int] = {}  # the slot of the last opcode, by depth

    def entered(self, state: Any, message: Any) -> None:
        del state
        self._accessed.pop(message.depth, None)

    def before(self, step: OpcodeStep) -> None:
        if step.pc < len(step.computation.msg.code):
            super().before(step)

    def _storage(self, step: OpcodeStep) -> Storage:
        computation = step.computation
        own: Address = computation.msg.storage_address
        known = self._known.setdefault(own, {})
        depth = computation.msg.depth
        accessed = self._accessed.pop(depth, None)
        if accessed is not None:
            _set(known, accessed, computation.state.get_storage(own, accessed))
        slot = _slot_of(step)
        if slot is not None:
            self._accessed[depth] = slot
            if (own, slot) not in self._seen:
                self._seen.add((own, slot))
                first = self.initial_storage.setdefault(own, {})
                _set(first, slot, computation.state.get_storage(own, slot))
        return dict(known)


def _slot_of(step: OpcodeStep) -> int | None:
    needed = OPCODES[step.opcode].pops if step.opcode in {Op.SLOAD, Op.SSTORE} else None
    if needed is None or len(step.stack) < needed:
        return None
    return as_int(step.stack[-1])


def _set(storage: Storage, slot: int, value: int) -> None:
    if value:
        storage[slot] = value
    else:
        storage.pop(slot, None)
