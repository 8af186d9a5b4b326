"""`devchain.rpc.methods.personal`"""

from __future__ import annotations

import pytest
from eth_account import Account
from eth_hash.auto import keccak

from devchain.client.http import LocalClient
from devchain.errors import AccountLocked, AccountUnknown, RpcFailure, WrongPassphrase
from devchain.node import Node
from devchain.rpc.methods.personal import (
    dump_raw_key,
    import_raw_key,
    list_accounts,
    lock_account,
    new_account,
    new_account_with_seed,
    send_transaction,
    unlock_account,
)
from devchain.rpc.scalar_decoders import Loose
from devchain.types import Address, TransactionRequest, checksum
from tests.accounts import (
    ADDRESSES,
    ALICE,
    ALICE_HEX,
    ALICE_KEY,
    BOB,
    BOB_HEX,
    UNFUNDED,
    UNFUNDED_HEX,
)

KEY = "42" * 32
OWNER = Address(bytes.fromhex(Account.from_key("0x" + KEY).address[2:]))


def refusal(client: LocalClient, method: str, *params: object) -> tuple[int, str]:
    """Code and message with which a call is refused."""
    with pytest.raises(RpcFailure) as caught:
        client.call(method, *params)
    return caught.value.code, caught.value.message


class TestListAccounts:
    def test_same_as_eth(self, client: LocalClient) -> None:
        """The list is that of `eth_accounts`."""
        client.call("personal_newAccountWithSeed", "cow")

        assert client.call("personal_listAccounts") == client.call("eth_accounts")

    def test_locked(self, node: Node) -> None:
        """Locked accounts are listed too."""
        lock_account(node, ALICE)

        assert list_accounts(node) == list(ADDRESSES)


class TestNewAccount:
    def test_drawn(self, node: Node) -> None:
        """Each has a key of its own, and is listed."""
        made = [new_account(node, "secret") for _ in range(2)]

        assert len(set(made)) == 2
        assert list_accounts(node)[-2:] == made

    def test_unlocked(self, node: Node) -> None:
        """It can sign at once."""
        made = new_account(node, "secret")

        assert Account.from_key(dump_raw_key(node, made)).address.lower() == "0x" + made.hex()

    @pytest.mark.parametrize("params", [[], [None], [1], [{}], ["a", "b"]])
    def test_refused(self, client: LocalClient, params: list[object]) -> None:
        """It takes one passphrase, a string."""
        assert refusal(client, "personal_newAccount", *params)[0] == -32602


class TestNewAccountWithSeed:
    def test_cow(self, client: LocalClient) -> None:
        """The key is keccak-256 of the seed: `cow` is the real node's."""
        actual = client.call("personal_newAccountWithSeed", "cow")

        assert actual == "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826"

    def test_key(self, node: Node) -> None:
        """It is unlocked for good."""
        made = new_account_with_seed(node, "tröte")

        assert dump_raw_key(node, made) == keccak("tröte".encode())


class TestImportRawKey:
    @pytest.mark.parametrize("key", [KEY, "0x" + KEY])
    def test_imported(self, node: Node, key: str) -> None:
        """A key is 64 hex digits, with 0x or without."""
        assert import_raw_key(node, key, "secret") == OWNER
        assert dump_raw_key(node, OWNER) == bytes.fromhex(KEY)

    @pytest.mark.parametrize(
        "key", ["", "0x", KEY[:-1], KEY + "00", "g" * 64, "0X" + KEY, KEY + "\n"]
    )
    def test_not_a_key(self, client: LocalClient, key: str) -> None:
        """Anything else is refused, and not repeated in the sentence."""
        assert refusal(client, "personal_importRawKey", key, "secret") == (
            -32602,
            "a private key is 64 hex digits, with or without 0x before them",
        )

    @pytest.mark.parametrize("key", ["00" * 32, "ff" * 32])
    def test_not_on_the_curve(self, client: LocalClient, key: str) -> None:
        """Zero and numbers beyond the curve's order are no keys."""
        assert refusal(client, "personal_importRawKey", key, "secret") == (
            -32602,
            "a private key is 32 bytes, not zero and below the order of secp256k1",
        )


class TestDumpRawKey:
    def test_on_the_wire(self, client: LocalClient) -> None:
        """A key leaves as DATA."""
        assert client.call("personal_dumpRawKey", ALICE_HEX) == "0x" + ALICE_KEY.hex()

    def test_locked(self, node: Node) -> None:
        """A locked account keeps its key to itself."""
        lock_account(node, ALICE)

        with pytest.raises(AccountLocked):
            dump_raw_key(node, ALICE)

    def test_unknown(self, client: LocalClient) -> None:
        """An account without a key is an error."""
        assert refusal(client, "personal_dumpRawKey", UNFUNDED_HEX) == (
            -32000,
            f"no key is held for account {UNFUNDED_HEX}",
        )


class TestUnlockAccount:
    @pytest.mark.parametrize("seconds", [[], [None], [0], ["0x0"], [60], ["0x3c"], ["60"]])
    def test_unlocked(self, client: LocalClient, seconds: list[object]) -> None:
        """The passphrase lets it sign again, for so many seconds."""
        made = client.call("personal_importRawKey", KEY, "secret")
        client.call("personal_lockAccount", made)

        assert client.call("personal_unlockAccount", made, "secret", *seconds) is True

        assert client.call("personal_dumpRawKey", made) == "0x" + KEY

    def test_funded(self, node: Node) -> None:
        """A funded account's passphrase is the empty text."""
        lock_account(node, ALICE)

        assert unlock_account(node, ALICE, "") is True
        assert dump_raw_key(node, ALICE) == ALICE_KEY

    def test_wrong(self, node: Node) -> None:
        """A wrong passphrase does not open it."""
        import_raw_key(node, KEY, "secret")
        lock_account(node, OWNER)

        with pytest.raises(WrongPassphrase, match="wrong passphrase"):
            unlock_account(node, OWNER, "guess")
        with pytest.raises(AccountLocked):
            dump_raw_key(node, OWNER)

    def test_unknown(self, node: Node) -> None:
        """An account without a key cannot be unlocked."""
        with pytest.raises(AccountUnknown):
            unlock_account(node, UNFUNDED, "", Loose(1))

    @pytest.mark.parametrize("seconds", [-1, 1.5, "soon", True, [], 2**64])
    def test_bad_duration(self, client: LocalClient, seconds: object) -> None:
        """A duration is a number of seconds from zero on."""
        code, message = refusal(client, "personal_unlockAccount", ALICE_HEX, "", seconds)

        assert code == -32602
        assert message.startswith("argument seconds: ")

    def test_code_of_a_wrong_passphrase(self, client: LocalClient) -> None:
        """On the wire it is -32000."""
        assert refusal(client, "personal_unlockAccount", ALICE_HEX, "guess") == (
            -32000,
            f"wrong passphrase for {checksum(ALICE)}: a funded account's is empty",
        )


class TestLockAccount:
    def test_locked(self, node: Node) -> None:
        """It answers whether the account could sign before."""
        assert [lock_account(node, ALICE), lock_account(node, ALICE)] == [True, False]

    def test_unknown(self, client: LocalClient) -> None:
        """An account without a key could not sign before."""
        assert client.call("personal_lockAccount", UNFUNDED_HEX) is False


class TestSendTransaction:
    def test_locked(self, node: Node) -> None:
        """The passphrase opens the key for this one transaction; the account stays locked."""
        lock_account(node, ALICE)

        sent = send_transaction(node, TransactionRequest(ALICE, BOB, value=1), "")

        assert node.chain.receipt(sent) is not None
        assert lock_account(node, ALICE) is False

    def test_on_the_wire(self, client: LocalClient) -> None:
        """The hash is answered."""
        sent = client.call("personal_sendTransaction", {"from": ALICE_HEX, "to": BOB_HEX}, "")

        assert client.call("eth_getTransactionReceipt", sent)["status"] == "0x1"

    @pytest.mark.parametrize(
        ("request_object", "passphrase", "expected"),
        [
            (
                {"from": ALICE_HEX},
                "guess",
                (-32000, f"wrong passphrase for {checksum(ALICE)}: a funded account's is empty"),
            ),
            ({"from": UNFUNDED_HEX}, "", (-32000, f"no key is held for account {UNFUNDED_HEX}")),
            ({"to": BOB_HEX}, "", (-32602, "from is missing: name the account that sends")),
        ],
        ids=["wrong passphrase", "unknown account", "no sender"],
    )
    def test_refused(
        self, client: LocalClient, request_object: object, passphrase: str, expected: object
    ) -> None:
        """A wrong passphrase and an unknown account are refused with a reason."""
        actual = refusal(client, "personal_sendTransaction", request_object, passphrase)

        assert actual == expected
