"""Methods of the peg: bitcoins of the Bitcoin beside the chain become RBTC, and RBTC bitcoins.

Amounts are in satoshis. Ids of Bitcoin's transactions are 64 hex digits without 0x.
"""

from __future__ import annotations

from devchain.evm.rootstock.precompiles.bridge import peg_outs, releases
from devchain.evm.rootstock.precompiles.bridge.block_store import BlockStore
from devchain.evm.rootstock.precompiles.bridge.utxos import live_slots, load_utxos
from devchain.node import Node
from devchain.rpc.method import rpc
from devchain.rpc.result_objects import JsonObject
from devchain.rpc.scalar_decoders import Amount
from devchain.types import Address


@rpc("devchain_pegIn", slow=True)
def peg_in(node: Node, account: Address, satoshis: Amount) -> JsonObject:
    """Turn bitcoins of the node's wallet into RBTC of an account, and mine what that takes.

    `txid` is the transaction that locked the bitcoins, with the key of the account if the node has
    it. `transactionHash` is the Rootstock transaction that registered it; its events say whether
    the Bridge accepted it.
    """
    done = node.peg.peg_in(account, satoshis)
    return {"txid": done.txid.hex(), "transactionHash": done.transaction_hash}


@rpc("devchain_pegOut", slow=True)
def peg_out(node: Node, account: Address, satoshis: Amount) -> JsonObject:
    """Turn RBTC of an account into bitcoins of its key, and mine what that takes.

    `txid` is the federation's transaction, which paid `satoshis` after its fee. `transactionHash`
    is the request. Error -32602: the Bridge rejects it, or the federation has too few bitcoins.
    """
    done = node.peg.peg_out(account, satoshis)
    return {
        "txid": done.txid.hex(),
        "satoshis": done.satoshis,
        "transactionHash": done.transaction_hash,
    }


@rpc("devchain_pegStatus", slow=True)
def peg_status(node: Node) -> JsonObject:
    """The federations with their bitcoins, the Bridge's height, and peg-outs that are under way.

    `requests` wait for a Bitcoin transaction, which the Bridge builds from block `nextPegoutBlock`
    on. `confirming` transactions wait for Rootstock blocks after `blockNumber`, `signing` ones for
    signatures of the federation, which change the id, and `sent` ones in Bitcoin's mempool.
    """
    call = node.peg.call()
    federations = [
        {
            "address": federation.address,
            "members": federation.size,
            "threshold": federation.threshold,
            "satoshis": sum(utxo.value for utxo in load_utxos(call, slot)),
        }
        for slot, federation in live_slots(call)
    ]
    return {
        "federations": federations,
        "bitcoinHeight": node.bitcoin.height,
        "bridgeHeight": BlockStore(call).head.height,
        "nextPegoutBlock": peg_outs.next_height(call),
        "requests": [
            {"satoshis": request.value, "transactionHash": request.rsk_hash}
            for request in peg_outs.load_queue(call)
        ],
        "confirming": [
            {"txid": waiting.transaction.txid.hex(), "blockNumber": waiting.block_number}
            for waiting in releases.load_waiting(call)
        ],
        "signing": [
            {"txid": transaction.txid.hex(), "transactionHash": rsk_hash}
            for rsk_hash, transaction in releases.load_for_signatures(call).items()
        ],
        "sent": [{"txid": txid.hex()} for txid in node.peg.sent()],
    }


@rpc("fed_updateBridge", slow=True)
def update_bridge(node: Node) -> None:
    """Let the federators' node inform the Bridge and call `updateCollections`, as powpeg-node.

    It sends Bitcoin's headers, registers peg-ins with enough confirmations, and from the first call
    on signs and sends peg-outs after each block. Unless mining is automatic, the transactions wait
    in the mempool.
    """
    node.peg.update_bridge()
