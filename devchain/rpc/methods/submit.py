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
    """Sign a message with an unlocked account: r, s and v, 65 bytes.

    Signs keccak-256 of the prefix `Ethereum Signed Message` (EIP-191), the message's length and the
    message. Error -32000 if the account is unknown or locked.
    """
    return node.accounts.sign_message(address, message)


@rpc("eth_signTypedData_v4", "eth_signTypedData", "eth_signTypedData_v3")
def sign_typed_data(node: Node, address: Address, typed: TypedData) -> bytes:
    """Sign typed data (EIP-712) with an unlocked account: r, s and v, 65 bytes.

    The data is an object with `types`, `primaryType`, `domain` and `message`, or its JSON text.
    Error -32000 if the account is unknown or locked, -32602 if the data cannot be encoded.
    """
    return node.accounts.sign_typed_data(address, typed)


@rpc("eth_signTransaction")
def sign_transaction(node: Node, request: TransactionRequest) -> JsonObject:
    """Sign a transaction with an unlocked account without sending it: `raw` and `tx`.

    Missing members get the defaults of `eth_sendTransaction`. Error -32000 if the account is
    unknown or locked.
    """
    signed = node.sign(request)
    return {"raw": signed.raw, "tx": transaction_object(signed)}


@rpc("eth_fillTransaction", slow=True)
def fill_transaction(node: Node, request: TransactionRequest) -> JsonObject:
    """Fill in the missing members of a transaction, to be signed by the client: `raw` and `tx`.

    The gas price is that of `eth_gasPrice`, nonce and fee caps get the defaults of
    `eth_sendTransaction`, the gas limit is estimated. The signature is zero in `raw` and in `tx`.
    Errors are those of `eth_estimateGas`.
    """
    filled = node.fill(request)
    unsigned = {"v": 0, "r": 0, "s": 0, "hash": keccak(filled.unsigned)}
    parity = {"yParity": 0} if filled.type else {}
    return {"raw": filled.unsigned, "tx": {**transaction_object(filled), **unsigned, **parity}}


# Sending


@rpc("eth_sendRawTransaction", hosted=True, slow=True)
def send_raw_transaction(node: Node, transaction: bytes) -> Hash32:
    """Send a signed transaction; its hash.

    With automatic mining the transaction is mined before the response. Error -32010, with the real
    node's message, if the mempool rejects it; -32602 if the bytes are not a transaction. With
    `--revert-on-send` a transaction that fails is an error, whose `data` has `txHash` and `data`.
    """
    return node.send_raw(transaction)


@rpc("eth_sendRawTransactionSync", slow=True)
def send_raw_transaction_sync(
    node: Node, transaction: bytes, timeout: Loose | None = None
) -> Slices[ReceiptObject]:
    """Send a signed transaction and return its receipt (EIP-7966).

    Without automatic mining it waits for a block with the transaction, for as many milliseconds as
    `timeout` says, at most and by default 30 seconds; error 4, whose `data` is the transaction's
    hash, if none is mined. Others are served meanwhile; in process, where there are none, it does
    not wait.
    """
    return _receipt_in_slices(node, node.send_raw(transaction), timeout)


@rpc("eth_sendTransactionSync", slow=True)
def send_transaction_sync(
    node: Node, request: TransactionRequest, timeout: Loose | None = None
) -> Slices[ReceiptObject]:
    """Sign a transaction with an unlocked account, send it and return its receipt.

    Signs as `eth_sendTransaction` does, and waits as `eth_sendRawTransactionSync`.
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
    """Sign a transaction with an unlocked account and send it; its hash.

    Gas defaults to 90000, under Ethereum's rules to an estimate, the gas price to the lowest
    accepted, the nonce to the account's next. With an `authorizationList` of signed entries it is
    of type 4 (EIP-7702). Error -32000 if the account is unknown or locked, -32010 if the mempool
    rejects the transaction.
    """
    return node.send(request)


@rpc("eth_sendUnsignedTransaction", slow=True)
def send_unsigned_transaction(node: Node, request: TransactionRequest) -> Hash32:
    """Send a transaction from any account, as if it were impersonated; its hash.

    The account may be a contract. Gas, fees and nonce have the defaults of `eth_sendTransaction`.
    """
    return node.send(request, unsigned=True)


@rpc("eth_pendingTransactions", slow=True)
def pending_transactions(node: Node) -> list[TransactionObject]:
    """Pending transactions from accounts whose keys the node has."""
    own = set(node.accounts.addresses())
    return [pool_transaction_object(tx) for tx in node.mempool.pending() if tx.sender in own]
