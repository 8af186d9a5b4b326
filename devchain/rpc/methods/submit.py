"""`eth_` methods that sign with a key of the node, and that send transactions."""

from __future__ import annotations

from eth_hash.auto import keccak

from devchain.chain.block import Block
from devchain.chain.slices import ClientWait, Slices, wait_for
from devchain.errors import TransactionPending
from devchain.node import Node
from devchain.rpc.method import rpc
from devchain.rpc.result_objects import (
    JsonObject,
    ReceiptObject,
    TransactionObject,
    pool_transaction_object,
    receipt_object,
    transaction_object,
)
from devchain.rpc.scalar_decoders import Loose, TypedData
from devchain.types import Address, Hash32, TransactionRequest

MAX_WAITING = 30_000


@rpc("eth_sign")
def sign(node: Node, address: Address, message: bytes) -> bytes:
    """Sign a message (EIP-191) with an unlocked account: r, s and v, 65 bytes.

    Error -32000: the account is unknown or locked.
    """
    return node.accounts.sign_message(address, message)


@rpc("eth_signTypedData_v4", "eth_signTypedData", "eth_signTypedData_v3")
def sign_typed_data(node: Node, address: Address, typed: TypedData) -> bytes:
    """Sign typed data (EIP-712) with an unlocked account: r, s and v, 65 bytes.

    The data has `types`, `primaryType`, `domain` and `message`. Error -32000: the account is
    unknown or locked. Error -32602: the data cannot be encoded.
    """
    return node.accounts.sign_typed_data(address, typed)


@rpc("eth_signTransaction")
def sign_transaction(node: Node, request: TransactionRequest) -> JsonObject:
    """Sign a transaction with an unlocked account and return it, unsent, as `raw` and `tx`.

    Missing members get the defaults of `eth_sendTransaction`. Error -32000: the account is unknown
    or locked.
    """
    signed = node.sign(request)
    return {"raw": signed.raw, "tx": transaction_object(signed)}


@rpc("eth_fillTransaction", slow=True)
def fill_transaction(node: Node, request: TransactionRequest) -> JsonObject:
    """Fill in the missing members of a transaction that the client will sign: `raw` and `tx`.

    The gas limit is estimated, the gas price is that of `eth_gasPrice`, and the signature is zero.
    Other members are as in `eth_sendTransaction`. Errors are those of `eth_estimateGas`.
    """
    filled = node.fill(request)
    unsigned = {"v": 0, "r": 0, "s": 0, "hash": keccak(filled.unsigned)}
    parity = {"yParity": 0} if filled.type else {}
    return {"raw": filled.unsigned, "tx": {**transaction_object(filled), **unsigned, **parity}}


# Sending


@rpc("eth_sendRawTransaction", hosted=True, slow=True)
def send_raw_transaction(node: Node, transaction: bytes) -> Hash32:
    """Send a signed transaction and return its hash.

    With automatic mining it is mined before the response. Error -32010: the mempool rejects it.
    Error -32602: the bytes are no transaction. With `--revert-on-send` a transaction that fails is
    an error, with `txHash` and `data` in its `data`.
    """
    return node.send_raw(transaction)


@rpc("eth_sendRawTransactionSync", slow=True)
def send_raw_transaction_sync(
    node: Node, transaction: bytes, timeout: Loose | None = None
) -> Slices[ReceiptObject]:
    """Send a signed transaction and return its receipt (EIP-7966).

    Without automatic mining it waits up to `timeout` milliseconds for a block with the transaction:
    30 seconds by default and at most. Error 4: none was mined; `data` is the transaction's hash. A
    node in the caller's process does not wait.
    """
    return _receipt_in_slices(node, node.send_raw(transaction), timeout)


@rpc("eth_sendTransactionSync", slow=True)
def send_transaction_sync(
    node: Node, request: TransactionRequest, timeout: Loose | None = None
) -> Slices[ReceiptObject]:
    """Sign a transaction with an unlocked account, send it and return its receipt.

    It signs as `eth_sendTransaction` does, and waits as `eth_sendRawTransactionSync` does.
    """
    return _receipt_in_slices(node, node.send(request), timeout)


def _receipt_in_slices(node: Node, sent: Hash32, milliseconds: int | None) -> Slices[ReceiptObject]:
    if node.chain.receipt(sent, own=True) is None:
        waiting = ClientWait(min(milliseconds or MAX_WAITING, MAX_WAITING) / 1_000)

        def notice(block: Block) -> None:
            if any(tx.hash == sent for tx in block.transactions):
                waiting.end()

        listeners = node.chain.block_listeners
        listeners.append(notice)
        try:
            yield from wait_for(waiting)
        finally:
            listeners.remove(notice)
    mined = node.chain.receipt(sent, own=True)
    if mined is None:
        message = f"transaction 0x{sent.hex()} is pending: mine a block, then read its receipt"
        raise TransactionPending(message, digits=sent.hex())
    return receipt_object(*mined)


@rpc("eth_sendTransaction", slow=True)
def send_transaction(node: Node, request: TransactionRequest) -> Hash32:
    """Sign a transaction with an unlocked account, send it and return its hash.

    Gas is 90000 by default, under Ethereum's rules an estimate. The default gas price is the lowest
    accepted, the default nonce the account's next. An `authorizationList` makes it type 4
    (EIP-7702). Error -32000: the account is unknown or locked. Error -32010: the mempool rejects
    the transaction.
    """
    return node.send(request)


@rpc("eth_sendUnsignedTransaction", slow=True)
def send_unsigned_transaction(node: Node, request: TransactionRequest) -> Hash32:
    """Send a transaction from any account without its key, contracts included, and return its hash.

    Defaults are those of `eth_sendTransaction`.
    """
    return node.send(request, unsigned=True)


@rpc("eth_pendingTransactions", slow=True)
def pending_transactions(node: Node) -> list[TransactionObject]:
    """The pending transactions of the node's accounts."""
    own = set(node.accounts.addresses())
    return [pool_transaction_object(tx) for tx in node.mempool.pending() if tx.sender in own]
