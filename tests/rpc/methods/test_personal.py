"""`devchain.rpc.methods.personal`"""

from __future__ import annotations

import pytest
from eth_account import Account
from eth_hash.auto import keccak

from devchain.client.http import LocalClient
from devchain.errors import AccountLocked, RpcFailure, WrongPassphrase
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
from devchain.types import Address, TransactionRequest, checksum
from tests.accounts import (
    ALICE,
    ALICE_HEX,
    BOB,
    BOB_HEX,
    UNFUNDED_HEX,
)

KEY = "42" * 32
OWNER = Address(bytes.fromhex(Account.from_key("0x" + KEY).address[2:]))


def refusal(client: LocalClient, method: str, *params: object) -> tuple[int, str]:
    """Code and message with which a call is refused."""
    with pytest.raises(RpcFailure) as caught:
        client.call(method, *params)
    return caught.value.code, caught.value.message


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


class TestNewAccountWithSeed:
    def test_key(self, node: Node) -> None:
        """It is unlocked for good."""
        made = new_account_with_seed(node, "tröte")

        assert dump_raw_key(node, made) == keccak("tröte".encode())


class TestImportRawKey:
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
    def test_locked(self, node: Node) -> None:
        """A locked account keeps its key to itself."""
        lock_account(node, ALICE)

        with pytest.raises(AccountLocked):
            dump_raw_key(node, ALICE)


class TestUnlockAccount:
    @pytest.mark.parametrize("seconds", [[], [None], [0], ["0x0"], [60], ["0x3c"], ["60"]])
    def test_unlocked(self, client: LocalClient, seconds: list[object]) -> None:
        """The passphrase lets it sign again, for so many seconds."""
        made = client.call("personal_importRawKey", KEY, "secret")
        client.call("personal_lockAccount", made)

        assert client.call("personal_unlockAccount", made, "secret", *seconds) is True

        assert client.call("personal_dumpRawKey", made) == "0x" + KEY

    def test_wrong(self, node: Node) -> None:
        """A wrong passphrase does not open it."""
        import_raw_key(node, KEY, "secret")
        lock_account(node, OWNER)

        with pytest.raises(WrongPassphrase, match="wrong passphrase"):
            unlock_account(node, OWNER, "guess")
        with pytest.raises(AccountLocked):
            dump_raw_key(node, OWNER)

    @pytest.mark.parametrize("seconds", [-1, 1.5, "soon", True, [], 2**64])
    def test_bad_duration(self, client: LocalClient, seconds: object) -> None:
        """A duration is a number of seconds from zero on."""
        code, message = refusal(client, "personal_unlockAccount", ALICE_HEX, "", seconds)

        assert code == -32602
        assert message.startswith("argument seconds: ")


class TestSendTransaction:
    def test_locked(self, node: Node) -> None:
        """The passphrase opens the key for this one transaction; the account stays locked."""
        lock_account(node, ALICE)

        sent = send_transaction(node, TransactionRequest(ALICE, BOB, value=1), "")

        assert node.chain.receipt(sent) is not None
        assert lock_account(node, ALICE) is False

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
