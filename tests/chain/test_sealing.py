"""`devchain.chain.block_builder` on Rootstock: sealed blocks, proofs of work, fees."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest
import rlp
from eth_hash.auto import keccak

from devchain.chain import merged_mining
from devchain.chain.block import Block
from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import GasPriceTooHigh, GasPriceTooLow, InvalidInput, RpcFailure
from devchain.networks import ROOTSTOCK
from devchain.node import Node
from devchain.types import MineRequest, Tag
from tests.accounts import ALICE_HEX, BOB, BOB_HEX, FUNDS
from tests.actions import deploy, run, send
from tests.bytecode import EMIT, INVALID, STORE, assemble, init_code, word
from tests.conftest import GENESIS_TIME

HEADER_SIZE = 80
STATE_SIZE = 40
"""Bytes before the tail of a compressed coinbase: a count and a SHA-256 state."""


def story(node: Node) -> None:
    """Blocks with transactions that succeed and fail, with logs, and with nothing."""
    run(node, BOB, value=5)
    emitter = deploy(node, EMIT)
    run(node, emitter, word(1) + word(2) + b"data", gas_price=3)
    run(node, deploy(node, INVALID))
    node.mine(MineRequest(blocks=3))
    node.miner.running = False
    for value in (1, 2, 3):
        send(node, BOB, value=value, gas=21_000)
    node.mine(MineRequest(timestamp=node.clock.now() + 10_000))
    node.miner.running = True


def check(block: Block) -> None:
    """Raise unless the block is what its header, and the proof of work behind it, say."""
    header = block.header
    assert block.hash == header.hash == keccak(block.raw_header)
    assert block.raw_header == rlp.encode(header)
    assert block.merged_mining is not None
    assert header.bitcoin_merged_mining_header == block.merged_mining.header
    merged_mining.verify(header.hash_for_merged_mining, header.difficulty, block.merged_mining)


class TestChain:
    def test_every_block(self, node: Node) -> None:
        """Every block but the first is sealed, and its proof of work verifies."""
        story(node)

        genesis, *mined = node.chain.blocks_after(-1)

        assert (genesis.merged_mining, genesis.hash) == (None, keccak(genesis.raw_header))
        assert len(mined) == 9
        for parent, block in zip([genesis, *mined], mined, strict=False):
            check(block)
            assert block.header.parent_hash == parent.hash

    @pytest.mark.parametrize("name", ROOTSTOCK)
    def test_every_upgrade(self, name: str) -> None:
        """Blocks are sealed under every upgrade's rules."""
        with Node(Config(hardfork=name, network="test", fixed_clock=GENESIS_TIME)) as node:
            story(node)

            for block in node.chain.blocks_after(0):
                check(block)

    def test_after_a_revert(self, node: Node) -> None:
        """Blocks mined in the place of those a revert took back are sealed anew."""
        run(node, BOB, value=1)
        snapshot = node.snapshots.take()
        story(node)
        first = node.chain.block(2)
        node.revert(snapshot)
        run(node, BOB, value=2)
        story(node)

        for block in node.chain.blocks_after(0):
            check(block)
        assert node.chain.block(2).hash != first.hash

    def test_same_again(self) -> None:
        """The same calls and a fixed clock give the same proofs."""
        tips = []
        for _ in range(2):
            with Node(Config(network="test", fixed_clock=GENESIS_TIME)) as node:
                story(node)
                tips.append((node.chain.head.hash, node.chain.head.merged_mining))

        assert tips[0] == tips[1]

    def test_proof_of_another_block(self, node: Node) -> None:
        """One block's proof of work is none for another."""
        node.mine(MineRequest(blocks=2))
        first, second = node.chain.blocks_after(0)
        assert first.merged_mining is not None

        with pytest.raises(InvalidInput, match="does not carry"):
            merged_mining.verify(second.header.hash_for_merged_mining, 1, first.merged_mining)

    def test_difficulty(self, node: Node) -> None:
        """The difficulty stays 1, whatever the time between blocks."""
        story(node)

        blocks = node.chain.blocks_after(-1)

        assert {block.header.difficulty for block in blocks} == {1}
        assert [block.total_difficulty for block in blocks] == list(range(1, len(blocks) + 1))


class TestPending:
    def test_not_sealed(self, node: Node, client: LocalClient) -> None:
        """Nobody has mined the pending block: it has no proof of work."""
        node.miner.running = False
        send(node, BOB, value=1)

        block = client.call("eth_getBlockByNumber", "pending", False)

        pending = node.chain.pending()
        assert (pending.sealed, pending.merged_mining) == (False, None)
        assert (block["number"], block["hash"]) == (None, None)
        assert {block[name] for name in PROOF_FIELDS} == {"0x"}
        assert len(block["transactions"]) == 1

    def test_becomes_the_next(self, node: Node) -> None:
        """What miners commit to is the pending block's own, if nothing else happens."""
        node.miner.running = False
        send(node, BOB, value=1)
        pending = node.chain.pending()

        node.mine(MineRequest())

        mined = node.chain.head.header
        assert mined.hash_for_merged_mining == pending.header.hash_for_merged_mining


PROOF_FIELDS = (
    "bitcoinMergedMiningHeader",
    "bitcoinMergedMiningCoinbaseTransaction",
    "bitcoinMergedMiningMerkleProof",
)


def double_sha256(content: bytes) -> bytes:
    """Bitcoin's hash."""
    return sha256(sha256(content).digest()).digest()


def proof_of(block: dict[str, Any]) -> tuple[bytes, bytes, bytes]:
    """The three parts of a block object's proof of work: header, coinbase, Merkle proof."""
    header, coinbase, proof = (bytes.fromhex(block[name][2:]) for name in PROOF_FIELDS)
    return header, coinbase, proof


class TestBlockObject:
    @pytest.fixture
    def block(self, node: Node, client: LocalClient) -> dict[str, Any]:
        """A mined block as a client sees it."""
        run(node, BOB, value=1)
        found: dict[str, Any] = client.call("eth_getBlockByNumber", "latest", False)
        return found

    def test_header(self, block: dict[str, Any]) -> None:
        """The bitcoin header is from the block's time and its hash is low enough."""
        header, _, _ = proof_of(block)

        assert len(header) == HEADER_SIZE
        assert int.from_bytes(header[68:72], "little") == int(block["timestamp"], 16)
        assert int.from_bytes(double_sha256(header), "little") <= 2**256 // 3

    def test_coinbase(self, block: dict[str, Any]) -> None:
        """The coinbase carries the tag and what the block commits to, in its first chunk."""
        _, coinbase, _ = proof_of(block)
        skipped, tail = coinbase[:8], coinbase[STATE_SIZE:]

        assert skipped == bytes(8)
        assert tail.count(b"RSKBLOCK:") == 1
        assert b"RSKBLOCK:" + bytes.fromhex(block["hashForMergedMining"][2:]) in tail

    def test_merkle_root(self, block: dict[str, Any]) -> None:
        """The coinbase is the bitcoin block's only transaction: its hash is the Merkle root."""
        header, coinbase, proof = proof_of(block)

        assert (header[36:68], proof) == (double_sha256(coinbase[STATE_SIZE:]), b"")

    def test_of_genesis(self, client: LocalClient) -> None:
        """The genesis block was never mined."""
        block = client.call("eth_getBlockByNumber", "earliest", False)

        assert proof_of(block) == (b"", b"", b"")


GAS_PRICE = assemble("BASEFEE 0 MSTORE 32 0 RETURN")
"""returns the base fee"""


class TestMinimumGasPrice:
    @pytest.fixture
    def config(self) -> Config:
        """A node with a minimum gas price."""
        return Config(network="test", fixed_clock=GENESIS_TIME, min_gas_price=101)

    def test_in_every_header(self, node: Node, client: LocalClient) -> None:
        """Every block has it, the first one too."""
        run(node, BOB, gas_price=101)
        node.mine(MineRequest(blocks=2))

        prices = [block.header.minimum_gas_price for block in node.chain.blocks_after(-1)]

        assert prices == [101] * 4
        assert client.call("eth_getBlockByNumber", "latest", False)["minimumGasPrice"] == "0x65"

    def test_below(self, node: Node) -> None:
        """A lower price is refused with both figures."""
        with pytest.raises(GasPriceTooLow, match="lower than block's minimum: 100 < 101 wei"):
            send(node, BOB, gas_price=100)

    def test_cap(self, node: Node) -> None:
        """Eighty times the minimum is accepted, one wei more is refused as a mistake."""
        assert run(node, BOB, gas=21_000, gas_price=80 * 101).succeeded
        with pytest.raises(GasPriceTooHigh, match="exceeds cap: 8081 > 8080 wei"):
            send(node, BOB, gas=21_000, gas_price=80 * 101 + 1)

    def test_on_the_wire(self, client: LocalClient) -> None:
        """A refusal is the real node's: -32010."""
        with pytest.raises(RpcFailure) as refusal:
            client.call(
                "eth_sendTransaction", {"from": ALICE_HEX, "to": BOB_HEX, "gasPrice": "0x1"}
            )

        assert refusal.value.code == -32010

    def test_suggested(self, client: LocalClient) -> None:
        """The suggested price is a tenth more, rounded up."""
        assert client.call("eth_gasPrice") == hex(112)

    def test_default(self, node: Node, client: LocalClient) -> None:
        """A transaction that does not say pays the minimum."""
        sent = client.call("eth_sendTransaction", {"from": ALICE_HEX, "to": BOB_HEX})

        receipt = client.call("eth_getTransactionReceipt", sent)

        assert receipt["effectiveGasPrice"] == hex(101)

    def test_opcode(self, node: Node, client: LocalClient) -> None:
        """BASEFEE gives it, in a call with or without a gas price."""
        contract = "0x" + deploy(node, GAS_PRICE).hex()
        asked = {"from": ALICE_HEX, "to": contract, "gas": "0xffff"}

        for given in ({}, {"gasPrice": hex(101)}, {"gasPrice": "0x1"}):
            assert client.call("eth_call", {**asked, **given}) == "0x" + word(101).hex()

    def test_earned_by_the_coinbase(self, node: Node) -> None:
        """Without REMASC the coinbase gets every fee, and a block says their sum."""
        node.miner.running = False
        send(node, BOB, gas=21_000, gas_price=101)
        send(node, BOB, gas=30_000, gas_price=200)
        send(node, None, init_code(STORE), gas=200_000, gas_price=150)
        node.mine(MineRequest())

        block, state = node.chain.head, node.chain.state_at(Tag.LATEST)
        fees = sum(each.gas_used * each.gas_price for each in block.receipts)

        assert fees == block.header.paid_fees == state.balance(node.miner.coinbase)
        assert fees > 21_000 * 301
        assert state.balance(block.receipts[0].transaction.sender) == FUNDS - fees

    def test_paid_fees_of_an_empty_block(self, node: Node) -> None:
        """Nobody pays in an empty block."""
        node.mine(MineRequest())

        assert node.chain.head.header.paid_fees == 0


class TestUpgrades:
    @pytest.mark.parametrize("name", ROOTSTOCK)
    def test_transactions(self, name: str) -> None:
        """Every upgrade mines a transfer, a deployment and a call over the wire."""
        with Node(Config(hardfork=name, network="test", fixed_clock=GENESIS_TIME)) as node:
            client = LocalClient(node)
            paid = client.call(
                "eth_sendTransaction", {"from": ALICE_HEX, "to": BOB_HEX, "value": "0x5"}
            )
            code = {"from": ALICE_HEX, "data": "0x" + init_code(STORE).hex()}
            gas = client.call("eth_estimateGas", code)
            created = client.call("eth_sendTransaction", {**code, "gas": gas})
            store = client.call("eth_getTransactionReceipt", created)["contractAddress"]
            call = {"from": ALICE_HEX, "to": store, "data": "0x" + word(7).hex()}
            gas = client.call("eth_estimateGas", call)
            called = client.call("eth_sendTransaction", {**call, "gas": gas})

            receipts = [
                client.call("eth_getTransactionReceipt", each) for each in (paid, created, called)
            ]

            assert [each["status"] for each in receipts] == ["0x1"] * 3
            assert receipts[0]["gasUsed"] == hex(21_000)
            assert client.call("eth_getStorageAt", store, "0x0", "latest") == "0x" + word(7).hex()
            assert client.call("eth_getCode", store, "latest") == "0x" + STORE.hex()
