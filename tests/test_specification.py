"""Every method in the tables of the specification answers as its row requires."""

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
from tests.accounts import ALICE, ALICE_HEX, BOB_HEX
from tests.conftest import GENESIS_TIME

SPECIFICATION = Path(__file__).parents[2] / "shared/spec/json-rpc-service.md"
UNKNOWN_HASH = "0x" + "ab" * 32
KEY = "0x" + "11" * 32
LOG_ALL = "0x61001780600c6000396000f3604036036040600037602035600035604036036000a200"
"""Init code of a contract that emits its call data as a log: two topics and data."""
DATA_SENT = "0x" + "00" * 96

Params = list[Any]
Check = Callable[[Any], bool]


@dataclass(frozen=True)
class SampleNode:
    """A node with a contract, a log, a pending transaction and three filters."""

    client: LocalClient
    contract: str
    deployed: str
    logged: str
    pending: str
    block: str
    filters: dict[str, str]


def build_sample() -> SampleNode:
    """Create the node and its transactions."""
    client = LocalClient(Node(Config(network="test", fixed_clock=GENESIS_TIME)))
    filters = {
        "log": client.call("eth_newFilter", {}),
        "block": client.call("eth_newBlockFilter"),
        "pending": client.call("eth_newPendingTransactionFilter"),
    }
    deploy = {"from": ALICE_HEX, "gas": "0x2dc6c0", "data": LOG_ALL}
    deployed = client.call("eth_sendTransaction", deploy)
    contract = client.call("eth_getTransactionReceipt", deployed)["contractAddress"]
    log = {"from": ALICE_HEX, "to": contract, "gas": "0x30d40", "data": DATA_SENT}
    logged = client.call("eth_sendTransaction", log)
    block = client.call("eth_getBlockByNumber", "latest", False)["hash"]
    client.call("evm_stopMining")
    pending = client.call("eth_sendTransaction", {"from": ALICE_HEX, "to": BOB_HEX})
    return SampleNode(client, contract, deployed, logged, pending, block, filters)


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


def matches(pattern: str) -> Check:
    """Whether a value is a string that matches."""
    return lambda value: isinstance(value, str) and bool(re.fullmatch(pattern, value))


def bytes_of(length: int) -> Check:
    """Whether a value is DATA of that length."""
    return matches(f"0x[0-9a-f]{{{2 * length}}}")


def array_of(check: Check) -> Check:
    """Whether a value is a non-empty array of such values."""
    return lambda value: isinstance(value, list) and bool(value) and all(map(check, value))


def has(*members: str) -> Check:
    """Whether a value is an object with those members."""
    return lambda value: isinstance(value, dict) and set(members) <= set(value)


def equal(expected: object) -> Check:
    """Whether a value equals the expected one and has its type."""
    return lambda value: value == expected and type(value) is type(expected)


QUANTITY = matches("0x(0|[1-9a-f][0-9a-f]*)")
DATA = matches("0x([0-9a-f]{2})*")
HASH = bytes_of(32)
ADDRESS = bytes_of(20)
TEXT = matches(".+")
NUMBER: Check = lambda value: type(value) is int  # noqa: E731  # a check like the others
EMPTY_DATA = equal("0x")
NULL, TRUE, FALSE, EMPTY = equal(None), equal(True), equal(False), equal([])
BLOCK = has(
    *("number", "hash", "parentHash", "nonce", "sha3Uncles", "logsBloom", "transactionsRoot"),
    *("stateRoot", "receiptsRoot", "miner", "difficulty", "totalDifficulty", "extraData", "size"),
    *("cumulativeDifficulty", "gasLimit", "gasUsed", "timestamp", "transactions", "uncles"),
    *("minimumGasPrice", "bitcoinMergedMiningHeader", "bitcoinMergedMiningCoinbaseTransaction"),
    *("bitcoinMergedMiningMerkleProof", "hashForMergedMining", "paidFees"),
)
TRANSACTION = has(
    *("blockHash", "blockNumber", "from", "to", "gas", "gasPrice", "hash", "input", "nonce"),
    *("transactionIndex", "value", "v", "r", "s", "type"),
)
RECEIPT = has(
    *("transactionHash", "transactionIndex", "blockHash", "blockNumber", "from", "to"),
    *("cumulativeGasUsed", "gasUsed", "contractAddress", "logs", "logsBloom"),
    *("effectiveGasPrice", "type", "status"),
)
LOG = has(
    *("removed", "logIndex", "transactionIndex", "transactionHash", "blockHash", "blockNumber"),
    *("address", "data", "topics"),
)
PROOF = has(
    *("address", "balance", "codeHash", "nonce", "storageHash", "accountProof", "storageProof"),
)

Row = tuple[str, Callable[[SampleNode], Params], Check]

HOSTED: list[Row] = [
    ("eth_accounts", lambda _: [], array_of(ADDRESS)),
    ("eth_blockNumber", lambda _: [], equal("0x2")),
    ("eth_call", lambda s: [{"to": s.contract, "data": DATA_SENT}, "latest"], EMPTY_DATA),
    (
        "eth_call",
        lambda s: [{"to": s.contract}, "latest", {s.contract: {"code": "0x"}}],
        EMPTY_DATA,
    ),
    ("eth_chainId", lambda _: [], equal("0x1f")),
    ("eth_estimateGas", lambda _: [{"to": BOB_HEX}], equal("0x5208")),
    ("eth_estimateGas", lambda _: [{"to": BOB_HEX}, "latest"], equal("0x5208")),
    ("eth_gasPrice", lambda _: [], QUANTITY),
    ("eth_getBalance", lambda _: [BOB_HEX], equal(hex(10_000 * 10**18))),
    ("eth_getBalance", lambda s: [BOB_HEX, s.block], QUANTITY),
    ("eth_getBlockByHash", lambda s: [s.block], BLOCK),
    ("eth_getBlockByHash", lambda s: [s.block, True], BLOCK),
    ("eth_getBlockByHash", lambda _: [UNKNOWN_HASH], NULL),
    ("eth_getBlockByNumber", lambda _: ["latest"], BLOCK),
    ("eth_getBlockByNumber", lambda _: ["0x99", True], NULL),
    ("eth_getCode", lambda s: [s.contract, "latest"], equal("0x" + LOG_ALL[26:])),
    ("eth_getCode", lambda _: [BOB_HEX, "latest"], equal("0x")),
    ("eth_getLogs", lambda _: [{}], array_of(LOG)),
    ("eth_getLogs", lambda s: [{"blockHash": s.block}], array_of(LOG)),
    ("eth_getLogs", lambda _: [{"address": BOB_HEX}], EMPTY),
    ("eth_getStorageAt", lambda s: [s.contract, "0x0", "latest"], equal("0x" + "00" * 32)),
    ("eth_getTransactionByHash", lambda s: [s.logged], TRANSACTION),
    ("eth_getTransactionByHash", lambda _: [UNKNOWN_HASH], NULL),
    ("eth_getTransactionCount", lambda _: [ALICE_HEX], equal("0x2")),
    ("eth_getTransactionCount", lambda _: [ALICE_HEX, "pending"], equal("0x3")),
    ("eth_getTransactionReceipt", lambda s: [s.logged], RECEIPT),
    ("eth_getTransactionReceipt", lambda s: [s.pending], NULL),
    ("eth_getBlockTransactionCountByHash", lambda s: [s.block], equal("0x1")),
    ("eth_getBlockTransactionCountByHash", lambda _: [UNKNOWN_HASH], NULL),
    ("eth_getBlockTransactionCountByNumber", lambda _: ["latest"], equal("0x1")),
    ("eth_getTransactionByBlockHashAndIndex", lambda s: [s.block, "0x0"], TRANSACTION),
    ("eth_getTransactionByBlockNumberAndIndex", lambda _: ["0x1", "0x0"], TRANSACTION),
    ("eth_getUncleCountByBlockHash", lambda s: [s.block], equal("0x0")),
    ("eth_getUncleCountByBlockNumber", lambda _: ["latest"], equal("0x0")),
    ("eth_protocolVersion", lambda _: [], equal("0x3e")),
    ("eth_sendRawTransaction", lambda s: [signed(s)], HASH),
    ("net_version", lambda _: [], equal("31")),
    ("web3_clientVersion", lambda _: [], TEXT),
    ("web3_sha3", lambda _: ["0x"], matches("0xc5d2460186f7.*")),
]
"""Methods documented for the hosted service."""

NODE_LEVEL: list[Row] = [
    ("net_listening", lambda _: [], TRUE),
    ("net_peerCount", lambda _: [], equal("0x0")),
    ("net_peerList", lambda _: [], EMPTY),
    ("eth_syncing", lambda _: [], FALSE),
    ("eth_coinbase", lambda _: [], ADDRESS),
    ("eth_mining", lambda _: [], FALSE),
    ("eth_hashrate", lambda _: [], QUANTITY),
    ("eth_sign", lambda _: [ALICE_HEX, "0x1234"], bytes_of(65)),
    ("eth_sendTransaction", lambda _: [{"from": BOB_HEX, "to": ALICE_HEX}], HASH),
    ("eth_pendingTransactions", lambda _: [], array_of(TRANSACTION)),
    ("eth_getUncleByBlockHashAndIndex", lambda s: [s.block, "0x0"], NULL),
    ("eth_getUncleByBlockNumberAndIndex", lambda _: ["latest", "0x0"], NULL),
    ("eth_newFilter", lambda _: [{"fromBlock": "0x1"}], QUANTITY),
    ("eth_newBlockFilter", lambda _: [], QUANTITY),
    ("eth_newPendingTransactionFilter", lambda _: [], QUANTITY),
    ("eth_uninstallFilter", lambda s: [s.filters["log"]], TRUE),
    ("eth_uninstallFilter", lambda _: ["0x99"], FALSE),
    ("eth_getFilterChanges", lambda s: [s.filters["log"]], array_of(LOG)),
    ("eth_getFilterChanges", lambda s: [s.filters["block"]], array_of(HASH)),
    ("eth_getFilterChanges", lambda s: [s.filters["pending"]], array_of(HASH)),
    ("eth_getFilterLogs", lambda s: [s.filters["log"]], array_of(LOG)),
    ("eth_getWork", lambda _: [], array_of(HASH)),
    ("eth_submitWork", lambda s: ["0x" + "00" * 8, work(s), UNKNOWN_HASH], TRUE),
    ("eth_submitWork", lambda _: ["0x" + "00" * 8, UNKNOWN_HASH, UNKNOWN_HASH], FALSE),
    ("eth_submitHashrate", lambda _: ["0x" + "00" * 32, UNKNOWN_HASH], TRUE),
    ("eth_getProof", lambda s: [s.contract, ["0x0"], "latest"], PROOF),
]
"""Additional methods documented at node level."""

UNDOCUMENTED: list[Row] = [
    ("eth_bridgeState", lambda _: [], has("btcBlockchainBestChainHeight")),
    ("eth_netHashrate", lambda _: [], NUMBER),
    ("debug_traceTransaction", lambda s: [s.logged], has("gas", "failed", "structLogs")),
    ("debug_traceBlockByHash", lambda s: [s.block], array_of(has("txHash", "result"))),
    ("debug_wireProtocolQueueSize", lambda _: [], QUANTITY),
    ("evm_increaseTime", lambda _: [60], equal("0x3c")),
    ("evm_mine", lambda _: [], equal("0x0")),
    ("evm_revert", lambda _: ["0x99"], FALSE),
    ("evm_snapshot", lambda _: [], QUANTITY),
    ("evm_startMining", lambda _: [], NULL),
    ("evm_stopMining", lambda _: [], NULL),
    ("mnr_getWork", lambda _: [], has("blockHashForMergedMining", "target", "notify")),
    ("personal_dumpRawKey", lambda _: [ALICE_HEX], DATA),
    ("personal_importRawKey", lambda _: [KEY, "secret"], ADDRESS),
    ("personal_listAccounts", lambda _: [], array_of(ADDRESS)),
    ("personal_lockAccount", lambda _: [ALICE_HEX], TRUE),
    ("personal_newAccountWithSeed", lambda _: ["seed"], ADDRESS),
    ("personal_newAccount", lambda _: ["secret"], ADDRESS),
    ("personal_unlockAccount", lambda s: [new_account(s), "secret", "0x0"], TRUE),
    (
        "personal_sendTransaction",
        lambda s: [{"from": new_account(s), "to": BOB_HEX}, "secret"],
        HASH,
    ),
    ("rsk_getRawTransactionReceiptByHash", lambda s: [s.logged], DATA),
    ("rsk_getTransactionReceiptNodesByHash", lambda s: [s.block, s.logged], array_of(DATA)),
    ("rsk_getRawBlockHeaderByHash", lambda s: [s.block], DATA),
    ("rsk_getRawBlockHeaderByNumber", lambda _: ["latest"], DATA),
    ("rsk_protocolVersion", lambda _: [], equal("0x3e")),
    ("trace_transaction", lambda s: [s.logged], array_of(has("action", "traceAddress"))),
    ("trace_transaction", lambda _: [UNKNOWN_HASH], NULL),
    ("trace_block", lambda s: [s.block], array_of(has("action", "traceAddress"))),
    ("trace_filter", lambda _: [{"fromBlock": "0x1"}], array_of(has("action", "traceAddress"))),
    ("txpool_content", lambda _: [], has("pending", "queued")),
    ("txpool_inspect", lambda _: [], has("pending", "queued")),
    ("txpool_status", lambda _: [], equal({"pending": 1, "queued": 0})),
    ("sco_banAddress", lambda _: ["203.0.113.7"], NULL),
    ("sco_unbanAddress", lambda _: ["203.0.113.7"], NULL),
    ("sco_peerList", lambda _: [], EMPTY),
    ("sco_bannedAddresses", lambda _: [], EMPTY),
    ("sco_reputationSummary", lambda _: [], has("count", "peersTotalScore")),
]
"""Supported methods whose parameters and results the specification does not define."""

RESET = "evm_reset"
"""Tested apart from the rows: it removes the transactions they need."""

MINERS = [
    "mnr_submitBitcoinBlock",
    "mnr_submitBitcoinBlockTransactions",
    "mnr_submitBitcoinBlockPartialMerkle",
]
"""Methods that take a bitcoin block; `tests/test_outside_miner.py` has the successful case."""

REFUSED = [
    *("eth_getCompilers", "eth_compileLLL", "eth_compileSolidity", "eth_compileSerpent"),
    *("db_putString", "db_getString", "db_putHex", "db_getHex"),
    *("shh_post", "shh_version", "shh_newIdentity", "shh_hasIdentity", "shh_newGroup"),
    *("shh_addToGroup", "shh_newFilter", "shh_uninstallFilter", "shh_getFilterChanges"),
    "shh_getMessages",
]

ROWS = [*HOSTED, *NODE_LEVEL, *UNDOCUMENTED]


def signed(sample: SampleNode) -> str:
    """A signed transaction from a funded account."""
    from eth_account import Account

    key = sample.client.call("personal_dumpRawKey", BOB_HEX)
    transaction = {
        "to": bytes(ALICE),
        "gas": 21_000,
        "gasPrice": 0,
        "nonce": 0,
        "chainId": 31,
        "value": 1,
    }
    return "0x" + Account.sign_transaction(transaction, key).raw_transaction.hex()


def work(sample: SampleNode) -> str:
    """The header hash of the current mining work."""
    header_hash: str = sample.client.call("eth_getWork")[0]
    return header_hash


def new_account(sample: SampleNode) -> str:
    """A new funded account with a passphrase."""
    address: str = sample.client.call("personal_newAccount", "secret")
    sample.client.call("eth_sendTransaction", {"from": BOB_HEX, "to": address, "value": "0xffffff"})
    sample.client.call("evm_mine")
    return address


class TestRows:
    @pytest.mark.parametrize(("method", "params", "check"), ROWS, ids=[row[0] for row in ROWS])
    def test_answers(
        self, sample: SampleNode, method: str, params: Callable[[SampleNode], Params], check: Check
    ) -> None:
        """A method accepts the parameters of its row and returns a result of that shape."""
        actual = sample.client.call(method, *params(sample))

        assert check(actual), actual

    @pytest.mark.parametrize("method", MINERS)
    def test_miners(self, sample: SampleNode, method: str) -> None:
        """The methods that take a bitcoin block refuse other bytes."""
        count = len(METHODS[method].parameters)

        with pytest.raises(RpcFailure) as failure:
            sample.client.call(method, *["00"] * count)

        assert failure.value.code in {-32602, -33000}

    @pytest.mark.parametrize("method", REFUSED)
    def test_refused(self, sample: SampleNode, method: str) -> None:
        """Unsupported and deprecated methods are refused with a reason."""
        with pytest.raises(RpcFailure, match=f"{method} is not supported: ") as failure:
            sample.client.call(method)

        assert failure.value.code == -32601

    def test_reset(self) -> None:
        """A reset returns null and removes all blocks."""
        client = build_sample().client

        assert client.call(RESET) is None
        assert client.call("eth_blockNumber") == "0x0"


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
        lambda s: [{"to": s.contract}, "latest", {s.contract: {"movePrecompileToAddress": "0x"}}],
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

    def test_pending_transaction(self, sample: SampleNode) -> None:
        """While it is pending a transaction has no block, no index and no receipt."""
        pending = sample.client.call("eth_getTransactionByHash", sample.pending)

        assert {pending[name] for name in ("blockHash", "blockNumber", "transactionIndex")} == {
            None
        }
        assert sample.client.call("eth_getTransactionReceipt", sample.pending) is None

    def test_replaced_transaction(self, sample: SampleNode) -> None:
        """A transaction with the nonce of a pending one and a higher price replaces it."""
        nonce = sample.client.call("eth_getTransactionByHash", sample.pending)["nonce"]
        request = {"from": ALICE_HEX, "to": BOB_HEX, "nonce": nonce, "gasPrice": "0x1"}

        sample.client.call("eth_sendTransaction", request)

        assert sample.client.call("eth_getTransactionByHash", sample.pending) is None

    def test_pending_block(self, sample: SampleNode) -> None:
        """The pending block has no number, hash, nonce and bloom."""
        block = sample.client.call("eth_getBlockByNumber", "pending")

        assert {block[name] for name in ("number", "hash", "nonce", "logsBloom")} == {None}

    def test_default_gas(self, sample: SampleNode) -> None:
        """A transaction without gas and price has 90000 gas, and price 0."""
        pending = sample.client.call("eth_getTransactionByHash", sample.pending)

        assert (pending["gas"], pending["gasPrice"]) == ("0x15f90", "0x0")

    def test_status_or_root(self, sample: SampleNode) -> None:
        """A receipt has exactly one of root and status."""
        receipt = sample.client.call("eth_getTransactionReceipt", sample.logged)

        assert len({"root", "status"} & set(receipt)) == 1

    def test_polling(self, sample: SampleNode) -> None:
        """A second poll has nothing, a filter's logs are there again and again."""
        log_filter = sample.filters["log"]
        first, second = (sample.client.call("eth_getFilterChanges", log_filter) for _ in range(2))

        assert len(first) == 1
        assert second == []
        assert sample.client.call("eth_getFilterLogs", log_filter) == first
        assert sample.client.call("eth_getFilterLogs", log_filter) == first

    def test_topics(self, sample: SampleNode) -> None:
        """Topics are matched in order; null matches any, an array each of its members."""

        def count(*topics: object) -> int:
            query = {"fromBlock": "0x0", "topics": list(topics)}
            return len(sample.client.call("eth_getLogs", query))

        zero, other = "0x" + "00" * 32, UNKNOWN_HASH
        assert count() == count(None) == count(zero) == count(None, zero) == 1
        assert count([other, zero]) == count(zero, [zero, other]) == 1
        assert count(other) == count(zero, other) == count(zero, zero, zero) == 0

    def test_addresses(self, sample: SampleNode) -> None:
        """A log filter takes an address or an array of them."""

        def count(address: object) -> int:
            query = {"fromBlock": "0x0", "address": address}
            return len(sample.client.call("eth_getLogs", query))

        assert count(sample.contract) == count([BOB_HEX, sample.contract]) == 1
        assert count(BOB_HEX) == count([BOB_HEX]) == 0

    def test_work(self, sample: SampleNode) -> None:
        """The boundary of the work is 2^256 divided by the difficulty, as far as a word holds."""
        work_hash, seed, boundary = sample.client.call("eth_getWork")
        block = sample.client.call("eth_getBlockByNumber", "pending")

        difficulty = int(block["difficulty"], 16)
        assert int(boundary, 16) == min(2**256 // difficulty, 2**256 - 1)
        assert HASH(work_hash)
        assert HASH(seed)


class TestTables:
    def test_known(self) -> None:
        """Every name of the lists above is either a method or refused."""
        answered = {row[0] for row in ROWS} | {RESET, *MINERS}

        assert answered <= set(METHODS)
        assert not answered & set(REFUSED)

    @pytest.mark.skipif(not SPECIFICATION.exists(), reason="the specification is not at hand")
    def test_none_missing(self) -> None:
        """The lists have every method that the specification names in a table."""
        tables = [
            line
            for line in SPECIFICATION.read_text(encoding="utf-8").splitlines()
            if line.startswith("|")
        ]
        text = "\n".join(tables).replace("<chain_module>_", "rsk_")
        named = set(re.findall(r"`((?:eth|net|web3|debug|evm|mnr|personal|rsk)_\w+)`", text))
        named |= set(re.findall(r"`((?:trace|txpool|sco|db|shh)_\w+)`", text))

        assert named == {row[0] for row in ROWS} | {RESET, *MINERS, *REFUSED}
