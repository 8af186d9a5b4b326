"""Blocks nobody mines: calls run one after the other on a state of their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from eth_hash.auto import keccak

from devchain.chain.block import Block, Log, Receipt
from devchain.chain.block_builder import BlockBuilder
from devchain.chain.signing import fill_fees, transaction_type
from devchain.chain.transaction import Transaction
from devchain.errors import (
    InitCodeTooLarge,
    InvalidInput,
    SimulatedBlockFull,
    SimulatedFeeTooLow,
    SimulatedGasTooLow,
    SimulatedNonceTooHigh,
    SimulatedNonceTooLow,
    SimulatedNumberTooLow,
    SimulatedSenderHasCode,
    SimulatedTimestampTooLow,
    SimulatedUnaffordable,
    SimulationTooLarge,
)
from devchain.evm import deadline
from devchain.node.call_explainer import CALL_TRACER
from devchain.node.core import NodeCore
from devchain.state.overrides import apply_overrides
from devchain.tracing.frames import Frame
from devchain.tracing.trace import Session
from devchain.types import (
    WORD_SIZE,
    ZERO_ADDRESS,
    Address,
    BlockRef,
    BlockRequest,
    Hash32,
    SimulateRequest,
    TransactionRequest,
)

MOST_BLOCKS = 256
MOST_CALLS = 1_000
SECONDS_APART = 12
"""Between blocks whose time nobody says, as geth has it."""

TRANSFERRING = Address(b"\xee" * 20)
TRANSFER = Hash32(keccak(b"Transfer(address,address,uint256)"))
DELEGATION = b"\xef\x01\x00"


@dataclass(frozen=True, slots=True)
class Called:
    """What a call did; `logs` are those of transfers, too, where they are asked for."""

    receipt: Receipt
    output: bytes
    logs: tuple[Log, ...]


@dataclass(frozen=True, slots=True)
class Simulated:
    """A simulated block and what its calls did."""

    block: Block
    calls: tuple[Called, ...]


def simulate(node: NodeCore, request: SimulateRequest, ref: BlockRef) -> list[Simulated]:
    """The blocks of the request on the one named, those that fill gaps between them included.

    Raises a `SimulationRefused`, or `ExecutionTimedOut` when they take too long.
    """
    if not request.blocks:
        msg = "blockStateCalls is empty: give at least one block"
        raise InvalidInput(msg)
    if sum(len(each.calls) for each in request.blocks) > MOST_CALLS:
        msg = f"too many calls: give at most {MOST_CALLS}"
        raise SimulationTooLarge(msg)
    run = _Run(node, request, node.chain.block(ref))
    return [run.make(each) for each in run.in_order()]


class _Run:
    """One simulation: the newest block of its own, and all that came before it."""

    def __init__(self, node: NodeCore, request: SimulateRequest, base: Block) -> None:
        self._node = node
        self._rules = node.chain.rules
        self._request = request
        self._parent = base
        self._known = {base.hash: base}

    def in_order(self) -> Iterator[BlockRequest]:
        """The blocks asked for, with empty ones where numbers are left out."""
        base, last = self._parent.number, self._parent.number
        for wanted in self._request.blocks:
            number = last + 1 if wanted.header.number is None else wanted.header.number
            if number <= last:
                msg = f"block numbers must be in order: {number} <= {last}"
                raise SimulatedNumberTooLow(msg)
            if number - base > MOST_BLOCKS:
                msg = f"too many blocks: give at most {MOST_BLOCKS}, those in gaps included"
                raise SimulationTooLarge(msg)
            yield from (BlockRequest() for _ in range(last + 1, number))
            yield wanted
            last = number

    def make(self, wanted: BlockRequest) -> Simulated:
        """Run one block."""
        deadline.check()
        opened = self._open(wanted)
        calls = tuple(self._call(opened, each) for each in wanted.calls)
        block = opened.build_block(self._parent, sealed=True)
        self._known[block.hash] = self._parent = block
        return Simulated(block, calls)

    def _open(self, wanted: BlockRequest) -> BlockBuilder:
        chain, parent, asked = self._node.chain, self._parent, wanted.header
        time = parent.timestamp + SECONDS_APART if asked.timestamp is None else asked.timestamp
        if time <= parent.timestamp:
            msg = f"block timestamps must be in order: {time} <= {parent.timestamp}"
            raise SimulatedTimestampTooLow(msg)
        header = chain.next_header(parent, time, self._node.miner.coinbase)
        if not self._request.validation:
            header = self._rules.without_lowest_gas_price(header)
        limit = parent.gas_limit if asked.gas_limit is None else asked.gas_limit
        header = self._rules.override_header(
            header, replace(asked, number=None, timestamp=None, gas_limit=limit)
        )
        opened = chain.new_detached_block_builder(header, self._known)
        self._change(opened.state, wanted)
        return opened

    def _change(self, state: Any, wanted: BlockRequest) -> None:
        self._node.check_overrides(wanted.state)
        apply_overrides(state, wanted.state)

    # Calls

    def _call(self, opened: BlockBuilder, request: TransactionRequest) -> Called:
        tx = self._transaction(opened, request)
        if not self._request.transfers:
            receipt = opened.apply_transaction(tx)
            return Called(receipt, opened.output, receipt.logs)
        session = Session(CALL_TRACER)
        with session.recording(opened.state):
            receipt = opened.apply_transaction(tx)
        top = session.recorder.top
        return Called(receipt, opened.output, tuple(_logs(top)) if top else receipt.logs)

    def _transaction(self, opened: BlockBuilder, request: TransactionRequest) -> Transaction:
        """The call as a transaction that its block can take."""
        sender, state = request.sender or ZERO_ADDRESS, opened.state
        gas = opened.gas_left if request.gas is None else request.gas
        if gas > opened.gas_left:
            msg = f"block gas limit reached: {gas} > {opened.gas_left} left"
            raise SimulatedBlockFull(msg)
        nonce = state.get_nonce(sender)
        if self._request.validation:
            _check_sender(state, sender, request.nonce, nonce)
        kind = transaction_type(request, self._rules)
        filled = replace(request, sender=sender, gas=gas, nonce=nonce, type=kind)
        tx = self._node.sign_without_key(fill_fees(filled, 0, 0))
        self._check(opened, tx)
        return tx

    def _check(self, opened: BlockBuilder, tx: Transaction) -> None:
        lowest = self._rules.lowest_gas_price(opened.header)
        if tx.gas_price < lowest:
            msg = f"max fee per gas less than block base fee: {tx.gas_price} < {lowest} wei"
            raise SimulatedFeeTooLow(msg)
        if tx.gas < tx.intrinsic_gas:
            msg = f"intrinsic gas too low: have {tx.gas}, want {tx.intrinsic_gas}"
            raise SimulatedGasTooLow(msg)
        balance = opened.state.get_balance(tx.sender)
        if balance < tx.cost:
            msg = f"insufficient funds for gas * price + value: have {balance}, want {tx.cost}"
            raise SimulatedUnaffordable(msg)
        limit = self._rules.init_code_limit
        if tx.is_creation and limit is not None and len(tx.data) > limit:
            msg = f"max initcode size exceeded: {len(tx.data)} > {limit} bytes"
            raise InitCodeTooLarge(msg)


def _check_sender(state: Any, sender: Address, given: int | None, nonce: int) -> None:
    """Raise for what a transaction of that account could not be."""
    if given is not None and given != nonce:
        where, kind = (
            ("low", SimulatedNonceTooLow) if given < nonce else ("high", SimulatedNonceTooHigh)
        )
        msg = f"nonce too {where}: the next one is {nonce}, got {given}"
        raise kind(msg)
    code = state.get_code(sender)
    if code and not code.startswith(DELEGATION):
        msg = f"sender is not an EOA: 0x{sender.hex()} has code"
        raise SimulatedSenderHasCode(msg)


def _logs(frame: Frame) -> Iterator[Log]:
    """The logs of a frame and those below it, transfers of value among them, in order."""
    if frame.error is not None:
        return
    if frame.value and frame.kind != "DELEGATECALL":
        topics = (TRANSFER, _word(frame.sender), _word(frame.to))
        yield Log(TRANSFERRING, topics, frame.value.to_bytes(WORD_SIZE, "big"))
    waiting = list(frame.logs)
    for position, call in enumerate(frame.calls):
        while waiting and waiting[0].position <= position:
            yield _log(waiting.pop(0))
        yield from _logs(call)
    yield from (_log(each) for each in waiting)


def _log(found: Any) -> Log:
    topics = tuple(Hash32(topic.to_bytes(WORD_SIZE, "big")) for topic in found.topics)
    return Log(found.address, topics, found.data)


def _word(address: Address) -> Hash32:
    return Hash32(address.rjust(WORD_SIZE, b"\0"))
