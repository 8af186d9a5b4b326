"""`devchain.evm.rootstock.precompiles.bridge`: its methods together"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from devchain.chain.block import Receipt
from devchain.config import Config
from devchain.evm.rootstock.precompiles.bridge import BRIDGE as CONTRACT
from devchain.evm.rootstock.precompiles.bridge.federation import account_of
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS
from devchain.evm.rootstock.precompiles.powpeg import free_senders, powpeg_of
from devchain.evm.rootstock.upgrades import first_upgrade
from devchain.networks import ROOTSTOCK as ROOTSTOCK_FORKS
from devchain.networks import is_since
from devchain.node import Node
from devchain.types import Address, Tag
from tests.actions import run
from tests.bytecode import word
from tests.conftest import GENESIS_TIME
from tests.evm.rootstock.precompiles.bridge.calls import account, arguments, call
from tests.evm.rootstock.precompiles.calling import BRIDGE, CALLER, Machine, selector

FRESH_ANSWERS = json.loads((Path(__file__).parent / "fresh_answers.json").read_text("utf-8"))
INTERFACE = json.loads((Path(__file__).parent / "interface.json").read_text("utf-8"))
LOCAL, MINED = Machine(), Machine(local_call=False)


class TestCalls:
    @pytest.mark.parametrize("method", CONTRACT.methods, ids=lambda each: each.signature)
    def test_every_method(self, method: Any) -> None:
        """Each method has its gas, and its answer or reason, for zeros on a new chain."""
        upgrade = first_upgrade(method.since, 33) if isinstance(method.since, int) else method.since
        outcome = call(Machine(str(upgrade)), method.signature, word(0) * (len(method.inputs) + 2))
        answer = str(outcome.error) if outcome.error else outcome.output.hex()

        assert [outcome.gas, answer] == FRESH_ANSWERS[f"{method.signature} {upgrade}"]

    @pytest.mark.parametrize(
        ("payload", "reason"),
        [
            (b"\1\2\3\4", "Bridge has no method 0x01020304 under vetiver"),
            (b"\1", "Bridge has no method 0x01 under vetiver"),
            (selector("getLockWhitelistAddress(int256)") + b"\1", "malformed"),
        ],
        ids=["unknown", "short", "malformed"],
    )
    def test_no_method(self, payload: bytes, reason: str) -> None:
        """An unknown method costs the gas of a release, without gas per byte."""
        outcome = LOCAL.call(BRIDGE, payload)

        assert reason in str(outcome.error)
        assert outcome.gas == 23_000

    def test_local_only(self) -> None:
        """Most reading methods answer eth_call only; some also contracts."""
        outcome = call(MINED, "getFederationSize()")
        height = "getBtcBlockchainBestChainHeight()"

        assert str(outcome.error) == "Bridge.getFederationSize answers calls, not transactions"
        assert call(MINED, height).error is None
        assert call(Machine("papyrus", local_call=False), height).error is not None

    def test_delegated(self) -> None:
        """CALLCODE and DELEGATECALL fail since Arrowhead."""
        kept = {"to": CALLER, "code_address": BRIDGE.to_bytes(20, "big")}
        height = "getBtcBlockchainBestChainHeight()"

        assert "not for CALLCODE or DELEGATECALL" in str(call(LOCAL, height, **kept).error)
        assert call(Machine("fingerroot"), height, **kept).error is None

    def test_static(self) -> None:
        """STATICCALL of a writing method fails."""
        outcome = call(LOCAL, "updateCollections()", is_static=True)

        assert str(outcome.error) == "Bridge.updateCollections is not for STATICCALL"
        assert call(LOCAL, "getQueuedPegoutsCount()", is_static=True).error is None

    @pytest.mark.parametrize("upgrade", ["fingerroot", "arrowhead", "vetiver"])
    @pytest.mark.parametrize("method", CONTRACT.methods, ids=lambda each: each.signature)
    def test_messages(self, upgrade: str, method: Any) -> None:
        """Kinds of messages are told apart before anything else, since Arrowhead (RSKIP417)."""
        if not method.is_enabled(upgrade):
            return
        machine = Machine(upgrade)
        kept = {"to": CALLER, "code_address": BRIDGE.to_bytes(20, "big")}
        refusals = ("is not for STATICCALL", "not for CALLCODE or DELEGATECALL")
        data = word(0) * (len(method.inputs) + 2)
        static = str(call(machine, method.signature, data, is_static=True).error)
        delegated = str(call(machine, method.signature, data, **kept).error)
        plain = str(call(machine, method.signature, data).error)

        is_limited = upgrade != "fingerroot"
        assert (refusals[0] in static) == (is_limited and not method.accepts_static)
        assert (refusals[1] in delegated) == is_limited
        assert not any(refusal in plain for refusal in refusals)

    def test_upgrades(self) -> None:
        """Each upgrade has as many methods as rskj."""
        counts = {
            name: sum(each.is_enabled(name) for each in CONTRACT.methods)
            for name in ROOTSTOCK_FORKS
        }

        assert counts == {
            "orchid": 41,
            "orchid060": 41,
            "wasabi": 42,
            "twotothree": 42,
            "papyrus": 46,
            "iris": 53,
            "fingerroot": 57,
            "arrowhead": 57,
            "lovell": 63,
            "reed": 63,
            "reed810": 76,
            "vetiver": 77,
            "next": 77,
        }

    @pytest.mark.parametrize("upgrade", ROOTSTOCK_FORKS)
    def test_interface(self, upgrade: str) -> None:
        """Each method has the output, gas and callers that rskj's BridgeMethods gives it.

        `null` is gas that depends on the arguments.
        """
        wanted = {}
        for signature, output, gas, since, until, is_local, accepts_static in INTERFACE["methods"]:
            ends = until is not None and is_since(upgrade, until)
            if is_since(upgrade, since) and not ends:
                wanted[signature] = [output, gas, is_local, accepts_static]
        enabled = [method for method in CONTRACT.methods if method.is_enabled(upgrade)]
        found = {
            method.signature: [method.output, method.gas, method.local_only, method.accepts_static]
            for method in enabled
        }
        for signature, row in found.items():
            if signature in wanted and wanted[signature][1] is None:
                row[1] = None

        assert found == wanted

    def test_events(self) -> None:
        """Events are those of rskj's BridgeEvents."""
        found = [
            f"{event.name}("
            + ",".join(
                f"{each['type']}{' indexed' * bool(each['indexed'])} {each['name']}"
                for each in event.parameters
            )
            + ")"
            for event in CONTRACT.events
        ]

        assert sorted(found) == sorted(INTERFACE["events"])

    def test_main_network(self) -> None:
        """The main network has neither the union bridge nor base and super events."""
        enabled = [each for each in CONTRACT.methods if each.is_enabled("vetiver", 30)]

        assert len(enabled) == 64


@pytest.mark.parametrize("engine", ["fast", "reference"])
class TestFreeTransactions:
    def send(self, engine: str, sender: Address, network: str = "local") -> tuple[Receipt, int]:
        """The receipt of a transaction to the Bridge at 7 wei per gas, and what was paid."""
        data = selector("receiveHeader(bytes)") + arguments(b"")
        config = Config(engine=engine, network=network, fixed_clock=GENESIS_TIME, accounts=1)
        with Node(config) as node:
            node.accounts.impersonate(sender)
            node.set_balance(sender, 10**18)
            price = max(7, node.chain.lowest_gas_price())
            receipt = run(node, ADDRESS, data, sender=sender, gas=100_000, gas_price=price)
            left = node.chain.state_at(Tag.LATEST).balance(sender)
        return receipt, (10**18 - left) // price

    @pytest.mark.parametrize(
        "seed", ["federator1", "auth-a", "auth-fee-per-kb", "auth-lock-whitelist"]
    )
    def test_free(self, engine: str, seed: str) -> None:
        """Federators and voters pay nothing on a local chain (BridgeUtils.isFreeBridgeTx)."""
        receipt, paid = self.send(engine, account(seed))

        assert receipt.succeeded
        assert (receipt.gas_used, paid) == (0, 0)

    def test_others(self, engine: str) -> None:
        """Others pay, and on the main network federators too."""
        federator = min(free_senders(33))
        mainnet = account_of(powpeg_of(30).keys[0])

        for sender, network in ((CALLER, "local"), (federator, "main"), (mainnet, "main")):
            receipt, paid = self.send(engine, sender, network)
            assert receipt.gas_used == paid > 30_000
