"""Explanations of calls: why and where they failed, call trees, console.log output."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from devchain.chain.block import Block, Receipt
from devchain.chain.chain import Chain
from devchain.chain.eth_call import CallBlock
from devchain.chain.slices import SLOW, Slices
from devchain.chain.upstream_objects import UNEXPLAINED
from devchain.contracts.artifact_registry import Registry
from devchain.contracts.names import Names, raw_log
from devchain.errors import DevchainError, ForkCacheMiss, UpstreamFailed, VmError
from devchain.evm import deadline
from devchain.evm.failures import Failure
from devchain.evm.missing_opcodes import advice, advice_on, missing_opcodes
from devchain.evm.revert_reasons import add_revert_details, revert_message
from devchain.networks import coin
from devchain.tracing.options import TraceOptions
from devchain.types import (
    SELECTOR_SIZE,
    Address,
    BlockRef,
    Hash32,
    StateOverrides,
    Tag,
    TransactionRequest,
    checksum,
)

if TYPE_CHECKING:
    # At run time they are imported by what asks for an explanation or a gas profile.
    from devchain.contracts.code_map import CodeMap
    from devchain.source.call_tree import Row
    from devchain.source.follow import Execution
    from devchain.source.gas import GasProfile
    from devchain.source.source_trace import SourceTrace
    from devchain.source.trace import Trace
    from devchain.source.upgrade_report import UpgradeReport
    from devchain.tracing.frames import Frame
    from devchain.tracing.gas_recorder import GasRecorder
    from devchain.tracing.replay import Pair

Found = TypeVar("Found")

MAX_TITLES = 20  # events of a transaction that the log shows
MAX_NAMED = 1_000  # contracts of a transaction whose code is asked for together
MAX_REPLAYS = 10  # of each kind whose results are kept
MAX_EXECUTIONS = 2  # that are kept to be stepped through: some 70 MB at most
MAX_RAISED = 1_024  # failed transactions that are remembered as raised

_log = logging.getLogger(__name__)

STACK_SECONDS = 0.1  # what finding the stack trace of an error object may take

NOTE_SECONDS = 1.0  # for words: the note where a program ends, and the message of an error


def load_tracing() -> None:
    """Import what explanations need: for the first one it would take longer than it may take."""
    import devchain.source.call_tree
    import devchain.source.explain
    import devchain.tracing.replay  # noqa: F401


class CallExplainer:
    """Explains transactions and failures with the names and sources of known artifacts.

    `last_failure` is the error explained last, for reports of tests whose client raised another
    error in its place. `raised` are hashes of transactions whose failure was raised as an error.
    """

    def __init__(
        self, chain: Chain, artifacts: Registry, chain_id: int, *, uses_eip1191: bool = False
    ) -> None:
        """Write amounts in the coin of that chain id, and with EIP-1191 its checksums."""
        self._chain = chain
        self._address_text = partial(checksum, chain_id=chain_id if uses_eip1191 else None)
        self._artifacts = artifacts
        self._coin = coin(chain_id)
        self.last_failure: VmError | None = None
        self.raised: deque[bytes] = deque(maxlen=MAX_RAISED)
        self._has_warned = False
        self._replays: dict[str, dict[tuple[Hash32, Hash32, int], object]] = {}
        self.tracer = TraceOptions("callTracer", with_log=True, find_code_map=self._code_map)

    def _code_map(self, message: Any) -> CodeMap | None:
        if not message.code or not self._artifacts:
            return None
        creating = bool(message.is_create)
        address = message.storage_address if creating else message.code_address
        return self._artifacts.code_map(bytes(message.code), Address(address), creating=creating)

    def replayed(
        self,
        kind: str,
        transaction_hash: Hash32,
        replay: Callable[[], Found],
        most: int = MAX_REPLAYS,
    ) -> Found | None:
        """What a replay of a mined transaction finds; the newest of each kind are kept.

        A transaction that is mined again after a revert is replayed again, since it may run
        otherwise, and so is one after a change of the artifacts, from which the sources are.
        """
        mined = self._chain.receipt(transaction_hash)
        if mined is None:
            return None
        known = self._replays.setdefault(kind, {})
        key = mined[0].hash, transaction_hash, self._artifacts.changes
        if key not in known:
            known[key] = replay()
            if len(known) > most:
                del known[next(iter(known))]
        return cast("Found", known[key])

    # Frames: a call and the calls below it, found by executing once more

    def transaction_frames(self, transaction_hash: Hash32) -> Frame | None:
        """The calls of a mined transaction; None if there is none of that hash."""
        from devchain.tracing.replay import trace_transaction

        def replay() -> Frame | None:
            trace = trace_transaction(self._chain, transaction_hash, self.tracer)
            return trace.top if trace else None

        return self.replayed("frames", transaction_hash, replay)

    def block_frames(self, block: Block) -> Iterator[Frame]:
        from devchain.tracing.replay import trace_block

        return (trace.top for trace in trace_block(self._chain, block, self.tracer))

    def call_frames(
        self, request: TransactionRequest, block: CallBlock, overrides: StateOverrides | None = None
    ) -> Frame:
        """The messages of an `eth_call`; those that fail have their paths, and are no error."""
        from devchain.tracing.replay import trace_call

        tracer = replace(self.tracer, overrides=overrides)
        return trace_call(self._chain, block, request, tracer).top

    def draw_tree(self, top: Frame) -> str:
        from devchain.source.call_tree import call_tree

        return call_tree(top, self.names(), self._coin)

    def source_trace(self, top: Frame) -> SourceTrace:
        from devchain.source.explain import failure_chain, stack_trace
        from devchain.source.hints import hint_of, lost_reason, source_hint
        from devchain.source.source_trace import SourceTrace

        names, failing = self.names(), failure_chain(top)
        hints = [self._missing_opcode(failing[-1]), hint_of(failing[-1], names)]
        hints += [source_hint(frame, names) for frame in failing[:-1]]
        hint = next(filter(None, hints), "")
        caught = sum(bool(frame.failure) for frame in top.walk()) - len(failing)
        return SourceTrace(
            self._reason(failing[-1]),
            stack_trace(top, names),
            "; ".join(filter(None, (hint, lost_reason(failing, names)))),
            caught=caught,
        )

    def _missing_opcode(self, frame: Frame) -> str:
        opcode = frame.failure.opcode if frame.failure else None
        return "" if opcode is None else advice_on(opcode, self._chain.rules.hardfork)

    def missing_opcodes(self, code: bytes) -> str:
        """The opcodes of a contract that the chain's hardfork lacks, with advice; may be empty."""
        hardfork = self._chain.rules.hardfork
        return advice(missing_opcodes(code, hardfork), hardfork)

    def _reason(self, frame: Frame) -> str:
        if frame.reverted:
            return revert_message(frame.output, self._artifacts)
        return frame.error or ""

    def transaction_source(self, transaction_hash: Hash32) -> SourceTrace | None:
        """Where in the source a mined transaction failed; None if unknown, or if it succeeded."""
        top = self.transaction_frames(transaction_hash) if self._artifacts else None
        return self.source_trace(top) if top and top.failure else None

    def console_lines(self, transaction_hash: Hash32) -> list[Row] | None:
        """What a mined transaction printed, with places; None without artifacts, as above."""
        from devchain.source.call_tree import console_lines

        top = self.transaction_frames(transaction_hash) if self._artifacts else None
        return console_lines(top) if top else None

    def error_source(self, error: VmError) -> SourceTrace | None:
        """Where in the source an error arose; None without artifacts, or if nothing executed."""
        return error.source_trace if self._artifacts else None

    def with_sources(self, options: TraceOptions) -> TraceOptions:
        """Trace options with what a `sourceTracer` needs to know of contracts."""
        return options.with_sources(self._code_map, self.source_trace)

    def new_gas_recorder(self) -> GasRecorder:
        from devchain.tracing.gas_recorder import GasRecorder

        return GasRecorder(self._artifacts, self._address_text)

    def gas_profile(self, transaction_hash: Hash32) -> GasProfile | None:
        """Where a mined transaction used its gas; None if there is none of that hash."""
        from devchain.source.gas import gas_profile

        recorder = self.gas_record(transaction_hash)
        return None if recorder is None else gas_profile(recorder)

    def gas_record(self, transaction_hash: Hash32) -> GasRecorder | None:
        """The gas of a mined transaction by place; None if there is none of that hash."""

        def replay() -> GasRecorder | None:
            recorder = self.new_gas_recorder()
            return recorder if recorder.record_transaction(self._chain, transaction_hash) else None

        return self.replayed("gas", transaction_hash, replay)

    def execution(self, transaction_hash: Hash32) -> Slices[Execution | None]:
        """A mined transaction to step through; None if there is none of that hash.

        Raises `InvalidInput` if it ran no code, or copies too much for it.
        """
        from devchain.source.follow import Execution
        from devchain.source.recording import MAX_COPIED, record_transaction

        def code_at_head(address: Address) -> bytes:
            return self._code_at(Tag.LATEST)(address)

        def record() -> Trace | None:
            return record_transaction(self._chain, transaction_hash, code_at_head)

        def trace() -> Trace | None:
            return self.replayed("steps", transaction_hash, record, most=1)

        def execution() -> Execution | None:
            # Asked for again: since the slice before, the transaction may be in another block.
            found = trace()
            if found is None:
                return None
            return Execution(found, self._artifacts, self._address_text, MAX_COPIED)

        if trace() is None:
            return None
        yield SLOW
        return self.replayed("execution", transaction_hash, execution, MAX_EXECUTIONS)

    # Texts

    def refresh_artifacts(self) -> bool:
        return self._artifacts.refresh()

    def names(self, block: BlockRef = Tag.LATEST) -> Names:
        return Names(self._artifacts, self._code_at(block), self._address_text)

    def _code_at(self, block: BlockRef) -> Callable[[Address], bytes]:
        # It is wanted for a name alone: without, the address is shown.
        code = self._chain.state_at(block).code
        if self._chain.fork is None:
            return code

        def code_if_known(address: Address) -> bytes:
            try:
                return code(address)
            except UpstreamFailed as error:
                if not self._has_warned:
                    self._has_warned = True
                    _log.warning("contracts are shown without their names: %s", error)
                return b""

        return code_if_known

    def need_codes(self, addresses: Iterable[Address], block: BlockRef = Tag.LATEST) -> None:
        """Have code known that names need next: of a fork it is asked for in one round trip.

        Raises `ForkCacheMiss` where values may not be waited for. What the upstream refuses is left
        to `names`.
        """
        fork = self._chain.fork
        if fork is None or not self._artifacts:
            return
        code = self._chain.state_at(block).code
        with suppress(UpstreamFailed):
            try:
                with fork.speculation.execution():
                    for address in addresses:
                        code(address)
            except ForkCacheMiss as missing:
                fork.cache.need(missing.wanted)

    def need_codes_of(self, top: Frame, blocks: Iterable[BlockRef] = (Tag.LATEST,)) -> None:
        """The same for all contracts that some calls ran, or whose events they have."""
        addresses: dict[Address, None] = {}
        for frame in top.walk():
            addresses |= dict.fromkeys([frame.to, *(log.address for log in frame.logs)])
        for block in blocks:
            self.need_codes(list(addresses)[:MAX_NAMED], block)

    def call_title(self, block: Block, receipt: Receipt) -> str:
        """What a mined transaction called or created, `Vault.deposit()`; empty if not known."""
        tx = receipt.transaction
        if tx.to is not None and not self._artifacts.may_know(tx.to):
            return ""
        return self.names(block.number).known_call(tx.to, tx.data)

    def called_function(self, to: Address | None, data: bytes, block: BlockRef) -> str:
        """What a transaction or call calls, `Vault.pay(uint256)`; empty for a plain transfer."""
        if to is None:
            created = self._artifacts.find_by_init_code(data)
            return f"{created.name if created else 'unknown contract'}.constructor"
        code, selector = self._chain.state_at(block).code(to), data[:SELECTOR_SIZE]
        artifact = self._artifacts.find_by_code(code, to)
        if artifact is None:
            return f"0x{to.hex()}.0x{selector.hex()}" if code else ""
        called = artifact.abi.functions.get(selector) or artifact.abi.default_function(data)
        return f"{artifact.name}.{called.signature if called else f'0x{selector.hex()}'}"

    def compare_hardforks(
        self, old: str, new: str, mined: Iterable[tuple[Block, Receipt]]
    ) -> Slices[Mapping[str, Mapping[str, Any]]]:
        """What hardfork `new` changes in mined transactions: rows of an `UpgradeReport`."""
        from devchain.source.upgrade_report import UpgradeReport
        from devchain.tracing.replay import HardforkDiff

        diff, report = HardforkDiff(self._chain, old, new), UpgradeReport()
        for block, receipt in mined:
            for pair in diff.transactions(block, self.tracer, {receipt.index}):
                self.count_pair(report, pair, block.number, receipt.transaction.hash)
            yield SLOW
        return report.rows

    def count_pair(
        self, report: UpgradeReport, pair: Pair, block: BlockRef, tx_hash: bytes = b""
    ) -> None:
        """Count a call under two hardforks, with where in the source it now fails, or begins."""
        to, data = pair.to, pair.data
        if not (name := self.called_function(to, data, block)):
            return
        places = list(self.source_trace(pair.frames).places) if pair.frames else []
        code = self._chain.state_at(block).code(to) if to else data
        code_map = self._artifacts.code_map(code, to, creating=to is None)
        if code_map and (called := code_map.called(data)):
            places.append(f"{called.path}:{called.line}")
        report.count(name, pair, next(iter(places), ""), tx_hash)

    def event_titles(self, block: Block, receipt: Receipt) -> list[str]:
        """The events of a mined transaction, `Vault.Deposited(from=0x12.., amount=10)`.

        Events of contracts that no artifact has are written with address and topics. Empty for a
        node that knows no names.
        """
        logs = receipt.logs[:MAX_TITLES]
        if not any(self._artifacts.may_know(log.address) for log in logs):
            return []
        names = self.names(block.number)
        titles = []
        for log in logs:
            event = names.event(log.address, log.topics, log.data)
            if event or self._artifacts:
                label = names.contract(log.address) or names.address_text(log.address)
                titles.append(f"{label}.{event or raw_log(log.topics, log.data)}")
        hidden = len(receipt.logs) - len(logs)
        return [*titles, f"... {hidden:,} more"] if hidden and titles else titles

    def failure_text(self, receipt: Receipt, top: Frame | None = None) -> str | None:
        """Why a mined transaction failed, custom errors by name; None if it succeeded.

        The receipt of a transaction before a fork does not say it: its calls do, if given.
        """
        if top and top.failure and receipt.failure == UNEXPLAINED:
            return self._reason(top)
        return receipt.failure.describe(self._artifacts) if receipt.failure else None

    # Errors

    def explain_error(self, error: VmError, find_frames: Callable[[], Frame | None]) -> VmError:
        """The error with its payload decoded and its call tree ready to be drawn."""

        def draw() -> str:
            top = find_frames()
            return self.draw_tree(top) if top else ""

        def locate() -> SourceTrace | None:
            top = find_frames()
            return self.source_trace(top) if top and top.failure else None

        def stack() -> str:
            trace = self.find_in_time(locate, STACK_SECONDS)
            return trace.text if trace and trace.has_place else ""

        def note() -> str:
            trace = self.find_in_time(locate, NOTE_SECONDS)
            return "\n".join(trace.text_lines[1:]) if trace else ""

        def unknown_call() -> bytes | None:
            from devchain.source.explain import failure_chain
            from devchain.source.refusals import lacks_function

            top = find_frames()
            failing = failure_chain(top)[-1] if top and top.failure else None
            return failing.input if failing and lacks_function(failing, self.names()) else None

        # It decides the error's message, for which the artifacts may have to be read first.
        error.find_unknown_call = lambda: self.find_in_time(unknown_call, NOTE_SECONDS)
        error.draw, error.locate, error.stack, error.note = draw, locate, stack, note
        error.find_frames = find_frames
        self.last_failure = error
        return add_revert_details(error, self._artifacts)

    def forget_failures(self) -> None:
        """Forget `last_failure` and `raised`, which are of an earlier test."""
        self.last_failure = None
        self.raised.clear()

    def find_in_time(self, locate: Callable[[], Found | None], seconds: float) -> Found | None:
        """The result of a search in sources within that CPU time; None if it ends with an error."""
        if not self._artifacts:
            return None
        load_tracing()
        try:
            with deadline.within(seconds, time.thread_time):
                return locate()
        except DevchainError:
            return None
        except Exception:  # noqa: BLE001  # a client's artifacts must not change others' errors
            _log.exception("a place in the source could not be found")
            return None

    def transaction_error(self, receipt: Receipt, failure: Failure) -> VmError:
        tx_hash = receipt.transaction.hash
        error = failure.to_error()
        error.transaction_hash = tx_hash
        self.raised.append(tx_hash)
        return self.explain_error(error, lambda: self.transaction_frames(tx_hash))
