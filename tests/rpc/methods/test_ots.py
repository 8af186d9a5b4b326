"""`devchain.rpc.methods.ots`"""

from __future__ import annotations

from typing import Any

import pytest

from devchain.chain.slices import finish
from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import InvalidInput
from devchain.node import Node
from devchain.rpc.methods import ots
from devchain.tracing.address_recorder import AddressRecorder
from devchain.types import Address, Hash32
from tests.accounts import ALICE, ALICE_HEX, BOB, BOB_HEX, CAROL, CAROL_HEX
from tests.actions import deploy, run, send
from tests.bytecode import (
    COUNTER,
    CREATOR,
    DESTROY,
    ECHO,
    FORWARD,
    INVALID,
    REVERT,
    STATIC_FORWARD,
    address_word,
    assemble,
    init_code,
)
from tests.conftest import GENESIS_TIME

CREATE_TWO = assemble(
    "CALLDATASIZE 0 0 CALLDATACOPY 7 CALLDATASIZE 0 CALLVALUE CREATE2 0 MSTORE 32 0 RETURN"
)


def hash_of(node: Node, to: Any, data: bytes = b"", **fields: Any) -> Hash32:
    """The hash of a mined transaction."""
    return Hash32(send(node, to, data, **fields))


def numbers(found: Any) -> list[int]:
    """The block numbers of the transactions of a search."""
    return [each["blockNumber"] for each in found["txs"]]


def before(node: Node, address: Address, block: int = 0, size: int = 25) -> Any:
    """`ots_searchTransactionsBefore`"""
    return finish(ots.search_transactions_before(node, address, block, size))  # type: ignore[arg-type]  # a number


def after(node: Node, address: Address, block: int = 0, size: int = 25) -> Any:
    """`ots_searchTransactionsAfter`"""
    return finish(ots.search_transactions_after(node, address, block, size))  # type: ignore[arg-type]  # as above


class TestBlocks:
    def test_header(self, client: LocalClient) -> None:
        """A header has the members of a block but for what the block contains."""
        client.call("evm_mine")
        block = client.call("eth_getBlockByNumber", "latest", False)

        header = client.call("erigon_getHeaderByNumber", "latest")

        assert header == {
            name: value
            for name, value in block.items()
            if name not in {"transactions", "uncles", "withdrawals"}
        }

    def test_details(self, client: LocalClient, node: Node) -> None:
        """A block's details are its members with the number of its transactions, and its fees."""
        run(node, BOB, gas_price=3)
        block = client.call("eth_getBlockByNumber", "latest", False)
        del block["transactions"]

        details = client.call("ots_getBlockDetails", 1)

        assert details == {
            "block": {**block, "logsBloom": None, "transactionCount": 1},
            "issuance": {"blockReward": "0x0", "uncleReward": "0x0", "issuance": "0x0"},
            "totalFees": hex(3 * 21_000),
        }
        assert client.call("ots_getBlockDetailsByHash", block["hash"]) == details

    @pytest.mark.parametrize(
        ("hardfork", "ether"), [("byzantium", 3), ("london", 2), ("cancun", 0)]
    )
    def test_reward(self, hardfork: str, ether: int) -> None:
        """Under early Ethereum's rules a block has a reward; the genesis block has none."""
        with Node(Config(hardfork=hardfork, fixed_clock=GENESIS_TIME)) as node:
            node.mine()
            rewards = []
            for number in (0, 1):
                details = ots.get_block_details(node, number)
                assert details is not None
                rewards.append(details["issuance"]["issuance"])

        assert rewards == [0, ether * 10**18]

    def test_pages(self, node: Node) -> None:
        """Page 0 has the last transactions of a block, and pages end with the first ones."""
        node.miner.set_automine(on=False)
        hashes = [send(node, BOB, b"\1\2\3\4\5", nonce=nonce) for nonce in range(5)]
        node.mine()

        pages = []
        for number in range(4):
            page = ots.get_block_transactions(node, 1, number, 2)  # type: ignore[arg-type]  # numbers
            assert page is not None
            assert page["fullblock"]["transactionCount"] == 5
            found = [each["hash"] for each in page["fullblock"]["transactions"]]
            assert [each["transactionHash"] for each in page["receipts"]] == found
            assert {each["input"] for each in page["fullblock"]["transactions"]} <= {b"\1\2\3\4"}
            pages.append(found)

        assert pages == [hashes[3:], hashes[1:3], hashes[:1], []]

    @pytest.mark.parametrize("size", [0, 1_001, 2**64 - 1])
    def test_size(self, node: Node, size: int) -> None:
        """Pages have from 1 to 1000 transactions."""
        with pytest.raises(InvalidInput, match="1 to 1000"):
            ots.get_block_transactions(node, 0, 0, size)  # type: ignore[arg-type]  # numbers
        with pytest.raises(InvalidInput, match="1 to 1000"):
            before(node, BOB, size=size)


class TestTrace:
    def test_entries(self, client: LocalClient, node: Node) -> None:
        """Calls, creations and self-destructs are listed with their depth."""
        destroy, forward = deploy(node, DESTROY), deploy(node, FORWARD)
        data = address_word(destroy) + address_word(CAROL)

        tx_hash = hash_of(node, forward, data, value=5)

        first, second, third = client.call("ots_traceTransaction", f"0x{tx_hash.hex()}")
        assert first == {
            "type": "CALL",
            "depth": 0,
            "from": ALICE_HEX,
            "to": f"0x{forward.hex()}",
            "value": "0x5",
            "input": f"0x{data.hex()}",
            "output": "0x",
        }
        assert (second["depth"], second["to"]) == (1, f"0x{destroy.hex()}")
        assert third == {
            "type": "SELFDESTRUCT",
            "depth": 2,
            "from": f"0x{destroy.hex()}",
            "to": CAROL_HEX,
            "value": "0x5",
            "input": "0x",
            "output": "0x",
        }

    def test_static_call(self, node: Node) -> None:
        """A static call has no value, which is not the value 0."""
        echo, forward = deploy(node, ECHO), deploy(node, STATIC_FORWARD)
        tx_hash = hash_of(node, forward, address_word(echo))

        found = ots.trace_transaction(node, tx_hash)

        assert [(each["type"], each["value"]) for each in found] == [
            ("CALL", 0),
            ("STATICCALL", None),
        ]

    def test_operations(self, node: Node) -> None:
        """Internal operations are transfers, self-destructs and creations by contracts."""
        forward, creator = deploy(node, FORWARD), deploy(node, CREATOR)
        second, destroy = deploy(node, CREATE_TWO), deploy(node, DESTROY)
        calls = [
            (address_word(CAROL), 5),
            (address_word(creator) + init_code(ECHO), 0),
            (address_word(second) + init_code(ECHO), 0),
            (address_word(destroy) + address_word(BOB), 0),
        ]

        found = [
            ots.get_internal_operations(node, hash_of(node, forward, data, value=value))
            for data, value in calls
        ]

        assert found[0] == [{"type": 0, "from": forward, "to": CAROL, "value": 5}]
        assert [[each["type"] for each in operations] for operations in found[1:]] == [
            [2],
            [3],
            [1],
        ]
        assert found[3] == [{"type": 1, "from": destroy, "to": BOB, "value": 0}]

    def test_error(self, node: Node) -> None:
        """The payload of a revert; nothing of other failures and of success."""
        codes = (REVERT, INVALID, ECHO)
        hashes = [hash_of(node, deploy(node, code), b"\1\2") for code in codes]

        found = [ots.get_transaction_error(node, each) for each in hashes]

        assert found == [b"\1\2", b"", b""]


class TestSearch:
    @pytest.fixture
    def node(self, node: Node) -> Node:
        """Six blocks with a payment to BOB, and an empty one after them."""
        for _ in range(6):
            run(node, BOB)
        node.mine()
        return node

    @pytest.mark.parametrize(
        ("block", "found", "first", "last"),
        [
            (0, [6, 5], True, False),
            (99, [6, 5], True, False),
            (7, [6, 5], True, False),
            (6, [5, 4], False, False),
            (3, [2, 1], False, True),
            (2, [1], False, True),
            (1, [], False, True),
        ],
    )
    def test_before(
        self, node: Node, block: int, found: list[int], *, first: bool, last: bool
    ) -> None:
        """Blocks below the one that is named; flags say whether there is more on either side."""
        page = before(node, BOB, block, 2)

        assert (numbers(page), page["firstPage"], page["lastPage"]) == (found, first, last)

    @pytest.mark.parametrize(
        ("block", "found", "first", "last"),
        [
            (0, [2, 1], False, True),
            (1, [3, 2], False, False),
            (4, [6, 5], True, False),
            (5, [6], True, False),
            (6, [], True, False),
            (99, [], True, False),
        ],
    )
    def test_after(
        self, node: Node, block: int, found: list[int], *, first: bool, last: bool
    ) -> None:
        """Blocks above the one that is named, newest first too."""
        page = after(node, BOB, block, 2)

        assert (numbers(page), page["firstPage"], page["lastPage"]) == (found, first, last)

    def test_unknown(self, node: Node) -> None:
        """An account that nothing touched has an empty page that is the first and the last."""
        assert before(node, CAROL) == after(node, CAROL)
        assert before(node, CAROL) == {
            "txs": [],
            "receipts": [],
            "firstPage": True,
            "lastPage": True,
        }

    def test_whole_blocks(self, node: Node) -> None:
        """A page is longer than asked for where its last block has more of the account."""
        node.miner.set_automine(on=False)
        for nonce in range(6, 10):
            send(node, BOB, nonce=nonce)
        node.mine()

        newest, oldest = before(node, BOB, 0, 2), after(node, BOB, 6, 3)

        assert numbers(newest) == numbers(oldest) == [8, 8, 8, 8]
        assert [each["transactionIndex"] for each in newest["txs"]] == [3, 2, 1, 0]
        assert (newest["firstPage"], newest["lastPage"]) == (True, False)
        assert numbers(before(node, BOB, 0, 5)) == [8, 8, 8, 8, 6]

    def test_members(self, client: LocalClient, node: Node) -> None:
        """Transactions and receipts are as by hash, these with a timestamp."""
        page = client.call("ots_searchTransactionsBefore", BOB_HEX, 0, 1)

        tx_hash = page["txs"][0]["hash"]
        receipt = client.call("eth_getTransactionReceipt", tx_hash)
        timestamp = client.call("eth_getBlockByNumber", "0x6", False)["timestamp"]
        assert page["txs"] == [client.call("eth_getTransactionByHash", tx_hash)]
        assert page["receipts"] == [{**receipt, "timestamp": timestamp}]

    def test_turns(self, node: Node) -> None:
        """The first search on a long chain lets others be served."""
        node.mine(3_000)

        assert next(ots.search_transactions_before(node, BOB, 0, 1)) is True  # type: ignore[arg-type]  # numbers


class TestContractCreator:
    def test_none(self, node: Node) -> None:
        """An account that is no contract has none; neither has one that a cheat made."""
        node.set_code(CAROL, ECHO)

        assert finish(ots.get_contract_creator(node, BOB)) is None
        assert finish(ots.get_contract_creator(node, CAROL)) is None

    def test_by_transaction(self, node: Node) -> None:
        """The transaction that created a contract and its sender, also after others called it."""
        counter = deploy(node, COUNTER)
        created = node.chain.head.transactions[0].hash
        run(node, counter)

        found = finish(ots.get_contract_creator(node, counter))

        assert found == {"hash": created, "creator": ALICE}

    def test_by_contract(self, node: Node) -> None:
        """Or the one in which another contract created it, and that contract."""
        creator = deploy(node, CREATOR)
        receipt = run(node, creator, init_code(COUNTER))
        ((created, _),) = AddressRecorder().record_block(node.chain, node.chain.head)[0].created

        found = finish(ots.get_contract_creator(node, created))

        assert found == {"hash": receipt.transaction.hash, "creator": creator}
