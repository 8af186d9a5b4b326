"""Tracing: mined transactions are replayed, and calls run, with a recorder attached."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple

import rlp
from eth.exceptions import PyEVMError
from eth_keys.datatypes import Signature
from eth_keys.exceptions import BadSignature
from eth_utils.exceptions import ValidationError

from devchain.chain.block import Block, Log, Receipt
from devchain.chain.chain import Chain
from devchain.chain.eth_call import Call, CallBlock
from devchain.chain.remasc import is_closing
from devchain.chain.transaction import SET_CODE, Transaction, decode, with_sender
from devchain.errors import BlockBuildFailed, LimitExceeded, TransactionRejected
from devchain.evm import deadline
from devchain.evm.rootstock.precompiles.chain_contracts import REMASC_ADDRESS
from devchain.evm.rules import Rules
from devchain.state.state_database import RetainedState
from devchain.tracing.frames import FlatFrame, Frame, FrameFailure, FrameLog, flatten
from devchain.tracing.options import DEFAULT_WORDS, STRUCT_LOGS, Budget, TraceOptions, TraceQuery
from devchain.tracing.recorder import PathRecorder, Recorder, recording_class
from devchain.tracing.tracers import (
    Accounts,
    Difference,
    PrestateTracer,
    RskStructLogger,
    StructLogger,
)
from devchain.types import (
    ZERO_ADDRESS,
    Address,
    BlockRef,
    Hash32,
    StateOverrides,
    Tag,
    TransactionRequest,
)

AUTHORIZATION = b"\x05"  # the byte before an authorization in the message that is signed (EIP-7702)


@dataclass(frozen=True, slots=True)
class Trace:
    """The frames of a transaction or a call, and what its tracer recorded beside them.

    `parts` are the traces of a `muxTracer`; `is_cut` if the replay was stopped.
    """

    options: TraceOptions
    top: Frame
    steps: StructLogger | None = None
    accounts: Accounts | Difference | None = None
    mined: tuple[Block, Receipt] | None = None
    parts: tuple[Trace, ...] = ()
    is_cut: bool = False


class TraceSession:
    """Records one execution with the tracer, or the tracers, that the options name."""

    def __init__(
        self, options: TraceOptions, budget: Budget | None = None, first_log: int = 0
    ) -> None:
        allowed = budget or Budget()
        self.options = options
        self._tracers: list[StructLogger | PrestateTracer | None] = []
        for part in options.parts or (options,):
            if part.tracer == STRUCT_LOGS:
                self._tracers.append(StructLogger(part, allowed))
            elif part.tracer == "rskTracer":
                with_memory = replace(part, enable_memory=True)
                self._tracers.append(RskStructLogger(with_memory, allowed))
            else:
                is_prestate = part.tracer == "prestateTracer"
                self._tracers.append(PrestateTracer(part) if is_prestate else None)
        paths = PathRecorder(options.find_code_map) if options.find_code_map else None
        tracers = tuple(tracer for tracer in self._tracers if tracer)
        self.recorder = Recorder(tracers, first_log, allowed, paths)
        self.state: Any = None

    def attach(self, state: Any, addresses: Iterable[Address]) -> None:
        """Record what runs on that state; those accounts are touched in any case."""
        self.state = state
        state.computation_class = recording_class(state.computation_class, self.recorder)
        touched = tuple(addresses)
        for tracer in self._tracers:
            if isinstance(tracer, PrestateTracer):
                tracer.add_accounts(state, touched)

    @contextmanager
    def recording(self, state: Any, addresses: Iterable[Address] = ()) -> Iterator[None]:
        """Record what runs on that state inside the `with`, and not after it."""
        plain = state.computation_class
        self.attach(state, addresses)
        try:
            yield
        finally:
            state.computation_class = plain

    def finish(self, top: Frame, mined: tuple[Block, Receipt] | None = None) -> Trace:
        traces = []
        for options, tracer in zip(
            self.options.parts or (self.options,), self._tracers, strict=True
        ):
            trace = Trace(options, top, mined=mined)
            if isinstance(tracer, StructLogger):
                trace = replace(trace, steps=tracer)
            elif tracer and options.diff_mode:
                difference = tracer.difference(self.state, self.recorder.deleted)
                trace = replace(trace, accounts=difference)
            elif tracer:
                trace = replace(trace, accounts=tracer.prestate())
            traces.append(trace)
        if not self.options.parts:
            return traces[0]
        return Trace(self.options, top, mined=mined, parts=tuple(traces))


# Mined transactions


def trace_transaction(
    chain: Chain, transaction_hash: Hash32, options: TraceOptions, budget: Budget | None = None
) -> Trace | None:
    """The trace of a mined transaction; None if there is none of that hash."""
    mined = chain.receipt(transaction_hash)
    if mined is None:
        return None
    block, receipt = mined
    return next(trace_block(chain, block, options, {receipt.index}, budget))


def trace_block(
    chain: Chain,
    block: Block,
    options: TraceOptions,
    indices: Collection[int] | None = None,
    budget: Budget | None = None,
) -> Iterator[Trace]:
    """The traces of a block's transactions in order, or of those at some indices alone.

    Raises `LimitExceeded` when the traces grow larger than the budget.
    """
    wanted = range(len(block.transactions)) if indices is None else indices
    allowed = budget or Budget()
    if not wanted:
        return
    if chain.fork is None or block.number > chain.first:
        yield from _traces(chain, block, options, wanted, allowed)
        return

    def trace_all() -> tuple[list[Trace], Budget]:
        rest = copy(allowed)
        chain.read_accounts(block, max(wanted) + 1)
        return list(_traces(chain, block, options, wanted, rest)), rest

    traces, rest = chain.fork.speculation.complete(trace_all)
    allowed.spend(rest.used - allowed.used)
    yield from traces


def _traces(
    chain: Chain, block: Block, options: TraceOptions, wanted: Collection[int], allowed: Budget
) -> Iterator[Trace]:
    replay = Replay(chain, block)
    for receipt in block.receipts[: max(wanted) + 1]:
        if receipt.index in wanted:
            yield replay.trace(receipt, options, allowed)
        else:
            replay.run(receipt.transaction)


class Replay:
    """Applies a block's transactions once more, through the builder that mined blocks come from."""

    def __init__(self, chain: Chain, block: Block, root: Hash32 | None = None) -> None:
        self._block = block
        self.builder = chain.new_replay_builder(block, root)

    def run(self, tx: Transaction) -> None:
        self.builder.replay_transaction(tx)

    def trace(self, receipt: Receipt, options: TraceOptions, budget: Budget | None = None) -> Trace:
        """Apply the transaction of a receipt under a tracer that may stop the last one."""
        tx = receipt.transaction
        session = TraceSession(options, budget, receipt.first_log_index)
        is_cut = False
        with session.recording(self.builder.state, self._touched(tx)):
            try:
                self.run(tx)
            except LimitExceeded:
                if not options.stops:
                    raise
                is_cut = True
                session.recorder.close_frames()
        top = session.recorder.top or _frame_of_receipt(receipt)
        top.gas, top.gas_used = tx.gas, receipt.gas_used
        trace = session.finish(top, (self._block, receipt))
        return replace(trace, is_cut=True) if is_cut else trace

    def _touched(self, tx: Transaction) -> list[Address]:
        if is_closing(tx) or tx.signed is None:
            return []
        accounts = [tx.sender, self.builder.header.coinbase, *_authorities(tx)]
        accounts += [tx.to] if tx.to is not None else []
        return [*accounts, REMASC_ADDRESS] if self.builder.has_remasc else accounts


def _authorities(tx: Transaction) -> Iterator[Address]:
    for authorization in tx.signed.authorization_list if tx.type == SET_CODE else ():
        message = AUTHORIZATION + rlp.encode(
            [authorization.chain_id, authorization.address, authorization.nonce]
        )
        try:
            signature = Signature(vrs=(authorization.y_parity, authorization.r, authorization.s))
            public_key = signature.recover_public_key_from_msg(message)
        except (BadSignature, PyEVMError, ValidationError):
            continue
        yield Address(public_key.to_canonical_address())


def _frame_of_receipt(receipt: Receipt) -> Frame:
    tx = receipt.transaction
    return Frame(
        kind="CREATE" if tx.is_creation else "CALL",
        sender=tx.sender,
        to=receipt.contract_address or tx.to or ZERO_ADDRESS,
        gas=tx.gas,
        input=tx.data,
        value=tx.value,
        failure=FrameFailure(receipt.failure.message) if receipt.failure else None,
        logs=[
            FrameLog(log.address, log.topics, log.data, receipt.first_log_index + position, 0)
            for position, log in enumerate(receipt.logs)
        ],
    )


# Calls


def trace_call(
    chain: Chain,
    block: CallBlock,
    request: TransactionRequest,
    options: TraceOptions,
    max_words: int = DEFAULT_WORDS,
) -> Trace:
    """The trace of a call with the gas that the request names, run in that block.

    Raises `TransferUnaffordable`, `ExecutionFailed` when the gas is below the call's intrinsic gas,
    and `LimitExceeded` when the trace grows larger than `max_words`.
    """
    return trace_calls(chain, block, [(request, options)], max_words)[0]


def trace_calls(
    chain: Chain,
    block: CallBlock,
    calls: Sequence[tuple[TransactionRequest, TraceOptions]],
    max_words: int = DEFAULT_WORDS,
) -> list[Trace]:
    """The traces of calls as `trace_call` makes them, each on the state that the last one left."""

    def trace_one(place: CallBlock, request: TransactionRequest, session: TraceSession) -> Trace:
        gas, receiver = request.gas or 0, [request.to] if request.to else []

        def attach(state: Any) -> None:
            session.attach(state, [call.sender, place.header.coinbase, *receiver])

        call = Call(chain, place, request, session.options.overrides or {}, attach)
        call.check_funds(gas)
        result = call.run(gas)
        top = session.recorder.top
        if top is None:
            raise result.failure.to_error() if result.failure else AssertionError
        top.gas, top.gas_used = gas, result.gas_used
        return session.finish(top)

    def trace() -> list[Trace]:  # on a fork they run again when a value was missing
        budget, place, traces = Budget(max_words), block, []
        for request, options in calls:
            session = TraceSession(options, budget)
            traces.append(trace_one(place, request, session))
            if len(traces) < len(calls):
                place = place.after(chain, session.state)
        return traces

    first = calls[0][0] if calls else TransactionRequest()
    return chain.read_together(trace, first.to, first.data)


BLOCKS_PER_CHECK = 64  # blocks searched between two checks of the deadline
CALLS = TraceOptions("callTracer")
Found = tuple[Block, Receipt, FlatFrame]


def search(chain: Chain, query: TraceQuery, budget: Budget | None = None) -> Iterator[Found]:
    """The frames of the transactions that match, in order of the chain; `query.count` at most."""
    first, last = _number(chain, query.from_block), _number(chain, query.to_block)
    allowed = budget or Budget()
    last = min(last, chain.height)

    def frames() -> Iterator[Found]:
        for start in deadline.checked(range(first, last + 1, BLOCKS_PER_CHECK), 1):
            for block in chain.blocks_between(start, min(start + BLOCKS_PER_CHECK - 1, last)):
                wanted = [
                    receipt
                    for receipt, tx in zip(block.receipts, block.transactions, strict=True)
                    if (not query.senders or tx.sender in query.senders)
                    and (not query.receivers or tx.to in query.receivers)
                ]
                indices = {receipt.index for receipt in wanted}
                traces = trace_block(chain, block, CALLS, indices, allowed)
                for receipt, trace in zip(wanted, traces, strict=True):
                    for flat in flatten(trace.top):
                        yield block, receipt, flat

    end = None if query.count is None else query.after + query.count
    return islice(frames(), query.after, end)


def _number(chain: Chain, ref: BlockRef) -> int:
    if isinstance(ref, int):
        return ref
    return chain.height if ref is Tag.PENDING else chain.block(ref).number


# Other rules


class Outcome(NamedTuple):
    """The result of an execution; `failure` is empty if it succeeded."""

    failure: str
    output: bytes
    gas: int
    logs: tuple[Log, ...] = ()


class Pair(NamedTuple):
    """A message with its outcomes; `frames` are those of a transaction that now fails."""

    to: Address | None
    data: bytes
    old: Outcome
    new: Outcome
    frames: Frame | None = None


class HardforkDiff:
    """Executes what a chain has executed again, under the rules of hardfork `old` and of `new`.

    Raises `ConfigError` for one that is unknown, or that is not of the chain's kind.
    """

    def __init__(self, chain: Chain, old: str, new: str) -> None:
        self._chain = chain
        self._old, self._new = chain.rules_named(old), chain.rules_named(new)

    def transactions(
        self, block: Block, options: TraceOptions, indices: Collection[int] | None = None
    ) -> Iterator[Pair]:
        """The transactions of a block, or those at some indices, until REMASC's.

        Transactions of a block of the upstream chain are read together.
        """
        chain = self._chain
        if chain.fork is None or block.number > chain.first:
            yield from self._pairs(block, options, indices)
            return

        def read() -> list[Pair]:
            chain.read_accounts(block, len(block.transactions))
            return list(self._pairs(block, options, indices))

        yield from chain.fork.speculation.complete(read)

    def _pairs(
        self, block: Block, options: TraceOptions, indices: Collection[int] | None
    ) -> Iterator[Pair]:
        chain = self._chain
        state = chain.database.retain_state(chain.state_root(chain.block(block.number - 1)))
        last = len(block.receipts) if indices is None else max(indices, default=-1) + 1
        for receipt in block.receipts[:last]:
            tx = receipt.transaction
            if is_closing(tx) or tx.signed is None:
                return
            old, after = self._apply(self._old, block, receipt, state)
            if indices is None or receipt.index in indices:
                new, _ = self._apply(self._new, block, receipt, state)
                frames = None
                if new.failure and not old.failure and new.gas:
                    with chain.other_rules(self._new):
                        frames = Replay(chain, block, state.root).trace(receipt, options).top
                yield Pair(tx.to, tx.data, old, new, frames)
            state = after

    def _apply(
        self, rules: Rules, block: Block, receipt: Receipt, state: RetainedState
    ) -> tuple[Outcome, RetainedState]:
        tx = receipt.transaction
        chain_id = tx.signed.chain_id or 0
        with self._chain.other_rules(rules):
            builder = self._chain.new_replay_builder(block, state.root)
            try:
                decoded = decode(tx.raw, chain_id, rules)  # its intrinsic gas depends on the rules
                tx = with_sender(decoded, tx.sender, chain_id, rules)
                applied = builder.apply_transaction(tx)
            except (TransactionRejected, BlockBuildFailed) as error:
                return Outcome(f"refused: {error}", b"", 0), state
            builder.state.persist()
            after = self._chain.database.retain_state(Hash32(builder.state.state_root))
        output = builder.computation.output
        return Outcome(str(applied.failure or ""), output, applied.gas_used, applied.logs), after

    def call(self, block: CallBlock, request: TransactionRequest) -> Pair:
        """A call, with the gas that the request names."""

        def run(rules: Rules) -> Outcome:
            with self._chain.other_rules(rules):
                call = Call(self._chain, block, request, {})
                call.is_counted = False
                result = call.run(request.gas or 0)
            return Outcome(str(result.failure or ""), result.output, result.gas_used)

        return Pair(request.to, request.data, run(self._old), run(self._new))


# Access lists (EIP-2930)

MAX_ROUNDS = 8
AccessList = tuple[tuple[Address, tuple[int, ...]], ...]
PRESTATE = TraceOptions(tracer="prestateTracer", include_empty=True)


@dataclass(frozen=True, slots=True)
class AccessListResult:
    """The access list, the gas used with it, and why the call failed, if it did."""

    listed: AccessList
    gas_used: int
    error: str | None


def access_list(
    chain: Chain, block: CallBlock, request: TransactionRequest, overrides: StateOverrides
) -> AccessListResult:
    """The addresses and slots a call touches, without accounts that are warm from the start.

    A listed slot costs other gas, which may change what it does: it runs until the list stays.
    """
    listed: AccessList = request.access_list
    precompiles = chain.open_state(block.header).computation_class.get_precompiles()
    warm = {request.sender or ZERO_ADDRESS, request.to, block.header.coinbase, *precompiles}
    for _ in range(MAX_ROUNDS):
        attempt = request._replace(access_list=listed)
        trace = trace_call(chain, block, attempt, replace(PRESTATE, overrides=overrides))
        touched = _touched(trace, warm)
        if touched == listed:
            break
        listed = touched
    return AccessListResult(listed, trace.top.gas_used, trace.top.error)


def _touched(trace: Trace, warm: Collection[bytes | None]) -> AccessList:
    accounts = trace.accounts if isinstance(trace.accounts, dict) else {}
    own = trace.top.to
    return tuple(
        (address, tuple(sorted(account.storage)))
        for address, account in sorted(accounts.items())
        if account.storage or (address not in warm and address != own)
    )
