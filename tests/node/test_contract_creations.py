"""`devchain.node.contract_creations`"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.contracts.contract import Contract
from devchain.errors import ExecutionReverted, VmError
from devchain.node import Node
from devchain.node.contract_creations import ContractCreations
from devchain.testing.gas_report import GasTable
from devchain.types import Address, TransactionRequest
from tests.accounts import ALICE, ALICE_HEX
from tests.conftest import GENESIS_TIME
from tests.contracts.vault import VAULT
from tests.equal_code import FILE
from tests.testing.covered import report_of

CONFIG = Config(network="test", fixed_clock=GENESIS_TIME, artifacts=(str(FILE),))


@pytest.fixture
def config() -> Config:
    """The configuration of a node that knows contracts with equal code."""
    return CONFIG


def creation_code(node: Node, name: str) -> bytes:
    """The creation code of a contract."""
    [found] = node.artifacts.find_by_name(name)
    return found.creation.template


def created(node: Node, name: str) -> Address:
    """The address of a contract whose init code was sent as JSON-RPC clients do."""
    request = TransactionRequest(sender=ALICE, data=creation_code(node, name), gas=2_000_000)
    mined = node.chain.receipt(node.send(request))
    assert mined
    assert mined[1].contract_address
    return mined[1].contract_address


def name_at(node: Node, address: object) -> str | None:
    """The name of the contract at an address."""
    return node.explainer.names().contract(Address(bytes(address)))  # type: ignore[call-overload]  # bytes


def failing_place(contract: Contract) -> str:
    """Contract and line of a failing `put(0)`, as the source trace has them."""
    with pytest.raises(ExecutionReverted) as raised:
        contract.put(0)
    assert raised.value.source_trace
    last = raised.value.source_trace.frames[-1]
    return f"{last.contract} {last.path}:{last.line}"


class TestInitCode:
    """`ContractCreations.init_code`."""

    def test_of_a_transaction(self, node: Node) -> None:
        """Of a contract that a transaction created it is that transaction's data."""
        node.mine(3)
        gold = created(node, "Gold")
        node.mine(4)

        assert ContractCreations(node.chain).init_code(gold) == creation_code(node, "Gold")

    def test_of_a_contract(self, node: Node) -> None:
        """Of one that a contract created the block is replayed."""
        mint = node.deploy("Mint")
        mint.create(True, 1)
        first = Address(bytes(mint.newest()))
        mint.create(False, 1)
        creations = ContractCreations(node.chain)

        assert creations.init_code(first) == creation_code(node, "Gold")
        assert creations.init_code(Address(bytes(mint.newest()))) == creation_code(node, "Silver")

    def test_not_known(self, node: Node) -> None:
        """Without code there it is None, of code that was set and of the genesis block empty."""
        creations = ContractCreations(node.chain)
        assert creations.init_code(ALICE) is None

        node.set_code(ALICE, b"\0")

        assert creations.init_code(ALICE) == b""
        node.mine(2)
        assert creations.init_code(ALICE) == b""
        assert ContractCreations(node.chain).init_code(ALICE) == b""

    def test_after_a_revert(self, node: Node) -> None:
        """An address that another contract is created at has the init code of that one."""
        creations = ContractCreations(node.chain)
        snapshot = node.snapshots.take()
        gold = created(node, "Gold")
        assert creations.init_code(gold) == creation_code(node, "Gold")
        node.revert(snapshot)
        assert creations.init_code(gold) is None

        silver = created(node, "Silver")

        assert silver == gold
        assert creations.init_code(silver) == creation_code(node, "Silver")


class TestNames:
    """Names of contracts with equal runtime code."""

    @pytest.mark.parametrize("name", ["Gold", "Silver"])
    def test_call_tree(self, node: Node, name: str) -> None:
        """A contract that was deployed by name has that name, and its failure that place."""
        contract = node.deploy(name)

        assert node.call_tree(contract.put(1)).startswith(f"{name}.put(amount=1)")
        line = {"Gold": 9, "Silver": 10}[name]
        assert failing_place(contract) == f"{name} contracts/{name}.sol:{line}"

    @pytest.mark.parametrize("name", ["Gold", "Silver"])
    def test_json_rpc(self, node: Node, client: LocalClient, name: str) -> None:
        """So has one that a client created by JSON-RPC."""
        data = f"0x{creation_code(node, name).hex()}"
        transaction = {"from": ALICE_HEX, "data": data, "gas": hex(2_000_000)}
        tx_hash = client.call("eth_sendTransaction", transaction)
        address = client.call("eth_getTransactionReceipt", tx_hash)["contractAddress"]

        [found] = client.call("devchain_findArtifacts", address)
        assert found["contractName"] == name
        info = client.call("devchain_getBuildInfo", address)
        assert list(info["output"]["contracts"]) == [f"contracts/{name}.sol"]

    def test_factory(self, node: Node) -> None:
        """A contract that a contract created has its name, where the transaction failed too."""
        mint = node.deploy("Mint")

        for name, is_gold, line in (("Gold", True, 9), ("Silver", False, 10)):
            tree = node.call_tree(mint.create(is_gold, 1))
            assert f"new {name}() at" in tree
            assert f"{name}.put(amount=1)" in tree
            assert name_at(node, mint.newest()) == name
            with pytest.raises(ExecutionReverted) as raised:
                mint.create(is_gold, 0)
            assert raised.value.source_trace
            last = raised.value.source_trace.frames[-1]
            assert (last.path, last.line) == (f"contracts/{name}.sol", line)

    def test_after_a_revert(self, node: Node) -> None:
        """The name at an address is that of what is there now."""
        with node.snapshot():
            gold = node.deploy("Gold")
            assert name_at(node, gold.address) == "Gold"
        with node.snapshot():
            assert name_at(node, created(node, "Silver")) == "Silver"

        assert name_at(node, created(node, "Gold")) == "Gold"

    def test_copy(self, node: Node) -> None:
        """A copy has the names of its own chain."""
        copied = node.copy()
        gold, silver = created(node, "Gold"), created(copied, "Silver")

        assert gold == silver
        assert [name_at(each, gold) for each in (node, copied, copied.copy())] == [
            "Gold",
            "Silver",
            "Silver",
        ]

    def test_restart(self, tmp_path: Path) -> None:
        """A node that was started again knows what is on its chain."""
        config = Config(data_dir=str(tmp_path), artifacts=CONFIG.artifacts)
        with Node(config) as node:
            mint = node.deploy("Mint")
            mint.create(True, 1)
            addresses = [bytes(mint.newest()), node.deploy("Gold").address]
            addresses.append(node.deploy("Silver").address)

        with Node(config) as node:
            assert [name_at(node, each) for each in addresses] == ["Gold", "Gold", "Silver"]

    @pytest.mark.parametrize("names", [("Copper", "Bronze"), ("Bronze", "Copper")])
    def test_equal_init_code(self, node: Node, names: tuple[str, str]) -> None:
        """Contracts with equal init code have the names they were deployed by."""
        for first, second in (names, names[::-1]):
            with node.snapshot():
                contracts = [node.deploy(first), node.deploy(second)]
                creations = [node.chain.block(number).transactions[0].hash for number in (1, 2)]

                trees = [node.call_tree(each.add(1)) for each in contracts]

                assert [each.partition(".")[0] for each in trees] == [first, second]
                starts = [node.call_tree(each).partition("(")[0] for each in creations]
                assert starts == [f"new {first}", f"new {second}"]

    @pytest.mark.parametrize("name", ["Copper", "Bronze"])
    def test_failed_creation(self, node: Node, name: str) -> None:
        """So has one whose creation fails, here since its constructor is not payable."""
        with pytest.raises(VmError) as caught:
            node.deploy(name, value=1)
        trace = caught.value.source_trace

        assert trace is not None
        assert {each.contract for each in trace.frames} == {name}
        assert trace.hint.startswith(f"the constructor of {name} is not payable")

    def test_given(self, node: Node) -> None:
        """Where the chain does not tell, a contract has the name that was given to its address."""
        gold = created(node, "Gold")
        node.set_code(ALICE, node.chain.state_at("latest").code(gold))

        for name in ("Gold", "Silver", "Gold"):
            node.contract(name, ALICE)
            node.contract(name, gold)

            assert name_at(node, ALICE) == name
            assert name_at(node, gold) == "Gold"

    def test_code_of_one_contract(self, node: Node) -> None:
        """For code that one contract alone has the chain is not searched."""
        node.artifacts.deployments.find_on_chain = lambda _: pytest.fail("the chain was searched")
        vault = node.deploy(VAULT, 1)

        assert name_at(node, vault.address) == "Vault"


class TestReports:
    """The gas table and the coverage of contracts with equal code."""

    @pytest.fixture
    def node(self, engine: str) -> Iterator[Node]:
        """A node that counts coverage."""
        config = Config(network="test", artifacts=CONFIG.artifacts, coverage="-", engine=engine)
        with Node(config) as node:
            yield node

    @pytest.fixture(params=["fast", "reference"])
    def engine(self, request: pytest.FixtureRequest) -> str:
        """Both engines."""
        name: str = request.param
        return name

    def test_gas_table(self, node: Node) -> None:
        """Calls count for what was deployed, also when that is undone later."""
        table = GasTable()
        table.listen_to(node)
        for name, count in (("Gold", 2), ("Silver", 1), ("Copper", 1), ("Bronze", 2)):
            with node.snapshot():
                contract = node.deploy(name)
                for _ in range(count):
                    contract.put(1) if name in {"Gold", "Silver"} else contract.add(1)

        assert {name: row["calls"] for name, row in table.rows().items()} == {
            "Gold.constructor": 1,
            "Gold.put(uint256)": 2,
            "Silver.constructor": 1,
            "Silver.put(uint256)": 1,
            "Copper.constructor": 1,
            "Copper.add(uint256)": 1,
            "Bronze.constructor": 1,
            "Bronze.add(uint256)": 2,
        }

    def test_coverage(self, node: Node) -> None:
        """Lines count for what is deployed at the address when they run."""
        for name, amount in (("Gold", 0), ("Silver", 1)):
            with node.snapshot():
                contract = node.deploy(name)
                node.send(
                    TransactionRequest(
                        sender=ALICE,
                        to=Address(bytes(contract.address)),
                        data=contract.put.encode(amount),
                        gas=100_000,
                    )
                )

        files = report_of(node).files
        assert files["contracts/Gold.sol"].lines == {6: 1, 9: 1, 10: 0}
        assert files["contracts/Silver.sol"].lines == {7: 1, 10: 1, 11: 1}

    def test_coverage_of_a_copy(self, node: Node) -> None:
        """On a copy what is deployed there counts, whatever has its address on the original."""
        copied = node.copy()
        gold, silver = node.deploy("Gold"), copied.deploy("Silver")
        assert gold.address == silver.address
        gold.put(1)
        for _ in range(3):
            silver.put(1)

        for each in (node, copied):
            files = report_of(each).files
            assert files["contracts/Gold.sol"].lines == {6: 1, 9: 1, 10: 1}
            assert files["contracts/Silver.sol"].lines == {7: 1, 10: 3, 11: 3}

    def test_coverage_of_a_factory(self, node: Node) -> None:
        """What a contract has just created counts as that, on the chain and in calls."""
        mint = node.deploy("Mint")
        mint.create(True, 1)
        mint.create.call(False, 1)
        node.contract("Gold", mint.newest()).put(1)

        files = report_of(node).files
        assert files["contracts/Gold.sol"].lines == {6: 1, 9: 2, 10: 2}
        assert files["contracts/Silver.sol"].lines == {7: 1, 10: 1, 11: 1}

    def test_equal_init_code(self, node: Node) -> None:
        """Contracts with equal init code count by the names they were deployed by."""
        for name in ("Copper", "Bronze"):
            with node.snapshot():
                contract = node.deploy(name)
                if name == "Bronze":
                    contract.add(1)

        files = report_of(node).files
        assert set(files["contracts/Copper.sol"].lines.values()) == {0}
        assert set(files["contracts/Bronze.sol"].lines.values()) == {1}
