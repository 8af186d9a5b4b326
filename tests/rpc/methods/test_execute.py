"""`devchain.rpc.methods.execute`"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest
from hexbytes import HexBytes
from web3 import Web3
from web3.exceptions import ContractCustomError, ContractLogicError, ContractPanicError
from web3.providers.base import JSONBaseProvider
from web3.types import RPCEndpoint, RPCResponse

from devchain.client.http import LocalClient
from devchain.config import MNEMONIC, Config
from devchain.errors import RpcFailure
from devchain.node import Node
from devchain.rpc.dispatch import Dispatcher
from devchain.rpc.methods.execute import call
from devchain.types import Tag, TransactionRequest, checksum
from tests.accounts import ALICE_HEX, BOB_HEX, FUNDS, UNFUNDED_HEX
from tests.actions import deploy, send
from tests.bytecode import COUNTER, REVERT, error_payload, panic_payload, word


class TestGetStorageAt:
    @pytest.mark.parametrize("slot", ["0x0", "0x1", 0, "0x" + "00" * 32, "0x" + "ff" * 32])
    def test_never_written(self, client: LocalClient, slot: object) -> None:
        """An unwritten slot is 32 zero bytes, in all notations of its number."""
        assert client.call("eth_getStorageAt", UNFUNDED_HEX, slot, "latest") == "0x" + "00" * 32

    @pytest.mark.parametrize("slot", ["0", "0x1" + "00" * 32, -1, None, True])
    def test_not_a_slot(self, client: LocalClient, slot: object) -> None:
        """A slot is a QUANTITY of at most 256 bits."""
        with pytest.raises(RpcFailure) as caught:
            client.call("eth_getStorageAt", UNFUNDED_HEX, slot, "latest")

        assert caught.value.code == -32602
        assert caught.value.message.startswith("argument slot: ")


VM = "VM Exception while processing transaction: "


def failing(client: LocalClient, method: str, *params: object) -> tuple[int, str, object]:
    """Code, message and data with which a call is refused."""
    with pytest.raises(RpcFailure) as caught:
        client.call(method, *params)
    return caught.value.code, caught.value.message, caught.value.data


def with_code(code: bytes) -> dict[str, Any]:
    """Overrides that put a contract where BOB is."""
    return {BOB_HEX: {"code": "0x" + code.hex()}}


def to_bob(data: bytes = b"", **members: object) -> dict[str, Any]:
    """A call object to BOB."""
    return {"from": ALICE_HEX, "to": BOB_HEX, "data": "0x" + data.hex(), **members}


class TestCall:
    def test_past_state(self, node: Node) -> None:
        """A call at a past block sees that block's state."""
        counter = deploy(node, COUNTER)
        send(node, counter)

        actual = [call(node, TransactionRequest(to=counter), block) for block in (0, 1, 2)]

        assert actual == [b"", word(1), word(2)]

    def test_pending(self, node: Node) -> None:
        """With `pending`, what waits counts as done."""
        counter = deploy(node, COUNTER)
        node.miner.running = False
        send(node, counter)

        assert call(node, TransactionRequest(to=counter), Tag.PENDING) == word(2)


REVERTS = {
    "nothing": (b"", "execution reverted"),
    "reason": (error_payload("no money"), "execution reverted: no money"),
    "empty reason": (error_payload(""), "execution reverted"),
    "UTF-8 reason": (error_payload("tröte"), "execution reverted: tröte"),
    "overflow": (
        panic_payload(0x11),
        "execution reverted: panic: arithmetic overflow or underflow (0x11)",
    ),
    "assertion": (panic_payload(0x01), "execution reverted: panic: assertion failed (0x01)"),
    "custom error": (
        bytes.fromhex("deadbeef") + word(1),
        "execution reverted: custom error 0xdeadbeef",
    ),
    "a few bytes": (b"\x01\x02", "execution reverted"),
    "half a reason": (error_payload("no money")[:40], "execution reverted"),
    "endless reason": (bytes.fromhex("08c379a0") + b"\xff" * 64, "execution reverted"),
}


class TestCallMany:
    def test_state(self, node: Node, client: LocalClient) -> None:
        """Calls see those before them, of all bundles; the chain sees none of them."""
        counter = f"0x{deploy(node, COUNTER).hex()}"
        bundle = {"transactions": [{"to": counter}, {"to": counter}]}

        results = client.call("eth_callMany", [bundle, bundle], "latest")

        values = [[int(result["value"], 16) for result in bundle] for bundle in results]
        assert values == [[1, 2], [3, 4]]
        assert int(client.call("eth_call", {"to": counter}, "latest"), 16) == 1

    def test_blocks(self, client: LocalClient) -> None:
        """Each bundle is in the next block, or in the one that it names, on the same chain."""
        numbers = {"transactions": [{"data": f"0x{code}60005260206000f3"} for code in ("43", "42")]}
        parent = {"transactions": [{"data": "0x60004060005260206000f3"}]}
        named = {**numbers, "blockOverride": {"number": "0x64", "time": "0x70000000"}}
        client.call("evm_mine")
        now = int(client.call("eth_getBlockByNumber", "latest", False)["timestamp"], 16)

        results = client.call("eth_callMany", [numbers, numbers, named, numbers, parent])

        values = [[int(result["value"], 16) for result in bundle] for bundle in results]
        later = [[1, now], [2, now + 1], [100, 0x70000000], [101, 0x70000001]]
        assert values[:4] == later
        genesis = client.call("eth_getBlockByNumber", "earliest", False)["hash"]
        assert results[4] == [{"value": genesis}]

    def test_failure(self, client: LocalClient) -> None:
        """A call that fails says why, and the ones after it run."""
        codes = ("0x60006000fd", "0xfe", "0x")
        calls = [{"data": code} for code in codes] + [{"to": BOB_HEX, "gas": "0x1"}]

        (results,) = client.call("eth_callMany", [{"transactions": calls}])

        assert results == [
            {"error": "execution reverted"},
            {"error": "invalid opcode"},
            {"value": "0x"},
            {"error": "intrinsic gas too low: have 1, want 21000"},
        ]

    def test_large(self) -> None:
        """The results have a maximum size, which is -32012."""
        client = LocalClient(Node(Config(max_response=2_048)))
        calls = [{"data": "0x6101006000f3"}] * 5

        with pytest.raises(RpcFailure, match="max-response") as caught:
            client.call("eth_callMany", [{"transactions": calls}])

        assert caught.value.code == -32012


class TestRevert:
    @pytest.mark.parametrize(("payload", "expected"), REVERTS.values(), ids=REVERTS)
    @pytest.mark.parametrize("method", ["eth_call", "eth_estimateGas"])
    def test_reverted(
        self, client: LocalClient, method: str, payload: bytes, expected: str
    ) -> None:
        """A revert is -32015 with the decoded reason and the payload as bare hex."""
        actual = failing(client, method, to_bob(payload), "latest", with_code(REVERT))

        assert actual == (-32015, VM + expected, "0x" + payload.hex())


class TestEstimateGas:
    @pytest.mark.parametrize("block", [[], [None], ["latest"], ["pending"], ["0x0"]])
    def test_block(self, client: LocalClient, block: list[Any]) -> None:
        """The block is optional."""
        assert client.call("eth_estimateGas", to_bob(), *block) == "0x5208"

    @pytest.mark.parametrize(
        ("request_object", "balance", "cost"),
        [
            ({"from": UNFUNDED_HEX, "to": BOB_HEX, "value": "0x1"}, 0, 1),
            ({"from": UNFUNDED_HEX, "to": BOB_HEX, "gasPrice": "0x2"}, 0, 42_000),
            ({"from": ALICE_HEX, "to": BOB_HEX, "value": hex(FUNDS + 1)}, FUNDS, FUNDS + 1),
            ({"to": BOB_HEX, "value": "0x1"}, 0, 1),
        ],
        ids=["value", "gas price", "more than all", "no sender"],
    )
    def test_funds(
        self, client: LocalClient, request_object: dict[str, str], balance: int, cost: int
    ) -> None:
        """A sender that cannot pay value or gas is an error, as the real node's since 6.5.0."""
        actual = failing(client, "eth_estimateGas", request_object)

        amounts = f"balance {balance} wei, cost {cost} wei"
        sender = request_object.get("from")
        shown = sender and checksum(bytes.fromhex(sender[2:]))
        whose = shown or "the zero address, since the request has no from"
        text = f"insufficient funds for transfer: {amounts}; the sender is {whose}"
        assert actual == (-32000, text, None)


class InProcess(JSONBaseProvider):
    """A web3.py provider of a node in this process."""

    def __init__(self, node: Node) -> None:
        """Ask that node."""
        super().__init__()
        self._dispatcher = Dispatcher(node)

    def make_request(self, method: RPCEndpoint, params: Any) -> RPCResponse:
        """What the node answers."""
        answer = self._dispatcher.serve_now(self.encode_rpc_request(method, params))
        return self.decode_rpc_response(cast(bytes, answer))


class TestFundsOfEstimates:
    """Whether the sender has to pay, as Hardhat 2.29, ganache 7.9 and anvil 1.7.1 answer."""

    @pytest.mark.parametrize(
        ("like", "runs_code", "is_estimated"),
        [
            ("hardhat", True, True),
            ("hardhat", False, True),
            ("ganache", True, True),
            ("anvil", True, False),
            ("anvil", False, True),
            (None, True, False),
            (None, False, False),
        ],
    )
    @pytest.mark.parametrize(
        "members",
        [
            {"value": hex(10**30)},
            {"value": "0x1", "gasPrice": hex(10**18)},
            {"gasPrice": hex(10**10)},
            {"maxFeePerGas": hex(10**10), "maxPriorityFeePerGas": "0x1"},
        ],
    )
    def test_presets(
        self, like: str | None, runs_code: bool, is_estimated: bool, members: dict[str, str]
    ) -> None:
        """Hardhat and ganache never ask, anvil only for what runs code."""
        with Node(Config(like=like, hardfork="prague", mnemonic=MNEMONIC)) as node:
            counter = "0x" + deploy(node, COUNTER).hex()
            request = {"from": UNFUNDED_HEX, "to": counter if runs_code else BOB_HEX, **members}
            asking = LocalClient(node)

            if is_estimated:
                free = {"to": request["to"]}
                estimate = asking.call("eth_estimateGas", request)
                assert estimate == asking.call("eth_estimateGas", free)
            else:
                with pytest.raises(RpcFailure, match=r"(?i)insufficient funds"):
                    asking.call("eth_estimateGas", request)


class TestWeb3py:
    @pytest.fixture
    def web3(self, node: Node) -> Web3:
        """A web3.py client of the node."""
        return Web3(InProcess(node))

    @pytest.mark.parametrize("payload", [b"", error_payload("no money")], ids=["nothing", "reason"])
    def test_revert(self, node: Node, web3: Web3, payload: bytes) -> None:
        """web3.py takes our revert for what it is; the reason is in its data."""
        contract = Web3.to_checksum_address(deploy(node, REVERT))

        with pytest.raises(ContractLogicError) as caught:
            web3.eth.call({"to": contract, "data": HexBytes(payload)})

        assert caught.value.message == "execution reverted"
        assert caught.value.data == "0x" + payload.hex()

    def test_reason(self, config: Config) -> None:
        """With `--revert-code 3`, geth's, web3.py decodes the reason itself."""
        node = Node(replace(config, revert_code=3))
        contract = Web3.to_checksum_address(deploy(node, REVERT))
        payload = HexBytes(error_payload("no money"))

        with pytest.raises(ContractLogicError, match="execution reverted: no money"):
            Web3(InProcess(node)).eth.call({"to": contract, "data": payload})

    def test_panic(self, node: Node, web3: Web3) -> None:
        """And a panic by its code."""
        contract = Web3.to_checksum_address(deploy(node, REVERT))

        with pytest.raises(ContractPanicError, match="0x11"):
            web3.eth.call({"to": contract, "data": HexBytes(panic_payload(0x11))})

    def test_custom_error(self, node: Node, web3: Web3) -> None:
        """And a custom error by its data."""
        contract = Web3.to_checksum_address(deploy(node, REVERT))
        payload = bytes.fromhex("deadbeef") + word(1)

        with pytest.raises(ContractCustomError) as caught:
            web3.eth.call({"to": contract, "data": HexBytes(payload)})

        assert caught.value.data == "0x" + payload.hex()

    def test_estimate(self, node: Node, web3: Web3) -> None:
        """An estimate's revert is one too."""
        contract = Web3.to_checksum_address(deploy(node, REVERT))

        with pytest.raises(ContractLogicError):
            web3.eth.estimate_gas({"to": contract})


class TestOverrides:
    @pytest.mark.parametrize(
        ("method", "options"),
        [
            ("eth_call", {}),
            ("eth_estimateGas", {}),
            ("eth_createAccessList", {}),
            ("debug_traceCall", {"shape": "stateOverrides"}),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_one_rule(self, method: str, options: dict[str, str]) -> None:
        """Every method that takes state overrides refuses what the node has not got."""
        refused = {
            "movePrecompileToAddress is not supported": (
                Config(hardfork="prague"),
                {f"0x{4:040x}": {"movePrecompileToAddress": BOB_HEX}},
            ),
            "--no-state-overrides": (
                Config(state_overrides=False),
                {BOB_HEX: {"balance": "0x1"}},
            ),
        }
        for text, (config, overrides) in refused.items():
            given: Any = {options["shape"]: overrides} if options else overrides
            with pytest.raises(RpcFailure, match=text):
                LocalClient(Node(config)).call(
                    method, {"from": ALICE_HEX, "to": BOB_HEX}, "latest", given
                )
