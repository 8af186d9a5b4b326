"""`eth_` methods that sign with a key of the node, without sending."""

from __future__ import annotations

from eth_hash.auto import keccak

from devchain.errors import AccountUnavailable, EstimateFailed, ExecutionTimedOut, VmError
from devchain.node import Node
from devchain.rpc.method import rpc
from devchain.rpc.result_objects import JsonObject, transaction_object
from devchain.rpc.scalar_decoders import TypedData
from devchain.types import Address, TransactionRequest


@rpc("eth_sign", raises=(AccountUnavailable,))
def sign(node: Node, address: Address, message: bytes) -> bytes:
    """Sign a message with an unlocked account: r, s and v, 65 bytes.

    Signs keccak-256 of the prefix `Ethereum Signed Message` (EIP-191), the message's length and the
    message. Error -32000 if the account is unknown or locked.
    """
    return node.accounts.sign_message(address, message)


@rpc(
    "eth_signTypedData_v4",
    "eth_signTypedData",
    "eth_signTypedData_v3",
    raises=(AccountUnavailable,),
)
def sign_typed_data(node: Node, address: Address, typed: TypedData) -> bytes:
    """Sign typed data (EIP-712) with an unlocked account: r, s and v, 65 bytes.

    The data is an object with `types`, `primaryType`, `domain` and `message`, or its JSON text.
    Error -32000 if the account is unknown or locked, -32602 if the data cannot be encoded.
    """
    return node.accounts.sign_typed_data(address, typed)


@rpc("eth_signTransaction", raises=(AccountUnavailable,))
def sign_transaction(node: Node, request: TransactionRequest) -> JsonObject:
    """Sign a transaction with an unlocked account without sending it: `raw` and `tx`.

    Missing members get the defaults of `eth_sendTransaction`. Error -32000 if the account is
    unknown or locked.
    """
    signed = node.sign(request)
    return {"raw": signed.raw, "tx": transaction_object(signed)}


@rpc("eth_fillTransaction", slow=True, raises=(EstimateFailed, VmError, ExecutionTimedOut))
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
