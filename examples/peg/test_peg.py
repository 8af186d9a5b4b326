"""Move bitcoins to Rootstock and back in a test: `pytest examples/peg`.

The chain and the Bitcoin beside it live in the test's own process. What a test does is reverted.
"""

import pytest

BRIDGE = "0x0000000000000000000000000000000001000006"
RBTC, SATOSHIS = 10**18, 10**8


@pytest.fixture
def alice(accounts, devchain):
    """An account that has pegged in a bitcoin."""
    devchain.peg_in(accounts[0], btc=1)
    return accounts[0]


def test_peg_in(devchain, accounts):
    before = devchain.balance(accounts[1])
    mined = devchain.peg_in(accounts[1], btc="1.5")
    assert devchain.balance(accounts[1]) - before == 15 * RBTC // 10
    assert mined.events[0].name == "pegin_btc"


def test_peg_out(devchain, alice):
    paid = devchain.peg_out(alice, btc="0.5")
    assert 0 < SATOSHIS // 2 - paid.satoshis < 100_000  # the fee
    assert devchain.bitcoin.confirmations(paid.txid) == 3


def test_steps(devchain, alice):
    devchain.transact(to=BRIDGE, value=RBTC // 2, sender=alice)
    devchain.peg.update()  # the Bridge creates a transaction, which waits for three blocks
    devchain.mine(3)
    devchain.peg.update()  # the federators sign it and send it to Bitcoin
    assert len(devchain.bitcoin.mempool.entries) == 1
