"""Explanations of calls: call trees with contract names, decoded errors, console.log output."""

from __future__ import annotations

from collections.abc import Callable

from devchain.chain.block import Block, Receipt
from devchain.chain.chain import Chain
from devchain.chain.eth_call import CallBlock
from devchain.contracts.artifact_registry import Registry
from devchain.contracts.revert_reasons import add_revert_details
from devchain.errors import VmError
from devchain.evm.failures import Failure
from devchain.tracing.call_tree import Names, call_tree
from devchain.tracing.frames import Frame
from devchain.tracing.options import TraceOptions
from devchain.tracing.replay import trace_call, trace_transaction
from devchain.tracing.trace_session import TraceSession
from devchain.types import Hash32, StateOverrides, Tag, TransactionRequest

CALL_TRACER = TraceOptions(tracer="callTracer", with_log=True)


class CallExplainer:
    """Explains transactions and failures with the names in the ABIs of known artifacts.

    `last_failure` is the error explained last, for reports of tests whose client raised another
    error in its place.
    """

    def __init__(self, chain: Chain, artifacts: Registry) -> None:
        self._chain = chain
        self._artifacts = artifacts
        self.last_failure: VmError | None = None

    # Frames: a call and the calls below it, found by executing once more

    def transaction_frames(self, transaction_hash: Hash32) -> Frame | None:
        """The calls of a mined transaction; None if there is none of that hash."""
        trace = trace_transaction(self._chain, transaction_hash, CALL_TRACER)
        return trace.top if trace else None

    def call_frames(
        self, block: CallBlock, request: TransactionRequest, overrides: StateOverrides | None
    ) -> Frame:
        """The calls of a simulated transaction."""
        return trace_call(
            self._chain, block, request, overrides or {}, TraceSession(CALL_TRACER)
        ).top

    def draw_tree(self, top: Frame) -> str:
        """A call and the calls below it as lines of text."""
        return call_tree(top, Names(self._artifacts, self._chain.state_at(Tag.LATEST).code))

    # Texts

    def call_title(self, block: Block, receipt: Receipt) -> str:
        """The function a mined transaction called, `Vault.deposit()`; empty if not known."""
        tx = receipt.transaction
        code = self._chain.state_at(block.number).code(tx.to) if tx.to else b""
        return self._artifacts.describe_transaction(tx.to, code, tx.data)

    def failure_text(self, receipt: Receipt) -> str | None:
        """Why a mined transaction failed, custom errors by name; None if it succeeded."""
        return receipt.failure.describe(self._artifacts) if receipt.failure else None

    # Errors

    def explain_error(self, error: VmError, find_frames: Callable[[], Frame | None]) -> VmError:
        """The error with its payload decoded and its call tree ready to be drawn."""

        def draw() -> str:
            top = find_frames()
            return self.draw_tree(top) if top else ""

        error.draw = draw
        self.last_failure = error
        return add_revert_details(error, self._artifacts)

    def transaction_error(self, receipt: Receipt, failure: Failure) -> VmError:
        """The failure of a mined transaction as an error to raise."""
        tx_hash = receipt.transaction.hash
        error = failure.to_error()
        error.transaction_hash = tx_hash
        return self.explain_error(error, lambda: self.transaction_frames(tx_hash))
