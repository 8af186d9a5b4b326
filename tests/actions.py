"""What tests do to a node again and again: deploy, send, look at everything at once."""

from __future__ import annotations

from devchain.chain.block import Receipt
from devchain.node import Node
from devchain.types import Address, TransactionRequest
from tests.accounts import ALICE
from tests.contracts import init_code

AMPLE_GAS = 3_000_000


def send(node: Node, to: Address | None, data: bytes = b"", **given: object) -> bytes:
    """Send as ALICE with ample gas, unless said otherwise; the transaction's hash."""
    wanted = {"sender": ALICE, "gas": AMPLE_GAS, **given}
    return node.send(TransactionRequest(to=to, data=data, **wanted))  # type: ignore[arg-type]  # by name


def receipt_of(node: Node, transaction_hash: bytes) -> Receipt:
    """The receipt of a mined transaction."""
    mined = node.chain.receipt(transaction_hash)  # type: ignore[arg-type]  # any 32 bytes
    assert mined is not None, "not mined"
    return mined[1]


def run(node: Node, to: Address | None, data: bytes = b"", **given: object) -> Receipt:
    """Send as `send` does on a node that mines at once; the receipt."""
    return receipt_of(node, send(node, to, data, **given))


def deploy(node: Node, runtime: bytes, value: int = 0) -> Address:
    """Put a contract with that runtime code on the chain; its address."""
    created = run(node, None, init_code(runtime), value=value).contract_address
    assert created is not None, "not a creation"
    return created
