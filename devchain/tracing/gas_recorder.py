"""Recording of gas: how much each instruction used, in which chain of calls.

Transactions are replayed on an instrumented computation class, whose code stream reads the gas
meter before each opcode: what an opcode used is the gas before it less that before the next,
without what its message used. What a message paid before its first opcode and after its last, and
what a failure burned, is recorded too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import repeat
from typing import Any

from eth.exceptions import VMError
from eth.vm.code_stream import CodeStream
from eth.vm.forks.berlin.constants import COLD_SLOAD_COST, WARM_STORAGE_READ_COST
from eth_hash.auto import keccak

from devchain.chain.block import Block, Receipt
from devchain.chain.chain import Chain
from devchain.contracts.artifact_registry import Registry
from devchain.contracts.artifacts import Artifact
from devchain.contracts.code_map import CodeMap
from devchain.contracts.outline import Function
from devchain.contracts.value_types import AddressText
from devchain.evm import deadline
from devchain.evm.bounded import OPCODES_PER_CHECK
from devchain.evm.opcodes import Op
from devchain.tracing.opcode_step import as_int
from devchain.tracing.paths import InternalCalls
from devchain.tracing.recorder import MessageComputation
from devchain.tracing.replay import Replay
from devchain.types import SELECTOR_SIZE, WORD_SIZE, Address, Hash32

AT_ENTRY, AT_DEPOSIT, NO_LINE = -1, -2, -3
"""In place of an offset: before the first opcode, after the last of a creation, no line known.

Below `NO_LINE` are instructions without a line that ran after one with a line (`line_before`).
"""

MAX_CONTEXTS = 50_000
MAX_DEPTH = 256
"""The most chains of calls, and the longest; gas of calls beyond them counts for their caller."""

MAX_SLOTS = 50_000
MAX_PREIMAGES = 50_000
MAX_PREIMAGE = 1_024  # limits of what is remembered: contracts decide how much there is

NOT_IN_SIGNATURE = re.compile(r"^(struct|enum|contract) | (payable|memory|calldata|pointer)$")
"""What compilers write of a type that the signature of a library's function has not."""

STANDARD_PRECOMPILES = {
    1: "ecrecover",
    2: "SHA-256",
    3: "RIPEMD-160",
    4: "identity",
    5: "modexp",
    6: "bn128 add",
    7: "bn128 multiply",
    8: "bn128 pairing",
    9: "BLAKE2 F",
    10: "point evaluation",
    11: "BLS12-381 G1 add",
    12: "BLS12-381 G1 MSM",
    13: "BLS12-381 G2 add",
    14: "BLS12-381 G2 MSM",
    15: "BLS12-381 pairing",
    16: "BLS12-381 map Fp to G1",
    17: "BLS12-381 map Fp2 to G2",
    0x100: "P256VERIFY",
}
"""Names of precompiled contracts that have no ABI."""

NOTED = frozenset({Op.SLOAD, Op.SSTORE, Op.KECCAK256})
COLD_GAS: dict[int, int] = {
    Op.SLOAD: COLD_SLOAD_COST - WARM_STORAGE_READ_COST,
    Op.SSTORE: COLD_SLOAD_COST,
}
"""What the first access of a slot in a transaction costs more than others."""


@dataclass(slots=True)
class StorageUse:
    """How often storage was read and written, its gas, and what was cold of that (EIP-2929)."""

    reads: int = 0
    writes: int = 0
    gas: int = 0
    cold_gas: int = 0

    def add(self, other: StorageUse) -> None:
        self.reads += other.reads
        self.writes += other.writes
        self.gas += other.gas
        self.cold_gas += other.cold_gas


def line_before(place: int) -> int | None:
    """The offset of the last instruction with a line before one without; None if there is none."""
    return NO_LINE - 1 - place if place < NO_LINE else None


def called_function(code_map: CodeMap, data: bytes) -> Function | None:
    """The function of the source that a message calls; None if it is not known."""
    called = code_map.called(data)
    if called or not data:
        return called.function if called else None
    return next((each for each in code_map.functions if _library_selector(each) == data), None)


def _library_selector(function: Function) -> bytes:
    # Of a library's function with parameters in storage, which is not in the ABI.
    kinds = ",".join(NOT_IN_SIGNATURE.sub("", each.kind) for each in function.parameters)
    return keccak(f"{function.own_name}({kinds.replace('=>', ' => ')})".encode())[:SELECTOR_SIZE]


@dataclass(slots=True, eq=False)
class ExecutedCode:
    """Code that ran: the contract's name, or its address, and what is known of its source."""

    contract: str
    artifact: Artifact | None = None
    code_map: CodeMap | None = None
    creating: bool = False
    jumps: Mapping[int, str] = field(init=False)
    fixed_jumps: Collection[int] = field(init=False)
    has_line: Callable[[int], bool] = field(init=False)

    def __post_init__(self) -> None:
        self.jumps = self.code_map.jumps if self.code_map else {}
        self.fixed_jumps = self.code_map.fixed_jumps if self.code_map else ()
        self.has_line = cache(self.code_map.has_line if self.code_map else lambda _: False)


@dataclass(slots=True, eq=False)
class Context:
    """A chain of calls: messages and internal functions, and the gas of instructions at its end.

    `place` is the offset at which its caller called it; `target` is the jump's destination, None
    for a message. `gas` is by offset, or what is in place of one (`NO_LINE`), and so is `burned`,
    what a failure there took.
    """

    code: ExecutedCode
    place: int = NO_LINE
    target: int | None = None
    function: str = ""
    selector: bytes = b""
    depth: int = 0
    calls: int = 0
    gas: dict[int, int] = field(default_factory=dict)
    burned: dict[int, int] = field(default_factory=dict)
    internal: dict[tuple[int, int], Context] = field(default_factory=dict)
    messages: dict[object, Context] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class _Run:
    """A message that runs: `left` is the gas before the opcode at `place`.

    `line` is the last offset with a line, -1 for none; `calls` keep it and the context of a caller.
    """

    recorder: GasRecorder
    message: Any
    context: Context
    left: int
    place: int = AT_ENTRY
    line: int = -1
    access: tuple[int, int, bool] | None = None
    calls: InternalCalls[tuple[Context, int]] = field(init=False)

    def __post_init__(self) -> None:
        self.calls = InternalCalls(self.context.code.jumps, self.context.code.fixed_jumps)

    def charge(self, left: int) -> int:
        spent = self.left - left
        if spent:
            gas = self.context.gas
            gas[self.place] = gas.get(self.place, 0) + spent
            self.left = left
        return spent

    def burn(self, left: int) -> None:
        self.charge(left)
        if left:
            burned = self.context.burned
            burned[self.place] = burned.get(self.place, 0) + left
            self.left = 0

    def jumped(self, offset: int, target: int) -> None:
        if self.calls.is_call(offset):
            if self.calls.enter(offset, (self.context, self.line)):
                self.context = self.recorder.internal(self.context, self.place, offset, target)
        elif caller := self.calls.leave(offset, target):
            self.context, self.line = caller


class _GasStream(CodeStream):
    """py-evm's code stream, reading the gas meter before each opcode."""

    __slots__ = ["computation", "run"]

    def __init__(self, stream: Any, run: _Run, computation: Any) -> None:
        super().__init__(stream._raw_code_bytes)  # noqa: SLF001  # py-evm has no public name for it
        self.program_counter = stream.program_counter
        self.run = run
        self.computation = computation

    def __iter__(self) -> Iterator[int]:
        code, size, run = self._raw_code_bytes, self._length_cache, self.run
        meter, has_line = self.computation.get_gas_meter(), run.context.code.has_line
        place = AT_ENTRY
        opcode: int = Op.STOP
        while True:
            for _ in repeat(None, OPCODES_PER_CHECK):
                spent = run.charge(meter.gas_remaining)
                if run.access is not None:
                    run.recorder.accessed(run, self.computation, spent)
                following = self.program_counter
                if opcode == Op.JUMP or (opcode == Op.JUMPI and following != place + 1):
                    run.jumped(place, following)
                place = following
                if has_line(place):
                    run.place = run.line = place
                else:
                    run.place = NO_LINE - 1 - run.line
                if place >= size:
                    yield Op.STOP
                    return
                opcode = code[place]
                if opcode in NOTED:
                    run.recorder.accesses(run, opcode, self.computation)
                self.program_counter = place + 1
                yield opcode
            deadline.check()


class GasRecorder:
    """Records the gas of mined transactions by replaying them.

    `root` has the contexts of transactions; other gas is `intrinsic`, `floor`, `burned`, `refunds`.
    """

    def __init__(self, artifacts: Registry, address_text: AddressText) -> None:
        """Name contracts by those artifacts, and others by their address as that text."""
        self._artifacts = artifacts
        self.address_text = address_text
        self.root = Context(ExecutedCode(""))
        self.intrinsic = self.floor = self.burned = self.refunds = self.transactions = 0
        self.preimages: dict[int, bytes] = {}
        self.storage: dict[tuple[Address, ExecutedCode, int], StorageUse] = {}
        self.owners: dict[Address, ExecutedCode] = {}
        self._codes: dict[object, ExecutedCode] = {}
        self._contexts = 0
        self.open: list[_Run] = []
        self._top: tuple[int, int] | None = None

    # Transactions

    def record_transaction(self, chain: Chain, transaction_hash: Hash32) -> bool:
        """Record the gas of a mined transaction; False if there is none of that hash."""
        mined = chain.receipt(transaction_hash)
        if mined is None:
            return False
        block, receipt = mined
        self.record_block(chain, block, receipt.index)
        return True

    def record_block(self, chain: Chain, block: Block, index: int | None = None) -> None:
        """Record the gas of a block's transactions, or of the one at an index alone."""
        replay = Replay(chain, block)
        state = replay.builder.state
        plain, recording = state.computation_class, gas_class(state.computation_class, self)
        for receipt in block.receipts[: None if index is None else index + 1]:
            if index not in (None, receipt.index):
                replay.run(receipt.transaction)
                continue
            self.open.clear()
            self._top = None
            state.computation_class = recording
            try:
                replay.run(receipt.transaction)
            finally:
                state.computation_class = plain
            self._finish(receipt)

    def _finish(self, receipt: Receipt) -> None:
        tx, used = receipt.transaction, receipt.gas_used
        self.transactions += 1
        if self._top is None:
            before = min(tx.intrinsic_gas, used)
            self.intrinsic += before
            self.burned += used - before
            return
        available, by_message = self._top
        self.intrinsic += tx.gas - available
        difference = used - (tx.gas - available) - by_message
        self.refunds += max(0, -difference)
        self.floor += max(0, difference)

    def code_maps(self) -> list[CodeMap]:
        code_maps = {
            id(code.code_map): code.code_map for code in self._codes.values() if code.code_map
        }
        return list(code_maps.values())

    # Messages

    def run_message(
        self, run: Callable[..., Any], state: Any, message: Any, context: Any, parent: Any
    ) -> Any:
        above = self.open[-1] if self.open else None
        entered = self._enter(state.computation_class, message, above)
        opened = _Run(self, message, entered, message.gas)
        self.open.append(opened)
        try:
            computation = run(state, message, context, parent)
        except VMError:
            self.open.pop()
            if above is None:
                self._top = (message.gas, message.gas)
                opened.context.burned[AT_ENTRY] = message.gas
            raise
        self.open.pop()
        used = computation.get_gas_used()
        if computation.should_burn_gas:
            opened.burn(computation.get_gas_meter().gas_remaining)
        opened.charge(message.gas - used)
        if above is None:
            self._top = (message.gas, used)
        else:
            above.left -= used
        return computation

    def code_ended(self, computation: Any) -> None:
        """The init code of a creation has ended: what follows is the price of storing code."""
        run = self.open[-1]
        if not computation.is_error:
            run.charge(computation.get_gas_meter().gas_remaining)
            run.place = AT_DEPOSIT

    # Contexts

    def internal(self, context: Context, place: int, offset: int, target: int) -> Context:
        key = (offset, target)
        called = context.internal.get(key)
        if called is None:
            if self._contexts >= MAX_CONTEXTS or context.depth >= MAX_DEPTH:
                return context
            self._contexts += 1
            called = Context(context.code, place, target, depth=context.depth + 1)
            context.internal[key] = called
        called.calls += 1
        return called

    def _enter(self, kind: Any, message: Any, above: _Run | None) -> Context:
        context, place = (above.context, above.place) if above else (self.root, NO_LINE)
        precompiled = message.code_address in kind.get_precompiles() and not message.is_delegation
        code = self._code(message, precompiled=precompiled)
        if message.code and message.code_address == message.storage_address:
            self.owners[message.storage_address] = code
        selector = b"" if code.creating else bytes(message.data[:SELECTOR_SIZE])
        key: object = (place, code, selector)
        called = context.messages.get(key)
        if called is None:
            if self._contexts >= MAX_CONTEXTS or context.depth >= MAX_DEPTH:
                context, key, selector = self.root, (None, code, b""), b""
            function = self._function(code, message, selector)
            called = Context(code, place, None, function, selector, context.depth + 1)
            called = context.messages.setdefault(key, called)
            self._contexts += 1
        called.calls += 1
        return called

    def _code(self, message: Any, *, precompiled: bool) -> ExecutedCode:
        content, address, creating = message.code, message.code_address, bool(message.is_create)
        key = (creating, hash(content), len(content), None if creating else address)
        if code := self._codes.get(key):
            return code
        raw, artifacts = bytes(content), self._artifacts
        if creating:
            artifact = artifacts.find_by_init_code(raw)
            name = artifact.name if artifact else "new contract"
        else:
            artifact = artifacts.find_by_code(raw, address)
            name = artifact.name if artifact else self.address_text(address)
            if precompiled and artifact is None:
                name = STANDARD_PRECOMPILES.get(int.from_bytes(address), name)
        code_map = artifacts.code_map(raw, address, creating=creating) if raw else None
        artifact = code_map.artifact if code_map else artifact
        code = ExecutedCode(name, artifact, code_map, creating)
        if code_map is not None:
            code = self._codes.setdefault(id(code_map), code)
        if len(self._codes) < MAX_CONTEXTS:
            self._codes[key] = code
        return code

    @staticmethod
    def _function(code: ExecutedCode, message: Any, selector: bytes) -> str:
        if code.creating:
            return "constructor"
        abi = code.artifact.abi if code.artifact else None
        if abi and (function := abi.functions.get(selector)):
            return function.name
        if abi and (default := abi.default_function(message.data)):
            return default.kind
        if code.code_map and (known := called_function(code.code_map, selector)):
            return known.own_name  # of a library, whose ABI does not have it
        has_selector = (message.code or abi) and len(selector) == SELECTOR_SIZE
        return f"0x{selector.hex()}" if has_selector else ""

    # Storage

    def accesses(self, run: _Run, opcode: int, computation: Any) -> None:
        """An opcode is about to access storage, or to hash what a slot may be computed from."""
        words = computation._stack.values  # noqa: SLF001  # as the recorder of frames
        if opcode == Op.KECCAK256:
            if len(words) > 1 and WORD_SIZE <= as_int(words[-2]) <= MAX_PREIMAGE:
                run.access = (as_int(words[-1]), as_int(words[-2]), False)
        elif words:
            slot, owner = as_int(words[-1]), run.message.storage_address
            is_warm = computation.state.is_storage_warm
            run.access = (-opcode, slot, is_warm(owner, slot))

    def accessed(self, run: _Run, computation: Any, spent: int) -> None:
        first, second, was_warm = run.access or (0, 0, False)
        run.access = None
        if first >= 0:
            if len(self.preimages) < MAX_PREIMAGES:
                words = computation._stack.values  # noqa: SLF001  # as above
                preimage = computation.memory_read_bytes(first, second)
                self.preimages[as_int(words[-1])] = bytes(preimage)
            return
        opcode, slot, owner = -first, second, run.message.storage_address
        key = (owner, run.context.code, slot)
        if key not in self.storage and len(self.storage) >= MAX_SLOTS:
            return
        use = self.storage.setdefault(key, StorageUse())
        if opcode == Op.SLOAD:
            use.reads += 1
        else:
            use.writes += 1
        use.gas += spent
        if not was_warm and computation.state.is_storage_warm(owner, slot):
            use.cold_gas += COLD_GAS[opcode]


class _GasComputation(MessageComputation):
    """The base class that `gas_class` puts before a computation class."""

    def __init__(self, state: Any, message: Any, transaction_context: Any) -> None:
        super().__init__(state, message, transaction_context)
        self.code = _GasStream(self.code, self.recorder.open[-1], self)

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> Any:  # noqa: PYI036  # as py-evm's
        if isinstance(error, VMError) and error.burns_gas:
            self.recorder.open[-1].burn(self.get_gas_remaining())
        return super().__exit__(kind, error, traceback)

    @classmethod
    def apply_message(
        cls, state: Any, message: Any, transaction_context: Any, parent_computation: Any = None
    ) -> Any:
        computation = super().apply_message(state, message, transaction_context, parent_computation)
        if message.is_create:
            cls.recorder.code_ended(computation)
        return computation


def gas_class(kind: Any, recorder: GasRecorder) -> Any:
    """A subclass of a computation class whose gas is recorded; it runs opcode by opcode."""
    kind = getattr(kind, "reference", kind)
    return type(kind.__name__, (_GasComputation, kind), {"recorder": recorder})
