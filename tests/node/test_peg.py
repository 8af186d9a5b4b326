"""`devchain.node.peg`, and the peg as a user of a node has it"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from coincurve import PrivateKey
from eth_hash.auto import keccak

from devchain import Node
from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.errors import BitcoinUnavailable, InvalidInput
from devchain.evm.rootstock.precompiles.bitcoin import hash160
from devchain.evm.rootstock.precompiles.bridge.block_store import BlockStore
from devchain.evm.rootstock.precompiles.bridge.federation import (
    Format,
    account_of,
    active,
    proposed,
    retiring,
)
from devchain.evm.rootstock.precompiles.bridge.releases import load_for_signatures
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS as BRIDGE
from devchain.evm.rootstock.precompiles.bridge.utxos import active_slot, load_utxos
from devchain.evm.rootstock.precompiles.powpeg import federator_keys
from devchain.networks import RBTC, ROOTSTOCK
from devchain.node.address_history import Role
from devchain.node.peg import PEGIN_PREFIX
from devchain.types import TransactionRequest, address_of
from tests.conftest import GENESIS_TIME

SATOSHI = 10**10
NEW_FEDERATORS = federator_keys(8)[3:]


@pytest.fixture
def start() -> Callable[..., Node]:
    """A function that starts a node with options."""

    def start(**options: Any) -> Node:
        return Node(fixed_clock=GENESIS_TIME, accounts=2, **options)

    return start


def height(node: Node) -> int:
    """The height of the Bridge's Bitcoin chain."""
    return BlockStore(node.peg.call()).head.height


def owned(node: Node) -> int:
    """The satoshis of the active federation."""
    call = node.peg.call()
    return sum(utxo.value for utxo in load_utxos(call, active_slot(call)))


def sent(node: Node, first: int = 1) -> list[str]:
    """The functions of the Bridge that transactions called, from a block on."""
    abi = node.peg._abi.functions
    return [
        abi[tx.data[:4]].name
        for number in range(first, node.block_number + 1)
        for tx in node.chain.block(number).transactions
        if tx.data
    ]


def pay_with_witness(node: Node, outputs: list[tuple[bytes, int]]) -> None:
    """Pay scripts from a native SegWit address."""
    wallet = node.bitcoin.create_wallet("segwit")
    node.bitcoin.send(wallet.new_address("bech32"), 2 * 10**8)
    node.bitcoin.mine()
    node.bitcoin.add_transaction(wallet.pay(outputs))


class TestPegIn:
    @pytest.mark.parametrize("hardfork", ROOTSTOCK)
    def test_owner_of_the_key(self, start: Callable[..., Node], hardfork: str) -> None:
        """The RBTC go to the owner of the key that locked bitcoins, under every upgrade."""
        node = start(hardfork=hardfork)
        (alice, _), before = node.funded_accounts, node.balance(node.funded_accounts[0])

        node.peg_in(alice, btc="1.5")

        assert node.balance(alice) - before == 15 * RBTC // 10
        assert owned(node) == 150_000_000

    def test_named_account(self, start: Callable[..., Node]) -> None:
        """An account without a key here is named in the transaction."""
        node, carol = start(), "0x" + "c1" * 20

        mined = node.peg_in(carol)

        assert [event.name for event in mined.events] == ["pegin_btc"]
        assert node.balance(carol) == RBTC

    def test_traces(self, start: Callable[..., Node]) -> None:
        """What the Bridge pays is in traces, and in the history of the account."""
        node = start()
        alice = node.funded_accounts[0]
        mined = node.peg_in(alice, btc="1.5")

        def trace(**options: Any) -> Any:
            client = LocalClient(node)
            return client.call("debug_traceTransaction", f"0x{mined.hash.hex()}", options)

        changed = trace(tracer="prestateTracer", tracerConfig={"diffMode": True})["post"]
        [paid] = trace(tracer="callTracer")["calls"]

        assert int(changed[alice.lower()]["balance"], 16) == node.balance(alice)
        assert (paid["to"], int(paid["value"], 16)) == (alice.lower(), 15 * RBTC // 10)
        [newest] = node.address_history.page(alice, roles=Role.COINS).appearances
        assert newest.receipt.transaction.hash == mined.hash

    def test_wallet(self, start: Callable[..., Node]) -> None:
        """What the wallet sends to the federation goes to the account of the first input's key."""
        node = start(automatic_peg=True)
        key = node.bitcoin.wallet.key(next(iter(node.bitcoin.wallet.scripts)))
        owner = account_of(PrivateKey(key or b"").public_key.format())

        node.bitcoin.send(active(node.peg.call()).address, 10**8)
        node.bitcoin.mine(3)

        assert node.balance(owner) == RBTC

    def test_witnesses(self, start: Callable[..., Node]) -> None:
        """A transaction with witnesses needs the coinbase of its block."""
        node, carol = start(), "0x" + "c1" * 20
        outputs = [(active(node.peg.call()).output_script, 10**8), (PEGIN_PREFIX + b"\xc1" * 20, 0)]
        pay_with_witness(node, outputs)
        node.bitcoin.mine(3)
        node.peg.update()

        assert node.balance(carol) == RBTC
        assert sent(node)[-2:] == ["registerBtcCoinbaseTransaction", "registerBtcTransaction"]

    def test_manual_mining(self, start: Callable[..., Node]) -> None:
        """The walk mines where nothing else does."""
        node = start(mining=False)

        node.peg_in(node.funded_accounts[0])

        assert owned(node) == 10**8

    def test_too_low_to_lock(self, start: Callable[..., Node]) -> None:
        """Less than the Bridge accepts would be lost: it is refused before it is locked."""
        node = start()

        with pytest.raises(InvalidInput, match=r"at least 500,000 satoshis \(0.005 BTC\)"):
            node.peg_in(node.funded_accounts[0], btc="0.00499999")
        assert owned(node) == 0

    def test_unknown_sender(
        self, start: Callable[..., Node], caplog: pytest.LogCaptureFixture
    ) -> None:
        """Bitcoins of a native SegWit address are not informed: nobody would receive RBTC.

        powpeg-node filters them (`BtcToRskClient.shouldSendTx`).
        """
        node = start()
        pay_with_witness(node, [(active(node.peg.call()).output_script, 10**8)])
        node.bitcoin.mine(10)
        node.peg.update()
        node.mine()

        assert "registerBtcTransaction" not in sent(node)
        assert caplog.text.count("is no peg-in, its sender is not known") == 1

    def test_like_hardhat(self, start: Callable[..., Node]) -> None:
        """Transactions of the federators wait for each other also where others' may not."""
        node = start(like="hardhat", network="local", hardfork="vetiver", chain_id=33)
        carol = "0x" + "c1" * 20

        node.peg_in(carol)

        assert node.balance(carol) == RBTC

    def test_minimum_gas_price(self, start: Callable[..., Node]) -> None:
        """Federators pay nothing, also where transactions have a price."""
        node = start(min_gas_price=10**9)

        node.peg_in(node.funded_accounts[0])

        assert node.balance(node.chain.head.transactions[0].sender) == RBTC

    def test_rejected(self, start: Callable[..., Node]) -> None:
        """More than the locking cap, which there was up to Hop, is refunded in bitcoins."""
        node = start(hardfork="fingerroot")
        node.bitcoin.mine(100)
        (alice, _), before = node.funded_accounts, node.balance(node.funded_accounts[0])

        mined = node.peg_in(alice, btc=1_001)

        assert [event.name for event in mined.events][:1] == ["rejected_pegin"]
        assert node.balance(alice) == before

    @pytest.mark.parametrize("btc", [0, -1, "1e-9", "x", None, 21_000_001, "nan"])
    def test_amount(self, start: Callable[..., Node], btc: object) -> None:
        """An amount is a number of bitcoins from the minimum of the Bridge on."""
        node = start()

        with pytest.raises(InvalidInput, match=r"is no amount of bitcoins|at least 500,000"):
            node.peg_in(node.funded_accounts[0], btc=btc)

    def test_other_network(self) -> None:
        """On other networks than regtest's there is no Bitcoin."""
        with pytest.raises(BitcoinUnavailable, match="--network local"):
            Node(network="test").peg_in("0x" + "c1" * 20)

    def test_revert(self, start: Callable[..., Node]) -> None:
        """What a snapshot takes back can be done again."""
        node = start()
        alice = node.funded_accounts[0]
        for _ in range(2):
            with node.snapshot():
                node.peg_in(alice)
                assert owned(node) == 10**8
            assert owned(node) == 0


class TestPegOut:
    @pytest.mark.parametrize("hardfork", ROOTSTOCK)
    def test_walk(self, start: Callable[..., Node], hardfork: str) -> None:
        """The federation pays the key of the sender, and its change is registered."""
        node = start(hardfork=hardfork)
        alice, bob = node.funded_accounts
        node.peg_in(alice, btc=3)
        own = hash160(PrivateKey(node.accounts.key(address_of(bob))).public_key.format())

        paid = node.peg_out(bob, btc=1)

        (output,) = node.bitcoin.chain.coins_of[b"\x76\xa9\x14" + own + b"\x88\xac"].values()
        assert output.tx_out.value == paid.satoshis
        assert 0 < 10**8 - paid.satoshis < 100_000  # the fee
        assert node.bitcoin.confirmations(paid.txid) == 3
        assert owned(node) == 2 * 10**8

    def test_federation_of_five(self, start: Callable[..., Node]) -> None:
        """Three of five sign."""
        node = start(federators=5)
        alice = node.funded_accounts[0]
        node.peg_in(alice, btc=3)

        node.peg_out(alice, btc=1)

        assert sent(node).count("addSignature") == 3

    def test_too_low(self, start: Callable[..., Node]) -> None:
        """A request that the Bridge would reject is refused, with the minimum."""
        node = start()
        node.peg_in(node.funded_accounts[0])

        with pytest.raises(InvalidInput, match=r"at least 250,000 satoshis \(0.0025 BTC\)"):
            node.peg_out(node.funded_accounts[0], btc="0.001")

    def test_no_funds(self, start: Callable[..., Node]) -> None:
        """A federation pays what was pegged in."""
        node = start()

        with pytest.raises(InvalidInput, match="has 0 satoshis, fewer than 100,000,000: peg in"):
            node.peg_out(node.funded_accounts[0])

    def test_earlier_requests(self, start: Callable[..., Node]) -> None:
        """Requests that wait already are paid with it, or none."""
        node = start()
        alice = node.funded_accounts[0]
        node.peg_in(alice)
        node.transact(to=BRIDGE, value=RBTC // 2, sender=alice)

        with pytest.raises(InvalidInput, match="fewer than 120,000,000: peg in first"):
            node.peg_out(alice, btc="0.7")


class TestHeaders:
    def test_batches(self, start: Callable[..., Node]) -> None:
        """A transaction has at most 100 headers, an update 500."""
        node = start()
        node.bitcoin.mine(600)

        node.peg.update()
        assert height(node) == 500
        node.peg.update()
        assert height(node) == node.bitcoin.height
        assert sent(node).count("receiveHeaders") == 8

    def test_reorganization(self, start: Callable[..., Node]) -> None:
        """After a reorganization the headers of the new branch are sent, once it is longer."""
        node = start()
        node.peg.update()
        node.bitcoin.invalidate(node.bitcoin.chain.active[-3].hash)

        node.bitcoin.mine(3)
        node.peg.update()
        assert BlockStore(node.peg.call()).head.hash != node.bitcoin.chain.tip.hash
        node.bitcoin.mine(1)
        node.peg.update()
        assert BlockStore(node.peg.call()).head.hash == node.bitcoin.chain.tip.hash

    def test_nothing_due(self, start: Callable[..., Node]) -> None:
        """An update sends nothing if nothing is due."""
        node = start()
        node.peg_in(node.funded_accounts[0])
        before = node.block_number

        node.peg.update()

        assert node.block_number == before


class TestSteps:
    def test_peg_out(self, start: Callable[..., Node]) -> None:
        """Each step can be taken by itself."""
        node = start()
        alice = node.funded_accounts[0]
        node.peg_in(alice)
        node.transact(to=BRIDGE, value=RBTC // 2, sender=alice)

        node.peg.update_collections()
        node.mine(3)
        node.peg.update_collections()
        node.mine(1)
        assert len(load_for_signatures(node.peg.call())) == 1
        assert not node.bitcoin.mempool.entries
        node.peg.sign()
        node.mine(1)

        assert not load_for_signatures(node.peg.call())
        assert len(node.bitcoin.mempool.entries) == 1


class TestAutomatic:
    def test_peg_in(self, start: Callable[..., Node]) -> None:
        """What is sent to the federation's address arrives when blocks of Bitcoin confirm it."""
        node = start(automatic_peg=True)
        key = node.accounts.key(address_of(node.funded_accounts[0]))
        before = node.balance(node.funded_accounts[0])
        node.bitcoin.send_from_key(key, active(node.peg.call()).output_script, 10**8)

        node.bitcoin.mine(3)

        assert node.balance(node.funded_accounts[0]) - before == RBTC

    def test_peg_out(self, start: Callable[..., Node]) -> None:
        """Blocks of Rootstock are all that a request needs."""
        node = start(automatic_peg=True)
        alice = node.funded_accounts[0]
        node.peg_in(alice)

        node.transact(to=BRIDGE, value=RBTC // 2, sender=alice)
        node.mine(4)

        assert len(node.bitcoin.mempool.entries) == 1

    def test_manual_mining(self, start: Callable[..., Node]) -> None:
        """Without automatic mining the transactions wait, each of them once."""
        node = start(automatic_peg=True, mining=False)

        node.bitcoin.mine(2)
        node.bitcoin.mine(2)
        assert node.block_number == 0
        node.mine(2)

        assert height(node) == node.bitcoin.height
        assert len(node.mempool) == 0

    def test_copy_and_restart(self, start: Callable[..., Node]) -> None:
        """A copy has its own, and a new chain too."""
        node = start(automatic_peg=True)
        copied = node.copy()
        copied.bitcoin.mine(1)
        assert (height(copied), height(node)) == (111, 0)

        node.restart(node.config, None)
        node.bitcoin.mine(1)
        assert height(node) == 111

    @pytest.mark.parametrize(
        ("hardfork", "expected"),
        [
            ("wasabi", Format.STANDARD),
            ("arrowhead", Format.P2SH_ERP),
            ("vetiver", Format.P2SH_P2WSH_ERP),
        ],
    )
    def test_election(self, start: Callable[..., Node], hardfork: str, expected: Format) -> None:
        """An elected federation is validated, takes over the bitcoins and pays with its keys."""
        node = start(hardfork=hardfork, automatic_peg=True)
        alice = node.funded_accounts[0]
        node.bitcoin.mine(300)  # validation begins at height 350 on regtest
        node.peg_in(alice, btc=5)
        _elect(node)
        call = node.peg.call
        while active(call()).size == 3 or retiring(call()) or proposed(call()):
            node.mine(2)
            node.bitcoin.mine(1)

        assert active(call()).format is expected
        node.peg_in(alice)
        assert node.peg_out(alice, btc=5).satoshis > 499_000_000


def _elect(node: Node) -> None:
    functions = node.peg._abi.functions_named

    def vote(name: str, *arguments: object) -> None:
        for voter in ("auth-a", "auth-b", "auth-c"):
            key = keccak(voter.encode())
            account = account_of(PrivateKey(key).public_key.format())
            node.set_balance(account, RBTC)
            data = functions(name)[0].selector + functions(name)[0].encode(arguments)
            node.send(TransactionRequest(account, BRIDGE, 2_000_000, data=data), key)

    vote("createFederation")
    for secret in NEW_FEDERATORS:
        key = PrivateKey(secret).public_key.format()
        vote("addFederatorPublicKeyMultikey", key, key, key)
    pending = functions("getPendingFederationHash")[0]
    answer = pending.decode_output(node.call(TransactionRequest(to=BRIDGE, data=pending.selector)))
    assert answer
    vote("commitFederation", *answer)


class TestUpdateBridge:
    def test_mempool(self, start: Callable[..., Node]) -> None:
        """As rootstock-integration-tests use it: the mempool has `updateCollections`, a block
        that makes a peg-out ready is followed by its signatures, and these by the payment.
        """
        node = start(mining=False)
        alice = node.funded_accounts[0]
        node.peg_in(alice)
        node.send(TransactionRequest(address_of(alice), BRIDGE, 100_000, value=RBTC // 2))
        node.mine(1)

        node.peg.update_bridge()
        assert len(node.mempool) == 1
        node.mine(4)
        node.peg.update_bridge()
        node.mine(1)
        assert len(node.mempool) == 2
        node.mine(1)

        assert len(node.bitcoin.mempool.entries) == 1
        assert sent(node).count("updateCollections") == 2

    def test_headers(self, start: Callable[..., Node]) -> None:
        """What an update sends fits into a block."""
        node = start(mining=False)
        node.bitcoin.mine(400)

        node.peg.update_bridge()
        node.mine(1)

        assert height(node) == 500
        assert sent(node) == ["receiveHeaders"] * 5 + ["updateCollections"]


class TestDataDir:
    def test_peg_out_after_restart(self, start: Callable[..., Node], tmp_path: Path) -> None:
        """A chain that is continued has the bitcoins of its federation."""
        folder = str(tmp_path / "chain")
        with start(data_dir=folder) as node:
            node.peg_in(node.funded_accounts[0], btc=2)

        with start(data_dir=folder) as node:
            node.peg_out(node.funded_accounts[0], btc=1)
            assert owned(node) == 10**8


class TestConfig:
    def test_other_network(self) -> None:
        """The automatic peg needs the Bitcoin beside the chain."""
        with pytest.raises(BitcoinUnavailable):
            Node(Config(network="main", automatic_peg=True))
