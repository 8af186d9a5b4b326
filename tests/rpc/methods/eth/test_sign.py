"""`devchain.rpc.methods.eth.sign`"""

from __future__ import annotations

import pytest
from eth_account import Account
from eth_hash.auto import keccak

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.node import Node
from tests.accounts import ALICE_HEX, ALICE_KEY, UNFUNDED_HEX
from tests.actions import deploy
from tests.bytecode import COUNTER
from tests.conftest import GENESIS_TIME


class TestFillTransaction:
    @pytest.mark.parametrize(
        ("hardfork", "wanted", "fees"),
        [
            ("vetiver", {}, ["gasPrice"]),
            ("prague", {"type": "0x0"}, ["gasPrice"]),
            ("prague", {"type": "0x1"}, ["type", "gasPrice"]),
            ("prague", {}, ["type", "maxFeePerGas", "maxPriorityFeePerGas"]),
        ],
        ids=str,
    )
    def test_signed_elsewhere(self, hardfork: str, wanted: dict[str, str], fees: list[str]) -> None:
        """What is filled in only lacks a signature: with one, it is mined and succeeds."""
        node = Node(Config(hardfork=hardfork, fixed_clock=GENESIS_TIME))
        client = LocalClient(node)
        counter = deploy(node, COUNTER)

        filled = client.call(
            "eth_fillTransaction", {"from": ALICE_HEX, "to": f"0x{counter.hex()}", **wanted}
        )

        shown = filled["tx"]
        assert (shown["v"], shown["r"], shown["s"]) == ("0x0", "0x0", "0x0")
        assert filled["raw"].endswith("808080")
        assert shown["hash"] == f"0x{keccak(bytes.fromhex(filled['raw'][2:])).hex()}"
        given = {each: shown[each] for each in ("nonce", "gas", "value", *fees)}
        given |= {"to": counter, "chainId": node.config.effective_chain_id}
        raw = Account.sign_transaction({**given, "data": "0x"}, ALICE_KEY).raw_transaction
        sent = client.call("eth_sendRawTransaction", f"0x{raw.hex()}")
        assert client.call("eth_getTransactionReceipt", sent)["status"] == "0x1"

    @pytest.mark.parametrize("given", [{}, {"type": "0x0"}], ids=["no type", "legacy"])
    def test_gas_price(self, given: dict[str, str]) -> None:
        """The gas price is the suggested one, above the lowest; one that is given stays."""
        with Node(Config(network="test", min_gas_price=60_000_000)) as node:
            client = LocalClient(node)
            request = {"from": ALICE_HEX, "to": UNFUNDED_HEX, **given}

            filled = client.call("eth_fillTransaction", request)["tx"]["gasPrice"]
            kept = client.call("eth_fillTransaction", {**request, "gasPrice": "0x3938700"})["tx"]

            assert filled == client.call("eth_gasPrice") == hex(66_000_000)
            assert kept["gasPrice"] == "0x3938700"
