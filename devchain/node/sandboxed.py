"""A node within `sandbox(node)`: its Python API on one open state, without blocks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, NoReturn

from devchain.chain.sandbox import Outcome, Sandbox
from devchain.contracts.contract import Mined
from devchain.contracts.contract import request as request_of
from devchain.errors import InvalidInput, VmError
from devchain.evm.mocks import NO_MOCKS, Mock
from devchain.node.mocks import CODE, needs_code
from devchain.node.python_api import BlockState, Impersonation, Node
from devchain.types import (
    ZERO_ADDRESS,
    ZERO_HASH,
    Address,
    BlockLike,
    BlockOverride,
    Hash32,
    StateLike,
    StateOverrides,
    Tag,
    TransactionRequest,
    address_of,
    amount_of,
    bytes_of,
    integer,
    whole_number,
)

SECOND = 1


class SandboxTransaction(NamedTuple):
    """The part of a transaction that its receipt names; it is not signed, and has no hash."""

    sender: Address
    hash: Hash32 = ZERO_HASH


class SandboxReceipt(NamedTuple):
    """A receipt of a transaction in a sandbox, with the attributes that `Mined` reads."""

    transaction: SandboxTransaction
    succeeded: bool
    gas_used: int
    logs: tuple[Any, ...]
    contract_address: Address | None
    first_log_index: int = 0


class SandboxBlock(NamedTuple):
    """The number and time of the block that a transaction would have been in; it has no hash."""

    number: int
    timestamp: int
    hash: Hash32 = ZERO_HASH


def _refuse(name: str) -> Any:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise InvalidInput(f"{name} needs blocks: call it before the sandbox, or after it")

    return refuse


class SandboxedNode(Node):
    """A node whose transactions and calls run in a sandbox; what needs blocks is refused.

    Contracts, which hold the node, work in it without knowing. `chain` and JSON-RPC methods still
    show the blocks.
    """

    open_sandbox: Sandbox
    """The sandbox, set while the node is in it."""

    @property
    def block_number(self) -> int:
        return self.open_sandbox.number - 1

    @property
    def timestamp(self) -> int:
        return self.open_sandbox.timestamp - SECOND

    def balance(self, address: object, block: BlockLike = Tag.LATEST) -> int:
        if block is not Tag.LATEST:
            return super().balance(address, block)
        return int(self.open_sandbox.state.get_balance(address_of(address)))

    def at(self, block: StateLike = Tag.LATEST) -> BlockState:
        return SandboxState(self, block) if block is Tag.LATEST else super().at(block)

    # Transactions

    def transact(
        self,
        request: TransactionRequest | None = None,
        *,
        to: object = None,
        data: bytes = b"",
        **options: Any,
    ) -> Mined:
        if request is None:
            request = request_of(None if to is None else address_of(to), data, options)
        if request.sender is None:
            request = request._replace(sender=self._first_account())
        opened = self.open_sandbox
        block = SandboxBlock(opened.number, opened.timestamp)
        outcome = opened.transact(request)
        if outcome.failure:
            raise self._error(outcome)
        receipt = SandboxReceipt(
            SandboxTransaction(request.sender or ZERO_ADDRESS),
            succeeded=True,
            gas_used=outcome.gas_used,
            logs=outcome.logs,
            contract_address=outcome.created,
        )
        return Mined(block, receipt, self._decode_log)

    def call(
        self,
        request: TransactionRequest,
        block: StateLike = Tag.LATEST,
        overrides: StateOverrides | None = None,
        block_override: BlockOverride | None = None,
    ) -> bytes:
        if block is not Tag.LATEST or overrides or block_override:
            return super().call(request, block, overrides, block_override)
        outcome = self.open_sandbox.call(request)
        if outcome.failure:
            raise self._error(outcome)
        return outcome.output

    def _error(self, outcome: Outcome) -> VmError:
        assert outcome.failure  # noqa: S101  # its callers have asked
        return self.explainer.explain_error(outcome.failure.to_error(), lambda: None)

    # Time and accounts

    def time_travel(self, seconds: int | None = None, *, to: int | None = None) -> int:
        if (seconds is None) == (to is None):
            raise InvalidInput("say how far to travel, in one way: seconds=60, or to=1700000000")
        now = self.timestamp
        distance = integer("seconds", seconds) if to is None else integer("to", to) - now
        if distance < 1:
            raise InvalidInput(f"cannot travel by {distance} seconds: give 1 or more")
        self.open_sandbox.advance(distance)
        return self.timestamp

    def mine(self, request: Any = 1) -> None:
        if not isinstance(request, int):
            raise InvalidInput("in a sandbox mine takes a number of blocks")
        self.open_sandbox.advance(request * SECOND, request)

    def impersonate(self, address: object) -> Impersonation:
        """The account: in a sandbox every account sends without a key."""
        return Impersonation(self, address_of(address), ends=False)

    def set_balance(self, address: object, balance: int) -> None:
        where, amount = address_of(address), amount_of("balance", balance)
        self.open_sandbox.accounts.set_balance(where, amount)

    def add_balance(self, address: object, amount: int) -> None:
        self.set_balance(address, self.balance(address) + amount_of("amount", amount))

    def set_nonce(self, address: object, nonce: int) -> None:
        where, wanted = address_of(address), whole_number("nonce", nonce, bits=64)
        self.open_sandbox.accounts.set_nonce(where, wanted)

    def set_code(self, address: object, code: bytes | str) -> None:
        self.open_sandbox.accounts.set_code(address_of(address), bytes_of("code", code))

    def set_storage(self, address: object, slot: int, value: int) -> None:
        where = address_of(address)
        number, what = whole_number("slot", slot, bits=256), whole_number("value", value, bits=256)
        self.open_sandbox.accounts.set_storage(where, number, what)

    def _mock(self, mock: Mock) -> None:
        opened = self.open_sandbox
        if needs_code(self, mock, opened.accounts.get_code(mock.address)):
            opened.accounts.set_code(mock.address, CODE)
        opened.set_mocks(opened.mocks.with_mock(mock))

    def clear_mocks(self) -> None:
        self.open_sandbox.set_mocks(NO_MOCKS)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        opened = self.open_sandbox
        start = opened.checkpoint()
        try:
            yield
        finally:
            opened.restore(start)

    call_tree = _refuse("call_tree")
    console = _refuse("console")
    copy = _refuse("copy")
    deal = _refuse("deal")
    dump = _refuse("dump")
    estimate = _refuse("estimate")
    expect_call = _refuse("expect_call")
    gas_profile = _refuse("gas_profile")
    load = _refuse("load")
    logs = _refuse("a search of logs")
    reset = _refuse("reset")
    revert = _refuse("revert")
    rollback = _refuse("rollback")
    send = _refuse("send")
    send_raw = _refuse("send_raw")


class SandboxState(BlockState):
    """The accounts of a sandbox."""

    @property
    def _state(self) -> Any:
        return SandboxView(self.node.open_sandbox)  # type: ignore[attr-defined]  # a sandboxed node


class SandboxView(NamedTuple):
    """The accounts of a sandbox, with the methods of `StateView` that `BlockState` calls."""

    sandbox: Sandbox

    def balance(self, address: Address) -> int:
        return int(self.sandbox.accounts.get_balance(address))

    def nonce(self, address: Address) -> int:
        return int(self.sandbox.accounts.get_nonce(address))

    def code(self, address: Address) -> bytes:
        return bytes(self.sandbox.accounts.get_code(address))

    def storage(self, address: Address, slot: int) -> int:
        return int(self.sandbox.accounts.get_storage(address, slot))


@contextmanager
def sandbox(node: Node, opened: Sandbox | None = None) -> Iterator[Sandbox]:
    """Run a node's transactions and calls in the `with` block without blocks, and undo them.

    For fuzzing: a transaction takes a tenth of the time. Each is as in a block of its own, a
    second after the one before; none is signed, so that every account sends. Contracts, `transact`,
    `call`, `balance`, `at()`, `snapshot`, `time_travel`, `mine`, mocks and the setters of accounts
    work; what needs blocks raises `InvalidInput`, and so does a node with the reference engine.
    """
    # The class is replaced, and not an attribute asked at each call: contracts hold the node
    # itself, and the way of other nodes' calls stays as short as it is.
    if isinstance(node, SandboxedNode):
        raise InvalidInput("the node is in a sandbox: use snapshot() in it")
    plain = type(node)
    opened = opened or new_sandbox(node)
    node.__class__ = SandboxedNode
    vars(node)["open_sandbox"] = opened
    try:
        yield opened
    finally:
        node.__class__ = plain
        del vars(node)["open_sandbox"]


def new_sandbox(node: Node, rules: Any = None) -> Sandbox:
    """A sandbox on the head of a node's chain."""
    timestamp = node.clock.block_time(node.chain.head.timestamp)
    return Sandbox(node.chain, node.miner.coinbase, timestamp, rules)
