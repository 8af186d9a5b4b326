"""Traces to step through: the opcodes that ran, and what follows from them.

A trace has code and storage before the opcodes. It comes without memory, which would make it many
times longer: messages, what each has in memory at any step, and accesses of storage follow from the
rest. What the opcodes write is on the stack, in the data of the call, in the code, or what a call
returned. The one thing that is not is what precompiled contracts return: the node is asked for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from eth_hash.auto import keccak

from devchain.errors import InvalidInput
from devchain.evm import deadline, opcodes
from devchain.evm.opcodes import DELEGATION
from devchain.types import ADDRESS_SIZE, WORD_SIZE, Address

MAX_STEPS = 100_000  # by default; of a longer execution the first ones


@dataclass(frozen=True, slots=True)
class Step:
    """An opcode, with the state before it: depth from 1, stack with the top last."""

    op: str
    pc: int
    gas: int
    cost: int
    depth: int
    stack: tuple[int, ...]
    error: str = ""


@dataclass(frozen=True, slots=True)
class Subject:
    """A transaction or a call; `to` is None for a creation, `created` is the new contract."""

    title: str
    sender: Address
    to: Address | None
    data: bytes
    value: int
    created: Address | None = None


class Accounts(Protocol):
    """Code and storage of accounts before the execution, as far as they are known."""

    def code(self, address: Address) -> bytes:
        """The code of an account; empty if it has none, or it is not known."""

    def storage(self, address: Address, slot: int) -> int | None:
        """The value of a storage slot before the execution; None if it is not known."""

    def output(self, to: Address, data: bytes) -> bytes | None:
        """What a precompiled contract returns; None if it is not known."""


@dataclass(frozen=True, slots=True)
class Trace:
    """The steps of a subject; `is_cut` if there are more."""

    subject: Subject
    steps: tuple[Step, ...]
    failed: bool
    output: bytes
    is_cut: bool
    accounts: Accounts


def delegate_of(code: bytes) -> Address | None:
    """The contract whose code an account runs that has that code (EIP-7702); None for its own."""
    if not code.startswith(DELEGATION) or len(code) != len(DELEGATION) + ADDRESS_SIZE:
        return None
    return Address(code[len(DELEGATION) :])


# Messages, memory and storage

MAX_MEMORY = 2**24  # bytes of memory that are followed; no transaction can pay for more

MAX_COPIED = 2**28  # bytes, to memory and calls: contracts pass large memory at little cost
STEPS_PER_CHECK = 1_024  # steps that are followed between two checks of the deadline
MAX_PREIMAGE = 4 * WORD_SIZE
MAX_PRECOMPILED = 2**32  # addresses below it may be those of precompiled contracts
CALLS = frozenset(map(opcodes.name_of, opcodes.CALLS))
CREATIONS = frozenset(map(opcodes.name_of, opcodes.CREATES))
SENDS = CALLS | CREATIONS
KEEPS_CONTEXT = frozenset({"DELEGATECALL", "CALLCODE"})  # run on the caller's own storage


@dataclass(slots=True, eq=False)
class Message:
    """A call or creation: `first` and `last` are its steps, `site` is the one that sent it.

    `code_address` is whose code runs and `address` whose storage it works on; both are None while
    the address of a new contract is not known. `succeeded` is None if the trace does not reach the
    end.
    """

    number: int
    kind: str
    parent: Message | None
    site: int | None
    first: int
    depth: int
    sender: Address | None
    address: Address | None
    code_address: Address | None
    value: int
    data: bytes
    code: bytes
    last: int = 0
    succeeded: bool | None = None
    output: bytes = b""
    children: list[Message] = field(default_factory=list)
    writes: list[tuple[int, int, bytes]] = field(default_factory=list)
    """What was written to memory: the step after which it is there, offset and bytes."""

    @property
    def is_creation(self) -> bool:
        return self.kind in CREATIONS

    def memory(self, step: int) -> bytes:
        memory = bytearray()
        for written, offset, data in self.writes:
            if written >= step:
                break
            _write(memory, offset, data)
        return bytes(memory)


@dataclass(frozen=True, slots=True)
class Access:
    """A slot of storage that a step read or wrote, and its value then."""

    step: int
    message: Message
    slot: int
    value: int
    is_write: bool
    is_transient: bool = False


@dataclass(slots=True)
class Messages:
    """The messages of an execution in the order in which they began, and what they did.

    `of_step` has the message of each step, `preimages` what was hashed by its hash.
    """

    all: list[Message] = field(default_factory=list)
    of_step: list[Message] = field(default_factory=list)
    accesses: list[Access] = field(default_factory=list)
    preimages: dict[int, bytes] = field(default_factory=dict)

    @property
    def top(self) -> Message:
        return self.all[0]


def find_messages(trace: Trace, max_copied: int = MAX_COPIED) -> Messages:
    """The messages of a trace.

    Raises `InvalidInput` if the depths of its steps are impossible, or more than `max_copied` bytes
    are copied.
    """
    return _Run(trace, max_copied).run()


class _Run:
    def __init__(self, trace: Trace, max_copied: int) -> None:
        self._trace = trace
        self._max_copied = max_copied
        self._steps = trace.steps
        self._found = Messages()
        self._open: list[_Open] = []
        self._copied = 0

    def run(self) -> Messages:
        self._open_top()
        for number, step in enumerate(deadline.checked(self._steps, STEPS_PER_CHECK)):
            if number:
                self._move_to(number, step)
            frame = self._open[-1]
            frame.message.last = number
            self._found.of_step.append(frame.message)
        is_cut = self._trace.is_cut
        while self._open:
            message = self._open.pop().message
            message.succeeded = None if is_cut else not self._trace.failed
            if self._open:  # an execution that ends below the top has failed there
                message.succeeded = None if is_cut else False
        self._found.top.output = self._trace.output
        return self._found

    def _move_to(self, number: int, step: Step) -> None:
        depth = len(self._open)
        if step.depth == depth + 1:
            self._open_child(number)
            return
        if not 1 <= step.depth <= depth:
            raise InvalidInput(f"step {number} of the node's trace is at an impossible depth")
        ended: _Open | None = None
        while len(self._open) > step.depth:
            ended = self._open.pop()
            ended.output = self._output(ended)
        frame = self._open[-1]
        site = frame.message.last
        top = step.stack[-1] if step.stack else 0
        if ended:
            ended.message.succeeded = bool(top)
            ended.message.output = ended.output
        try:
            self._apply(frame, site, top, ended)
        except (IndexError, ValueError):
            raise InvalidInput(f"step {site} of the node's trace lacks operands") from None

    # Messages

    def _open_top(self) -> None:
        subject, accounts = self._trace.subject, self._trace.accounts
        is_creation = subject.to is None
        address = subject.created if subject.to is None else subject.to
        code = subject.data if subject.to is None else accounts.code(subject.to)
        data = b"" if is_creation else subject.data
        self._open_message(
            Message(
                0, "CREATE" if is_creation else "CALL", None, None, 0, 1,
                subject.sender, address, address, subject.value, data, code,
            )
        )  # fmt: skip

    def _open_child(self, number: int) -> None:
        frame = self._open[-1]
        caller, site = frame.message, frame.message.last
        step = self._steps[site]
        operands = step.stack[::-1]
        if step.op in CREATIONS and len(operands) > 2:
            value, offset, size = operands[:3]
            code = frame.read(offset, size)
            address = None
            if step.op == "CREATE2" and len(operands) > 3 and caller.address is not None:
                salt = operands[3].to_bytes(WORD_SIZE, "big")
                hashed = keccak(b"\xff" + caller.address + salt + keccak(code))
                address = Address(hashed[-ADDRESS_SIZE:])
            child = Message(
                len(self._found.all), step.op, caller, site, number, step.depth + 1,
                caller.address, address, address, value, b"", code,
            )  # fmt: skip
        elif step.op in CALLS and len(operands) > 5:
            to = _address(operands[1])
            has_value = step.op in {"CALL", "CALLCODE"}
            value = operands[2] if has_value else 0
            offset, size = operands[2 + has_value : 4 + has_value]
            keeps_all = step.op == "DELEGATECALL"
            child = Message(
                len(self._found.all), step.op, caller, site, number, step.depth + 1,
                caller.sender if keeps_all else caller.address,
                caller.address if step.op in KEEPS_CONTEXT else to,
                to, caller.value if keeps_all else value,
                frame.read(offset, size), self._trace.accounts.code(to),
            )  # fmt: skip
        else:
            raise InvalidInput(f"step {number} of the node's trace is deeper without a call")
        caller.children.append(child)
        self._count(len(child.code if child.is_creation else child.data))
        self._open_message(child)

    def _open_message(self, message: Message) -> None:
        self._found.all.append(message)
        self._open.append(_Open(message))

    def _count(self, copied: int) -> None:
        self._copied += copied
        if self._copied > self._max_copied:
            raise InvalidInput(
                f"the execution copies more than {self._max_copied >> 20} MB between memory and "
                "calls: `devchain debug` with fewer --max-steps shows the first of its steps"
            )

    def _output(self, frame: _Open) -> bytes:
        step = self._steps[frame.message.last]
        if step.op not in {"RETURN", "REVERT"} or step.error or len(step.stack) < 2:
            return b""
        return frame.read(step.stack[-1], step.stack[-2])

    # Memory and storage

    def _apply(self, frame: _Open, site: int, top: int, ended: _Open | None) -> None:
        step = self._steps[site]
        s = step.stack[::-1]
        op, message = step.op, frame.message
        if op in SENDS:
            self._apply_message(frame, step, top, ended)
        elif op in {"SLOAD", "SSTORE", "TLOAD", "TSTORE"}:
            is_write = op.endswith("STORE")
            value = s[1] if is_write else top
            access = Access(site, message, s[0], value, is_write, op.startswith("T"))
            self._found.accesses.append(access)
        elif op == "KECCAK256":
            frame.expand(site, s[0], s[1])
            if s[1] <= MAX_PREIMAGE:
                self._found.preimages[top] = frame.read(s[0], s[1])
        elif op == "MLOAD":
            frame.expand(site, s[0], WORD_SIZE)
            word = top.to_bytes(WORD_SIZE, "big")
            if frame.read(s[0], WORD_SIZE) != word:  # the result of a precompiled contract
                frame.write(site, s[0], word)
        else:
            for offset, data in self._written(frame, op, s):
                self._count(len(data))
                frame.expand(site, offset, len(data))
                frame.write(site, offset, data)
            if op.startswith("LOG"):
                frame.expand(site, s[0], s[1])

    def _apply_message(self, frame: _Open, step: Step, top: int, ended: _Open | None) -> None:
        site, s = frame.message.last, step.stack[::-1]
        if step.op in CREATIONS:
            frame.returned = b"" if top or ended is None else ended.output
            frame.expand(site, s[1], s[2])
            if ended and top and ended.message.address is None:
                ended.message.address = ended.message.code_address = _address(top)
            return
        first = 3 if step.op in {"CALL", "CALLCODE"} else 2
        start, size, target, space = s[first : first + 4]
        frame.returned = self._returned(frame, s[1], (start, size), top, ended)
        self._count(len(frame.returned))
        frame.expand(site, start, size)
        frame.expand(site, target, space)
        frame.write(site, target, frame.returned[:space])

    def _written(self, frame: _Open, op: str, s: tuple[int, ...]) -> Iterator[tuple[int, bytes]]:
        message = frame.message
        if op == "MSTORE":
            yield s[0], s[1].to_bytes(WORD_SIZE, "big")
        elif op == "MSTORE8":
            yield s[0], bytes([s[1] & 0xFF])
        elif op == "MCOPY":
            yield s[0], frame.read(s[1], s[2])
        elif op == "CALLDATACOPY":
            yield s[0], _part(message.data, s[1], s[2])
        elif op == "CODECOPY":
            yield s[0], _part(message.code, s[1], s[2])
        elif op == "EXTCODECOPY":
            yield s[1], _part(self._trace.accounts.code(_address(s[0])), s[2], s[3])
        elif op == "RETURNDATACOPY":
            yield s[0], _part(frame.returned, s[1], s[2])

    def _returned(
        self, frame: _Open, to: int, source: tuple[int, ...], top: int, ended: _Open | None
    ) -> bytes:
        if ended:
            has_reverted = self._steps[ended.message.last].op == "REVERT"
            return ended.output if bool(top) != has_reverted else b""
        if not top or not 0 < to < MAX_PRECOMPILED:
            return b""
        return self._trace.accounts.output(_address(to), frame.read(*source)) or b""


@dataclass(slots=True)
class _Open:
    message: Message
    memory: bytearray = field(default_factory=bytearray)
    returned: bytes = b""
    output: bytes = b""

    def read(self, offset: int, size: int) -> bytes:
        return _part(self.memory, offset, size)

    def write(self, step: int, offset: int, data: bytes) -> None:
        if data and offset + len(data) <= MAX_MEMORY:
            _write(self.memory, offset, data)
            self.message.writes.append((step, offset, data))

    def expand(self, step: int, offset: int, size: int) -> None:
        end = -(-(offset + size) // WORD_SIZE) * WORD_SIZE
        if size and len(self.memory) < end <= MAX_MEMORY:
            _write(self.memory, end, b"")
            self.message.writes.append((step, end, b""))


def _write(memory: bytearray, offset: int, data: bytes) -> None:
    end = offset + len(data)
    if len(memory) < end:
        memory.extend(bytes(end - len(memory)))
    memory[offset:end] = data


def _part(data: bytes | bytearray, offset: int, size: int) -> bytes:
    size = min(size, MAX_MEMORY)
    return bytes(data[offset : offset + size]).ljust(size, b"\0") if size else b""


def _address(word: int) -> Address:
    return Address(word.to_bytes(WORD_SIZE, "big")[-ADDRESS_SIZE:])
