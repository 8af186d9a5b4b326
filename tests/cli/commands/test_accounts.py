"""`devchain.cli.commands.accounts`"""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from devchain.node import Node
from devchain.types import Address
from tests.accounts import ALICE_HEX, BOB_HEX
from tests.cli.conftest import Ran, Runner
from tests.cli.scripted import ScriptedClient

COW_KEY = "c85ef7d79691fe79573b1a7064c19c1a9819ebdbd1faaab1a8ec92344438aaf4"
ALICE = "0xf39FD6e51AAd88F6f4cE6Ab8827279CfFFB92266"
COW = "0xCd2a3d9F938E13Cd947eC05ABC7fe734df8DD826"


def type_in(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Put lines where the command reads them."""
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


class TestList:
    def test_all(self, devchain: Runner) -> None:
        """Every account has its line: checksummed address, balance, nonce."""
        devchain("send", BOB_HEX, "--value", "0.5rbtc")
        lines = devchain("accounts", "list").out.splitlines()

        assert len(lines) == 10
        assert lines[0] == (
            "0xf39FD6e51AAd88F6f4cE6Ab8827279CfFFB92266       9,999.5 RBTC  nonce 1"
        )

    def test_json(self, devchain: Runner) -> None:
        """--json is what the node answered: addresses in lower case."""
        assert f'"{ALICE_HEX}"' in devchain("accounts", "list", "--json").out

    def test_none(self, run_on: Callable[..., Ran]) -> None:
        """A node without accounts is no error."""
        ran = run_on(ScriptedClient(eth_accounts=[], eth_chainId="0x1f"), "accounts", "list")

        assert ran == Ran(0, "", "this node has no accounts\n")


class TestNew:
    def test_passphrase(self, devchain: Runner, node: Node) -> None:
        """A new account is printed and held by the node."""
        ran = devchain("accounts", "new", "--passphrase", "secret")

        assert ran.code == 0
        assert Address(bytes.fromhex(ran.out.strip()[2:])) in node.accounts.addresses()

    def test_seed(self, devchain: Runner) -> None:
        """The account of a seed is always the same."""
        ran = devchain("accounts", "new", "--seed", "cow")

        assert ran.out.strip().lower() == COW.lower()


class TestImport:
    def test_key_given(self, devchain: Runner) -> None:
        """A private key can be an argument."""
        ran = devchain("accounts", "import", COW_KEY, "--passphrase", "")

        assert ran.out.strip().lower() == COW.lower()

    def test_key_read(self, devchain: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
        """Key and passphrase are read from standard input, a line each."""
        type_in(monkeypatch, f"0x{COW_KEY}\nsecret\n")
        ran = devchain("accounts", "import")

        assert ran.out.strip().lower() == COW.lower()
        devchain("accounts", "lock", COW)
        assert devchain("accounts", "unlock", COW, "--passphrase", "secret").code == 0

    def test_no_key(self, devchain: Runner) -> None:
        """A text that is no key is the node's error."""
        assert devchain("accounts", "import", "abc", "--passphrase", "").code == 1


class TestLock:
    def test_and_unlock(self, devchain: Runner) -> None:
        """A locked account cannot send until it is unlocked; a funded one's passphrase is empty."""
        assert devchain("accounts", "lock", ALICE_HEX).out == f"Locked {ALICE}.\n"
        assert devchain("send", BOB_HEX).code == 1
        assert devchain("accounts", "lock", ALICE_HEX).out == f"{ALICE} was not unlocked.\n"

        unlocked = devchain("accounts", "unlock", ALICE_HEX, "--passphrase", "", "--for", "60")
        assert unlocked.out == f"Unlocked {ALICE} for 60 s.\n"
        assert devchain("send", BOB_HEX).code == 0

    def test_wrong_passphrase(self, devchain: Runner) -> None:
        """A wrong passphrase is an error, and the account stays locked."""
        devchain("accounts", "lock", ALICE_HEX)

        assert devchain("accounts", "unlock", ALICE_HEX, "--passphrase", "x").code == 1
        assert devchain("accounts", "list").out.splitlines()[0].endswith("nonce 0  locked")

    def test_key_not_held(self, run_on: Callable[..., Ran]) -> None:
        """A node that answers false does not hold the key."""
        node = ScriptedClient(personal_unlockAccount=False, eth_chainId="0x1f")
        ran = run_on(node, "accounts", "unlock", BOB_HEX, "--passphrase", "")

        assert ran.code == 1
        assert "it does not have its key" in ran.err


class TestSend:
    def test_locked(self, devchain: Runner) -> None:
        """The passphrase opens a locked account for one transaction."""
        devchain("accounts", "lock", ALICE_HEX)
        ran = devchain("accounts", "send", ALICE_HEX, BOB_HEX, "1gwei", "--passphrase", "")

        assert ran.out.startswith("Receipt ok\n")
        assert devchain("send", BOB_HEX).code == 1
