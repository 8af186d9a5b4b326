"""bitcoind's methods that read and change the chain, the mempool and transactions without keys."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from btclib.block.block import Block
from btclib.block.partial_merkle_tree import PartialMerkleTree
from btclib.exceptions import BTClibException
from btclib.hashes import hash256
from btclib.script.script import script_to_asm
from btclib.script.script_pub_key import ScriptPubKey
from btclib.script.solver import solver
from btclib.tx import OutPoint, Tx, TxIn, TxOut
from btclib_wallet import descriptors
from btclib_wallet.descriptors import from_address

from devchain.bitcoin.bitcoin_node import parse_transaction
from devchain.bitcoin.chain import BITS, NETWORK, ChainBlock
from devchain.bitcoin.json_rpc import (
    BAD_ADDRESS,
    BAD_ENCODING,
    BAD_PARAMETER,
    Hash,
    Hex,
    Level,
    Request,
    RpcError,
    bitcoins,
    hash_of,
    hex_of,
    method,
    satoshis,
)
from devchain.bitcoin.mempool import MIN_RELAY_FEE, Entry
from devchain.bitcoin.signing import address_of, script_of
from devchain.bitcoin.wallet import FEE_RATE
from devchain.errors import BitcoinRejected, InvalidInput

Json = dict[str, Any]
DIFFICULTY = 0xFFFF * 2**208 / (0x7FFFFF * 2**232)
VERSION = 290_000
MAX_RANGE = 1_000
RAW, SHORT = Level(0), Level(1)
NO_TRANSACTION = (
    "No such mempool or blockchain transaction. Use gettransaction for wallet transactions."
)


# Objects


def script_object(out: TxOut) -> Json:
    script = out.script_pub_key.script
    shown = {"asm": script_to_asm(script), "hex": script.hex(), "type": solver(script)[0]}
    if address := address_of(script):
        shown |= {"address": address, "desc": from_address(address)}
    else:
        shown["desc"] = descriptors.add_checksum(f"raw({script.hex()})")
    return shown


def input_object(spent: TxIn) -> Json:
    shown: Json = {}
    if spent.is_coinbase:
        shown["coinbase"] = spent.script_sig.hex()
    else:
        asm = script_to_asm(spent.script_sig, attempt_sighash_decode=True)
        script = {"asm": asm, "hex": spent.script_sig.hex()}
        shown |= {"txid": spent.prev_out.tx_id.hex(), "vout": spent.prev_out.vout}
        shown["scriptSig"] = script
    if stack := spent.script_witness.stack:
        shown["txinwitness"] = [item.hex() for item in stack]
    return shown | {"sequence": spent.sequence}


def transaction_object(tx: Tx, *, with_hex: bool = True) -> Json:
    shown: Json = {"txid": tx.id.hex(), "hash": tx.hash.hex(), "version": tx.version}
    shown |= {"size": tx.size, "vsize": tx.vsize, "weight": tx.weight, "locktime": tx.lock_time}
    shown["vin"] = [input_object(spent) for spent in tx.vin]
    shown["vout"] = [
        {"value": bitcoins(out.value), "n": index, "scriptPubKey": script_object(out)}
        for index, out in enumerate(tx.vout)
    ]
    return shown | ({"hex": raw_hex(tx)} if with_hex else {})


def raw_hex(tx: Tx) -> str:
    return tx.serialize(include_witness=True, check_validity=False).hex()


def _confirmations(request: Request, block: ChainBlock) -> int:
    chain = request.node.chain
    return chain.height - block.height + 1 if chain.is_active(block) else -1


def _header_object(request: Request, block: ChainBlock) -> Json:
    chain, header = request.node.chain, block.block.header
    shown: Json = {"hash": block.hash.hex(), "confirmations": _confirmations(request, block)}
    shown |= {"height": block.height, "version": header.version}
    shown |= {"versionHex": f"{header.version % 2**32:08x}", "merkleroot": header.merkle_root.hex()}
    shown |= {"time": block.time, "mediantime": chain.median_time(block), "nonce": header.nonce}
    shown |= {"bits": BITS.hex(), "target": "7fffff" + "0" * 58, "difficulty": DIFFICULTY}
    shown |= {"chainwork": f"{block.work:064x}", "nTx": len(block.txids)}
    if block.height:
        shown["previousblockhash"] = block.parent.hex()
    if chain.is_active(block) and block.height < chain.height:
        shown["nextblockhash"] = chain.active[block.height + 1].hash.hex()
    return shown


def _block(request: Request, block_hash: bytes) -> ChainBlock:
    block = request.node.chain.blocks.get(block_hash)
    if block is None:
        raise RpcError(BAD_ADDRESS, "Block not found")
    return block


def outputs_of(outputs: Any) -> list[TxOut]:
    """The outputs of an object or a list of them: addresses with amounts, or `data`."""
    members = [outputs] if isinstance(outputs, dict) else outputs
    if not isinstance(members, list) or not all(isinstance(one, dict) for one in members):
        raise RpcError(BAD_PARAMETER, "Invalid parameter, outputs must be an object or array")
    return [
        TxOut(0, ScriptPubKey.nulldata(hex_of(value, "Data")).script)
        if address == "data"
        else TxOut(satoshis(value), script_of(address))
        for one in members
        for address, value in one.items()
    ]


# Chain


@method
def getblockchaininfo(request: Request) -> Json:
    chain = request.node.chain
    shown = {"chain": NETWORK, "blocks": chain.height, "headers": chain.height}
    tip = _header_object(request, chain.tip)
    names = ("bits", "target", "difficulty", "time", "mediantime", "chainwork")
    shown |= {"bestblockhash": tip["hash"], **{name: tip[name] for name in names}}
    size = sum(block.block.size for block in chain.active[-100:])
    shown |= {"verificationprogress": 1, "initialblockdownload": False, "size_on_disk": size}
    return shown | {"pruned": False, "warnings": []}


@method
def getnetworkinfo(request: Request) -> Json:
    shown = {"version": VERSION, "subversion": "/Satoshi:29.0.0/", "protocolversion": 70016}
    shown |= {"localservices": "0000000000000000", "localservicesnames": [], "localrelay": True}
    shown |= {"timeoffset": 0, "networkactive": True, "connections": 0, "connections_in": 0}
    fee = bitcoins(MIN_RELAY_FEE)
    shown |= {"connections_out": 0, "networks": [], "relayfee": fee, "incrementalfee": fee}
    return shown | {"localaddresses": [], "warnings": []}


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
        raise RpcError(BAD_PARAMETER, "Block height out of range")
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
    return shown | {"tx": [transaction_object(tx) for tx in whole.transactions]}


@method
def generatetoaddress(request: Request, nblocks: int, address: str, maxtries: int = 0) -> list[str]:
    return [block_hash.hex() for block_hash in request.node.mine(nblocks, address)]


@method
def generateblock(request: Request, output: str, transactions: list[Any]) -> Json:
    pool, entries = request.node.mempool, list[Entry]()
    for text in transactions:
        content = hex_of(text, "transaction")
        entries.append(pool.entries.get(content) or pool.check(parse_transaction(content)))
    return {"hash": request.node.generate(script_of(output), entries).hash.hex()}


@method
def invalidateblock(request: Request, blockhash: Hash) -> None:
    request.node.invalidate(_block(request, blockhash).hash)


@method
def reconsiderblock(request: Request, blockhash: Hash) -> None:
    request.node.reconsider(_block(request, blockhash).hash)


@method
def submitblock(request: Request, hexdata: Hex, dummy: Any = None) -> str | None:
    try:
        block = Block.parse(hexdata, check_validity=False)
        request.node.add_block(block)
    except BitcoinRejected as error:
        return error.reason
    except (BTClibException, ValueError):
        raise RpcError(BAD_ENCODING, "Block decode failed") from None
    return None if request.node.chain.tip.hash == block.header.hash else "inconclusive"


# Transactions


@method
def getrawtransaction(
    request: Request, txid: Hash, verbosity: Level = RAW, blockhash: Hash | None = None
) -> str | Json:
    node = request.node
    tx, place = node.find(txid), node.chain.transactions.get(txid)
    if blockhash is not None:
        block = _block(request, blockhash)
        if txid not in block.txids:
            raise RpcError(BAD_ADDRESS, "No such transaction found in the provided block.")
        place = block, block.txids.index(txid)
        tx = block.block.transactions[place[1]]
    if tx is None:
        raise RpcError(BAD_ADDRESS, NO_TRANSACTION)
    if verbosity <= 0:
        return raw_hex(tx)
    shown = transaction_object(tx)
    if place is not None:
        block = place[0]
        shown |= {"blockhash": block.hash.hex(), "time": block.time, "blocktime": block.time}
        shown["confirmations"] = max(0, _confirmations(request, block))
    return shown


@method
def decoderawtransaction(request: Request, hexstring: Hex, iswitness: bool = True) -> Json:
    return transaction_object(parse_transaction(hexstring), with_hex=False)


@method
def createrawtransaction(
    request: Request,
    inputs: list[Any],
    outputs: Any,
    locktime: int = 0,
    replaceable: bool = True,
) -> str:
    return raw_hex(unsigned_transaction(inputs, outputs, locktime, is_replaceable=replaceable))


def unsigned_transaction(
    inputs: Iterable[Any], outputs: Any, locktime: int = 0, *, is_replaceable: bool = True
) -> Tx:
    """A transaction of the parameters of createrawtransaction; raises `RpcError`."""
    sequence = 0xFFFFFFFD if is_replaceable else 0xFFFFFFFE if locktime else 0xFFFFFFFF
    if locktime < 0:
        raise RpcError(BAD_PARAMETER, "Invalid parameter, locktime out of range")
    spent = []
    for one in inputs:
        if not isinstance(one, dict) or not isinstance(one.get("vout"), int):
            raise RpcError(BAD_PARAMETER, "Invalid parameter, missing vout key")
        at, chosen = one["vout"], one.get("sequence", sequence)
        if not isinstance(chosen, int) or not (0 <= at < 2**32 and 0 <= chosen < 2**32):
            raise RpcError(BAD_PARAMETER, "Invalid parameter, vout or sequence out of range")
        outpoint = OutPoint(hash_of(one.get("txid"), "txid"), at, check_validity=False)
        spent.append(TxIn(outpoint, b"", chosen, check_validity=False))
    return Tx(2, locktime, spent, outputs_of(outputs), check_validity=False)


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
def testmempoolaccept(request: Request, rawtxs: list[Any], maxfeerate: Any = None) -> list[Json]:  # noqa: PT028  # no test
    if not 0 < len(rawtxs) <= 25:
        raise RpcError(BAD_PARAMETER, "Array must contain between 1 and 25 transactions.")
    results = []
    for raw in rawtxs:
        tx = parse_transaction(hex_of(raw, "hexstring"))
        shown: Json = {"txid": tx.id.hex(), "wtxid": tx.hash.hex()}
        try:
            entry = request.node.mempool.check(tx)
        except BitcoinRejected as error:
            shown |= {"allowed": False, "reject-reason": error.reason, "reject-details": str(error)}
        else:
            shown |= {"allowed": True, "vsize": entry.vsize}
            shown["fees"] = {"base": bitcoins(entry.fee)}
        results.append(shown)
    return results


def _entry_object(request: Request, entry: Entry) -> Json:
    pool = request.node.mempool
    children = [one.txid.hex() for one in pool.entries.values() if entry.txid in one.parents]
    shown: Json = {"vsize": entry.vsize, "weight": entry.tx.weight, "time": entry.time}
    shown |= {"height": entry.height, "wtxid": entry.tx.hash.hex(), "spentby": children}
    shown |= {"fees": {"base": bitcoins(entry.fee), "modified": bitcoins(entry.fee)}}
    return shown | {"depends": [txid.hex() for txid in entry.parents], "unbroadcast": False}


@method
def getrawmempool(request: Request, verbose: bool = False) -> Any:
    entries = request.node.mempool.entries.values()
    if verbose:
        return {entry.txid.hex(): _entry_object(request, entry) for entry in entries}
    return [entry.txid.hex() for entry in entries]


@method
def getmempoolentry(request: Request, txid: Hash) -> Json:
    entry = request.node.mempool.entries.get(txid)
    if entry is None:
        raise RpcError(BAD_ADDRESS, "Transaction not in mempool")
    return _entry_object(request, entry)


@method
def gettxout(request: Request, txid: Hash, n: int, include_mempool: bool = True) -> Json | None:
    node, at = request.node, OutPoint(txid, n % 2**32, check_validity=False)
    coin = node.chain.coins.get(at)
    if include_mempool:
        coin = None if at in node.mempool.spenders else coin or node.mempool.coin(at)
    if coin is None:
        return None
    shown: Json = {"bestblock": node.chain.tip.hash.hex()}
    shown |= {"confirmations": max(0, node.height - coin.height + 1)}
    script = script_object(coin.tx_out)
    shown |= {"value": bitcoins(coin.tx_out.value), "scriptPubKey": script}
    return shown | {"coinbase": coin.is_coinbase}


@method
def gettxoutproof(request: Request, txids: list[Any], blockhash: Hash | None = None) -> str:
    wanted = {hash_of(text, "txid") for text in txids}
    if not wanted:
        raise RpcError(BAD_PARAMETER, "Parameter 'txids' cannot be empty")
    place = request.node.chain.transactions.get(next(iter(wanted)))
    if blockhash is None and place is None:
        raise RpcError(BAD_ADDRESS, "Transaction not yet in block")
    block = _block(request, blockhash) if blockhash else place[0] if place else None
    if block is None or not wanted <= set(block.txids):
        raise RpcError(BAD_ADDRESS, "Not all transactions found in specified or retrieved block")
    tree = PartialMerkleTree.from_txids(block.txids, [txid in wanted for txid in block.txids])
    return (block.header + tree.serialize()).hex()


@method
def verifytxoutproof(request: Request, proof: Hex) -> list[str]:
    try:
        tree = PartialMerkleTree.parse(proof[80:])
        root, found = tree.merkle_root, tree.matches
    except (BTClibException, ValueError):
        return []
    chain = request.node.chain
    block = chain.blocks.get(hash256(proof[:80])[::-1])
    if block is None or not chain.is_active(block):
        raise RpcError(BAD_ADDRESS, "Block not found in chain")
    matches = block.block.header.merkle_root == root
    return [txid.hex() for _, txid in found] if matches else []


@method
def scantxoutset(request: Request, action: str, scanobjects: list[Any] | None = None) -> Any:
    if action != "start":
        return None if action == "status" else False
    node = request.node
    scripts = dict.fromkeys(
        script for one in scanobjects or [] for script in _scripts(request, one)
    )
    coins = [coin for script in scripts for coin in node.chain.coins_of.get(script, {}).items()]
    found = [
        {
            "txid": at.tx_id.hex(),
            "vout": at.vout,
            "scriptPubKey": coin.tx_out.script_pub_key.script.hex(),
            "amount": bitcoins(coin.tx_out.value),
            "coinbase": coin.is_coinbase,
            "height": coin.height,
        }
        for at, coin in coins
    ]
    total = sum(coin.tx_out.value for _, coin in coins)
    shown: Json = {"success": True, "txouts": len(node.chain.coins), "height": node.height}
    shown |= {"bestblock": node.chain.tip.hash.hex(), "unspents": found}
    return shown | {"total_amount": bitcoins(total)}


# Utilities


def parse_descriptor(text: Any) -> descriptors.Descriptor:
    """A descriptor with keys of regtest; raises `RpcError`."""
    if not isinstance(text, str):
        raise RpcError(BAD_ADDRESS, "a descriptor is a string")
    try:
        return descriptors.parse(text, NETWORK, {})
    except (BTClibException, ValueError) as error:
        raise RpcError(BAD_ADDRESS, str(error)[:300]) from None


def descriptor_scripts(request: Request, text: Any, begin: int = 0, end: int = 0) -> list[bytes]:
    """The output scripts of a descriptor, of a range if it is ranged."""
    found, scripts = parse_descriptor(text), list[bytes]()
    for at in range(begin, end + 1) if found.is_ranged else range(1):
        request.check_time()
        scripts += [script.script for script in found.script_pub_keys(at)]
    return scripts


def _scripts(request: Request, scanned: Any) -> list[bytes]:
    if isinstance(scanned, dict):
        begin, end = range_of(scanned.get("range", MAX_RANGE))
        return descriptor_scripts(request, scanned.get("desc"), begin, end)
    return descriptor_scripts(request, scanned, 0, MAX_RANGE)


def range_of(value: Any) -> tuple[int, int]:
    """The first and last index of `range`; raises `RpcError`."""
    ends = value if isinstance(value, list) else [0, value]
    is_range = len(ends) == 2 and all(type(one) is int for one in ends)
    if not is_range or not 0 <= ends[0] <= ends[1] < 2**31 or ends[1] - ends[0] > MAX_RANGE:
        raise RpcError(BAD_PARAMETER, f"Range is not valid: at most {MAX_RANGE:,} indices")
    return ends[0], ends[1]


@method
def getdescriptorinfo(request: Request, descriptor: str) -> Json:
    found = parse_descriptor(descriptor)
    body = descriptor.partition("#")[0]
    shown: Json = {"descriptor": str(found) if "prv" in body else descriptors.add_checksum(body)}
    shown |= {"checksum": descriptors.checksum(body), "isrange": found.is_ranged}
    return shown | {"issolvable": not body.startswith(("addr", "raw")), "hasprivatekeys": False}


@method
def deriveaddresses(request: Request, descriptor: str, range: Any = None) -> list[str]:  # noqa: A002  # bitcoind's name
    begin, end = range_of(range or 0)
    return [address_of(script) for script in descriptor_scripts(request, descriptor, begin, end)]


@method
def createmultisig(
    request: Request, nrequired: int, keys: list[Any], address_type: str = "legacy"
) -> Json:
    joined = ",".join([str(nrequired), *(hex_of(key, "Pubkey").hex() for key in keys)])
    wrapped = {"legacy": "sh({})", "p2sh-segwit": "sh(wsh({}))", "bech32": "wsh({})"}
    if address_type not in wrapped:
        raise RpcError(BAD_ADDRESS, f"Unknown address type '{address_type:.40}'")
    text = wrapped[address_type].format(f"multi({joined})")
    (script,) = descriptor_scripts(request, text)
    (redeem,) = descriptor_scripts(request, f"multi({joined})")
    shown = {"address": address_of(script), "redeemScript": redeem.hex()}
    return shown | {"descriptor": descriptors.add_checksum(text)}


@method
def validateaddress(request: Request, address: str) -> Json:
    try:
        script = script_of(address)
    except InvalidInput as error:
        return {"isvalid": False, "error_locations": [], "error": str(error)}
    return {"isvalid": True, **address_object(script)}


def address_object(script: bytes) -> Json:
    shown: Json = {"address": address_of(script), "scriptPubKey": script.hex()}
    is_witness = solver(script)[0].startswith("witness")
    shown |= {"isscript": solver(script)[0] == "scripthash", "iswitness": is_witness}
    if is_witness:
        version = script[0] and script[0] - 0x50
        shown |= {"witness_version": version, "witness_program": script[2:].hex()}
    return shown


@method
def estimatesmartfee(request: Request, conf_target: int, estimate_mode: str = "economical") -> Json:
    if not 1 <= conf_target <= 1_008:
        message = "Invalid conf_target, must be between 1 and 1008"
        raise RpcError(BAD_PARAMETER, message)
    return {"feerate": bitcoins(FEE_RATE), "blocks": max(2, conf_target)}
