"""REMASC on a whole node: the transaction that closes every block, and what it pays."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
import rlp
from eth_hash.auto import keccak

from devchain.chain.block import Block
from devchain.chain.remasc import REMASC_ADDRESS, REMASC_RULES
from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.networks import ROOTSTOCK
from devchain.node import Node
from devchain.rpc.catalog import METHODS
from devchain.types import ZERO_ADDRESS, Address, LogQuery, MineRequest, Tag
from tests.accounts import ALICE_HEX, BOB, BOB_HEX, NOBODY
from tests.actions import deploy, fingerprint, run, send
from tests.bytecode import DESTROY, EMIT, INVALID, init_code, word
from tests.chain.test_block import encoded
from tests.conftest import GENESIS_TIME
from tests.merkle import root_of_list
from tests.state.test_trie import items

PRICE = 10**9
GAS = 21_000
LOCAL = REMASC_RULES["local"]
MATURITY, SPAN = 10, 5
FIRST_PAID = MATURITY + SPAN
MINING_FEE = b"mining_fee_topic".rjust(32, b"\0")


@pytest.fixture
def config() -> Config:
    """A local node on which REMASC ends every block."""
    return Config(remasc=True, network="local", fixed_clock=GENESIS_TIME)


@pytest.fixture
def rich(node: Node) -> Node:
    """The node after 40 blocks, most of them with a fee; every seventh has none."""
    for number in range(1, 41):
        if number % 7:
            run(node, BOB, value=1, gas=GAS, gas_price=PRICE + number)
        else:
            node.mine(MineRequest())
    return node


def fee_of(number: int) -> int:
    """What the transaction of block `number` pays on the chain of `rich`."""
    return GAS * (PRICE + number) if number % 7 else 0


def payments(height: int) -> Iterator[tuple[int, list[tuple[Address, int]]]]:
    """What every block from 1 to `height` has to pay on the chain of `rich`, and to whom."""
    pool = 0
    for number in range(1, height + 1):
        pool += fee_of(number - MATURITY) if number > MATURITY else 0
        if number < FIRST_PAID:
            yield number, []
            continue
        share = pool // SPAN
        pool -= share
        labs = share // 5
        federation = (share - labs) // 100
        each, rest = divmod(federation, 3)
        parts = [each, each, each + rest]
        paid = [*zip(LOCAL.federators, parts, strict=True)]
        yield number, [(LOCAL.labs, labs), *paid, (COINBASE, share - labs - federation)]


COINBASE = Address(bytes.fromhex("ec4ddeb4380ad69b3e509baad9f158cdf4e4681d"))


def supply(node: Node, number: int) -> int:
    """Wei in existence after block `number`: the sum over every account of the state."""
    view = node.chain.state_at(number)
    leaves = items(view.database.trie(view.root))
    return sum(view.database.account(leaf).balance for _, leaf in leaves)


def last_of(block: Block) -> tuple[object, ...]:
    """What tells the closing transaction of a block from others."""
    tx = block.transactions[-1]
    return (tx.sender, tx.to, tx.nonce, tx.gas, tx.gas_price, tx.value, tx.data, tx.v, tx.r, tx.s)


class TestTransaction:
    def test_ends_every_block(self, rich: Node) -> None:
        """Every block but the first ends with it, its nonce one below the block's number."""
        genesis, *mined = rich.chain.blocks_after(-1)

        assert genesis.transactions == ()
        for block in mined:
            nonce = block.number - 1
            assert last_of(block) == (
                *(ZERO_ADDRESS, REMASC_ADDRESS, nonce, 0, 0, 0, b""),
                *(0, 0, 0),
            )
            assert len(block.transactions) == (2 if block.number % 7 else 1)

    @pytest.mark.parametrize("name", ROOTSTOCK)
    def test_every_upgrade(self, name: str) -> None:
        """It closes blocks under every upgrade."""
        config = Config(remasc=True, hardfork=name, network="local", fixed_clock=GENESIS_TIME)
        with Node(config) as node:
            run(node, BOB, gas=GAS, gas_price=PRICE)
            node.mine(MineRequest(blocks=FIRST_PAID))

            assert len(node.chain.head.transactions[-1].raw) == len(rlp.encode([b""] * 8)) + 21
            assert node.chain.block(MATURITY + 1).receipts[-1].logs == ()
            assert len(node.chain.head.receipts[-1].logs) == 5

    def test_under_ethereum(self) -> None:
        """Ethereum's rules have no REMASC, whatever the configuration says."""
        with Node(Config(remasc=True, hardfork="prague", fixed_clock=GENESIS_TIME)) as node:
            run(node, BOB, value=1)

            assert len(node.chain.head.transactions) == 1

    def test_object(self, rich: Node, client: LocalClient) -> None:
        """A client sees a transaction of the zero address with a signature of zeros."""
        block = client.call("eth_getBlockByNumber", "0x14", True)
        shown = block["transactions"][-1]

        assert shown == {
            "hash": "0x" + rich.chain.block(20).transactions[-1].hash.hex(),
            "nonce": "0x13",
            "blockHash": block["hash"],
            "blockNumber": "0x14",
            "transactionIndex": "0x1",
            "from": "0x" + "00" * 20,
            "to": "0x0000000000000000000000000000000001000008",
            "gas": "0x0",
            "gasPrice": "0x0",
            "value": "0x0",
            "input": "0x",
            "v": "0x0",
            "r": "0x0",
            "s": "0x0",
            "type": "0x0",
        }
        assert client.call("eth_getTransactionByHash", shown["hash"]) == shown
        assert client.call("eth_getTransactionByBlockNumberAndIndex", "0x14", "0x1") == shown

    def test_receipt(self, rich: Node, client: LocalClient) -> None:
        """Its receipt is a success that used no gas."""
        sent = client.call("eth_getBlockByNumber", "0x14", False)["transactions"][-1]

        receipt = client.call("eth_getTransactionReceipt", sent)

        assert (receipt["status"], receipt["gasUsed"], receipt["contractAddress"]) == (
            "0x1",
            "0x0",
            None,
        )
        assert (receipt["cumulativeGasUsed"], receipt["effectiveGasPrice"]) == (hex(GAS), "0x0")
        assert len(receipt["logs"]) == 5
        assert client.call("eth_getLogs", {"fromBlock": "0x14", "toBlock": "0x14"}) == [
            *receipt["logs"]
        ]

    def test_count(self, rich: Node, client: LocalClient) -> None:
        """It counts as one of the block's transactions."""
        counts = [
            client.call("eth_getBlockTransactionCountByNumber", block)
            for block in ("0x0", "0x1", "0x7", "pending")
        ]

        assert counts == ["0x0", "0x2", "0x1", "0x1"]

    def test_in_the_pending_block(self, node: Node, client: LocalClient) -> None:
        """The pending block has it too, with the others before it, and nobody waits for it."""
        node.miner.running = False
        send(node, BOB, value=1, gas=GAS)

        shown = client.call("eth_getBlockByNumber", "pending", True)["transactions"]

        assert [each["to"] for each in shown] == [BOB_HEX, "0x" + REMASC_ADDRESS.hex()]
        assert [each["blockHash"] for each in shown] == [None, None]
        assert client.call("txpool_status") == {"pending": 1, "queued": 0}

    def test_not_sent_by_anybody(self, rich: Node) -> None:
        """No account's nonce counts it."""
        state = rich.chain.state_at(Tag.LATEST)

        assert (state.nonce(ZERO_ADDRESS), state.nonce(REMASC_ADDRESS)) == (0, 0)

    def test_explorer_methods(self, rich: Node, client: LocalClient) -> None:
        """Whatever a client asks about it, or about its block, is no bug."""
        block = client.call("eth_getBlockByNumber", "latest", False)
        sent = block["transactions"][-1]
        asked = [
            (name, *params)
            for name in METHODS
            if not name.startswith("evm_")
            for params in ([sent], [block["hash"]], [sent, {}], ["latest", "0x1"], ["pending"])
        ]

        answers = client.batch(asked)

        assert [getattr(each, "code", None) for each in answers].count(-32603) == 0


class TestPayments:
    def test_amounts(self, rich: Node) -> None:
        """Labs, federators and miner are paid what the reference's rules give, to the wei."""
        for number, paid in payments(40):
            logs = rich.chain.block(number).receipts[-1].logs
            rewarded = rich.chain.block(max(0, number - MATURITY)).hash

            found = [(log.topics[1][12:], log.data) for log in logs]

            assert found == [(to, rlp.encode([rewarded, amount])) for to, amount in paid]
            assert {log.topics[0] for log in logs} <= {MINING_FEE}
            assert {log.address for log in logs} <= {REMASC_ADDRESS}

    def test_balances(self, rich: Node) -> None:
        """What was logged is what the accounts have; REMASC keeps the rest of the fees."""
        paid = [each for _, block in payments(40) for each in block]
        state = rich.chain.state_at(Tag.LATEST)

        for receiver in {LOCAL.labs, *LOCAL.federators, COINBASE}:
            assert state.balance(receiver) == sum(amount for to, amount in paid if to == receiver)
        fees = sum(fee_of(number) for number in range(1, 41))
        assert state.balance(REMASC_ADDRESS) == fees - sum(amount for _, amount in paid)

    def test_nothing_before(self, rich: Node) -> None:
        """The first payment comes once fees are mature and the span has passed."""
        logged = [block.number for block in rich.chain.blocks_after(0) if block.receipts[-1].logs]

        assert logged == list(range(FIRST_PAID, 41))
        assert rich.chain.state_at(FIRST_PAID - 1).balance(COINBASE) == 0

    def test_without_fees(self, node: Node) -> None:
        """Without a gas price nothing is paid; the logs say so with zeros, as the node's do."""
        for _ in range(20):
            run(node, BOB, value=1, gas=GAS)

        state = node.chain.state_at(Tag.LATEST)
        amounts = [rlp.decode(log.log.data)[1] for log in node.logs(LogQuery(from_block=0))]

        assert {state.balance(each) for each in (LOCAL.labs, COINBASE, REMASC_ADDRESS)} == {0}
        assert set(amounts) == {b""}

    def test_paid_fees(self, rich: Node) -> None:
        """A block's header says what its transactions paid."""
        found = [block.header.paid_fees for block in rich.chain.blocks_after(0)]

        assert found == [fee_of(number) for number in range(1, 41)]


class TestSupply:
    def test_conserved(self, rich: Node) -> None:
        """No block creates or destroys a wei."""
        assert {supply(rich, number) for number in range(41)} == {supply(rich, 0)}

    def test_of_every_kind_of_transaction(self, node: Node) -> None:
        """Nor does what fails, creates, destroys, or runs into a precompiled contract."""
        run(node, None, init_code(EMIT), gas_price=3, value=4)
        run(node, deploy(node, INVALID), gas_price=5)
        run(node, deploy(node, DESTROY, value=9), NOBODY.rjust(32, b"\0"), gas_price=7)
        for number in (1, 5, 8, 0x01000006, 0x01000008, 0x01000010):
            run(node, Address(number.to_bytes(20, "big")), b"\1\2\3\4", gas_price=11, value=1)
        node.mine(MineRequest(blocks=30))

        height = node.chain.height
        assert {supply(node, number) for number in range(height + 1)} == {supply(node, 0)}


class TestRoots:
    def test_agree(self, rich: Node) -> None:
        """Roots, blooms and gas recomputed from what is shown are those of the headers."""
        for parent, block in pairwise(rich.chain.blocks_after(-1)):
            header = block.header
            assert header.transaction_root == root_of_list([tx.raw for tx in block.transactions])
            assert header.receipt_root == root_of_list([encoded(each) for each in block.receipts])
            assert header.gas_used == sum(each.gas_used for each in block.receipts)
            assert (block.hash, header.parent_hash) == (keccak(block.raw_header), parent.hash)

    def test_hash(self, rich: Node) -> None:
        """The transaction's hash is that of the bytes in the trie."""
        for block in rich.chain.blocks_after(0):
            tx = block.transactions[-1]
            assert tx.hash == keccak(tx.raw)

    def test_size(self, rich: Node, client: LocalClient) -> None:
        """It counts towards the block's size."""
        block = rich.chain.head
        body = [rlp.decode(tx.raw) for tx in block.transactions]

        expected = len(rlp.encode([rlp.decode(block.raw_header), body, []]))

        assert client.call("eth_getBlockByNumber", "latest", False)["size"] == hex(expected)


class TestSnapshots:
    def test_revert(self, rich: Node) -> None:
        """After a revert everything is as it was, and the same blocks can be mined again."""
        snapshot, before = rich.snapshots.take(), fingerprint(rich)
        run(rich, BOB, value=1, gas=GAS, gas_price=PRICE)
        first = rich.chain.head
        rich.revert(snapshot)
        reverted = fingerprint(rich)

        run(rich, BOB, value=1, gas=GAS, gas_price=PRICE)

        assert reverted == before
        assert (rich.chain.head.hash, rich.chain.head.receipts) == (first.hash, first.receipts)

    def test_pending_changes_nothing(self, rich: Node) -> None:
        """Looking at the pending block pays nobody."""
        before = fingerprint(rich)
        rich.chain.pending()
        rich.chain.pending()

        assert fingerprint(rich) == before

    def test_filters(self, rich: Node, client: LocalClient) -> None:
        """A log filter tells of payments, a block filter of blocks, a pending one of neither."""
        topic = "0x" + LOCAL.labs.rjust(32, b"\0").hex()
        logs = client.call("eth_newFilter", {"topics": [None, topic]})
        blocks = client.call("eth_newBlockFilter")
        pending = client.call("eth_newPendingTransactionFilter")
        rich.mine(MineRequest(blocks=2))

        paid = client.call("eth_getFilterChanges", logs)

        assert [each["blockNumber"] for each in paid] == [hex(41), hex(42)]
        assert {each["address"] for each in paid} == {"0x" + REMASC_ADDRESS.hex()}
        assert len(client.call("eth_getFilterChanges", blocks)) == 2
        assert client.call("eth_getFilterChanges", pending) == []


class TestGenuineCalls:
    def test_by_an_account(self, node: Node, client: LocalClient) -> None:
        """Others may not call the contract: that fails, and its fee is divided like any other."""
        sent = client.call(
            "eth_sendTransaction",
            {"from": ALICE_HEX, "to": "0x" + REMASC_ADDRESS.hex(), "gasPrice": "0x7"},
        )

        receipt = client.call("eth_getTransactionReceipt", sent)

        assert receipt["status"] == "0x0"
        assert node.chain.head.header.paid_fees > 0
        assert node.chain.state_at(Tag.LATEST).balance(REMASC_ADDRESS) == (
            node.chain.head.header.paid_fees
        )

    def test_log_of_a_contract_comes_first(self, node: Node) -> None:
        """Log indices run on from the transactions' into the closing one's."""
        emitter = deploy(node, EMIT)
        node.mine(MineRequest(blocks=FIRST_PAID))

        run(node, emitter, word(1) + word(2))

        logs = node.logs(LogQuery(from_block=node.chain.height))
        assert [each.index for each in logs] == list(range(6))
        assert [each.receipt.index for each in logs] == [0, *[1] * 5]
