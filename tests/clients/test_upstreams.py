"""Forks of other nodes over HTTP: what they read is what the node answers."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bench import other_nodes
from bench.driver import NodeDriver, calldata
from bench.nodes import started
from devchain.client.http import HttpClient
from devchain.errors import DevchainError

UPSTREAMS = {
    # How the node is started, and the rules it has.
    "devchain": (started, "vetiver900"),
    "anvil": (other_nodes.anvil, "prague"),
    "ganache": (other_nodes.ganache, "shanghai"),
}
TRANSFERS = 3
DEPLOYED = 1
"""The number of the block that the token was deployed in."""


@dataclass
class Forked:
    """A node, a fork of it that is served too, and what was done on the node before."""

    upstream: HttpClient
    fork: HttpClient
    driver: NodeDriver
    receipts: list[dict[str, Any]]
    number: int
    url: str
    hardfork: str

    def both(self, method: str, *params: object) -> tuple[Any, Any]:
        """The answers of the node and of the fork, errors as text."""
        return _answer(self.upstream, method, params), _answer(self.fork, method, params)

    def balance(self, holder: str) -> dict[str, str]:
        """The call that reads what a holder has of the token."""
        data = calldata("Token", "balanceOf(address)", holder)
        return {"to": self.driver.token, "data": data}


def _answer(client: HttpClient, method: str, params: Sequence[object]) -> Any:
    try:
        return client.call(method, *params)
    except DevchainError as error:
        return str(error)


@pytest.fixture(scope="module")
def npm_nodes() -> None:
    """Pinned versions of anvil and ganache."""
    subprocess.run(other_nodes.INSTALL, cwd=other_nodes.PROJECT, check=True, capture_output=True)


@pytest.fixture(scope="module", params=list(UPSTREAMS))
def forked(request: pytest.FixtureRequest, npm_nodes: None) -> Iterator[Forked]:
    """A fork of each kind of node; the tests leave what is before the fork block as it is."""
    start: Callable[[], Any]
    start, hardfork = UPSTREAMS[request.param]
    with ExitStack() as stack:
        url = stack.enter_context(start())
        upstream = stack.enter_context(closing(HttpClient(url)))
        driver = NodeDriver(upstream)
        receipts = [driver.transfer() for _ in range(TRANSFERS)]
        number = int(upstream.call("eth_blockNumber"), 16)
        options = ("--fork-url", url, "--no-storage-caching", "--hardfork", hardfork)
        fork = stack.enter_context(closing(HttpClient(stack.enter_context(started(*options)))))
        yield Forked(upstream, fork, driver, receipts, number, url, hardfork)


def without(value: Any, *extra: str) -> Any:
    """A JSON value without these members, at any depth."""
    if isinstance(value, dict):
        return {key: without(each, *extra) for key, each in value.items() if key not in extra}
    if isinstance(value, list):
        return [without(each, *extra) for each in value]
    return value


class TestState:
    def test_of_every_block(self, forked: Forked) -> None:
        """Balances, nonces, code, slots and calls at each block are those of the node."""
        alice, token = forked.driver.alice, forked.driver.token
        for number in range(forked.number):
            block = hex(number)
            for method, *params in (
                ("eth_getBalance", alice),
                ("eth_getTransactionCount", alice),
                ("eth_getCode", token),
                ("eth_call", forked.balance(forked.driver.bob)),
                ("eth_call", forked.balance(alice)),
            ):
                theirs, ours = forked.both(method, *params, block)
                assert ours == theirs, (method, block)
            theirs, ours = forked.both("eth_getStorageAt", token, "0x0", block)
            assert int(ours, 16) == int(theirs.ljust(3, "0"), 16)

    def test_of_the_fork_block(self, forked: Forked) -> None:
        """The call has the result that it has on the node, which is not zero."""
        theirs, ours = forked.both("eth_call", forked.balance(forked.driver.bob), "latest")
        assert int(ours, 16) == TRANSFERS
        assert ours == theirs


class TestHistory:
    def test_blocks(self, forked: Forked) -> None:
        """Every block, by number and by hash, with hashes and with transactions."""
        for number in range(forked.number + 1):
            for full in (False, True):
                theirs, ours = forked.both("eth_getBlockByNumber", hex(number), full)
                # anvil's transactions have the block's timestamp.
                assert without(ours, "blockTimestamp") == without(theirs, "blockTimestamp")
            by_hash = forked.both("eth_getBlockByHash", theirs["hash"], False)
            assert by_hash[0] == by_hash[1]

    def test_transactions_and_receipts(self, forked: Forked) -> None:
        """Transactions and receipts that were mined before the fork."""
        for receipt in forked.receipts:
            for method in ("eth_getTransactionByHash", "eth_getTransactionReceipt"):
                theirs, ours = forked.both(method, receipt["transactionHash"])
                assert without(ours, "blockTimestamp") == without(theirs, "blockTimestamp")

    def test_logs(self, forked: Forked) -> None:
        """All logs, those of an address, of a topic, of a block by its hash."""
        every = {"fromBlock": "0x0", "toBlock": hex(forked.number)}
        topic = forked.receipts[0]["logs"][0]["topics"]
        for query in (
            every,
            {**every, "address": forked.driver.token, "topics": topic[:2]},
            {**every, "topics": [None, None, topic[2]]},
            {**every, "address": forked.driver.bob},
            {"blockHash": forked.receipts[1]["blockHash"]},
        ):
            theirs, ours = forked.both("eth_getLogs", query)
            assert without(ours, "blockTimestamp") == without(theirs, "blockTimestamp"), query

    def test_trace(self, forked: Forked) -> None:
        """A transaction from before the fork is executed again, with the gas that it used."""
        receipt = forked.receipts[0]
        tracer = {"tracer": "callTracer", "tracerConfig": {"withLog": True}}
        trace = forked.fork.call("debug_traceTransaction", receipt["transactionHash"], tracer)
        assert trace["gasUsed"] == receipt["gasUsed"]
        assert trace["to"] == forked.driver.token
        assert trace["input"] == forked.driver.transfer_data(1)
        (log,) = trace["logs"]
        assert log["topics"] == receipt["logs"][0]["topics"]


class TestTransfer:
    def test_as_on_the_node(self, forked: Forked) -> None:
        """The same transfer on both has the same effects and logs; ours is not on the node."""
        alice, bob = forked.driver.alice, forked.driver.bob
        snapshots = forked.both("evm_snapshot")
        forked.fork.call("hardhat_impersonateAccount", alice)
        ours = forked.driver.on(forked.fork).transfer()
        untouched = forked.upstream.call("eth_call", forked.balance(bob), "latest")
        theirs = forked.driver.transfer()

        assert int(untouched, 16) == TRANSFERS
        for each in ("blockNumber", "gasUsed", "status", "logsBloom"):
            assert ours[each] == theirs[each], each
        (of_ours,), (of_theirs,) = ours["logs"], theirs["logs"]
        for each in ("address", "topics", "data"):
            assert of_ours[each] == of_theirs[each]
        for reads in (
            ("eth_call", forked.balance(bob), "latest"),
            ("eth_getTransactionCount", alice, "latest"),
        ):
            values = forked.both(*reads)
            assert values[0] == values[1]
        across = {"fromBlock": hex(DEPLOYED), "toBlock": "latest", "address": forked.driver.token}
        of_theirs, of_ours = (
            [(each["blockNumber"], each["topics"], each["data"]) for each in logs]
            for logs in forked.both("eth_getLogs", across)
        )
        assert of_ours == of_theirs
        assert len(of_ours) == 1 + TRANSFERS + 1
        block = forked.fork.call("eth_getBlockByNumber", ours["blockNumber"], False)
        before = forked.upstream.call("eth_getBlockByNumber", hex(forked.number), False)
        assert block["parentHash"] == before["hash"]
        forked.upstream.call("evm_revert", snapshots[0])
        forked.fork.call("evm_revert", snapshots[1])


class TestOffline:
    def test_same_answers(self, forked: Forked, tmp_path: Path) -> None:
        """What a fork has read is read again without the node; what it has not is an error."""
        pinned = ("--fork-cache", str(tmp_path / "fork.sqlite"), "--hardfork", forked.hardfork)
        online = (*pinned, "--fork-url", forked.url, "--fork-block-number", str(forked.number))
        asked: list[tuple[Any, ...]] = [
            ("eth_call", forked.balance(forked.driver.bob), "latest"),
            ("eth_getLogs", {"fromBlock": hex(forked.number - 1), "toBlock": "latest"}),
            ("eth_getTransactionReceipt", forked.receipts[-1]["transactionHash"]),
            ("eth_getBlockByNumber", hex(forked.number), True),
        ]

        def run(*options: str) -> tuple[list[Any], int, Any]:
            with started(*options) as url, closing(HttpClient(url)) as client:
                answers = [_answer(client, method, params) for method, *params in asked]
                unknown = None
                if "--offline" in options:
                    unknown = _answer(client, "eth_getBalance", (f"0x{'ab' * 20}", "latest"))
                receipt = forked.driver.on(client).transfer()
                return answers, int(receipt["gasUsed"], 16), unknown

        answers, gas, _ = run(*online)
        again, gas_again, unknown = run(*pinned, "--offline")

        assert int(answers[0], 16) == TRANSFERS
        assert (again, gas_again) == (answers, gas)
        assert "ab" * 20 in unknown
