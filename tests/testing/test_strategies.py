"""`devchain.testing.strategies`"""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from devchain import strategies
from devchain.contracts.abi import Abi, Param
from devchain.contracts.contract import Contract
from devchain.errors import InvalidInput
from devchain.node import Node
from devchain.testing.dictionary import code_constants, dictionary_of
from tests.bytecode import assemble
from tests.contracts.vault import VAULT

DAY = 86_400
TYPES = (
    *("uint256", "uint8", "int256", "int16", "address", "bool", "bytes", "bytes4", "bytes32"),
    *("string", "function", "fixed128x18", "ufixed8x1", "uint256[]", "uint8[3]", "string[][2]"),
    *("decimal", "decimal[2]", "(address,uint8[])[2]", "((bool,string),bytes32)"),
)
QUICK = settings(max_examples=60, database=None, deadline=None)


@pytest.fixture
def vault(node: Node) -> Contract:
    """A vault that opens after a day, with a deposit."""
    vault = node.deploy(VAULT, DAY)
    vault.deposit(value=777, sender=node.funded_accounts[1])
    return vault


def found(strategy: Any, condition: Any) -> Any:
    """The smallest value that Hypothesis finds."""
    return find(strategy, condition, settings=settings(max_examples=2_000, database=None))


class TestValue:
    @pytest.mark.parametrize("kind", TYPES)
    def test_every_type(self, kind: str) -> None:
        """Whatever is drawn can be encoded as the type, and its whole range is drawn."""
        param = Param.from_text(kind)

        @QUICK
        @given(strategies.value(kind))
        def check(drawn: Any) -> None:
            param.encode(drawn)

        check()

    @pytest.mark.parametrize(
        "kind", ["uint257", "uint256[0]", "", "tuple", "(uint256", "uint8[-1]"]
    )
    def test_no_type(self, kind: str) -> None:
        """What is no type is refused."""
        with pytest.raises(InvalidInput, match="no ABI type"):
            strategies.value(kind)

    @pytest.mark.parametrize("number", [0, 1, 2**256 - 1, 2**255 - 1, 777, 776, 778])
    def test_numbers(self, vault: Contract, number: int) -> None:
        """Boundaries are drawn, and values that the contract has stored or logged."""
        assert found(strategies.value("uint256", vault), lambda each: each == number) == number

    def test_without_a_contract(self) -> None:
        """What only a chain knows is not drawn without one."""
        with pytest.raises(NoSuchExample):
            found(strategies.value("uint256"), lambda each: each == 777_123_456_789_777)

    def test_shrinks(self, vault: Contract) -> None:
        """Values shrink to the smallest that will do."""
        numbers = strategies.value("uint256", vault)

        assert found(numbers, lambda each: each > 10**30) == 10**30 + 1
        assert found(strategies.value("string", vault), lambda each: len(each) > 2) == "000"
        assert found(strategies.value("int256[]", vault), lambda each: len(each) > 1) == [0, 0]

    def test_selectors(self, vault: Contract) -> None:
        """Selectors of the contract are drawn as `bytes4` and at the start of longer words."""
        selector = vault.deposit.encode()[:4]

        assert found(strategies.value("bytes4", vault), lambda each: each == selector) == selector
        drawn = found(strategies.value("bytes32", vault), lambda each: each[:4] == selector)
        assert drawn == selector + bytes(28)


class TestArguments:
    def test_addresses(self, vault: Contract, node: Node) -> None:
        """Accounts, contracts and the zero address are drawn, and show as a test has them."""
        addresses = strategies.arguments(vault.deposits)

        assert repr(found(addresses, lambda _: True)) == "(accounts[0],)"
        assert repr(found(addresses, lambda each: each[0] == vault)) == "(vault,)"
        assert found(addresses, lambda each: not any(each[0])) == (bytes(20),)
        bridge = bytes.fromhex("0000000000000000000000000000000001000006")
        assert found(addresses, lambda each: each[0] == bridge)
        assert vault.deposits(*found(addresses, lambda each: vault.deposits(*each) > 0)) == 777

    def test_overloaded(self, node: Node) -> None:
        """One of several functions of a name has to be chosen."""
        one = {"type": "function", "name": "f", "inputs": [{"name": "", "type": "uint8"}]}
        two = {"type": "function", "name": "f", "inputs": []}
        contract = node.contract(Abi.from_json([one, two]), b"\x01" * 20)

        with pytest.raises(InvalidInput, match=r'say which, Contract\["f\(uint8\)"\]'):
            strategies.arguments(contract.f)
        assert found(strategies.arguments(contract["f(uint8)"]), lambda _: True) == (0,)

    def test_senders_and_amounts(self, vault: Contract, node: Node) -> None:
        """Only payable functions are sent coins; senders are accounts of the node."""
        assert found(strategies.ether(vault.withdraw), lambda _: True) == 0
        assert found(strategies.ether(vault.deposit), lambda each: each > 5) == 6
        assert found(strategies.accounts(node), lambda _: True) == node.funded_accounts[0]


class TestDictionary:
    def test_is_of_the_chain(self, vault: Contract, node: Node) -> None:
        """Constants of the code, values of storage, and the balance; without masks and topics."""
        known = dictionary_of([vault])

        assert {777, vault.opensAt()} <= {*known.numbers}
        topic = next(iter(vault.contract.interface.events))
        assert int.from_bytes(topic) not in known.numbers
        assert 2**160 - 1 not in known.numbers
        assert known.rare(0, 2**64) == [vault.opensAt()]
        assert known.addresses[: len(node.funded_accounts)] == tuple(
            each.canonical for each in node.funded_accounts
        )

    def test_is_kept_while_the_chain_grows(self, vault: Contract, node: Node) -> None:
        """It is collected once for the draws of an example, and anew after a revert."""
        with node.snapshot():
            node.mine()
            known = dictionary_of([vault])
            node.mine()
            assert dictionary_of([vault]) is known
        assert dictionary_of([vault]) is not known


class TestImport:
    def test_without_hypothesis(self) -> None:
        """Without Hypothesis the error says what to install, and nothing else needs it."""
        program = (
            "import sys; sys.modules['hypothesis'] = None; import devchain, devchain.testing.plugin"
            "\ntry:\n devchain.strategies\nexcept ModuleNotFoundError as error:\n print(error)"
        )
        command = [sys.executable, "-c", program]
        output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout

        assert 'pip install "devchain[fuzz]" (from a clone ".[fuzz]")' in output


@pytest.mark.parametrize(
    ("source", "numbers", "selectors"),
    [
        ("4 CALLDATASIZE LT @end JUMPI 0x015180 end:", [86_400], []),
        ("0x461bcd 0xe5 SHL", [], ["08c379a0"]),
        ("0x0a2b3c4d 3 SHL", [0x0A2B3C4D << 3], []),
        ("0x12345 0xff SHL", [], []),
        ("0x12345 SHL 0x5afe5a", [0x12345, 0x5AFE5A], []),
        ("0x0a2b3c4d", [], ["0a2b3c4d"]),
        ("0x68656c6c6f 0xd8 SHL", [int.from_bytes(b"hello".ljust(32, b"\0"))], []),
    ],
)
def test_constants(source: str, numbers: list[int], selectors: list[str]) -> None:
    """Constants that are shifted to their place are what they become."""
    found, known_selectors = code_constants(assemble(source))

    assert found == numbers
    assert [selector.hex() for selector in known_selectors] == selectors


@QUICK
@given(st.binary(max_size=200))
def test_any_code_has_constants(code: bytes) -> None:
    """Bytes that are no program are read too."""
    numbers, _ = code_constants(code)

    if b"\x1b" not in code:  # no SHL
        assert all(number.to_bytes(32).lstrip(b"\0") in code for number in numbers)
    assert all(0 < number < 2**256 for number in numbers if number)
