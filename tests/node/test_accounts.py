"""`devchain.node.accounts`"""

from __future__ import annotations

import pytest
from eth_account import Account
from eth_account.hdaccount import key_from_seed, seed_from_mnemonic
from eth_account.messages import encode_defunct

from devchain.config import MNEMONIC, Config
from devchain.errors import (
    AccountLocked,
    AccountUnknown,
    ConfigError,
    InvalidInput,
    LimitExceeded,
    WrongPassphrase,
)
from devchain.node import Node
from devchain.node.accounts import DEFAULT_UNLOCK_SECONDS, USUAL_PATH, Accounts
from devchain.types import Address, TransactionRequest
from tests.accounts import ADDRESSES, ALICE, ALICE_KEY, BOB, BOB_KEY, FUNDS, UNFUNDED
from tests.clocks import Stopwatch

COWS = (
    "cd2a3d9f938e13cd947ec05abc7fe734df8dd826",
    "7986b3df570230288501eea3d890bd66948c9b79",
    "0a3aa774752ec2042c46548456c094a76c7f3a79",
    "cf7cdbbb5f7ba79d3ffe74a0bba13fc0295f6036",
    "39b12c05e8503356e3a7df0b7b33efa4c054c409",
    "c354d97642faa06781b76ffb6786f72cd7746c97",
    "debe71e1de41fc77c44df4b6db940026e31b0e71",
    "7857288e171c6159c5576d1bd9ac40c0c48a771c",
    "a4dea4d5c954f5fd9e87f0e9752911e83a3d18b3",
    "09a1eda29f664ac8f68106f6567276df0c65d859",
)
"""The real node's regtest accounts."""

IMPORTED_KEY = bytes.fromhex("11" * 32)
IMPORTED = Address(bytes.fromhex(Account.from_key(IMPORTED_KEY).address[2:]))


@pytest.fixture
def watch() -> Stopwatch:
    """The clock that measures how long an account is unlocked."""
    return Stopwatch(100)


@pytest.fixture
def accounts(watch: Stopwatch) -> Accounts:
    """The accounts of a node on `test`."""
    return Accounts(Config(network="test"), watch)


class TestFunded:
    def test_well_known(self, accounts: Accounts) -> None:
        """The ten accounts are those Hardhat and anvil derive, in their order, unlocked."""
        assert accounts.addresses() == list(ADDRESSES)
        assert accounts.dev_keys[:2] == ((ALICE, ALICE_KEY), (BOB, BOB_KEY))
        assert accounts.key(ALICE) == ALICE_KEY
        assert accounts.balances() == dict.fromkeys(ADDRESSES, FUNDS)

    def test_usual_keys(self, watch: Stopwatch) -> None:
        """The keys that are not derived at a start are those that eth-account derives."""
        seed = seed_from_mnemonic(MNEMONIC, "")
        derived = [bytes(key_from_seed(seed, f"{USUAL_PATH}/{index}")) for index in range(21)]

        for count in (0, 1, 20, 21):
            accounts = Accounts(Config(network="test", accounts=count), watch)
            assert [key for _, key in accounts.dev_keys] == derived[:count]

    def test_cows(self, watch: Stopwatch) -> None:
        """`local` adds the real node's regtest accounts, each with 10^30 wei, unlocked."""
        accounts = Accounts(Config(network="local"), watch)
        cows = [Address(bytes.fromhex(text)) for text in COWS]

        assert accounts.addresses() == [*ADDRESSES, *cows]
        assert [accounts.balances()[cow] for cow in cows] == [10**30] * 10
        assert accounts.key(cows[0]).hex() == (
            "c85ef7d79691fe79573b1a7064c19c1a9819ebdbd1faaab1a8ec92344438aaf4"
        )

    def test_options(self, watch: Stopwatch) -> None:
        """Number, balance and path are the configuration's."""
        config = Config(network="test", accounts=3, balance=7, derivation_path="m/44'/60'/0'/1")
        accounts = Accounts(config, watch)

        assert len(accounts.addresses()) == 3
        assert set(accounts.addresses()).isdisjoint(ADDRESSES)
        assert set(accounts.balances().values()) == {7 * 10**18}

    def test_hosted(self, watch: Stopwatch) -> None:
        """A hosted node has no keys, not even of the accounts it funds."""
        accounts = Accounts(Config(network="test", hosted=True, api_key=("key",)), watch)

        assert accounts.addresses() == []
        with pytest.raises(AccountUnknown):
            accounts.key(ALICE)

    @pytest.mark.parametrize(
        "wrong",
        [
            {"mnemonic": ""},
            {"mnemonic": "test test test"},
            {"mnemonic": "not words of any list at all"},
            {"derivation_path": "44/60"},
            {"derivation_path": "m/x"},
            {"derivation_path": ""},
        ],
        ids=str,
    )
    def test_unusable(self, watch: Stopwatch, wrong: dict[str, str]) -> None:
        """An invalid mnemonic or derivation path is a ConfigError that says what they are."""
        with pytest.raises(ConfigError, match="A mnemonic is 12 to 24 words of a BIP-39 word list"):
            Accounts(Config(**wrong), watch)  # type: ignore[arg-type]  # by name

    def test_secrets_are_not_shown(self, accounts: Accounts) -> None:
        """No representation of a keystore shows a key."""
        accounts.add(IMPORTED_KEY, "secret")
        shown = repr(accounts.checkpoint()) + repr(accounts._stored) + repr(accounts._unlocked)

        assert ALICE_KEY.hex() not in shown
        assert repr(ALICE_KEY) not in shown
        assert "ciphertext" not in shown

    def test_named(self) -> None:
        """Accounts that an option names have their amount, also a derived one, but no key."""
        named = (f"0x{UNFUNDED.hex()}:5", f"0x{BOB.hex()}:7")
        with Node(fund_accounts=named) as node:
            assert (node.balance(UNFUNDED), node.balance(BOB)) == (5 * 10**18, 7 * 10**18)
            assert UNFUNDED not in node.accounts.addresses()

    def test_impersonated(self) -> None:
        """With an option every account sends from the start, and after a reset."""
        with Node(auto_impersonate=True, fund_accounts=f"0x{UNFUNDED.hex()}:1") as node:
            for _ in range(2):
                node.send(TransactionRequest(sender=UNFUNDED, to=BOB, value=1))
                node.reset()


class TestLocking:
    def test_lock(self, accounts: Accounts) -> None:
        """A locked account stays listed but cannot sign; locking it again is no error."""
        assert [accounts.lock(each) for each in (ALICE, ALICE, UNFUNDED)] == [True, False, False]

        for use in (accounts.key, lambda each: accounts.sign_message(each, b"hello")):
            with pytest.raises(AccountLocked, match="unlock it with personal_unlockAccount"):
                use(ALICE)
        assert ALICE in accounts.addresses()

    def test_funded_account_again(self, accounts: Accounts) -> None:
        """The passphrase of a funded account is empty."""
        accounts.lock(ALICE)
        with pytest.raises(WrongPassphrase, match="a funded account's is empty"):
            accounts.unlock(ALICE, "guess", 0)

        accounts.unlock(ALICE, "", 0)

        assert accounts.key(ALICE) == ALICE_KEY

    @pytest.mark.parametrize(
        ("seconds", "later", "is_open"),
        [(10, 9.9, True), (10, 10, False), (10, 11, False), (0, 10**9, True)],
    )
    def test_expiry(
        self,
        accounts: Accounts,
        watch: Stopwatch,
        seconds: int,
        later: float,
        is_open: bool,
    ) -> None:
        """An unlock ends after the given seconds; 0 means that it does not end."""
        accounts.lock(ALICE)
        accounts.unlock(ALICE, "", seconds)
        watch.seconds += later

        assert accounts.lock(ALICE) is is_open

    def test_no_key_of_the_address(self, accounts: Accounts) -> None:
        """An address without a key is unknown, not locked."""
        for use in (accounts.key, lambda each: accounts.unlock(each, "", 0)):
            with pytest.raises(
                AccountUnknown, match=f"no key is held for account 0x{UNFUNDED.hex()}"
            ):
                use(UNFUNDED)


class TestAdded:
    def test_import(self, accounts: Accounts, watch: Stopwatch) -> None:
        """An imported key is listed last and unlocked for half an hour."""
        assert accounts.add(IMPORTED_KEY, "secret") == IMPORTED
        assert accounts.addresses()[-1] == IMPORTED

        watch.seconds += DEFAULT_UNLOCK_SECONDS - 1
        assert accounts.key(IMPORTED) == IMPORTED_KEY
        watch.seconds += 1
        with pytest.raises(AccountLocked):
            accounts.key(IMPORTED)

    def test_passphrase(self, accounts: Accounts) -> None:
        """Only its passphrase decrypts an imported key; a wrong one unlocks nothing."""
        accounts.add(IMPORTED_KEY, "sécret ✓")
        accounts.lock(IMPORTED)

        for wrong in ("", "secret", "sécret ✓ "):
            with pytest.raises(WrongPassphrase, match="wrong passphrase"):
                accounts.unlock(IMPORTED, wrong, 0)
            with pytest.raises(AccountLocked):
                accounts.key(IMPORTED)
        assert accounts.open(IMPORTED, "sécret ✓") == IMPORTED_KEY

    def test_keystore(self, accounts: Accounts) -> None:
        """A stored key is a standard V3 keystore that other programs decrypt."""
        accounts.add(IMPORTED_KEY, "secret")

        keystore = accounts._stored[IMPORTED].keystore

        assert keystore is not None
        assert (keystore["version"], keystore["address"].lower()) == (3, IMPORTED.hex())
        assert bytes(Account.decrypt(keystore, "secret")) == IMPORTED_KEY

    def test_new(self, accounts: Accounts) -> None:
        """New accounts are random, listed in order, decrypted by their passphrase."""
        first, second = accounts.new("one"), accounts.new("two")

        assert accounts.addresses()[-2:] == [first, second]
        assert accounts.open(first, "one") == accounts.key(first)
        assert accounts.key(first) != accounts.key(second)

    def test_from_seed(self, accounts: Accounts, watch: Stopwatch) -> None:
        """A seed's key is its keccak-256, unlocked without end, as on the real node."""
        assert accounts.new_from_seed("cow").hex() == COWS[0]

        watch.seconds += 10**9
        assert accounts.key(accounts.new_from_seed("cow")) == accounts.open(
            Address(bytes.fromhex(COWS[0])), ""
        )
        assert len(accounts.addresses()) == len(ADDRESSES) + 1

    @pytest.mark.parametrize(
        "key", [b"", b"\x01", bytes(32), b"\xff" * 32, b"\x01" * 33], ids=lambda key: key[:4].hex()
    )
    def test_no_key(self, accounts: Accounts, key: bytes) -> None:
        """Bytes that are no private key are refused and nothing is listed."""
        with pytest.raises(InvalidInput, match="a private key is 32 bytes"):
            accounts.add(key, "secret")
        assert accounts.addresses() == list(ADDRESSES)


class TestSigning:
    @pytest.mark.parametrize("message", [b"", b"hello", b"\x00" * 100], ids=len)
    def test_message(self, accounts: Accounts, message: bytes) -> None:
        """The signer recovered from a signed message is the account (EIP-191)."""
        signature = accounts.sign_message(ALICE, message)

        found = Account.recover_message(encode_defunct(message), signature=signature)
        assert (len(signature), signature[64] in (27, 28)) == (65, True)
        assert found.lower() == f"0x{ALICE.hex()}"

    def test_typed_data_of_other_types(self, accounts: Accounts) -> None:
        """Typed data that does not fit its types is refused."""
        typed = {
            "types": {"Letter": [{"name": "to", "type": "uint8[1]"}]},
            "primaryType": "Letter",
            "domain": {"name": "Post"},
            "message": {"to": {}},
        }
        with pytest.raises(InvalidInput, match="cannot be encoded"):
            accounts.sign_typed_data(ALICE, typed)

    @pytest.mark.parametrize(
        ("domain", "signature"),
        [
            ({}, "da87197eb020923476a6d0149ca90bc1c894251cc30b38e0dd2cdd48567e1238"),
            ({"name": "x"}, "b57f7a83fd12e3e449d19a3fda6503babae93e314c702752330e6f29fdb8ba86"),
        ],
        ids=["empty", "name"],
    )
    def test_domain_alone(self, accounts: Accounts, domain: dict[str, str], signature: str) -> None:
        """A domain may be signed alone; these are the beginnings of anvil's signatures."""
        members = [{"name": name, "type": "string"} for name in domain]
        typed = {"types": {"EIP712Domain": members}, "primaryType": "EIP712Domain"}

        signed = accounts.sign_typed_data(ALICE, {**typed, "domain": domain, "message": {}})

        assert signed.hex()[:64] == signature

    def test_no_domain(self, accounts: Accounts) -> None:
        """Without a domain there is nothing to sign."""
        with pytest.raises(InvalidInput, match="cannot be encoded: KeyError"):
            accounts.sign_typed_data(ALICE, {"types": {}, "primaryType": "EIP712Domain"})


class TestCheckpoint:
    def test_reset(self, accounts: Accounts) -> None:
        """A reset leaves the funded accounts, all unlocked."""
        accounts.add(IMPORTED_KEY, "secret")
        accounts.lock(ALICE)

        accounts.reset()

        assert accounts.addresses() == list(ADDRESSES)
        assert accounts.key(ALICE) == ALICE_KEY


class TestImpersonation:
    def test_listed(self, accounts: Accounts) -> None:
        """An impersonated account comes after those with keys, once; it has no key."""
        accounts.impersonate(IMPORTED)
        accounts.impersonate(ALICE)

        assert accounts.addresses() == [*ADDRESSES, IMPORTED]
        assert accounts.impersonates(IMPORTED)
        with pytest.raises(AccountUnknown):
            accounts.key(IMPORTED)

    def test_key_first(self, accounts: Accounts) -> None:
        """An account signs with its own key as long as it can, impersonated or not."""
        accounts.impersonate(ALICE)
        assert not accounts.impersonates(ALICE)

        accounts.lock(ALICE)
        assert accounts.impersonates(ALICE)

    def test_all(self, accounts: Accounts) -> None:
        """Every account may be impersonated without being listed."""
        accounts.impersonates_all = True

        assert accounts.impersonates(IMPORTED)
        assert accounts.addresses() == list(ADDRESSES)

    def test_stop(self, accounts: Accounts) -> None:
        """Stopping returns whether the account was impersonated."""
        accounts.impersonate(IMPORTED)

        assert accounts.stop_impersonating(IMPORTED)
        assert not accounts.stop_impersonating(IMPORTED)

    def test_snapshot(self, accounts: Accounts) -> None:
        """A checkpoint has the impersonated accounts."""
        accounts.impersonate(IMPORTED)
        state = accounts.checkpoint()
        accounts.stop_impersonating(IMPORTED)
        accounts.impersonates_all = True
        accounts.restore(state)

        assert (accounts.impersonates(IMPORTED), accounts.impersonates_all) == (True, False)

    def test_unlock(self, accounts: Accounts) -> None:
        """Unlocking an impersonated account is no error: scripts for ganache do so."""
        accounts.impersonate(IMPORTED)
        accounts.unlock(IMPORTED, "anything", 0)

        assert accounts.impersonates(IMPORTED)


class TestRemove:
    def test_key(self, accounts: Accounts) -> None:
        """A key is removed only with its passphrase."""
        with pytest.raises(WrongPassphrase):
            accounts.remove(ALICE, "wrong")
        assert accounts.remove(ALICE, "")

        assert ALICE not in accounts.addresses()
        assert not accounts.remove(ALICE, "")


class TestRoom:
    def test_added_ones(self, node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
        """Only so many accounts can be added or impersonated; known ones can be again."""
        monkeypatch.setattr("devchain.node.accounts.MAX_ADDED_ACCOUNTS", 3)
        accounts = node.accounts
        accounts.impersonate(UNFUNDED)
        seeded = accounts.new_from_seed("a")
        accounts.new_from_seed("b")
        for add in (
            lambda: accounts.impersonate(Address(bytes(20))),
            lambda: accounts.new_from_seed("c"),
            lambda: accounts.new("secret"),
        ):
            with pytest.raises(LimitExceeded, match="at most 3 accounts"):
                add()
        accounts.impersonate(UNFUNDED)
        accounts.impersonate(seeded)

        accounts.stop_impersonating(seeded)
        accounts.stop_impersonating(UNFUNDED)
        accounts.impersonate(Address(bytes(20)))
