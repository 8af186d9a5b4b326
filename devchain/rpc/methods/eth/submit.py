"""`eth_` methods that send transactions."""

from __future__ import annotations

from devchain.errors import AccountUnavailable, TransactionNotFound, TransactionRejected, VmError
from devchain.node import Node
from devchain.rpc.decoders import Loose
from devchain.rpc.method import rpc
from devchain.rpc.objects import ReceiptObject, TransactionObject, receipt_object, waiting_object
from devchain.types import Hash32, TransactionRequest


@rpc("eth_sendRawTransaction", hosted=True, raises=(TransactionRejected, VmError))
def send_raw_transaction(node: Node, transaction: bytes) -> Hash32:
    """Send a signed transaction; its hash.

    With automatic mining its receipt is readable when the hash comes back. Error -32010 with
    the real node's text if the mempool refuses it, -32602 if the bytes are not a transaction.
    """
    return node.send_raw(transaction)


@rpc("eth_sendRawTransactionSync", raises=(TransactionRejected, TransactionNotFound, VmError))
def send_raw_transaction_sync(
    node: Node, transaction: bytes, timeout: Loose | None = None
) -> ReceiptObject:
    """Send a signed transaction; its receipt (EIP-7966).

    Error -32000, naming the hash, if it waits in the mempool: then it is mined later or by hand,
    and nothing comes of waiting `timeout` milliseconds for it here.
    """
    sent = node.send_raw(transaction)
    mined = node.chain.receipt(sent)
    if mined is None:
        msg = f"transaction 0x{sent.hex()} waits in the mempool: mine it, then ask for its receipt"
        raise TransactionNotFound(msg)
    return receipt_object(*mined)


@rpc("eth_sendTransaction", raises=(AccountUnavailable, TransactionRejected, VmError))
def send_transaction(node: Node, request: TransactionRequest) -> Hash32:
    """Sign a transaction with an unlocked account and send it; its hash.

    Gas defaults to 90000, the gas price to the lowest allowed, the nonce to the next one. With an
    `authorizationList`, each entry signed, it is of type 4 (EIP-7702). Error -32000 if the account
    is unknown or locked, -32010 if the mempool refuses the transaction.
    """
    return node.send(request)


@rpc("eth_sendUnsignedTransaction", raises=(TransactionRejected, VmError))
def send_unsigned_transaction(node: Node, request: TransactionRequest) -> Hash32:
    """Send a transaction from any account, be it a contract, as if it were impersonated; its hash.

    Gas, fees and nonce default as those of `eth_sendTransaction` do.
    """
    return node.send_unsigned(request)


@rpc("eth_pendingTransactions")
def pending_transactions(node: Node) -> list[TransactionObject]:
    """Transactions that could be mined now and whose sender's key is held here."""
    own = set(node.accounts.addresses())
    return [waiting_object(tx) for tx in node.mempool.pending() if tx.sender in own]
