"""`devchain.rpc.methods.personal`"""

from __future__ import annotations

import pytest

from devchain.client.http import LocalClient
from devchain.errors import RpcFailure
from devchain.types import checksum
from tests.accounts import (
    ALICE,
    ALICE_HEX,
    BOB_HEX,
    UNFUNDED_HEX,
)

KEY = "42" * 32


def refusal(client: LocalClient, method: str, *params: object) -> tuple[int, str]:
    """Code and message with which a call is refused."""
    with pytest.raises(RpcFailure) as caught:
        client.call(method, *params)
    return caught.value.code, caught.value.message


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


class TestUnlockAccount:
    @pytest.mark.parametrize("seconds", [[], [None], [0], ["0x0"], [60], ["0x3c"], ["60"]])
    def test_unlocked(self, client: LocalClient, seconds: list[object]) -> None:
        """The passphrase lets it sign again, for so many seconds."""
        made = client.call("personal_importRawKey", KEY, "secret")
        client.call("personal_lockAccount", made)

        assert client.call("personal_unlockAccount", made, "secret", *seconds) is True

        assert client.call("personal_dumpRawKey", made) == "0x" + KEY

    @pytest.mark.parametrize("seconds", [-1, 1.5, "soon", True, [], 2**64])
    def test_bad_duration(self, client: LocalClient, seconds: object) -> None:
        """A duration is a number of seconds from zero on."""
        code, message = refusal(client, "personal_unlockAccount", ALICE_HEX, "", seconds)

        assert code == -32602
        assert message.startswith("argument seconds: ")


class TestSendTransaction:
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
