"""`devchain.chain.block_builder`: the effects of transactions, and sealed blocks."""

from __future__ import annotations

import pytest
import rlp
from eth_hash.auto import keccak

from devchain.chain import merged_mining
from devchain.chain.block import Block
from devchain.chain.transaction import decode
from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import (
    RpcFailure,
    TransactionRejected,
)
from devchain.evm.failures import Failure, FailureKind
from devchain.networks import ROOTSTOCK
from devchain.node import Node
from devchain.types import MineRequest, Tag
from tests.accounts import ALICE, ALICE_HEX, BOB, BOB_HEX, FUNDS, UNFUNDED
from tests.actions import deploy, run, send
from tests.bytecode import (
    BAD_JUMP,
    EMIT,
    FORWARD,
    INVALID,
    LOOP,
    REVERT,
    STORE,
    UNDERFLOW,
    address_word,
    assemble,
    error_payload,
    init_code,
    panic_payload,
    word,
)
from tests.chain.test_transaction import sign
from tests.conftest import GENESIS_TIME


class TestTransfers:
    def test_value(self, node: Node) -> None:
        """A transfer moves its value, increments the nonce, and costs 21000 gas."""
        receipt = run(node, UNFUNDED, value=5, gas=21_000)

        state = node.chain.state_at(Tag.LATEST)

        assert (receipt.succeeded, receipt.gas_used, receipt.failure) == (True, 21_000, None)
        assert (state.balance(UNFUNDED), state.balance(ALICE), state.nonce(ALICE)) == (
            5,
            FUNDS - 5,
            1,
        )


class TestCreations:
    def test_address(self, node: Node) -> None:
        """A created contract's address is derived from sender and nonce."""
        run(node, BOB)

        created = run(node, None, init_code(STORE), value=3).contract_address

        state = node.chain.state_at(Tag.LATEST)
        assert created == keccak(rlp.encode([ALICE, 1]))[12:]
        assert (state.code(created), state.balance(created)) == (STORE, 3)

    @pytest.mark.parametrize(
        ("code", "gas", "failure"),
        [
            pytest.param(
                assemble("0 0 REVERT"), 100_000, "execution reverted", id="constructor-reverts"
            ),
            pytest.param(INVALID, 100_000, "invalid opcode", id="constructor-invalid"),
            pytest.param(init_code(bytes(1_000)), 150_000, "out of gas", id="code-too-dear"),
            pytest.param(
                init_code(b"\xef\x00"),
                200_000,
                "invalid contract code: starts with 0xef",
                id="code-reserved",
            ),
        ],
    )
    def test_failing(self, node: Node, code: bytes, gas: int, failure: str) -> None:
        """A failed creation is mined with its reason; it moves no value and leaves no contract."""
        receipt = run(node, None, code, gas=gas, value=9)

        state = node.chain.state_at(Tag.LATEST)
        address = receipt.contract_address or UNFUNDED
        assert (receipt.succeeded, str(receipt.failure)) == (False, failure)
        assert (state.code(address), state.balance(address), state.nonce(ALICE)) == (b"", 0, 1)
        assert state.balance(ALICE) == FUNDS

    def test_too_large(self, node: Node) -> None:
        """A creation fails if its code is longer than 24576 bytes."""
        receipt = run(node, None, init_code(bytes(24_577)), gas=6_500_000)

        assert not receipt.succeeded
        assert node.chain.state_at(Tag.LATEST).code(receipt.contract_address or BOB) == b""


class TestFailures:
    @pytest.mark.parametrize(
        ("runtime", "data", "failure"),
        [
            pytest.param(REVERT, b"", "execution reverted", id="revert"),
            pytest.param(
                REVERT, error_payload("no"), "execution reverted: no", id="revert-with-reason"
            ),
            pytest.param(
                REVERT,
                panic_payload(0x11),
                "execution reverted: panic: arithmetic overflow or underflow (0x11)",
                id="panic",
            ),
            pytest.param(
                REVERT,
                b"\x12\x34\x56\x78",
                "execution reverted: custom error 0x12345678",
                id="custom-error",
            ),
            pytest.param(INVALID, b"", "invalid opcode", id="invalid"),
            pytest.param(BAD_JUMP, b"", "invalid jump destination", id="jump"),
            pytest.param(UNDERFLOW, b"", "stack underflow", id="underflow"),
            pytest.param(LOOP, word(2**255), "out of gas", id="out-of-gas"),
            pytest.param(assemble("loop: 1 @loop JUMP"), b"", "stack overflow", id="overflow"),
            pytest.param(
                assemble("1 0 0 RETURNDATACOPY"),
                b"",
                "return data out of bounds",
                id="out-of-bounds",
            ),
        ],
    )
    def test_reasons(self, node: Node, runtime: bytes, data: bytes, failure: str) -> None:
        """The receipt has the reason why the transaction failed, and the revert payload."""
        contract = deploy(node, runtime)

        receipt = run(node, contract, data, gas=300_000)

        assert receipt.failure is not None
        assert (receipt.succeeded, receipt.failure.message) == (False, failure)
        assert receipt.failure.payload == (data if runtime == REVERT else b"")

    def test_passed_on(self, node: Node) -> None:
        """A revert passed on from an inner call keeps its payload."""
        inner = deploy(node, REVERT)

        receipt = run(node, deploy(node, FORWARD), address_word(inner) + error_payload("deep"))

        assert receipt.failure == Failure(
            FailureKind.REVERT, "execution reverted: deep", error_payload("deep")
        )


class TestBlockBuilder:
    def test_a_refused_transaction_changes_nothing(self, node: Node) -> None:
        """A transaction that cannot be applied leaves the block as it was."""
        block = node.chain.new_block_builder(node.chain.head.timestamp + 1, node.miner.coinbase)
        for wrong in (sign(nonce=1), sign(value=2 * FUNDS)):
            with pytest.raises(TransactionRejected):
                block.apply_transaction(decode(wrong, 31, node.chain.rules))

        closed = block.build_block(node.chain.head, sealed=True)

        assert (closed.transactions, closed.gas_used) == ((), 0)
        assert closed.state_root == node.chain.head.state_root

    def test_gas_left(self, node: Node) -> None:
        """The gas a transaction used is subtracted from the gas left in the block."""
        block = node.chain.new_block_builder(node.chain.head.timestamp + 1, node.miner.coinbase)

        block.apply_transaction(decode(sign(gas=50_000), 31, node.chain.rules))

        assert block.gas_left == node.chain.head.gas_limit - 21_000


"""Bytes before the tail of a compressed coinbase: a byte count and a SHA-256 state."""


def mine_mixed_blocks(node: Node) -> None:
    """Mine nine blocks: with successful and failed transactions, with logs, and empty ones."""
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


def check_block(block: Block) -> None:
    """Check a block's hash and header, and verify its proof of work."""
    header = block.header
    assert block.hash == header.hash == keccak(block.raw_header)
    assert block.raw_header == rlp.encode(header)
    assert block.merged_mining is not None
    assert header.bitcoin_merged_mining_header == block.merged_mining.header
    merged_mining.verify(header.hash_for_merged_mining, header.difficulty, block.merged_mining)


class TestChain:
    def test_every_block(self, node: Node) -> None:
        """Every block except genesis is sealed, and its proof of work verifies."""
        mine_mixed_blocks(node)

        genesis, *mined = node.chain.blocks_after(-1)

        assert (genesis.merged_mining, genesis.hash) == (None, keccak(genesis.raw_header))
        assert len(mined) == 9
        for parent, block in zip([genesis, *mined], mined, strict=False):
            check_block(block)
            assert block.header.parent_hash == parent.hash

    @pytest.mark.parametrize("name", ROOTSTOCK)
    def test_every_upgrade(self, name: str) -> None:
        """Blocks are sealed with valid proofs under every network upgrade."""
        with Node(Config(hardfork=name, network="test", fixed_clock=GENESIS_TIME)) as node:
            mine_mixed_blocks(node)

            for block in node.chain.blocks_after(0):
                check_block(block)

    def test_after_a_revert(self, node: Node) -> None:
        """Blocks mined after a revert are sealed with proofs of their own."""
        run(node, BOB, value=1)
        snapshot = node.snapshots.take()
        mine_mixed_blocks(node)
        first = node.chain.block(2)
        node.revert(snapshot)
        run(node, BOB, value=2)
        mine_mixed_blocks(node)

        for block in node.chain.blocks_after(0):
            check_block(block)
        assert node.chain.block(2).hash != first.hash

    def test_same_again(self) -> None:
        """With a fixed clock the same calls give the same hashes and proofs."""
        tips = []
        for _ in range(2):
            with Node(Config(network="test", fixed_clock=GENESIS_TIME)) as node:
                mine_mixed_blocks(node)
                tips.append((node.chain.head.hash, node.chain.head.merged_mining))

        assert tips[0] == tips[1]


class TestPending:
    def test_not_sealed(self, node: Node, client: LocalClient) -> None:
        """The pending block is not sealed: it has no number, hash or proof of work."""
        node.miner.running = False
        send(node, BOB, value=1)

        block = client.call("eth_getBlockByNumber", "pending", False)

        pending = node.chain.pending()
        assert (pending.sealed, pending.merged_mining) == (False, None)
        assert (block["number"], block["hash"]) == (None, None)
        assert {block[name] for name in PROOF_FIELDS} == {"0x"}
        assert len(block["transactions"]) == 1

    def test_becomes_the_next(self, node: Node) -> None:
        """The pending block's hash for merged mining is that of the next mined block."""
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


class TestMinimumGasPrice:
    @pytest.fixture
    def config(self) -> Config:
        """A node with a minimum gas price."""
        return Config(network="test", fixed_clock=GENESIS_TIME, min_gas_price=101)

    def test_in_every_header(self, node: Node, client: LocalClient) -> None:
        """Every header has the minimum gas price, genesis included."""
        run(node, BOB, gas_price=101)
        node.mine(MineRequest(blocks=2))

        prices = [block.header.minimum_gas_price for block in node.chain.blocks_after(-1)]

        assert prices == [101] * 4
        assert client.call("eth_getBlockByNumber", "latest", False)["minimumGasPrice"] == "0x65"

    def test_on_the_wire(self, client: LocalClient) -> None:
        """The error code is that of the real node: -32010."""
        with pytest.raises(RpcFailure) as refusal:
            client.call(
                "eth_sendTransaction", {"from": ALICE_HEX, "to": BOB_HEX, "gasPrice": "0x1"}
            )

        assert refusal.value.code == -32010

    def test_earned_by_the_coinbase(self, node: Node) -> None:
        """Without REMASC the coinbase gets every fee; the header has their sum."""
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
        """An empty block has `paid_fees` of 0."""
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
