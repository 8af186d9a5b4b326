"""Rules by height: a fork of main or test network has at each block the rules that its node has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from devchain.client.http import connect
from devchain.errors import RpcFailure
from devchain.networks import ACTIVATIONS
from devchain.node import Node
from devchain.tracing.options import TraceOptions
from devchain.tracing.replay import HardforkDiff
from devchain.types import Address
from tests.accounts import ALICE_HEX
from tests.actions import deploy, send
from tests.bytecode import COUNTER, assemble
from tests.fork.upstreams import RSKJ, ServedNode, fork_over_http

NETWORKS = {30: "main", 31: "test"}

PROBES = {
    "wasabi": assemble("1 1 SHL 0 MSTORE 32 0 RETURN"),
    "papyrus": assemble("SELFBALANCE 0 MSTORE 32 0 RETURN"),
    "arrowhead": bytes.fromhex("5f5f5260205ff3"),  # PUSH0
    "lovell": assemble("32 0 0 MCOPY 32 0 RETURN"),
}
"""Code that halts before an upgrade and returns a word since."""


ReadAt = Callable[[Any, str, str], str]
"""Runs a contract in a block; raises if it halts."""


def call(client: Any, contract: str, block: str) -> str:
    """In the block, of which that is the state after it."""
    return str(client.call("eth_call", {"to": contract}, block))


def trace(client: Any, contract: str, block: str) -> str:
    """The same, traced."""
    frame = client.call("debug_traceCall", {"to": contract}, block, {"tracer": "callTracer"})
    assert "error" not in frame
    return str(frame["output"])


def simulate(client: Any, contract: str, block: str) -> str:
    """In a simulated block on the one before."""
    parent = hex(int(block, 16) - 1)
    blocks = {"blockStateCalls": [{"calls": [{"to": contract, "from": ALICE_HEX}]}]}
    ((found,),) = [each["calls"] for each in client.call("eth_simulateV1", blocks, parent)]
    assert found["status"] == "0x1"
    return str(found["returnData"])


def estimate(client: Any, contract: str, block: str) -> str:
    """In the block that would follow the one before."""
    client.call("eth_estimateGas", {"to": contract}, hex(int(block, 16) - 1))
    return call(client, contract, block)


def list_access(client: Any, contract: str, block: str) -> str:
    """The same, for an access list."""
    assert "error" not in client.call("eth_createAccessList", {"to": contract}, block)
    return call(client, contract, block)


@pytest.mark.parametrize(
    ("chain_id", "upgrade"),
    [
        (chain_id, upgrade)
        for chain_id in NETWORKS
        for upgrade in PROBES
        if ACTIVATIONS[chain_id][upgrade]
    ],
)
class TestUpgrades:
    """Of a node whose block 4 has the number of an upgrade's activation."""

    @pytest.mark.parametrize("run", [call, trace, simulate, estimate, list_access])
    def test_calls(self, chain_id: int, upgrade: str, run: ReadAt) -> None:
        """Before the upgrade the contract halts, from its first block on it returns."""
        first = ACTIVATIONS[chain_id][upgrade]
        with Node(network=NETWORKS[chain_id], client_version=RSKJ) as node:
            contract = f"0x{deploy(node, PROBES[upgrade]).hex()}"
            node.mine(6)
            upstream = ServedNode(node, shift=first - 4)
            with fork_over_http(upstream, fork_block_number=first + 3) as fork:
                assert fork.config.hardfork == upgrade
                client = connect(fork)
                for block in (first - 2, first - 1):
                    with pytest.raises((RpcFailure, AssertionError)):
                        run(client, contract, hex(block))
                for block in (first, first + 1, first + 3):
                    assert len(run(client, contract, hex(block))) == 66

    def test_the_fork_block_is_the_last_before(self, chain_id: int, upgrade: str) -> None:
        """Calls in it have its rules, the next block has those of the upgrade."""
        first = ACTIVATIONS[chain_id][upgrade]
        with Node(network=NETWORKS[chain_id], client_version=RSKJ) as node:
            contract = f"0x{deploy(node, PROBES[upgrade]).hex()}"
            node.mine(2)
            upstream = ServedNode(node, shift=first - 4)
            with fork_over_http(upstream, fork_block_number=first - 1) as fork:
                client = connect(fork)
                with pytest.raises(RpcFailure):
                    client.call("eth_call", {"to": contract}, "latest")
                client.call("eth_estimateGas", {"to": contract})
                fork.mine()
                assert len(client.call("eth_call", {"to": contract}, "latest")) == 66


def test_the_rules_that_are_wanted() -> None:
    """They are in force from the fork block on; blocks before it keep their own."""
    first = ACTIVATIONS[31]["arrowhead"]
    with Node(network="test", client_version=RSKJ) as node:
        contract = f"0x{deploy(node, PROBES['arrowhead']).hex()}"
        node.mine(6)
        upstream = ServedNode(node, shift=first - 4)
        with fork_over_http(upstream, fork_block_number=first + 3, hardfork="iris") as fork:
            client = connect(fork)
            assert len(client.call("eth_call", {"to": contract}, hex(first + 2))) == 66
            with pytest.raises(RpcFailure):
                client.call("eth_call", {"to": contract}, "latest")


def test_other_rules() -> None:
    """Transactions after and before the fork block run under rules of any other height."""
    first = ACTIVATIONS[31]["arrowhead"]
    with Node(network="test", client_version=RSKJ) as node:
        node.mine()
        contract = deploy(node, PROBES["arrowhead"])
        node.mine(6)
        upstream = ServedNode(node, shift=first - 5)
        with fork_over_http(upstream, fork_block_number=first + 3) as fork:
            send(fork, contract)
            client = connect(fork)
            rows = client.call("devchain_compareHardforks", f"0x{contract.hex()}", "iris")
            diff = HardforkDiff(fork.chain, "vetiver", "iris")
            [creation] = diff.transactions(fork.chain.block(first - 3), TraceOptions("callTracer"))

            [row] = rows.values()
            assert (row["calls"], row["otherStatus"]) == (1, 1)
            assert row["reason"].startswith("invalid opcode: PUSH0 is not available before")
            assert creation.old.output == creation.new.output == PROBES["arrowhead"]
            assert creation.old.gas < creation.new.gas
            assert fork.chain.rules_of_call(first - 3).hardfork == "fingerroot"
            assert fork.chain.rules.hardfork == "arrowhead"


@pytest.mark.parametrize("hardfork", ["berlin", "prague"])
def test_rules_of_ethereum(hardfork: str) -> None:
    """Calls in any block have them: Rootstock's need a header of another form."""
    first = ACTIVATIONS[31]["arrowhead"]
    with Node(network="test", client_version=RSKJ) as node:
        contract = f"0x{deploy(node, COUNTER).hex()}"
        sent = f"0x{send(node, Address(bytes.fromhex(contract[2:]))).hex()}"
        node.mine(3)
        options: dict[str, Any] = {"hardfork": hardfork, "fork_block_number": first + 5}
        with fork_over_http(ServedNode(node, shift=first), **options) as fork:
            client = connect(fork)
            block = hex(first + 3)
            assert int(call(client, contract, block), 16) == 2
            assert int(simulate(client, contract, block), 16) == 2
            assert int(trace(client, contract, block), 16) == 2
            replayed = client.call("debug_traceTransaction", sent, {"tracer": "callTracer"})
            assert int(replayed["output"], 16) == 1


def test_heights_that_are_given() -> None:
    """A transaction is replayed under the rules of its block."""
    with Node(hardfork="berlin", chain_id=77) as node:
        sent = f"0x{send(node, deploy(node, COUNTER)).hex()}"
        receipt = connect(node).call("eth_getTransactionReceipt", sent)
        number = int(receipt["blockNumber"], 16)
        heights = ("frontier@0", f"berlin@{number}", f"prague@{number + 1}")
        options: dict[str, Any] = {"hardfork": "prague", "fork_hardfork": heights}
        with fork_over_http(ServedNode(node), **options) as fork:
            assert fork.chain.rules_at(0).hardfork == "frontier"
            assert fork.chain.rules_at(number).hardfork == "berlin"
            assert fork.chain.rules_at(number + 9).hardfork == "prague"
            replayed = connect(fork).call("debug_traceTransaction", sent)
            assert replayed["gas"] == int(receipt["gasUsed"], 16)
