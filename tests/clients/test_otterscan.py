"""Otterscan's methods answer as those of anvil, about the same transactions."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from typing import Any

import pytest

from bench import other_nodes
from bench.nodes import started
from devchain.client.http import HttpClient
from tests.accounts import ALICE_HEX, BOB_HEX, CAROL_HEX
from tests.bytecode import (
    CREATOR,
    DESTROY,
    ECHO,
    FORWARD,
    INVALID,
    REVERT,
    STATIC_FORWARD,
    error_payload,
    init_code,
)

CHAIN_ID = "31337"
GAS, GAS_PRICE = 1_000_000, 10**10
CODES = (FORWARD, CREATOR, DESTROY, REVERT, STATIC_FORWARD, ECHO, INVALID)
NOBODY, HEIR = "0x" + "11" * 20, "0x" + "22" * 20
PATIENCE = 1_000
"""How often to ask for a receipt, which anvil has only a while after it has answered."""


@dataclass
class Both:
    """A devchain and an anvil on which the same transactions were mined, one in each block."""

    devchain: HttpClient
    anvil: HttpClient
    contracts: list[str] = field(default_factory=list)
    hashes: list[str] = field(default_factory=list)

    def __call__(self, method: str, *params: object) -> tuple[Any, Any]:
        """The answers of both."""
        return self.devchain.call(method, *params), self.anvil.call(method, *params)

    def send(self, to: str | None, data: bytes = b"", value: int = 0) -> str | None:
        """Mine a transaction on both; the contract that it created."""
        request: dict[str, Any] = {
            "from": ALICE_HEX,
            "data": f"0x{data.hex()}",
            "value": hex(value),
            "gas": hex(GAS),
            "gasPrice": hex(GAS_PRICE),
            "nonce": hex(len(self.hashes)),
        }
        request |= {"to": to} if to else {}
        ours, theirs = self("eth_sendTransaction", request)
        assert ours == theirs
        self.hashes.append(ours)
        for _ in range(PATIENCE):
            mined, theirs = self("eth_getTransactionReceipt", ours)
            if theirs:
                break
        assert mined["gasUsed"] == theirs["gasUsed"]
        contract: str | None = mined["contractAddress"]
        return contract


def word(address: str) -> bytes:
    """An address in hex as a word of calldata."""
    return bytes.fromhex(address[2:]).rjust(32, b"\0")


@pytest.fixture(scope="module")
def both() -> Iterator[Both]:
    """Both nodes with transfers, creations, failures and self-destructs, direct and internal."""
    subprocess.run(other_nodes.INSTALL, cwd=other_nodes.PROJECT, check=True, capture_output=True)
    rules = ("--hardfork", "prague")
    with ExitStack() as stack:
        urls = [
            stack.enter_context(started(*rules, "--chain-id", CHAIN_ID)),
            stack.enter_context(other_nodes.anvil(*rules)),
        ]
        ours, theirs = (stack.enter_context(closing(HttpClient(url))) for url in urls)
        found = Both(ours, theirs)
        found.send(BOB_HEX, value=5)
        found.contracts += [str(found.send(None, init_code(code))) for code in CODES]
        forward, creator, destroy, revert, static, echo, invalid = found.contracts
        found.send(forward, word(CAROL_HEX), value=3)
        found.send(forward, word(creator) + init_code(ECHO), value=7)
        found.send(forward, word(destroy) + word(HEIR), value=2)
        found.send(forward, word(revert) + error_payload("no"))
        found.send(static, word(echo) + b"\1\2\3")
        found.send(invalid)
        found.send(forward, word(forward) + word(BOB_HEX), value=1)
        found.send(BOB_HEX, value=6)
        yield found


class TestTransactions:
    def test_traces(self, both: Both) -> None:
        """Calls are anvil's, which leaves creations and self-destructs out.

        Its static calls have the value 0 instead of none.
        """
        kinds = set()
        for each in both.hashes:
            ours, theirs = both("ots_traceTransaction", each)
            kinds |= {entry["type"] for entry in ours}
            calls = [
                {**entry, "value": entry["value"] or "0x0"}
                for entry in ours
                if entry["type"] not in {"CREATE", "SELFDESTRUCT"}
            ]
            assert calls == theirs
        assert kinds == {"CALL", "STATICCALL", "CREATE", "SELFDESTRUCT"}

    def test_operations(self, both: Both) -> None:
        """Internal operations are anvil's but for that of the transaction itself.

        It leaves out what a call transferred that ended with a self-destruct.
        """
        operations = []
        for each in both.hashes:
            tx = both.devchain.call("eth_getTransactionByHash", each)
            ours, theirs = both("ots_getInternalOperations", each)
            own = int(tx["value"], 16) > 0 or tx["to"] is None
            destroyed = {each["from"] for each in ours if each["type"] == 1}
            shown = [each for each in ours if each["type"] or each["to"] not in destroyed]
            assert shown == theirs[own:]
            operations += ours
        assert {each["type"] for each in operations} == {0, 1, 2}

    def test_errors(self, both: Both) -> None:
        """What transactions reverted with."""
        answers = [both("ots_getTransactionError", each) for each in both.hashes]

        assert [ours for ours, _ in answers] == [theirs for _, theirs in answers]
        assert {ours for ours, _ in answers} == {"0x", f"0x{error_payload('no').hex()}"}

    def test_by_nonce(self, both: Both) -> None:
        """Transactions by sender and nonce."""
        for nonce in range(len(both.hashes) + 1):
            ours, theirs = both("ots_getTransactionBySenderAndNonce", ALICE_HEX, nonce)
            assert ours == theirs == [*both.hashes, None][nonce]


class TestAccounts:
    def test_code(self, both: Both) -> None:
        """Which accounts have code, and since which block."""
        for address in (*both.contracts, BOB_HEX):
            for block in (0, 3, "latest"):
                ours, theirs = both("ots_hasCode", address, block)
                assert ours == theirs

    def test_creators(self, both: Both) -> None:
        """Who created a contract, in which transaction."""
        created = both.devchain.call("ots_traceTransaction", both.hashes[9])[-1]["to"]
        for address in (*both.contracts, created, BOB_HEX):
            ours, theirs = both("ots_getContractCreator", address)
            assert ours == theirs
        assert both("ots_getContractCreator", created)[0]["creator"] == both.contracts[1]

    @pytest.mark.parametrize("method", ["Before", "After"])
    @pytest.mark.parametrize("size", [1, 2, 25])
    def test_search(self, both: Both, method: str, size: int) -> None:
        """Both find the same transactions from every block on, and are at an end where anvil is.

        It does not see the end when it has found as many as were asked for before it, nor on
        an empty page, and does not find the beneficiary of a self-destruct, as Erigon does.
        """
        heir = both("ots_searchTransactionsBefore", HEIR, 0, 1)
        assert [len(each["txs"]) for each in heir] == [1, 0]
        height = len(both.hashes)
        for address in (ALICE_HEX, BOB_HEX, CAROL_HEX, NOBODY, *both.contracts):
            for block in range(height + 2):
                ours, theirs = both(f"ots_searchTransactions{method}", address, block, size)
                found = [each["hash"] for each in ours["txs"]]
                assert found == [each["hash"] for each in theirs["txs"]], (address, block)
                assert [each["transactionHash"] for each in ours["receipts"]] == found
                if found:
                    assert ours["firstPage"] >= theirs["firstPage"]
                    assert ours["lastPage"] >= theirs["lastPage"]

    def test_members(self, both: Both) -> None:
        """Transactions and receipts have anvil's members but those of its own."""
        ours, theirs = both("ots_searchTransactionsBefore", BOB_HEX, 0, 25)

        for name, own in (
            ("txs", {"blockTimestamp", "chainId"}),
            ("receipts", {"blobGasPrice"}),
        ):
            for mine, other in zip(ours[name], theirs[name], strict=True):
                assert other.keys() - mine.keys() <= own
                assert mine.keys() <= other.keys()
        assert ours.keys() == theirs.keys()


class TestBlocks:
    def test_details(self, both: Both) -> None:
        """Details have anvil's members; blooms, which Otterscan does not read, are null."""
        for number in range(len(both.hashes) + 1):
            ours, theirs = both("ots_getBlockDetails", number)
            assert ours.keys() == theirs.keys()
            assert ours["block"].keys() == theirs["block"].keys()
            for name in ("transactionCount", "gasUsed", "number", "withdrawals"):
                assert ours["block"][name] == theirs["block"][name]
            assert ours["totalFees"] == theirs["totalFees"]
            assert ours["issuance"] == theirs["issuance"]
            by_hash = both.devchain.call("ots_getBlockDetailsByHash", ours["block"]["hash"])
            assert by_hash == ours

    def test_transactions(self, both: Both) -> None:
        """Transactions of a block with their receipts, inputs cut off after the selector."""
        for number in range(len(both.hashes) + 1):
            ours, theirs = both("ots_getBlockTransactions", number, 0, 25)
            for name in ("hash", "input", "from", "to", "value"):
                assert [each[name] for each in ours["fullblock"]["transactions"]] == [
                    each[name] for each in theirs["fullblock"]["transactions"]
                ]
            for name in ("transactionHash", "status", "gasUsed", "contractAddress"):
                assert [each[name] for each in ours["receipts"]] == [
                    each[name] for each in theirs["receipts"]
                ]
            assert ours["fullblock"]["transactionCount"] == bool(number)

    def test_header(self, both: Both) -> None:
        """A header has the members of anvil's, which is the whole block."""
        ours, theirs = both("erigon_getHeaderByNumber", "latest")

        assert theirs.keys() - ours.keys() == {"transactions", "uncles", "withdrawals"}
        assert ours.keys() <= theirs.keys()
        assert both("erigon_getHeaderByNumber", 999) == (None, None)

    def test_level(self, both: Both) -> None:
        """The level of the API."""
        assert both("ots_getApiLevel") == (8, 8)
