"""`devchain.rpc.methods.cheats`: what the goldens cannot show."""

from __future__ import annotations

import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import RpcFailure
from devchain.node import Node
from tests.accounts import ALICE_HEX, BOB, BOB_HEX, UNFUNDED, UNFUNDED_HEX
from tests.actions import deploy, fingerprint
from tests.bytecode import COUNTER, assemble
from tests.conftest import GENESIS_TIME


@pytest.fixture
def ethereum() -> LocalClient:
    """A client of a node under Ethereum's rules."""
    return LocalClient(Node(Config(hardfork="prague", fixed_clock=GENESIS_TIME)))


class TestImpersonation:
    @pytest.mark.parametrize("hardfork", ["vetiver", "berlin", "prague"])
    def test_contract(self, hardfork: str) -> None:
        """A contract sends as if it had a key, creates contracts, and pays for its gas."""
        node = Node(Config(hardfork=hardfork, fixed_clock=GENESIS_TIME))
        client = LocalClient(node)
        contract = f"0x{deploy(node, COUNTER).hex()}"
        client.call("hardhat_setBalance", contract, hex(10**18))
        client.call("hardhat_impersonateAccount", contract)
        sent = client.call("eth_sendTransaction", {"from": contract, "to": BOB_HEX, "value": "0x1"})
        made = client.call("eth_sendTransaction", {"from": contract, "data": "0x"})

        receipt = client.call("eth_getTransactionReceipt", sent)
        assert (receipt["from"], receipt["status"]) == (contract, "0x1")
        assert client.call("eth_getTransactionReceipt", made)["contractAddress"]
        assert node.chain.head.transactions[0].sender.hex() == contract[2:]

    def test_same_request_of_two(self, client: LocalClient) -> None:
        """The same request by two accounts makes two transactions with hashes of their own."""
        hashes = set()
        client.call("anvil_autoImpersonateAccount", True)
        for sender in (UNFUNDED_HEX, "0x" + "77" * 20):
            hashes.add(client.call("eth_sendTransaction", {"from": sender, "to": BOB_HEX}))

        assert len(hashes) == 2

    def test_origin(self, client: LocalClient) -> None:
        """ORIGIN and CALLER are the impersonated account."""
        code = assemble("ORIGIN 0 SSTORE CALLER 1 SSTORE STOP")
        client.call("hardhat_setCode", BOB_HEX, f"0x{code.hex()}")
        client.call("hardhat_impersonateAccount", UNFUNDED_HEX)
        client.call("eth_sendTransaction", {"from": UNFUNDED_HEX, "to": BOB_HEX})

        stored = [client.call("eth_getStorageAt", BOB_HEX, slot) for slot in ("0x0", "0x1")]
        assert stored == [f"0x{UNFUNDED.hex():0>64}"] * 2

    def test_trace(self, client: LocalClient) -> None:
        """A trace of what it sent shows it as the sender."""
        client.call("hardhat_impersonateAccount", UNFUNDED_HEX)
        sent = client.call("eth_sendTransaction", {"from": UNFUNDED_HEX, "to": BOB_HEX})

        found = client.call("debug_traceTransaction", sent, {"tracer": "callTracer"})
        assert found["from"] == UNFUNDED_HEX

    def test_snapshot(self, node: Node, client: LocalClient) -> None:
        """A revert restores the impersonated accounts."""
        before = fingerprint(node)
        snapshot = client.call("evm_snapshot")
        client.call("hardhat_impersonateAccount", UNFUNDED_HEX)
        client.call("hardhat_setCoinbase", UNFUNDED_HEX)
        client.call("hardhat_setNextBlockBaseFeePerGas", "0x5")
        client.call("evm_setBlockGasLimit", "0x5208")
        client.call("anvil_setBlockTimestampInterval", 7)
        client.call("evm_setAutomine", False)
        client.call("evm_revert", snapshot)

        assert fingerprint(node) == before


class TestEthereum:
    def test_pending_number(self, ethereum: LocalClient) -> None:
        """The block that would be mined now has a number but no hash, as geth shows it."""
        pending = ethereum.call("eth_getBlockByNumber", "pending", False)

        assert (pending["number"], pending["hash"]) == ("0x1", None)

    def test_base_fee(self, ethereum: LocalClient) -> None:
        """A base fee that is set is charged, and refuses what pays less."""
        ethereum.call("hardhat_setNextBlockBaseFeePerGas", hex(10**10))
        with pytest.raises(RpcFailure, match="less than block base fee"):
            ethereum.call(
                "eth_sendTransaction", {"from": ALICE_HEX, "to": BOB_HEX, "gasPrice": hex(10**9)}
            )
        sent = ethereum.call("eth_sendTransaction", {"from": ALICE_HEX, "to": BOB_HEX})

        block = ethereum.call("eth_getBlockByNumber", "latest", False)
        assert block["baseFeePerGas"] == hex(10**10)
        price = int(ethereum.call("eth_getTransactionReceipt", sent)["effectiveGasPrice"], 16)
        assert price >= 10**10

    def test_prev_randao_is_drawn(self, ethereum: LocalClient) -> None:
        """Without an order every block has another random value, the same on every run."""
        ethereum.call("hardhat_mine", 3)
        values = [
            ethereum.call("eth_getBlockByNumber", hex(number), False)["mixHash"]
            for number in (1, 2, 3)
        ]

        assert len({*values, "0x" + "00" * 32}) == 4

    def test_gas_limit_after(self, ethereum: LocalClient) -> None:
        """The gas limit that is set stays."""
        ethereum.call("evm_setBlockGasLimit", hex(2**53 - 1))
        ethereum.call("hardhat_mine", 3)

        block = ethereum.call("eth_getBlockByNumber", "latest", False)
        assert block["gasLimit"] == hex(2**53 - 1)


class TestIntervals:
    @pytest.mark.parametrize(
        ("method", "value"),
        [
            ("evm_setIntervalMining", 10**15),
            ("evm_setIntervalMining", [1]),
            ("anvil_setIntervalMining", 10**10),
            ("anvil_setBlockTimestampInterval", 10**10),
            ("hardhat_setBlockTimestampInterval", 400),
            ("evm_setBlockGasLimit", 2**53),
            ("anvil_setBalance", "1.5"),
            ("hardhat_setStorageAt", BOB.hex()),
        ],
    )
    def test_refused(self, node: Node, client: LocalClient, method: str, value: object) -> None:
        """What cannot be meant is refused, and changes nothing."""
        before = fingerprint(node)
        with pytest.raises(RpcFailure, match=r"argument|too long|out of range|takes"):
            client.call(method, value)

        assert fingerprint(node) == before
