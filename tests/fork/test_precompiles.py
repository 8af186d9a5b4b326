"""Precompiled contracts on a fork: what they answer of the time before it, and what that costs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import rlp
from eth_keys.datatypes import PrivateKey

from devchain.client.http import connect
from devchain.errors import (
    ExecutionFailed,
    NotInForkCache,
    RpcFailure,
    UpstreamAnswerInvalid,
    UpstreamRefused,
)
from devchain.evm.rootstock.precompiles.bridge.federation import KEY_OF_TYPE, SIZE
from devchain.evm.rootstock.precompiles.bridge.storage import CHANGED
from devchain.evm.rootstock.precompiles.chain_contracts import REMASC_ADDRESS
from devchain.evm.rootstock.precompiles.native_contract import encode, encode_all
from devchain.node import Node
from devchain.types import LogQuery, TransactionRequest
from devchain.upstream.queries import UpstreamQuery
from tests.accounts import BOB
from tests.actions import deploy, run, send
from tests.bytecode import word
from tests.chain.upstream import NodeUpstream
from tests.evm.rootstock.precompiles.bridge.calls import account
from tests.evm.rootstock.precompiles.calling import (
    BLOCK_HEADER,
    BRIDGE,
    address,
    forwarder,
    selector,
    unpack,
)
from tests.fork.upstreams import RSKJ, fork_of


@pytest.fixture
def upstream() -> Iterator[Node]:
    """A node to fork."""
    with Node(fixed_clock=1_700_000_000) as node:
        yield node


class TestBlockHeader:
    def test_an_ancestor_is_read_alone(self, upstream: Node) -> None:
        """The blocks between it and the head are not asked for."""
        upstream.mine(300)
        fork, asked = fork_of(upstream)
        fork.mine(2)
        before = asked.requests
        data = selector("getBlockHash(int256)") + word(281)
        answer = fork.call(TransactionRequest(to=address(BLOCK_HEADER), data=data))
        assert unpack(answer) == upstream.chain.block(20).hash
        methods = asked.methods()[before:]
        assert methods.count("eth_getBlockByNumber") == 1

    def test_simulated_blocks_have_the_ancestors_of_the_chain(self, upstream: Node) -> None:
        """On the upstream and on its fork alike."""
        upstream.mine(3)
        fork, _ = fork_of(upstream)
        data = f"0x{(selector('getBlockHash(int256)') + word(1)).hex()}"
        call = {"to": f"0x{address(BLOCK_HEADER).hex()}", "input": data}
        blocks = {"blockStateCalls": [{"calls": [call]}, {"calls": [call]}]}
        answers = [
            [
                block["calls"][0]["returnData"]
                for block in connect(node).call("eth_simulateV1", blocks, "latest")
            ]
            for node in (upstream, fork)
        ]
        assert answers[0] == answers[1]
        assert upstream.chain.block(2).hash.hex() in answers[0][0]


class Rskj(NodeUpstream):
    """A node whose Bridge answers as rskj does, and whose storage devchain cannot read."""

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self.node = node
        self.outputs: dict[bytes, bytes | UpstreamRefused] = {}
        """What the Bridge answers, by call data; nothing else, which is how rskj's calls fail."""

    def _answer(self, wanted: UpstreamQuery) -> Any:
        if wanted.method == "web3_clientVersion":
            return "RskJ/9.0.3/Linux/Java17/VETIVER-1234567"
        if wanted.method == "eth_call" and int(wanted.values[0]["to"], 16) == BRIDGE:
            output = self.outputs.get(bytes.fromhex(wanted.values[0]["data"][2:]), b"")
            return f"0x{output.hex()}" if isinstance(output, bytes) else output
        return super()._answer(wanted)

    def calls(self) -> list[Any]:
        """The parameters of the calls that it has answered."""
        return [each.values for each in self.asked if each.method == "eth_call"]


HEIGHT = selector("getBtcBlockchainBestChainHeight()")


def call_bridge(node: Node, data: bytes, **fields: Any) -> bytes:
    """Call the Bridge of that node."""
    return node.call(TransactionRequest(to=address(BRIDGE), data=data, **fields))


class TestBridge:
    @pytest.fixture
    def rskj(self, upstream: Node) -> Rskj:
        """The real node with a Bitcoin chain of 900,000 blocks."""
        upstream.mine(3)
        upstream = Rskj(upstream)
        upstream.outputs[HEIGHT] = word(900_000)
        return upstream

    def test_what_is_read_is_of_the_fork_block(self, rskj: Rskj) -> None:
        """Once, by call data."""
        fork, _ = fork_of(rskj.node, rskj)
        fork.mine(2)
        for _ in range(2):
            assert int.from_bytes(call_bridge(fork, HEIGHT)) == 900_000
        to = f"0x{address(BRIDGE).hex()}"
        assert rskj.calls() == [[{"data": f"0x{HEIGHT.hex()}", "to": to}, "0x3"]]

    @pytest.mark.parametrize("chain_id", [30, 31])
    def test_on_main_and_test_network_the_node_is_not_asked_for_its_name(
        self, chain_id: int
    ) -> None:
        """Gateways have names of their own."""
        with Node(chain_id=chain_id, fixed_clock=1_700_000_000) as node:
            rskj = Rskj(node)
            rskj.outputs[HEIGHT] = word(900_000)
            fork, _ = fork_of(node, rskj)
            before = rskj.methods().count("web3_clientVersion")  # for the rules of so low a block
            assert call_bridge(fork, HEIGHT) == word(900_000)
            assert rskj.methods().count("web3_clientVersion") == before

    def test_calls_at_blocks_before_the_fork_read_it_there(self, rskj: Rskj) -> None:
        """And so do replays."""
        fork, _ = fork_of(rskj.node, rskj)
        call = {"to": f"0x{address(BRIDGE).hex()}", "data": f"0x{HEIGHT.hex()}"}
        assert connect(fork).call("eth_call", call, "0x1") == f"0x{word(900_000).hex()}"
        assert [number for _, number in rskj.calls()] == ["0x1"]

    def test_contracts_read_it_in_transactions(self, rskj: Rskj) -> None:
        """In one round trip with the rest, where nothing was known."""
        fork, _ = fork_of(rskj.node, rskj)
        reader = deploy(fork, forwarder(BRIDGE))
        receipt = run(fork, reader, HEIGHT)
        assert receipt.succeeded
        answer = fork.call(TransactionRequest(to=reader, data=HEIGHT))
        assert answer == word(1) + word(900_000)
        assert len(rskj.calls()) == 1

    def test_a_call_that_fails_there_fails_here(self, rskj: Rskj) -> None:
        """With or without an error; both are known then."""
        rejected = selector("getBtcBlockchainBlockHashAtDepth(int256)") + word(9)
        reverted = selector("getBtcBlockchainBlockHashAtDepth(int256)") + word(8)
        rskj.outputs[reverted] = UpstreamRefused("refused", -32015, "transaction reverted")
        fork, _ = fork_of(rskj.node, rskj)
        for _ in range(2):
            with pytest.raises(ExecutionFailed, match="of the forked chain rejects the call"):
                call_bridge(fork, rejected)
            with pytest.raises(ExecutionFailed, match="chain: transaction reverted"):
                call_bridge(fork, reverted)
        assert len(rskj.calls()) == 2

    def test_answers_and_failures_are_recorded(self, rskj: Rskj, tmp_path: Path) -> None:
        """An offline run has both; what was never asked is named with its call data."""
        failing = selector("getBtcBlockchainBlockHashAtDepth(int256)") + word(8)
        rskj.outputs[failing] = UpstreamRefused("refused", -32015, "transaction reverted")
        cache = {"fork_cache": str(tmp_path / "forks.sqlite"), "storage_caching": True}
        recording, _ = fork_of(rskj.node, rskj, **cache)
        assert call_bridge(recording, HEIGHT) == word(900_000)
        with pytest.raises(ExecutionFailed):
            call_bridge(recording, failing)
        recording.close()
        asked = rskj.requests
        offline, _ = fork_of(rskj.node, rskj, offline=True, **cache)
        assert call_bridge(offline, HEIGHT) == word(900_000)
        with pytest.raises(ExecutionFailed, match="chain: transaction reverted"):
            call_bridge(offline, failing)
        unknown = selector("getFederationSize()")
        with pytest.raises(NotInForkCache, match=f"the answer to the call .*{unknown.hex()}"):
            call_bridge(offline, unknown)
        assert rskj.requests == asked

    def test_an_upstream_that_refuses_calls_is_an_error(self, rskj: Rskj) -> None:
        """It is not a failure of the Bridge, and is asked again."""
        rskj.outputs[HEIGHT] = UpstreamRefused("method not found", -32601, "method not found")
        fork, _ = fork_of(rskj.node, rskj)
        with pytest.raises(UpstreamRefused, match="method not found"):
            call_bridge(fork, HEIGHT)
        rskj.outputs[HEIGHT] = word(1)
        assert call_bridge(fork, HEIGHT) == word(1)

    def test_gas_of_confirmations_depends_on_the_depth(self, rskj: Rskj) -> None:
        """Which the answer tells: one less than the confirmations."""
        method = selector("getBtcTransactionConfirmations(bytes32,bytes32,uint256,bytes32[])")
        data = method + word(1) + word(2) + word(0) + word(128) + word(1) + word(3)
        costs = {}
        for answer in (11, -1, -4, -5):
            rskj.outputs[data] = word(answer % 2**256)
            fork, _ = fork_of(rskj.node, rskj)
            client = connect(fork)
            request = {"to": f"0x{address(BRIDGE).hex()}", "data": f"0x{data.hex()}"}
            costs[answer] = int(client.call("eth_estimateGas", request), 16)
        assert costs[11] - costs[-1] == 10 * 315 + 144
        assert costs[-5] - costs[-1] == 144
        assert costs[-4] == costs[-1]

    def test_changes(self, rskj: Rskj) -> None:
        """What has been written here is read here; all else is the upstream's bytes."""
        fork, asked = fork_of(rskj.node, rskj)
        fee, voter = selector("getFeePerKb()"), account("auth-fee-per-kb")
        rskj.outputs[fee] = word(77_000)
        assert call_bridge(fork, fee) == word(77_000)
        fork.accounts.impersonate(voter)
        vote = selector("voteFeePerKbChange(int256)") + word(88_000)
        asked.answers["rsk_getStorageBytesAt"] = "0xc0"  # an empty list in any slot
        assert run(fork, address(BRIDGE), vote, sender=voter).succeeded
        assert call_bridge(fork, fee) == word(88_000)
        asked.answers["rsk_getStorageBytesAt"] = "0x820100"  # RLP of 256
        assert call_bridge(fork, selector("getLockingCap()")) == word(256)
        client = connect(fork)
        slot = hex(int.from_bytes(b"feePerKb"))
        assert client.call("rsk_getStorageBytesAt", BRIDGE_HEX, slot, "latest") == "0x830157c0"

    def test_elections(self, rskj: Rskj) -> None:
        """Voters can elect a federation; what they roll back is gone, also in the same block."""
        fork, asked = fork_of(rskj.node, rskj)
        voters = [account(f"auth-{letter}") for letter in "abc"]
        for voter in voters:
            fork.accounts.impersonate(voter)
        size = selector("getPendingFederationSize()")
        rskj.outputs[size] = word(7)
        sizes = [call_bridge(fork, size)]
        slots = [each.values[1] for each in asked.asked if each.method == "eth_getStorageAt"]
        assert hex(CHANGED) not in slots
        for method in ("createFederation()", "rollbackFederation()", "createFederation()"):
            fork.miner.running = False
            for voter in voters:
                send(fork, address(BRIDGE), selector(method), sender=voter)
            fork.mine()
            sizes.append(call_bridge(fork, size))
        assert sizes == [word(7), word(0), word(2**256 - 1), word(0)]

    def test_unauthorized(self, rskj: Rskj) -> None:
        """What is refused to everybody is answered without a question to the upstream."""
        fork, _ = fork_of(rskj.node, rskj)
        vote = selector("voteFeePerKbChange(int256)") + word(1)
        assert int.from_bytes(call_bridge(fork, vote), signed=True) == -10
        assert rskj.calls() == []

    def test_of_devchain_it_is_executed_here(self, upstream: Node) -> None:
        """So that what is changed here is read."""
        fork, asked = fork_of(upstream)
        count = selector("getQueuedPegoutsCount()")
        assert call_bridge(fork, count) == word(0)
        assert run(fork, address(BRIDGE), selector("releaseBtc()"), value=10**18).succeeded
        assert call_bridge(fork, count) == word(1)
        assert "eth_call" not in asked.methods()


class TestRemasc:
    def test_fees_from_before_the_fork_are_paid_once(self) -> None:
        """When they mature, as on the upstream."""
        with Node(remasc=True, fixed_clock=1_700_000_000) as node:
            node.mine(6)
            send(node, BOB, value=1, gas=21_000)
            node.mine(4)
            fork, _ = fork_of(node, remasc=True, fixed_clock=1_700_000_000)
            for each in (node, fork):
                each.mine(12)
            paid = [payments(each) for each in (node, fork)]
            assert paid[0] == paid[1] != []

    def test_the_federation_is_that_of_the_fork_block(self) -> None:
        """Its keys are asked of the Bridge, all in one batch."""
        keys = [PrivateKey(bytes([each]) * 32).public_key for each in (1, 2)]
        with Node(remasc=True, fixed_clock=1_700_000_000) as node:
            node.mine(6)
            send(node, BOB, value=1, gas=3_000_000, gas_price=10**12)
            node.mine(4)
            rskj = Rskj(node)
            rskj.outputs[SIZE] = word(2)
            for index, key in enumerate(keys):
                data = KEY_OF_TYPE + encode_all(("int256", "string"), (index, "rsk"))
                rskj.outputs[data] = encode("bytes", key.to_compressed_bytes())
            fork, _ = fork_of(node, rskj, remasc=True)
            fork.mine(12)
            receivers = {receiver for receiver, amount in payments(fork) if amount}
            assert {key.to_canonical_address() for key in keys} <= receivers
            assert account("federator1") not in receivers
            assert len(rskj.calls()) == 3

    def test_an_answer_that_is_no_federation_is_an_error(self) -> None:
        """It is not paid to another account."""
        with Node(remasc=True) as node:
            node.mine(1)
            rskj = Rskj(node)
            fork, _ = fork_of(node, rskj, remasc=True)
            with pytest.raises(UpstreamAnswerInvalid, match="federation of 0 members"):
                fork.mine(15)
            rskj.outputs[SIZE] = word(1)
            fork, _ = fork_of(node, rskj, remasc=True)
            with pytest.raises(UpstreamAnswerInvalid, match="is no public key"):
                fork.mine(15)


def payments(node: Node) -> list[tuple[bytes, int]]:
    """What REMASC has paid, to whom."""
    logs = node.logs(LogQuery(from_block=0, addresses=frozenset({REMASC_ADDRESS})))
    return [
        (each.log.topics[1][12:], int.from_bytes(rlp.decode(each.log.data)[1])) for each in logs
    ]


BRIDGE_HEX = f"0x{address(BRIDGE).hex()}"


class TestStorageBytes:
    """`rsk_getStorageBytesAt` of the Bridge of a chain of the real node."""

    @pytest.fixture
    def rskj(self) -> Iterator[Node]:
        """A node that takes itself for the real one, at block 2."""
        with Node(fixed_clock=1_700_000_000, client_version=RSKJ) as node:
            node.mine(2)
            yield node

    @pytest.mark.parametrize("answer", ["0x" + "ab" * 70, "0x0"])
    def test_upstream(self, rskj: Node, answer: str) -> None:
        """Bytes of any length are those of the upstream, also after blocks of the fork."""
        fork, asked = fork_of(rskj)
        asked.answers["rsk_getStorageBytesAt"] = answer
        client = connect(fork)
        fork.mine()
        assert client.call("rsk_getStorageBytesAt", BRIDGE_HEX, "0x5", "latest") == answer
        assert client.call("rsk_getStorageBytesAt", BRIDGE_HEX, "0x5", "0x1") == answer
        places = [each.values[2] for each in asked.asked if each.method.startswith("rsk_get")]
        assert places == ["0x2", "0x1"]

    def test_refused(self, rskj: Node) -> None:
        """A node that does not offer the method is named; nothing is taken for empty."""
        fork, _ = fork_of(rskj, NodeUpstream(rskj, refused=["rsk_getStorageBytesAt"]))
        with pytest.raises(RpcFailure, match="refuses") as refused:
            connect(fork).call("rsk_getStorageBytesAt", BRIDGE_HEX, "0x5", "latest")
        assert refused.value.code == -32002

    def test_changed(self, rskj: Node) -> None:
        """A slot that was set here has the value that it was set to."""
        fork, asked = fork_of(rskj)
        client = connect(fork)
        client.call("hardhat_setStorageAt", BRIDGE_HEX, "0x5", "0x" + "00" * 30 + "1234")
        assert client.call("rsk_getStorageBytesAt", BRIDGE_HEX, "0x5", "latest") == "0x1234"
        assert "rsk_getStorageBytesAt" not in asked.methods()
