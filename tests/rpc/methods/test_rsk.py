"""`devchain.rpc.methods.rsk`"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import rlp
from eth_hash.auto import keccak

from devchain.chain.block import Block
from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.node import Node
from devchain.rpc.methods.rsk import get_storage_bytes_at
from devchain.types import BlockHash, Tag
from tests.accounts import ADDRESSES, ALICE_HEX, BOB, BOB_HEX
from tests.actions import deploy, run, send
from tests.bytecode import EMIT, REVERT, STORE, word
from tests.conftest import GENESIS_TIME
from tests.merkle import prove, root_of_list

METHOD = "rsk_getTransactionReceiptNodesByHash"
UNKNOWN = "0x" + "ab" * 32
HARDFORKS = ["vetiver", "orchid", "frontier", "berlin", "prague"]


@pytest.fixture(params=HARDFORKS)
def busy(request: pytest.FixtureRequest) -> Node:
    """A chain with receipts of all kinds, under that hardfork."""
    node = Node(Config(hardfork=request.param, fixed_clock=GENESIS_TIME, mining=False))
    price = 10**10
    for sender in ADDRESSES[:3]:
        for _ in range(6):
            send(node, BOB, sender=sender, value=1, gas=30_000, gas_price=price)
    node.miner.mine()
    node.start_mining()
    emitter, reverting = deploy(node, EMIT), deploy(node, REVERT)
    run(node, emitter, word(1) + word(2), gas_price=price)
    run(node, reverting, gas_price=price)
    if 1 in node.chain.rules.transaction_types:
        run(node, emitter, word(1), type=1, gas_price=price)
    return node


@pytest.fixture
def busy_client(busy: Node) -> LocalClient:
    """A client of that chain."""
    return LocalClient(busy)


def raw(text: str) -> bytes:
    """The bytes of DATA."""
    return bytes.fromhex(text[2:])


def blocks_of(node: Node) -> Sequence[Block]:
    """The blocks of a chain."""
    return node.chain.blocks_after(-1)


def shown(raw_bytes: bytes) -> str:
    """DATA of those bytes."""
    return "0x" + raw_bytes.hex()


class TestRawHeader:
    def test_hashes(self, busy: Node, busy_client: LocalClient) -> None:
        """Keccak-256 of every header is the block's hash, and its fields are the block's."""
        for block in blocks_of(busy):
            header = raw(busy_client.call("rsk_getRawBlockHeaderByHash", shown(block.hash)))
            fields = rlp.decode(header)

            assert keccak(header) == block.hash
            assert raw(busy_client.call("rsk_getRawBlockHeaderByNumber", block.number)) == header
            assert (fields[0], fields[3]) == (block.parent_hash, block.state_root)

    @pytest.mark.parametrize("tag", list(Tag))
    def test_tags(self, busy: Node, busy_client: LocalClient, tag: Tag) -> None:
        """A tag names a block as everywhere."""
        header = raw(busy_client.call("rsk_getRawBlockHeaderByNumber", tag))

        assert keccak(header) == busy.chain.block(tag).hash

    @pytest.mark.parametrize("block", ["0x99", 2**64 - 1, UNKNOWN, {"blockHash": UNKNOWN}])
    def test_unknown(self, client: LocalClient, block: object) -> None:
        """An unknown block is null."""
        assert client.call("rsk_getRawBlockHeaderByNumber", block) is None
        assert client.call("rsk_getRawBlockHeaderByHash", UNKNOWN) is None


class TestRawBlock:
    def test_parts(self, busy: Node, busy_client: LocalClient) -> None:
        """A block has its header, its transactions and no uncles; with its receipts it is whole."""
        for block in blocks_of(busy):
            encoded = raw(busy_client.call("debug_getRawBlock", block.number))
            receipts = busy_client.call("debug_getRawReceipts", block.number)
            header, transactions, uncles, *withdrawals = rlp.decode(encoded)

            assert (rlp.encode(header), len(encoded)) == (block.raw_header, block.size)
            assert len(transactions) == len(block.transactions)
            assert (uncles, withdrawals) in [([], []), ([], [[]])]
            assert root_of_list(list(map(raw, receipts))) == block.header.receipt_root

    def test_unknown(self, client: LocalClient) -> None:
        """An unknown block is null."""
        assert client.call("debug_getRawBlock", "0x99") is None
        assert client.call("debug_getRawReceipts", UNKNOWN) is None


class TestRawReceipt:
    def test_root(self, busy: Node, busy_client: LocalClient) -> None:
        """The receipts of a block make its `receiptsRoot`."""
        for block in blocks_of(busy):
            receipts = [
                raw(busy_client.call("rsk_getRawTransactionReceiptByHash", shown(tx.hash)))
                for tx in block.transactions
            ]

            assert root_of_list(receipts) == block.header.receipt_root

    def test_decodes(self, busy: Node, busy_client: LocalClient) -> None:
        """Each decodes to what the receipt object says."""
        for each in (shown(tx.hash) for block in blocks_of(busy) for tx in block.transactions):
            receipt = busy_client.call("eth_getTransactionReceipt", each)
            encoded = raw(busy_client.call("rsk_getRawTransactionReceiptByHash", each))

            decoded = rlp.decode(encoded[int(receipt["type"] != "0x0") :])
            outcome, gas, bloom, logs, *more = decoded

            expected = receipt.get("root") or {"0x1": "0x01", "0x0": "0x"}[receipt["status"]]
            assert (outcome, bloom) == (raw(expected), raw(receipt["logsBloom"]))
            assert int.from_bytes(gas, "big") == int(receipt["cumulativeGasUsed"], 16)
            if more:
                gas_used, again = more
                assert (int.from_bytes(gas_used), again) == (int(receipt["gasUsed"], 16), outcome)
            assert [[address, data] for address, _, data in logs] == [
                [raw(log["address"]), raw(log["data"])] for log in receipt["logs"]
            ]

    def test_unknown(self, client: LocalClient) -> None:
        """A transaction that is unknown, or waits, is null."""
        client.call("evm_stopMining")
        waiting = client.call("eth_sendTransaction", {"from": ALICE_HEX, "to": BOB_HEX})

        assert client.call("rsk_getRawTransactionReceiptByHash", UNKNOWN) is None
        assert client.call("rsk_getRawTransactionReceiptByHash", waiting) is None

    def test_remasc(self) -> None:
        """The closing transaction of REMASC has its receipt in the trie."""
        node = Node(Config(remasc=True, fixed_clock=GENESIS_TIME))
        run(node, BOB, value=1)

        self.test_root(node, LocalClient(node))
        assert len(node.chain.head.transactions) == 2


class TestReceiptNodes:
    def test_proves(self, busy: Node, busy_client: LocalClient) -> None:
        """The nodes lead from the root, the last, to the receipt, in the first."""
        for block in blocks_of(busy):
            root = block.header.receipt_root
            for index, tx in enumerate(block.transactions):
                listed = busy_client.call(METHOD, shown(block.hash), shown(tx.hash))
                receipt = raw(
                    busy_client.call("rsk_getRawTransactionReceiptByHash", shown(tx.hash))
                )
                nodes = [raw(node) for node in listed]

                assert prove(root, rlp.encode(index), nodes) == receipt
                assert keccak(nodes[-1]) == root
                assert receipt in nodes[0]

    def test_depth(self, busy: Node, busy_client: LocalClient) -> None:
        """A block of many transactions has proofs of several nodes."""
        block = busy.chain.block(1)

        nodes = busy_client.call(METHOD, shown(block.hash), shown(block.transactions[17].hash))

        assert len(nodes) == 3

    def test_not_in_the_block(self, busy: Node, busy_client: LocalClient) -> None:
        """A transaction of another block and an unknown block are null."""
        genesis, first, second, *_ = (shown(block.hash) for block in blocks_of(busy))
        sent = shown(busy.chain.block(1).transactions[0].hash)

        answers = [busy_client.call(METHOD, block, sent) for block in (genesis, second, UNKNOWN)]
        assert answers == [None] * 3
        assert busy_client.call(METHOD, first, UNKNOWN) is None


class TestGetStorageBytesAt:
    @pytest.mark.parametrize(
        ("value", "expected"),
        [(0, "0x0"), (1, "0x01"), (0x100, "0x0100"), (2**256 - 1, "0x" + "ff" * 32)],
        ids=["zero", "one", "two bytes", "full"],
    )
    def test_bytes(self, client: LocalClient, node: Node, value: int, expected: str) -> None:
        """A slot comes without leading zeros; an empty one as the real node shows it."""
        store = deploy(node, STORE)
        run(node, store, word(value))

        assert client.call("rsk_getStorageBytesAt", "0x" + store.hex(), "0x0") == expected

    def test_at_a_block(self, node: Node) -> None:
        """The block says when."""
        store = deploy(node, STORE)
        before = BlockHash(node.chain.head.hash)
        run(node, store, word(5))

        found = [get_storage_bytes_at(node, store, 0, block) for block in (before, 2)]
        assert found == ["0x0", b"\x05"]
