"""Wallets: keys of a mnemonic and imported ones, watched scripts, coin selection, signing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from btclib.fee import dust_threshold
from btclib.script.script_pub_key import type_and_payload
from btclib.tx import OutPoint, Tx, TxIn, TxOut
from btclib.tx.limits import COINBASE_MATURITY

from devchain.bitcoin.mempool import BitcoinMempool
from devchain.bitcoin.signing import (
    PURPOSES,
    Signer,
    address_of,
    key_scripts,
    public_key,
    script_of,
    wallet_key,
)
from devchain.errors import BitcoinRejected, InvalidInput

DEFAULT = "bech32"
FEE_RATE = 20_000  # satoshis per 1,000 virtual bytes: Bitcoin Core's usual -fallbackfee
REPLACEABLE = 0xFFFFFFFD
INPUT_SIZES = {"legacy": 149, "p2sh-segwit": 92, "bech32": 69}
OTHER_INPUT_SIZE = 300
KINDS = {"p2pkh": "legacy", "p2sh": "p2sh-segwit", "p2wpkh": "bech32"}
MAX_SCRIPTS = 100_000


@dataclass(frozen=True, slots=True)
class Owned:
    """A script of a wallet: its private key, None if it is only watched; type of address; label."""

    key: bytes | None = field(repr=False)
    kind: str
    label: str
    is_change: bool
    path: tuple[int, ...]
    redeem: bytes = b""
    pubkey: bytes = b""


class Funding(NamedTuple):
    """How a transaction is funded: satoshis per 1,000 virtual bytes, the change's script and place.

    The fee is taken from the outputs `subtract_from` if there are any.
    """

    fee_rate: int = FEE_RATE
    change: bytes = b""
    change_at: int | None = None
    subtract_from: Sequence[int] = ()


USUAL = Funding()


class Unspent(NamedTuple):
    """An output that a wallet can spend; no confirmations if it is in the mempool."""

    at: OutPoint
    out: TxOut
    owned: Owned
    confirmations: int
    is_coinbase: bool

    @property
    def is_mature(self) -> bool:
        return not self.is_coinbase or self.confirmations > COINBASE_MATURITY


@dataclass(frozen=True, slots=True)
class WalletSettings:
    """What a wallet was created with."""

    name: str
    number: int
    has_keys: bool = True
    blank: bool = False
    avoid_reuse: bool = False
    descriptors: bool = True


@dataclass(frozen=True, slots=True)
class WalletState:
    """A wallet's settings, the scripts that it has, and how many keys it derived by type.

    It holds no keys of the mnemonic.
    """

    settings: WalletSettings
    scripts: dict[bytes, Owned] = field(repr=False)
    derived: dict[str, int]
    is_loaded: bool = True


class Wallet:
    """The keys and scripts of one wallet; balances are read from the chain and the mempool.

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
    def settings(self) -> WalletSettings:
        return self.state.settings

    @property
    def scripts(self) -> dict[bytes, Owned]:
        return self.state.scripts

    # Keys

    def new_address(self, kind: str = DEFAULT, label: str = "", *, is_change: bool = False) -> str:
        """A new address of the wallet: `legacy`, `p2sh-segwit` or `bech32`."""
        if kind not in PURPOSES:
            raise InvalidInput(f"Unknown address type '{kind:.40}'")
        if not self.settings.has_keys or self.settings.blank:
            raise InvalidInput("Error: This wallet has no available keys")
        derived = f"{kind}/{int(is_change)}"
        index = self.state.derived.get(derived, 0)
        path = (PURPOSES[kind], 1, self.settings.number, int(is_change), index)
        self.state = replace(self.state, derived={**self.state.derived, derived: index + 1})
        key = wallet_key(self._mnemonic, path)
        return address_of(self.add_key(key, kind, label, path=path, is_change=is_change))

    def add_key(
        self,
        key: bytes,
        kind: str,
        label: str = "",
        *,
        path: tuple[int, ...] = (),
        is_change: bool = False,
    ) -> bytes:
        """Add a private key for one type of address; the output script."""
        pubkey = public_key(key)
        script, redeem = key_scripts(pubkey, kind)
        self._add(script, Owned(key, kind, label, is_change, path, redeem, pubkey))
        return script

    def watch(
        self, script: bytes, label: str = "", redeem: bytes = b"", pubkey: bytes = b""
    ) -> None:
        """Watch a script without its private key."""
        if script not in self.scripts:
            kind = KINDS.get(type_and_payload(script)[0], "")
            self._add(
                script,
                Owned(None, kind, label, is_change=False, path=(), redeem=redeem, pubkey=pubkey),
            )

    def _add(self, script: bytes, owned: Owned) -> None:
        if len(self.scripts) >= MAX_SCRIPTS:
            raise InvalidInput(f"a wallet has at most {MAX_SCRIPTS} addresses")
        self.state = replace(self.state, scripts={**self.scripts, script: owned})
        self._on_change()

    def sign(
        self, tx: Tx, outputs: Sequence[TxOut | None], scripts: Iterable[bytes] = (), kind: int = 1
    ) -> dict[int, str]:
        """As `Signer.sign`, with the wallet's keys; `scripts` are redeem and witness scripts."""
        spent = [self.scripts.get(out.script_pub_key.script) for out in outputs if out]
        # All keys are needed for scripts of several signers; it takes a moment to load them.
        owned = [one for one in spent if one] if all(spent) else self.scripts.values()
        signer = Signer([one.key for one in owned if one.key], scripts)
        return signer.sign(tx, outputs, kind)

    # Coins

    def unspent(self, *, confirmed_only: bool = False) -> Iterator[Unspent]:
        """Outputs of the wallet that no transaction spends, immature ones too."""
        chain, mempool = self._mempool.chain, self._mempool
        for script, owned in self.scripts.items():
            for at, coin in chain.coins_of.get(script, {}).items():
                if at not in mempool.spenders:
                    depth = chain.height - coin.height + 1
                    yield Unspent(at, coin.tx_out, owned, depth, coin.is_coinbase)
        if confirmed_only:
            return
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

    def spendable(self) -> list[Unspent]:
        """The coins that the wallet can spend now, those with most confirmations first."""
        coins = [
            coin
            for coin in self.unspent()
            if coin.owned.key and coin.is_mature and self.is_trusted(coin)
        ]
        return sorted(coins, key=lambda coin: -coin.confirmations)

    def balance(self) -> int:
        """What the wallet can spend now, in satoshis."""
        return sum(coin.out.value for coin in self.spendable())

    # Transactions

    def fund(
        self, tx: Tx, coins: Sequence[Unspent] | None = None, options: Funding = USUAL
    ) -> tuple[Tx, int, int]:
        """A transaction with more inputs and a change output: it, its fee, the change's position.

        The position is -1 without change.
        """
        fee_rate, change, change_at, subtract_from = options
        outputs, chosen = list(tx.vout), list[Unspent]()
        spent = {one.prev_out for one in tx.vin}
        value = sum(self._value(at) for at in spent)
        available = [one for one in coins or self.spendable() if one.at not in spent]
        wanted = sum(out.value for out in outputs)
        change_size = 43
        size = 11 + sum(len(out.serialize()) for out in outputs) + len(spent) * OTHER_INPUT_SIZE

        def fee(extra: int = 0) -> int:
            inputs = sum(INPUT_SIZES.get(one.owned.kind, OTHER_INPUT_SIZE) for one in chosen)
            return -(-fee_rate * (size + inputs + extra) // 1_000)

        def needed(extra: int = 0) -> int:
            return wanted + (0 if subtract_from else fee(extra))

        for one in _in_order(available, needed(change_size + 150) - value):
            if value >= needed(change_size):
                break
            chosen.append(one)
            value += one.out.value
        if value < needed():
            raise BitcoinRejected("Insufficient funds")
        if subtract_from:
            share, rest = divmod(fee(change_size), len(subtract_from))
            for number, index in enumerate(subtract_from):
                left = outputs[index].value - share - (rest if number == 0 else 0)
                if left < 0:
                    raise BitcoinRejected("The transaction amount is too small to pay the fee")
                outputs[index] = TxOut(left, outputs[index].script_pub_key)
        paid, position = sum(out.value for out in outputs), -1
        left = value - paid - (fee(change_size))
        script = change or (self._change_script(chosen) if left > 0 else b"")
        if left > 0 and left >= dust_threshold(script):
            position = len(outputs) if change_at is None else change_at
            outputs.insert(position, TxOut(left, script))
            paid += left
        inputs = [*tx.vin, *(TxIn(one.at, b"", REPLACEABLE) for one in chosen)]
        return Tx(tx.version, tx.lock_time, inputs, outputs), value - paid, position

    def _change_script(self, coins: Sequence[Unspent]) -> bytes:
        # A wallet without keys of its own pays the change to where a coin comes from.
        if coins and (self.settings.blank or not self.settings.has_keys):
            return coins[0].out.script_pub_key.script
        return script_of(self.new_address(is_change=True))

    def _value(self, at: OutPoint) -> int:
        out = self._mempool.output(at)
        if out is None:
            raise InvalidInput("an input of the transaction is unknown")
        return out.value

    def pay(
        self,
        outputs: Sequence[tuple[bytes, int]],
        coins: Sequence[Unspent] | None = None,
        options: Funding = USUAL,
    ) -> Tx:
        """A signed transaction that pays scripts; it is not sent."""
        outs = [TxOut(value, script) for script, value in outputs]
        tx, _, _ = self.fund(Tx(2, 0, [], outs, check_validity=False), coins, options)
        problems = self.sign(tx, [self._mempool.output(one.prev_out) for one in tx.vin])
        if problems:
            raise BitcoinRejected(next(iter(problems.values())))
        return tx


def _in_order(coins: Sequence[Unspent], needed: int) -> list[Unspent]:
    # The smallest coin that is enough, if there is one; else the largest first.
    enough = [coin for coin in coins if coin.out.value >= needed]
    if enough:
        smallest = min(enough, key=lambda coin: coin.out.value)
        return [smallest, *(coin for coin in coins if coin is not smallest)]
    return sorted(coins, key=lambda coin: -coin.out.value)
