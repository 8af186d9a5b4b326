"""Methods of the Bitcoin beside the chain, on regtest; `--bitcoin` serves bitcoind's own.

Ids of Bitcoin's blocks and transactions are 64 hex digits without 0x, as Bitcoin shows them.
Amounts are in satoshis. The node's wallet has the keys of BIP44, BIP49 and BIP84 for its mnemonic.
"""

from __future__ import annotations

import re

from devchain.errors import InvalidInput
from devchain.node import Node
from devchain.rpc.method import rpc
from devchain.rpc.result_objects import JsonObject
from devchain.rpc.scalar_decoders import Amount

ONE = Amount(1)


@rpc("devchain_btcMine", slow=True)
def mine(node: Node, blocks: Amount = ONE, address: str | None = None) -> list[str]:
    """Mine blocks of Bitcoin with what waits in its mempool, and return their hashes.

    The rewards go to an address, by default to the node's wallet. At most 10,000 blocks.
    """
    return [block_hash.hex() for block_hash in node.bitcoin.mine(blocks, address)]


@rpc("devchain_btcSend", slow=True)
def send(node: Node, address: str, satoshis: Amount) -> str:
    """Pay an address of Bitcoin from the node's wallet; the id of the transaction.

    It waits for `devchain_btcMine`.
    """
    return node.bitcoin.send(address, satoshis).hex()


@rpc("devchain_btcBalance")
def balance(node: Node, address: str | None = None) -> int:
    """What the node's wallet can spend, or the confirmed balance of an address, in satoshis."""
    return node.bitcoin.balance(address)


@rpc("devchain_btcNewAddress")
def new_address(node: Node, kind: str = "legacy") -> str:
    """A new address of the node's wallet: `legacy`, `p2sh-segwit` or `bech32`."""
    return node.bitcoin.new_address(kind)


@rpc("devchain_btcTransaction")
def transaction(node: Node, txid: str) -> JsonObject:
    """A transaction of Bitcoin: confirmations, block, outputs, and the proof for the Bridge.

    `raw` has its witnesses. With a block, `proof` has what `registerBtcTransaction` takes:
    `transaction` without witnesses, `height` and `tree`, the partial Merkle tree.
    """
    from devchain.bitcoin.signing import address_of

    bitcoin = node.bitcoin
    digits = txid.removeprefix("0x")
    if not re.fullmatch("[0-9a-fA-F]{64}", digits):
        raise InvalidInput(f"{txid!r:.80} is not the id of a transaction: 64 hex digits")
    known = bytes.fromhex(digits)
    raw, tx = bitcoin.transaction(known), bitcoin.find(known)
    confirmations = bitcoin.confirmations(known)
    shown: JsonObject = {"txid": known.hex(), "confirmations": confirmations, "raw": raw}
    shown["outputs"] = [
        {"address": address_of(out.script_pub_key.script) or None, "satoshis": out.value}
        for out in (tx.vout if tx else [])
    ]
    shown["proof"] = None
    if confirmations:
        proof = bitcoin.proof(known)
        shown["proof"] = {
            "blockHash": proof.block_hash.hex(),
            "height": proof.height,
            "header": proof.header,
            "transaction": proof.transaction,
            "tree": proof.tree,
        }
    return shown
