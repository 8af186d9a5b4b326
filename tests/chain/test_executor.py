"""`devchain.chain.executor`: both executors build the same blocks."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any
from weakref import ref

import pytest
from eth.constants import EMPTY_SHA256
from eth.vm.forks.prague.constants import DEPOSIT_CONTRACT_ADDRESS, DEPOSIT_EVENT_SIGNATURE_HASH
from eth_account import Account

from devchain.chain.block import Block
from devchain.config import Config
from devchain.evm.rules import BEACON_ROOTS_RING, REQUEST_CONTRACTS, SYSTEM_CONTRACTS
from devchain.networks import ETHEREUM, HARDFORKS
from devchain.node import Node
from devchain.types import Address, Authorization, MineRequest, Tag, TransactionRequest
from tests.accounts import ALICE, BOB, CAROL, UNFUNDED
from tests.actions import deploy, run, send
from tests.bytecode import COUNTER, DESTROY, EMIT, EMIT_MANY, FILL, REVERT, init_code, word
from tests.conftest import GENESIS_TIME

SIGNER = Account.from_key(b"\x46" * 32)


def both(
    act: Callable[[Node], object], hardfork: str, *, remasc: bool = False
) -> list[list[Block]]:
    """The blocks of both engines after the same calls."""
    chains = []
    for engine in ("fast", "reference"):
        config = Config(engine=engine, hardfork=hardfork, remasc=remasc, fixed_clock=GENESIS_TIME)
        with Node(config) as node:
            act(node)
            chains.append(list(node.chain.blocks_after(-1)))
    return chains


def mixed(node: Node) -> None:
    """Creations, calls, logs, reverts and transfers, several to a block; empty blocks between."""
    price = 10**10
    codes = (EMIT, EMIT_MANY, COUNTER, REVERT, DESTROY)
    created = [run(node, None, init_code(code), gas_price=price) for code in codes]
    emit, many, counter, refuse, destroy = (each.contract_address for each in created)
    node.miner.running = False
    node.mine(MineRequest(blocks=2))
    for turn in range(18):
        sender = (ALICE, BOB, CAROL)[turn % 3]
        send(
            node, emit, word(turn) + word(2) + b"data", gas=200_000, sender=sender, gas_price=price
        )
        send(node, UNFUNDED, value=turn, gas=21_000, sender=sender, gas_price=price)
    node.mine(MineRequest())
    send(node, many, word(5), gas=500_000, gas_price=price)
    send(node, refuse, b"\x01\x02", gas=100_000, sender=BOB, gas_price=price)
    send(node, counter, gas=30_000, sender=CAROL, gas_price=price)
    send(node, destroy, gas=100_000, sender=CAROL, gas_price=price)
    node.mine(MineRequest(blocks=3))


class TestAgreement:
    @pytest.mark.parametrize("hardfork", HARDFORKS)
    def test_empty_blocks(self, hardfork: str) -> None:
        """Blocks without transactions are the same on both engines, rewards and all."""
        fast, reference = both(lambda node: node.mine(MineRequest(blocks=3)), hardfork)

        assert [each.hash for each in fast] == [each.hash for each in reference]
        assert fast == reference

    @pytest.mark.filterwarnings("ignore:SELFDESTRUCT")  # py-evm warns of it under newer rules
    @pytest.mark.parametrize(
        "hardfork",
        ["orchid", "iris", "vetiver", "next", "homestead", "byzantium", "london", "prague"],
    )
    def test_mixed(self, hardfork: str) -> None:
        """Headers, receipts and sizes agree for blocks of creations, calls, logs and failures."""
        fast, reference = both(mixed, hardfork)

        assert [each.raw_header for each in fast] == [each.raw_header for each in reference]
        assert [each.size for each in fast] == [each.size for each in reference]
        assert [each.receipts for each in fast] == [each.receipts for each in reference]
        assert any(each.bloom for each in fast)

    @pytest.mark.parametrize("hardfork", ["prague", "osaka"])
    def test_deposits(self, hardfork: str) -> None:
        """Logs of the deposit contract are requests (EIP-6110), whose hash is in the header."""
        deposits = Address(DEPOSIT_CONTRACT_ADDRESS)

        def act(node: Node) -> None:
            node.set_code(deposits, EMIT)
            plain = deploy(node, EMIT)
            for emitter in (plain, deposits):
                run(node, emitter, DEPOSIT_EVENT_SIGNATURE_HASH + word(1) + bytes(range(192)) * 3)

        fast, reference = both(act, hardfork)

        assert [each.raw_header for each in fast] == [each.raw_header for each in reference]
        hashes = [each.header.requests_hash for each in fast[-2:]]
        assert hashes[0] == EMPTY_SHA256 != hashes[1]

    def test_remasc(self) -> None:
        """Blocks that end with REMASC's transaction agree, also when it pays."""

        def act(node: Node) -> None:
            mixed(node)
            node.mine(MineRequest(blocks=20))

        fast, reference = both(act, "vetiver", remasc=True)

        assert [each.hash for each in fast] == [each.hash for each in reference]
        assert [each.receipts for each in fast] == [each.receipts for each in reference]
        assert fast[-1].receipts[-1].logs


def empty_blocks(node: Node) -> None:
    """Empty blocks, between them changes of the contracts that they write to, and of the time."""
    node.mine(MineRequest(blocks=3))
    contracts = SYSTEM_CONTRACTS["cancun"], SYSTEM_CONTRACTS["prague"]
    written = [(0, 1), ((GENESIS_TIME + 5) % BEACON_ROOTS_RING, 7), (BEACON_ROOTS_RING, 9)]
    for address, code in contracts:
        for slot, value in written:
            node.set_storage(address, slot, value)
        node.mine(MineRequest(blocks=2))
        node.set_code(address, COUNTER)
        node.mine(MineRequest(blocks=2))
        node.set_code(address, code)
        node.set_balance(address, 5)
        node.mine(MineRequest(blocks=2, interval=BEACON_ROOTS_RING))  # the same slots again
    taken = node.snapshots.take()
    node.mine(MineRequest(blocks=2))
    send(node, UNFUNDED, value=1, gas_price=10**10)
    node.revert(taken)
    node.mine(MineRequest(blocks=2, interval=3))
    node.set_code(REQUEST_CONTRACTS[0], FILL)
    node.mine(MineRequest(blocks=2))


def rare_transactions(node: Node) -> None:
    """Transactions of every type to accounts of every kind, with refunds, floors and failures."""
    fee = {"max_fee_per_gas": 10**10, "max_priority_fee_per_gas": 3}
    filled, counter, doomed = (deploy(node, each) for each in (FILL, COUNTER, DESTROY))
    run(node, filled, word(9) + word(1), **fee)
    run(node, filled, word(9) + word(0), **fee)  # a refund
    nothing = Address(b"\x77" * 20)
    node.set_balance(nothing, 0)
    run(node, nothing, value=0, **fee)  # an empty account is deleted
    run(node, Address(bytes(19) + b"\x03"), b"\1" * 900, gas=100_000, **fee)  # the floor of data
    run(node, counter, access_list=((counter, (0, 1)), (BOB, ())), **fee)
    run(node, counter, access_list=((counter, (0,)),), gas_price=10**10, type=1)
    node.miner.coinbase = BOB
    run(node, BOB, value=1, sender=BOB, **fee)
    run(node, counter, sender=CAROL, gas=21_200, **fee)  # out of gas
    run(node, doomed, word(int.from_bytes(nothing, "big")), value=3, **fee)
    if node.chain.rules.hardfork == "cancun":
        return
    chain_id = node.config.effective_chain_id
    authority = Address(bytes.fromhex(SIGNER.address[2:]))
    for target, nonce in ((counter, 0), (Address(bytes(20)), 1), (filled, 7), (filled, 2)):
        signed = SIGNER.sign_authorization({"chainId": chain_id, "address": target, "nonce": nonce})
        allowed = Authorization(chain_id, target, nonce, signed.y_parity, signed.r, signed.s)
        run(node, authority, word(1) + word(2), authorizations=(allowed,), type=4, **fee)
        run(node, authority, word(3) + word(4), **fee)


class TestRareTransactions:
    @pytest.mark.filterwarnings("ignore:SELFDESTRUCT opcode")  # py-evm's advice
    @pytest.mark.parametrize("hardfork", ["cancun", "prague", "osaka", "next"])
    def test_engines(self, hardfork: str) -> None:
        """They have the same receipts and states on both engines."""
        fast, reference = both(rare_transactions, hardfork)

        assert [each.receipts for each in fast] == [each.receipts for each in reference]
        assert [each.header for each in fast] == [each.header for each in reference]
        receipts = [receipt for each in fast for receipt in each.receipts]
        assert {each.transaction.type for each in receipts} == {
            1,
            2,
            *([4] * (hardfork != "cancun")),
            *([0] * (hardfork == "next")),  # without fees
        }
        assert {each.succeeded for each in receipts} == {True, False}


class TestEmptyBlocks:
    @pytest.mark.parametrize("hardfork", ETHEREUM)
    def test_engines(self, hardfork: str) -> None:
        """Empty blocks have the same headers and states on both engines."""
        fast, reference = both(empty_blocks, hardfork)

        assert [each.header for each in fast] == [each.header for each in reference]
        assert len({each.state_root for each in fast}) > 1

    def test_later_reads(self) -> None:
        """What empty blocks have written is read from the state of each of them."""
        with Node(Config(hardfork="prague", fixed_clock=GENESIS_TIME)) as node:
            node.mine(MineRequest(blocks=4))
            ring = SYSTEM_CONTRACTS["prague"][0]

            slots = [[node.at(each).storage(ring, slot) for slot in range(4)] for each in range(5)]
            hashes = [int.from_bytes(node.chain.block(number).hash) for number in range(4)]

        assert slots == [hashes[:count] + [0] * (4 - count) for count in range(5)]


class TestFreeBlocks:
    @pytest.mark.parametrize(
        ("options", "is_free"),
        [
            ({}, True),
            ({"engine": "reference"}, False),
            ({"remasc": True}, False),
            ({"hardfork": "shanghai"}, True),
            ({"hardfork": "london"}, False),
            ({"hardfork": "prague"}, True),
            ({"hardfork": "prague", "engine": "reference"}, False),
        ],
        ids=str,
    )
    def test_empty(self, options: dict[str, Any], *, is_free: bool) -> None:
        """An empty block is free where neither REMASC nor rewards change the state."""
        with Node(Config(**{"engine": "fast", "fixed_clock": GENESIS_TIME, **options})) as node:
            node.mine(MineRequest())

            assert node.chain.head_was_free == is_free


class TestMemory:
    def test_reverted_states_are_forgotten(self) -> None:
        """After a revert the removed states are garbage-collected; older ones can still be read."""
        with Node(Config(engine="fast")) as node:
            run(node, BOB, value=1)
            taken = node.snapshots.take()
            run(node, UNFUNDED, value=2)
            watch = ref(node.chain.state_at(Tag.LATEST).database.trie(node.chain.head.state_root))

            assert watch() is not None
            node.revert(taken)
            run(node, BOB, value=3)  # the mempool drops the old head's state
            gc.collect()
            assert watch() is None
            assert node.chain.state_at(1).nonce(ALICE) == 1

    @pytest.mark.parametrize("engine", ["fast", "reference"])
    def test_edited_states(self, engine: str) -> None:
        """A revert restores the edited state of its snapshot, whatever was edited later."""
        with Node(Config(engine=engine)) as node:
            balances = []
            for amount in (7, 8):
                with node.chain.edit_state() as accounts:
                    accounts.set_balance(UNFUNDED, amount)
                balances.append((node.snapshots.take(), amount))
            run(node, UNFUNDED, value=1)
            balances.reverse()
            gc.collect()

            for taken, amount in balances:
                node.revert(taken)
                assert node.chain.state_at(Tag.LATEST).balance(UNFUNDED) == amount
                assert node.call(TransactionRequest(to=UNFUNDED)) == b""
