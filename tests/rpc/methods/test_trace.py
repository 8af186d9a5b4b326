"""`devchain.rpc.methods.trace`"""

from __future__ import annotations

from typing import Any

import pytest
from eth_account import Account
from web3 import Web3
from web3.providers.base import BaseProvider

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import RpcFailure
from devchain.node import Node
from devchain.rpc.json_codec import encode
from devchain.rpc.methods import trace
from devchain.tracing.options import SOURCE, TRACERS, TraceOptions
from devchain.types import BlockHash, Hash32, TransactionRequest
from tests.accounts import ALICE_HEX, BOB, BOB_HEX, CAROL_HEX
from tests.actions import deploy, receipt_of, send
from tests.bytecode import (
    COUNTER,
    CREATOR,
    ECHO,
    FORWARD,
    REVERT,
    assemble,
    error_payload,
    init_code,
)
from tests.conftest import GENESIS_TIME
from tests.tracing.programs import Program, call, place
from tests.tracing.reading import frames

NOWHERE = Hash32(bytes(32))


def texts(raw: bytes) -> str:
    """Bytes as DATA."""
    return f"0x{raw.hex()}"


class TestTraceTransaction:
    @pytest.mark.parametrize("tracer", TRACERS)
    def test_on_the_wire(self, node: Node, client: LocalClient, tracer: str) -> None:
        """Each tracer is selected by its name; one of failures has nothing of a success."""
        tx_hash = texts(send(node, deploy(node, COUNTER), b"\1\2\3\4"))
        answer = client.call("debug_traceTransaction", tx_hash, {"tracer": tracer})

        assert bool(answer) is (tracer != SOURCE)

    def test_unknown_tracer(self, client: LocalClient) -> None:
        """An unknown tracer is -32602, naming the known ones."""
        with pytest.raises(
            RpcFailure, match="argument options: unknown tracer 'x': known"
        ) as caught:
            client.call("debug_traceTransaction", texts(NOWHERE), {"tracer": "x"})

        assert caught.value.code == -32602

    def test_failed(self, node: Node, client: LocalClient) -> None:
        """A failed transaction is traced, not refused."""
        tx_hash = send(node, deploy(node, REVERT), error_payload("no"))

        trace = client.call("debug_traceTransaction", texts(tx_hash))

        assert (trace["failed"], trace["returnValue"]) == (True, texts(error_payload("no")))
        assert trace["gas"] == receipt_of(node, tx_hash).gas_used

    def test_deep(self, node: Node, client: LocalClient) -> None:
        """The deepest calls (400) are returned, though few JSON encoders nest that far."""
        again = assemble("0 0 0 0 0 ADDRESS GAS CALL STOP")
        tx_hash = texts(send(node, deploy(node, again)))

        call = client.call("debug_traceTransaction", tx_hash, {"tracer": "callTracer"})
        flat = client.call("trace_transaction", tx_hash)

        assert len(frames(call)) == len(flat) == 402
        assert flat[-1]["traceAddress"] == [0] * 401


class TestTraceBlock:
    def test_each(self, node: Node, client: LocalClient) -> None:
        """Every transaction of the block has its trace."""
        node.miner.running = False
        hashes = [texts(send(node, BOB, value=value, gas=21_000)) for value in (1, 2)]
        node.miner.mine()
        options = {"tracer": "callTracer"}

        by_number = client.call("debug_traceBlockByNumber", "0x1", options)
        by_hash = client.call("debug_traceBlockByHash", texts(node.chain.head.hash), options)

        assert by_hash == by_number
        assert [each["txHash"] for each in by_number] == hashes
        assert [each["result"]["value"] for each in by_number] == ["0x1", "0x2"]

    def test_genesis(self, client: LocalClient) -> None:
        """The genesis block has no traces; under Ethereum's rules it is refused, as in geth."""
        ethereum = LocalClient(Node(hardfork="prague"))

        assert client.call("debug_traceBlockByNumber", "0x0") == []
        with pytest.raises(RpcFailure, match="genesis is not traceable"):
            ethereum.call("debug_traceBlockByNumber", "0x0")

    def test_rsk_tracer(self, node: Node) -> None:
        """The real node's traces come without hashes."""
        send(node, BOB, gas=21_000)

        (traced,) = trace.trace_block(node, 1, TraceOptions("rskTracer"))

        assert "transferInvoke" in traced


class TestTraceCall:
    def test_gas(self, node: Node) -> None:
        """Gas defaults to, and is capped at, that of a call."""
        request = TransactionRequest(to=BOB)
        options = TraceOptions("callTracer")

        plain: Any = trace.trace_call(node, request, options=options)
        more: Any = trace.trace_call(node, TransactionRequest(to=BOB, gas=10**9), 0, options)

        assert plain["gas"] == more["gas"] == node.chain.head.gas_limit

    def test_reverted(self, node: Node, client: LocalClient) -> None:
        """A call that reverts is a trace as any other."""
        request = {"to": texts(deploy(node, REVERT)), "data": texts(error_payload("no"))}

        trace = client.call("debug_traceCall", request, "latest", {"tracer": "callTracer"})

        assert (trace["error"], trace["revertReason"]) == ("execution reverted", "no")


class Local(BaseProvider):
    """web3.py's way to a node in this process."""

    def __init__(self, node: Node) -> None:
        """Speak to that node."""
        super().__init__()
        self.client = LocalClient(node)

    def make_request(self, method: Any, params: Any) -> Any:
        """Answer as a server would."""
        return {"jsonrpc": "2.0", "id": 1, "result": self.client.call(method, *encode(params))}


class TestWeb3:
    def test_reads(self, node: Node) -> None:
        """web3.py reads struct logs, call frames, prestates and flat calls."""
        w3 = Web3(Local(node))
        counter = deploy(node, COUNTER)
        tx_hash: Any = send(node, counter)

        plain: Any = w3.geth.debug.trace_transaction(tx_hash)
        calls: Any = w3.geth.debug.trace_transaction(tx_hash, {"tracer": "callTracer"})
        changes: Any = w3.geth.debug.trace_transaction(
            tx_hash, {"tracer": "prestateTracer", "tracerConfig": {"diffMode": True}}
        )
        found: Any = w3.tracing.trace_transaction(tx_hash)

        used = receipt_of(node, tx_hash).gas_used
        assert plain.gas == calls.gasUsed == used
        assert calls["from"].lower() == ALICE_HEX
        storage = changes["post"][w3.to_checksum_address(counter)]["storage"]
        assert [int(value, 16) for value in storage.values()] == [1]
        assert found[0]["result"]["gasUsed"] == used


IDENTITY = bytes(31) + b"\4"


def mined(node: Node, to: Any, data: bytes = b"", **given: Any) -> list[dict[str, Any]]:
    """The traces of a transaction."""
    found = trace.transaction_traces(node, Hash32(send(node, to, data, **given)))
    assert found is not None
    return found


class TestTransactionTraces:
    def test_true_data(self, node: Node) -> None:
        """Every call has its own input and output."""
        echo = deploy(node, ECHO)

        outer, inner = mined(node, deploy(node, FORWARD), bytes(12) + echo + b"\1\2")

        assert outer["action"]["input"] == bytes(12) + echo + b"\1\2"
        assert (inner["action"]["input"], inner["action"]["to"]) == (b"\1\2", echo)
        assert outer["result"]["output"] == inner["result"]["output"] == b"\1\2"
        assert (outer["subtraces"], inner["traceAddress"]) == (1, [0])

    def test_creations(self, node: Node) -> None:
        """A creation has `init`; only inner creations have `creationMethod`."""
        (outer,) = mined(node, None, init_code(ECHO))
        _, inner = mined(node, deploy(node, CREATOR), init_code(ECHO))

        assert "creationMethod" not in outer["action"]
        assert inner["action"]["creationMethod"] == "create"
        assert inner["action"]["init"] == outer["action"]["init"] == init_code(ECHO)
        assert inner["result"]["code"] == ECHO

    def test_self_destruct(self, node: Node) -> None:
        """A self-destruct has a null result."""
        _, last = mined(node, place(node, Program((), "destroy", value=5)))

        assert (last["type"], last["result"]) == ("suicide", None)
        assert last["action"]["balance"] == 5

    def test_failed(self, node: Node) -> None:
        """What failed has an error and a null result."""
        (only,) = mined(node, deploy(node, REVERT))

        assert (only["error"], only["result"]) == ("Reverted", None)

    def test_precompiled(self, node: Node) -> None:
        """Calls of precompiled contracts are left out."""
        (only,) = mined(node, deploy(node, FORWARD), IDENTITY)

        assert only["subtraces"] == 0


class TestBlockTraces:
    def test_all(self, node: Node) -> None:
        """A block has the traces of all its transactions."""
        node.miner.running = False
        for value in (1, 2):
            send(node, BOB, value=value, gas=21_000)
        node.miner.mine()

        by_number = trace.block_traces(node, 1)
        by_hash = trace.block_traces(node, BlockHash(node.chain.head.hash))

        assert by_number == by_hash
        assert by_number is not None
        places = [(each["transactionPosition"], each["action"]["value"]) for each in by_number]
        assert places == [(0, 1), (1, 2)]


class TestFilter:
    def test_window(self, node: Node, client: LocalClient) -> None:
        """Blocks, accounts and a window choose."""
        for value in (1, 2, 3):
            send(node, BOB, value=value, gas=21_000)
        query = {"fromBlock": "0x1", "toAddress": [BOB_HEX], "after": 1, "count": 1}

        (found,) = client.call("trace_filter", query)

        assert found["action"]["value"] == "0x2"
        assert client.call("trace_filter", {"toAddress": CAROL_HEX}) == []

    @pytest.mark.parametrize(
        "bounds",
        [
            {"fromBlock": "0x2", "toBlock": "0x1"},
            {"fromBlock": "0x4"},
            {"fromBlock": "0x4", "toBlock": "0x9"},
            {"fromBlock": "latest", "toBlock": "earliest"},
        ],
        ids=str,
    )
    def test_no_block(self, node: Node, client: LocalClient, bounds: dict[str, str]) -> None:
        """A range that is reversed or past the head gives nothing, as in `eth_getLogs`."""
        for value in (1, 2, 3):
            send(node, BOB, value=value, gas=21_000)

        assert client.call("trace_filter", bounds) == client.call("eth_getLogs", bounds) == []


class TestGet:
    def test_position(self, node: Node) -> None:
        """A position counts through the transaction's traces."""
        program = Program((call("CALL", Program((), "stop")),), "stop")
        tx_hash = Hash32(send(node, place(node, program)))

        listed = trace.transaction_traces(node, tx_hash)

        assert listed is not None
        assert [trace.trace_get(node, tx_hash, [index]) for index in range(3)] == [*listed, None]


class TestAgreement:
    def test_gas(self, node: Node) -> None:
        """The top has the gas of the receipt."""
        tx_hash = send(node, deploy(node, FORWARD), IDENTITY)

        (top,) = trace.transaction_traces(node, Hash32(tx_hash)) or []

        assert top["result"]["gasUsed"] == receipt_of(node, tx_hash).gas_used


class TestParityResults:
    def test_as_mined(self, node: Node, client: LocalClient) -> None:
        """A call's traces and changes are those of the transaction that does the same."""
        counter = texts(deploy(node, COUNTER))
        request = {"from": ALICE_HEX, "to": counter, "gas": "0x186a0"}
        called = client.call("trace_call", request, ["trace", "stateDiff"], "latest")

        replayed = client.call(
            "trace_replayTransaction",
            client.call("eth_sendTransaction", request),
            ["trace", "stateDiff"],
        )

        assert called == replayed

    def test_destroyed(self, client: LocalClient) -> None:
        """An account that a transaction deletes has the values that it had."""
        client.call("hardhat_setCode", CAROL_HEX, texts(assemble("0 SELFDESTRUCT")))
        request = {"from": ALICE_HEX, "to": CAROL_HEX}

        diff = client.call("trace_call", request, ["stateDiff"])["stateDiff"][CAROL_HEX]

        assert diff["code"] == {"-": texts(assemble("0 SELFDESTRUCT"))}
        assert diff["balance"] == {"-": client.call("eth_getBalance", CAROL_HEX)}

    def test_sequence(self, node: Node, client: LocalClient) -> None:
        """Calls see those before them; the block of the first is as the chain has it."""
        counter = texts(deploy(node, COUNTER))
        calls = [[{"to": counter}, ["trace"]]] * 3

        results = client.call("trace_callMany", calls)

        assert [int(result["output"], 16) for result in results] == [1, 2, 3]
        assert int(client.call("eth_call", {"to": counter}, "latest"), 16) == 1

    def test_budget(self, node: Node) -> None:
        """All calls of a request share the limit of its traces."""
        client = LocalClient(Node(Config(fixed_clock=GENESIS_TIME, max_trace_size=600)))
        calls = [[{"to": BOB_HEX, "input": "0x" + "00" * 3_200}, ["trace"]]]
        client.call("trace_callMany", calls)

        with pytest.raises(RpcFailure, match="the trace grows larger than 600 words"):
            client.call("trace_callMany", calls * 10)

    @pytest.mark.parametrize("kind", [0, 1, 2, 4])
    def test_raw_transaction(self, kind: int) -> None:
        """A signed transaction of each type has the changes that sending it makes."""
        node = Node(Config(hardfork="prague", fixed_clock=GENESIS_TIME))
        client = LocalClient(node)
        request = {"from": ALICE_HEX, "to": BOB_HEX, "value": "0x1", "type": hex(kind)}
        request["gas"] = "0x186a0"
        if kind in {1, 2}:
            request["accessList"] = [{"address": CAROL_HEX, "storageKeys": [texts(NOWHERE)]}]
        if kind == 4:
            account = Account.from_key(node.accounts.dev_keys[1][1])
            signed = account.sign_authorization(
                {"chainId": 0, "address": CAROL_HEX, "nonce": 0}
            ).model_dump(by_alias=True)
            fields = ("chainId", "nonce", "yParity", "r", "s")
            quantities = {name: hex(signed[name]) for name in fields}
            request["authorizationList"] = [{"address": CAROL_HEX, **quantities}]
        raw = client.call("eth_signTransaction", request)["raw"]

        traced = client.call("trace_rawTransaction", raw, ["trace", "stateDiff"])

        sent = client.call("eth_sendRawTransaction", raw)
        mined = client.call("trace_replayTransaction", sent, ["trace", "stateDiff"])
        assert traced["trace"] == mined["trace"]
        assert traced["stateDiff"][BOB_HEX] == mined["stateDiff"][BOB_HEX]


class TestTraceRawBlock:
    @pytest.mark.parametrize("hardfork", ["vetiver", "prague"])
    def test_as_by_number(self, hardfork: str) -> None:
        """A block that is given as RLP is traced as by its number."""
        client = LocalClient(Node(Config(hardfork=hardfork, fixed_clock=GENESIS_TIME)))
        client.call("eth_sendTransaction", {"from": ALICE_HEX, "to": BOB_HEX})
        raw = client.call("debug_getRawBlock", "latest")

        traced = client.call("debug_traceBlock", raw)

        assert traced == client.call("debug_traceBlockByNumber", "latest")
