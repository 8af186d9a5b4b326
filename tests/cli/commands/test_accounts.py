"""`devchain.cli.commands.accounts`"""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from devchain.node import Node
from devchain.types import Address
from tests.accounts import ALICE_HEX, BOB_HEX
from tests.cli.conftest import Result, Runner
from tests.cli.scripted import ScriptedClient

COW_KEY = "c85ef7d79691fe79573b1a7064c19c1a9819ebdbd1faaab1a8ec92344438aaf4"
ALICE = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
BOB = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
COW = "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826"


def type_in(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Provide lines on standard input."""
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


class TestList:
    def test_all(self, devchain: Runner) -> None:
        """Every account has a line: checksummed address, balance, nonce."""
        devchain("send", BOB_HEX, "--value", "0.5rbtc")
        lines = devchain("accounts", "list").out.splitlines()

        assert len(lines) == 10
        assert lines[0] == ("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266  9,999.5 RBTC  nonce 1")

    def test_none(self, run_on: Callable[..., Result]) -> None:
        """A node without accounts is not an error."""
        outcome = run_on(ScriptedClient(eth_accounts=[], eth_chainId="0x1f"), "accounts", "list")

        assert outcome == Result(0, "", "this node has no accounts\n")


class TestNew:
    def test_passphrase(self, devchain: Runner, node: Node) -> None:
        """The address of a new account is printed, and the node lists it."""
        outcome = devchain("accounts", "new", "--passphrase", "secret")

        assert outcome.code == 0
        assert Address(bytes.fromhex(outcome.out.strip()[2:])) in node.accounts.addresses()


class TestImport:
    def test_key_read(self, devchain: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
        """Key and passphrase are read from standard input, a line each."""
        type_in(monkeypatch, f"0x{COW_KEY}\nsecret\n")
        outcome = devchain("accounts", "import")

        assert outcome.out.strip().lower() == COW.lower()
        devchain("accounts", "lock", COW)
        assert devchain("accounts", "unlock", COW, "--passphrase", "secret").code == 0

    def test_known(self, devchain: Runner) -> None:
        """That an account of the node has another passphrase now is said."""
        first, again = (
            devchain("accounts", "import", COW_KEY, "--passphrase", each) for each in ("", "secret")
        )

        assert (first.code, first.err) == (0, "")
        assert (again.code, again.out) == (0, first.out)
        assert again.err == (
            "warning: the node had this account already; its passphrase is now the one given here\n"
        )

    @pytest.mark.parametrize(
        ("words", "given", "missing"),
        [
            (["new"], "", "passphrase"),
            (["new"], "\n", "passphrase"),
            (["import", COW_KEY], "", "passphrase"),
            (["import"], f"{COW_KEY}\n", "passphrase"),
            (["import", "--passphrase", ""], "", "private key"),
            (["unlock", BOB], "", "passphrase"),
        ],
    )
    def test_nothing_on_standard_input(
        self,
        devchain: Runner,
        node: Node,
        monkeypatch: pytest.MonkeyPatch,
        words: list[str],
        given: str,
        missing: str,
    ) -> None:
        """What a script has lost is an error, no account with an empty passphrase."""
        type_in(monkeypatch, given)
        before = node.accounts.addresses()
        outcome = devchain("accounts", *words)

        assert (outcome.code, outcome.out) == (1, "")
        assert outcome.err.startswith(f"error: standard input has no {missing}: ")
        assert node.accounts.addresses() == before


class TestLock:
    def test_lock_and_unlock(self, devchain: Runner) -> None:
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

    def test_key_missing(self, run_on: Callable[..., Result]) -> None:
        """A node that returns false does not have the key."""
        node = ScriptedClient(personal_unlockAccount=False, eth_chainId="0x1f")
        outcome = run_on(node, "accounts", "unlock", BOB_HEX, "--passphrase", "")

        assert outcome.code == 1
        assert "it does not have its key" in outcome.err
