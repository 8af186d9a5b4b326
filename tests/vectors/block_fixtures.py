"""Blockchain tests as JSON files have them, of the blocks that a node has mined."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from devchain.chain.block import Block
from devchain.config import Config
from devchain.evm.headers import changed_header, encode_header, header_fields
from devchain.evm.rules import REQUEST_CONTRACTS
from devchain.node import Node
from devchain.state.rlp import wrap
from devchain.types import Address
from tests.accounts import ADDRESSES
from tests.actions import deploy, run
from tests.bytecode import assemble
from tests.conftest import GENESIS_TIME

NETWORKS = {
    "frontier": "Frontier",
    "byzantium": "Byzantium",
    "london": "London",
    "shanghai": "Shanghai",
    "cancun": "Cancun",
    "prague": "Prague",
    "osaka": "Osaka",
}
"""Names of hardforks in fixtures."""
WITH_REQUESTS = ("prague", "osaka")
"""Those whose blocks call the contracts of requests."""
STOP = assemble("STOP")
NO_ITEMS = b"\xc0"


def opened_node(hardfork: str, code: dict[Address, bytes] | None = None) -> Node:
    """A node without blocks, with contracts of that code; the default: of requests, in Prague."""
    if code is None:
        code = dict.fromkeys(REQUEST_CONTRACTS, STOP) if hardfork in WITH_REQUESTS else {}
    alloc = {f"0x{at.hex()}": {"balance": "0x0", "code": f"0x{code[at].hex()}"} for at in code}
    with TemporaryDirectory() as folder:
        path = Path(folder, "genesis.json")
        path.write_text(json.dumps({"alloc": alloc}))
        return Node(Config(hardfork=hardfork, chain_id=1, fixed_clock=GENESIS_TIME, init=str(path)))


def mined_node(hardfork: str) -> Node:
    """A node with a few blocks: a creation, a call that stores and logs, one that fails, none."""
    node = opened_node(hardfork)
    contract = deploy(node, assemble("NUMBER 0 SSTORE 0 0 LOG0 GAS 1 SSTORE STOP"))
    run(node, contract)
    run(node, contract, gas=30_000)
    node.mine()
    return node


def fixture(node: Node, others: Iterable[Address] = ()) -> dict[str, Any]:
    """The blocks of a node as a blockchain test, whose accounts are those of its genesis block.

    `others` are contracts of its genesis file.
    """
    state = node.chain.state_at(0)
    known = {*ADDRESSES, *node.chain.rules.system_contracts, *REQUEST_CONTRACTS, *others}
    pre = {
        each: {
            "balance": hex(state.balance(each)),
            "nonce": hex(state.nonce(each)),
            "code": f"0x{state.code(each).hex()}",
        }
        for each in known
        if state.balance(each) or state.code(each)
    }
    first, *blocks = node.chain.blocks_after(-1)
    return {
        "network": NETWORKS[node.config.hardfork],
        "genesisRLP": f"0x{encoded(first).hex()}",
        "pre": {
            f"0x{address.hex()}": account | {"storage": {}} for address, account in pre.items()
        },
        "blocks": [{"rlp": f"0x{encoded(each).hex()}", "blockHeader": {}} for each in blocks],
        "lastblockhash": f"0x{node.chain.head.hash.hex()}",
    }


def encoded(block: Block, **changes: Any) -> bytes:
    """RLP of a block, with other values in some fields of its header."""
    header = changed_header(block.header, **changes)
    lists = 2 if "withdrawals_root" in header_fields(header) else 1
    transactions = wrap(b"".join(tx.in_block for tx in block.transactions))
    return wrap(encode_header(header) + transactions + lists * NO_ITEMS)
