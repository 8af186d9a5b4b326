"""`devchain.chain.upstream_objects`"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
import rlp
from eth_account import Account
from eth_hash.auto import keccak
from hypothesis import given, settings
from hypothesis import strategies as some

from devchain.chain.block import Block
from devchain.chain.receipts import bloom_of
from devchain.chain.remasc import closing_transaction, is_closing
from devchain.chain.transaction import Transaction
from devchain.chain.upstream_objects import UpstreamReader
from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import UpstreamAnswerInvalid
from devchain.evm.hardforks import rules_for
from devchain.networks import HARDFORKS
from devchain.node import Node
from devchain.rpc.json_codec import dump_json, encode
from devchain.rpc.result_objects import block_object, receipt_object
from devchain.types import Hash32
from tests.accounts import ALICE, ALICE_KEY, BOB, BOB_KEY, CAROL
from tests.actions import deploy, send
from tests.bytecode import EMIT, REVERT, word
from tests.conftest import GENESIS_TIME

Json = dict[str, Any]
RECORDED = Path(__file__).parents[3] / "shared/conformance/rskj/shapes.jsonl.gz"


def node_of(hardfork: str) -> Node:
    """A node under those rules."""
    return Node(Config(hardfork=hardfork, fixed_clock=GENESIS_TIME))


def send_typed(node: Node) -> None:
    """Send a transaction of each type that the node's rules have."""
    chain_id = node.config.effective_chain_id
    for kind in sorted(node.chain.rules.transaction_types - {0}):
        price = 10**10
        fees = {"maxFeePerGas": price, "maxPriorityFeePerGas": 3}
        allowed = {"chainId": chain_id, "address": CAROL, "nonce": 0}
        node.send_raw(
            bytes(
                Account.sign_transaction(
                    {
                        **({"gasPrice": price} if kind == 1 else fees),
                        **(
                            {"authorizationList": [Account.sign_authorization(allowed, BOB_KEY)]}
                            if kind == 4
                            else {}
                        ),
                        "accessList": [{"address": BOB, "storageKeys": ["0x" + "07" * 32]}],
                        "to": BOB,
                        "value": 7,
                        "gas": 90_000,
                        "chainId": chain_id,
                        "type": kind,
                        "data": b"\1\0",
                        "nonce": node.chain.state_at(node.chain.height).nonce(ALICE),
                    },
                    ALICE_KEY,
                ).raw_transaction
            )
        )


def read_block(reader: UpstreamReader, client: LocalClient, number: int) -> Block:
    """A block of a node, read from its JSON, with its receipts."""
    answer = client.call("eth_getBlockByNumber", hex(number), True)
    block = reader.block(answer, number)
    receipts = [
        reader.receipt(client.call("eth_getTransactionReceipt", "0x" + tx.hash.hex()), tx)
        for tx in block.transactions
    ]
    return replace(block, receipts=tuple(receipts))


def as_json(value: object) -> Any:
    """A result as a client gets it."""
    return json.loads(dump_json(encode(value)))


def check_round_trip(node: Node, reader: UpstreamReader) -> None:
    """Check that blocks and receipts read from a node's JSON are shown as the node shows them."""
    client = LocalClient(node)
    for number in range(node.chain.height + 1):
        block = read_block(reader, client, number)
        for full in (False, True):
            wanted = client.call("eth_getBlockByNumber", hex(number), full)
            assert as_json(block_object(block, full=full)) == wanted
        shown = [as_json(receipt_object(block, each)) for each in block.receipts]
        assert shown == client.call("eth_getBlockReceipts", hex(number))


class TestRoundTrip:
    """JSON of a devchain node becomes values that are shown as the same JSON."""

    @pytest.mark.parametrize("hardfork", HARDFORKS)
    def test_every_hardfork(self, hardfork: str) -> None:
        """Blocks with every type of transaction, logs, a creation and a failure."""
        with node_of(hardfork) as node:
            send(node, deploy(node, EMIT), word(7) * 3)
            send(node, deploy(node, REVERT), gas=100_000)
            send_typed(node)
            node.mine()

            check_round_trip(node, UpstreamReader(node.chain.rules))


def fields_of(block: Block) -> Json:
    """The fields of a block's header but fork detection data, which no method answers."""
    fields: Json = block.header.as_dict()
    return {name: value for name, value in fields.items() if name != "fork_data"}


FIELDS = [each.name for each in fields(Transaction) if each.compare]


class TestValues:
    """What the node itself reads of the values."""

    @pytest.mark.parametrize("hardfork", ["orchid", "vetiver", "frontier", "london", "prague"])
    def test_equal_those_of_the_node(self, hardfork: str) -> None:
        """Header fields, hashes, transactions as executed, receipts; the hash where it is read."""
        with node_of(hardfork) as node:
            send(node, deploy(node, EMIT), word(7) * 3)
            send_typed(node)
            node.mine()
            reader, client = UpstreamReader(node.chain.rules), LocalClient(node)

            for own in node.chain.blocks_after(-1):
                block = read_block(reader, client, own.number)
                assert fields_of(block) == fields_of(own)
                assert block.header.hash == own.header.hash == block.hash == own.hash
                for tx, own_tx in zip(block.transactions, own.transactions, strict=True):
                    assert [getattr(tx, name) for name in FIELDS] == [
                        getattr(own_tx, name) for name in FIELDS
                    ]
                    assert tx.signed.encode() == own_tx.signed.encode()
                assert [*map(repr, block.receipts)] == [
                    repr(replace(each, transaction=tx))
                    for each, tx in zip(own.receipts, block.transactions, strict=True)
                ]
                assert block.total_difficulty == own.total_difficulty
                assert block.merged_mining == own.merged_mining
                assert block.raw_header == own.raw_header


def filled(value: Any, path: str = "") -> Any:
    """A recorded answer with a value of the right sort where only the sort was recorded."""
    if isinstance(value, dict):
        return {name: filled(each, name) for name, each in value.items()}
    if isinstance(value, list):
        return [filled(each, path) for each in value]
    if not isinstance(value, str) or value[:1] not in ("<", "$"):
        return value
    sizes = {"logsBloom": 256, "nonce": 8, "bitcoinMergedMiningHeader": 80}
    sorts: Json = {
        "<quantity>": {"blockNumber": "0x7b", "number": "0x7b"}.get(path, "0x8"),
        "<int>": 1,
        "<bool>": False,
        "<data>": "0x" + "5a" * sizes.get(path, 3),
    }
    if value in sorts:
        return sorts[value]
    name = "hash" if path in ("blockHash", "hash") and value == "<32 bytes>" else value
    size = 20 if value in ("$A", "$C", "<address>") else 32
    return "0x" + keccak(name.encode())[:size].hex()


def recorded_blocks() -> list[Json]:
    """The blocks that a Rootstock node answered with full transactions."""
    if not RECORDED.exists():
        return []
    with gzip.open(RECORDED, "rt") as file:
        shapes = [json.loads(line) for line in file]
    return [
        filled(each["answer"]["result"])
        for each in shapes
        if each.get("method", "").startswith("eth_getBlockBy")
        and isinstance(each["answer"].get("result"), dict)
        and (each["params"][-1] or not each["answer"]["result"]["transactions"])
    ]


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded answers are not here")
class TestRecordedRootstock:
    def test_blocks(self) -> None:
        """Every member that the real node gives is shown with the same value."""
        reader = UpstreamReader(rules_for("vetiver"))
        answers = recorded_blocks()
        assert len(answers) >= 2

        for answer in answers:
            shown = as_json(
                block_object(reader.block(answer, int(answer["number"], 16)), full=True)
            )
            assert same_numbers(shown) == same_numbers(answer)

    def test_receipts(self) -> None:
        """The same of receipts; `removed` of logs is beside them."""
        reader = UpstreamReader(rules_for("vetiver"))
        with gzip.open(RECORDED, "rt") as file:
            shapes = [json.loads(line) for line in file]
        answers = [
            filled(each["answer"]["result"])
            for each in shapes
            if each.get("method") == "eth_getTransactionReceipt" and "result" in each["answer"]
        ]
        recorded = recorded_blocks()[0]
        block = reader.block(recorded, int(recorded["number"], 16))
        assert answers

        for answer in answers:
            members = {"hash": answer["transactionHash"], "type": answer["type"]}
            members |= {"from": answer["from"], "to": answer["to"]}
            tx_answer = in_block({**transaction_json(0), **members})
            tx = reader.block(tx_answer, int(tx_answer["number"], 16)).transactions[0]
            own = replace(block, hash=Hash32(bytes.fromhex(answer["blockHash"][2:])))
            shown = as_json(receipt_object(own, reader.receipt(answer, tx)))
            assert {name: shown[name] for name in answer} == answer


def same_numbers(answer: Json) -> Json:
    """An answer whose signatures and odd data are written one way."""
    text = json.dumps(answer)
    for tx in answer["transactions"]:
        for name in ("r", "s"):
            text = text.replace(f'"{tx[name]}"', f'"{hex(int(tx[name], 16))}"')
    return {**json.loads(text), "extraData": hex(int(answer["extraData"], 16))}


def closing_json(number: int) -> Json:
    """REMASC's transaction of a block as older nodes answer it, without a signature."""
    return {
        "hash": "0x" + closing_transaction(number).hash.hex(),
        "nonce": hex(number - 1),
        "from": "0x" + "00" * 20,
        "to": "0x0000000000000000000000000000000001000008",
        "gas": "0x0",
        "gasPrice": "0x0",
        "value": "0x00",
        "input": "0x00"[:2],
        "v": None,
        "r": None,
        "s": None,
    }


def block_json(number: int = 5, **changes: Any) -> Json:
    """A Rootstock block without `mixHash`, with REMASC's transaction alone."""
    own_hash, root = "0x" + "aa" * 32, "0x" + "bb" * 32
    place = {"blockHash": own_hash, "blockNumber": hex(number), "transactionIndex": "0x0"}
    return {
        "number": hex(number),
        "hash": own_hash,
        "parentHash": "0x" + "cc" * 32,
        "sha3Uncles": root,
        "logsBloom": "0x" + "00" * 256,
        "transactionsRoot": root,
        "stateRoot": root,
        "receiptsRoot": root,
        "miner": "0x" + "11" * 20,
        "difficulty": "0x10",
        "extraData": "0x",
        "size": "0x2a",
        "gasLimit": "0x67c280",
        "gasUsed": "0x0",
        "timestamp": "0x5f000000",
        "minimumGasPrice": "0x387ee40",
        "paidFees": "0x0",
        "transactions": [closing_json(number) | place],
        **changes,
    }


VETIVER = UpstreamReader(rules_for("vetiver"))
PRAGUE = UpstreamReader(rules_for("prague"))
HASH = "0x" + "aa" * 32


def in_block(tx: Json) -> Json:
    """A block with that transaction."""
    return block_json(transactions=[{**tx, "blockHash": HASH, "transactionIndex": "0x0"}])


def transaction_json(kind: int, **changes: Any) -> Json:
    """A transaction of that type, whose hash is of nothing."""
    return {
        "hash": "0x" + "dd" * 32,
        "nonce": "0x3",
        "from": "0x" + "22" * 20,
        "to": "0x" + "33" * 20,
        "gas": "0x5208",
        "gasPrice": "0x7",
        "value": "0x1",
        "input": "0x",
        "v": "0x1",
        "r": "0x2",
        "s": "0x3",
        "type": hex(kind),
        **changes,
    }


class TestWhatNodesAnswer:
    def test_block_of_the_test_network(self) -> None:
        """Its header has the hash that the node gave, its uncle counted; all is shown as there."""
        closing = closing_json(0xFCEA)
        place = {"blockHash": TESTNET_BLOCK["hash"], "transactionIndex": "0x0"}
        answer = {**TESTNET_BLOCK, "transactions": [closing | place]}

        block = UpstreamReader(rules_for("wasabi")).block(answer, 0xFCEA)

        assert keccak(block.raw_header) == block.hash
        assert block.difficulty_with_uncles == 0x47E89477
        assert closing["hash"].startswith("0xd63e3b6e1dd4")
        shown = as_json(block_object(block, full=False))
        assert {name: shown[name] for name in TESTNET_BLOCK} == TESTNET_BLOCK

    def test_remasc_without_signature(self) -> None:
        """Null `v`, `r`, `s` stay null; the transaction is REMASC's, with its bytes."""
        block = VETIVER.block(block_json(), 5)

        (tx,) = block.transactions
        assert is_closing(tx)
        assert (tx.raw, tx.hash) == (closing_transaction(5).raw, closing_transaction(5).hash)
        (shown,) = as_json(block_object(block, full=True))["transactions"]
        assert (shown["v"], shown["r"], shown["s"]) == (None, None, None)

    @pytest.mark.parametrize("kind", [3, 0x7E])
    def test_types_that_are_not_known(self, kind: int) -> None:
        """Blob transactions and those of rollups are shown, also where they cannot be executed."""
        blobs = {"maxFeePerBlobGas": "0x9", "blobVersionedHashes": ["0x01" + "55" * 31]}
        answer = transaction_json(kind, maxFeePerGas="0x8", **blobs)

        block = VETIVER.block(in_block(answer), 5)

        (tx,) = block.transactions
        assert (tx.signed, tx.gas_price, tx.raw) == (None, 8, b"")
        (shown,) = as_json(block_object(block, full=True))["transactions"]
        assert {name: shown[name] for name in answer} == answer

    def test_blob_transaction_is_decoded(self) -> None:
        """One whose bytes give its hash can be executed."""
        blobs = {"maxFeePerBlobGas": 9, "blobVersionedHashes": [b"\1" + bytes(31)]}
        fields = {
            "nonce": 3,
            "to": BOB,
            "gas": 21_000,
            "value": 1,
            "data": b"",
            "chainId": 1,
            "type": 3,
        }
        fees = {"maxFeePerGas": 8, "maxPriorityFeePerGas": 1, "accessList": []}
        signed = Account.sign_transaction({**fields, **fees, **blobs}, ALICE_KEY)
        answer = transaction_json(
            3,
            **{
                "hash": signed.hash.to_0x_hex(),
                "from": "0x" + ALICE.hex(),
                "to": "0x" + BOB.hex(),
                "chainId": "0x1",
            },
            maxFeePerGas="0x8",
            maxPriorityFeePerGas="0x1",
            accessList=[],
            maxFeePerBlobGas="0x9",
            blobVersionedHashes=["0x01" + "00" * 31],
            v=hex(signed.v),
            yParity=hex(signed.v),
            r=hex(signed.r),
            s=hex(signed.s),
        )

        (tx,) = PRAGUE.block(in_block(answer), 5).transactions

        assert tx.raw == signed.raw_transaction
        assert (tx.type, tx.sender, tx.priority_fee, tx.intrinsic_gas) == (3, ALICE, 1, 21_000)

    def test_price_of_zero_as_a_byte(self) -> None:
        """The Rootstock node encodes the price of a free transaction of its own as one byte."""
        fields = [3, b"\0", 21_000, b"3" * 20, 1, b"", 37 + 2 * 30, 2, 3]
        raw = rlp.encode(fields)
        answer = transaction_json(
            0,
            hash="0x" + keccak(raw).hex(),
            to="0x" + "33" * 20,
            gasPrice="0x0",
            v=hex(37 + 2 * 30),
        )

        (tx,) = VETIVER.block(in_block(answer), 5).transactions

        assert tx.raw == raw
        assert (tx.signed.gas_price, tx.signed.sender) == (0, tx.sender)

    def test_receipt_of_a_failure(self) -> None:
        """It has a failure; price and bloom follow from transaction and logs if it has none."""
        tx = VETIVER.block(in_block(transaction_json(0)), 5).transactions[0]
        answer = receipt_json(status="0x0", logs=[log_json()], logsBloom=None)

        receipt = VETIVER.receipt(answer, tx)

        assert receipt.failure
        assert (receipt.succeeded, receipt.gas_price, receipt.fee) == (False, 7, 7 * 21_000)
        assert (receipt.first_log_index, receipt.bloom) == (2, bloom_of(receipt.logs))

    def test_members_that_are_null(self) -> None:
        """Nodes write null for what a transaction or a block does not have: it is shown so."""
        names = ("chainId", "yParity", "accessList", "maxFeePerGas", "maxPriorityFeePerGas")
        nulls: Json = dict.fromkeys((*names, "maxFeePerBlobGas", "authorizationList"))
        for kind in range(5):
            answer = in_block(transaction_json(kind, **nulls, input=None))
            block = PRAGUE.block({**answer, "withdrawals": None, "size": None}, 5)

            shown = as_json(block_object(block, full=True))

            assert (shown["withdrawals"], shown["size"]) == (None, None)
            assert {name: shown["transactions"][0][name] for name in nulls} == nulls


TESTNET_BLOCK: Json = {
    "number": "0xfcea",
    "hash": "0xcca8612942582f1a890231a25245174d6947b7e2e990adf74e84c035c52b104f",
    "parentHash": "0xb004f5597ac7eedb515079d33e5b805818fab26c269aa6094fbfea4d99845405",
    "sha3Uncles": "0xff84b3163df46a90bc9414e86bfb70ddb15ecb67834eb87528f8a8abbddc23e0",
    "logsBloom": "0x"
    "0000000800000080000000000000000000000000000000000000000000000800000000000004000000000000"
    "0000000050000000000000000000000000000000000000000000000000000000005000000010008000000000"
    "1000000000000000000000000002000000000000000000000000000000000000000000000000000000000000"
    "0000020000000000020000000000000104000000000000040000000000000000000010000000000000001000"
    "0000000000000000001000000000000001000001000000000000000000000000000020000000000080200000"
    "100000000000000000000000000000000000000000080000000000000000000000000000",
    "transactionsRoot": "0x3db27be7411aed7534c14990298234782ad91e2b7964be25bb081fc014d49583",
    "stateRoot": "0x1e07d7d8c5e82f40ef338816c777f5f67a445f904dbcf785647dde1bc24512ea",
    "receiptsRoot": "0x11422b4b5228ed3bed9eae08bb64bbad7230e9b85ef4f74b75964d17dcdecc66",
    "miner": "0x1fab9a0e24ffc209b01faa5a61ad4366982d0b7f",
    "difficulty": "0x24aa8907",
    "totalDifficulty": "0x4b96af092bb7",
    "extraData": "0x",
    "size": "0x7a5",
    "gasLimit": "0x67c280",
    "gasUsed": "0x0",
    "timestamp": "0x5d404bf0",
    "uncles": ["0xa5c66b4cd18b4d4c355528d8b3fc4f1724fea9f56ac11c4649515c4aea55bb70"],
    "minimumGasPrice": "0x0",
    "bitcoinMergedMiningHeader": "0x"
    "00000020ec6f391bfb4fbad152de916fcf40868295b82d96533ce2329501000000000000"
    "fc38d5be8687dc934c89b3ae2a6ad3e8f77efdad192b9ceef737399fcffb1ff30c4c405d"
    "f421031a441284ce",
    "hashForMergedMining": "0x9b846df8ecbe1e7b98351144b1672c25f54207e3998ef7d8c8492a320000fcea",
    "paidFees": "0x0",
    "cumulativeDifficulty": "0x47e89477",
}
"""Block 64,746 of Rootstock's test network, with an uncle."""


def receipt_json(**changes: Any) -> Json:
    """The receipt of `transaction_json`."""
    return {
        "transactionHash": "0x" + "dd" * 32,
        "transactionIndex": "0x0",
        "blockHash": HASH,
        "blockNumber": "0x5",
        "cumulativeGasUsed": "0x5208",
        "gasUsed": "0x5208",
        "contractAddress": None,
        "logs": [],
        "logsBloom": "0x" + "00" * 256,
        "status": "0x1",
        **changes,
    }


def log_json(**changes: Any) -> Json:
    """A log of that receipt."""
    return {
        "address": "0x" + "33" * 20,
        "topics": [],
        "data": None,
        "blockNumber": "0x5",
        "blockHash": HASH,
        "transactionHash": "0x" + "dd" * 32,
        "transactionIndex": "0x0",
        "logIndex": "0x2",
        **changes,
    }


def read_receipt(answer: Any) -> object:
    """Read a receipt of a transaction that is there."""
    tx = VETIVER.block(in_block(transaction_json(0)), 5).transactions[0]
    return VETIVER.receipt(answer, tx)


MEMBERS = some.recursive(
    some.none() | some.booleans() | some.integers() | some.text(max_size=70) | some.floats(),
    lambda each: (
        some.lists(each, max_size=3) | some.dictionaries(some.text(max_size=5), each, max_size=3)
    ),
    max_leaves=12,
) | some.from_regex(r"0x[0-9a-f]{0,66}", fullmatch=True)
"""What a member of an answer can be."""


class TestWrongAnswers:
    """Each names the object and the member."""

    @pytest.mark.parametrize(
        ("read", "answer", "parts"),
        [
            (VETIVER.block, [], ["block 5", "an object"]),
            (VETIVER.block, block_json(6), ["block 6", "it was to be block 5"]),
            (VETIVER.block, block_json(gasUsed="-1"), ['"-1"', "(gasUsed of block 5)"]),
            (VETIVER.block, block_json(gasUsed=7), ["answers 7 where", "(gasUsed of block 5)"]),
            (VETIVER.block, block_json(gasUsed=None), ["answers null where", "gasUsed"]),
            (VETIVER.block, block_json(gasUsed="0x" + "f" * 17), ["gasUsed", "64 bits"]),
            (VETIVER.block, block_json(difficulty="0x" + "f" * 65), ["difficulty", "256 bits"]),
            (VETIVER.block, block_json(hash="0xaa"), ["(hash of", "32 bytes"]),
            (VETIVER.block, block_json(hash="0x" + "zz" * 32), ["(hash of", "32 bytes"]),
            (VETIVER.block, block_json(extraData="0x\x1b[2J"), ["extraData"]),
            (VETIVER.block, block_json(extraData="0x" + "z" * 10**6), ["extraData", "..."]),
            (VETIVER.block, block_json(uncles={}), ["(uncles of", "a list"]),
            (VETIVER.block, block_json(rskPteEdges=["0x1"]), ["rskPteEdges", "a number"]),
            (VETIVER.block, block_json(withdrawals=[7]), ["withdrawals", "an object"]),
            (VETIVER.block, block_json(transactions=None), ["transactions", "a list"]),
            (VETIVER.block, block_json(transactions=["0x"]), ["transaction 0 of block 5"]),
            (VETIVER.block, in_block(transaction_json(0, to="0x1")), ["(to of transaction 0"]),
            (
                VETIVER.block,
                in_block(transaction_json(0)) | {"hash": "0x" + "ab" * 32},
                ["transaction 0", "blockHash"],
            ),
            (read_receipt, receipt_json(transactionHash=HASH), ["receipt", "transactionHash"]),
            (read_receipt, receipt_json(status=None), ["receipt", "status"]),
            (read_receipt, receipt_json(logsBloom="0x"), ["receipt", "logsBloom"]),
            (read_receipt, receipt_json(logs=[{}]), ["null", "(topics of log 0"]),
            (read_receipt, receipt_json(logs=[log_json(), log_json()]), ["logIndex"]),
            (read_receipt, receipt_json(logs=[log_json(topics=[HASH] * 5)]), ["5 topics"]),
        ],
    )  # fmt: skip
    def test_is_named(self, read: Callable[[Any], object], answer: Any, parts: list[str]) -> None:
        """One line of limited length, whatever the answer contains."""
        args = (answer, 5) if read == VETIVER.block else (answer,)
        with pytest.raises(UpstreamAnswerInvalid) as caught:
            read(*args)

        text = str(caught.value)
        assert [part for part in parts if part not in text] == []
        assert len(text) < 300
        assert text.isprintable()

    @given(some.data())
    @settings(max_examples=200)
    def test_nothing_else_is_raised(self, draw: Any) -> None:
        """Whatever a member is, the block is read or refused."""
        answer = block_json()
        name = draw.draw(
            some.sampled_from([*answer, "mixHash", "nonce", "totalDifficulty", "baseEvent"])
        )
        answer[name] = draw.draw(MEMBERS)
        for reader in (VETIVER, PRAGUE):
            try:
                block = reader.block(answer, 5)
            except UpstreamAnswerInvalid:
                continue
            as_json(block_object(block, full=True))

    def test_another_transaction(self) -> None:
        """The transaction of a hash has that hash."""
        with pytest.raises(UpstreamAnswerInvalid, match="its hash is"):
            VETIVER.transaction(transaction_json(0), Hash32(bytes(32)), 5)
