"""Common actions of tests on a node: send a transaction, deploy code, compare nodes."""

from __future__ import annotations

from devchain.chain.block import Receipt
from devchain.chain.slices import finish
from devchain.node import Node
from devchain.types import Address, LogQuery, Tag, TransactionRequest
from tests.accounts import ADDRESSES, ALICE
from tests.bytecode import init_code

AMPLE_GAS = 3_000_000


def send(node: Node, to: Address | None, data: bytes = b"", **fields: object) -> bytes:
    """Send a transaction, by default from ALICE with ample gas; returns its hash."""
    values = {"sender": ALICE, "gas": AMPLE_GAS, **fields}
    return node.send(TransactionRequest(to=to, data=data, **values))  # type: ignore[arg-type]  # by name


def receipt_of(node: Node, transaction_hash: bytes) -> Receipt:
    """The receipt of a mined transaction."""
    mined = node.chain.receipt(transaction_hash)  # type: ignore[arg-type]  # any 32 bytes
    assert mined is not None, "not mined"
    return mined[1]


def run(node: Node, to: Address | None, data: bytes = b"", **fields: object) -> Receipt:
    """`send` on a node that mines at once; returns the receipt."""
    return receipt_of(node, send(node, to, data, **fields))


def deploy(node: Node, runtime: bytes, value: int = 0) -> Address:
    """Deploy a contract with that runtime code; returns its address."""
    created = run(node, None, init_code(runtime), value=value).contract_address
    assert created is not None, "not a creation"
    return created


def fingerprint(node: Node) -> dict[str, object]:
    """Everything a client can read of a node, for comparison."""
    blocks = node.chain.blocks_after(-1)
    state = node.chain.state_at(Tag.LATEST)
    touched = {*ADDRESSES, *node.accounts.addresses(), node.miner.coinbase}
    touched |= {each.contract_address for block in blocks for each in block.receipts} - {None}
    return {
        "blocks": [block.hash for block in blocks],
        "receipts": [node.chain.receipt(tx.hash) for block in blocks for tx in block.transactions],
        "logs": node.logs(LogQuery(from_block=0)),
        "accounts": {
            each: (state.balance(each), state.nonce(each), state.code(each), state.storage(each, 0))
            for each in touched
        },
        "pending": node.chain.pending().hash,
        "pool": (node.mempool.pending(), node.mempool.queued(), list(node.mempool.arrivals)),
        "time": (node.clock.now(), node.clock.offset, node.clock.step),
        "mining": (node.miner.checkpoint(), node.chain.checkpoint().next_block_overrides),
        "keys": node.accounts.checkpoint(),
        "filters": {
            key: (each.kind, each.cursor, each.selects, each.first)
            for key, each in sorted(node.filters._polled.items())
        },
    }


def reopen(node: Node) -> Node:
    """Close a node and start one on the same data dir."""
    node.close()
    return Node(node.config)


def kill(node: Node) -> None:
    """Release a node's data dir without writing anything more, as the end of its process does."""
    persistence = node._persistence
    data_dir, persistence._data_dir = persistence._data_dir, None
    assert data_dir
    data_dir.close()


def install_filter(node: Node, query: LogQuery) -> int:
    """Install a log filter; its id."""
    return finish(node.search.install_filter(query))
