"""`devchain.bitcoin.rpc_chain`"""

from __future__ import annotations

from decimal import Decimal

import pytest

from devchain.bitcoin import rpc_chain
from devchain.bitcoin.bitcoin_node import BitcoinNode
from devchain.clock import Clock
from devchain.config import MNEMONIC
from tests.bitcoin.test_rpc_wallet import NOW, Client

assert rpc_chain


@pytest.fixture
def client() -> Client:
    return Client(BitcoinNode(MNEMONIC, Clock(NOW)))


class TestBlocks:
    def test_genesis(self, client: Client) -> None:
        """Values of regtest's genesis block (Bitcoin Core's chainparams.cpp)."""
        block_hash = client.call("getblockhash", 0)
        header = client.call("getblockheader", block_hash)

        assert block_hash == "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"
        assert (header["time"], header["nonce"], header["bits"]) == (1296688602, 2, "207fffff")
        assert header["difficulty"] == 4.6565423739069247e-10  # as bitcoind shows it
        assert "previousblockhash" not in header

    def test_levels(self, client: Client) -> None:
        """A block as hex, with ids, or with transactions; and as a boolean as formerly."""
        block_hash = client.call("generatetoaddress", 1, client.call("getnewaddress"))[0]
        raw, short = client.call("getblock", block_hash, 0), client.call("getblock", block_hash)

        assert client.call("getblock", block_hash, False) == raw
        assert client.call("getblock", block_hash, True) == short
        transactions = client.call("getblock", block_hash, 2)["tx"]
        assert [tx["txid"] for tx in transactions] == short["tx"]
        assert raw.startswith(client.call("getblockheader", block_hash, False))

    def test_unknown(self, client: Client) -> None:
        """Codes and texts of bitcoind's rpc/blockchain.cpp."""
        assert client.fails("getblock", "00" * 32) == (-5, "Block not found")
        assert client.fails("getblockhash", 111) == (-8, "Block height out of range")
        assert client.fails("getblock", "ab") == (
            -8,
            "blockhash must be of length 64 (not 2, for 'ab')",
        )
        assert client.fails("getblock", "zz" * 32)[0] == -8

    def test_reorganization(self, client: Client) -> None:
        """An invalidated block is lost."""
        block_hash = client.call("getbestblockhash")
        client.call("invalidateblock", block_hash)

        assert client.call("getblockcount") == 109
        assert client.fails("getblock", block_hash)[0] == -5


class TestTransactions:
    def test_raw(self, client: Client) -> None:
        """A transaction as hex or as an object, with its block once it has one."""
        txid = client.call("sendtoaddress", client.call("getnewaddress"), 1)
        raw = client.call("getrawtransaction", txid)
        before = client.call("getrawtransaction", txid, True)
        (block_hash,) = client.call("generatetoaddress", 1, client.call("getnewaddress"))
        after = client.call("getrawtransaction", txid, True, block_hash)

        assert client.call("decoderawtransaction", raw)["txid"] == txid
        assert "blockhash" not in before
        assert (after["blockhash"], after["confirmations"]) == (block_hash, 1)
        assert client.fails("getrawtransaction", "00" * 32)[0] == -5

    def test_refused(self, client: Client) -> None:
        """Codes -22 and -26."""
        coin = client.call("listunspent")[0]
        raw = client.call("createrawtransaction", [coin], {coin["address"]: 49.999})

        assert client.fails("sendrawtransaction", "0200")[0] == -22
        assert client.fails("sendrawtransaction", "xx") == (-22, "TX decode failed")
        assert client.fails("sendrawtransaction", raw)[0] == -26

    def test_mempool(self, client: Client) -> None:
        """A transaction that builds on another one depends on it."""
        txids = [client.call("sendtoaddress", client.call("getnewaddress"), 40) for _ in range(13)]

        shown = client.call("getrawmempool", True)

        assert client.call("getrawmempool") == txids == list(shown)
        assert any(set(one["depends"]) & set(txids) for one in shown.values())


class TestUtilities:
    def test_scan(self, client: Client) -> None:
        """Unspent outputs of any address are found, as btc-transaction-helper asks for them."""
        address = client.call("getnewaddress", "", "legacy")
        client.call("sendtoaddress", address, 1)
        client.node.mine()

        found = client.call("scantxoutset", "start", [f"addr({address})"])

        assert found["total_amount"] == 1
        assert len(found["unspents"]) == 1
        assert client.fails("scantxoutset", "start", ["x"])[0] == -5

    def test_fee(self, client: Client) -> None:
        """The estimate does not depend on the chain."""
        assert client.call("estimatesmartfee", 6) == {"feerate": Decimal("0.0002"), "blocks": 6}
        assert client.fails("estimatesmartfee", 0)[0] == -8

    def test_info(self, client: Client) -> None:
        """What clients ask when they connect."""
        assert client.call("getblockchaininfo")["chain"] == "regtest"
        assert client.call("getnetworkinfo")["version"] == 290_000
        assert client.call("ping") is None
