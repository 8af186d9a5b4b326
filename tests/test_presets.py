"""`devchain.presets` and `Config(like=...)`"""

from __future__ import annotations

import json
import string
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import pytest

from devchain.client.http import LocalClient
from devchain.clock import Clock
from devchain.config import Config, config_fields
from devchain.contracts.abi import Abi
from devchain.contracts.artifacts import Artifact
from devchain.errors import (
    BlockNotFound,
    ConfigError,
    DevchainError,
    InvalidParams,
    NotFound,
    RpcFailure,
)
from devchain.node import Node, call_explainer
from devchain.presets import DEVCHAIN, PRESETS, Preset
from devchain.presets.fields import ANY_METHOD, ErrorText
from devchain.presets.hardhat import UNSUPPORTED
from devchain.rpc.catalog import METHODS
from devchain.rpc.dispatch import Dispatcher
from devchain.rpc.errors import preset_row
from tests.accounts import ALICE, ALICE_HEX, BOB_HEX, UNFUNDED_HEX
from tests.actions import deploy
from tests.bytecode import STORE, assemble, word
from tests.clocks import Stopwatch
from tests.conftest import GENESIS_TIME

REVERT, INVALID, LOGS = "0x5f5ffd", "0xfe", "0x5f5fa000"
"""Init code: PUSH0 PUSH0 REVERT; an invalid opcode; PUSH0 PUSH0 LOG0 STOP."""
REVERTS_WITH_INPUT = assemble("CALLDATASIZE 0 0 CALLDATACOPY CALLDATASIZE 0 REVERT")
PAY = {"type": "function", "name": "pay", "inputs": [{"name": "to", "type": "uint256"}]}
PAY_DATA = "0xc290d691" + "00" * 32
NO_REASON = "Transaction reverted without a reason string"
WORDS = [f"{number:064x}" for number in range(10)]
"""Numbers as Hardhat writes them in traces."""
NO_WORD = "Storage value must be exactly 32 bytes long."
UNKNOWN_HASH = "0x" + "ab" * 32
UNKNOWN = BlockNotFound("there is no block 7", number=7)


class TestTable:
    @pytest.mark.parametrize("name", PRESETS)
    def test_valid(self, name: str) -> None:
        """A preset changes defaults of fields that exist, to values that are allowed."""
        defaults = PRESETS[name].defaults

        assert set(defaults) <= {each.name for each in fields(Config)} - {"like"}
        assert all(getattr(Config(like=name), each) == defaults[each] for each in defaults)

    @pytest.mark.parametrize(
        "name", [name for name, each in PRESETS.items() if each.needs_rootstock]
    )
    def test_other_rules(self, name: str) -> None:
        """A preset that is about Rootstock's rules is refused with Ethereum's."""
        with pytest.raises(ConfigError, match=f"^like {name} needs Rootstock's rules"):
            Config(like=name, hardfork="prague")

    @pytest.mark.parametrize("name", PRESETS)
    def test_names(self, name: str) -> None:
        """A preset is listed under its own name, and names methods that exist."""
        preset = PRESETS[name]
        named = {
            *preset.errors,
            *preset.parameter_counts,
            *preset.missing_block_is_error,
        } - {ANY_METHOD}

        assert PRESETS[name].name == name
        assert named - set(METHODS) == set()

    def test_texts(self) -> None:
        """The texts of errors name attributes that `error` has."""
        for preset in PRESETS.values():
            rows = [
                each
                for rows in preset.errors.values()
                for each in rows.values()
                if isinstance(each, ErrorText)
            ]
            texts = [row.text for row in rows if isinstance(row.text, str)]
            names = {name for text in texts for _, name, _, _ in string.Formatter().parse(text)}

            assert {name.partition(".")[0] for name in names if name} <= {"error"}


class TestLocal:
    @pytest.mark.parametrize(
        ("name", "chain_id"), [("hardhat", 31_337), ("anvil", 31_337), ("ganache", 1_337)]
    )
    @pytest.mark.parametrize("hardfork", ["vetiver", "prague"])
    def test_chain_id(self, name: str, chain_id: int, hardfork: str) -> None:
        """The local network has the chain id of that node, under any rules."""
        assert Config(like=name, hardfork=hardfork).effective_chain_id == chain_id

    @pytest.mark.parametrize(
        ("options", "chain_id"),
        [
            ({"network": "test"}, 31),
            ({"chain_id": 33}, 33),
            ({"network": "main", "chain_id": 7}, 7),
        ],
        ids=["network", "option", "both"],
    )
    def test_other_chain_id(self, options: dict[str, Any], chain_id: int) -> None:
        """Another network has its own chain id, and the option counts."""
        assert Config(like="hardhat", **options).effective_chain_id == chain_id

    def test_rskj(self) -> None:
        """A preset of a Rootstock node leaves the network as it is."""
        assert Config(like="rskj").effective_chain_id == 33

    @pytest.mark.parametrize(("name", "count"), [("hardhat", 20), ("anvil", 10), ("ganache", 10)])
    def test_accounts(self, name: str, count: int) -> None:
        """The accounts are as many as that node has: none of the network's own."""
        with Node(like=name, fixed_clock=GENESIS_TIME) as node:
            assert len(node.accounts.addresses()) == count

    def test_ganache_accounts(self) -> None:
        """The first account is that of `ganache --deterministic`."""
        with Node(like="ganache", fixed_clock=GENESIS_TIME) as node:
            assert node.accounts.addresses()[0].hex() == "90f8bf6a479f320ead074411a4b0e7944ea8c9c1"

    @pytest.mark.parametrize("name", PRESETS)
    @pytest.mark.parametrize("written", ["0x123", "123", "0123"])
    def test_incomplete_data(self, name: str, written: str) -> None:
        """Data without 0x or with an odd number of digits is taken where that node takes it."""
        with Node(like=name, fixed_clock=GENESIS_TIME) as node:
            client = LocalClient(node)
            request = {"to": "0x" + "04".rjust(40, "0"), "data": written}  # returns its input
            if not PRESETS[name].data_may_be_incomplete:
                with pytest.raises(RpcFailure, match="hex digits"):
                    client.call("eth_call", request, "latest")
            else:
                assert client.call("eth_call", request, "latest") == "0x0123"
                assert client.call("eth_estimateGas", request) == client.call(
                    "eth_estimateGas", request | {"data": "0x0123"}
                )


class TestConfig:
    def test_defaults(self) -> None:
        """A preset replaces defaults of the fields that are left out."""
        config = Config(like="rskj")

        assert (config.remasc, config.max_batch) == (True, 50)

    def test_given(self) -> None:
        """A field that is given counts, also where it is given devchain's own default."""
        config = Config(like="rskj", remasc=False, max_batch=1_000)

        assert (config.remasc, config.max_batch) == (False, 1_000)

    def test_replace(self) -> None:
        """A copy keeps the values that the preset set."""
        actual = replace(Config(like="rskj"), port=1)

        assert (actual.like, actual.max_batch, actual.port) == ("rskj", 50, 1)

    def test_none(self) -> None:
        """Without a preset nothing changes."""
        config = Config()

        assert all(getattr(config, each.name) == each.default for each in config_fields())
        assert config.preset is DEVCHAIN

    def test_node(self) -> None:
        """A node takes fields of the configuration in its place, not beside one."""
        with Node(like="ganache", accounts=2, fixed_clock=GENESIS_TIME) as node:
            assert (node.config.like, node.config.accounts) == ("ganache", 2)
        with pytest.raises(ConfigError, match="give a config or options, not both: accounts"):
            Node(Config(), accounts=2)

    def test_unknown(self) -> None:
        """An unknown preset is an error that lists the known ones."""
        with pytest.raises(ConfigError, match="unknown preset 'geth'; choose one of: "):
            Config(like="geth")


ROW, OTHER = ErrorText(code=-1), ErrorText(code=-2)


class TestErrors:
    @pytest.mark.parametrize(
        ("rows", "expected"),
        [
            ({}, None),
            ({ANY_METHOD: {BlockNotFound: ROW}}, ROW),
            ({ANY_METHOD: {BlockNotFound: ROW}, "eth_call": {BlockNotFound: OTHER}}, OTHER),
            ({"eth_getCode": {BlockNotFound: ROW}}, None),
            ({ANY_METHOD: {BlockNotFound: ROW}, "eth_call": {NotFound: OTHER}}, OTHER),
            ({"eth_call": {BlockNotFound: ROW, NotFound: OTHER}}, ROW),
            ({ANY_METHOD: {NotFound: ROW}}, ROW),
            ({ANY_METHOD: {DevchainError: ROW}}, None),
        ],
        ids=["none", "any", "own", "of another", "own first", "nearest", "ancestor", "past a code"],
    )
    def test_row(
        self, rows: dict[str, dict[type[DevchainError], ErrorText]], expected: ErrorText | None
    ) -> None:
        """A method's own rows come first; the nearest class counts, up to one with a code."""
        assert preset_row(UNKNOWN, Preset(errors=rows), "eth_call") is expected

    @pytest.mark.parametrize(
        ("row", "expected"),
        [
            (ErrorText(), "there is no block 7"),
            (ErrorText("not {error.number:#x}"), "not 0x7"),
            (ErrorText(lambda error: f"{error.number + 1}"), "8"),
        ],
        ids=["own", "format", "function"],
    )
    def test_text(self, row: ErrorText, expected: str) -> None:
        """A text is devchain's own, has attributes of the error, or is a function of it."""
        assert row.message(UNKNOWN) == expected

    def test_value_of_request(self) -> None:
        """What a request contains is shown as it is, never taken for a format."""
        row = ErrorText("not {error.value}")

        assert row.message(InvalidParams("no", value="{error} %s")) == "not {error} %s"


class TestRskjVersions:
    def test_estimate(self) -> None:
        """Until 9.0.3 the gas of a request limits its estimate, since 9.0.4 it does not."""
        estimates = {}
        for like in ("rskj", "rskj@9.0.4"):
            with Node(like=like, fixed_clock=GENESIS_TIME) as node:
                call = {"to": f"0x{deploy(node, STORE).hex()}", "data": f"0x{word(7).hex()}"}
                requests = [call, *({**call, "gas": gas} for gas in ("0x5300", "0x1"))]
                client = LocalClient(node)
                estimates[like] = [client.call("eth_estimateGas", each) for each in requests]

        whole = estimates["rskj"][0]
        assert estimates == {"rskj": [whole, "0x5300", "0x0"], "rskj@9.0.4": [whole] * 3}


class TestRskj:
    @pytest.fixture
    def config(self) -> Config:
        """Like the Rootstock node."""
        return Config(like="rskj", fixed_clock=GENESIS_TIME)

    @pytest.mark.parametrize(
        ("method", "params", "code", "message"),
        [
            ("eth_getBalance", [ALICE_HEX, "0x7"], -32600, "Block 0x7 not found"),
            ("eth_getUncleCountByBlockNumber", ["0x7"], -32600, "Block 0x7 not found"),
            ("eth_call", [{}, "0x7"], -32602, "Invalid block number 7"),
            ("eth_getBlockByNumber", ["0x0"], -32602, "method parameters invalid"),
            ("eth_chainId", [None], -32602, "method parameters invalid"),
            ("eth_feeHistory", ["0x1"], -32601, "method not found"),
            ("nonsense", [], -32601, "method not found"),
            (
                "eth_submitHashrate",
                ["0x1", "0x2"],
                -32601,
                "the method eth_submitHashrate does not exist/is not available",
            ),
            ("eth_submitHashrate", [], -32602, "method parameters invalid"),
            (
                "eth_getBalance",
                [ALICE_HEX, {"blockHash": UNKNOWN_HASH}],
                -32600,
                f"Block with hash {UNKNOWN_HASH} not found",
            ),
            (
                "eth_call",
                [{}, {"blockHash": UNKNOWN_HASH}],
                -32600,
                f"Block with hash {UNKNOWN_HASH} not found",
            ),
            (
                "eth_getBlockTransactionCountByNumber",
                [UNKNOWN_HASH],
                -32600,
                f"Block {UNKNOWN_HASH} not found",
            ),
            ("eth_getBalance", [ALICE_HEX, {}], -32602, "Invalid block input"),
            ("eth_getBalance", [ALICE_HEX, "safe"], -32602, "Invalid block identifier 'safe'"),
            ("eth_getBalance", [ALICE_HEX, "12"], -32602, "invalid blocknumber 12"),
            ("eth_getBalance", [ALICE_HEX, 12], -32602, "Invalid input"),
            ("eth_getBlockByNumber", ["safe", False], -32602, "invalid blocknumber safe"),
            ("evm_revert", [1], -32602, "invalid snapshot id 1"),
            (
                "eth_getUncleByBlockNumberAndIndex",
                ["0x0", 0],
                -32602,
                'Invalid argument "0": param should be a hex value string.',
            ),
            (
                "trace_filter",
                [{"count": 20_000}],
                -32602,
                "Count value too big. Maximum 10000 traces allowed.",
            ),
            (
                "debug_accountTransactionQuota",
                ["0x12"],
                -32602,
                "invalid argument 0: hex string has length 2, want 40 for RSK address",
            ),
            ("eth_sendTransaction", [{}], -32602, "from is null"),
            (
                "eth_sendTransaction",
                [{"from": "0x" + "12" * 20}],
                -32602,
                "Could not find account for address: 0x" + "12" * 20,
            ),
            (
                "web3_sha3",
                ["0x"],
                -32602,
                "Parameter must be hexadecimal encoded with the '0x' prefix.",
            ),
        ],
    )
    def test_refusals(
        self, client: LocalClient, method: str, params: list[object], code: int, message: str
    ) -> None:
        """Errors have that node's codes and texts."""
        with pytest.raises(RpcFailure) as caught:
            client.call(method, *params)

        assert (caught.value.code, caught.value.message) == (code, message)

    def test_accounts(self, node: Node) -> None:
        """The accounts begin with those of regtest, in their order; the derived ones follow."""
        cow, cow1, *others = node.accounts.addresses()

        assert cow.hex() == "cd2a3d9f938e13cd947ec05abc7fe734df8dd826"
        assert cow1.hex() == "7986b3df570230288501eea3d890bd66948c9b79"
        assert others[8] == ALICE

    def test_only_there(self, client: LocalClient) -> None:
        """Methods that only that node has are there."""
        assert client.call("eth_getCompilers") == ["solidity"]
        with pytest.raises(RpcFailure, match="method parameters invalid"):
            client.call("eth_getCompilers", 1)

    @pytest.mark.parametrize(
        ("limits", "message"),
        [
            ({"max_log_blocks": 2, "max_logs": 0}, "Cannot query more than 2 blocks at once"),
            ({"max_log_blocks": 0, "max_logs": 2}, "Filter returned more than 2 logs."),
            ({"max_log_blocks": 9, "max_logs": 2}, "Filter returned more than 2 logs."),
        ],
        ids=["blocks", "logs", "logs of few blocks"],
    )
    def test_log_limits(self, config: Config, limits: dict[str, int], message: str) -> None:
        """The limits of blocks and of logs hold each for itself."""
        client = LocalClient(Node(replace(config, **limits)))
        sender = client.call("eth_accounts")[0]
        for _ in range(3):
            client.call("eth_sendTransaction", {"from": sender, "data": LOGS, "gas": "0x30d40"})

        with pytest.raises(RpcFailure) as caught:
            client.call("eth_getLogs", {"fromBlock": "0x1", "toBlock": "0x3"})

        assert (caught.value.code, caught.value.message) == (-32012, message)

    def test_unlock_unit(self, config: Config) -> None:
        """The duration of an unlocked account is in milliseconds."""
        watch = Stopwatch()
        client = LocalClient(Node(config, Clock(GENESIS_TIME, monotonic=watch)))
        account = client.call("personal_newAccount", "secret")
        client.call("personal_unlockAccount", account, "secret", "0xa")

        assert client.call("personal_dumpRawKey", account)
        watch.seconds = 0.011
        with pytest.raises(RpcFailure, match="locked"):
            client.call("personal_dumpRawKey", account)

    @pytest.mark.parametrize(
        ("method", "params"),
        [
            ("eth_getBalance", [ALICE_HEX[2:], "latest"]),
            ("eth_getStorageAt", [ALICE_HEX, "12", "latest"]),
            ("eth_getStorageAt", [ALICE_HEX, "0x", "latest"]),
            ("eth_call", [{"data": "0x1", "input": "0x5f", "value": "5", "type": "0x9"}, "0"]),
            ("eth_call", [{}, "latest", {ALICE_HEX: {"unknown": 1}}]),
            ("eth_sign", [ALICE_HEX, "123"]),
        ],
    )
    def test_accepted(self, client: LocalClient, method: str, params: list[object]) -> None:
        """Values may be written as that node lets them be."""
        assert client.call(method, *params) is not None

    def test_null(self, client: LocalClient) -> None:
        """Where that node answers null for an unknown block, so does devchain."""
        assert client.call("eth_getCode", ALICE_HEX, "0x7") is None

    @pytest.mark.parametrize(
        ("code", "answer"), [(INVALID, "0x"), (REVERT, None)], ids=["halts", "reverts"]
    )
    def test_failed_call(self, node: Node, code: str, answer: str | None) -> None:
        """A call that halts returns nothing, one that reverts is an error."""
        body = {"method": "eth_call", "params": [{"data": code}, "latest"], "id": 1}

        response = json.loads(Dispatcher(node).serve_now(json.dumps(body).encode()) or b"")

        assert response.get("result") == answer
        if answer is None:
            assert response["error"] == {
                "code": -32015,
                "message": "VM Exception while processing transaction: transaction reverted",
                "data": "0x",
            }

    @pytest.mark.parametrize(
        ("body", "status"),
        [
            (b'{"method": "eth_chainId", "id": 1}', None),
            (b'{"method": "nonsense", "id": 1}', None),
            (b'{"method": "eth_chainId", "params": [1], "id": 1}', 400),
            (b'{"method": "eth_chainId", "params": [1]}', None),
            (b"{", 400),
            (b"[]", None),
            (b"[1]", None),
            (b"[" + b",".join([b'{"method": "eth_chainId", "id": 1}'] * 51) + b"]", 400),
        ],
        ids=["result", "-32601", "-32602", "notification", "-32700", "empty", "batch", "too many"],
    )
    def test_status(self, node: Node, body: bytes, status: int | None) -> None:
        """Some error codes have an HTTP status; a batch has not."""
        assert getattr(Dispatcher(node).serve_now(body), "status", None) == status

    def test_empty_batch(self, node: Node) -> None:
        """No calls, no answers."""
        assert Dispatcher(node).serve_now(b"[]") == b"[]"


@pytest.fixture
def like(request: pytest.FixtureRequest) -> Iterator[LocalClient]:
    """A client of a node like the one that the parameter names, with Ethereum's rules."""
    with Node(like=request.param, hardfork="prague", fixed_clock=GENESIS_TIME) as node:
        yield LocalClient(node)


TRANSFER = {"from": ALICE_HEX, "to": BOB_HEX}
TWO_GWEI, SIX_GWEI = "0x77359400", "0x165a0bc00"
CAPS = {"maxFeePerGas": SIX_GWEI, "maxPriorityFeePerGas": "0x1"}
ALL_TEST_NODES = ("hardhat", "anvil", "ganache")


class TestPool:
    @pytest.mark.parametrize("like", ALL_TEST_NODES, indirect=True)
    def test_any_number_waits(self, like: LocalClient) -> None:
        """As many transactions of an account wait as are sent, with any gap between nonces."""
        sender = like.call("eth_accounts")[0]
        like.call("evm_setAutomine", False)

        for nonce in (*range(20), 1_000_000):
            like.call("eth_sendTransaction", {"from": sender, "to": BOB_HEX, "nonce": hex(nonce)})

        assert like.call("txpool_status") == {"pending": "0x14", "queued": "0x1"}


class TestCoinbase:
    @pytest.mark.parametrize(
        ("like", "expected"),
        [("hardhat", "0x" + "c014ba5e" * 5), ("anvil", "0x" + "00" * 20)],
        indirect=["like"],
    )
    def test_default(self, like: LocalClient, expected: str) -> None:
        """Blocks have the miner that they have there."""
        like.call("evm_mine")

        assert like.call("eth_coinbase") == expected
        assert like.call("eth_getBlockByNumber", "latest", False)["miner"] == expected


class TestFees:
    @pytest.mark.parametrize("like", ["anvil"], indirect=True)
    @pytest.mark.parametrize("more", [CAPS, {"maxFeePerGas": "0x1"}], ids=["caps", "low cap"])
    def test_gas_price_counts(self, like: LocalClient, more: dict[str, str]) -> None:
        """A gas price beside fee caps makes a legacy transaction, and calls run."""
        request = {**TRANSFER, **more, "gasPrice": TWO_GWEI}

        sent = like.call("eth_sendTransaction", request)

        mined = like.call("eth_getTransactionByHash", sent)
        assert (mined["type"], mined["gasPrice"]) == ("0x0", TWO_GWEI)
        assert like.call("eth_call", request, "latest") == "0x"
        assert like.call("eth_estimateGas", request) == "0x5208"

    @pytest.mark.parametrize("like", ["hardhat"], indirect=True)
    def test_contradiction(self, like: LocalClient) -> None:
        """Elsewhere they exclude each other."""
        with pytest.raises(RpcFailure, match="gasPrice excludes maxFeePerGas"):
            like.call("eth_sendTransaction", {**TRANSFER, **CAPS, "gasPrice": TWO_GWEI})

    @pytest.mark.parametrize(
        ("like", "base_fees"), [("anvil", 1), ("hardhat", 2)], indirect=["like"]
    )
    def test_fee_cap(self, like: LocalClient, base_fees: int) -> None:
        """A fee cap that is left out is the gas price on anvil, else it covers two base fees."""
        tip = int(like.call("eth_maxPriorityFeePerGas"), 16)
        base_fee = int(like.call("eth_gasPrice"), 16) - tip

        filled = like.call("eth_fillTransaction", TRANSFER)["tx"]
        sent = like.call("eth_sendTransaction", TRANSFER)

        expected = hex(base_fees * base_fee + tip)
        assert filled["maxFeePerGas"] == expected
        assert like.call("eth_getTransactionByHash", sent)["maxFeePerGas"] == expected


class TestStorageValues:
    @pytest.mark.parametrize(
        ("like", "code", "message"),
        [
            (
                "hardhat",
                -32000,
                f"{NO_WORD} Received 0x7b, which is 1 bytes long.",
            ),
            ("anvil", -32602, "argument value: want 32 bytes, 0x and 64 hex digits"),
        ],
        indirect=["like"],
    )
    def test_short(self, like: LocalClient, code: int, message: str) -> None:
        """A value of another length is refused, and changes nothing."""
        with pytest.raises(RpcFailure) as caught:
            like.call("hardhat_setStorageAt", BOB_HEX, "0x0", "0x7b")

        assert (caught.value.code, caught.value.message) == (code, message)
        assert int(like.call("eth_getStorageAt", BOB_HEX, "0x0", "latest"), 16) == 0

    @pytest.mark.parametrize("like", ["hardhat", "anvil"], indirect=True)
    @pytest.mark.parametrize("name", ["hardhat_setStorageAt", "anvil_setStorageAt"])
    def test_whole(self, like: LocalClient, name: str) -> None:
        """One of 32 bytes is stored, under each name of the method."""
        value = f"0x{0x7B:064x}"

        like.call(name, BOB_HEX, "0x0", value)

        assert like.call("eth_getStorageAt", BOB_HEX, "0x0", "latest") == value

    @pytest.mark.parametrize("value", ["7b", 123])
    @pytest.mark.parametrize("like", ["hardhat"], indirect=True)
    def test_no_data(self, like: LocalClient, value: object) -> None:
        """What is no DATA is a wrong parameter."""
        with pytest.raises(RpcFailure) as caught:
            like.call("hardhat_setStorageAt", BOB_HEX, "0x0", value)

        assert caught.value.code == -32602


class TestHardhat:
    @pytest.mark.parametrize("name", UNSUPPORTED)
    @pytest.mark.parametrize("like", ["hardhat"], indirect=True)
    def test_unsupported(self, like: LocalClient, name: str) -> None:
        """A method that Hardhat has not looks like that when it is called to find out."""
        with pytest.raises(RpcFailure, match=f"Method {name} is not supported") as caught:
            like.call(name)

        assert caught.value.code == -32004

    @pytest.mark.parametrize("like", ["hardhat"], indirect=True)
    def test_trace(self, like: LocalClient) -> None:
        """Each step has the known storage of its contract and memory, in words without 0x."""
        code = assemble(f"7 1 SSTORE 5 0 MSTORE 0 0 0 0 0 {BOB_HEX} GAS CALL 1 SLOAD STOP")
        inner = assemble("9 3 SSTORE STOP")
        like.call("hardhat_setCode", UNFUNDED_HEX, f"0x{code.hex()}")
        like.call("hardhat_setCode", BOB_HEX, f"0x{inner.hex()}")
        request = {"from": ALICE_HEX, "to": UNFUNDED_HEX, "gas": "0x30d40"}
        sent = like.call("eth_sendTransaction", request)

        traced = like.call("debug_traceTransaction", sent)

        steps = {(each["depth"], each["op"]): each for each in traced["structLogs"]}
        outer, after = {WORDS[1]: WORDS[7]}, {"memory": [WORDS[5]], "storage": {WORDS[1]: WORDS[7]}}
        first = {"depth": 1, "gas": 179_000, "gasCost": 3, "op": "PUSH1", "pc": 0}
        assert traced["structLogs"][0] == {**first, "memory": [], "stack": [], "storage": {}}
        assert {name: traced[name] for name in ("failed", "returnValue")} == {
            "failed": False,
            "returnValue": "",
        }
        assert steps[1, "SSTORE"]["storage"] == outer
        assert steps[1, "SSTORE"]["stack"] == [WORDS[7], WORDS[1]]
        assert steps[1, "MSTORE"]["storage"] == outer
        assert steps[2, "PUSH1"]["storage"] == {}
        assert steps[2, "STOP"]["storage"] == {WORDS[3]: WORDS[9]}
        assert {name: steps[1, "SLOAD"][name] for name in after} == after

    @pytest.mark.parametrize("like", ["hardhat"], indirect=True)
    def test_trace_options(self, like: LocalClient) -> None:
        """What is disabled is left out; a call is traced alike, other tracers as by geth."""
        like.call("hardhat_setCode", BOB_HEX, "0x600160005260206000fd")
        request = {"from": ALICE_HEX, "to": BOB_HEX}
        disabled = {"disableMemory": True, "disableStack": True, "disableStorage": True}

        plain = like.call("debug_traceCall", request, "latest")
        bare = like.call("debug_traceCall", request, "latest", disabled)
        calls = like.call("debug_traceCall", request, "latest", {"tracer": "callTracer"})

        assert plain["structLogs"][-1]["memory"] == [WORDS[1]]
        assert (plain["failed"], plain["returnValue"]) == (True, f"0x{WORDS[1]}")
        assert set(bare["structLogs"][-1]) == {"depth", "gas", "gasCost", "op", "pc"}
        assert calls["output"] == f"0x{WORDS[1]}"

    @pytest.mark.parametrize(
        ("entries", "data", "value", "message"),
        [
            ([], "0x01020304", 0, "function selector was not recognized and there's no fallback "),
            (
                [],
                "0x",
                0,
                "function selector was not recognized and there's no fallback nor receive ",
            ),
            ([{"type": "fallback"}], "0x01", 5, ""),
            ([PAY], PAY_DATA, 5, ""),
            ([PAY], PAY_DATA, 0, ""),
        ],
        ids=["selector", "no data", "fallback", "value", "none"],
    )
    def test_unknown_function(
        self,
        entries: list[Any],
        data: str,
        value: int,
        message: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """The text says so where a contract whose artifact is known has no function for a call.

        That takes the time it needs, also where a stack trace would take too long.
        """
        monkeypatch.setattr(call_explainer, "STACK_SECONDS", 1e-9)
        with Node(like="hardhat", fixed_clock=GENESIS_TIME) as node:
            address = deploy(node, assemble("0 0 REVERT"))
            till = Artifact("Till", Abi.from_json(entries))
            node.artifacts.add(till)
            node.contract(till, address)
            client = LocalClient(node)
            request = {**TRANSFER, "to": f"0x{address.hex()}", "data": data, "value": hex(value)}
            expected = f"Transaction reverted: {message}" if message else NO_REASON

            for method in ("eth_call", "eth_estimateGas", "eth_sendTransaction"):
                with pytest.raises(RpcFailure) as caught:
                    client.call(method, request)
                assert caught.value.message.startswith(expected)


class TestAnvil:
    @pytest.mark.parametrize(
        ("payload", "text"),
        [
            ("ea07e92f", ": custom error 0xea07e92f"),
            ("ea07e92f" + "41" * 4, ": custom error 0xea07e92f: AAAA"),
            ("ea07e92f" + "ff" * 2, ": custom error 0xea07e92f: ffff"),
            ("ea07e92f" + "00" * 31 + "2a", ": custom error 0xea07e92f: " + "00" * 31 + "2a"),
            ("4142434445", ": ABCDE"),
            ("ff01", ": custom error bytes 0xff01"),
            ("", ""),
        ],
        ids=["selector", "text", "no text", "word", "ASCII", "short", "nothing"],
    )
    @pytest.mark.parametrize("like", ["anvil"], indirect=True)
    def test_unknown_error(self, like: LocalClient, payload: str, text: str) -> None:
        """An error of no known ABI is shown with its values, as text if they are."""
        like.call("hardhat_setCode", BOB_HEX, f"0x{REVERTS_WITH_INPUT.hex()}")

        with pytest.raises(RpcFailure) as caught:
            like.call("eth_call", {"to": BOB_HEX, "data": f"0x{payload}"}, "latest")

        assert caught.value.message == f"execution reverted{text}"

    @pytest.mark.parametrize("like", ["anvil"], indirect=True)
    def test_replacement(self, like: LocalClient) -> None:
        """A fee cap that is higher by 1 wei replaces, whatever the tip; an equal one does not."""
        like.call("evm_setAutomine", False)
        first = {**TRANSFER, "nonce": "0x0", "maxFeePerGas": hex(10**10)}
        like.call("eth_sendTransaction", first)

        sent = like.call("eth_sendTransaction", {**first, "maxFeePerGas": hex(10**10 + 1)})

        assert like.call("eth_getTransactionBySenderAndNonce", ALICE_HEX, 0)["hash"] == sent
        with pytest.raises(RpcFailure, match="replacement transaction underpriced"):
            like.call("eth_sendTransaction", {**first, "value": "0x1"})

    @pytest.mark.parametrize("like", ["anvil"], indirect=True)
    def test_below_base_fee(self, like: LocalClient) -> None:
        """A fee cap below the base fee is refused, without automatic mining too."""
        like.call("evm_setAutomine", False)

        with pytest.raises(RpcFailure, match="max fee per gas less than block base fee"):
            like.call("eth_sendTransaction", {**TRANSFER, "maxFeePerGas": "0x1"})

    @pytest.mark.parametrize("like", ["anvil"], indirect=True)
    def test_receipts(self, like: LocalClient) -> None:
        """Each receipt has a price of blob gas, where blocks have it."""
        receipt = like.call("eth_sendTransactionSync", TRANSFER)

        assert receipt["blobGasPrice"] == "0x1"
        assert like.call("eth_getBlockReceipts", "latest") == [receipt]
        assert like.call("eth_getTransactionReceipt", UNKNOWN_HASH) is None
