"""`devchain.bitcoin.rpc_wallet`"""

from __future__ import annotations

from typing import Any

import pytest
from btclib.b58 import wif_from_prv_key
from btclib_wallet.psbt import Psbt

from devchain.bitcoin import rpc_wallet
from devchain.bitcoin.bitcoin_node import BitcoinNode
from devchain.bitcoin.json_rpc import Request, RpcError, run
from devchain.bitcoin.signing import script_of
from devchain.clock import Clock
from devchain.config import MNEMONIC

assert rpc_wallet
NOW = 1_700_000_000
NO_TX = "01" * 32
EMPTY = "02000000000000000000"  # a transaction without inputs and outputs


class Client:
    """Calls methods of a wallet of a node."""

    def __init__(self, node: BitcoinNode, wallet: str | None = "") -> None:
        self.node, self.wallet = node, wallet

    def call(self, name: str, *params: Any) -> Any:
        return run(Request(self.node, self.wallet), name, list(params))

    def key(self, address: str) -> str:
        """The private key of an address, in wallet import format."""
        return wif_from_prv_key(self.node.wallet.key(script_of(address)) or b"", "regtest")

    def fails(self, name: str, *params: Any) -> tuple[int, str]:
        with pytest.raises(RpcError) as raised:
            self.call(name, *params)
        return raised.value.code, str(raised.value)


@pytest.fixture
def client() -> Client:
    return Client(BitcoinNode(MNEMONIC, Clock(NOW)))


@pytest.fixture
def watching(client: Client) -> Client:
    """A wallet without keys, as liquidity-provider-server makes one."""
    client.call("createwallet", "watching", True, True, "", True, False)
    return Client(client.node, "watching")


class TestWallets:
    def test_named(self, client: Client) -> None:
        """Other wallets have keys of their own accounts, and no funds."""
        client.call("createwallet", "two")
        two = Client(client.node, "two")
        address = two.call("getnewaddress")

        assert client.call("listwallets") == ["", "two"]
        assert two.call("getaddressinfo", address)["hdkeypath"] == "m/44h/1h/1h/0/0"
        assert two.call("getbalance") == 0
        assert client.call("getbalance") == 500

    def test_default(self, client: Client) -> None:
        """`/` is the wallet of the rewards, or the only one created, or none of several."""
        default = Client(client.node, None)
        rewards = default.call("getbalance")
        not_loaded = default.fails("getwalletinfo")
        client.call("createwallet", "one")
        created = default.call("getbalance"), default.call("getwalletinfo")["walletname"]
        client.call("createwallet", "two")

        assert (rewards, not_loaded[0]) == (500, -18)
        assert not_loaded[1].startswith("No wallet is loaded.")
        assert created == (0, "one")
        assert default.fails("getbalance")[0] == -19
        assert default.call("getblockcount") == 110

    def test_liquidity_provider(self, client: Client) -> None:
        """What lps-env.sh of liquidity-provider-server does with a new bitcoind."""
        default, main = Client(client.node, None), Client(client.node, "main")
        provider = Client(client.node, "rsk-wallet")
        address = "n1jGDaxCW6jemLZyd9wmDHddseZwEMV9C6"
        pubkey = "0232858a5faa413101831afe7a880da9a8ac4de6bd5e25b4358d762ba450b03c22"

        assert default.fails("getwalletinfo")[0] == -18
        default.call("createwallet", "main", False, False, "test-password", True, False, True)
        default.call("generatetoaddress", 500, default.call("getnewaddress", "main"))
        default.call("createwallet", "rsk-wallet", True, True, "", False, False, True)
        provider.call("importpubkey", pubkey, "", False)
        provider.call("importaddress", address, "", False)
        main.fails("walletpassphrase", "test-password", 30_000)
        named = {"amount": 500, "fee_rate": 25, "address": address}
        run(Request(client.node, "main"), "sendtoaddress", named)
        default.call("generatetoaddress", 1, main.call("getnewaddress", "main"))

        assert [coin["amount"] for coin in provider.call("listunspent")] == [500]

    def test_loaded(self, client: Client, watching: Client) -> None:
        """Codes and texts of wallets that exist, are loaded, and are not there."""
        assert client.fails("createwallet", "watching")[0] == -4
        assert client.fails("loadwallet", "watching") == (
            -35,
            'Wallet "watching" is already loaded.',
        )
        assert client.fails("loadwallet", "none")[0] == -18
        assert Client(client.node, "none").fails("getwalletinfo") == (
            -18,
            "Requested wallet does not exist or is not loaded",
        )
        assert not watching.call("getwalletinfo")["private_keys_enabled"]

    def test_no_keys(self, watching: Client) -> None:
        """A wallet without keys gives no addresses."""
        assert watching.fails("getnewaddress")[0] == -4

    def test_passphrase(self, client: Client) -> None:
        """No wallet is encrypted."""
        assert client.fails("walletpassphrase", "secret", 60)[0] == -15


class TestKeys:
    def test_watched(self, client: Client, watching: Client) -> None:
        """Watched addresses show their coins, which cannot be spent."""
        address = client.call("getnewaddress")
        watching.call("importaddress", address, "label", False)
        txid = client.call("sendtoaddress", address, 2)
        client.node.mine()

        (coin,) = watching.call("listunspent", 1, 9999, [address])
        assert (coin["txid"], coin["amount"], coin["spendable"]) == (txid, 2, False)
        assert watching.call("getaddressinfo", address)["iswatchonly"]


class TestTransactions:
    def test_own(self, client: Client) -> None:
        """Amounts are the wallet's: what it received, or what others got."""
        client.call("createwallet", "two")
        two = Client(client.node, "two")
        txid = client.call("sendtoaddress", two.call("getnewaddress"), 2)
        waiting = two.call("gettransaction", txid)
        client.node.mine()
        received, sent = two.call("gettransaction", txid), client.call("gettransaction", txid)

        assert (waiting["amount"], waiting["confirmations"]) == (2, 0)
        assert (received["amount"], received["confirmations"]) == (2, 1)
        assert received["blockhash"] == client.call("getbestblockhash")
        assert (sent["amount"], sent["hex"]) == (-2, client.call("getrawtransaction", txid))
        assert -0.0001 < sent["fee"] < 0

    def test_unknown(self, client: Client) -> None:
        """Others' transactions are none of the wallet's."""
        client.call("createwallet", "two")
        coinbase = client.call("getblock", client.call("getblockhash", 1))["tx"][0]

        for txid in (coinbase, "00" * 32):
            assert Client(client.node, "two").fails("gettransaction", txid)[0] == -5
        assert client.call("gettransaction", coinbase)["amount"] == 50


class TestSend:
    def test_fee_rate(self, client: Client) -> None:
        """The rate is in satoshis for a virtual byte."""
        txid = client.call("sendtoaddress", client.call("getnewaddress"), 1, *[None] * 7, 25)
        (entry,) = client.node.mempool.entries.values()

        assert entry.txid.hex() == txid
        assert 25 <= entry.fee / entry.vsize < 28
        address = client.call("getnewaddress")
        assert client.fails("sendtoaddress", address, 1, "", "", True)[0] == -8

    @pytest.mark.parametrize(
        ("amount", "code"), [(-1, -3), (1e-9, -3), ("x", -3), (0, -3), (True, -3), (10**9, -3)]
    )
    def test_amounts(self, client: Client, amount: Any, code: int) -> None:
        """Amounts that are none are refused."""
        assert client.fails("sendtoaddress", client.call("getnewaddress"), amount)[0] == code

    def test_insufficient(self, client: Client) -> None:
        assert client.fails("sendtoaddress", client.call("getnewaddress"), 10_000) == (
            -6,
            "Insufficient funds",
        )


class TestRawTransactions:
    def test_liquidity_provider(self, client: Client, watching: Client) -> None:
        """liquidity-provider-server's peg-out: funded by watched coins, signed with a key."""
        address = client.call("getnewaddress", "", "legacy")
        pubkey = client.call("getaddressinfo", address)["pubkey"]
        watching.call("importpubkey", pubkey, "", False)
        client.call("sendtoaddress", address, 3)
        client.node.mine()
        raw = client.call("createrawtransaction", [], [{address: 1}, {"data": "c0ffee"}])
        options = {"changeAddress": address, "changePosition": 2, "includeWatching": True}
        funded = watching.call("fundrawtransaction", raw, options | {"feeRate": 0.0001})
        key = client.key(address)

        signed = client.call("signrawtransactionwithkey", funded["hex"], [key])
        txid = client.call("sendrawtransaction", signed["hex"])

        assert (signed["complete"], funded["changepos"]) == (True, 2)
        assert client.call("getrawmempool") == [txid]

    def test_with_wallet(self, client: Client) -> None:
        """A wallet funds and signs a transaction; an input that is not known is named."""
        raw = client.call("createrawtransaction", [], {client.call("getnewaddress"): 1})
        unknown = client.call("createrawtransaction", [{"txid": NO_TX, "vout": 0}], {"data": "00"})

        funded = client.call("fundrawtransaction", raw)
        signed = client.call("signrawtransactionwithwallet", funded["hex"])
        failed = client.call("signrawtransactionwithwallet", unknown)

        assert signed["complete"]
        assert client.call("sendrawtransaction", signed["hex"])
        assert failed["errors"][0]["error"] == "Input not found or already spent"

    @pytest.mark.parametrize(
        ("name", "params", "code", "text"),
        [
            ("createrawtransaction", ([], {}, -1), -8, "locktime out of range"),
            (
                "createrawtransaction",
                ([{"txid": NO_TX, "vout": 0, "sequence": -1}], {}),
                -8,
                "sequence out of range",
            ),
            ("createrawtransaction", ([{"txid": NO_TX}], {}), -8, "missing vout key"),
            ("createrawtransaction", ([], 5), -8, "outputs must be an object or array"),
            ("createmultisig", (1, [], "x"), -5, "Unknown address type 'x'"),
            ("importpubkey", ("00",), -5, "Pubkey is not a valid public key"),
            ("importaddress", ("x",), -8, "address must be hexadecimal string"),
            ("fundrawtransaction", (EMPTY, {"changePosition": 9}), -8, "out of bounds"),
            ("fundrawtransaction", (EMPTY, {"subtractFeeFromOutputs": [0]}), -8, "pay less"),
            ("signrawtransactionwithkey", (EMPTY, ["x"]), -5, "Invalid private key encoding"),
            ("generatetoaddress", (2**40, "x"), -1, "JSON integer out of range"),
        ],
    )
    def test_parameters(
        self, client: Client, name: str, params: tuple[Any, ...], code: int, text: str
    ) -> None:
        """Wrong parameters have bitcoind's codes."""
        found, message = client.fails(name, *params)

        assert found == code
        assert text in message

    @pytest.mark.parametrize("kind", ["legacy", "p2sh-segwit", "bech32"])
    def test_multisig(self, client: Client, kind: str) -> None:
        """btc-transaction-helper's multi-signature addresses are spent with two keys of three."""
        addresses = [client.call("getnewaddress") for _ in range(3)]
        keys = [client.key(address) for address in addresses]
        pubkeys = [client.call("getaddressinfo", address)["pubkey"] for address in addresses]
        shared = client.call("createmultisig", 2, pubkeys, kind)
        txid = client.call("sendtoaddress", shared["address"], 1)
        client.node.mine()
        outs = client.call("getrawtransaction", txid, 1)["vout"]
        out = next(one for one in outs if one["scriptPubKey"]["address"] == shared["address"])
        script, redeem = out["scriptPubKey"]["hex"], shared["redeemScript"]
        spent = {"txid": txid, "vout": out["n"]}
        known = spent | {"scriptPubKey": script, "amount": 1}
        known |= {"redeemScript": redeem, "witnessScript": redeem}
        raw = client.call("createrawtransaction", [spent], {addresses[0]: 0.999})

        half = client.call("signrawtransactionwithkey", raw, keys[2:], [known])
        whole = client.call("signrawtransactionwithkey", raw, keys[1:], [known])

        assert (half["complete"], whole["complete"]) == (False, True)
        assert client.call("sendrawtransaction", whole["hex"])

    def test_missing_key(self, client: Client) -> None:
        """Inputs without a key are named."""
        coin = client.call("listunspent")[0]
        spent = {"txid": coin["txid"], "vout": coin["vout"]}
        raw = client.call("createrawtransaction", [spent], {coin["address"]: 1})
        other = client.key(client.call("getnewaddress"))

        result = client.call("signrawtransactionwithkey", raw, [other])

        assert not result["complete"]
        assert result["errors"][0]["txid"] == coin["txid"]


class TestPsbt:
    def test_funded(self, client: Client) -> None:
        """A PSBT is funded by the wallet, which pays the fee and has the change."""
        address = client.call("getnewaddress")

        made = client.call("walletcreatefundedpsbt", [], [{address: 1}])
        tx = Psbt.b64decode(made["psbt"]).tx

        (coin,) = [client.node.mempool.output(spent.prev_out) for spent in tx.vin]
        assert coin
        assert coin.value - sum(out.value for out in tx.vout) == made["fee"] * 10**8
        assert (tx.vout[0].value, made["changepos"]) == (10**8, 1)
