"""The keys this node holds: funded accounts, imported and made ones, locked and unlocked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any

from eth_account import Account
from eth_account.hdaccount import key_from_seed, seed_from_mnemonic
from eth_account.messages import encode_defunct
from eth_hash.auto import keccak
from eth_keyfile.keyfile import create_keyfile_json, decode_keyfile_json
from eth_keys.datatypes import PrivateKey
from eth_utils.exceptions import ValidationError

from devchain.config import Config
from devchain.errors import (
    AccountLocked,
    AccountUnknown,
    ConfigError,
    InvalidInput,
    WrongPassphrase,
)
from devchain.networks import RBTC
from devchain.node import typed_data
from devchain.types import Address

DEFAULT_UNLOCK_SECONDS = 1_800
KEY_BYTES = 32
# geth's "light" work factor: a passphrase here guards a developer's test key.
LIGHT_SCRYPT = 4_096


@dataclass(frozen=True, slots=True)
class StoredKey:
    """A private key as kept at rest: a V3 keystore, or open for a funded account."""

    address: Address
    keystore: dict[str, Any] | None = field(repr=False)
    private_key: bytes | None = field(repr=False, default=None)


@dataclass(frozen=True, slots=True)
class UnlockedKey:
    """A private key ready to sign until `expires_at` (chain-independent seconds), or for good."""

    private_key: bytes = field(repr=False)
    expires_at: float | None = None


@dataclass(frozen=True, slots=True)
class AccountsCheckpoint:
    """What a snapshot keeps of the accounts."""

    stored: dict[Address, StoredKey] = field(repr=False)
    unlocked: dict[Address, UnlockedKey] = field(repr=False)
    impersonated: tuple[Address, ...] = ()
    impersonates_all: bool = False


class Accounts:
    """The keystore of a node.

    Funded accounts are open: their passphrase, once locked, is the empty text. Impersonated
    accounts send transactions without a key, every account does with `impersonates_all`.
    """

    def __init__(self, config: Config, monotonic: Callable[[], float]) -> None:
        """Derive the funded accounts; `monotonic` tells when an unlock ends."""
        self._monotonic = monotonic
        self._dev: tuple[tuple[Address, bytes], ...] = ()
        self._seeds: tuple[Address, ...] = ()
        self._stored: dict[Address, StoredKey] = {}
        self._unlocked: dict[Address, UnlockedKey] = {}
        self._balances: dict[Address, int] = {}
        self._impersonated: dict[Address, None] = {}
        self.impersonates_all = False
        self._fund(config)
        if config.hosted:
            # Whoever holds the mnemonic can sign; the service itself cannot.
            self._stored.clear()
            self._unlocked.clear()
        self._genesis = self.checkpoint()

    def _fund(self, config: Config) -> None:
        keys = _derive(config)
        self._dev = tuple((_address(key), key) for key in keys)
        for address, key in self._dev:
            self._open(address, key)
            self._balances[address] = config.balance * RBTC
        for word in config.rules.seeds:
            key = keccak(word.encode())
            self._open(_address(key), key)
            self._balances[_address(key)] = config.rules.seed_balance

    def _open(self, address: Address, key: bytes) -> None:
        self._stored[address] = StoredKey(address, None, key)
        self._unlocked[address] = UnlockedKey(key)

    def balances(self) -> dict[Address, int]:
        """What the genesis block gives to whom, in wei."""
        return dict(self._balances)

    def dev_keys(self) -> list[tuple[Address, bytes]]:
        """The accounts derived from the mnemonic with their private keys, in order."""
        return list(self._dev)

    def addresses(self) -> list[Address]:
        """Every account a key is held for, locked ones too, then those that are impersonated."""
        return list(dict.fromkeys([*self._stored, *self._impersonated]))

    def remove(self, address: Address, passphrase: str) -> bool:
        """Forget an account's key for good, or stop impersonating it; whether it was known.

        Raises `WrongPassphrase` if a key is held that it does not open.
        """
        if address not in self._stored:
            return self.stop_impersonating(address)
        self.open(address, passphrase)
        self._unlocked.pop(address, None)
        del self._stored[address]
        return True

    def impersonate(self, address: Address) -> None:
        """Let an account send transactions without a key."""
        self._impersonated[address] = None

    def stop_impersonating(self, address: Address) -> bool:
        """Let it do so no longer; whether it could."""
        was_impersonated = address in self._impersonated
        self._impersonated.pop(address, None)
        return was_impersonated

    def impersonated(self) -> list[Address]:
        """The accounts that may send without a key, one by one named."""
        return list(self._impersonated)

    def impersonates(self, address: Address) -> bool:
        """Whether an account may send without a key, and has none at hand that could sign."""
        allowed = self.impersonates_all or address in self._impersonated
        return allowed and self._current(address) is None

    # Between processes

    def made_here(self) -> dict[Address, StoredKey]:
        """The keys held that are not derived from the configuration."""
        known = self._genesis.stored
        return {each: key for each, key in self._stored.items() if key != known.get(each)}

    def derived(self, address: Address) -> StoredKey | None:
        """The key of an account that the configuration funds."""
        return self._genesis.stored.get(address)

    def put_back(self, keystores: Mapping[Address, dict[str, Any]]) -> None:
        """Hold the keys of an earlier process, locked."""
        for address, keystore in keystores.items():
            self._stored[address] = StoredKey(address, keystore)
            self._unlocked.pop(address, None)

    def leave_open(self, address: Address) -> None:
        """Unlock for good an account with an empty passphrase; raises as `open` does."""
        self._open(address, self.open(address, ""))

    def new(self, passphrase: str) -> Address:
        """Draw a random key, keep it under the passphrase, unlocked for half an hour."""
        return self.add(bytes(Account.create().key), passphrase)

    def new_from_seed(self, seed: str) -> Address:
        """The account whose key is keccak-256 of the seed's UTF-8, unlocked for good."""
        key = keccak(seed.encode())
        self._open(_address(key), key)
        return _address(key)

    def add(self, private_key: bytes, passphrase: str) -> Address:
        """Keep a key under the passphrase, unlocked for half an hour."""
        address = _address(private_key)
        keystore = create_keyfile_json(
            private_key, passphrase.encode(), kdf="scrypt", iterations=LIGHT_SCRYPT
        )
        self._stored[address] = StoredKey(address, keystore)
        self._hold(address, private_key, DEFAULT_UNLOCK_SECONDS)
        return address

    def _hold(self, address: Address, key: bytes, seconds: int) -> None:
        ends = self._monotonic() + seconds if seconds else None
        self._unlocked[address] = UnlockedKey(key, ends)

    def unlock(self, address: Address, passphrase: str, seconds: int) -> None:
        """Make an account sign for that many seconds, 0 for good.

        An impersonated one does so anyway. Raises `AccountUnknown` or `WrongPassphrase`.
        """
        if address in self._impersonated and address not in self._stored:
            return
        self._hold(address, self.open(address, passphrase), seconds)

    def lock(self, address: Address) -> bool:
        """Make an account stop signing; whether it was unlocked."""
        was_unlocked = self._current(address) is not None
        self._unlocked.pop(address, None)
        return was_unlocked

    def open(self, address: Address, passphrase: str) -> bytes:
        """An account's private key, opened with its passphrase.

        Raises `AccountUnknown` or `WrongPassphrase`.
        """
        stored = self._stored.get(address)
        if stored is None:
            raise _unknown(address)
        if stored.keystore is None:
            if passphrase:
                msg = f"wrong passphrase for 0x{address.hex()}: a funded account's is empty"
                raise WrongPassphrase(msg)
            return stored.private_key or b""
        try:
            return bytes(decode_keyfile_json(stored.keystore, passphrase.encode()))
        except ValueError as error:
            msg = f"wrong passphrase for 0x{address.hex()}"
            raise WrongPassphrase(msg) from error

    def key(self, address: Address) -> bytes:
        """The private key of an unlocked account; raises `AccountUnknown` or `AccountLocked`."""
        current = self._current(address)
        if current is not None:
            return current.private_key
        if address not in self._stored:
            raise _unknown(address)
        msg = f"account 0x{address.hex()} is locked: unlock it with personal_unlockAccount"
        raise AccountLocked(msg)

    def _current(self, address: Address) -> UnlockedKey | None:
        held = self._unlocked.get(address)
        if held and held.expires_at is not None and held.expires_at <= self._monotonic():
            del self._unlocked[address]
            return None
        return held

    def sign_message(
        self, address: Address, message: bytes, passphrase: str | None = None
    ) -> bytes:
        """65-byte signature (r, s, v) of a message under Ethereum's prefix line (EIP-191).

        With a passphrase the account need not be unlocked.
        """
        key = self.key(address) if passphrase is None else self.open(address, passphrase)
        signed = Account.sign_message(encode_defunct(message), key)
        return bytes(signed.signature)

    def sign_typed_data(self, address: Address, typed: dict[str, Any]) -> bytes:
        """65-byte signature (r, s, v) of typed data (EIP-712); raises `InvalidInput`."""
        key = self.key(address)
        return bytes(Account.sign_message(typed_data.encode(typed), key).signature)

    def checkpoint(self) -> AccountsCheckpoint:
        """What `restore` needs to return to the present state."""
        impersonated = tuple(self._impersonated)
        return AccountsCheckpoint(
            dict(self._stored), dict(self._unlocked), impersonated, self.impersonates_all
        )

    def restore(self, checkpoint: AccountsCheckpoint) -> None:
        """Restore a checkpoint."""
        self._stored = dict(checkpoint.stored)
        self._unlocked = dict(checkpoint.unlocked)
        self._impersonated = dict.fromkeys(checkpoint.impersonated)
        self.impersonates_all = checkpoint.impersonates_all

    def copy(self) -> Accounts:
        """A keystore that holds the same and goes on by itself."""
        twin = copy(self)
        twin.restore(self.checkpoint())
        return twin

    def reset(self) -> None:
        """Come back to the funded accounts, all unlocked."""
        self.restore(self._genesis)


def _derive(config: Config) -> list[bytes]:
    try:
        seed = seed_from_mnemonic(config.mnemonic, "")
        base = config.derivation_path.rstrip("/")
        return [bytes(key_from_seed(seed, f"{base}/{index}")) for index in range(config.accounts)]
    except (ValidationError, ValueError) as error:
        msg = f"mnemonic or derivation path cannot be used: {error}"
        raise ConfigError(msg) from error


def _address(private_key: bytes) -> Address:
    try:
        return Address(PrivateKey(private_key).public_key.to_canonical_address())
    except (ValidationError, ValueError) as error:
        msg = "a private key is 32 bytes, not zero and below the order of secp256k1"
        raise InvalidInput(msg) from error


def stand_in(address: Address) -> bytes:
    """The key that signs for an account that has none: what is signed is unlike any other's."""
    return keccak(b"devchain stands in for" + address)


def _unknown(address: Address) -> AccountUnknown:
    return AccountUnknown(f"no key is held for account 0x{address.hex()}")
