"""`devchain.chain.block_builder`: what a transaction leaves behind, successful or not."""

from __future__ import annotations

import pytest
import rlp
from eth_hash.auto import keccak

from devchain.chain.transaction import decode
from devchain.config import Config
from devchain.errors import TransactionRejected
from devchain.evm.failures import Failure, FailureKind
from devchain.node import Node
from devchain.types import Address, Tag
from tests.accounts import ADDRESSES, ALICE, BOB, FUNDS, NOBODY
from tests.actions import deploy, run
from tests.bytecode import (
    BAD_JUMP,
    CREATOR,
    DESTROY,
    ECHO,
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
    assemble,
    error_payload,
    init_code,
    panic_payload,
    word,
)
from tests.chain.test_transaction import sign


def as_word(address: Address) -> bytes:
    """An address as a calldata word."""
    return address.rjust(32, b"\0")


class TestTransfers:
    def test_value(self, node: Node) -> None:
        """A transfer moves its value, counts the nonce, and costs 21000 gas."""
        receipt = run(node, NOBODY, value=5, gas=21_000)

        state = node.chain.state_at(Tag.LATEST)

        assert (receipt.succeeded, receipt.gas_used, receipt.failure) == (True, 21_000, None)
        assert (state.balance(NOBODY), state.balance(ALICE), state.nonce(ALICE)) == (
            5,
            FUNDS - 5,
            1,
        )

    def test_to_oneself(self, node: Node) -> None:
        """Sending to oneself costs only the gas."""
        run(node, ALICE, value=5, gas=21_000, gas_price=1)

        assert node.chain.state_at(Tag.LATEST).balance(ALICE) == FUNDS - 21_000

    def test_to_a_contract_that_takes_none(self, node: Node) -> None:
        """A refused value stays with the sender; the nonce is used."""
        contract = deploy(node, NOT_PAYABLE)

        receipt = run(node, contract, value=5)

        state = node.chain.state_at(Tag.LATEST)
        assert (receipt.succeeded, str(receipt.failure)) == (False, "execution reverted")
        assert (state.balance(ALICE), state.balance(contract), state.nonce(ALICE)) == (FUNDS, 0, 2)


class TestCreations:
    def test_address(self, node: Node) -> None:
        """A created contract's address is the hash of sender and nonce."""
        run(node, BOB)

        created = run(node, None, init_code(STORE), value=3).contract_address

        state = node.chain.state_at(Tag.LATEST)
        assert created == keccak(rlp.encode([ALICE, 1]))[12:]
        assert (state.code(created), state.balance(created)) == (STORE, 3)

    def test_by_a_contract(self, node: Node) -> None:
        """A contract's child is named by its nonce."""
        creator = deploy(node, CREATOR)
        nonce = node.chain.state_at(Tag.LATEST).nonce(creator)

        receipt = run(node, creator, init_code(STORE))

        child = Address(keccak(rlp.encode([creator, nonce]))[12:])
        assert (receipt.contract_address, receipt.succeeded) == (None, True)
        state = node.chain.state_at(Tag.LATEST)
        assert (state.code(child), state.nonce(creator)) == (STORE, nonce + 1)

    def test_empty(self, node: Node) -> None:
        """No init code at all makes an account without code."""
        receipt = run(node, None, gas=53_000)

        assert (receipt.succeeded, receipt.gas_used) == (True, 53_000)
        assert node.chain.state_at(Tag.LATEST).code(receipt.contract_address or NOBODY) == b""

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
        """A failed creation is mined, says why, keeps the value and leaves no contract."""
        receipt = run(node, None, code, gas=gas, value=9)

        state = node.chain.state_at(Tag.LATEST)
        address = receipt.contract_address or NOBODY
        assert (receipt.succeeded, str(receipt.failure)) == (False, failure)
        assert (state.code(address), state.balance(address), state.nonce(ALICE)) == (b"", 0, 1)
        assert state.balance(ALICE) == FUNDS

    def test_too_large(self, node: Node) -> None:
        """Code over 24576 bytes is not kept."""
        receipt = run(node, None, init_code(bytes(24_577)), gas=6_500_000)

        assert not receipt.succeeded
        assert node.chain.state_at(Tag.LATEST).code(receipt.contract_address or BOB) == b""

    def test_largest(self, node: Node) -> None:
        """Code of 24576 bytes is the largest that may stay."""
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
        """The receipt says in words why the transaction failed."""
        contract = deploy(node, runtime)

        receipt = run(node, contract, data, gas=300_000)

        assert receipt.failure is not None
        assert (receipt.succeeded, receipt.failure.message) == (False, failure)
        assert receipt.failure.payload == (data if runtime == REVERT else b"")

    def test_inner_failure_is_no_failure(self, node: Node) -> None:
        """A call that fails inside a contract that carries on does not fail the transaction."""
        fragile = deploy(node, INVALID)
        calls_it = assemble(f"0 0 0 0 0 {int.from_bytes(fragile, 'big')} 10000 CALL 0 SSTORE STOP")

        assert run(node, deploy(node, calls_it)).succeeded

    def test_passed_on(self, node: Node) -> None:
        """A revert passed on from an inner call keeps its payload."""
        inner = deploy(node, REVERT)

        receipt = run(node, deploy(node, FORWARD), as_word(inner) + error_payload("deep"))

        assert receipt.failure == Failure(
            FailureKind.REVERT, "execution reverted: deep", error_payload("deep")
        )

    def test_write_in_a_static_call(self, node: Node) -> None:
        """A static call may not write: the write fails and nothing is stored."""
        store = deploy(node, STORE)

        receipt = run(node, deploy(node, STATIC_FORWARD), as_word(store) + word(1))

        assert not receipt.succeeded
        assert node.chain.state_at(Tag.LATEST).storage(store, 0) == 0

    def test_failed_writes_are_undone(self, node: Node) -> None:
        """What a transaction wrote before it ran out of gas is undone."""
        contract = deploy(node, FILL)

        assert not run(node, contract, word(50) + word(1), gas=200_000).succeeded

        state = node.chain.state_at(Tag.LATEST)
        assert [state.storage(contract, slot) for slot in range(51)] == [0] * 51


class TestLimits:
    def test_recursion(self) -> None:
        """Calls nest as deep as the rules allow; the one too many fails and the others go on."""
        node = Node(Config(network="test", gas_limit=10**10, fixed_clock=0))
        contract = deploy(node, RECURSE)

        assert run(node, contract, gas=10**9).succeeded
        assert node.chain.state_at(Tag.LATEST).storage(contract, 0) > 400

    def test_self_destruction(self, node: Node) -> None:
        """A destroyed contract's balance goes to the beneficiary."""
        contract = deploy(node, DESTROY, value=7)

        assert run(node, contract, as_word(NOBODY)).succeeded
        assert node.chain.state_at(Tag.LATEST).balance(NOBODY) == 7

    @pytest.mark.parametrize("number", range(1, 10))
    @pytest.mark.parametrize("data", [b"", b"\xff" * 200, bytes(213)], ids=["none", "ff", "zeros"])
    def test_precompiles(self, node: Node, number: int, data: bytes) -> None:
        """Sending nonsense to a precompiled contract is mined, whatever comes of it."""
        receipt = run(node, Address(number.to_bytes(20, "big")), data, gas=500_000)

        assert receipt.succeeded == (receipt.failure is None)

    def test_all_addresses_can_send(self, node: Node) -> None:
        """Each funded account signs and pays for itself."""
        for sender in ADDRESSES:
            run(node, NOBODY, value=1, sender=sender)

        assert node.chain.state_at(Tag.LATEST).balance(NOBODY) == len(ADDRESSES)

    def test_long_data(self, node: Node) -> None:
        """The longest data the pool takes can be echoed by a contract."""
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
        """What a transaction used is no longer left for the next."""
        block = node.chain.new_block_builder(node.chain.head.timestamp + 1, node.miner.coinbase)

        block.apply_transaction(decode(sign(gas=50_000), 31, node.chain.rules))

        assert block.gas_left == node.chain.head.gas_limit - 21_000
