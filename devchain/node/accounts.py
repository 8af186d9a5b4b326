"""Accounts: private keys, locked and unlocked; impersonation; signing messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, NoReturn

from eth_hash.auto import keccak
from eth_keys.datatypes import PrivateKey
from eth_utils.exceptions import ValidationError

from devchain.config import MNEMONIC, Config, Limit
from devchain.errors import (
    AccountLocked,
    AccountUnknown,
    ConfigError,
    InvalidInput,
    LimitExceeded,
    WrongPassphrase,
)
from devchain.networks import RBTC
from devchain.types import Address, address_of, checksum

MAX_ADDED_ACCOUNTS: Annotated[
    int,
    Limit(
        "JSON-RPC",
        "Accounts created, imported or impersonated, besides the funded ones.",
        "No more are added: error -32012.",
    ),
] = 10_000
DEFAULT_UNLOCK_SECONDS = 1_800
DOMAIN_TYPE = "EIP712Domain"
LIGHT_SCRYPT = 4_096  # geth's "light" work factor, enough for test keys
USUAL_PATH = "m/44'/60'/0'/0"
USUAL_KEYS = (
    "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
    "59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
    "5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
    "7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6",
    "47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a",
    "8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba",
    "92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e",
    "4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356",
    "dbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97",
    "2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6",
    "f214f2b2cd398c806f84e317254e0f0b801d0643303237d97a22a48e01628897",
    "701b615bbdfb9de65240bc28bd21bbc0d996645a3dd57e7b12bc2bdf6f192c82",
    "a267530f49f8280200edf313ee7af6b827f2a8bce2897751d06a843f644967b1",
    "47c99abed3324a2707c28affff1267e45918ec8c3f20b8aa892e8b065d2942dd",
    "c526ee95bf44d8fc405a158bb884d9d1238d99f0612e9f33d006bb0789009aaa",
    "8166f546bab6da521a8369cab06c5d2b9e46670292d85c875ee9ec20e84ffb61",
    "ea6c44ac03bff858b476bba40716402b03e41b8e97e276d1baec7c37d42484a0",
    "689af8efa8c651a91ad287602527f3af2fe9f6501a7ac4b061667b5a93e037fd",
    "de9be858da4a475276426320d5e9262ecfc3ba460bfac56360bfa6c4c28b4ee0",
    "df57089febbacf7ba0bc227dafbffa9fc08a93fdc68e1e42411a14efcf23656e",
)
"""The first keys of the default mnemonic, known to everybody, so that a start derives none."""


@dataclass(frozen=True, slots=True)
class StoredKey:
    """A private key at rest: in a V3 keystore, or unencrypted for a funded account."""

    address: Address
    keystore: dict[str, Any] | None = field(repr=False)
    private_key: bytes | None = field(repr=False, default=None)


@dataclass(frozen=True, slots=True)
class UnlockedKey:
    """A private key ready to sign until `expires_at` (monotonic seconds), None for good."""

    private_key: bytes = field(repr=False)
    expires_at: float | None = None


@dataclass(frozen=True, slots=True)
class AccountsCheckpoint:
    """The part of a snapshot that restores `Accounts`."""

    stored: dict[Address, StoredKey] = field(repr=False)
    unlocked: dict[Address, UnlockedKey] = field(repr=False)
    impersonated: tuple[Address, ...] = ()
    impersonates_all: bool = False


class Accounts:
    """The accounts that can send from this node.

    Funded accounts are unlocked at the start; their passphrase is empty. Impersonated accounts send
    transactions without a key; with `impersonates_all` every account does.
    """

    def __init__(
        self,
        config: Config,
        monotonic: Callable[[], float],
        dev_keys: tuple[tuple[Address, bytes], ...] | None = None,
    ) -> None:
        """Derive the funded accounts unless given; raises `ConfigError` where they cannot be."""
        self._config = config
        self._monotonic = monotonic
        self.dev_keys = dev_keys or tuple((_address(key), key) for key in _derive_keys(config))
        """The accounts derived from the mnemonic with their private keys, in order."""
        keys = [keccak(seed.encode()) for seed in config.rules.seeds]
        self._network_keys = tuple((_address(key), key) for key in keys)
        funded = dict((*self.dev_keys, *self._network_keys))
        if config.preset.network_accounts_first:
            funded = dict((*self._network_keys, *self.dev_keys))
        if config.hosted:  # users who know the mnemonic can sign; the node itself cannot
            funded = {}
        self._genesis = AccountsCheckpoint(
            stored={address: StoredKey(address, None, key) for address, key in funded.items()},
            unlocked={address: UnlockedKey(key) for address, key in funded.items()},
            impersonates_all=config.auto_impersonate,
        )
        self.restore(self._genesis)

    def copy(self, monotonic: Callable[[], float]) -> Accounts:
        copied = Accounts(self._config, monotonic, self.dev_keys)
        copied.restore(self.checkpoint())
        return copied

    def __getitem__(self, index: object) -> NoReturn:
        raise TypeError(
            "node.accounts holds the keys: write node.funded_accounts[0], or in tests accounts[0] "
            "with the fixture accounts"
        )

    def balances(self) -> dict[Address, int]:
        balance, network_balance = self._config.balance * RBTC, self._config.rules.seed_balance
        dev = {address: balance for address, _ in self.dev_keys}
        network = {address: network_balance for address, _ in self._network_keys}
        named = (text.split(":") for text in self._config.fund_accounts)
        return dev | network | {address_of(name): int(amount) * RBTC for name, amount in named}

    def addresses(self) -> list[Address]:
        """Every account with a key, locked or not, then the impersonated ones."""
        return list(dict.fromkeys([*self._stored, *self._impersonated]))

    # Keys

    def new(self, passphrase: str) -> Address:
        from eth_account import Account

        return self.add(bytes(Account.create().key), passphrase)

    def new_from_seed(self, seed: str) -> Address:
        """Create the account whose key is keccak-256 of the seed's UTF-8, unlocked for good."""
        key = keccak(seed.encode())
        address = _address(key)
        self._check_limit(address)
        self._store_unencrypted(address, key)
        return address

    def _check_limit(self, address: Address) -> None:
        is_known = address in self._stored or address in self._impersonated
        added = len(self._stored) + len(self._impersonated) - len(self._genesis.stored)
        if added >= MAX_ADDED_ACCOUNTS and not is_known:
            raise LimitExceeded(
                f"at most {MAX_ADDED_ACCOUNTS} accounts can be added or impersonated: remove some, "
                "or stop impersonating some"
            )

    def add(self, private_key: bytes, passphrase: str) -> Address:
        """Store a key under the passphrase, unlocked for half an hour; its address."""
        address = _address(private_key)
        self._check_limit(address)
        from eth_keyfile import create_keyfile_json

        keystore = create_keyfile_json(
            private_key, passphrase.encode(), kdf="scrypt", iterations=LIGHT_SCRYPT
        )
        self._stored[address] = StoredKey(address, keystore)
        self._unlock_key(address, private_key, DEFAULT_UNLOCK_SECONDS)
        return address

    def remove(self, address: Address, passphrase: str) -> bool:
        """Delete an account's key, or stop impersonating it; whether it was known."""
        if address not in self._stored:
            return self.stop_impersonating(address)
        self.open(address, passphrase)
        self._unlocked.pop(address, None)
        del self._stored[address]
        return True

    def unlock(self, address: Address, passphrase: str, seconds: float) -> None:
        """Let an account sign for that many seconds, 0 for good; raises as `open` does."""
        if address in self._impersonated and address not in self._stored:
            return
        self._unlock_key(address, self.open(address, passphrase), seconds)

    def lock(self, address: Address) -> bool:
        """Stop an account from signing; whether it was unlocked."""
        was_unlocked = self.is_unlocked(address)
        self._unlocked.pop(address, None)
        return was_unlocked

    def is_unlocked(self, address: Address) -> bool:
        return self._unlocked_key(address) is not None

    def open(self, address: Address, passphrase: str) -> bytes:
        """An account's private key; raises `AccountUnknown` or `WrongPassphrase`."""
        stored = self._stored.get(address)
        if stored is None:
            raise _unknown(address)
        if stored.keystore is None:
            if passphrase:
                raise WrongPassphrase(
                    f"wrong passphrase for {checksum(address)}: a funded account's is empty"
                )
            return stored.private_key or b""
        from eth_keyfile import decode_keyfile_json

        try:
            return bytes(decode_keyfile_json(stored.keystore, passphrase.encode()))
        except ValueError as error:
            raise WrongPassphrase(f"wrong passphrase for {checksum(address)}") from error

    def key(self, address: Address) -> bytes:
        """The private key of an unlocked account; raises `AccountUnknown` or `AccountLocked`."""
        unlocked = self._unlocked_key(address)
        if unlocked is not None:
            return unlocked.private_key
        if address not in self._stored:
            raise _unknown(address)
        raise AccountLocked(
            f"account {checksum(address)} is locked: unlock it with personal_unlockAccount "
            "(devchain accounts unlock)",
            address="0x" + address.hex(),
        )

    def _unlock_key(self, address: Address, key: bytes, seconds: float) -> None:
        expires_at = self._monotonic() + seconds if seconds else None
        self._unlocked[address] = UnlockedKey(key, expires_at)

    def _unlocked_key(self, address: Address) -> UnlockedKey | None:
        key = self._unlocked.get(address)
        if key and key.expires_at is not None and key.expires_at <= self._monotonic():
            del self._unlocked[address]
            return None
        return key

    def _store_unencrypted(self, address: Address, key: bytes) -> None:
        self._stored[address] = StoredKey(address, None, key)
        self._unlocked[address] = UnlockedKey(key)

    # Impersonation

    def impersonate(self, address: Address) -> None:
        """Let an account send transactions without a key; raises `LimitExceeded`."""
        self._check_limit(address)
        self._impersonated[address] = None

    def stop_impersonating(self, address: Address) -> bool:
        """Stop an account from sending without a key; whether it was impersonated."""
        return self._impersonated.pop(address, False) is None

    def impersonated(self) -> list[Address]:
        """The accounts impersonated one by one, without those of `impersonates_all`."""
        return list(self._impersonated)

    def impersonates(self, address: Address) -> bool:
        """Whether an account sends without a key: impersonated, and no unlocked key can sign."""
        allowed = self.impersonates_all or address in self._impersonated
        return allowed and self._unlocked_key(address) is None

    # Signing messages

    def sign_message(
        self, address: Address, message: bytes, passphrase: str | None = None
    ) -> bytes:
        """65-byte signature (r, s, v) of a message under Ethereum's prefix line (EIP-191)."""
        key = self.key(address) if passphrase is None else self.open(address, passphrase)
        from eth_account import Account
        from eth_account.messages import encode_defunct

        return bytes(Account.sign_message(encode_defunct(message), key).signature)

    def sign_typed_data(self, address: Address, typed: dict[str, Any]) -> bytes:
        """65-byte signature (r, s, v) of typed data (EIP-712); raises `InvalidInput`."""
        from eth_account import Account
        from eth_account._utils.encode_typed_data.encoding_and_hashing import hash_domain
        from eth_account.messages import SignableMessage, encode_typed_data

        key = self.key(address)
        try:
            if typed.get("primaryType") == DOMAIN_TYPE:  # of the domain alone
                encoded = SignableMessage(b"\x01", hash_domain(typed["domain"]), b"")
            else:
                encoded = encode_typed_data(full_message=typed)
        except Exception as error:  # malformed data makes eth_account raise errors of many types
            raise InvalidInput(
                f"typed data cannot be encoded: {type(error).__name__}: {str(error)[:200]}"
            ) from error
        return bytes(Account.sign_message(encoded, key).signature)

    # Persistence and snapshots

    def added_keys(self) -> dict[Address, StoredKey]:
        """The keys created or imported on this node, not derived from the configuration."""
        funded = self._genesis.stored
        return {address: key for address, key in self._stored.items() if key != funded.get(address)}

    def configured_key(self, address: Address) -> StoredKey | None:
        return self._genesis.stored.get(address)

    def load_keystores(self, keystores: Mapping[Address, dict[str, Any]]) -> None:
        """Store the keys of a data dir or a dump, locked."""
        for address, keystore in keystores.items():
            self._stored[address] = StoredKey(address, keystore)
            self._unlocked.pop(address, None)

    def unlock_with_empty_passphrase(self, address: Address) -> None:
        """Unlock an account with an empty passphrase for good; raises as `open` does."""
        self._store_unencrypted(address, self.open(address, ""))

    def checkpoint(self) -> AccountsCheckpoint:
        return AccountsCheckpoint(
            dict(self._stored),
            dict(self._unlocked),
            tuple(self._impersonated),
            self.impersonates_all,
        )

    def restore(self, checkpoint: AccountsCheckpoint) -> None:
        self._stored = dict(checkpoint.stored)
        self._unlocked = dict(checkpoint.unlocked)
        self._impersonated = dict.fromkeys(checkpoint.impersonated)
        self.impersonates_all = checkpoint.impersonates_all

    def reset(self) -> None:
        self.restore(self._genesis)


def _derive_keys(config: Config) -> list[bytes]:
    base = config.derivation_path.rstrip("/")
    is_usual = config.mnemonic == MNEMONIC and base == USUAL_PATH
    if is_usual and config.accounts <= len(USUAL_KEYS):
        return list(map(bytes.fromhex, USUAL_KEYS[: config.accounts]))
    from eth_account.hdaccount import key_from_seed, seed_from_mnemonic

    try:
        seed = seed_from_mnemonic(config.mnemonic, "")
        return [bytes(key_from_seed(seed, f"{base}/{index}")) for index in range(config.accounts)]
    except (ValidationError, ValueError) as error:
        reason = str(error).rstrip("!. ")
        raise ConfigError(
            f"mnemonic or derivation path cannot be used: {reason}. A mnemonic is 12 to 24 words "
            "of a BIP-39 word list with a checksum, a derivation path is like m/44'/60'/0'/0"
        ) from error


def _address(private_key: bytes) -> Address:
    try:
        return Address(PrivateKey(private_key).public_key.to_canonical_address())
    except (ValidationError, ValueError) as error:
        raise InvalidInput(
            "a private key is 32 bytes, not zero and below the order of secp256k1"
        ) from error


def placeholder_key(address: Address) -> bytes:
    """The key that signs for an account without one, so that no two senders' hashes are equal.

    The transaction's sender is set to the account afterwards.
    """
    return keccak(b"devchain stands in for" + address)


def _unknown(address: Address) -> AccountUnknown:
    name = "0x" + address.hex()
    return AccountUnknown(f"no key is held for account {name}", address=name)
