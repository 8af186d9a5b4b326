"""`eth_simulateV1`: calls in simulated blocks, on a state that the chain does not see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from eth_hash.auto import keccak

from devchain.chain.block import Block, Log, Receipt
from devchain.chain.block_builder import BlockBuilder
from devchain.chain.eth_call import (
    Call,
    CallBlock,
    CallResult,
    call_block,
    override_accounts,
)
from devchain.chain.signing import fill_fees, transaction_type
from devchain.chain.transaction import Transaction
from devchain.errors import AnswerTooLarge, InvalidInput, Simulation, SimulationRefused
from devchain.evm import deadline
from devchain.evm.opcodes import DELEGATION
from devchain.node.core import NodeCore
from devchain.tracing.frames import Frame
from devchain.tracing.options import TraceOptions
from devchain.tracing.replay import TraceSession
from devchain.types import (
    MAX_UINT64,
    NO_BLOCK_OVERRIDE,
    WORD_SIZE,
    ZERO_ADDRESS,
    ZERO_HASH,
    Address,
    BlockRef,
    BlockRequest,
    Hash32,
    SimulateRequest,
    StateLike,
    StateOverrides,
    TransactionRequest,
)

MAX_BLOCKS = 256
MAX_CALLS = 1_000
BLOCK_INTERVAL = 12  # seconds between simulated blocks that name no timestamp, as in geth
TRANSFER_LOG_ADDRESS = Address(b"\xee" * 20)
TRANSFER_TOPIC = Hash32(keccak(b"Transfer(address,address,uint256)"))


@dataclass(frozen=True, slots=True)
class SimulatedCall:
    """The result of a call; `logs` include those of value transfers if requested.

    `output` is empty if it failed, and `most_gas_used` is before refunds, both as in geth.
    """

    receipt: Receipt
    output: bytes
    most_gas_used: int
    logs: tuple[Log, ...]


@dataclass(frozen=True, slots=True)
class SimulatedBlock:
    """A simulated block and the results of its calls."""

    block: Block
    calls: tuple[SimulatedCall, ...]


def simulate(node: NodeCore, request: SimulateRequest, ref: BlockRef) -> list[SimulatedBlock]:
    """The blocks of the request and empty ones in gaps, simulated on the block of that reference.

    Raises `SimulationRefused` or `ExecutionTimedOut`.
    """
    if not request.blocks:
        raise InvalidInput("blockStateCalls is empty: give at least one block")
    if sum(len(block.calls) for block in request.blocks) > MAX_CALLS:
        text = f"too many calls: give at most {MAX_CALLS}"
        raise SimulationRefused(text, kind=Simulation.TOO_LARGE)
    base = node.chain.block(ref)

    def simulate_all() -> list[SimulatedBlock]:
        simulator = _Simulator(node, request, base)
        return [simulator.simulate_block(block) for block in simulator.blocks_in_order()]

    return node.chain.read_together(simulate_all)


def call_bundles(
    node: NodeCore,
    bundles: Sequence[BlockRequest],
    ref: StateLike,
    overrides: StateOverrides | None = None,
) -> list[list[CallResult]]:
    """The results of bundles of calls, each call on the state that the one before it left.

    A bundle runs in the block of that reference with the header of the one before it, one number
    and one second later, and its own changes. No call is checked as a transaction.
    """
    chain = node.chain
    node.check_overrides(overrides)
    base, header = chain.block_for_calls(ref)

    def run_all() -> list[list[CallResult]]:
        place, changes, start = CallBlock(header), NO_BLOCK_OVERRIDE, overrides or {}
        output_left = node.config.max_response // 2  # two digits a byte
        results: list[list[CallResult]] = []
        for bundle in bundles:
            own = {
                name: value for name, value in asdict(bundle.header).items() if value is not None
            }
            changes = replace(changes, **own)
            changed = call_block(chain, header.copy(state_root=place.header.state_root), changes)
            place = changed._replace(state=place.state)
            results.append([])
            for request in bundle.calls:
                states: list[Any] = []
                call = Call(chain, place, request, start, states.append)
                result = call.run(node.call_gas(request, base))
                start = {}
                for state in states:
                    place = place.after(chain, state)
                output_left -= len(result.output)
                if output_left < 0:
                    raise AnswerTooLarge
                results[-1].append(result)
            number, timestamp = place.header.block_number + 1, place.header.timestamp + 1
            changes = replace(changes, number=number, timestamp=timestamp)
        return results

    return node.fork.speculation.complete(run_all) if node.fork else run_all()


class _Simulator:
    """Simulates the blocks of a request, each on the one before it."""

    def __init__(self, node: NodeCore, request: SimulateRequest, base: Block) -> None:
        self._node = node
        self._request = request
        self._gas_left = node.config.call_gas_cap or MAX_UINT64
        self._output_left = node.config.max_response // 2  # two digits a byte
        self._base = self._parent = base
        self._rules = node.chain.rules_of_call(base.number + 1)
        self._blocks = {base.hash: base}

    def blocks_in_order(self) -> Iterator[BlockRequest]:
        base, last = self._parent.number, self._parent.number
        for block in self._request.blocks:
            number = last + 1 if block.header.number is None else block.header.number
            text = f"block numbers must be in order: {number} <= {last}"
            _require(number > last, Simulation.NUMBER_TOO_LOW, text)
            text = f"too many blocks: give at most {MAX_BLOCKS}, those in gaps included"
            _require(number - base <= MAX_BLOCKS, Simulation.TOO_LARGE, text)
            yield from (BlockRequest() for _ in range(last + 1, number))
            yield block
            last = number

    def simulate_block(self, request: BlockRequest) -> SimulatedBlock:
        deadline.check()
        header = self._header(request)
        self._node.check_overrides(request.state)
        members = self._state_members(request, header)
        builder = self._node.chain.new_detached_block_builder(header, self._blocks, members)
        override_accounts(builder.state, request.state)
        calls = tuple(self._call(builder, call) for call in request.calls)
        block = builder.build_block(self._parent, sealed=True)
        self._blocks[block.hash] = self._parent = block
        return SimulatedBlock(block, calls)

    def _header(self, request: BlockRequest) -> Any:
        parent, override = self._parent, request.header
        timestamp = override.timestamp
        if timestamp is None:
            timestamp = parent.timestamp + BLOCK_INTERVAL
        text = f"block timestamps must be in order: {timestamp} <= {parent.timestamp}"
        _require(timestamp > parent.timestamp, Simulation.TIMESTAMP_TOO_LOW, text)
        rules, coinbase, random = self._rules, self._node.miner.coinbase, override.random
        if rules.has_prev_randao:  # as in geth
            coinbase, random = parent.header.coinbase, random or ZERO_HASH
        header = self._node.chain.next_header(parent, timestamp, coinbase)
        if not self._request.validation:
            header = rules.without_lowest_gas_price(header)
        gas_limit = parent.gas_limit if override.gas_limit is None else override.gas_limit
        rest = replace(override, number=None, timestamp=None, gas_limit=gas_limit, random=random)
        return rules.override_header(header, rest)

    def _state_members(self, request: BlockRequest, header: Any) -> dict[str, Any]:
        members: dict[str, Any] = {}
        if request.header.blob_base_fee is not None:
            members["blob_base_fee"] = request.header.blob_base_fee
        if not self._request.validation and self._rules.base_fee(header):
            members["base_fee"] = request.header.base_fee  # BASEFEE, also in calls that pay none
        return members

    # Calls

    def _call(self, builder: BlockBuilder, request: TransactionRequest) -> SimulatedCall:
        tx = self._transaction(builder, request)
        if not self._request.transfers:
            receipt = builder.apply_transaction(tx)
            return self._result(builder.computation, receipt, receipt.logs)
        session = TraceSession(TraceOptions("callTracer", with_log=True))
        with session.recording(builder.state):
            receipt = builder.apply_transaction(tx)
        top = session.recorder.top
        logs = tuple(_logs_with_transfers(top)) if top else receipt.logs
        return self._result(builder.computation, receipt, logs)

    def _result(self, computation: Any, receipt: Receipt, logs: tuple[Log, ...]) -> SimulatedCall:
        before_refunds = receipt.transaction.gas - computation.get_gas_remaining()
        output = computation.output if receipt.succeeded else b""
        call = SimulatedCall(receipt, output, max(before_refunds, receipt.gas_used), logs)
        self._gas_left -= call.receipt.gas_used
        self._output_left -= len(call.output) + sum(len(log.data) for log in call.logs)
        if self._output_left < 0:
            raise AnswerTooLarge
        return call

    def _transaction(self, builder: BlockBuilder, request: TransactionRequest) -> Transaction:
        sender, state = request.sender or ZERO_ADDRESS, builder.state
        rules = builder.rules
        gas = builder.gas_left if request.gas is None else request.gas
        text = f"block gas limit reached: {gas} > {builder.gas_left} left"
        _require(gas <= builder.gas_left, Simulation.BLOCK_FULL, text)
        gas = min(gas, self._node.call_gas(request, self._base), self._gas_left)
        nonce = state.get_nonce(sender)
        if self._request.validation:
            wanted, code = request.nonce, state.get_code(sender)
            if wanted is not None:
                text = f"nonce too low: the next one is {nonce}, got {wanted}"
                _require(wanted >= nonce, Simulation.NONCE_TOO_LOW, text)
                text = f"nonce too high: the next one is {nonce}, got {wanted}"
                _require(wanted <= nonce, Simulation.NONCE_TOO_HIGH, text)
            may_send = not code or code.startswith(DELEGATION)  # EIP-7702
            text = f"sender is not an EOA: 0x{sender.hex()} has code"
            _require(may_send, Simulation.SENDER_HAS_CODE, text)
        elif nonce == MAX_UINT64:  # which no transaction has (EIP-2681); geth's wraps too
            nonce = 0
            state.set_nonce(sender, nonce)
        kind, value = transaction_type(request, rules), request.value or 0
        filled = request._replace(sender=sender, gas=gas, nonce=nonce, type=kind, value=value)
        tx = self._node.sign_for_block(fill_fees(filled, 0, 0), rules)
        self._check_transaction(builder, tx)
        return tx

    def _check_transaction(self, builder: BlockBuilder, tx: Transaction) -> None:
        rules = builder.rules
        is_free = not (self._request.validation or tx.gas_price or tx.priority_fee)
        if rules.base_fee(builder.header):
            fee = 0 if is_free else rules.base_fee(builder.header)
            builder.state.execution_context._base_fee_per_gas = fee  # noqa: SLF001  # has no setter
        lowest = rules.lowest_gas_price(builder.header)
        text = f"max fee per gas less than block base fee: {tx.gas_price} < {lowest} wei"
        _require(is_free or tx.gas_price >= lowest, Simulation.FEE_TOO_LOW, text)
        balance = builder.state.get_balance(tx.sender)
        text = f"insufficient funds for gas * price + value: have {balance}, want {tx.cost}"
        _require(balance >= tx.cost, Simulation.UNAFFORDABLE, text)
        cause = ", the rest of --call-gas-cap" if tx.gas == self._gas_left else ""
        text = f"intrinsic gas too low: have {tx.gas}{cause}, want {tx.intrinsic_gas}"
        _require(tx.gas >= tx.intrinsic_gas, Simulation.GAS_TOO_LOW, text)
        limit = rules.init_code_limit
        if tx.is_creation and limit is not None:
            text = f"max initcode size exceeded: {len(tx.data)} > {limit} bytes"
            _require(len(tx.data) <= limit, Simulation.INIT_CODE_TOO_LARGE, text)


def _require(condition: object, kind: Simulation, text: str) -> None:
    if not condition:
        raise SimulationRefused(text, kind=kind)


def _logs_with_transfers(frame: Frame) -> Iterator[Log]:
    # The logs of a frame and the frames below it, and one for each transfer of value, in order.
    if frame.error is not None:
        return
    if frame.transferred:
        sides = (Hash32(side.rjust(WORD_SIZE, b"\0")) for side in (frame.sender, frame.to))
        topics = (TRANSFER_TOPIC, *sides)
        yield Log(TRANSFER_LOG_ADDRESS, topics, frame.transferred.to_bytes(WORD_SIZE, "big"))
    remaining = list(frame.logs)
    for position, call in enumerate(frame.calls):
        while remaining and remaining[0].position <= position:
            yield remaining.pop(0)
        yield from _logs_with_transfers(call)
    yield from remaining
