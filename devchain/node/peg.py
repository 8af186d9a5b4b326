"""The federators' node: it informs the Bridge of Bitcoin, and signs and sends its transactions.

It does what powpeg-node's `BtcToRskClient` and `BtcReleaseClient` do, with the development keys of
regtest's federators. What it sends to the Bridge are ordinary transactions of their accounts.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from functools import cache
from types import SimpleNamespace
from typing import Any, NamedTuple

import rlp
from coincurve import PrivateKey
from eth_hash.auto import keccak

from devchain import errors
from devchain.chain.block import Block
from devchain.chain.transaction import Transaction
from devchain.contracts.abi import Abi
from devchain.evm.rootstock.precompiles import native_contracts
from devchain.evm.rootstock.precompiles.bitcoin import base58check, hash160
from devchain.evm.rootstock.precompiles.bitcoin_script import pay_to_key
from devchain.evm.rootstock.precompiles.bitcoin_transaction import MAX_MONEY, BitcoinTransaction
from devchain.evm.rootstock.precompiles.bridge import federation, methods, peg_outs, releases
from devchain.evm.rootstock.precompiles.bridge.block_store import BlockStore
from devchain.evm.rootstock.precompiles.bridge.methods import WEI_PER_SATOSHI, peg_of
from devchain.evm.rootstock.precompiles.bridge.migration import load_spend
from devchain.evm.rootstock.precompiles.bridge.peg_ins import processed_height
from devchain.evm.rootstock.precompiles.bridge.release_inputs import digest_of, redeem_of
from devchain.evm.rootstock.precompiles.bridge.senders import read_peg_in
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS as BRIDGE
from devchain.evm.rootstock.precompiles.bridge.transaction_kinds import minimum_peg_in
from devchain.evm.rootstock.precompiles.bridge.utxos import OLD, active_slot, load_utxos, new_slot
from devchain.evm.rootstock.precompiles.native_contract import Call, decode
from devchain.evm.rootstock.precompiles.powpeg import federator_keys
from devchain.networks import MOST_FEDERATORS, RBTC
from devchain.node.core import NodeCore
from devchain.text import BITCOIN_UNITS, SATOSHIS, decimal, parse_amount
from devchain.types import Address, Hash32, Tag, TransactionRequest

logger = logging.getLogger(__name__)

HEADERS_AT_ONCE, MOST_HEADERS = 100, 500  # in a transaction, in an update
MOST_REGISTERED = 4  # in an update: the mempool takes few transactions of an account
GAS = 100_000  # of which none is used: transactions of these federators are free
PEGIN_PREFIX = b"\x6a\x19RSKT\x01"  # OP_RETURN, 25 bytes, version 1 of the peg-in protocol
BLOCKS_BETWEEN_UPDATES = 5  # while the federation changes
MOST_UPDATES, MOST_BLOCKS = 20, 200  # for a peg-in, for a peg-out
BEFORE_PAPYRUS = int.from_bytes(b"release_btc_topic")


class PegIn(NamedTuple):
    """A peg-in: the Bitcoin transaction's id, and the Rootstock transaction that registered it."""

    txid: bytes
    transaction_hash: Hash32


class PegOut(NamedTuple):
    """A peg-out: the Bitcoin transaction that paid, and the satoshis that its receiver got.

    `transaction_hash` is of the Rootstock transaction that asked for it.
    """

    txid: bytes
    satoshis: int
    transaction_hash: Hash32


def satoshis_of(btc: object) -> int:
    """Bitcoins, as a number or text, in satoshis; raises `InvalidInput` for parts of one."""
    with suppress(ValueError):
        return parse_amount(str(btc), BITCOIN_UNITS)
    raise errors.InvalidInput(f"{str(btc)[:40]} is no amount of bitcoins: give 1, or 0.00000001")


def _check_amount(what: str, satoshis: int, least: int) -> None:
    if not least <= satoshis <= MAX_MONEY:
        raise errors.InvalidInput(
            f"{what} is at least {least:,} satoshis ({decimal(least, SATOSHIS)} BTC) and at most "
            "21,000,000 BTC"
        )


@cache
def _abi_of(hardfork: str, chain_id: int) -> Abi:
    return Abi.from_json(native_contracts(hardfork)[BRIDGE].abi(hardfork, chain_id))


@cache
def _known_keys() -> dict[bytes, bytes]:
    # Private keys of the federators by public key.
    keys = map(PrivateKey, federator_keys(MOST_FEDERATORS))
    return {key.public_key.format(): key.secret for key in keys}


class Peg:
    """The steps of the federators' node, each by itself; `update` takes all that are due.

    Once it is connected it works after each block: it signs, and with `automatic_peg` it updates.
    """

    def __init__(self, node: NodeCore) -> None:
        """Raises `BitcoinUnavailable` where the Bridge is not on regtest."""
        node.bitcoin_component.open()
        self._node = node
        self._is_busy = self.is_connected = False
        self._ignored: set[bytes] = set()  # ids in Bitcoin that no RBTC follow
        self._registered: dict[bytes, Hash32] = {}  # ids in Bitcoin, and what registered them
        self._released: list[BitcoinTransaction] = []
        node.chain.block_listeners.append(self._send_released)

    def connect(self) -> None:
        """Work after each block from now on."""
        self.is_connected = True
        self._node.miner.after_mining = self._after_block
        if self._node.config.automatic_peg:
            self._node.bitcoin_component.call_after_block(self._after_block)

    def _after_block(self) -> None:
        if self._is_busy:
            return
        self._is_busy = True
        try:
            if self._node.config.automatic_peg:
                self.update()
            else:
                self.sign()
                self._mine_sent()
        except errors.TransactionRejected as error:
            logger.warning("the federators cannot send: %s", error)
        finally:
            self._is_busy = False

    # Steps

    def update(self) -> None:
        """Take the steps that are due. With automatic mining what they send is mined."""
        self.register(self.inform_headers())
        if self._is_update_due():
            self.update_collections()
        self._mine_sent()
        self.sign()
        self._mine_sent()

    def update_bridge(self) -> None:
        """As `fed_updateBridge` of powpeg-node: all steps but signing, which follows each block."""
        self.connect()
        self.register(self.inform_headers())
        self.update_collections()
        self._mine_sent()

    def inform_headers(self) -> int:
        """Send the headers that the Bridge does not have; the height that it has with them."""
        store, bitcoin = BlockStore(self.call()), self._node.bitcoin
        known = store.head
        if bitcoin.height <= known.height:
            return known.height
        while bitcoin.block(known.height).hash != known.hash:
            parent = store.get(known.parent)
            if parent is None:
                raise errors.InvalidInput(
                    "the Bridge has another first Bitcoin block: reset the chain"
                )
            known = parent
        newest = min(bitcoin.height, known.height + MOST_HEADERS)
        headers = bitcoin.headers(known.height + 1, newest)
        for start in range(0, len(headers), HEADERS_AT_ONCE):
            self._send("receiveHeaders", headers[start : start + HEADERS_AT_ONCE])
        return newest

    def register(self, height: int | None = None) -> None:
        """Register transactions that pay a federation and have enough confirmations.

        `height` is what the Bridge's Bitcoin chain will have by then, if not what it has now.
        """
        call, bitcoin = self.call(), self._node.bitcoin
        newest = min(bitcoin.height, BlockStore(call).head.height if height is None else height)
        confirmed = newest - peg_of(call).confirmations_needed + 1
        slots = (new_slot(call), OLD)
        known = {(utxo.txid, utxo.index) for slot in slots for utxo in load_utxos(call, slot)}
        coins = {
            (coin.height, at.tx_id)
            for each in federation.live(call)
            for at, coin in bitcoin.chain.coins_of.get(each.output_script, {}).items()
            if coin.height <= confirmed and (at.tx_id, at.vout) not in known
        }
        new = [
            (at, txid)
            for at, txid in sorted(coins)
            if self._is_new(call, txid) and self._is_informed(call, txid)
        ]
        for at, txid in new[:MOST_REGISTERED]:
            self._register(call, txid, at)

    def _is_new(self, call: Call, txid: bytes) -> bool:
        sent = self._registered.get(txid)
        is_sent = sent and (self._node.mempool.find(sent) or self._node.chain.receipt(sent))
        return not is_sent and processed_height(call, txid) is None

    def _is_informed(self, call: Call, txid: bytes) -> bool:
        # powpeg-node leaves out bitcoins whose sender, and so whose receiver, is not known.
        transaction = BitcoinTransaction.parse(self._node.bitcoin.transaction(txid))
        peg_in = read_peg_in(call, transaction)
        is_refunded = bool(peg_in.problem)
        is_informed = is_refunded or peg_in.version > 0 or peg_in.sender is not None
        if not is_informed and txid not in self._ignored:
            self._ignored.add(txid)
            logger.warning(
                "Bitcoin's transaction %s pays the federation and is no peg-in, its sender is not "
                "known: pay from a legacy or p2sh-segwit address, or name the account",
                txid.hex(),
            )
        return is_informed

    def _register(self, call: Call, txid: bytes, height: int) -> None:
        bitcoin = self._node.bitcoin
        proof = bitcoin.proof(txid)
        if proof.transaction != bitcoin.transaction(txid) and call.since("papyrus"):
            # With witnesses the block's coinbase is registered first.
            proof = bitcoin.proof(txid, with_witness=True)
            self._send("registerBtcCoinbaseTransaction", *bitcoin.coinbase_proof(height))
        sent = self._send("registerBtcTransaction", proof.transaction, height, proof.tree)
        self._registered[txid] = sent

    def update_collections(self) -> None:
        """Let the Bridge create transactions for peg-outs, and let those that are old be signed."""
        self._send("updateCollections")

    def _is_update_due(self) -> bool:
        if self._waiting(self._abi.functions_named("updateCollections")[0].selector):
            return False
        call, number = self.call(), self._node.chain.height + 1
        least, waiting = peg_of(call).pegout_confirmations, releases.load_waiting(call)
        if any(number - each.block_number >= least for each in waiting):
            return True
        requested = sum(request.value for request in peg_outs.load_queue(call))
        can_pay = not call.since("fingerroot") or number >= peg_outs.next_height(call)
        if requested and can_pay and self._balance(call) >= requested:
            return True
        is_changing = federation.retiring(call) is not None or federation.proposed(call) is not None
        return is_changing and number % BLOCKS_BETWEEN_UPDATES == 0

    def sign(self) -> None:
        """Sign the transactions that wait for signatures, with as many keys as they need."""
        call = self.call()
        federations = filter(None, [*federation.live(call), federation.proposed(call)])
        accounts = {member.btc: member.rsk for each in federations for member in each.members}
        waiting = releases.load_for_signatures(call) | load_spend(call)
        for rsk_hash, transaction in waiting.items():
            redeem = redeem_of(transaction.inputs[0])
            keys = [key for key in redeem.keys if key in accounts and key in _known_keys()]
            for key in keys[: redeem.threshold]:
                signatures = self._signatures(transaction, _known_keys()[key])
                if signatures[0] not in transaction.serialize():
                    sender = _known_keys().get(accounts[key])
                    self._send("addSignature", key, signatures, rsk_hash, key=sender)

    def _signatures(self, transaction: BitcoinTransaction, secret: bytes) -> list[bytes]:
        key, read = PrivateKey(secret), self._node.bitcoin.transaction
        values = [
            BitcoinTransaction.parse(read(spent.txid)).outputs[spent.index].value
            if spent.witness
            else 0
            for spent in transaction.inputs
        ]
        digests = (digest_of(transaction, index, values) for index in range(len(values)))
        return [key.sign(digest, None) for digest in digests]

    def sent(self) -> list[bytes]:
        """The ids of the federation's transactions in Bitcoin's mempool."""
        scripts = {each.output_script for each in federation.live(self.call())}
        mempool = self._node.bitcoin.mempool
        return [
            txid
            for txid, entry in mempool.entries.items()
            if (out := mempool.output(entry.tx.vin[0].prev_out))
            and out.script_pub_key.script in scripts
        ]

    def _send_released(self, block: Block) -> None:
        for log in (log for receipt in block.receipts for log in receipt.logs):
            topic = int.from_bytes(log.topics[0]) if log.address == BRIDGE else None
            if topic == methods.RELEASED.topic:
                (raw,) = decode(("bytes",), log.data)
            elif topic == BEFORE_PAPYRUS:
                raw = rlp.decode(log.data)[1]
            else:
                continue
            try:
                self._node.bitcoin.send_raw(raw)
            except errors.BitcoinRejected as error:
                logger.warning("Bitcoin rejects a transaction of the federation: %s", error)
            else:
                self._released.append(BitcoinTransaction.parse(raw))

    # Walks

    def peg_in(self, account: Address, satoshis: int) -> PegIn:
        """Lock bitcoins of the wallet `""`, confirm them and register them.

        The RBTC arrive at the account. If the node has its key, that locks the bitcoins; else the
        account is named in the transaction (version 1 of the peg-in protocol, since Iris).
        """
        node, call = self._node, self.call()
        _check_amount("a peg-in", satoshis, minimum_peg_in(call))
        bitcoin, script = node.bitcoin, federation.active(call).output_script
        try:
            key = node.accounts.key(account)
        except (errors.AccountLocked, errors.AccountUnknown):
            if not call.since("iris"):
                raise
            outputs = [(script, satoshis), (PEGIN_PREFIX + account, 0)]
            txid = bitcoin.add_transaction(bitcoin.wallet.pay(outputs))
        else:
            if not call.since("arrowhead"):
                self._allow(call, key, satoshis)
            txid = bitcoin.send_from_key(key, script, satoshis)
        bitcoin.mine(peg_of(call).confirmations_needed)
        for _ in range(MOST_UPDATES):
            self._update_and_mine()
            sent = self._registered.get(txid)
            if sent and node.chain.receipt(sent):
                return PegIn(txid, sent)
        raise errors.InvalidInput("the peg-in is not registered: the Bridge waits for more headers")

    def _allow(self, call: Call, key: bytes, satoshis: int) -> None:
        # Before Arrowhead (RSKIP379) the sender has to be on the whitelist.
        owner = hash160(PrivateKey(key).public_key.format())
        address = base58check(bytes([peg_of(call).key_version]) + owner)
        own = keccak(b"auth-lock-whitelist")
        self._send("addOneOffLockWhitelistAddress", address, satoshis, key=own)

    def peg_out(self, account: Address, satoshis: int) -> PegOut:
        """Ask the Bridge for bitcoins, and mine until the federation has paid them.

        They go to the account's key, which the node has to have. Raises `InvalidInput` if the
        Bridge rejects the request or the federation has too few bitcoins.
        """
        node, call = self._node, self.call()
        try:
            key = PrivateKey(node.accounts.key(account)).public_key.format()
        except errors.AccountUnknown as error:
            raise errors.InvalidInput(f"{error}, which gets the bitcoins: import it") from None
        own = pay_to_key(hash160(key))
        _check_amount("a peg-out", satoshis, peg_outs.minimum(call))
        owned, requested = self._balance(call), peg_outs.load_queue(call)
        wanted = satoshis + sum(request.value for request in requested)
        if owned < wanted:
            raise errors.InvalidInput(
                f"the federation has {owned:,} satoshis, fewer than {wanted:,}: peg in first"
            )
        self._released.clear()
        value = satoshis * WEI_PER_SATOSHI
        sent = node.send(TransactionRequest(account, BRIDGE, 100_000, value=value))
        for _ in range(MOST_BLOCKS):
            self._update_and_mine()
            self._check_requested(sent)
            for transaction in self._released:
                paid = sum(each.value for each in transaction.outputs if each.script == own)
                if paid:
                    node.bitcoin.mine(peg_of(call).confirmations_needed)
                    self._update_and_mine()  # which registers the change
                    return PegOut(transaction.txid, paid, sent)
            node.miner.mine()
        raise errors.InvalidInput(f"the federation has not paid within {MOST_BLOCKS} blocks")

    def _check_requested(self, sent: Hash32) -> None:
        mined = self._node.chain.receipt(sent, own=True)
        if mined is None:
            raise errors.InvalidInput("the request waits for an earlier transaction of its sender")
        receipt = mined[1]
        if receipt.failure:
            raise self._node.explainer.transaction_error(receipt, receipt.failure)

    # What the steps need

    def call(self) -> Call:
        """The call with which the Bridge's functions read its state after the newest block."""
        chain = self._node.chain
        state = chain.open_state(chain.block_for_calls(Tag.LATEST)[1])
        computation: Any = SimpleNamespace(state=state)
        return Call(computation, chain.rules.hardfork)

    @property
    def _abi(self) -> Abi:
        return _abi_of(self._node.chain.rules.hardfork, self._node.config.effective_chain_id)

    def _balance(self, call: Call) -> int:
        return sum(utxo.value for utxo in load_utxos(call, active_slot(call)))

    def _send(self, name: str, *arguments: object, key: bytes | None = None) -> Hash32:
        # By default with the first federator's key that is known.
        node = self._node
        if key is None:
            members = [
                member.rsk for each in federation.live(self.call()) for member in each.members
            ]
            key = next(filter(None, map(_known_keys().get, members)), None)
        if key is None:
            raise errors.InvalidInput("the node has no key of the Bridge's federators")
        entry = self._abi.functions_named(name)[0]
        data = entry.selector + entry.encode(arguments)
        if arguments and (waiting := self._waiting(data)):
            return waiting.hash
        account = federation.account_of(PrivateKey(key).public_key.format())
        # The account has to exist, and to have what the transaction costs, though none is charged.
        least = RBTC if node.chain.lowest_gas_price() else 1
        if node.chain.head_state().balance(account) < least:
            with node.edited_accounts() as accounts:
                accounts.set_balance(account, least)
        tx = node.sign(TransactionRequest(account, BRIDGE, GAS, data=data), key)
        node.mempool.add(tx, may_wait=True)
        return tx.hash

    def _waiting(self, data: bytes) -> Transaction | None:
        waiting = self._node.mempool.transactions()
        return next((tx for tx in waiting if tx.to == BRIDGE and tx.data == data), None)

    def _mine_sent(self) -> None:
        if self._node.miner.automatic:
            self._node.miner.mine_pending()

    def _update_and_mine(self) -> None:
        self.update()
        if self._node.mempool.pending():
            self._node.miner.mine()
