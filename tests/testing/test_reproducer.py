"""`devchain.testing.reproducer`"""

from __future__ import annotations

from typing import Any

import pytest

from devchain.contracts.abi import Param
from devchain.errors import VmError
from devchain.node import Node
from devchain.testing.reproducer import (
    EDITED,
    MOCKED,
    expression,
    integer_text,
    recorded_reads,
    reproducer,
)
from devchain.types import TransactionRequest
from tests.contracts.vault import VAULT


class TestReproducer:
    def test_sends_the_same(self, node: Node) -> None:
        """The program run on another node gives the same state."""
        accounts = node.funded_accounts
        vault = node.deploy(VAULT, 60, sender=accounts[1])
        vault.deposit(value=5 * 10**18, sender=accounts[2])
        node.deploy(VAULT, 60)
        node.time_travel(3_600)
        with pytest.raises(VmError):
            vault.withdraw(sender=accounts[0])
        node.transact(to=accounts[3], value=7)
        node.transact(to=b"\x0a" * 20, data=b"\x01\x02")
        vault.withdraw()

        lines = reproducer(node)

        assert lines[1] == "vault.deposit(sender=accounts[2], value=5 * 10**18)"
        assert lines[2].startswith('vault2 = devchain.deploy("Vault", 60')
        with Node(node.config, node.clock.copy()) as other:
            other.artifacts.add(VAULT)
            scope: dict[str, Any] = {"devchain": other, "accounts": other.funded_accounts}
            for line in lines:
                if "# failed" in line:
                    with pytest.raises(VmError):
                        exec(line, scope)  # noqa: S102  # the program under test
                else:
                    exec(line, scope)  # noqa: S102  # likewise
            state, own = (each.chain.state_at(each.chain.height) for each in (other, node))
            assert other.block_number == node.block_number
            for address in [*node.accounts.addresses()[:5], bytes(vault.address)]:
                assert state.balance(address) == own.balance(address)

    def test_from_a_block_on(self, node: Node) -> None:
        """Contracts that were there before are looked up."""
        vault = node.deploy(VAULT, 60)
        node.mine()
        vault.deposit(value=1)

        assert reproducer(node, 1) == [
            f'vault = devchain.contract("Vault", "{vault.address}")',
            "devchain.mine()",
            "vault.deposit(sender=accounts[0], value=1)",
        ]

    def test_is_short(self, node: Node) -> None:
        """Of many transactions the first are shown."""
        node.mine(100)

        assert reproducer(node)[-2:] == ["devchain.mine()", "..."]

    def test_edits_and_mocks(self, node: Node) -> None:
        """What the test edited or mocked is no transaction: comments say that it is left out."""
        account = node.funded_accounts[1]
        vault = node.deploy(VAULT, 60)
        node.set_balance(account, 5)
        node.mine()
        node.mock_call(vault.owner, returns=account)

        lines = reproducer(node)
        assert lines[1:] == [EDITED, "devchain.mine()", MOCKED]
        assert lines[0].startswith("vault = devchain.deploy(")

    def test_reads(self, node: Node) -> None:
        """It has the reads after the last transaction, and the same before it."""
        accounts = node.funded_accounts
        vault = node.deploy(VAULT, 60, sender=accounts[1])
        with recorded_reads(node) as reads:
            vault.opensAt()
            vault.deposits(accounts[2])
            vault.deposit(value=5, sender=accounts[2])
            vault.deposits(accounts[2])
            vault.deposits(accounts[2])
            vault.owner(sender=accounts[0])
            vault.at(1).deposits(accounts[2])
            node.balance(accounts[3])
            assert vault.contract.balance == 5
            with pytest.raises(VmError):
                vault.withdraw.call()
            copied = node.copy()
        node.balance(accounts[4])
        copied.balance(accounts[4])

        lines = reproducer(node, reads=reads)

        assert lines[1:] == [
            "vault.deposits(accounts[2])  # returned 0",
            "vault.deposit(sender=accounts[2], value=5)",
            "vault.deposits(accounts[2])  # returned 5",
            "vault.owner(sender=accounts[0])  # returned accounts[1]",
            "vault.contract.at(1).deposits(accounts[2])  # returned 0",
            "devchain.balance(accounts[3])  # 10**22",
            "vault.contract.balance  # 5",
            "vault.withdraw.call()  # failed: execution reverted: the vault is still closed",
        ]
        scope: dict[str, Any] = {"devchain": node, "accounts": accounts, "vault": vault}
        for line in lines[1:-1]:
            exec(line, scope)  # noqa: S102  # the program under test
        with pytest.raises(VmError):
            exec(lines[-1], scope)  # noqa: S102  # likewise

    def test_reads_of_reverted_blocks(self, node: Node) -> None:
        """What was read of blocks that are no longer there is left out; raw calls, too."""
        vault = node.deploy(VAULT, 60)
        with recorded_reads(node) as reads, node.snapshot():
            vault.deposit(value=5)
            vault.owner()
        with recorded_reads(node) as later:
            with pytest.raises(VmError):
                node.at().call(TransactionRequest(to=vault.address, data=b"\1\2\3\4"))
            node.at().call(TransactionRequest(to=node.funded_accounts[1].canonical))

        assert len(reproducer(node, reads=[*reads, *later])) == 1

    def test_reads_of_a_known_contract(self, node: Node) -> None:
        """A contract that was there before, and is only read, is looked up."""
        vault = node.deploy(VAULT, 60)
        with recorded_reads(node) as reads:
            vault.opensAt()

        assert reproducer(node, 1, reads) == [
            f'vault = devchain.contract("Vault", "{vault.address}")',
            f"vault.opensAt()  # returned {vault.opensAt()}",
        ]


class TestExpression:
    @pytest.mark.parametrize(
        ("kind", "value", "text"),
        [
            ("uint256", 0, "0"),
            ("uint256", 12_345, "12345"),
            ("uint256", 10**18, "10**18"),
            ("int256", -5 * 10**18, "-5 * 10**18"),
            ("uint256", 2**256 - 1, "2**256 - 1"),
            ("uint256", 2**255, "2**255"),
            ("bool", True, "True"),
            ("string", "a'\n", '"a\'\\n"'),
            ("bytes", b"\x01", '"0x01"'),
            ("uint8[]", [1, 2], "[1, 2]"),
            ("(address,(bool))", (b"\x01" * 20, (False,)), "(bob, (False,))"),
            ("address", bytes(20), '"0x0000000000000000000000000000000000000000"'),
        ],
    )
    def test_is_python(self, kind: str, value: Any, text: str) -> None:
        """Values are written as Python that contracts take."""
        assert expression(Param.from_text(kind), value, {b"\x01" * 20: "bob"}) == text

    @pytest.mark.parametrize("number", [2**64, -(2**255), 2**128 - 1, 3 * 10**9, 10**6, 7])
    def test_integers(self, number: int) -> None:
        """Integers keep their value."""
        assert eval(integer_text(number)) == number  # noqa: S307  # the text under test
