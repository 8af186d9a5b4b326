"""The methods and sentences of the specification; what each method answers is in `tests/wire`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import RpcFailure
from devchain.node import Node
from devchain.rpc.catalog import METHODS
from tests.accounts import ALICE_HEX, BOB_HEX
from tests.conftest import GENESIS_TIME

SPECIFICATION = Path(__file__).parents[2] / "shared/spec/json-rpc-service.md"
UNKNOWN_HASH = "0x" + "ab" * 32
LOG_ALL = "0x61001780600c6000396000f3604036036040600037602035600035604036036000a200"
"""Init code of a contract that emits its call data as a log: two topics and data."""
DATA_SENT = "0x" + "00" * 96

Params = list[Any]


@dataclass(frozen=True)
class SampleNode:
    """A node with a contract, a log in block 2, and a pending transaction."""

    client: LocalClient
    contract: str
    logged: str
    pending: str
    block: str


def build_sample() -> SampleNode:
    """Create the node and its transactions."""
    client = LocalClient(Node(Config(network="test", fixed_clock=GENESIS_TIME)))
    deploy = {"from": ALICE_HEX, "gas": "0x2dc6c0", "data": LOG_ALL}
    deployed = client.call("eth_sendTransaction", deploy)
    contract = client.call("eth_getTransactionReceipt", deployed)["contractAddress"]
    log = {"from": ALICE_HEX, "to": contract, "gas": "0x30d40", "data": DATA_SENT}
    logged = client.call("eth_sendTransaction", log)
    block = client.call("eth_getBlockByNumber", "latest", False)["hash"]
    client.call("evm_stopMining")
    pending = client.call("eth_sendTransaction", {"from": ALICE_HEX, "to": BOB_HEX})
    return SampleNode(client, contract, logged, pending, block)


@pytest.fixture(scope="module")
def shared_sample() -> SampleNode:
    """The node, created once for the module."""
    return build_sample()


@pytest.fixture
def sample(shared_sample: SampleNode) -> Iterator[SampleNode]:
    """The node, reverted to its snapshot after each test."""
    snapshot = shared_sample.client.call("evm_snapshot")
    yield shared_sample
    shared_sample.client.call("evm_revert", snapshot)


REFUSED = [
    *("eth_getCompilers", "eth_compileLLL", "eth_compileSolidity", "eth_compileSerpent"),
    *("db_putString", "db_getString", "db_putHex", "db_getHex"),
    *("shh_post", "shh_version", "shh_newIdentity", "shh_hasIdentity", "shh_newGroup"),
    *("shh_addToGroup", "shh_newFilter", "shh_uninstallFilter", "shh_getFilterChanges"),
    "shh_getMessages",
]


Answer = tuple[str, Callable[[SampleNode], Params], object]

NULLS: list[Answer] = [
    ("eth_getTransactionByBlockHashAndIndex", lambda _: [UNKNOWN_HASH, "0x0"], None),
    ("eth_getTransactionByBlockHashAndIndex", lambda s: [s.block, "0x9"], None),
    ("eth_getTransactionByBlockNumberAndIndex", lambda _: ["0x99", "0x0"], None),
    ("eth_getBlockTransactionCountByNumber", lambda _: ["0x99"], None),
    ("eth_getUncleCountByBlockHash", lambda _: [UNKNOWN_HASH], None),
    ("eth_getUncleCountByBlockNumber", lambda _: ["0x99"], None),
    ("eth_getTransactionReceipt", lambda _: [UNKNOWN_HASH], None),
    ("trace_block", lambda _: ["0x99"], None),
    ("rsk_getRawBlockHeaderByNumber", lambda _: ["0x99"], None),
]
"""What does not exist is null, not an error."""

EMPTY_RANGES: list[Answer] = [
    (method, lambda _, bounds=bounds: [bounds], [])  # type: ignore[misc]
    for method in ("eth_getLogs", "trace_filter")
    for bounds in (
        {"fromBlock": "0x2", "toBlock": "0x1"},
        {"fromBlock": "0x99"},
        {"fromBlock": "0x98", "toBlock": "0x99"},
    )
]
"""A reversed or future range has neither logs nor traces."""

ANSWERS: list[Answer] = [
    ("eth_getLogs", lambda _: [{"blockHash": UNKNOWN_HASH}], []),
    ("eth_getStorageAt", lambda _: [BOB_HEX, "0x" + "ff" * 32, "latest"], "0x" + "00" * 32),
    ("eth_getCode", lambda s: [s.contract, "earliest"], "0x"),
    ("eth_getTransactionCount", lambda s: [ALICE_HEX, {"blockHash": s.block}], "0x2"),
    ("eth_getTransactionCount", lambda _: [ALICE_HEX, {"blockNumber": "0x1"}], "0x1"),
    (
        "eth_getTransactionCount",
        lambda s: [ALICE_HEX, {"blockHash": s.block, "requireCanonical": "true"}],
        "0x2",
    ),
    (
        "eth_call",
        lambda s: [{"to": s.contract}, "latest", {s.contract: {"code": LOADS, "state": SLOT}}],
        "0x" + "00" * 31 + "07",
    ),
    (
        "eth_call",
        lambda s: [{"to": s.contract}, "latest", {s.contract: {"code": LOADS, "stateDiff": SLOT}}],
        "0x" + "00" * 31 + "07",
    ),
    ("hardhat_mine", lambda _: ["0x2", "0x0"], True),
]
LOADS = "0x60005460005260206000f3"
"""Code that returns slot 0."""
SLOT = {"0x" + "00" * 32: "0x" + "00" * 31 + "07"}

REFUSALS: list[tuple[str, Callable[[SampleNode], Params], int, str]] = [
    ("eth_getLogs", lambda s: [{"blockHash": s.block, "fromBlock": "0x0"}], -32602, "choose one"),
    ("eth_sendTransaction", lambda _: [{"to": BOB_HEX}], -32602, "from is missing"),
    ("eth_sign", lambda _: [UNKNOWN_HASH[:42], "0x00"], -32000, "no key is held"),
    (
        "eth_estimateGas",
        lambda _: [{"from": UNKNOWN_HASH[:42], "to": BOB_HEX, "value": "0x1"}],
        -32000,
        "insufficient funds for transfer",
    ),
    (
        "eth_call",
        lambda s: [{"to": s.contract}, "latest", {s.contract: {"state": {}, "stateDiff": {}}}],
        -32602,
        "exclude each other",
    ),
    (
        "eth_call",
        lambda s: [{"to": s.contract}, "latest", {s.contract: {"state": {"0x0": "0x" + "0" * 66}}}],
        -32602,
        "at most 32 bytes",
    ),
    (
        "eth_call",
        lambda s: [
            {"to": s.contract},
            "latest",
            {s.contract: {"movePrecompileToAddress": s.contract}},
        ],
        -32602,
        "not supported",
    ),
    (
        "eth_call",
        lambda s: [
            {"to": s.contract},
            "latest",
            {s.contract: {"code": "0x600160005260206000fd"}},
        ],
        -32015,
        "VM Exception while processing transaction: execution reverted",
    ),
    ("eth_getFilterChanges", lambda _: ["0x99"], -32000, "filter not found"),
]


class TestSentences:
    @pytest.mark.parametrize(
        ("method", "params", "expected"),
        [*NULLS, *EMPTY_RANGES, *ANSWERS],
    )
    def test_answers(
        self,
        sample: SampleNode,
        method: str,
        params: Callable[[SampleNode], Params],
        expected: object,
    ) -> None:
        """A method has the result that a sentence of the specification or of ours requires."""
        assert sample.client.call(method, *params(sample)) == expected

    @pytest.mark.parametrize(("method", "params", "code", "text"), REFUSALS)
    def test_refuses(
        self,
        sample: SampleNode,
        method: str,
        params: Callable[[SampleNode], Params],
        code: int,
        text: str,
    ) -> None:
        """A method refuses what a sentence requires it to refuse."""
        with pytest.raises(RpcFailure, match=text) as failure:
            sample.client.call(method, *params(sample))

        assert failure.value.code == code

    def test_default_gas(self, sample: SampleNode) -> None:
        """A transaction without gas and price has 90000 gas, and price 0."""
        pending = sample.client.call("eth_getTransactionByHash", sample.pending)

        assert (pending["gas"], pending["gasPrice"]) == ("0x15f90", "0x0")

    def test_status_or_root(self, sample: SampleNode) -> None:
        """A receipt has exactly one of root and status."""
        receipt = sample.client.call("eth_getTransactionReceipt", sample.logged)

        assert len({"root", "status"} & set(receipt)) == 1


class TestTables:
    @pytest.mark.skipif(not SPECIFICATION.exists(), reason="the specification is not at hand")
    def test_none_missing(self) -> None:
        """Every method that the specification names in a table is served or refused."""
        tables = [
            line
            for line in SPECIFICATION.read_text(encoding="utf-8").splitlines()
            if line.startswith("|")
        ]
        text = "\n".join(tables).replace("<chain_module>_", "rsk_")
        named = set(re.findall(r"`((?:eth|net|web3|debug|evm|mnr|personal|rsk)_\w+)`", text))
        named |= set(re.findall(r"`((?:trace|txpool|sco|db|shh)_\w+)`", text))

        assert set(REFUSED) < named
        assert named - set(REFUSED) <= set(METHODS)
