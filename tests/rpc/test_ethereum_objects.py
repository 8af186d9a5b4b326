"""`devchain.rpc.result_objects` under Ethereum's rules: blocks, typed transactions, receipts."""

from __future__ import annotations

from typing import Any

import pytest
from eth_account import Account

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.networks import ETHEREUM
from devchain.node import Node
from devchain.rpc.schemas import COMPONENTS
from devchain.types import MineRequest
from tests.accounts import ALICE_HEX, ALICE_KEY, BOB, BOB_HEX, BOB_KEY, CAROL, CAROL_HEX
from tests.actions import deploy, run, send
from tests.bytecode import EMIT, ENVIRONMENT, word
from tests.conftest import GENESIS_TIME
from tests.fork.upstreams import ServedNode, fork_over_http
from tests.rpc.test_result_objects import PENDING_PLACE

GWEI = 10**9
SINCE = {
    "london": {"baseFeePerGas"},
    "shanghai": {"withdrawalsRoot", "withdrawals"},
    "cancun": {"blobGasUsed", "excessBlobGas", "parentBeaconBlockRoot"},
    "prague": {"requestsHash"},
}
"""What a block object has since which hardfork."""
COMMON = {*COMPONENTS["Block"]["required"]}

EMPTY_REQUESTS = "0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
EMPTY_TRIE = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"


def a_client(hardfork: str, **given: Any) -> tuple[Node, LocalClient]:
    """A node under those rules, and a client of it."""
    node = Node(Config(hardfork=hardfork, network="test", fixed_clock=GENESIS_TIME, **given))
    return node, LocalClient(node)


@pytest.fixture
def config() -> Config:
    """A node under the newest of Ethereum's rules."""
    return Config(hardfork="prague", network="test", fixed_clock=GENESIS_TIME)


class TestBlockObject:
    @pytest.mark.parametrize("number", ["0x0", "0x1", "0x2", "pending"])
    @pytest.mark.parametrize("name", ETHEREUM)
    def test_fields(self, name: str, number: str) -> None:
        """A block has its hardfork's fields and none of Rootstock's or of a later hardfork."""
        node, client = a_client(name)
        run(node, BOB, value=1)
        node.mine(MineRequest())
        forks = ETHEREUM[: ETHEREUM.index(name) + 1]

        block = client.call("eth_getBlockByNumber", number, False)

        assert set(block) == COMMON.union(*(SINCE.get(fork, ()) for fork in forks))
        nulls = {"hash", "nonce", "logsBloom"} if number == "pending" else set()
        assert {name for name, value in block.items() if value is None} == nulls

    def test_constants(self, client: LocalClient) -> None:
        """A chain without validators has no withdrawals, blobs, beacon blocks or requests."""
        block = client.call("eth_getBlockByNumber", "latest", False)

        assert (block["withdrawalsRoot"], block["requestsHash"]) == (EMPTY_TRIE, EMPTY_REQUESTS)
        assert (block["blobGasUsed"], block["excessBlobGas"]) == ("0x0", "0x0")
        assert block["parentBeaconBlockRoot"] == "0x" + "00" * 32
        assert (block["difficulty"], block["nonce"]) == ("0x0", "0x" + "00" * 8)


LISTED = [{"address": CAROL_HEX, "storageKeys": ["0x" + "00" * 31 + "01", "0x" + "ff" * 32]}]


def signed(kind: int, **given: Any) -> str:
    """A typed transaction of ALICE to BOB, signed by eth-account."""
    plain = {"to": BOB, "value": 7, "gas": 200_000, "nonce": 0, "chainId": 31, "type": kind}
    caps = {"maxFeePerGas": 5 * GWEI, "maxPriorityFeePerGas": 2}
    fees = {"gasPrice": 2 * GWEI} if kind == 1 else caps
    wanted = {**plain, **fees, "accessList": LISTED, **given}
    if kind == 4:
        wanted["authorizationList"] = [authorized()]
    return Account.sign_transaction(wanted, ALICE_KEY).raw_transaction.to_0x_hex()


def authorized() -> Any:
    """BOB's authorization for CAROL's code (EIP-7702)."""
    return Account.sign_authorization({"chainId": 31, "address": CAROL, "nonce": 0}, BOB_KEY)


class TestTransactionObject:
    @pytest.mark.parametrize("kind", [1, 2, 4])
    def test_fields(self, client: LocalClient, kind: int) -> None:
        """A typed transaction has its type's fields beside those of a legacy one."""
        sent = client.call("eth_sendRawTransaction", signed(kind))

        shown = client.call("eth_getTransactionByHash", sent)

        assert ("maxFeePerGas" in shown) == ("maxPriorityFeePerGas" in shown) == (kind != 1)
        assert ("authorizationList" in shown) == (kind == 4)
        assert (shown["type"], shown["chainId"], shown["accessList"]) == (hex(kind), "0x1f", LISTED)
        assert shown["v"] == shown["yParity"] in ("0x0", "0x1")

    def test_price(self, client: LocalClient) -> None:
        """The gas price of a mined transaction is the effective one; the fee caps are as signed."""
        sent = client.call("eth_sendRawTransaction", signed(2))

        shown = client.call("eth_getTransactionByHash", sent)

        block = client.call("eth_getBlockByNumber", "latest", False)
        assert int(shown["gasPrice"], 16) == int(block["baseFeePerGas"], 16) + 2
        assert (shown["maxFeePerGas"], shown["maxPriorityFeePerGas"]) == (hex(5 * GWEI), "0x2")

    def test_while_it_waits(self, node: Node, client: LocalClient) -> None:
        """A pending transaction has its maximum gas price and no position in a block."""
        node.miner.running = False
        sent = client.call("eth_sendRawTransaction", signed(2))

        shown = client.call("eth_getTransactionByHash", sent)

        nulls = {name for name, value in shown.items() if value is None}
        assert nulls == PENDING_PLACE | {"blockTimestamp"}
        assert shown["gasPrice"] == shown["maxFeePerGas"] == hex(5 * GWEI)

    def test_authorizations(self, client: LocalClient) -> None:
        """A type 4 transaction has the authorization list as signed."""
        sent = client.call("eth_sendRawTransaction", signed(4))

        shown = client.call("eth_getTransactionByHash", sent)["authorizationList"]

        wanted = authorized()
        assert shown == [
            {
                "chainId": "0x1f",
                "address": CAROL_HEX,
                "nonce": "0x0",
                "yParity": hex(wanted.y_parity),
                "r": hex(wanted.r),
                "s": hex(wanted.s),
            }
        ]


class TestReceiptObject:
    @pytest.mark.parametrize("kind", [0, 1, 2, 4])
    def test_fields(self, client: LocalClient, kind: int) -> None:
        """A receipt names its transaction's type and the price per gas that was paid."""
        raw = signed(kind) if kind else LEGACY
        sent = client.call("eth_sendRawTransaction", raw)

        receipt = client.call("eth_getTransactionReceipt", sent)

        base_fee = client.call("eth_getBlockByNumber", "latest", False)["baseFeePerGas"]
        price = 2 * GWEI if kind < 2 else int(base_fee, 16) + 2
        assert set(COMPONENTS["Receipt"]["required"]) == set(receipt) - {"status"}
        assert (receipt["type"], receipt["effectiveGasPrice"]) == (hex(kind), hex(price))

    @pytest.mark.parametrize("name", ETHEREUM)
    def test_root_or_status(self, name: str) -> None:
        """Before Byzantium a receipt has the state root after it, since then a status."""
        node, client = a_client(name, mining=False)
        sent = ["0x" + send(node, BOB, value=1, gas=21_000).hex() for _ in range(2)]
        node.mine(MineRequest())

        receipts = [client.call("eth_getTransactionReceipt", each) for each in sent]

        has_status = ETHEREUM.index(name) >= ETHEREUM.index("byzantium")
        assert {("status" in receipt, "root" in receipt) for receipt in receipts} == {
            (has_status, not has_status)
        }
        assert len({receipt.get("root") for receipt in receipts}) == (1 if has_status else 2)


class TestBlockTimestamp:
    """Transactions and logs have the timestamp of their block; receipts only in their logs."""

    @pytest.mark.parametrize("name", ["istanbul", "prague"])
    def test_ethereum(self, name: str) -> None:
        """As in the specification of the execution API."""
        node, client = a_client(name)
        receipt = run(node, deploy(node, EMIT), word(1) * 2)
        shown = client.call("eth_getTransactionReceipt", "0x" + receipt.transaction.hash.hex())
        block = client.call("eth_getBlockByNumber", "latest", True)

        assert [tx["blockTimestamp"] for tx in block["transactions"]] == [block["timestamp"]]
        logs = client.call("eth_getLogs", {})
        assert [log["blockTimestamp"] for log in logs] == [block["timestamp"]]
        assert shown["logs"] == logs
        assert "blockTimestamp" not in shown

    def test_pending(self, node: Node, client: LocalClient) -> None:
        """Null in the pending block, in the mempool and in their logs."""
        emitter = deploy(node, EMIT)
        node.miner.running = False
        send(node, emitter, data=word(1) * 2, gas=100_000)

        (tx,) = client.call("eth_getBlockByNumber", "pending", True)["transactions"]
        (log,) = client.call("eth_getLogs", {"fromBlock": "pending", "toBlock": "pending"})
        (pooled,) = client.call("txpool_content")["pending"][ALICE_HEX].values()

        assert tx["blockTimestamp"] is log["blockTimestamp"] is pooled["blockTimestamp"] is None

    def test_rootstock(self) -> None:
        """Rootstock's objects have none."""
        node, client = a_client("vetiver", remasc=True)
        run(node, deploy(node, EMIT), word(1) * 2)
        block = client.call("eth_getBlockByNumber", "latest", True)

        objects = [*block["transactions"], *client.call("eth_getLogs", {})]
        assert [each for each in objects if "blockTimestamp" in each] == []

    def test_before_a_fork(self) -> None:
        """They are as the upstream shows them, and asked for no further."""
        node, client = a_client("prague")
        receipt = run(node, deploy(node, EMIT), word(1) * 2)
        tx_hash = "0x" + receipt.transaction.hash.hex()
        queries = [("eth_getLogs", {"fromBlock": "0x0"}), ("eth_getTransactionByHash", tx_hash)]
        queries += [("eth_getTransactionReceipt", tx_hash)]
        node.mine(3)
        upstream = ServedNode(node)
        with fork_over_http(upstream, hardfork="prague") as fork:
            asked = len(upstream.calls)

            shown = [LocalClient(fork).call(*query) for query in queries]

            assert shown == [client.call(*query) for query in queries]
            assert "eth_getBlockByNumber" not in upstream.calls[asked:]


class TestGenesis:
    @pytest.mark.parametrize(
        ("name", "miner"), [("frontier", "00"), ("osaka", "00"), ("vetiver", "33")]
    )
    def test_miner(self, name: str, miner: str) -> None:
        """Nobody has mined Ethereum's genesis block."""
        _, client = a_client(name)

        assert client.call("eth_getBlockByNumber", "0x0", False)["miner"] == "0x" + miner * 20


LEGACY = Account.sign_transaction(
    {"to": BOB, "value": 7, "gas": 21_000, "nonce": 0, "chainId": 31, "gasPrice": 2 * GWEI},
    ALICE_KEY,
).raw_transaction.to_0x_hex()


class TestRequests:
    @pytest.mark.parametrize(
        ("given", "kind", "shown"),
        [
            pytest.param({}, "0x2", {"maxPriorityFeePerGas": hex(GWEI)}, id="nothing"),
            pytest.param(
                {"gasPrice": hex(3 * GWEI)}, "0x0", {"gasPrice": hex(3 * GWEI)}, id="price"
            ),
            pytest.param(
                {"maxFeePerGas": hex(9 * GWEI)},
                "0x2",
                {"maxFeePerGas": hex(9 * GWEI), "maxPriorityFeePerGas": hex(GWEI)},
                id="cap",
            ),
            pytest.param(
                {"maxFeePerGas": hex(9 * GWEI), "maxPriorityFeePerGas": "0x0"},
                "0x2",
                {"maxFeePerGas": hex(9 * GWEI), "maxPriorityFeePerGas": "0x0"},
                id="cap-and-no-tip",
            ),
            pytest.param(
                {"maxPriorityFeePerGas": hex(50 * GWEI)},
                "0x2",
                {"maxPriorityFeePerGas": hex(50 * GWEI)},
                id="tip",
            ),
            pytest.param({"accessList": LISTED}, "0x1", {"accessList": LISTED}, id="access-list"),
            pytest.param(
                {"accessList": LISTED, "maxFeePerGas": hex(9 * GWEI)},
                "0x2",
                {"accessList": LISTED, "maxFeePerGas": hex(9 * GWEI)},
                id="access-list-and-cap",
            ),
            pytest.param({"type": "0x0"}, "0x0", {}, id="legacy-by-name"),
            pytest.param({"type": "0x1"}, "0x1", {"accessList": []}, id="type-1-by-name"),
            pytest.param({"type": "0x2"}, "0x2", {"accessList": []}, id="type-2-by-name"),
        ],
    )
    def test_send(
        self, client: LocalClient, given: dict[str, Any], kind: str, shown: dict[str, Any]
    ) -> None:
        """A request becomes the type that its members belong to, with its gaps filled."""
        request = {"from": ALICE_HEX, "to": BOB_HEX, "value": "0x1", **given}

        found = client.call("eth_getTransactionByHash", client.call("eth_sendTransaction", request))

        assert found["type"] == kind
        assert {name: found[name] for name in shown} == shown
        assert client.call("eth_getTransactionReceipt", found["hash"])["status"] == "0x1"

    def test_seen_by_the_contract(self, node: Node) -> None:
        """GASPRICE is what the transaction pays, BASEFEE is the block's."""
        contract = deploy(node, ENVIRONMENT)

        receipt = run(node, contract, word(1), max_fee_per_gas=9 * GWEI, max_priority_fee_per_gas=5)

        state = node.chain.state_at(node.chain.height)
        base_fee = node.chain.head.header.base_fee_per_gas
        assert state.storage(contract, 5) == base_fee
        assert state.storage(contract, 3) == base_fee + 5 == receipt.gas_price
