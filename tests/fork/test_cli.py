"""What the commands show of a fork without its upstream."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from devchain.cli.main import main
from devchain.cli.options import connecting
from devchain.client.http import LocalClient
from devchain.errors import VmError
from devchain.node import Node
from devchain.types import checksum
from tests.contracts.vault import VAULT
from tests.fork.upstreams import fork_of

Commands = Callable[..., tuple[int, str, str]]
MISSING = "is not known (it is not in "


@pytest.fixture
def upstream() -> Node:
    """A node whose block 2 has a failed transaction and block 3 another."""
    node = Node(fixed_clock=1_700_000_000)
    vault = node.deploy(VAULT, 100)
    alice, bob = node.accounts.addresses()[:2]
    for sender in (bob, alice):
        with pytest.raises(VmError):
            vault.withdraw(sender=sender)
    return node


@pytest.fixture
def offline(
    upstream: Node, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Commands]:
    """Run commands on a fork, then return what runs others on what it has recorded."""

    def record(*recorded: tuple[str, ...]) -> Commands:
        cache = str(tmp_path / "forks.sqlite")
        fork, _ = fork_of(upstream, fork_cache=cache, storage_caching=True)
        with fork, connecting(lambda _: LocalClient(fork)):
            for each in recorded:
                main(each)
        capsys.readouterr()
        again = Node(offline=True, fork_cache=cache, artifacts=())
        again.artifacts.add(VAULT)

        def run(*words: str) -> tuple[int, str, str]:
            with connecting(lambda _: LocalClient(again)):
                code = main(words)
            return code, *capsys.readouterr()

        return run

    return record


def hash_in(node: Node, number: int) -> str:
    """The hash of the transaction in a block."""
    return f"0x{node.chain.block(number).transactions[0].hash.hex()}"


def test_a_transaction_without_its_trace(upstream: Node, offline: Callable[..., Commands]) -> None:
    """One warning names the first value that is missing, and how to record it."""
    tx_hash = hash_in(upstream, 2)
    run = offline(
        ("rpc", "eth_getTransactionByHash", tx_hash), ("rpc", "eth_getTransactionReceipt", tx_hash)
    )
    code, out, err = run("inspect", "tx", tx_hash)

    assert (code, out.splitlines()[0]) == (0, "Transaction failed")
    assert err.startswith("warning: not all is shown: block 1 of chain 33 is not known")
    assert err.count(MISSING) == 1
    assert "to record it, run this once on a node started with `devchain start --fork-url" in err


def test_a_recorded_trace(upstream: Node, offline: Callable[..., Commands]) -> None:
    """A transaction that failed before the fork has the reason that its calls have."""
    tx_hash = hash_in(upstream, 2)
    run = offline(("inspect", "tx", tx_hash))
    code, out, err = run("inspect", "tx", tx_hash)

    assert (code, err) == (0, "")
    assert "\nReason        custom error NotOwner(caller=0x70997970C51812dc3A010C7d01b50e0d" in out


def test_a_block_without_receipts(offline: Callable[..., Commands]) -> None:
    """Transactions whose receipts are not recorded are not pending."""
    code, out, err = offline()("inspect", "block", "3")

    assert (code, err.count(MISSING)) == (0, 1)
    assert "  0 mined     0x" in out


def test_a_call(upstream: Node, offline: Callable[..., Commands]) -> None:
    """A call of what is not recorded is one error."""
    code, out, err = offline()("call", "0x" + "77" * 20, "0x12345678")

    assert (code, out, err.count(MISSING)) == (1, "", 1)


def test_storage(upstream: Node, capsys: pytest.CaptureFixture[str]) -> None:
    """Keys of mappings that were used before the fork are said to be missing."""
    fork, _ = fork_of(upstream)
    fork.artifacts.add(VAULT)
    vault = fork.contract(VAULT, upstream.chain.block(1).receipts[0].contract_address)

    def inspect(address: str, *options: str) -> str:
        with connecting(lambda _: LocalClient(fork)):
            assert main(("inspect", "storage", address, *options)) == 0
        return capsys.readouterr().err

    said = inspect(checksum(vault.address))
    vault.deposit(value=5)

    assert said == inspect(checksum(vault.address))
    assert said == (
        "Of mappings only keys used since the fork at block 3 are known: what is stored under "
        "earlier keys is not shown.\n"
    )
    assert inspect(checksum(vault.address), "0") == inspect(checksum(vault.address), "--json") == ""
    assert inspect(checksum(fork.deploy(VAULT, 100).address)) == ""
    assert inspect(checksum(fork.funded_accounts[0].canonical)) == ""
    fork.close()
