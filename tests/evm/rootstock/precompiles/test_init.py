"""`devchain.evm.rootstock.precompiles`, also called on a node."""

from __future__ import annotations

import pytest

from devchain.client import LocalClient
from devchain.config import Config
from devchain.contracts.abi import Abi
from devchain.errors import ExecutionFailed, RpcFailure
from devchain.evm.rootstock.precompiles import native_contracts, precompiled
from devchain.evm.rules import MAX_RBTC
from devchain.networks import ROOTSTOCK as ROOTSTOCK_FORKS
from devchain.node import Node
from devchain.types import Address, MineRequest, TransactionRequest, checksum
from tests.actions import deploy, run
from tests.bytecode import word
from tests.conftest import GENESIS_TIME
from tests.evm.rootstock.precompiles.calling import (
    BLOCK_HEADER,
    BRIDGE,
    ENVIRONMENT,
    HD_WALLET_UTILS,
    REMASC,
    address,
    dynamic,
    forwarder,
    selector,
    unpack,
)

SECP256K1_ADD = 0x01000016
MINE_GAS = 21_000


def call(node: Node, to: Address, payload: bytes) -> bytes:
    """The output of a call."""
    return node.call(TransactionRequest(to=to, data=payload))


class TestPrecompiled:
    @pytest.mark.parametrize(
        ("number", "since"),
        [
            (0x01, "orchid"),
            (0x05, "orchid"),
            (0x06, "papyrus"),
            (0x08, "papyrus"),
            (0x09, "iris"),
            (BRIDGE, "orchid"),
            (REMASC, "orchid"),
            (HD_WALLET_UTILS, "wasabi"),
            (BLOCK_HEADER, "wasabi"),
            (ENVIRONMENT, "arrowhead"),
            (SECP256K1_ADD, "reed"),
            (SECP256K1_ADD + 1, "reed"),
        ],
    )
    def test_upgrades(self, number: int, since: str) -> None:
        """Each contract exists from its upgrade on."""
        upgrades = [name for name in ROOTSTOCK_FORKS if address(number) in precompiled(name)]

        assert upgrades == list(ROOTSTOCK_FORKS[ROOTSTOCK_FORKS.index(since) :])

    def test_all(self) -> None:
        """There are sixteen contracts, seven in the first upgrade, none of Ethereum's newer."""
        assert len(precompiled("vetiver")) == 16
        assert len(precompiled("orchid")) == 7
        assert address(10) not in precompiled("vetiver")


ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
BASE58 = selector("toBase58Check(bytes,int256)") + word(64) + word(111) + word(20) + word(0)
POINT = (
    word(4),
    word(40508090799132825824753983223610497876805216745196355809233758402754120847507),
)


class TestOnANode:
    @pytest.mark.parametrize(
        ("number", "payload", "output"),
        [
            (2, b"abc", bytes.fromhex(ABC)),
            (4, b"abc", b"abc"),
            (6, word(1) + word(2), word(1) + word(2)),
            (SECP256K1_ADD, b"".join(POINT), b"".join(POINT)),
            (ENVIRONMENT, selector("getCallStackDepth()"), word(1)),
        ],
        ids=["sha256", "identity", "alt_bn128", "secp256k1", "environment"],
    )
    def test_called(self, node: Node, number: int, payload: bytes, output: bytes) -> None:
        """A call and a contract's CALL get the same output."""
        caller = deploy(node, forwarder(number))

        assert call(node, address(number), payload) == output
        assert call(node, caller, payload) == word(1) + output

    @pytest.mark.parametrize("opcode", ["STATICCALL", "DELEGATECALL"])
    def test_other_calls(self, node: Node, opcode: str) -> None:
        """STATICCALL and DELEGATECALL get the output."""
        caller = deploy(node, forwarder(HD_WALLET_UTILS, opcode))
        answer = call(node, caller, BASE58)

        assert answer[:32] == word(1)
        assert unpack(answer[32:]) == b"mfWxJ45yp2SFn7UciZyNpvDKrzbhyfKrY8"

    def test_failure(self, node: Node) -> None:
        """eth_call gets the reason; a contract gets 0, no data, and unused gas."""
        payload = selector("extractPublicKeyFromExtendedPublicKey(string)") + dynamic(b"xpub")
        caller = deploy(node, forwarder(HD_WALLET_UTILS))

        with pytest.raises(ExecutionFailed, match="not an extended public key"):
            call(node, address(HD_WALLET_UTILS), payload)
        receipt = run(node, caller, payload)
        assert call(node, caller, payload) == word(0)
        assert receipt.succeeded
        assert receipt.gas_used < 50_000

    def test_transaction(self, node: Node) -> None:
        """A transaction pays its intrinsic gas and that of the contract."""
        good = run(node, address(2), b"abc")
        bad = run(node, address(BRIDGE), b"\1\2\3\4")

        assert good.gas_used == MINE_GAS + 3 * 16 + 72
        assert good.succeeded
        assert bad.gas_used == MINE_GAS + 4 * 16 + 23_000
        assert bad.succeeded

    def test_refusal_in_traces(self, node: Node, client: LocalClient) -> None:
        """A transaction that a precompile refuses has succeeded for tracers and simulations too.

        Its estimate is the error of the call: there is no gas with which it would have an effect.
        """
        to, data = "0x" + address(BRIDGE).hex(), "0x01020304"
        refused = "0x" + run(node, address(BRIDGE), b"\1\2\3\4").transaction.hash.hex()
        blocks = [{"calls": [{"to": to, "data": data}]}]
        (simulated,) = client.call("eth_simulateV1", {"blockStateCalls": blocks}, "latest")

        assert client.call("debug_traceTransaction", refused)["failed"] is False
        assert "error" not in client.call("trace_transaction", refused)[0]
        assert simulated["calls"][0]["status"] == "0x1"
        with pytest.raises(RpcFailure, match="Bridge has no method 0x01020304"):
            client.call("eth_estimateGas", {"to": to, "data": data})

    def test_local_only(self, node: Node) -> None:
        """A method that is for eth_call only works in a call and fails in a transaction."""
        caller = deploy(node, forwarder(BRIDGE))
        payload = selector("getFederationSize()")
        direct = run(node, address(BRIDGE), payload)

        assert call(node, caller, payload) == word(1) + word(4)
        assert direct.succeeded
        assert direct.gas_used == MINE_GAS + 4 * 16 + 10_000 + 2 * 4

    def test_value(self, node: Node) -> None:
        """Value sent to a precompile stays there; a failed call returns it."""
        run(node, address(4), value=5)
        run(node, address(BRIDGE), value=5)
        balances = [
            node.chain.state_at(1 + i).balance(address(to)) for i, to in enumerate((4, BRIDGE))
        ]

        assert balances == [5, MAX_RBTC]

    def test_blocks(self, node: Node) -> None:
        """Depth 0 is the parent of the block of the call, here the newest block."""
        node.mine(MineRequest(blocks=300))
        for depth in (0, 1, 280, 299):
            found = call(
                node, address(BLOCK_HEADER), selector("getBlockHash(int256)") + word(depth)
            )

            assert unpack(found) == node.chain.block(299 - depth).hash

    def test_bridge_of_the_network(self, node: Node) -> None:
        """The bridge has the parameters of the node's network."""
        answer = call(node, address(BRIDGE), selector("getFederationAddress()"))

        assert unpack(answer) == b"2N1N5mdHWmRUfv49f7GnUeFfuyLcBQK7hj2"


class TestScripts:
    """rskj's DSL scripts that call the Bridge, and what its Java tests assert of them."""

    @pytest.mark.parametrize(
        ("opcode", "logs"), [("CALL", 1), ("DELEGATECALL", 0), ("CALLCODE", 0), ("STATICCALL", 0)]
    )
    def test_bridge_delegate_call(self, node: Node, opcode: str, logs: int) -> None:
        """bridgeDelegateCall.txt: without data only CALL asks for a peg-out, which is rejected."""
        receipt = run(node, deploy(node, forwarder(BRIDGE, opcode)), b"")

        assert receipt.succeeded
        assert len(receipt.logs) == logs

    def test_error_handling(self, node: Node) -> None:
        """precompiled_error_handling.txt: a zero word is wrong for some; the caller goes on."""
        numbers = [BRIDGE, REMASC, HD_WALLET_UTILS, BLOCK_HEADER, ENVIRONMENT, *range(1, 10)]
        numbers += [SECP256K1_ADD, SECP256K1_ADD + 1]
        callers = [deploy(node, forwarder(number, "STATICCALL")) for number in numbers]
        receipts = [run(node, caller, word(0)) for caller in callers]
        failing = [
            number
            for number, caller in zip(numbers, callers, strict=True)
            if call(node, caller, word(0))[:32] == word(0)
        ]

        assert all(receipt.succeeded for receipt in receipts)
        assert failing == [BRIDGE, REMASC, HD_WALLET_UTILS, BLOCK_HEADER, ENVIRONMENT, 8, 9]

    def test_contracts04(self, node: Node) -> None:
        """contracts04.txt: the Bridge has no such function, and keeps nothing."""
        before = node.balance(address(BRIDGE))

        receipt = run(node, address(BRIDGE), b"\xfa" * 4, value=5_000)

        assert (receipt.succeeded, receipt.logs) == (True, ())
        assert node.balance(address(BRIDGE)) == before


class TestBeforeIris:
    @pytest.fixture
    def config(self) -> Config:
        """The configuration of a node under Papyrus."""
        return Config(network="test", fixed_clock=GENESIS_TIME, hardfork="papyrus")

    def test_failure(self, node: Node) -> None:
        """Before Iris a contract fails if a precompile that it calls fails (RSKIP197)."""
        caller = deploy(node, forwarder(HD_WALLET_UTILS))

        assert not run(node, caller, b"\1\2\3\4", gas=100_000).succeeded


class TestNames:
    """Names of precompiled contracts in call trees and logs."""

    def test_call_tree(self) -> None:
        """A call tree names the Bridge, its methods and its events."""
        with Node(Config(fixed_clock=GENESIS_TIME, accounts=1)) as node:
            sender = node.accounts.addresses()[0]
            vote = selector("voteFeePerKbChange(int256)") + word(5)
            trees = []
            for value, payload in ((1, b""), (0, vote)):
                tx = TransactionRequest(
                    sender=sender, to=address(BRIDGE), value=value, data=payload, gas=100_000
                )
                frames = node.explainer.transaction_frames(node.send(tx))
                assert frames is not None
                trees.append(node.explainer.draw_tree(frames))

        rejected = f"release_request_rejected(sender={checksum(sender)}, amount=1, reason=1)"
        paid = f"{checksum(sender)} {{value: 1 wei}} [0 gas]"
        assert trees == [
            f"Bridge {{value: 1 wei}} [44,000 gas]\n├─ {paid}\n└─ emit {rejected}",
            "Bridge.voteFeePerKbChange(5) → -10 [31,276 gas]",
        ]

    @pytest.mark.parametrize("upgrade", ROOTSTOCK_FORKS)
    def test_abis(self, upgrade: str) -> None:
        """The ABIs of every upgrade are well-formed, and selectors are those that are called."""
        for contract in native_contracts(upgrade).values():
            abi = Abi.from_json(contract.abi(upgrade))

            enabled = [each for each in contract.methods if each.is_enabled(upgrade)]
            assert set(abi.functions) == {each.selector for each in enabled}
            assert len(abi.events) == len(contract.events)

    def test_contracts(self) -> None:
        """Five precompiled contracts have an ABI."""
        names = [each.name for each in native_contracts("vetiver").values()]

        assert names == ["Bridge", "REMASC", "HDWalletUtils", "BlockHeader", "Environment"]
