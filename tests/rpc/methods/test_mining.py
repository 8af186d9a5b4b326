"""`devchain.rpc.methods.mining`"""

from __future__ import annotations

import pytest

from devchain.chain.slices import finish
from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import RpcFailure
from devchain.node import Node
from devchain.rpc.methods import mining
from devchain.rpc.methods.mining import set_extra, set_gas_price
from devchain.rpc.scalar_decoders import Amount
from devchain.types import MineRequest
from tests.accounts import ALICE_HEX, BOB, BOB_HEX, CAROL_HEX
from tests.actions import run
from tests.conftest import GENESIS_TIME


def refused(client: LocalClient, method: str, *params: object) -> int:
    """The code with which a call is refused."""
    with pytest.raises(RpcFailure) as caught:
        client.call(method, *params)
    return caught.value.code


def mine(node: Node, request: MineRequest | None = None) -> str:
    """The result of `evm_mine`."""
    return finish(mining.mine_block(node, request))


class TestMineBlock:
    @pytest.mark.parametrize("timestamp", [GENESIS_TIME + 9, hex(GENESIS_TIME + 9)])
    def test_timestamp(self, node: Node, client: LocalClient, timestamp: object) -> None:
        """A timestamp is the block's, and the clock goes on from there."""
        client.call("evm_mine", timestamp)
        client.call("evm_mine")

        times = [node.chain.block(number).timestamp - GENESIS_TIME for number in (1, 2)]
        assert times == [9, 10]

    def test_no_block(self, client: LocalClient) -> None:
        """Zero blocks are none."""
        client.call("evm_mine", {"blocks": 0})

        assert client.call("eth_blockNumber") == "0x0"

    @pytest.mark.parametrize(
        "value", [-1, "soon", True, [], {"blocks": 10**9}, {"blocks": "x"}, {"block": 1}, 2**64]
    )
    def test_refused(self, client: LocalClient, value: object) -> None:
        """Anything else is refused and nothing is mined."""
        assert refused(client, "evm_mine", value) == -32602
        assert client.call("eth_blockNumber") == "0x0"


class TestMiningModes:
    """Automatic mining and interval mining, which exclude each other in anvil 1.7.1."""

    def modes(self, client: LocalClient) -> tuple[bool, int | None]:
        """Whether mining is automatic, and its interval in seconds."""
        return client.call("anvil_getAutomine"), client.call("anvil_getIntervalMining")

    @pytest.mark.parametrize(
        ("like", "found"),
        [
            ("anvil", [(False, None), (False, 1_000), (True, None), (False, None)]),
            ("hardhat", [(True, None), (True, 1), (True, 1), (True, None)]),
        ],
    )
    def test_presets(self, like: str, found: list[tuple[bool, int | None]]) -> None:
        """There the interval is in seconds, and 0 ends automatic mining too."""
        with Node(Config(like=like)) as node:
            client = LocalClient(node)
            steps = [
                ("evm_setIntervalMining", 0),
                ("evm_setIntervalMining", 1_000),
                ("evm_setAutomine", True),
                ("evm_setIntervalMining", 0),
            ]

            seen = [(client.call(*step), self.modes(client))[1] for step in steps]

        assert seen == found


class TestIncreaseTime:
    @pytest.mark.parametrize(
        "value", [-1, "-1", "", "1.5", 1.5, True, None, [], 2**63, hex(2**200)]
    )
    def test_refused(self, client: LocalClient, value: object) -> None:
        """Neither back nor beyond what a timestamp holds."""
        assert refused(client, "evm_increaseTime", value) == -32602
        assert client.call("evm_increaseTime", 0) == "0x0"


GWEI = 10**9


def a_node(hardfork: str) -> Node:
    """A node under a hardfork, with a fixed clock."""
    return Node(Config(hardfork=hardfork, fixed_clock=GENESIS_TIME))


@pytest.fixture(params=["vetiver", "frontier", "prague"])
def every(request: pytest.FixtureRequest) -> Node:
    """A node of each kind of rules."""
    return a_node(request.param)


class TestSetEtherbase:
    def test_fees(self) -> None:
        """The fees of the next block go to the address."""
        client = LocalClient(a_node("berlin"))
        before = int(client.call("eth_getBalance", CAROL_HEX), 16)
        client.call("miner_setEtherbase", CAROL_HEX)

        client.call("eth_sendTransaction", {"from": ALICE_HEX, "to": BOB_HEX, "gasPrice": "0x3"})

        reward = 2 * 10**18
        assert int(client.call("eth_getBalance", CAROL_HEX), 16) == before + 3 * 21_000 + reward


class TestSetGasPrice:
    @pytest.mark.parametrize("hardfork", ["vetiver", "berlin"])
    def test_minimum(self, hardfork: str) -> None:
        """Without a base fee a lower gas price is refused; as on Rootstock, it is the default."""
        node = a_node(hardfork)
        set_gas_price(node, Amount(70))

        with pytest.raises(RpcFailure, match="lower than block's minimum: 69 < 70"):
            LocalClient(node).call(
                "eth_sendTransaction", {"from": ALICE_HEX, "to": BOB_HEX, "gasPrice": hex(69)}
            )

        default = run(node, BOB).gas_price
        assert default == (70 if hardfork == "vetiver" else 70 + GWEI)
        assert run(node, BOB, gas_price=70).gas_price == 70

    def test_option(self) -> None:
        """`--min-gas-price` holds before London too."""
        node = Node(Config(hardfork="berlin", min_gas_price=70))

        with pytest.raises(RpcFailure, match="lower than block's minimum: 0 < 70"):
            LocalClient(node).call(
                "eth_sendTransaction", {"from": ALICE_HEX, "to": BOB_HEX, "gasPrice": "0x0"}
            )

    def test_priority_fee(self) -> None:
        """Since London it is the priority fee of transactions that name none."""
        node = a_node("prague")
        set_gas_price(node, Amount(70))

        receipt = run(node, BOB)

        base_fee = node.chain.head.header.base_fee_per_gas
        assert receipt.gas_price == base_fee + 70
        assert run(node, BOB, max_fee_per_gas=2 * GWEI, max_priority_fee_per_gas=1).succeeded


class TestSetExtra:
    def test_until_changed(self, every: Node) -> None:
        """Every block has the data until it is set again; empty data is possible."""
        client, seen = LocalClient(every), []
        for extra in ("0x0102", None, "0x"):
            if extra is not None:
                client.call("miner_setExtra", extra)
            client.call("evm_mine")
            seen.append(client.call("eth_getBlockByNumber", "latest", False)["extraData"])

        assert seen == ["0x0102", "0x0102", "0x"]

    def test_most(self, every: Node) -> None:
        """32 bytes are allowed."""
        set_extra(every, b"\xff" * 32)

        every.mine()

        assert every.chain.head.header.extra_data == b"\xff" * 32

    def test_restored(self, node: Node) -> None:
        """It is part of snapshots and dumps."""
        taken = node.snapshots.take()
        set_extra(node, b"later")
        dumped = node.dump()
        node.revert(taken)
        node.mine()
        assert node.chain.head.header.extra_data == b"devchain"

        node.load(dumped)
        node.mine()

        assert node.chain.head.header.extra_data == b"later"
