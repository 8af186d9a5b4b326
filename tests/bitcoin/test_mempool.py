"""`devchain.bitcoin.mempool`"""

from __future__ import annotations

from copy import deepcopy

import pytest
from btclib.script.witness import Witness
from btclib.tx import Tx, TxIn, TxOut

from devchain.bitcoin.bitcoin_node import BitcoinNode
from devchain.bitcoin.chain import SATOSHIS
from devchain.clock import Clock
from devchain.config import MNEMONIC
from devchain.errors import BitcoinRejected

PAID = b"\0\x14" + bytes(20)


@pytest.fixture
def node() -> BitcoinNode:
    return BitcoinNode(MNEMONIC, Clock(1_700_000_000))


def payment(node: BitcoinNode, rate: int = 20_000, amount: int = SATOSHIS) -> Tx:
    """A signed transaction of the oldest coin."""
    return node.wallet.pay([(PAID, amount)], node.wallet.spendable()[:1], fee_rate=rate)


class TestRefusals:
    """Reject reasons are those of Bitcoin Core's validation.cpp and policy.cpp."""

    def test_known(self, node: BitcoinNode) -> None:
        tx = payment(node)
        node.mempool.add(tx)

        with pytest.raises(BitcoinRejected, match="txn-already-in-mempool"):
            node.mempool.add(tx)

    def test_confirmed(self, node: BitcoinNode) -> None:
        tx = payment(node)
        node.mempool.add(tx)
        node.mine()

        with pytest.raises(BitcoinRejected, match="txn-already-known"):
            node.mempool.add(tx)

    def test_spent_output(self, node: BitcoinNode) -> None:
        tx = payment(node)
        node.mempool.add(payment(node, amount=2 * SATOSHIS))
        node.mine()

        with pytest.raises(BitcoinRejected, match="bad-txns-inputs-missingorspent"):
            node.mempool.add(tx)

    def test_conflict(self, node: BitcoinNode) -> None:
        """A transaction is not replaced by one that spends the same output."""
        other = payment(node, rate=40_000)
        node.mempool.add(payment(node))

        with pytest.raises(BitcoinRejected, match="txn-mempool-conflict"):
            node.mempool.add(other)

    def test_immature(self, node: BitcoinNode) -> None:
        coins = [coin for coin in node.wallet.unspent() if not coin.is_mature]
        tx = node.wallet.pay([(PAID, SATOSHIS)], coins[-1:])

        with pytest.raises(BitcoinRejected, match="bad-txns-premature-spend-of-coinbase"):
            node.mempool.add(tx)

    def test_signature(self, node: BitcoinNode) -> None:
        tx = payment(node)
        tx.vout[0] = TxOut(tx.vout[0].value - 1, PAID)

        with pytest.raises(BitcoinRejected, match="mandatory-script-verify-flag-failed"):
            node.mempool.add(tx)

    def test_no_witness(self, node: BitcoinNode) -> None:
        segwit = node.create_wallet("segwit")
        node.send(segwit.new_address("bech32"), 2 * SATOSHIS)
        tx = segwit.pay([(PAID, SATOSHIS)], [*segwit.unspent()])
        tx.vin[0].script_witness = Witness()

        with pytest.raises(BitcoinRejected, match="mandatory-script-verify-flag-failed"):
            node.mempool.add(tx)

    def test_outputs_above_inputs(self, node: BitcoinNode) -> None:
        tx = payment(node)
        tx.vout.append(TxOut(50 * SATOSHIS, PAID))

        with pytest.raises(BitcoinRejected, match="bad-txns-in-belowout"):
            node.mempool.add(tx)

    def test_fee(self, node: BitcoinNode) -> None:
        with pytest.raises(BitcoinRejected, match="min relay fee not met"):
            node.mempool.add(payment(node, rate=10))

    def test_dust(self, node: BitcoinNode) -> None:
        tx = node.wallet.pay([(PAID, 200), (PAID, 200)], node.wallet.spendable()[:1])

        with pytest.raises(BitcoinRejected, match="dust"):
            node.mempool.add(tx)

    def test_sequence(self, node: BitcoinNode) -> None:
        """An input waits for as many blocks as its sequence says (BIP68)."""
        tx = deepcopy(payment(node))
        tx.vin[0].sequence = 1_000

        with pytest.raises(BitcoinRejected, match="non-BIP68-final"):
            node.mempool.add(tx)

    def test_coinbase(self, node: BitcoinNode) -> None:
        with pytest.raises(BitcoinRejected, match="coinbase"):
            node.mempool.add(node.block(1).block.transactions[0])

    @pytest.mark.parametrize(
        ("outputs", "reason"),
        [([TxOut(0, b"\x6a")], "tx-size-small"), ([], "bad-txns")],
        ids=["small", "no outputs"],
    )
    def test_alone(self, node: BitcoinNode, outputs: list[TxOut], reason: str) -> None:
        """What no block or no node takes, whatever it spends."""
        spent = TxIn(node.wallet.spendable()[0].at)

        with pytest.raises(BitcoinRejected, match=reason):
            node.mempool.add(Tx(2, 0, [spent], outputs, check_validity=False))

    def test_lock_time(self, node: BitcoinNode) -> None:
        tx = deepcopy(payment(node))
        tx.lock_time = node.height + 5

        with pytest.raises(BitcoinRejected, match="non-final"):
            node.mempool.add(tx)
