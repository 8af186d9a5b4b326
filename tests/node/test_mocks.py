"""`devchain.node.mocks` and `devchain.evm.mocks`"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from eth_abi.abi import encode
from eth_hash.auto import keccak

from devchain.config import Config
from devchain.contracts.contract import Contract
from devchain.errors import ExecutionReverted, InvalidInput
from devchain.node import Node
from devchain.node.dump import unpack
from devchain.types import Address, TransactionRequest

CONTRACTS = Path(__file__).parents[2] / "examples" / "property" / "contracts"
BRIDGE = bytes.fromhex("0000000000000000000000000000000001000006")
ABSENT = b"\xab" * 20


@pytest.fixture(params=["fast", "reference"])
def mocked(request: pytest.FixtureRequest) -> Iterator[Node]:
    """A node on each engine."""
    with Node(Config(engine=request.param, artifacts=(str(CONTRACTS),))) as node:
        yield node


@pytest.fixture
def bank(mocked: Node) -> Contract:
    """A bank."""
    return mocked.deploy("Bank")


@pytest.fixture
def customer(mocked: Node, bank: Contract) -> Contract:
    """A contract that calls the bank."""
    return mocked.deploy("Customer", bank)


class TestMockCall:
    def test_returns(self, mocked: Node, bank: Contract) -> None:
        """A function returns the value, for any arguments or for some; clearing ends it."""
        alice, bob = mocked.funded_accounts[:2]
        mocked.mock_call(bank.total, returns=5)
        mocked.mock_call(bank.credit, returns=1)
        mocked.mock_call(bank.credit, arguments=(bob,), returns=7)

        assert (bank.total(), bank.credit(alice), bank.credit(bob)) == (5, 1, 7)
        mocked.mock_call(bank.credit, arguments=(bob,), returns=8)
        assert bank.credit(bob) == 8
        mocked.clear_mocks()
        assert (bank.total(), bank.credit(alice), bank.credit(bob)) == (0, 0, 0)

    def test_between_contracts(self, mocked: Node, bank: Contract, customer: Contract) -> None:
        """Calls from contracts in transactions are answered, and coins move; traces see it too."""
        mocked.mock_call(bank.deposit)

        mined = customer.deposit(value=9)
        assert (bank.total(), bank.contract.balance) == (0, 9)
        mocked.clear_mocks()
        tree = mocked.call_tree(mined)
        assert "Bank.deposit() {value: 9 wei} [0 gas]" in tree
        customer.deposit(value=1)
        assert (bank.total(), bank.contract.balance) == (1, 10)

    def test_value(self, mocked: Node, bank: Contract) -> None:
        """With a value only calls that send it are answered."""
        mocked.mock_revert(bank.deposit, value=3, error="not three")

        bank.deposit(value=2)
        with pytest.raises(ExecutionReverted, match="not three"):
            bank.deposit(value=3)

    def test_precompiled(self, mocked: Node) -> None:
        """The Bridge and Ethereum's precompiled contracts are mocked like others."""
        mocked.mock_call(BRIDGE, "getBtcBlockchainBestChainHeight()", returns=(77).to_bytes(32))
        mocked.mock_call((2).to_bytes(20), returns=b"\x01" * 32)

        client = mocked.contract(
            [
                {
                    "type": "function",
                    "name": "getBtcBlockchainBestChainHeight",
                    "inputs": [],
                    "outputs": [{"name": "", "type": "int32"}],
                    "stateMutability": "view",
                }
            ],
            BRIDGE,
        )
        assert client.getBtcBlockchainBestChainHeight() == 77

    def test_account_without_code(self, mocked: Node) -> None:
        """An account without code gets some: contracts may call it."""
        mocked.mock_call(ABSENT, "0x01", returns="0x02")

        assert mocked.at().code(ABSENT) == b"\0"
        assert mocked.transact(to=ABSENT, data=b"\x01\x02").status == 1

    def test_snapshots_and_copies(self, mocked: Node, bank: Contract) -> None:
        """Mocks are part of snapshots, copies and resets."""
        with mocked.snapshot():
            mocked.mock_call(bank.total, returns=5)
            with mocked.copy() as copied:
                assert copied.contract("Bank", bank).total() == 5
                copied.clear_mocks()
            assert bank.total() == 5
        assert bank.total() == 0
        mocked.mock_call(bank.total, returns=5)
        mocked.reset()
        assert not mocked.chain.mocks.ordered

    def test_signature_with_results(self, mocked: Node, bank: Contract) -> None:
        """A signature may have the types of what is returned, as `devchain call` takes it."""
        mocked.mock_call(bank, "total()(uint)", returns=6)
        pair = "pair(uint256)(uint256, (address,string)[])"
        mocked.mock_call(ABSENT, pair, returns=(1, [(ABSENT, "a")]))

        assert bank.total() == 6
        answered = mocked.call(
            TransactionRequest(to=Address(ABSENT), data=keccak(b"pair(uint256)")[:4])
        )
        assert answered == encode(["uint256", "(address,string)[]"], [1, [(ABSENT, "a")]])

    @pytest.mark.parametrize(
        ("call", "returns", "text"),
        [
            ("total()", 7, r"7 is encoded by a type: write it behind the signature, total\(\)\(u"),
            ("paused()", True, r"True is encoded by a type: .*, paused\(\)\(bool\)"),
            ("total()(uint256)", "x", r"wrong value returned by total\(\): want uint256, got 'x'"),
            (
                "total()(uint256)",
                None,
                r"wrong value returned by total\(\): want uint256, got None",
            ),
            ("two()(uint256,bool)", 1, r"two\(\) returns 2 values: give a tuple of them"),
            ("two()(uint256,bool)", (1, True, 2), r"two\(\) returns 2 values, got 3"),
            ("total()(uint257)", 1, "is not a signature; write it like"),
            ("total()uint256", 1, "is not a signature; write it like"),
            ("total()(uint256)[]", 1, "is not a signature; write it like"),
            ("total()(uint256", 1, "is not a signature; write it like"),
        ],
    )
    def test_wrong_results(self, mocked: Node, call: str, returns: object, text: str) -> None:
        """What a signature's types do not fit is named, and as what is returned."""
        with pytest.raises(InvalidInput, match=text):
            mocked.mock_call(ABSENT, call, returns=returns)

    @pytest.mark.parametrize(
        ("target", "call", "text"),
        [
            (5, None, r"target 5 is neither a function nor an address: .* without calling it"),
            ("bank", None, "returns: 5 is encoded as the type .* such as oracle.price"),
            ("bank", "total", r"call 'total' names no function: .* such as total\(\), call data"),
            ("bank", "credit", r"give its signature, such as credit\(address\), call data"),
            ("bank", "totl", r"Bank has no function totl: did you mean total\?"),
            ("bank", "totl()", r"Bank has no function totl\(\): did you mean total\(\)\?"),
            ("bank", "credit()(uint256)", r"did you mean credit\(address\)\?"),
            ("bank", "no name", "call 'no name' names no function: give its signature, call data"),
        ],
    )
    def test_wrong_targets(
        self, mocked: Node, bank: Contract, target: object, call: str, text: str
    ) -> None:
        """What is no function is said to be none, before what it should return."""
        with pytest.raises(InvalidInput, match=text):
            mocked.mock_call(bank if target == "bank" else target, call, returns=5)

    def test_several_values(self, mocked: Node, bank: Contract) -> None:
        """Wrong answers and targets are refused."""
        with pytest.raises(
            InvalidInput, match=r"wrong value returned by total\(\): want uint256, got 'much'"
        ):
            mocked.mock_call(bank.total, returns="much")
        with pytest.raises(InvalidInput, match=r"then the rest by name: arguments="):
            mocked.mock_call(bank.total, "total()", returns=1)
        with pytest.raises(InvalidInput, match=r"then the rest by name: arguments="):
            mocked.expect_call(bank.credit, ABSENT, 5)
        with pytest.raises(InvalidInput, match="count '2' is a str: give a whole number"):
            mocked.expect_call(bank.credit, count="2")
        with pytest.raises(InvalidInput, match=r"error=\.\.\. of mock_revert"):
            mocked.mock_revert(bank.credit, 5)
        safe = mocked.deploy("Safe")
        with pytest.raises(
            InvalidInput, match=r"NotOwner\(address caller\): mock_revert\(function, 'NotOwner', "
        ):
            mocked.mock_revert(safe.propose, error="NotOwner")
        with pytest.raises(InvalidInput, match="arguments are encoded by a function"):
            mocked.mock_call(bank, "total()", arguments=(1,), returns=b"")
        with pytest.raises(InvalidInput, match="is no error of"):
            mocked.mock_revert(bank.total, None, 5, error="NotOwner")

    def test_plain_path(self) -> None:
        """Without mocks the classes that run are those of a node that never had any."""
        with Node() as node:
            kind = node.chain.vm_class
            node.mock_call(ABSENT, returns=b"\x01")
            assert node.chain.vm_class is not kind
            node.clear_mocks()
            assert node.chain.vm_class is kind


class TestMockRevert:
    def test_reasons(self, mocked: Node, customer: Contract, bank: Contract) -> None:
        """Text, bytes and custom errors are the reason, also of callers that pass it on."""
        mocked.mock_revert(bank.deposit, "closed on Sundays")
        with pytest.raises(ExecutionReverted, match="closed on Sundays"):
            customer.deposit(value=1)
        safe = mocked.deploy("Safe")
        mocked.mock_revert(safe.propose, "NotOwner", ABSENT)
        with pytest.raises(ExecutionReverted) as raised:
            safe.propose(ABSENT)
        mocked.mock_revert(bank, error=b"\x01\x02")

        assert raised.value.custom_error is not None
        assert raised.value.custom_error["caller"] == ABSENT
        with pytest.raises(ExecutionReverted):
            bank.total()


class TestExpectCall:
    def test_calls(self, mocked: Node, bank: Contract, customer: Contract) -> None:
        """Calls between contracts and direct ones are found, by value and number."""
        with mocked.expect_call(bank.deposit, count=2) as expected:
            customer.deposit(value=5)
            bank.deposit(value=6)
        with mocked.expect_call(bank.deposit, value=5), mocked.expect_call(bank):
            customer.deposit(value=5)

        assert [each.value for each in expected.frames] == [5, 6]

    @pytest.mark.parametrize(
        ("expected", "text"),
        [
            ({"count": 2}, "expected 2 calls .* got 1"),
            ({"count": 0}, "expected 0 calls .* got 1"),
            (
                {"value": 4},
                "expected a call .* got 0 in transactions .calls of view functions from",
            ),
        ],
    )
    def test_missing(
        self, mocked: Node, bank: Contract, expected: dict[str, int], text: str
    ) -> None:
        """Too few and too many calls are an error that counts them."""
        with (
            pytest.raises(AssertionError, match=text),
            mocked.expect_call(bank.deposit, **expected),
        ):
            bank.deposit(value=5)

    def test_other_errors(self, mocked: Node, bank: Contract) -> None:
        """An error of the block of code is left alone; reverted calls do not count."""
        with pytest.raises(ExecutionReverted, match="no credit"), mocked.expect_call(bank.deposit):
            bank.withdraw()
        with (
            pytest.raises(AssertionError),
            mocked.expect_call(bank.withdraw),
            pytest.raises(ExecutionReverted),
        ):
            bank.withdraw()


class TestPersistence:
    def mine(self, node: Node) -> None:
        """Blocks without mocks, with one, with another, and without; then a mock in force."""
        bank = node.deploy("Bank")
        customer = node.deploy("Customer", bank)
        node.mock_call(bank.deposit)
        customer.deposit(value=1)
        customer.deposit(value=2)
        node.mock_revert(bank.deposit, error="closed")
        with pytest.raises(ExecutionReverted):
            customer.deposit(value=3, gas=100_000)
        node.clear_mocks()
        customer.deposit(value=4)
        node.mock_call(bank.total, value=0, returns=77)

    def trees(self, node: Node) -> list[str]:
        """What each transaction did, executed once more."""
        blocks = node.chain.blocks_after(0)
        return [node.call_tree(tx.hash) for each in blocks for tx in each.transactions]

    def check(self, node: Node, trees: list[str]) -> None:
        """The blocks are replayed as they were mined, and the mock is in force."""
        assert self.trees(node) == trees
        assert [("[0 gas]" in each) for each in trees] == [False, False, True, True, True, False]
        bank = node.contract("Bank", node.chain.block(1).receipts[0].contract_address)
        assert bank.total() == 77
        node.clear_mocks()
        assert bank.total() == 4

    def test_data_dir(self, tmp_path: Path) -> None:
        """Mocks, and blocks mined with them, are as before after a restart; so are snapshots."""
        config = Config(data_dir=str(tmp_path), artifacts=(str(CONTRACTS),))
        with Node(config) as node:
            self.mine(node)
            trees = self.trees(node)
            snapshot = node.snapshots.take()
            node.clear_mocks()
            node.mine()
        with Node(config) as node:
            assert not node.chain.mocks.ordered
            assert node.revert(snapshot)
            self.check(node, trees)
        with Node(config) as node:
            assert not node.chain.mocks.ordered
            assert self.trees(node) == trees

    def test_rollback(self, mocked: Node, bank: Contract, customer: Contract) -> None:
        """Blocks that replace others are replayed with their own mocks."""
        with mocked.copy() as node:
            customer = node.contract("Customer", customer)
            node.mock_call(bank.deposit)
            customer.deposit(value=1)
            node.rollback(1)
            node.clear_mocks()
            mined = customer.deposit(value=1)
            assert "[0 gas]" not in node.call_tree(mined)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("mocks", [{"address": "00", "data": "", "value": 0, "answer": "", "reverts": False}]),
            (
                "mocks",
                [{"address": "ab" * 20, "data": "", "value": -1, "answer": "", "reverts": 0}],
            ),
            ("mock_changes", [[5, []], [4, []]]),
            ("mock_changes", [["x", []]]),
            ("mocks", 7),
        ],
    )
    def test_damaged(self, name: str, value: Any) -> None:
        """A dump with other values is refused."""
        with Node() as node:
            dumped = unpack(node.dump())
            dumped["settings"][name] = value
            with pytest.raises(InvalidInput, match="the dump is damaged"):
                node.load(json.dumps(dumped).encode())
