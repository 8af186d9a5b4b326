"""What a test in Python wants of a node: deploy, contracts as objects, snapshots as blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from devchain.chain.block import Block, Receipt
from devchain.chain.calls import call_block
from devchain.contracts.abi import Abi
from devchain.contracts.artifacts import Artifact, load_artifacts, parse_artifacts
from devchain.contracts.contract import Contract, Mined, address_of
from devchain.contracts.contract import request as request_of
from devchain.contracts.revert_reasons import add_revert_details
from devchain.errors import InvalidInput, VmError
from devchain.node.cheats.methods import Cheats
from devchain.state.view import StateView
from devchain.tracing.access_list import Access, access_list
from devchain.tracing.call_tree import Names, call_tree, console_lines
from devchain.tracing.frames import Frame
from devchain.tracing.options import TraceOptions
from devchain.tracing.replay import trace_call, trace_transaction
from devchain.tracing.trace import Session
from devchain.types import (
    Address,
    BlockOverride,
    BlockRef,
    Hash32,
    StateOverrides,
    Tag,
    TransactionRequest,
)

Wanted = Artifact | Mapping[str, Any] | str | Path
"""An artifact, what a compiler wrote of it, its file, or its name among those that are known."""

CALLS = TraceOptions(tracer="callTracer", with_log=True)


class Workbench(Cheats):
    """The part of `Node` that Python programs use and JSON-RPC has no methods for."""

    last_failure: VmError | None = None
    _files: dict[Path, tuple[int, list[Artifact]]]

    # Contracts

    def deploy(self, artifact: Wanted, *arguments: object, **options: Any) -> Contract:
        """Create a contract and give it as an object; calls of it come from its creator.

        `artifact` is its name (`Vault`, or `Vault.sol:Vault`) among those the node knows, its
        JSON file, what a compiler wrote (`{"abi": ..., "bytecode": ...}`), or an `Artifact`.
        Options: `sender` (the first account unless given), `value` in wei, `gas`, `gas_price`.
        Raises `ExecutionReverted` or `ExecutionFailed` if the constructor fails, `InvalidInput` for
        wrong arguments.
        """
        __tracebackhide__ = True
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
        if self.artifacts.find_by_code(self.chain.state_at(Tag.LATEST).code(where)) is None:
            self._name(found, where)  # its code does not say what it is
        sender = mined.receipt.transaction.sender
        return Contract(self, where, found.abi, found.name, sender=sender)

    def contract(self, artifact: Wanted | Abi | list[Any], address: object) -> Contract:
        """The contract at an address as an object, by its ABI or whatever `deploy` takes.

        Calls of it come from the first account unless they name a `sender`.
        """
        where = address_of(address)
        if isinstance(artifact, list | Abi):
            abi = artifact if isinstance(artifact, Abi) else Abi.from_json(artifact)
            artifact = Artifact("Contract", abi)
        found = self._artifact(artifact)
        self._name(found, where)
        return Contract(self, where, found.abi, found.name, sender=self._first())

    def _first(self) -> Address | None:
        return next(iter(self.accounts.addresses()), None)

    def _name(self, artifact: Artifact, address: Address) -> None:
        """Have what is at an address now go by that artifact's name."""
        code = self.chain.state_at(Tag.LATEST).code(address)
        self.artifacts.add_deployed(artifact, address, code)

    def _artifact(self, wanted: Wanted) -> Artifact:
        if isinstance(wanted, Artifact):
            return wanted
        if isinstance(wanted, Mapping):
            known = parse_artifacts(wanted)
        else:
            is_file = str(wanted).endswith(".json")
            known = (
                self._read(Path(wanted)) if is_file else self.artifacts.find_by_name(str(wanted))
            )
        if len(known) == 1:
            return known[0]
        raise InvalidInput(self._unclear(wanted, known))

    def _unclear(self, wanted: object, found: list[Artifact]) -> str:
        """Why it is not clear which artifact is meant."""
        what = "an object with an abi" if isinstance(wanted, Mapping) else str(wanted)
        if found:
            names = ", ".join(f"{each.source}:{each.name}" for each in found)
            return f"{len(found)} artifacts are named {what}: say which, one of {names}"
        known = sorted({each.name for each in self.artifacts})
        close = get_close_matches(str(wanted), known, n=1)
        if close:
            return f"no artifact is named {what}: did you mean {close[0]}?"
        hint = f"the node knows {', '.join(known)}" if known else "the node knows none"
        return f"no artifact is named {what}: {hint}; name its JSON file, or start with artifacts"

    def _load(self, path: Path) -> list[Artifact]:
        """The artifacts there, with the outlines of their sources if these are to be covered."""
        return load_artifacts(path, outlined=self.config.coverage is not None)

    def _read(self, path: Path) -> list[Artifact]:
        """The artifacts in a file, read again only when it has changed."""
        changed = path.stat().st_mtime_ns if path.is_file() else 0
        held = self._files.get(path)
        if held is None or held[0] != changed:
            held = self._files[path] = (changed, self._load(path))
        return held[1]

    # Transactions

    def transact(
        self,
        request: TransactionRequest | None = None,
        *,
        to: object = None,
        data: bytes = b"",
        **options: Any,
    ) -> Mined:
        """Send a transaction and mine it: `node.transact(to=bob, value=10**18)`, or a request.

        The sender is the first account unless named, the gas limit the block's. Options are those
        of `deploy`. Raises a `VmError` if it was mined and failed, a `TransactionRejected` if it
        was refused.
        """
        __tracebackhide__ = True
        if request is None:
            request = request_of(None if to is None else address_of(to), data, options)
        filled = replace(
            request,
            sender=request.sender or self._first(),
            gas=request.gas or self.chain.most_gas(),
        )
        tx_hash = self.send(filled)
        if self.chain.receipt(tx_hash) is None:
            self.miner.mine_pending()  # what waits before it may fill a block of its own
        mined = self.chain.receipt(tx_hash)
        if mined is None:
            msg = "the transaction waits in the mempool: an earlier one of its sender is missing"
            raise InvalidInput(msg)
        block, receipt = mined
        if receipt.failure:
            raise self.named(receipt.failure.to_error(), lambda: self.frames(tx_hash))
        return Mined(block, receipt)

    def named(self, error: VmError, frames: Callable[[], Frame | None]) -> VmError:
        """A failure with its payload read, its call tree ready to be drawn."""

        def draw() -> str:
            top = frames()
            return self.drawn(top) if top else ""

        error.draw = draw
        self.last_failure = error
        return add_revert_details(error, self.artifacts)

    def frames(self, transaction_hash: Hash32) -> Frame | None:
        """The calls of a mined transaction; None if there is none of that hash."""
        trace = trace_transaction(self.chain, transaction_hash, CALLS)
        return trace.top if trace else None

    def call_tree(self, transaction_hash: Hash32) -> str:
        """The calls of a mined transaction drawn as text, with names where ABIs are known."""
        top = self.frames(transaction_hash)
        return self.drawn(top) if top else ""

    def drawn(self, top: Frame) -> str:
        """A tree of calls as text."""
        return call_tree(top, self._names())

    def called(self, block: Block, receipt: Receipt) -> str:
        """What a mined transaction called, `Vault.deposit()`; empty if that is not known."""
        tx = receipt.transaction
        code = self.chain.state_at(block.number).code(tx.to) if tx.to else b""
        return self.artifacts.describe_transaction(tx.to, code, tx.data)

    def failure(self, receipt: Receipt) -> str | None:
        """Why a mined transaction failed, in words; None if it did not."""
        return receipt.failure.describe(self.artifacts) if receipt.failure else None

    def console(self, transaction_hash: Hash32) -> list[str]:
        """What a mined transaction printed with `console.log`."""
        top = self.frames(transaction_hash)
        return console_lines(top) if top else []

    def call_gas(self, request: TransactionRequest, block: Block) -> int:
        """The gas a call on that block gets: what it asks for, at most the cap."""
        cap = self.config.call_gas_cap or block.gas_limit
        return min(cap if request.gas is None else request.gas, cap)

    def frames_of_call(
        self,
        request: TransactionRequest,
        block: BlockRef = Tag.LATEST,
        overrides: StateOverrides | None = None,
        block_override: BlockOverride | None = None,
    ) -> Frame:
        """The calls that a call makes."""
        found = self.chain.block(block)
        capped = replace(request, gas=self.call_gas(request, found))
        under = call_block(self.chain, self.chain.header_of(found), block_override)
        return trace_call(self.chain, under, capped, overrides or {}, Session(CALLS)).top

    def access_list(
        self, request: TransactionRequest, block: BlockRef, overrides: StateOverrides | None
    ) -> Access:
        """What a call touches, as a list to send along with it."""
        found = self.chain.block(block)
        capped = replace(request, gas=self.call_gas(request, found))
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

    def at(self, block: BlockRef = Tag.LATEST) -> Past:
        """The chain as a block left it, to read: `node.at().balance(bob)`, `node.at(5)`."""
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
