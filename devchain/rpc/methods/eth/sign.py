"""`eth_` methods that sign with a key the node holds."""

from __future__ import annotations

from devchain.node import Node
from devchain.rpc.method import rpc
from devchain.types import Address


@rpc("eth_sign")
def sign(node: Node, address: Address, message: bytes) -> bytes:
    """Signature of a message by an unlocked account: r, s and v, 65 bytes.

    It signs keccak-256 of the prefix `Ethereum Signed Message` (EIP-191), the length and the
    message. Error -32000 if the account is unknown or locked.
    """
    return node.accounts.sign_message(address, message)
