"""Reads blocks, transactions, logs and accounts from a node of any kind as views, with names.

A devchain node names contracts, calls, events and errors by its artifacts (`devchain_` methods).
For other nodes the project in the current folder does, and failures are traced with `callTracer`
or called again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from devchain import errors
from devchain.client.http import Client
from devchain.client.project_names import project_contracts, project_names
from devchain.client.views import (
    MAX_TEXT,
    UNNAMED_ERROR,
    CallView,
    Json,
    LogView,
    Notation,
    TransactionView,
    data_bytes,
    error_reason,
    is_address,
    number,
    revert_payload,
)
from devchain.clock import Clock
from devchain.text import shorten

if TYPE_CHECKING:
    from devchain.contracts.names import Names
    from devchain.types import Address

Thing = TypeVar("Thing")

ADDRESS_MEMBERS = frozenset({"address", "contractAddress", "from", "miner", "to"})
FACT_MISSING = -32002  # the code of devchain's errors for what it does not know of a forked chain
EIP1191_VARIABLE = "DEVCHAIN_CHECKSUM_ADDRESSES"  # of `--checksum-addresses` of the node
TRUE = {"1", "true", "t", "yes", "y", "on"}  # what Typer takes for true in a variable


class ChainReader:
    """Reads what a node has as views; `warn` gets a text whenever a forked chain lacks data."""

    def __init__(self, node: Client, warn: Callable[[str], object] = lambda _: None) -> None:
        self.node = node
        self._warn = warn

    def notation(self, *objects: object) -> Notation:
        """The notation of the chain, with the names of the contracts in JSON-RPC objects."""
        addresses = sorted(set(_addresses(objects)))
        naming = [("devchain_nameContracts", addresses)] if addresses else []
        chain_id, *answers = self.node.batch([("eth_chainId",), *naming])
        names = self._texts(
            self._known(answers[0]) if answers else [],
            addresses,
            lambda known, address: known.contract(_address(address)),
        )
        known = {address: name for address, name in zip(addresses, names, strict=True) if name}
        notation = notation_of(number(self._known(chain_id)) or 0)
        return replace(notation, name_of=lambda address: known.get(address, ""))

    def time(self) -> int:
        try:
            return number(self.node.call("devchain_getTime")) or 0
        except errors.RpcFailure:
            return Clock().now()

    # Blocks, transactions, logs

    def block_object(self, reference: str | Mapping[str, str], *, full: bool = False) -> Json:
        """The block with that number, tag or hash; raises `BlockNotFound`."""
        if isinstance(reference, str):
            height = number(reference)
            name = reference if height is None else f"{height:,}"
            block = self.node.call("eth_getBlockByNumber", reference, full)
        else:
            name = reference["blockHash"]
            block = self.node.call("eth_getBlockByHash", name, full)
        if block is None:
            newest = number(self.node.call("eth_blockNumber"))
            hint = "" if newest is None else f": the newest is {newest:,}"
            raise errors.BlockNotFound(f"no block {name} on this node{hint}")
        return dict(block)

    def transaction_objects(self, tx_hash: str) -> tuple[Json, Json | None]:
        """A transaction and its receipt, None while pending; raises `TransactionNotFound`."""
        tx = self.node.call("eth_getTransactionByHash", tx_hash)
        if tx is None:
            raise errors.TransactionNotFound(f"no transaction {tx_hash} on this node")
        return tx, self.node.call("eth_getTransactionReceipt", tx_hash)

    def transaction(self, tx: Json, receipt: Json | None) -> TransactionView:
        [called] = self._described_calls([tx])
        timestamp = None
        if receipt is not None:
            with suppress(errors.DevchainError):
                timestamp = number(self.block_object(receipt["blockNumber"]).get("timestamp"))
        return TransactionView.of(tx, receipt, self.notation(tx, receipt), called, timestamp)

    def transactions(
        self, objects: Sequence[Any], *, are_pending: bool = False
    ) -> list[TransactionView]:
        """Transactions with their receipts; hashes among the objects are left out."""
        sent = [tx for tx in objects if isinstance(tx, dict)]
        receipts: list[Json | None] = [None] * len(sent)
        if are_pending:
            sent = [{**tx, "blockNumber": None} for tx in sent]
        else:
            asked = self.node.batch([("eth_getTransactionReceipt", tx.get("hash")) for tx in sent])
            receipts = [
                answer if isinstance(answer, dict) else {} for answer in map(self._known, asked)
            ]
        notation = self.notation(sent, receipts)
        called = self._described_calls(sent)
        return [
            TransactionView.of(tx, receipt, notation, call)
            for tx, receipt, call in zip(sent, receipts, called, strict=True)
        ]

    def logs(self, objects: Sequence[Json]) -> list[LogView]:
        """Logs with their events, as far as the node or the project here knows them."""
        if not objects:
            return []

        def describe(names: Names, log: Json) -> str | None:
            from devchain.types import Hash32

            topics = [Hash32(data_bytes(topic)) for topic in log.get("topics") or ()]
            body = data_bytes(log.get("data") or "0x")
            return names.event(_address(log.get("address")), topics, body)

        notation = self.notation(objects)
        events = self._described("devchain_describeLogs", objects, describe)
        return [
            LogView.of(log, notation, event) for log, event in zip(objects, events, strict=True)
        ]

    def pool(self) -> object:
        """The result of `txpool_content`, or of `eth_pendingTransactions` on nodes without it."""
        try:
            return self.node.call("txpool_content")
        except errors.RpcFailure:
            return self.node.call("eth_pendingTransactions")

    def pending_nonce(self, sender: str) -> int | None:
        """The nonce of a sender's next transaction; None if the node does not say."""
        try:
            return number(self.node.call("eth_getTransactionCount", sender, "pending"))
        except errors.RpcFailure:
            return None

    # Failures

    def explain(self, tx: TransactionView) -> CallView:
        """What a transaction did: devchain says all, others the calls that they trace.

        If it failed, the reason is known in any case; nothing of a pending one.
        """
        if tx.is_pending:
            return CallView()
        answer = self._ask("devchain_explainTransaction", tx.hash)
        if answer is None:
            from devchain.client.rpc_trace import explain_traced

            with suppress(errors.DevchainError):
                answer = explain_traced(self.node, tx.hash)
        call = CallView.of(answer)
        return replace(call, reason=self._failure_reason(tx, call)) if tx.failed else call

    def explained(self, tx: TransactionView) -> TransactionView:
        """The transaction with its reason and place on one line each, if it has failed."""
        if not tx.failed:
            return tx
        call = self.explain(tx)
        return replace(tx, reason=call.brief_reason, place=call.place)

    def _failure_reason(self, tx: TransactionView, call: CallView) -> str:
        # As explained, else by calling it on the parent block.
        if call.reason and not (UNNAMED_ERROR.fullmatch(call.reason) and project_contracts()):
            return call.reason
        request = {"from": tx.sender.address.lower(), "gas": hex(tx.gas_limit), "data": tx.input}
        if tx.to:
            request["to"] = tx.to.address.lower()
        if tx.value:
            request["value"] = hex(tx.value)
        try:
            self.node.call("eth_call", request, hex(max((tx.block or 0) - 1, 0)))
        except errors.RpcFailure as failure:
            if failure.code == FACT_MISSING:
                self._known(failure)
                return call.reason or "unknown"
            again = self.error_reason(failure)
            is_better = not call.reason or again.startswith("custom error")
            return again if is_better else call.reason
        if call.reason:
            return call.reason
        if tx.gas_used == tx.gas_limit:
            return "out of gas"
        return "unknown: the same call on the parent block succeeds"

    def explain_call(
        self, failure: errors.RpcFailure, request: Json, block: object = "latest"
    ) -> CallView:
        """Why a call failed: as devchain explains it, else by the error that the node answered."""
        call = CallView.of(self._ask("devchain_explainCall", request, block))
        return replace(call, reason=self.error_reason(failure, call.reason))

    def error_reason(self, failure: errors.RpcFailure, reason: str = "") -> str:
        """A reason, if it is not known that of the error; custom errors by the project's names."""
        reason = reason or error_reason(failure)
        registry = project_contracts() if UNNAMED_ERROR.fullmatch(reason) else None
        known = registry.decode_error(revert_payload(failure.data)) if registry else None
        return shorten(f"custom error {known}", MAX_TEXT) if known else reason

    # Names

    def _described_calls(self, transactions: Sequence[Json]) -> list[str | None]:
        calls = [
            {
                key: tx[key]
                for key in (("to", "input") if tx.get("to") else ("from", "nonce", "input"))
                if tx.get(key) is not None
            }
            for tx in transactions
        ]

        def describe(names: Names, call: Json) -> str | None:
            to, data = call.get("to"), data_bytes(call.get("input") or "0x")
            return names.known_call(_address(to) if to else None, data)

        return self._described("devchain_describeCalls", calls, describe)

    def _described(
        self, method: str, objects: Sequence[Thing], describe: Callable[[Names, Thing], str | None]
    ) -> list[str | None]:
        return self._texts(self._ask(method, objects) if objects else [], objects, describe)

    def _texts(
        self,
        answer: object,
        objects: Sequence[Thing],
        describe: Callable[[Names, Thing], str | None],
    ) -> list[str | None]:
        # What the node says of these objects; if it knows no such method, the project here.
        texts: list[str | None] = [None] * len(objects)
        if isinstance(answer, list) and len(answer) == len(objects):
            return [text if isinstance(text, str) else None for text in answer]
        if answer is None and (names := project_names(self.node)):
            for index, item in enumerate(objects):
                with suppress(errors.InvalidInput):  # the node returned no hex
                    texts[index] = describe(names, item) or None
        return texts

    def _ask(self, method: str, *parameters: object) -> object:
        return self._known(self.node.batch([(method, *parameters)])[0])

    def _known(self, answer: object) -> object:
        if not isinstance(answer, errors.RpcFailure):
            return answer
        if answer.code == FACT_MISSING:
            self._warn(f"not all is shown: {answer.message}")
        return None


def notation_of(chain_id: int) -> Notation:
    """The notation of a chain: EIP-1191's addresses if the environment asks for them."""
    return Notation(chain_id, os.environ.get(EIP1191_VARIABLE, "").lower() in TRUE)


def pool_transactions(content: object) -> Iterator[Json]:
    """The transactions in a mempool's content, which nodes nest by sender and nonce or list."""
    if isinstance(content, dict) and "hash" in content:
        yield content
    elif isinstance(content, (dict, list)):
        for part in content.values() if isinstance(content, dict) else content:
            yield from pool_transactions(part)


def _addresses(objects: Iterable[object]) -> Iterator[str]:
    for item in objects:
        if isinstance(item, (list, tuple)):
            yield from _addresses(item)
        elif isinstance(item, dict):
            for name, value in item.items():
                if name in ADDRESS_MEMBERS and isinstance(value, str) and is_address(value):
                    yield value.lower()
            yield from _addresses(item.values())


def _address(text: object) -> Address:
    from devchain.types import Address

    return Address(data_bytes(text))
