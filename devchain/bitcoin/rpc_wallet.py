"""bitcoind's methods that need a wallet."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from hashlib import sha256
from typing import Any

from btclib.exceptions import BTClibException
from btclib.script.solver import solver
from btclib.tx import Tx, TxOut
from btclib_wallet.psbt import Psbt

from devchain.bitcoin import rpc_chain, signing
from devchain.bitcoin.bitcoin_node import parse_transaction
from devchain.bitcoin.chain import SATOSHIS
from devchain.bitcoin.json_rpc import (
    WALLET_ERROR,
    WALLET_NOT_FOUND,
    Amount,
    Hash,
    Hex,
    Request,
    RpcError,
    bitcoins,
    hex_of,
    method,
    satoshis,
)
from devchain.bitcoin.rpc_chain import Json
from devchain.bitcoin.wallet import DEFAULT, FEE_RATE, Unspent, Wallet
from devchain.errors import InvalidInput, NotFound

ALREADY_LOADED, NOT_ENCRYPTED, NOT_SPECIFIED = -35, -15, -19
MAX_LISTED = 10_000


def _wallet(request: Request) -> Wallet:
    # Without a name it is the one that was created; with none, the wallet of the rewards.
    created, name = [*request.node.wallets][1:], request.wallet
    if name is None and len(created) > 1:
        raise RpcError(
            NOT_SPECIFIED,
            "Multiple wallets are loaded. Please select which wallet to use by requesting the RPC "
            "through the /wallet/<walletname> URI path.",
        )
    found = request.node.wallets.get("".join(created) if name is None else name)
    if found is None:
        raise RpcError(WALLET_NOT_FOUND, "Requested wallet does not exist or is not loaded")
    return found


def _wallet_with_keys(request: Request) -> Wallet:
    found = _wallet(request)
    if not found.state.has_keys:
        raise RpcError(WALLET_ERROR, "Error: Private keys are disabled for this wallet")
    return found


# Wallets


@method
def listwallets(request: Request) -> list[str]:
    return list(request.node.wallets)


@method
def createwallet(
    request: Request,
    wallet_name: str,
    disable_private_keys: bool = False,
    blank: bool = False,
    passphrase: str = "",
    avoid_reuse: bool = False,
    descriptors: bool = True,
    load_on_startup: bool | None = None,
) -> Json:
    if wallet_name in request.node.wallets:
        raise RpcError(
            WALLET_ERROR,
            "Wallet file verification failed. Failed to create database path "
            f"'{wallet_name:.100}'. Database already exists.",
        )
    request.node.create_wallet(wallet_name, has_keys=not (disable_private_keys or blank))
    note = "The wallet is not encrypted: keys of regtest are worth nothing."
    return {"name": wallet_name} | ({"warnings": [note]} if passphrase else {})


@method
def loadwallet(request: Request, filename: str, load_on_startup: bool | None = None) -> Json:
    if filename in request.node.wallets:
        raise RpcError(ALREADY_LOADED, f'Wallet "{filename:.100}" is already loaded.')
    raise RpcError(
        WALLET_NOT_FOUND,
        "Wallet file verification failed. Failed to load database path "
        f"'{filename:.100}'. Path does not exist.",
    )


@method
def getwalletinfo(request: Request) -> Json:
    wallet = _wallet(request)
    if request.wallet is None and not wallet.state.number:  # so that scripts create their wallets
        raise RpcError(
            WALLET_NOT_FOUND,
            "No wallet is loaded. Load a wallet using loadwallet or create a new one with "
            "createwallet. (Note: A default wallet is no longer automatically created)",
        )
    shown: Json = {"walletname": wallet.state.name, "walletversion": 169900, "format": "sqlite"}
    shown |= {"balance": bitcoins(wallet.balance()), "keypoolsize": 1_000, "paytxfee": 0}
    shown |= {"private_keys_enabled": wallet.state.has_keys, "avoid_reuse": False}
    return shown | {"scanning": False, "descriptors": True}


@method
def walletpassphrase(request: Request, passphrase: str, timeout: int) -> None:
    text = "Error: running with an unencrypted wallet, but walletpassphrase was called."
    raise RpcError(NOT_ENCRYPTED, text)


# Addresses and keys


@method
def getnewaddress(request: Request, label: str = "", address_type: str = DEFAULT) -> str:
    return _wallet_with_keys(request).new_address(address_type)


@method
def getaddressinfo(request: Request, address: str) -> Json:
    script = signing.script_of(address)
    owned, kind = _wallet(request).scripts.get(script), solver(script)[0]
    shown: Json = {
        "address": signing.address_of(script),
        "scriptPubKey": script.hex(),
        "isscript": kind == "scripthash",
        "iswitness": kind.startswith("witness"),
        "ismine": bool(owned and owned.path),
        "iswatchonly": bool(owned and not owned.path),
        "solvable": bool(owned and owned.pubkey),
        "labels": [],
    }
    if owned and owned.pubkey:
        shown["pubkey"] = owned.pubkey.hex()
    if owned and owned.path:
        shown["hdkeypath"] = "m/{}h/{}h/{}h/{}/{}".format(*owned.path)
    return shown


@method
def importpubkey(request: Request, pubkey: Hex, label: str = "", rescan: bool = True) -> None:
    if len(pubkey) not in {33, 65}:
        raise NotFound("Pubkey is not a valid public key")
    for kind in signing.PURPOSES:
        _wallet(request).watch(signing.key_script(pubkey, kind), pubkey)


@method
def importaddress(
    request: Request, address: str, label: str = "", rescan: bool = True, p2sh: bool = False
) -> None:
    try:
        script = signing.script_of(address)
    except InvalidInput:
        script = hex_of(address, "address")
    _wallet(request).watch(script)


# Coins


@method
def getbalance(
    request: Request, dummy: Any = None, minconf: int = 0, include_watchonly: bool = True
) -> Decimal:
    coins = [coin for coin in _wallet(request).spendable() if coin.confirmations >= minconf]
    return bitcoins(sum(coin.out.value for coin in coins))


@method
def listunspent(
    request: Request,
    minconf: int = 1,
    maxconf: int = 9_999_999,
    addresses: list[Any] | None = None,
    include_unsafe: bool = True,
) -> list[Json]:
    wallet = _wallet(request)
    wanted = {signing.script_of(str(one)) for one in addresses or []} or wallet.scripts.keys()
    found = [
        _unspent_object(coin, is_safe=wallet.is_trusted(coin))
        for coin in wallet.unspent()
        if minconf <= coin.confirmations <= maxconf and coin.is_mature and coin.script in wanted
    ]
    return [shown for shown in found if shown["safe"] or include_unsafe][:MAX_LISTED]


@method
def gettransaction(request: Request, txid: Hash, include_watchonly: bool = True) -> Json:
    node, scripts, tx = request.node, _wallet(request).scripts, request.node.find(txid)
    made = tx.vout if tx else []
    before = [(node.find(one.prev_out.tx_id), one.prev_out.vout) for one in (tx.vin if tx else [])]
    spent = [source.vout[at] for source, at in before if source]
    received, paid = (
        sum(out.value for out in outputs if out.script_pub_key.script in scripts)
        for outputs in (made, spent)
    )
    if not received and not paid:
        raise NotFound("Invalid or non-wallet transaction id")
    total = sum(out.value for out in made) if paid else 0
    shown: Json = {"amount": bitcoins(received - total), "confirmations": 0}
    shown |= {"fee": bitcoins(total - paid)} if paid else {}
    known = rpc_chain.getrawtransaction(request, txid, rpc_chain.SHORT)
    names = ("txid", "hex", "confirmations", "blockhash", "blocktime", "time")
    return shown | {name: known[name] for name in names if name in known}


def _unspent_object(coin: Unspent, *, is_safe: bool) -> Json:
    return {
        "txid": coin.at.tx_id.hex(),
        "vout": coin.at.vout,
        "address": signing.address_of(coin.script),
        "scriptPubKey": coin.script.hex(),
        "amount": bitcoins(coin.out.value),
        "confirmations": coin.confirmations,
        "spendable": bool(coin.owned.path),
        "solvable": bool(coin.owned.pubkey),
        "safe": is_safe,
    }


# Sending


def _rate(options: Mapping[str, Any]) -> int:
    if (rate := options.get("feeRate")) is not None:  # bitcoins for 1,000 virtual bytes
        return satoshis(rate)
    if (rate := options.get("fee_rate")) is not None:  # satoshis for a virtual byte
        return satoshis(rate) * 1_000 // SATOSHIS
    return FEE_RATE


@method
def sendtoaddress(
    request: Request,
    address: str,
    amount: Amount,
    comment: str = "",
    comment_to: str = "",
    subtractfeefromamount: bool = False,
    replaceable: bool | None = None,
    conf_target: int | None = None,
    estimate_mode: str = "",
    avoid_reuse: bool = True,
    fee_rate: Any = None,
    verbose: bool = False,
) -> str | Json:
    if subtractfeefromamount:
        raise InvalidInput("subtractfeefromamount is not supported: send less")
    if amount <= 0:
        raise RpcError(-3, "Invalid amount for send")
    outputs = [(signing.script_of(address), int(amount))]
    tx = _wallet_with_keys(request).pay(outputs, fee_rate=_rate({"fee_rate": fee_rate}))
    txid = request.node.add_transaction(tx).hex()
    return {"txid": txid, "fee_reason": "Fallback fee"} if verbose else txid


def _fund(request: Request, tx: Tx, options: Mapping[str, Any]) -> tuple[Tx, int, int]:
    wallet = _wallet(request)
    if options.get("subtractFeeFromOutputs") or options.get("subtract_fee_from_outputs"):
        raise InvalidInput("subtractFeeFromOutputs is not supported: pay less")
    address = options.get("changeAddress", options.get("change_address"))
    position = options.get("changePosition", options.get("change_position"))
    if position is not None and not (type(position) is int and -1 <= position <= len(tx.vout)):
        raise InvalidInput("changePosition out of bounds")
    watched = bool(options.get("includeWatching")) or not wallet.state.has_keys
    return wallet.fund(
        tx,
        wallet.spendable(with_watched=watched),
        fee_rate=_rate(options),
        change=b"" if address is None else signing.script_of(str(address)),
        change_at=None if position == -1 else position,
    )


@method
def fundrawtransaction(
    request: Request, hexstring: Hex, options: Any = None, iswitness: bool | None = None
) -> Json:
    chosen = options if isinstance(options, dict) else {"includeWatching": bool(options)}
    try:
        template = Tx.parse_without_witness(hexstring, check_validity=False)
    except (BTClibException, ValueError):
        template = parse_transaction(hexstring)
    tx, fee, position = _fund(request, template, chosen)
    return {"hex": rpc_chain.raw_hex(tx), "fee": bitcoins(fee), "changepos": position}


@method
def signrawtransactionwithkey(
    request: Request, hexstring: Hex, privkeys: list[Any], prevtxs: list[Any] | None = None
) -> Json:
    keys = [signing.key_of_wif(str(text)) for text in privkeys]
    return _sign(request, hexstring, prevtxs or [], keys)


@method
def signrawtransactionwithwallet(
    request: Request, hexstring: Hex, prevtxs: list[Any] | None = None
) -> Json:
    return _sign(request, hexstring, prevtxs or [], None)


def _sign(request: Request, raw: bytes, prevtxs: list[Any], keys: list[bytes] | None) -> Json:
    tx, known, scripts = parse_transaction(raw), {}, list[bytes]()
    for one in prevtxs:
        script = hex_of(one.get("scriptPubKey"), "scriptPubKey") if isinstance(one, dict) else b""
        known[rpc_chain.outpoint_of(one)] = TxOut(satoshis(one.get("amount", 0)), script)
        scripts += [hex_of(one[n], n) for n in ("redeemScript", "witnessScript") if one.get(n)]
    # A P2WSH script within P2SH is not always there.
    scripts += [b"\0\x20" + sha256(script).digest() for script in scripts]
    output = request.node.mempool.output
    outputs = [output(one.prev_out) or known.get(one.prev_out) for one in tx.vin]
    if keys is None:
        problems = _wallet_with_keys(request).sign(tx, outputs, scripts)
    else:
        problems = signing.sign(tx, outputs, keys, scripts)
    shown: Json = {"hex": rpc_chain.raw_hex(tx), "complete": not problems}
    errors = [
        rpc_chain.input_object(tx.vin[index]) | {"error": text} for index, text in problems.items()
    ]
    return shown | ({"errors": errors} if errors else {})


@method
def walletcreatefundedpsbt(
    request: Request,
    inputs: list[Any] | None = None,
    outputs: Any = None,
    locktime: int = 0,
    options: dict[str, Any] | None = None,
    bip32derivs: bool = True,
) -> Json:
    template = rpc_chain.unsigned_transaction(inputs or [], outputs, locktime)
    tx, fee, position = _fund(request, template, options or {})
    text = Psbt.from_tx(tx).b64encode()
    return {"psbt": text, "fee": bitcoins(fee), "changepos": position}
