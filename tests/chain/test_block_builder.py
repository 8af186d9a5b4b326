"""`devchain.chain.block_builder`: the effects of transactions, and sealed blocks."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest
import rlp
from eth_hash.auto import keccak

from devchain.chain import merged_mining
from devchain.chain.block import Block
from devchain.chain.transaction import decode
from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import (
    GasPriceTooHigh,
    GasPriceTooLow,
    InvalidInput,
    RpcFailure,
    TransactionRejected,
)
from devchain.evm.failures import Failure, FailureKind
from devchain.networks import ROOTSTOCK
from devchain.node import Node
from devchain.types import Address, MineRequest, Tag
from tests.accounts import ADDRESSES, ALICE, ALICE_HEX, BOB, BOB_HEX, FUNDS, UNFUNDED
from tests.actions import deploy, run, send
from tests.bytecode import (
    BAD_JUMP,
    CREATOR,
    DESTROY,
    ECHO,
    EMIT,
    FILL,
    FORWARD,
    INVALID,
    LOOP,
    NOT_PAYABLE,
    RECURSE,
    REVERT,
    STATIC_FORWARD,
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

    def test_to_oneself(self, node: Node) -> None:
        """Sending to oneself costs only the gas."""
        run(node, ALICE, value=5, gas=21_000, gas_price=1)

        assert node.chain.state_at(Tag.LATEST).balance(ALICE) == FUNDS - 21_000

    def test_to_a_contract_that_takes_none(self, node: Node) -> None:
        """Value sent to a contract that rejects it stays with the sender; the nonce is used."""
        contract = deploy(node, NOT_PAYABLE)

        receipt = run(node, contract, value=5)

        state = node.chain.state_at(Tag.LATEST)
        assert (receipt.succeeded, str(receipt.failure)) == (False, "execution reverted")
        assert (state.balance(ALICE), state.balance(contract), state.nonce(ALICE)) == (FUNDS, 0, 2)


class TestCreations:
    def test_address(self, node: Node) -> None:
        """A created contract's address is derived from sender and nonce."""
        run(node, BOB)

        created = run(node, None, init_code(STORE), value=3).contract_address

        state = node.chain.state_at(Tag.LATEST)
        assert created == keccak(rlp.encode([ALICE, 1]))[12:]
        assert (state.code(created), state.balance(created)) == (STORE, 3)

    def test_by_a_contract(self, node: Node) -> None:
        """The address of a contract created by a contract is derived from the creator's nonce."""
        creator = deploy(node, CREATOR)
        nonce = node.chain.state_at(Tag.LATEST).nonce(creator)

        receipt = run(node, creator, init_code(STORE))

        child = Address(keccak(rlp.encode([creator, nonce]))[12:])
        assert (receipt.contract_address, receipt.succeeded) == (None, True)
        state = node.chain.state_at(Tag.LATEST)
        assert (state.code(child), state.nonce(creator)) == (STORE, nonce + 1)

    def test_empty(self, node: Node) -> None:
        """A creation without init code makes an account without code."""
        receipt = run(node, None, gas=53_000)

        assert (receipt.succeeded, receipt.gas_used) == (True, 53_000)
        assert node.chain.state_at(Tag.LATEST).code(receipt.contract_address or UNFUNDED) == b""

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

    def test_largest(self, node: Node) -> None:
        """A contract may have 24576 bytes of code."""
        receipt = run(node, None, init_code(bytes(24_576)), gas=6_500_000)

        assert receipt.succeeded
        assert len(node.chain.state_at(Tag.LATEST).code(receipt.contract_address or BOB)) == 24_576


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

    def test_inner_failure_is_no_failure(self, node: Node) -> None:
        """A transaction succeeds if its contract ignores the failure of an inner call."""
        fragile = deploy(node, INVALID)
        calls_it = assemble(f"0 0 0 0 0 {int.from_bytes(fragile, 'big')} 10000 CALL 0 SSTORE STOP")

        assert run(node, deploy(node, calls_it)).succeeded

    def test_passed_on(self, node: Node) -> None:
        """A revert passed on from an inner call keeps its payload."""
        inner = deploy(node, REVERT)

        receipt = run(node, deploy(node, FORWARD), address_word(inner) + error_payload("deep"))

        assert receipt.failure == Failure(
            FailureKind.REVERT, "execution reverted: deep", error_payload("deep")
        )

    def test_write_in_a_static_call(self, node: Node) -> None:
        """A write inside a static call fails, and nothing is stored."""
        store = deploy(node, STORE)

        receipt = run(node, deploy(node, STATIC_FORWARD), address_word(store) + word(1))

        assert not receipt.succeeded
        assert node.chain.state_at(Tag.LATEST).storage(store, 0) == 0

    def test_failed_writes_are_undone(self, node: Node) -> None:
        """The writes of a transaction that runs out of gas are undone."""
        contract = deploy(node, FILL)

        assert not run(node, contract, word(50) + word(1), gas=200_000).succeeded

        state = node.chain.state_at(Tag.LATEST)
        assert [state.storage(contract, slot) for slot in range(51)] == [0] * 51


class TestLimits:
    def test_recursion(self) -> None:
        """Calls nest up to the depth limit; the call beyond it fails, and the others go on."""
        node = Node(Config(network="test", gas_limit=10**10, fixed_clock=0))
        contract = deploy(node, RECURSE)

        assert run(node, contract, gas=10**9).succeeded
        assert node.chain.state_at(Tag.LATEST).storage(contract, 0) > 400

    def test_self_destruction(self, node: Node) -> None:
        """A destroyed contract's balance goes to the beneficiary."""
        contract = deploy(node, DESTROY, value=7)

        assert run(node, contract, address_word(UNFUNDED)).succeeded
        assert node.chain.state_at(Tag.LATEST).balance(UNFUNDED) == 7

    @pytest.mark.parametrize("number", range(1, 10))
    @pytest.mark.parametrize("data", [b"", b"\xff" * 200, bytes(213)], ids=["none", "ff", "zeros"])
    def test_precompiles(self, node: Node, number: int, data: bytes) -> None:
        """A transaction with invalid input to a precompiled contract is mined."""
        receipt = run(node, Address(number.to_bytes(20, "big")), data, gas=500_000)

        assert receipt.succeeded == (receipt.failure is None)

    def test_all_addresses_can_send(self, node: Node) -> None:
        """Each funded account can sign and send a transaction."""
        for sender in ADDRESSES:
            run(node, UNFUNDED, value=1, sender=sender)

        assert node.chain.state_at(Tag.LATEST).balance(UNFUNDED) == len(ADDRESSES)

    def test_long_data(self, node: Node) -> None:
        """A transaction with 130,000 bytes of data is mined."""
        echo = deploy(node, ECHO)

        assert run(node, echo, bytes(130_000), gas=2_000_000).succeeded


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


HEADER_SIZE = 80
STATE_SIZE = 40
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

    def test_proof_of_another_block(self, node: Node) -> None:
        """A proof of work of one block does not verify for another."""
        node.mine(MineRequest(blocks=2))
        first, second = node.chain.blocks_after(0)
        assert first.merged_mining is not None

        with pytest.raises(InvalidInput, match="does not carry"):
            merged_mining.verify(second.header.hash_for_merged_mining, 1, first.merged_mining)

    def test_difficulty(self, node: Node) -> None:
        """The difficulty stays 1 for any time between blocks."""
        mine_mixed_blocks(node)

        blocks = node.chain.blocks_after(-1)

        assert {block.header.difficulty for block in blocks} == {1}
        assert [block.total_difficulty for block in blocks] == list(range(1, len(blocks) + 1))


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


def double_sha256(content: bytes) -> bytes:
    """Bitcoin's hash: SHA-256 of SHA-256."""
    return sha256(sha256(content).digest()).digest()


def proof_of(block: dict[str, Any]) -> tuple[bytes, bytes, bytes]:
    """The three parts of a block object's proof of work: header, coinbase, Merkle proof."""
    header, coinbase, proof = (bytes.fromhex(block[name][2:]) for name in PROOF_FIELDS)
    return header, coinbase, proof


class TestBlockObject:
    @pytest.fixture
    def block(self, node: Node, client: LocalClient) -> dict[str, Any]:
        """A mined block as `eth_getBlockByNumber` returns it."""
        run(node, BOB, value=1)
        found: dict[str, Any] = client.call("eth_getBlockByNumber", "latest", False)
        return found

    def test_header(self, block: dict[str, Any]) -> None:
        """The bitcoin header has the block's timestamp, and its hash meets the target."""
        header, _, _ = proof_of(block)

        assert len(header) == HEADER_SIZE
        assert int.from_bytes(header[68:72], "little") == int(block["timestamp"], 16)
        assert int.from_bytes(double_sha256(header), "little") <= 2**256 // 3

    def test_coinbase(self, block: dict[str, Any]) -> None:
        """The uncompressed coinbase has the tag once, followed by the hash for merged mining."""
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
        """The genesis block has no proof of work."""
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
        """Every header has the minimum gas price, genesis included."""
        run(node, BOB, gas_price=101)
        node.mine(MineRequest(blocks=2))

        prices = [block.header.minimum_gas_price for block in node.chain.blocks_after(-1)]

        assert prices == [101] * 4
        assert client.call("eth_getBlockByNumber", "latest", False)["minimumGasPrice"] == "0x65"

    def test_below(self, node: Node) -> None:
        """A lower gas price is rejected; the message has both prices."""
        with pytest.raises(GasPriceTooLow, match="lower than block's minimum: 100 < 101 wei"):
            send(node, BOB, gas_price=100)

    def test_cap(self, node: Node) -> None:
        """A gas price of 80 times the minimum is accepted, one wei more is rejected."""
        assert run(node, BOB, gas=21_000, gas_price=80 * 101).succeeded
        with pytest.raises(GasPriceTooHigh, match="exceeds cap: 8081 > 8080 wei"):
            send(node, BOB, gas=21_000, gas_price=80 * 101 + 1)

    def test_on_the_wire(self, client: LocalClient) -> None:
        """The error code is that of the real node: -32010."""
        with pytest.raises(RpcFailure) as refusal:
            client.call(
                "eth_sendTransaction", {"from": ALICE_HEX, "to": BOB_HEX, "gasPrice": "0x1"}
            )

        assert refusal.value.code == -32010

    def test_suggested(self, client: LocalClient) -> None:
        """`eth_gasPrice` is the minimum plus a tenth, rounded up."""
        assert client.call("eth_gasPrice") == hex(112)

    def test_default(self, node: Node, client: LocalClient) -> None:
        """A transaction without a gas price pays the minimum."""
        sent = client.call("eth_sendTransaction", {"from": ALICE_HEX, "to": BOB_HEX})

        receipt = client.call("eth_getTransactionReceipt", sent)

        assert receipt["effectiveGasPrice"] == hex(101)

    def test_opcode(self, node: Node, client: LocalClient) -> None:
        """BASEFEE returns the minimum gas price, in a call with or without a gas price."""
        contract = "0x" + deploy(node, GAS_PRICE).hex()
        request = {"from": ALICE_HEX, "to": contract, "gas": "0xffff"}

        for given in ({}, {"gasPrice": hex(101)}, {"gasPrice": "0x1"}):
            assert client.call("eth_call", {**request, **given}) == "0x" + word(101).hex()

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
