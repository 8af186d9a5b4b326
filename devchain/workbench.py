"""What a test in Python wants of a node: deploy, contracts as objects, snapshots as blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from devchain.abi.artifacts import Artifact, load
from devchain.abi.contract import Contract, Mined, address_of
from devchain.abi.contract import request as request_of
from devchain.abi.entries import Abi
from devchain.abi.failures import explained
from devchain.abi.failures import named as name_error
from devchain.abi.registry import Registry
from devchain.accounts import Accounts
from devchain.chain.block import Block, Receipt
from devchain.chain.call_block import call_block
from devchain.chain.chain import Chain
from devchain.config import Config
from devchain.errors import ExecutionFailed, ExecutionReverted, InvalidInput, VmError
from devchain.miner import Miner
from devchain.snapshots import Snapshots
from devchain.state.view import StateView
from devchain.tracing.access import Access, access_list
from devchain.tracing.frames import Frame
from devchain.tracing.options import TraceOptions
from devchain.tracing.replay import trace_call, trace_transaction
from devchain.tracing.session import Session
from devchain.tracing.tree import Names, call_tree, console_lines
from devchain.types import (
    Address,
    BlockOverride,
    BlockRef,
    Hash32,
    LogQuery,
    StateOverrides,
    Tag,
    TransactionRequest,
)

CALLS = TraceOptions(tracer="callTracer", with_log=True)


class Workbench:
    """The part of `Node` that Python programs use and JSON-RPC has no methods for."""

    last_failure: VmError | None = None
    config: Config
    chain: Chain
    miner: Miner
    snapshots: Snapshots
    artifacts: Registry
    accounts: Accounts
    send: Callable[[TransactionRequest], Hash32]
    call: Callable[..., bytes]
    estimate: Callable[..., int]
    logs: Callable[[LogQuery], Any]
    revert: Callable[[int], bool]

    # Contracts

    def deploy(
        self, artifact: Artifact | str | Path, *arguments: object, **options: Any
    ) -> Contract:
        """Create a contract and give it as an object; calls of it come from its creator.

        `artifact` is an `Artifact`, the file of one, or the name of one in `artifacts`. Options:
        `sender` (the first account unless given), `value` in wei, `gas`, `gas_price`. Raises
        `ExecutionReverted` or `ExecutionFailed` if the constructor fails, `InvalidInput` for wrong
        arguments.
        """
        found = self._artifact(artifact)
        if not found.creation.template or not found.creation.is_linked:
            lack = (
                "its libraries are not linked" if found.creation.template else "it has no bytecode"
            )
            msg = f"{found.name} cannot be deployed: {lack}"
            raise InvalidInput(msg)
        self.artifacts.add(found)
        init_code = found.creation.template + found.abi.constructor.encode(arguments)
        mined = self.transact(request_of(None, init_code, options))
        where = address_of(mined.contract_address)
        self.artifacts.add(found)
        if self.artifacts.of(self.chain.state_at(Tag.LATEST).code(where)) is None:
            self.artifacts.add(found, where)  # its code does not say what it is
        sender = mined.receipt.transaction.sender
        return Contract(self, where, found.abi, found.name, sender=sender)

    def contract(
        self, artifact: Artifact | Abi | list[Any] | str | Path, address: object
    ) -> Contract:
        """The contract at an address as an object, by its artifact, ABI, or the artifact's name."""
        where = address_of(address)
        if isinstance(artifact, list | Abi):
            abi = artifact if isinstance(artifact, Abi) else Abi.of(artifact)
            artifact = Artifact("Contract", abi)
        found = self._artifact(artifact)
        self.artifacts.add(found, where)
        return Contract(self, where, found.abi, found.name, sender=self._first())

    def _first(self) -> Address | None:
        return next(iter(self.accounts.addresses()), None)

    def _artifact(self, wanted: Artifact | str | Path) -> Artifact:
        if isinstance(wanted, Artifact):
            return wanted
        known = self.artifacts.named(str(wanted)) or (
            self._load(Path(wanted)) if str(wanted).endswith(".json") else []
        )
        if len(known) == 1:
            return known[0]
        msg = f"{len(known)} artifacts are named {wanted}: name one, as path:name, or its file"
        raise InvalidInput(msg)

    def _load(self, path: Path) -> list[Artifact]:
        """The artifacts there, with the outlines of their sources if these are to be covered."""
        return load(path, outlined=self.config.coverage is not None)

    # Transactions

    def transact(self, request: TransactionRequest) -> Mined:
        """Send a transaction and mine it; raises a `VmError` if it was mined and failed.

        The sender is the first account unless named, the gas limit the block's.
        """
        filled = replace(
            request,
            sender=request.sender or self._first(),
            gas=request.gas or self.chain.head.gas_limit,
        )
        tx_hash = self.send(filled)
        if self.chain.receipt(tx_hash) is None:
            self.miner.mine()
        mined = self.chain.receipt(tx_hash)
        if mined is None:
            msg = "the transaction waits in the mempool: an earlier one of its sender is missing"
            raise InvalidInput(msg)
        block, receipt = mined
        if receipt.failure:
            raise self.named(failed(receipt.failure, receipt.payload), lambda: self.frames(tx_hash))
        return Mined(block, receipt)

    def named(self, error: VmError, frames: Callable[[], Frame | None]) -> VmError:
        """A failure with its payload read, its call tree ready to be drawn."""

        def draw() -> str:
            top = frames()
            return call_tree(top, self._names()) if top else ""

        error.draw = draw
        self.last_failure = error
        return explained(error, self.artifacts)

    def frames(self, transaction_hash: Hash32) -> Frame | None:
        """The calls of a mined transaction; None if there is none of that hash."""
        trace = trace_transaction(self.chain, transaction_hash, CALLS)
        return trace.top if trace else None

    def call_tree(self, transaction_hash: Hash32) -> str:
        """The calls of a mined transaction drawn as text, with names where ABIs are known."""
        top = self.frames(transaction_hash)
        return call_tree(top, self._names()) if top else ""

    def called(self, block: Block, receipt: Receipt) -> str:
        """What a mined transaction called, `Vault.deposit()`; empty if that is not known."""
        tx = receipt.transaction
        code = self.chain.state_at(block.number).code(tx.to) if tx.to else b""
        return self.artifacts.title(tx.to, code, tx.data)

    def failure(self, receipt: Receipt) -> str | None:
        """Why a mined transaction failed, in words; None if it did not."""
        said = receipt.failure
        return said and name_error(said, receipt.payload, self.artifacts)

    def console(self, transaction_hash: Hash32) -> list[str]:
        """What a mined transaction printed with `console.log`."""
        top = self.frames(transaction_hash)
        return console_lines(top) if top else []

    def frames_of_call(
        self,
        request: TransactionRequest,
        block: BlockRef = Tag.LATEST,
        overrides: StateOverrides | None = None,
        block_override: BlockOverride | None = None,
    ) -> Frame:
        """The calls that a call makes."""
        found = self.chain.block(block)
        capped = replace(request, gas=request.gas or found.gas_limit)
        under = call_block(self.chain, self.chain.header_of(found), block_override)
        return trace_call(self.chain, under, capped, overrides or {}, Session(CALLS)).top

    def access_list(
        self, request: TransactionRequest, block: BlockRef, overrides: StateOverrides | None
    ) -> Access:
        """What a call touches, as a list to send along with it."""
        found = self.chain.block(block)
        cap = self.config.call_gas_cap or found.gas_limit
        capped = replace(request, gas=min(cap if request.gas is None else request.gas, cap))
        under = call_block(self.chain, self.chain.header_of(found))
        return access_list(self.chain, under, capped, overrides or {})

    def _names(self) -> Names:
        return Names(self.artifacts, self.chain.state_at(Tag.LATEST).code)

    # State

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Take back, at the end of the block of code, everything done to the chain in it."""
        taken = self.snapshots.take()
        try:
            yield
        finally:
            self.revert(taken)
            self.snapshots.drop(taken)

    def at(self, block: BlockRef) -> Past:
        """The chain as a block left it, to read."""
        return Past(self, block)


@dataclass(frozen=True, slots=True)
class Past:
    """One block's state: balances, code, storage, and calls on it."""

    node: Workbench
    block: BlockRef

    def balance(self, address: object) -> int:
        """Balance in wei."""
        return self._state.balance(address_of(address))

    def nonce(self, address: object) -> int:
        """Transactions sent."""
        return self._state.nonce(address_of(address))

    def code(self, address: object) -> bytes:
        """Code, empty if there is none."""
        return self._state.code(address_of(address))

    def storage(self, address: object, slot: int) -> int:
        """One storage slot."""
        return self._state.storage(address_of(address), slot)

    def call(self, request: TransactionRequest) -> bytes:
        """What a call returns there; raises a `VmError` if it fails."""
        return self.node.call(request, self.block)

    @property
    def _state(self) -> StateView:
        return self.node.chain.state_at(self.block)


def failed(failure: str, payload: bytes) -> VmError:
    """A receipt's failure as the error it is."""
    reverted = failure.startswith("execution reverted")
    return (ExecutionReverted if reverted else ExecutionFailed)(failure, payload)
