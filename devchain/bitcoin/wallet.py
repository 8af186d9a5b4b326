"""Wallets: keys of a mnemonic, watched scripts, coin selection."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from btclib.fee import dust_threshold
from btclib.script.script_pub_key import type_and_payload
from btclib.tx import OutPoint, Tx, TxIn, TxOut
from btclib.tx.limits import COINBASE_MATURITY

from devchain.bitcoin import signing
from devchain.bitcoin.mempool import BitcoinMempool
from devchain.errors import BitcoinRejected, InvalidInput

DEFAULT = "legacy"  # as Rootstock's tools start bitcoind, since such coins can be pegged in
FEE_RATE = 20_000  # satoshis per 1,000 virtual bytes: Bitcoin Core's usual -fallbackfee
REPLACEABLE = 0xFFFFFFFD
INPUT_SIZES = {"p2pkh": 149, "p2sh": 92, "p2wpkh": 69}  # of one key
OTHER_INPUT_SIZE, CHANGE_SIZE = 300, 43
MAX_SCRIPTS = 100_000


@dataclass(frozen=True, slots=True)
class Owned:
    """The path of a script's key, empty if the script is only watched, and its public key."""

    path: tuple[int, ...] = ()
    pubkey: bytes = b""


class Unspent(NamedTuple):
    """An output that a wallet can spend; no confirmations if it is in the mempool."""

    at: OutPoint
    out: TxOut
    owned: Owned
    confirmations: int
    is_coinbase: bool

    @property
    def script(self) -> bytes:
        return self.out.script_pub_key.script

    @property
    def is_mature(self) -> bool:
        return not self.is_coinbase or self.confirmations > COINBASE_MATURITY


@dataclass(frozen=True, slots=True)
class WalletState:
    """The scripts of a wallet, and the number of its account of the mnemonic, if it has keys."""

    name: str
    number: int
    has_keys: bool = True
    scripts: dict[bytes, Owned] = field(default_factory=dict, repr=False)


class Wallet:
    """The scripts of one wallet; balances are read from the chain and the mempool.

    Keys are those of BIP44, BIP49 and BIP84 in account `number` of the mnemonic, so that other
    wallets can derive them.
    """

    def __init__(
        self,
        mempool: BitcoinMempool,
        mnemonic: str,
        state: WalletState,
        on_change: Callable[[], None],
    ) -> None:
        self._mempool, self._mnemonic, self._on_change = mempool, mnemonic, on_change
        self.state = state

    @property
    def scripts(self) -> dict[bytes, Owned]:
        return self.state.scripts

    # Keys

    def new_address(self, kind: str = DEFAULT, *, is_change: bool = False) -> str:
        """A new address of the wallet: `legacy`, `p2sh-segwit` or `bech32`."""
        if not self.state.has_keys:
            raise InvalidInput("Error: This wallet has no available keys")
        account = (signing.PURPOSES.get(kind, 0), 1, self.state.number, int(is_change))
        index = sum(owned.path[:4] == account for owned in self.scripts.values())
        path = (*account, index)
        pubkey = signing.public_key(signing.wallet_key(self._mnemonic, path))
        script = signing.key_script(pubkey, kind)
        self._add(script, Owned(path, pubkey))
        return signing.address_of(script)

    def watch(self, script: bytes, pubkey: bytes = b"") -> None:
        """Watch a script without its private key."""
        if script not in self.scripts:
            self._add(script, Owned(pubkey=pubkey))

    def _add(self, script: bytes, owned: Owned) -> None:
        if len(self.scripts) >= MAX_SCRIPTS:
            raise InvalidInput(f"a wallet has at most {MAX_SCRIPTS} addresses")
        self.state = replace(self.state, scripts={**self.scripts, script: owned})
        self._on_change()

    def key(self, script: bytes) -> bytes | None:
        """The private key of a script."""
        owned = self.scripts.get(script)
        return signing.wallet_key(self._mnemonic, owned.path) if owned and owned.path else None

    def sign(
        self, tx: Tx, outputs: Sequence[TxOut | None], scripts: Iterable[bytes] = ()
    ) -> dict[int, str]:
        """As `signing.sign`, with the keys of the outputs."""
        keys = [self.key(out.script_pub_key.script) for out in outputs if out]
        return signing.sign(tx, outputs, filter(None, keys), scripts)

    # Coins

    def unspent(self) -> Iterator[Unspent]:
        """Outputs of the wallet that no transaction spends, immature ones too."""
        chain, mempool = self._mempool.chain, self._mempool
        for script, owned in self.scripts.items():
            for at, coin in chain.coins_of.get(script, {}).items():
                if at not in mempool.spenders:
                    depth = chain.height - coin.height + 1
                    yield Unspent(at, coin.tx_out, owned, depth, coin.is_coinbase)
        for entry in mempool.entries.values():
            for index, out in enumerate(entry.tx.vout):
                known = self.scripts.get(out.script_pub_key.script)
                at = OutPoint(entry.txid, index, check_validity=False)
                if known and at not in mempool.spenders:
                    yield Unspent(at, out, known, 0, is_coinbase=False)

    def is_trusted(self, coin: Unspent) -> bool:
        """Whether a coin is confirmed, or of a transaction whose inputs are all the wallet's."""
        if coin.confirmations:
            return True
        entry = self._mempool.entries[coin.at.tx_id]
        outputs = [self._mempool.output(spent.prev_out) for spent in entry.tx.vin]
        return all(out and out.script_pub_key.script in self.scripts for out in outputs)

    def spendable(self, *, with_watched: bool = False) -> list[Unspent]:
        """The coins that can be spent now, those with most confirmations first."""
        coins = [
            coin
            for coin in self.unspent()
            if (coin.owned.path or with_watched) and coin.is_mature and self.is_trusted(coin)
        ]
        return sorted(coins, key=lambda coin: -coin.confirmations)

    def balance(self) -> int:
        """What the wallet can spend now, in satoshis."""
        return sum(coin.out.value for coin in self.spendable())

    # Transactions

    def fund(
        self,
        tx: Tx,
        coins: Sequence[Unspent] | None = None,
        *,
        fee_rate: int = FEE_RATE,
        change: bytes = b"",
        change_at: int | None = None,
    ) -> tuple[Tx, int, int]:
        """A transaction with more inputs and a change output: it, its fee, the change's position.

        `fee_rate` is in satoshis per 1,000 virtual bytes, `change` a script. The position is -1
        without change.
        """
        outputs, spent = list(tx.vout), {one.prev_out for one in tx.vin}
        paid = sum(out.value for out in outputs)
        size = 11 + sum(len(out.serialize()) for out in outputs) + len(spent) * OTHER_INPUT_SIZE
        known = [self._mempool.output(at) for at in spent]
        if None in known:
            raise InvalidInput("an input of the transaction is unknown")
        value = sum(out.value for out in known if out)
        inputs = list(tx.vin)

        def fee(extra: int = CHANGE_SIZE) -> int:
            return -(-fee_rate * (size + extra) // 1_000)

        available = [coin for coin in coins or self.spendable() if coin.at not in spent]
        for coin in _in_order(available, paid + fee(CHANGE_SIZE + 150) - value):
            if value >= paid + fee():
                break
            inputs.append(TxIn(coin.at, b"", REPLACEABLE))
            value += coin.out.value
            size += INPUT_SIZES.get(type_and_payload(coin.script)[0], OTHER_INPUT_SIZE)
            if not self.state.has_keys:  # the change goes to where a coin comes from
                change = change or coin.script
        if value < paid + fee(0):
            raise BitcoinRejected("Insufficient funds")
        left, position = value - paid - fee(), -1
        script = change or (
            signing.script_of(self.new_address(is_change=True)) if left > 0 else b""
        )
        if left > 0 and left >= dust_threshold(script):
            position = len(outputs) if change_at is None else change_at
            outputs.insert(position, TxOut(left, script))
            paid += left
        return Tx(tx.version, tx.lock_time, inputs, outputs), value - paid, position

    def pay(
        self,
        outputs: Sequence[tuple[bytes, int]],
        coins: Sequence[Unspent] | None = None,
        *,
        fee_rate: int = FEE_RATE,
    ) -> Tx:
        """A signed transaction that pays scripts; it is not sent."""
        outs = [TxOut(value, script) for script, value in outputs]
        unfunded = Tx(2, 0, [], outs, check_validity=False)
        tx, _, _ = self.fund(unfunded, coins, fee_rate=fee_rate)
        problems = self.sign(tx, [self._mempool.output(one.prev_out) for one in tx.vin])
        if problems:
            raise BitcoinRejected(next(iter(problems.values())))
        return tx


def _in_order(coins: Sequence[Unspent], needed: int) -> list[Unspent]:
    # The smallest coin that is enough, if there is one; else the largest first.
    enough = [coin for coin in coins if coin.out.value >= needed]
    return sorted(enough or coins, key=lambda coin: coin.out.value, reverse=not enough)
