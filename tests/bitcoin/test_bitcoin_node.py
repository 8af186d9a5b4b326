"""`devchain.bitcoin.bitcoin_node`"""

from __future__ import annotations

import re
from typing import Any

import pytest
from btclib.block.partial_merkle_tree import PartialMerkleTree

from devchain import Config, Node
from devchain.bitcoin.bitcoin_node import BitcoinNode
from devchain.bitcoin.chain import SATOSHIS
from devchain.bitcoin.signing import address_of
from devchain.clock import Clock
from devchain.config import MNEMONIC
from devchain.errors import BitcoinRejected, BitcoinUnavailable, InvalidInput, NotFound
from devchain.evm.rootstock.precompiles.powpeg import powpeg_of

NOW = 1_700_000_000
ADDRESS = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"


@pytest.fixture
def node() -> BitcoinNode:
    return BitcoinNode(MNEMONIC, Clock(NOW))


class TestFirstBlocks:
    def test_genesis(self, node: BitcoinNode) -> None:
        """The chain begins with regtest's genesis block, as that of the Bridge does."""
        assert node.block(0).header == powpeg_of(33).block

    def test_funds(self, node: BitcoinNode) -> None:
        """Ten rewards can be spent."""
        assert node.height == 110
        assert node.balance() == 500 * SATOSHIS

    def test_addresses(self, node: BitcoinNode) -> None:
        """Keys are at BIP44's paths; other wallets derive the same ones (BIP39's test mnemonic)."""
        words = "abandon " * 11 + "about"

        owned = BitcoinNode(words, Clock(NOW)).new_address

        # BIP84, BIP49 and BIP44 for coin type 1; the second is that of BIP49's own test vector.
        assert owned("p2sh-segwit") == "2Mww8dCYPUpKHofjgcXcBCEGmniw9CoaiD2"

    def test_deterministic(self, node: BitcoinNode) -> None:
        """Two nodes with the same mnemonic and clock mine the same blocks."""
        other = BitcoinNode(MNEMONIC, Clock(NOW))

        assert node.mine(3) == other.mine(3)


class TestSend:
    @pytest.mark.parametrize("kind", ["legacy", "p2sh-segwit", "bech32"])
    def test_each_type(self, node: BitcoinNode, kind: str) -> None:
        """Outputs of each type of address are paid, confirmed, and spent again."""
        address = node.new_address(kind)
        txid = node.send(address, 3 * SATOSHIS)
        node.mine()
        coins = [coin for coin in node.wallet.spendable() if coin.at.tx_id == txid]
        spent = [coin for coin in coins if address_of(coin.script) == address]

        script = node.block(1).block.transactions[0].vout[0].script_pub_key.script
        again = node.add_transaction(node.wallet.pay([(script, SATOSHIS)], spent))

        assert node.balance(address) == 3 * SATOSHIS
        assert node.confirmations(txid) == 1
        assert node.confirmations(again) == 0

    def test_too_much(self, node: BitcoinNode) -> None:
        """Only mature coins can be spent."""
        with pytest.raises(BitcoinRejected, match="Insufficient funds"):
            node.send(node.new_address(), 500 * SATOSHIS)

    def test_address_of_another_network(self, node: BitcoinNode) -> None:
        """An address of mainnet is refused."""
        with pytest.raises(InvalidInput, match="not one of Bitcoin's regtest"):
            node.send("1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", SATOSHIS)

    @pytest.mark.parametrize("raw", [b"", b"\0" * 10, b"\x02\0\0\0\xff" + b"\xff" * 9, b"\x01"])
    def test_malformed(self, node: BitcoinNode, raw: bytes) -> None:
        """Bytes that are no transaction are refused."""
        with pytest.raises(BitcoinRejected, match="TX decode failed"):
            node.send_raw(raw)


class TestWrongTypes:
    @pytest.mark.parametrize(
        ("name", "arguments", "text"),
        [
            ("mine", ("3",), "'3' is no number of blocks: give 0 to 10,000"),
            ("mine", (1.5,), "1.5 is no number of blocks"),
            ("mine", (1, ""), "Invalid address: ''"),
            ("send", (5, 1), "Invalid address: '5'"),
            ("send", (ADDRESS, 1.5), "1.5 is no amount in satoshis"),
            ("send", (ADDRESS, 0), "0 is no amount in satoshis"),
            ("send", ("", 1), "Invalid address: ''"),
            ("balance", ("",), "Invalid address: ''"),
            ("balance", (5,), "Invalid address: '5'"),
            ("new_address", (5,), "Unknown address type '5'"),
            ("block", ("a" * 64,), "is no hash: give 32 bytes"),
            ("headers", ("1",), "'1' is no height of a block: give 0 to 110"),
            ("headers", (1, 111), "111 is no height of a block"),
            ("headers", (-1,), "-1 is no height of a block"),
            ("invalidate", (None,), "None is no hash"),
            ("transaction", ("a" * 64,), "is no hash: give 32 bytes"),
            ("confirmations", (5,), "5 is no hash"),
            ("proof", ("x",), "'x' is no hash"),
            ("coinbase_proof", ("x",), "'x' is no hash"),
            ("create_wallet", (5,), "5 is no name of a wallet"),
        ],
    )
    def test_refused(
        self, node: BitcoinNode, name: str, arguments: tuple[Any, ...], text: str
    ) -> None:
        """Arguments of a wrong type, and empty addresses, are errors that say what to give."""
        with pytest.raises(InvalidInput, match=re.escape(text)):
            getattr(node, name)(*arguments)


class TestProof:
    def test_partial_merkle_tree(self, node: BitcoinNode) -> None:
        """The tree of a proof leads to the Merkle root of the block's header."""
        txids = [node.send(node.new_address(), SATOSHIS) for _ in range(4)]
        node.mine()

        proofs = [node.proof(txid) for txid in txids]

        for txid, proof in zip(txids, proofs, strict=True):
            tree = PartialMerkleTree.parse(proof.tree)
            assert tree.merkle_root[::-1] == proof.header[36:68]
            assert [found for _, found in tree.matches] == [txid]
            assert proof.height == node.height

    def test_coinbase(self, node: BitcoinNode) -> None:
        """The commitment of the coinbase is to the root of hashes with witnesses (BIP141)."""
        from btclib.hashes import hash256

        segwit = node.create_wallet("segwit")
        node.send(segwit.new_address("bech32"), 2 * SATOSHIS)
        node.mine()
        txid = node.add_transaction(segwit.pay([(b"\0\x14" + bytes(20), SATOSHIS)]))
        node.mine()
        proof = node.coinbase_proof(node.height)

        committed = hash256(proof.witness_root[::-1] + proof.witness_reserved_value)
        payment = node.proof(txid, with_witness=True)
        assert committed in proof.transaction
        assert PartialMerkleTree.parse(payment.tree).merkle_root == proof.witness_root
        assert payment.transaction == node.transaction(txid) != node.proof(txid).transaction

    def test_unconfirmed(self, node: BitcoinNode) -> None:
        """A transaction that no block has cannot be proven."""
        txid = node.send(node.new_address(), SATOSHIS)

        with pytest.raises(NotFound, match="mine one"):
            node.proof(txid)


class TestReorganization:
    def test_transactions_return(self, node: BitcoinNode) -> None:
        """Transactions of an invalidated block wait again, and the other branch confirms them."""
        address = node.new_address()
        txid = node.send(address, SATOSHIS)
        (old,) = node.mine()
        node.invalidate(old)
        waiting = list(node.mempool.entries)

        node.mine(2)

        assert waiting == [txid]
        assert node.confirmations(txid) == 2
        assert node.balance(address) == SATOSHIS

    def test_another_block(self, node: BitcoinNode) -> None:
        """A block mined in the place of an invalidated one is another one."""
        (old,) = node.mine()
        node.invalidate(old)

        assert node.mine() != [old]
        with pytest.raises(NotFound):
            node.block(old)
        with pytest.raises(InvalidInput, match="genesis"):
            node.invalidate(node.block(0).hash)

    def test_spends_of_a_lost_coinbase(self, node: BitcoinNode) -> None:
        """What spends a reward of a block that is gone leaves the mempool."""
        blocks = node.mine(101)
        reward = node.block(blocks[0]).txids[0]
        coins = [coin for coin in node.wallet.spendable() if coin.at.tx_id == reward]
        node.add_transaction(node.wallet.pay([(b"\0\x14" + bytes(20), SATOSHIS)], coins))

        node.invalidate(blocks[0])

        assert not node.mempool.entries


class TestSnapshots:
    def test_restore(self, node: BitcoinNode) -> None:
        """A checkpoint has blocks, mempool and wallets; it can be restored on another node."""
        address = node.new_address()
        node.send(address, SATOSHIS)
        before, balance = node.checkpoint(), node.balance()
        node.mine(5)
        node.create_wallet("other")

        other = BitcoinNode(MNEMONIC, Clock(NOW))
        for each in (node, other):
            each.restore(before)

            assert each.height == 110
            assert len(each.mempool.entries) == 1
            assert each.balance() == balance
            assert list(each.wallets) == [""]
        assert node.mine() == other.mine()

    def test_unchanged(self, node: BitcoinNode) -> None:
        """Without a change the checkpoint is the same object, and so costs nothing."""
        assert node.checkpoint() is node.checkpoint()


class TestComponent:
    def test_revert(self) -> None:
        """Snapshots of the node have Bitcoin, also its absence."""
        with Node(Config(fixed_clock=NOW)) as node:
            with node.snapshot():
                node.bitcoin.mine(2)
                with node.snapshot():
                    node.bitcoin.mine(3)
                inner = node.bitcoin.height

            assert inner == 112
            assert node.bitcoin.height == 110

    def test_copy(self) -> None:
        """A copy has a Bitcoin of its own."""
        with Node(Config(fixed_clock=NOW)) as node:
            node.bitcoin.mine(2)
            with node.copy() as copied:
                copied.bitcoin.mine()

                assert (node.bitcoin.height, copied.bitcoin.height) == (112, 113)

    @pytest.mark.parametrize("network", ["main", "test"])
    def test_networks(self, network: str) -> None:
        """On main and test there is none: the Bridge begins with blocks of Bitcoin itself."""
        with Node(Config(network=network)) as node, pytest.raises(BitcoinUnavailable):
            _ = node.bitcoin
