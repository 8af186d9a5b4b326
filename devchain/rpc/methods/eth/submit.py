"""`eth_` methods that send transactions."""

from __future__ import annotations

from devchain.errors import AccountUnavailable, TransactionNotFound, TransactionRejected, VmError
from devchain.node import Node
from devchain.rpc.method import rpc
from devchain.rpc.result_objects import (
    ReceiptObject,
    TransactionObject,
    pool_transaction_object,
    receipt_object,
)
from devchain.rpc.scalar_decoders import Loose
from devchain.types import Hash32, TransactionRequest


@rpc("eth_sendRawTransaction", hosted=True, slow=True, raises=(TransactionRejected, VmError))
def send_raw_transaction(node: Node, transaction: bytes) -> Hash32:
    """Send a signed transaction; its hash.

    With automatic mining the transaction is mined before the response. Error -32010, with the real
    node's message, if the mempool rejects it; -32602 if the bytes are not a transaction. With
    `--revert-on-send` a transaction that fails is an error, whose `data` has `txHash` and `data`.
    """
    return node.send_raw(transaction)


@rpc(
    "eth_sendRawTransactionSync",
    slow=True,
    raises=(TransactionRejected, TransactionNotFound, VmError),
)
def send_raw_transaction_sync(
    node: Node, transaction: bytes, timeout: Loose | None = None
) -> ReceiptObject:
    """Send a signed transaction and return its receipt (EIP-7966).

    Error -32000 with the transaction's hash if it is not mined at once: without automatic mining it
    stays in the mempool, however long `timeout` (milliseconds) is.
    """
    sent = node.send_raw(transaction)
    mined = node.chain.receipt(sent, own=True)
    if mined is None:
        raise TransactionNotFound(
            f"transaction 0x{sent.hex()} is pending: mine a block, then read its receipt"
        )
    return receipt_object(*mined)


@rpc("eth_sendTransaction", slow=True, raises=(AccountUnavailable, TransactionRejected, VmError))
def send_transaction(node: Node, request: TransactionRequest) -> Hash32:
    """Sign a transaction with an unlocked account and send it; its hash.

    Gas defaults to 90000, under Ethereum's rules to an estimate, the gas price to the lowest
    accepted, the nonce to the account's next.
    With an `authorizationList` of signed entries it is of type 4 (EIP-7702). Error -32000 if the
    account is unknown or locked, -32010 if the mempool rejects the transaction.
    """
    return node.send(request)


@rpc("eth_sendUnsignedTransaction", slow=True, raises=(TransactionRejected, VmError))
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
