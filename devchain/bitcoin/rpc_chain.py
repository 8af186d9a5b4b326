"""bitcoind's methods that read and change the chain, the mempool and transactions without keys."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from btclib.exceptions import BTClibException
from btclib.script.script import script_to_asm
from btclib.script.script_pub_key import ScriptPubKey
from btclib.script.solver import solver
from btclib.tx import OutPoint, Tx, TxIn, TxOut
from btclib_wallet import descriptors

from devchain.bitcoin.bitcoin_node import parse_transaction
from devchain.bitcoin.chain import BITS, BLOCK_WORK, NETWORK, ChainBlock
from devchain.bitcoin.json_rpc import (
    Hash,
    Hex,
    Level,
    Request,
    bitcoins,
    hash_of,
    hex_of,
    method,
    satoshis,
)
from devchain.bitcoin.mempool import MIN_RELAY_FEE, Entry
from devchain.bitcoin.signing import address_of, script_of
from devchain.bitcoin.wallet import FEE_RATE, REPLACEABLE
from devchain.errors import InvalidInput, NotFound

Json = dict[str, Any]
DIFFICULTY = 0xFFFF * 2**208 / (0x7FFFFF * 2**232)
VERSION = 290_000
RAW, SHORT = Level(0), Level(1)
MULTISIG = {"legacy": "sh({})", "p2sh-segwit": "sh(wsh({}))", "bech32": "wsh({})"}
NO_TRANSACTION = (
    "No such mempool or blockchain transaction. Use gettransaction for wallet transactions."
)


# Objects


def script_object(out: TxOut) -> Json:
    script = out.script_pub_key.script
    shown = {"asm": script_to_asm(script), "hex": script.hex(), "type": solver(script)[0]}
    if address := address_of(script):
        return shown | {"address": address, "desc": descriptors.from_address(address)}
    return shown | {"desc": descriptors.add_checksum(f"raw({script.hex()})")}


def input_object(spent: TxIn) -> Json:
    shown: Json = {}
    if spent.is_coinbase:
        shown["coinbase"] = spent.script_sig.hex()
    else:
        asm = script_to_asm(spent.script_sig, attempt_sighash_decode=True)
        shown |= {"txid": spent.prev_out.tx_id.hex(), "vout": spent.prev_out.vout}
        shown["scriptSig"] = {"asm": asm, "hex": spent.script_sig.hex()}
    if stack := spent.script_witness.stack:
        shown["txinwitness"] = [item.hex() for item in stack]
    return shown | {"sequence": spent.sequence}


def transaction_object(tx: Tx) -> Json:
    return {
        "txid": tx.id.hex(),
        "hash": tx.hash.hex(),
        "version": tx.version,
        "size": tx.size,
        "vsize": tx.vsize,
        "weight": tx.weight,
        "locktime": tx.lock_time,
        "vin": [input_object(spent) for spent in tx.vin],
        "vout": [
            {"value": bitcoins(out.value), "n": index, "scriptPubKey": script_object(out)}
            for index, out in enumerate(tx.vout)
        ],
    }


def raw_hex(tx: Tx) -> str:
    return tx.serialize(include_witness=True, check_validity=False).hex()


def _header_object(request: Request, block: ChainBlock) -> Json:
    chain, header = request.node.chain, block.block.header
    shown: Json = {
        "hash": block.hash.hex(),
        "confirmations": chain.height - block.height + 1,
        "height": block.height,
        "version": header.version,
        "versionHex": f"{header.version % 2**32:08x}",
        "merkleroot": header.merkle_root.hex(),
        "time": block.time,
        "mediantime": chain.median_time(block.height),
        "nonce": header.nonce,
        "bits": BITS.hex(),
        "target": "7fffff" + "0" * 58,
        "difficulty": DIFFICULTY,
        "chainwork": f"{BLOCK_WORK * (block.height + 1):064x}",
        "nTx": len(block.txids),
    }
    if block.height:
        shown["previousblockhash"] = block.parent.hex()
    if block.height < chain.height:
        shown["nextblockhash"] = chain.active[block.height + 1].hash.hex()
    return shown


def _block(request: Request, block_hash: bytes) -> ChainBlock:
    block = request.node.chain.blocks.get(block_hash)
    if block is None:
        raise NotFound("Block not found")
    return block


# Chain


@method
def getblockchaininfo(request: Request) -> Json:
    chain = request.node.chain
    tip = _header_object(request, chain.tip)
    names = ("bits", "target", "difficulty", "time", "mediantime", "chainwork")
    return {
        "chain": NETWORK,
        "blocks": chain.height,
        "headers": chain.height,
        "bestblockhash": tip["hash"],
        **{name: tip[name] for name in names},
        "verificationprogress": 1,
        "initialblockdownload": False,
        "size_on_disk": sum(block.block.size for block in chain.active[-100:]),
        "pruned": False,
        "warnings": [],
    }


@method
def getnetworkinfo(request: Request) -> Json:
    fee = bitcoins(MIN_RELAY_FEE)
    shown = {"version": VERSION, "subversion": "/Satoshi:29.0.0/", "protocolversion": 70016}
    shown |= {"networkactive": True, "connections": 0, "relayfee": fee, "incrementalfee": fee}
    return shown | {"warnings": []}


@method
def ping(request: Request) -> None:
    """There are no peers."""


@method
def getblockcount(request: Request) -> int:
    return request.node.height


@method
def getbestblockhash(request: Request) -> str:
    return request.node.chain.tip.hash.hex()


@method
def getblockhash(request: Request, height: int) -> str:
    if not 0 <= height <= request.node.height:
        raise InvalidInput("Block height out of range")
    return request.node.block(height).hash.hex()


@method
def getblockheader(request: Request, blockhash: Hash, verbose: bool = True) -> str | Json:
    block = _block(request, blockhash)
    return _header_object(request, block) if verbose else block.header.hex()


@method
def getblock(request: Request, blockhash: Hash, verbosity: Level = SHORT) -> str | Json:
    block = _block(request, blockhash)
    whole = block.block
    if verbosity <= 0:
        return whole.serialize(check_validity=False).hex()
    shown = _header_object(request, block)
    shown |= {"strippedsize": whole.stripped_size, "size": whole.size, "weight": whole.weight}
    if verbosity == 1:
        return shown | {"tx": [txid.hex() for txid in block.txids]}
    return shown | {
        "tx": [transaction_object(tx) | {"hex": raw_hex(tx)} for tx in whole.transactions]
    }


@method
def generatetoaddress(request: Request, nblocks: int, address: str, maxtries: int = 0) -> list[str]:
    return [block_hash.hex() for block_hash in request.node.mine(nblocks, address)]


@method
def invalidateblock(request: Request, blockhash: Hash) -> None:
    request.node.invalidate(_block(request, blockhash).hash)


# Transactions


@method
def getrawtransaction(
    request: Request, txid: Hash, verbosity: Level = RAW, blockhash: Hash | None = None
) -> str | Json:
    node = request.node
    tx, place = node.find(txid), node.chain.transactions.get(txid)
    if blockhash is not None and (place is None or _block(request, blockhash) is not place[0]):
        raise NotFound("No such transaction found in the provided block.")
    if tx is None:
        raise NotFound(NO_TRANSACTION)
    if verbosity <= 0:
        return raw_hex(tx)
    shown = transaction_object(tx) | {"hex": raw_hex(tx)}
    if place is not None:
        block = place[0]
        shown |= {"blockhash": block.hash.hex(), "time": block.time, "blocktime": block.time}
        shown["confirmations"] = node.height - block.height + 1
    return shown


@method
def decoderawtransaction(request: Request, hexstring: Hex, iswitness: bool = True) -> Json:
    return transaction_object(parse_transaction(hexstring))


@method
def createrawtransaction(
    request: Request,
    inputs: list[Any],
    outputs: Any,
    locktime: int = 0,
    replaceable: bool = True,
) -> str:
    sequence = REPLACEABLE if replaceable else 0xFFFFFFFE if locktime else 0xFFFFFFFF
    return raw_hex(unsigned_transaction(inputs, outputs, locktime, sequence))


def unsigned_transaction(
    inputs: Iterable[Any], outputs: Any, locktime: int, sequence: int = REPLACEABLE
) -> Tx:
    """A transaction of the parameters of createrawtransaction; raises `InvalidInput`."""
    if locktime < 0:
        raise InvalidInput("Invalid parameter, locktime out of range")
    spent = []
    for one in inputs:
        chosen = one.get("sequence", sequence) if isinstance(one, dict) else sequence
        if type(chosen) is not int or not 0 <= chosen < 2**32:
            raise InvalidInput("Invalid parameter, sequence out of range")
        spent.append(TxIn(outpoint_of(one), b"", chosen, check_validity=False))
    return Tx(2, locktime, spent, _outputs_of(outputs), check_validity=False)


def outpoint_of(value: Any) -> OutPoint:
    """The output that an object with `txid` and `vout` names; raises `InvalidInput`."""
    at = value.get("vout") if isinstance(value, dict) else None
    if type(at) is not int or not 0 <= at < 2**32:
        raise InvalidInput("Invalid parameter, missing vout key or vout out of range")
    return OutPoint(hash_of(value.get("txid"), "txid"), at, check_validity=False)


def _outputs_of(outputs: Any) -> list[TxOut]:
    # Of an object or a list of them: addresses with amounts, or `data`.
    members = [outputs] if isinstance(outputs, dict) else outputs
    if not isinstance(members, list) or not all(isinstance(one, dict) for one in members):
        raise InvalidInput("Invalid parameter, outputs must be an object or array")
    return [
        TxOut(0, ScriptPubKey.nulldata(hex_of(value, "Data")).script)
        if address == "data"
        else TxOut(satoshis(value), script_of(address))
        for one in members
        for address, value in one.items()
    ]


@method
def sendrawtransaction(
    request: Request, hexstring: Hex, maxfeerate: Any = None, maxburnamount: Any = None
) -> str:
    tx = parse_transaction(hexstring)
    known = request.node.mempool.entries.get(tx.id)
    if known is None or known.tx.hash != tx.hash:  # else it is sent once more
        request.node.add_transaction(tx)
    return tx.id.hex()


@method
def getrawmempool(request: Request, verbose: bool = False) -> Any:
    entries = request.node.mempool.entries
    if not verbose:
        return [txid.hex() for txid in entries]
    return {txid.hex(): _entry_object(request, entry) for txid, entry in entries.items()}


def _entry_object(request: Request, entry: Entry) -> Json:
    parents = {spent.prev_out.tx_id for spent in entry.tx.vin} & request.node.mempool.entries.keys()
    fees = {"base": bitcoins(entry.fee), "modified": bitcoins(entry.fee)}
    shown: Json = {"vsize": entry.vsize, "weight": entry.tx.weight, "time": entry.time}
    shown |= {"height": entry.height, "wtxid": entry.tx.hash.hex(), "fees": fees}
    return shown | {"depends": [txid.hex() for txid in parents]}


@method
def scantxoutset(request: Request, action: str, scanobjects: list[Any] | None = None) -> Any:
    if action != "start":
        return None if action == "status" else False
    chain, found = request.node.chain, list[Json]()
    for script in dict.fromkeys(map(_descriptor_script, scanobjects or [])):
        request.check_time()
        found += [
            {
                "txid": at.tx_id.hex(),
                "vout": at.vout,
                "scriptPubKey": script.hex(),
                "amount": bitcoins(coin.tx_out.value),
                "coinbase": coin.is_coinbase,
                "height": coin.height,
            }
            for at, coin in chain.coins_of.get(script, {}).items()
        ]
    shown: Json = {"success": True, "txouts": len(chain.coins), "height": chain.height}
    shown |= {"bestblock": chain.tip.hash.hex(), "unspents": found}
    return shown | {"total_amount": sum(one["amount"] for one in found)}


# Utilities


def _descriptor_script(descriptor: Any) -> bytes:
    # The output script of a descriptor that has one.
    text = descriptor.get("desc") if isinstance(descriptor, dict) else descriptor
    try:
        (script,) = descriptors.parse(str(text), NETWORK, {}).script_pub_keys(0)
    except (BTClibException, ValueError) as error:
        raise NotFound(str(error)[:300]) from None
    return script.script


@method
def createmultisig(
    request: Request, nrequired: int, keys: list[Any], address_type: str = "legacy"
) -> Json:
    if address_type not in MULTISIG:
        raise NotFound(f"Unknown address type '{address_type:.40}'")
    members = [str(nrequired), *(hex_of(key, "Pubkey").hex() for key in keys)]
    multi = f"multi({','.join(members)})"
    text = MULTISIG[address_type].format(multi)
    shown = {"address": address_of(_descriptor_script(text))}
    shown["redeemScript"] = _descriptor_script(multi).hex()
    return shown | {"descriptor": descriptors.add_checksum(text)}


@method
def estimatesmartfee(request: Request, conf_target: int, estimate_mode: str = "economical") -> Json:
    if not 1 <= conf_target <= 1_008:
        raise InvalidInput("Invalid conf_target, must be between 1 and 1008")
    return {"feerate": bitcoins(FEE_RATE), "blocks": max(2, conf_target)}
