"""bitcoind's methods that need a wallet, and those for PSBTs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

from btclib.exceptions import BTClibException
from btclib.script.sig_hash import ALL, ANYONECANPAY, NONE, SINGLE
from btclib.tx import OutPoint, Tx, TxOut
from btclib_wallet.psbt import Psbt, PsbtIn, extract_tx, finalize

from devchain.bitcoin.bitcoin_node import parse_transaction
from devchain.bitcoin.chain import SATOSHIS, ChainBlock
from devchain.bitcoin.json_rpc import (
    BAD_ADDRESS,
    BAD_ENCODING,
    BAD_PARAMETER,
    WALLET_ERROR,
    WALLET_NOT_FOUND,
    Amount,
    Hash,
    Hex,
    Request,
    RpcError,
    bitcoins,
    hash_of,
    hex_of,
    method,
    satoshis,
)
from devchain.bitcoin.rpc_chain import (
    Json,
    address_object,
    descriptor_scripts,
    input_object,
    outputs_of,
    range_of,
    raw_hex,
    transaction_object,
    unsigned_transaction,
)
from devchain.bitcoin.signing import (
    PURPOSES,
    Signer,
    address_of,
    key_of_wif,
    key_scripts,
    script_of,
    wif,
)
from devchain.bitcoin.wallet import DEFAULT, FEE_RATE, Funding, Owned, Unspent, Wallet
from devchain.errors import InvalidInput

ALREADY_LOADED, NOT_ENCRYPTED = -35, -15
UNKNOWN = Owned(None, "", "", is_change=False, path=())
MAX_LISTED = 10_000
HASH_TYPES = {"ALL": ALL, "NONE": NONE, "SINGLE": SINGLE, "DEFAULT": ALL}
HASH_TYPES |= {f"{name}|ANYONECANPAY": kind | ANYONECANPAY for name, kind in HASH_TYPES.items()}


def _wallet(request: Request) -> Wallet:
    found = request.node.wallets.get(request.wallet or "")
    if found is None or not found.state.is_loaded:
        raise RpcError(WALLET_NOT_FOUND, "Requested wallet does not exist or is not loaded")
    return found


def _wallet_with_keys(request: Request) -> Wallet:
    found = _wallet(request)
    if not found.settings.has_keys:
        raise RpcError(WALLET_ERROR, "Error: Private keys are disabled for this wallet")
    return found


# Wallets


@method
def listwallets(request: Request) -> list[str]:
    return [name for name, wallet in request.node.wallets.items() if wallet.state.is_loaded]


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
    external_signer: bool = False,
) -> Json:
    if wallet_name in request.node.wallets:
        raise RpcError(
            WALLET_ERROR,
            "Wallet file verification failed. Failed to create database path "
            f"'{wallet_name:.100}'. Database already exists.",
        )
    request.node.create_wallet(
        wallet_name,
        has_keys=not disable_private_keys,
        blank=blank or disable_private_keys,
        avoid_reuse=avoid_reuse,
        descriptors=descriptors,
    )
    note = "The wallet is not encrypted: keys of regtest are worth nothing."
    return {"name": wallet_name} | ({"warnings": [note]} if passphrase else {})


@method
def loadwallet(request: Request, filename: str, load_on_startup: bool | None = None) -> Json:
    wallet = request.node.wallets.get(filename)
    if wallet is None:
        raise RpcError(
            WALLET_NOT_FOUND,
            "Wallet file verification failed. Failed to load database path "
            f"'{filename:.100}'. Path does not exist.",
        )
    if wallet.state.is_loaded:
        raise RpcError(ALREADY_LOADED, f'Wallet "{filename:.100}" is already loaded.')
    _set_loaded(request, wallet, is_loaded=True)
    return {"name": filename}


@method
def unloadwallet(
    request: Request, wallet_name: str | None = None, load_on_startup: bool | None = None
) -> Json:
    wallet = _wallet(request._replace(wallet=request.wallet or wallet_name))
    if not wallet.settings.name:
        raise RpcError(WALLET_ERROR, "the wallet that has the rewards of the first blocks stays")
    _set_loaded(request, wallet, is_loaded=False)
    return {}


def _set_loaded(request: Request, wallet: Wallet, *, is_loaded: bool) -> None:
    wallet.state = replace(wallet.state, is_loaded=is_loaded)
    request.node.changed()


@method
def getwalletinfo(request: Request) -> Json:
    wallet = _wallet(request)
    settings, balances = wallet.settings, getbalances(request)["mine"]
    kind = "sqlite" if settings.descriptors else "bdb"
    shown: Json = {"walletname": settings.name, "walletversion": 169900, "format": kind}
    shown |= {"balance": balances["trusted"], "unconfirmed_balance": balances["untrusted_pending"]}
    shown |= {
        "immature_balance": balances["immature"],
        "txcount": sum(1 for _ in _history(request)),
    }
    shown |= {"keypoolsize": 1_000, "paytxfee": 0, "private_keys_enabled": settings.has_keys}
    shown |= {"avoid_reuse": settings.avoid_reuse, "scanning": False, "blank": settings.blank}
    return shown | {"descriptors": settings.descriptors, "external_signer": False}


@method
def walletpassphrase(request: Request, passphrase: str, timeout: int) -> None:
    text = "Error: running with an unencrypted wallet, but walletpassphrase was called."
    raise RpcError(NOT_ENCRYPTED, text)


# Addresses and keys


@method
def getnewaddress(request: Request, label: str = "", address_type: str = DEFAULT) -> str:
    return _wallet_with_keys(request).new_address(address_type, label)


@method
def getaddressinfo(request: Request, address: str) -> Json:
    script = script_of(address)
    owned = _wallet(request).scripts.get(script)
    shown = address_object(script)
    shown |= {"ismine": bool(owned and owned.key), "iswatchonly": bool(owned and not owned.key)}
    shown |= {"solvable": bool(owned and owned.pubkey), "labels": []}
    shown["ischange"] = bool(owned and owned.is_change)
    if owned:
        shown["labels"] = [] if owned.is_change else [owned.label]
        if owned.redeem:
            shown["hex"] = owned.redeem.hex()
        if owned.pubkey:
            shown["pubkey"] = owned.pubkey.hex()
        if owned.path:
            shown["hdkeypath"] = "m/{}h/{}h/{}h/{}/{}".format(*owned.path)
    return shown


@method
def dumpprivkey(request: Request, address: str) -> str:
    owned = _wallet(request).scripts.get(script_of(address))
    if owned is None or owned.key is None:
        raise RpcError(WALLET_ERROR, f"Private key for address {address:.100} is not known")
    return wif(owned.key)


@method
def importprivkey(request: Request, privkey: str, label: str = "", rescan: bool = True) -> None:
    wallet, key = _wallet_with_keys(request), key_of_wif(privkey)
    for kind in PURPOSES:
        wallet.add_key(key, kind, label)


@method
def importpubkey(request: Request, pubkey: Hex, label: str = "", rescan: bool = True) -> None:
    if len(pubkey) not in {33, 65}:
        raise RpcError(BAD_ADDRESS, "Pubkey is not a valid public key")
    for kind in PURPOSES:
        script, redeem = key_scripts(pubkey, kind)
        _wallet(request).watch(script, label, redeem, pubkey)


@method
def importaddress(
    request: Request, address: str, label: str = "", rescan: bool = True, p2sh: bool = False
) -> None:
    try:
        script = script_of(address)
    except InvalidInput:
        script = hex_of(address, "address")
    _wallet(request).watch(script, label)


@method
def importdescriptors(request: Request, requests: list[Any]) -> list[Json]:
    wallet, results = _wallet(request), list[Json]()
    for one in requests:
        try:
            if not isinstance(one, dict):
                raise RpcError(BAD_PARAMETER, "a request is an object with desc")
            begin, end = range_of(one.get("range", 0))
            for script in descriptor_scripts(request, one.get("desc"), begin, end):
                wallet.watch(script, str(one.get("label", "")))
            results.append({"success": True})
        except RpcError as error:
            failure = {"code": error.code, "message": str(error)}
            results.append({"success": False, "error": failure})
    return results


# Balances and history


@method
def getbalance(
    request: Request,
    dummy: Any = None,
    minconf: int = 0,
    include_watchonly: bool = True,
    avoid_reuse: bool = True,
) -> float:
    coins = [coin for coin in _wallet(request).spendable() if coin.confirmations >= minconf]
    return bitcoins(sum(coin.out.value for coin in coins))


@method
def getbalances(request: Request) -> Json:
    wallet = _wallet(request)
    sums = dict.fromkeys(("trusted", "untrusted_pending", "immature"), 0)
    for coin in wallet.unspent():
        kind = "immature" if not coin.is_mature else "trusted"
        kind = kind if wallet.is_trusted(coin) else "untrusted_pending"
        sums[kind] += coin.out.value if coin.owned.key or not wallet.settings.has_keys else 0
    shown = {kind: bitcoins(total) for kind, total in sums.items()}
    return {"mine": shown}


@method
def listunspent(
    request: Request,
    minconf: int = 1,
    maxconf: int = 9_999_999,
    addresses: list[Any] | None = None,
    include_unsafe: bool = True,
) -> list[Json]:
    wallet = _wallet(request)
    wanted = {script_of(str(one)) for one in addresses or []}
    found = []
    for coin in wallet.unspent(confirmed_only=minconf > 0):
        script = coin.out.script_pub_key.script
        if not minconf <= coin.confirmations <= maxconf or not coin.is_mature:
            continue
        if wanted and script not in wanted:
            continue
        is_safe = wallet.is_trusted(coin)
        if is_safe or include_unsafe:
            found.append(_unspent_object(coin, is_safe=is_safe))
    return found[:MAX_LISTED]


def _unspent_object(coin: Unspent, *, is_safe: bool) -> Json:
    script = coin.out.script_pub_key.script
    shown: Json = {"txid": coin.at.tx_id.hex(), "vout": coin.at.vout}
    shown |= {"address": address_of(script), "label": coin.owned.label}
    shown |= {"scriptPubKey": script.hex(), "amount": bitcoins(coin.out.value)}
    shown |= {"confirmations": coin.confirmations, "spendable": bool(coin.owned.key)}
    if coin.owned.redeem:
        shown["redeemScript"] = coin.owned.redeem.hex()
    return shown | {"solvable": bool(coin.owned.pubkey), "safe": is_safe}


def _history(request: Request) -> Iterator[tuple[Tx, bytes, ChainBlock | None]]:
    # The transactions of a wallet, the newest first; without a block if unconfirmed.
    wallet, node = _wallet(request), request.node
    for entry in reversed(list(node.mempool.entries.values())):
        if _is_own(request, wallet, entry.tx):
            yield entry.tx, entry.txid, None
    for block in reversed(node.chain.active[1:]):
        pairs = zip(block.block.transactions, block.txids, strict=True)
        for tx, txid in reversed(list(pairs)):
            if _is_own(request, wallet, tx):
                yield tx, txid, block


def _is_own(request: Request, wallet: Wallet, tx: Tx) -> bool:
    scripts = (out.script_pub_key.script for out in tx.vout)
    return any(script in wallet.scripts for script in scripts) or bool(_debit(request, wallet, tx))


def _debit(request: Request, wallet: Wallet, tx: Tx) -> int:
    # What a transaction spends of the wallet.
    total = 0
    for spent in tx.vin:
        before = None if tx.is_coinbase else request.node.find(spent.prev_out.tx_id)
        if before:
            out = before.vout[spent.prev_out.vout]
            total += out.value if out.script_pub_key.script in wallet.scripts else 0
    return total


def _details(request: Request, tx: Tx, block: ChainBlock | None) -> list[Json]:
    wallet = _wallet(request)
    debit, details = _debit(request, wallet, tx), list[Json]()
    fee = sum(out.value for out in tx.vout) - debit
    for index, out in enumerate(tx.vout):
        owned = wallet.scripts.get(out.script_pub_key.script)
        shown: Json = {"address": address_of(out.script_pub_key.script), "vout": index}
        shown |= {"amount": bitcoins(out.value), "label": owned.label if owned else ""}
        if debit and not (owned and owned.is_change):
            sent = {"category": "send", "amount": -shown["amount"], "fee": bitcoins(fee)}
            details.append(shown | sent | {"abandoned": False})
        if owned and not (debit and owned.is_change):
            kind = "receive"
            if tx.is_coinbase and block:
                depth = request.node.height - block.height + 1
                kind = "generate" if depth > 100 else "immature"
            details.append(shown | {"category": kind})
    return details


def _place(request: Request, tx: Tx, txid: bytes, block: ChainBlock | None) -> Json:
    entry = request.node.mempool.entries.get(txid)
    time = block.time if block else entry.time if entry else 0
    shown: Json = {"confirmations": 0, "trusted": True}
    if block:
        depth = request.node.height - block.height + 1
        shown = {"confirmations": depth, "blockhash": block.hash.hex()}
        shown |= {"blockheight": block.height, "blocktime": block.time}
        shown["blockindex"] = block.txids.index(txid)
    shown |= {"txid": txid.hex(), "wtxid": tx.hash.hex(), "walletconflicts": []}
    return shown | {"time": time, "timereceived": time, "bip125-replaceable": "no"}


@method
def listtransactions(
    request: Request,
    label: str = "*",
    count: int = 10,
    skip: int = 0,
    include_watchonly: bool = True,
) -> list[Json]:
    if count < 0 or skip < 0:
        raise RpcError(BAD_PARAMETER, "Negative count" if count < 0 else "Negative from")
    found: list[Json] = []
    for tx, txid, block in _history(request):
        if len(found) >= min(count, MAX_LISTED) + skip:
            break
        place = _place(request, tx, txid, block)
        found += [one | place for one in reversed(_details(request, tx, block))]
    return found[skip : skip + count][::-1]


@method
def gettransaction(
    request: Request, txid: Hash, include_watchonly: bool = True, verbose: bool = False
) -> Json:
    node, wallet = request.node, _wallet(request)
    tx = node.find(txid)
    if tx is None or not _is_own(request, wallet, tx):
        raise RpcError(BAD_ADDRESS, "Invalid or non-wallet transaction id")
    place = node.chain.transactions.get(txid)
    block = place[0] if place else None
    debit = _debit(request, wallet, tx)
    outs = [(out.value, out.script_pub_key.script in wallet.scripts) for out in tx.vout]
    fee = debit - sum(value for value, _ in outs) if debit else 0
    amount = sum(value for value, is_own in outs if is_own) - debit + fee
    shown: Json = {"amount": bitcoins(amount), **({"fee": bitcoins(-fee)} if debit else {})}
    shown |= _place(request, tx, txid, block)
    shown |= {"details": _details(request, tx, block), "hex": raw_hex(tx)}
    return shown | ({"decoded": transaction_object(tx, with_hex=False)} if verbose else {})


# Sending


def _rate(options: Mapping[str, Any]) -> int:
    if (rate := options.get("feeRate")) is not None:  # bitcoins for 1,000 virtual bytes
        return satoshis(rate)
    if (rate := options.get("fee_rate")) is not None:  # satoshis for a virtual byte
        return satoshis(rate) * 1_000 // SATOSHIS
    return FEE_RATE


def _funding(options: Mapping[str, Any], outputs: int) -> Funding:
    address = options.get("changeAddress", options.get("change_address", ""))
    position = options.get("changePosition", options.get("change_position"))
    if position is not None and not (type(position) is int and -1 <= position <= outputs):
        raise RpcError(BAD_PARAMETER, "changePosition out of bounds")
    names = ("subtractFeeFromOutputs", "subtract_fee_from_outputs")
    subtracted: Any = next((options[name] for name in names if name in options), [])
    is_list = isinstance(subtracted, list)
    if not is_list or not all(type(one) is int and 0 <= one < outputs for one in subtracted):
        raise RpcError(BAD_PARAMETER, "Invalid parameter, subtract fee from outputs out of bounds")
    change = script_of(str(address)) if address else b""
    return Funding(_rate(options), change, None if position == -1 else position, subtracted)


def _send(request: Request, outputs: list[TxOut], options: Json) -> str:
    if not outputs or any(out.value <= 0 for out in outputs):
        raise RpcError(-3, "Invalid amount for send")
    funding = _funding(options, len(outputs))
    pairs = [(out.script_pub_key.script, out.value) for out in outputs]
    tx = _wallet_with_keys(request).pay(pairs, options=funding)
    return request.node.add_transaction(tx).hex()


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
    options: Json = {"fee_rate": fee_rate, "subtractFeeFromOutputs": [0][:subtractfeefromamount]}
    txid = _send(request, [TxOut(amount, script_of(address))], options)
    return {"txid": txid, "fee_reason": "Fallback fee"} if verbose else txid


@method
def sendmany(
    request: Request,
    dummy: str,
    amounts: dict[str, Any],
    minconf: int = 1,
    comment: str = "",
    subtractfeefrom: list[Any] | None = None,
    replaceable: bool | None = None,
    conf_target: int | None = None,
    estimate_mode: str = "",
    fee_rate: Any = None,
) -> str:
    names = list(amounts)
    if any(name not in names for name in subtractfeefrom or []):
        raise RpcError(BAD_PARAMETER, "Invalid parameter, subtractfeefrom has an unknown address")
    positions = [names.index(name) for name in subtractfeefrom or []]
    options: Json = {"fee_rate": fee_rate, "subtractFeeFromOutputs": positions}
    return _send(request, outputs_of(amounts), options)


def _fund(request: Request, tx: Tx, options: Mapping[str, Any]) -> tuple[Tx, int, int]:
    wallet = _wallet(request)
    coins = wallet.spendable()
    if not wallet.settings.has_keys or options.get("includeWatching"):
        coins = [coin for coin in wallet.unspent(confirmed_only=True) if coin.is_mature]
    return wallet.fund(tx, coins, _funding(options, len(tx.vout)))


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
    return {"hex": raw_hex(tx), "fee": bitcoins(fee), "changepos": position}


def _sign(
    request: Request, raw: bytes, prevtxs: list[Any], sighashtype: str, keys: list[bytes] | None
) -> Json:
    tx, known = parse_transaction(raw), _known_outputs(prevtxs)
    output, kind = request.node.mempool.output, HASH_TYPES.get(sighashtype)
    outputs = [output(one.prev_out) or known.get(one.prev_out) for one in tx.vin]
    if kind is None:
        raise RpcError(BAD_PARAMETER, f"'{sighashtype:.40}' is not a valid sighash parameter.")
    scripts = _scripts_of(prevtxs)
    if keys is None:
        problems = _wallet_with_keys(request).sign(tx, outputs, scripts, kind)
    else:
        problems = Signer(keys, scripts).sign(tx, outputs, kind)
    shown: Json = {"hex": raw_hex(tx), "complete": not problems}
    errors = [input_object(tx.vin[index]) | {"error": text} for index, text in problems.items()]
    return shown | ({"errors": errors} if errors else {})


def _known_outputs(prevtxs: list[Any]) -> dict[OutPoint, TxOut]:
    known = {}
    for one in prevtxs:
        if not isinstance(one, dict) or type(one.get("vout")) is not int or one["vout"] < 0:
            raise RpcError(BAD_PARAMETER, "expected object with {txid, vout, scriptPubKey}")
        at = OutPoint(hash_of(one.get("txid"), "txid"), one["vout"] % 2**32, check_validity=False)
        script = hex_of(one.get("scriptPubKey"), "scriptPubKey")
        known[at] = TxOut(satoshis(one.get("amount", 0)), script)
    return known


def _scripts_of(prevtxs: list[Any]) -> list[bytes]:
    names = ("redeemScript", "witnessScript")
    found = [one[name] for one in prevtxs for name in names if one.get(name)]
    scripts = [hex_of(text, "redeemScript") for text in found]
    return scripts + [b"\0\x20" + sha256(script).digest() for script in scripts]


@method
def signrawtransactionwithkey(
    request: Request,
    hexstring: Hex,
    privkeys: list[Any],
    prevtxs: list[Any] | None = None,
    sighashtype: str = "ALL",
) -> Json:
    keys = [key_of_wif(str(text)) for text in privkeys]
    return _sign(request, hexstring, prevtxs or [], sighashtype, keys)


@method
def signrawtransactionwithwallet(
    request: Request, hexstring: Hex, prevtxs: list[Any] | None = None, sighashtype: str = "ALL"
) -> Json:
    return _sign(request, hexstring, prevtxs or [], sighashtype, None)


@method
def generate(request: Request, nblocks: int, maxtries: int = 0) -> list[str]:
    wallet = _wallet_with_keys(request)
    script = next(iter(wallet.scripts), None) or script_of(wallet.new_address())
    return [block_hash.hex() for block_hash in request.node.mine(nblocks, address_of(script))]


# PSBTs


def _psbt(text: str) -> Psbt:
    try:
        return Psbt.b64decode(text)
    except (BTClibException, ValueError) as error:
        raise RpcError(BAD_ENCODING, f"TX decode failed {str(error)[:200]}") from None


def _fill(request: Request, psbt: Psbt) -> None:
    # What is known of the outputs that it spends, and of their scripts.
    wallet = _wallet(request)
    for one in psbt.inputs:
        before = request.node.find(one.previous_tx_id)
        if before and (one.output_index or 0) < len(before.vout):
            one.non_witness_utxo = before
            out = before.vout[one.output_index or 0]
            owned = wallet.scripts.get(out.script_pub_key.script, UNKNOWN)
            one.witness_utxo = None if owned.kind == "legacy" else out
            one.redeem_script = one.redeem_script or owned.redeem


@method
def walletcreatefundedpsbt(
    request: Request,
    inputs: list[Any] | None,
    outputs: Any,
    locktime: int = 0,
    options: dict[str, Any] | None = None,
    bip32derivs: bool = True,
) -> Json:
    template = unsigned_transaction(inputs or [], outputs, locktime)
    tx, fee, position = _fund(request, template, options or {})
    psbt = Psbt.from_tx(tx)
    _fill(request, psbt)
    return {"psbt": psbt.b64encode(), "fee": bitcoins(fee), "changepos": position}


@method
def walletprocesspsbt(request: Request, psbt: str, sign: bool = True) -> Json:
    found = _psbt(psbt)
    _fill(request, found)
    if sign:
        tx, outputs = found.tx, [_spent_output(one) for one in found.inputs]
        scripts = [one.redeem_script for one in found.inputs if one.redeem_script]
        scripts += [one.witness_script for one in found.inputs if one.witness_script]
        problems = _wallet_with_keys(request).sign(tx, outputs, scripts)
        for index, spent in enumerate(tx.vin):
            if index not in problems:
                found.inputs[index].final_script_sig = spent.script_sig
                found.inputs[index].final_script_witness = spent.script_witness
    text = found.b64encode()
    return {"psbt": text, "complete": finalizepsbt(request, text)["complete"]}


def _spent_output(one: PsbtIn) -> TxOut | None:
    if one.non_witness_utxo is not None:
        return one.non_witness_utxo.vout[one.output_index or 0]
    return one.witness_utxo


@method
def finalizepsbt(request: Request, psbt: str, extract: bool = True) -> Json:
    found = _psbt(psbt)
    try:
        done = finalize(found)
        tx = extract_tx(done, max_fee_rate=None)
    except (BTClibException, ValueError):
        return {"psbt": psbt, "complete": False}
    return (
        {"hex": raw_hex(tx), "complete": True}
        if extract
        else {"psbt": done.b64encode(), "complete": True}
    )
