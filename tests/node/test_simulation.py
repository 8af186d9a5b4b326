"""`devchain.node.simulation`"""

from __future__ import annotations

from typing import Any

import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import RpcFailure
from devchain.node import Node
from tests.accounts import ALICE_HEX, BOB_HEX
from tests.actions import deploy, fingerprint
from tests.bytecode import COUNTER, EMIT, word
from tests.conftest import GENESIS_TIME

POOR = "0x" + "c1" * 20
# Keeps BLOCKHASH of block 1 as its code.
HASH_OF_FIRST = "0x60014060005260206000f3"


@pytest.fixture(params=["vetiver", "prague"])
def either(request: pytest.FixtureRequest) -> Node:
    """A node under Rootstock's rules, and one under Ethereum's."""
    return Node(Config(hardfork=request.param, fixed_clock=GENESIS_TIME))


def simulate(node: Node, *blocks: dict[str, Any], **options: Any) -> list[dict[str, Any]]:
    """The result of simulating blocks on the newest one."""
    wanted = {"blockStateCalls": list(blocks), **options}
    found: list[dict[str, Any]] = LocalClient(node).call("eth_simulateV1", wanted)
    return found


class TestBlocks:
    def test_state_goes_on(self, either: Node) -> None:
        """A call sees the changes of earlier calls and blocks; the chain does not change."""
        counter = {"from": ALICE_HEX, "to": f"0x{deploy(either, COUNTER).hex()}"}
        before = fingerprint(either)

        blocks = simulate(either, {"calls": [counter, counter]}, {"calls": [counter]})

        returned = [int(call["returnData"], 16) for block in blocks for call in block["calls"]]
        assert returned == [1, 2, 3]
        assert fingerprint(either) == before

    def test_as_mined(self, either: Node) -> None:
        """A simulated block equals the block mined afterwards, state and receipts too."""
        client = LocalClient(either)
        sent = {"from": ALICE_HEX, "to": BOB_HEX, "value": "0x5", "gas": "0x5208", "nonce": "0x0"}
        sent["gasPrice"] = hex(10**9)
        either.mine()  # a block of the node's own coinbase, which the next one has in a simulation
        time = either.chain.head.timestamp + 12
        head = client.call("eth_getBlockByNumber", "latest", False)

        (block,) = simulate(either, {"calls": [sent]}, validation=True)
        client.call("evm_setNextBlockTimestamp", time)
        client.call("eth_sendTransaction", sent)

        mined = client.call("eth_getBlockByNumber", "latest", False)
        same = ("number", "parentHash", "stateRoot", "receiptsRoot", "gasUsed", "timestamp")
        assert {each: block[each] for each in same} == {each: mined[each] for each in same}
        assert block["parentHash"] == head["hash"]

    def test_gap(self, either: Node) -> None:
        """Numbers left out become empty blocks, each the parent of the next; BLOCKHASH has them."""
        call = {"from": ALICE_HEX, "data": HASH_OF_FIRST}

        blocks = simulate(either, {}, {"blockOverrides": {"number": "0x4"}, "calls": [call]})

        assert [int(block["number"], 16) for block in blocks] == [1, 2, 3, 4]
        assert [block["parentHash"] for block in blocks[1:]] == [
            each["hash"] for each in blocks[:-1]
        ]
        assert blocks[3]["calls"][0]["returnData"] == blocks[0]["hash"]

    def test_full(self, either: Node) -> None:
        """With `returnFullTransactions` they come whole, with the sender of the call."""
        calls = {"calls": [{"from": POOR, "to": BOB_HEX}]}

        (short,) = simulate(either, calls)
        (full,) = simulate(either, calls, returnFullTransactions=True)

        assert [tx["hash"] for tx in full["transactions"]] == short["transactions"]
        assert full["transactions"][0]["from"] == POOR


class TestFees:
    BASE_FEE_AS_CODE = "0x4860005260206000f3"

    def test_free(self, either: Node) -> None:
        """A call without fees runs whatever base fee its block has; BASEFEE returns it."""
        call = {"from": POOR, "data": self.BASE_FEE_AS_CODE}
        block = {"blockOverrides": {"baseFeePerGas": "0xa"}, "calls": [call]}

        (simulated,) = simulate(either, block)

        assert int(simulated["calls"][0]["returnData"], 16) == 10
        assert int(simulated.get("baseFeePerGas", simulated.get("minimumGasPrice")), 16) == 10

    @pytest.mark.parametrize("options", [{"gasPrice": "0x9"}, {}])
    def test_too_low(self, either: Node, options: dict[str, str]) -> None:
        """A fee below the base fee is refused, and with validation none at all."""
        call = {"from": ALICE_HEX, "to": BOB_HEX, **options}
        block = {"blockOverrides": {"baseFeePerGas": "0xa"}, "calls": [call]}

        with pytest.raises(RpcFailure, match="less than block base fee") as refusal:
            simulate(either, block, validation=not options)

        assert refusal.value.code == -38012

    def test_blobs(self) -> None:
        """BLOBBASEFEE returns an overridden blob base fee; `eth_call` has no such override."""
        client = LocalClient(Node(Config(hardfork="prague")))
        call = {"from": POOR, "data": "0x4a60005260206000f3"}
        block = {"blockOverrides": {"blobBaseFee": "0x0"}, "calls": [call]}

        results = client.call("eth_simulateV1", {"blockStateCalls": [block, {"calls": [call]}]})

        assert [int(each["calls"][0]["returnData"], 16) for each in results] == [0, 1]
        with pytest.raises(RpcFailure, match="blobBaseFee: calls have that of the block"):
            client.call("eth_call", call, "latest", {}, {"blobBaseFee": "0x7"})

    def test_no_blobs(self) -> None:
        """Where there are no blobs, their fee cannot be overridden."""
        for hardfork in ("vetiver", "shanghai"):
            with pytest.raises(RpcFailure, match=r"blobBaseFee: .* leave it out"):
                simulate(
                    Node(Config(hardfork=hardfork)), {"blockOverrides": {"blobBaseFee": "0x1"}}
                )


class TestCalls:
    def test_last_nonce(self, either: Node) -> None:
        """Without validation an account whose nonces are used up may send."""
        state = {POOR: {"nonce": hex(2**64 - 1)}}

        (block,) = simulate(either, {"stateOverrides": state, "calls": [{"from": POOR}] * 2})

        assert [call["status"] for call in block["calls"]] == ["0x1", "0x1"]

    def test_refund(self, either: Node) -> None:
        """`maxUsedGas` is the gas before refunds: of a slot that is set to zero."""
        state = {POOR: {"code": "0x5f5f55", "state": {"0x0": "0x1"}}}
        call = {"from": ALICE_HEX, "to": POOR}
        if either.config.hardfork == "vetiver":
            state[POOR]["code"] = "0x6000600055"

        (block,) = simulate(either, {"stateOverrides": state, "calls": [call]})

        (result,) = block["calls"]
        assert int(result["maxUsedGas"], 16) > int(result["gasUsed"], 16)

    def test_revert(self, either: Node) -> None:
        """The payload of a revert is in the error; another failure has no data."""
        codes = {POOR: {"code": "0x604260005260206000fd"}, BOB_HEX: {"code": "0xfe"}}
        calls = [{"from": ALICE_HEX, "to": to} for to in codes]

        (block,) = simulate(either, {"stateOverrides": codes, "calls": calls})

        reverted, failed = block["calls"]
        assert (reverted["returnData"], int(reverted["error"]["data"], 16)) == ("0x", 0x42)
        assert (failed["returnData"], "data" in failed["error"]) == ("0x", False)


IDENTITY = "0x" + "04".zfill(40)


@pytest.mark.parametrize("override", [{"code": "0x00"}, {"balance": "0x1"}])
def test_precompiled(either: Node, override: dict[str, str]) -> None:
    """Precompiled contracts are not overridden, as in calls."""
    with pytest.raises(RpcFailure, match="precompiled contracts can not be overridden"):
        simulate(either, {"stateOverrides": {IDENTITY: override}})


@pytest.mark.parametrize("hardfork", ["vetiver", "london", "prague"])
def test_engines(hardfork: str) -> None:
    """Free calls, fees, refunds, precompiled contracts are alike on both."""
    slot = {"code": "0x6000600055", "state": {"0x0": "0x1"}}
    calls = [
        {"from": POOR, "data": TestFees.BASE_FEE_AS_CODE},
        {"from": ALICE_HEX, "to": IDENTITY, "data": "0x1234"},
        {"from": ALICE_HEX, "to": POOR, "gasPrice": "0xb"},
    ]
    block = {
        "blockOverrides": {"baseFeePerGas": "0xa"},
        "stateOverrides": {POOR: slot},
        "calls": calls,
    }

    fast, reference = (
        simulate(
            Node(Config(hardfork=hardfork, engine=engine, fixed_clock=GENESIS_TIME)),
            block,
            {"calls": calls},
        )
        for engine in ("fast", "reference")
    )

    assert fast == reference


class TestGasCap:
    """The gas of a call is bounded, whatever gas limit its block is given."""

    REMAINING = "0x5a60005260206000f3"
    """Init code that returns the gas that is left as the contract's code."""
    HUGE = hex(2**62)

    @pytest.mark.parametrize("gas", [None, hex(2**62)])
    def test_simulated(self, either: Node, gas: str | None) -> None:
        """A call of a block with a gas limit of 2^62 gets the gas of any other call."""
        call = {"from": ALICE_HEX, "to": POOR} | ({"gas": gas} if gas else {})
        overrides = {POOR: {"code": self.REMAINING}}
        block = {"blockOverrides": {"gasLimit": self.HUGE}, "stateOverrides": overrides}

        ((simulated,),) = [each["calls"] for each in simulate(either, block | {"calls": [call]})]

        assert 0 < int(simulated["returnData"], 16) < either.chain.head.gas_limit

    def test_option(self) -> None:
        """`call_gas_cap` holds for simulations and estimates too."""
        client = LocalClient(Node(Config(call_gas_cap=60_000)))
        loop = {POOR: {"code": "0x5b600056"}}
        block = {"stateOverrides": loop, "calls": [{"from": ALICE_HEX, "to": POOR}]}

        ((call,),) = [
            each["calls"] for each in client.call("eth_simulateV1", {"blockStateCalls": [block]})
        ]

        assert int(call["gasUsed"], 16) == 60_000
        block["calls"] = block["calls"] * 2
        with pytest.raises(RpcFailure, match="have 0, the rest of --call-gas-cap"):
            client.call("eth_simulateV1", {"blockStateCalls": [block]})
        with pytest.raises(RpcFailure, match=r"exceeds allowance \(60000\)"):
            client.call("eth_estimateGas", {"from": ALICE_HEX, "to": POOR}, "latest", loop)


class TestSize:
    @pytest.mark.parametrize("code", ["0x620186a05ff3", "0x620186a05fa0"])
    def test_outputs(self, code: str) -> None:
        """Outputs and logs count while they grow: many large ones never are in memory together."""
        node = Node(Config(hardfork="prague", max_response=10**6))
        block = {"stateOverrides": {POOR: {"code": code}}}
        call = {"from": ALICE_HEX, "to": POOR, "gas": hex(10**6)}

        assert simulate(node, block | {"calls": [call] * 4})
        with pytest.raises(RpcFailure, match="--max-response"):
            simulate(node, block | {"calls": [call] * 6})


class TestLogs:
    def test_transfers(self, either: Node) -> None:
        """Transfers of value are logs among the others, in the order they came."""
        emitter = f"0x{deploy(either, EMIT).hex()}"
        data = f"0x{(word(1) + word(2)).hex()}"
        calls = [
            {"from": ALICE_HEX, "to": BOB_HEX, "value": "0x5"},
            {"from": ALICE_HEX, "to": emitter, "data": data},
        ]

        (plain,) = simulate(either, {"calls": calls})
        (traced,) = simulate(either, {"calls": calls}, traceTransfers=True)

        assert [len(call["logs"]) for call in plain["calls"]] == [0, 1]
        found = [log for call in traced["calls"] for log in call["logs"]]
        assert [log["logIndex"] for log in found] == ["0x0", "0x1"]
        assert [log["address"] for log in found] == ["0x" + "ee" * 20, emitter]
        assert int(found[0]["data"], 16) == 5
        assert traced["logsBloom"] == plain["logsBloom"]


class TestRefused:
    def test_one_too_many(self, either: Node) -> None:
        """A thousand calls are accepted, more are refused."""
        with pytest.raises(RpcFailure, match="too many calls") as refusal:
            simulate(either, {"calls": [{}] * 1001})

        assert refusal.value.code == -38026

    def test_long_init_code(self, either: Node) -> None:
        """Init code above the limit is refused."""
        with pytest.raises(RpcFailure, match="max initcode size exceeded") as refusal:
            simulate(either, {"calls": [{"from": ALICE_HEX, "data": "0x" + "00" * 49_153}]})

        assert refusal.value.code == -38025

    def test_no_overrides(self) -> None:
        """A node with `--no-state-overrides` refuses them here too."""
        node = Node(Config(state_overrides=False))

        with pytest.raises(RpcFailure, match="--no-state-overrides"):
            simulate(node, {"stateOverrides": {POOR: {"balance": "0x1"}}})
