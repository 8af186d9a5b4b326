"""devchain.contracts.storage_view"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from devchain.contracts.artifacts import Artifact
from devchain.contracts.compile import loads
from devchain.errors import InvalidInput
from devchain.node import Node
from devchain.types import ZERO_ADDRESS
from tests.contracts.vault import VAULT

VYPER = """
from ethereum.ercs import IERC20

interface Oracle:
    def price() -> uint256: view

struct Order:
    amount: uint256
    who: address

flag State:
    OPEN
    CLOSED

owner: address
total: public(uint256)
change: int128
balances: HashMap[address, uint256]
named: HashMap[String[10], Order]
orders: DynArray[Order, 4]
three: uint256[3]
text: public(String[70])
four: bytes4
token: IERC20
oracle: Oracle
state: State
is_open: bool

@deploy
def __init__():
    self.owner = msg.sender
    self.change = -5
    self.orders.append(Order(amount=1, who=msg.sender))
    self.four = 0x01020304
    self.balances[msg.sender] = 7
    self.named["abc"].amount = 8

@external
@view
def read(
    a: address, n: String[10]
) -> (uint256, uint256, uint256, bytes4, address, int128, address):
    return (self.balances[a], self.named[n].amount, self.orders[0].amount, self.four, self.owner,
        self.change, self.oracle.address)
"""

SLOT = {"encoding": "inplace", "numberOfBytes": "32"}
SOLIDITY = {
    "storage": [
        {"label": "flag", "type": "t_bool", "slot": "0", "offset": 20},
        {"label": "_owner", "type": "t_address", "slot": "0", "offset": 0},
        {"label": "change", "type": "t_int32", "slot": "0", "offset": 21},
        {"label": "four", "type": "t_bytes4", "slot": "0", "offset": 25},
        {"label": "text", "type": "t_string", "slot": "1", "offset": 0},
        {"label": "small", "type": "t_array", "slot": "2", "offset": 0},
        {"label": "list", "type": "t_list", "slot": "7", "offset": 0},
        {"label": "fee", "type": "t_fee", "slot": "4", "offset": 0},
        {"label": "state", "type": "t_enum", "slot": "4", "offset": 8},
        {"label": "named", "type": "t_mapping", "slot": "5", "offset": 0},
        {"label": "data", "type": "t_bytes", "slot": "6", "offset": 0},
    ],
    "types": {
        "t_bool": {"label": "bool", "encoding": "inplace", "numberOfBytes": "1"},
        "t_address": {"label": "address", "encoding": "inplace", "numberOfBytes": "20"},
        "t_int32": {"label": "int32", "encoding": "inplace", "numberOfBytes": "4"},
        "t_bytes4": {"label": "bytes4", "encoding": "inplace", "numberOfBytes": "4"},
        "t_uint8": {"label": "uint8", "encoding": "inplace", "numberOfBytes": "1"},
        "t_uint256": {"label": "uint256", **SLOT},
        "t_string": {"label": "string", "encoding": "bytes", "numberOfBytes": "32"},
        "t_bytes": {"label": "bytes", "encoding": "bytes", "numberOfBytes": "32"},
        "t_fee": {"label": "Fee", "encoding": "inplace", "numberOfBytes": "8"},
        "t_enum": {"label": "enum Vault.State", "encoding": "inplace", "numberOfBytes": "1"},
        "t_array": {"label": "uint8[40]", "base": "t_uint8", **SLOT, "numberOfBytes": "64"},
        "t_list": {"label": "uint256[]", "base": "t_uint256", "encoding": "dynamic_array"},
        "t_mapping": {
            "label": "mapping(string => uint256)",
            "encoding": "mapping",
            "key": "t_string",
            "value": "t_uint256",
        },
    },
}


@pytest.fixture(scope="module")
def vyper() -> Artifact:
    """A contract in Vyper with variables of many types."""
    return loads(VYPER)


@pytest.fixture
def vault(node: Node) -> Any:
    """A contract with a layout of solc, and nothing in its storage."""
    contract = node.deploy(replace(VAULT, storage_layout=SOLIDITY), 100)
    for slot in range(8):
        node.set_storage(contract, slot, 0)
    return contract


@pytest.fixture
def solidity(vault: Any) -> Any:
    """The variables of that contract."""
    return vault.storage


@pytest.fixture
def node() -> Iterator[Node]:
    """A node with accounts."""
    with Node() as fresh:
        yield fresh


class TestVyper:
    def test_read(self, node: Node, vyper: Artifact) -> None:
        """Values are those that functions would return."""
        owner = node.funded_accounts[0]
        storage = node.deploy(vyper).storage

        assert storage.owner == owner
        assert (storage.change, storage.balances[owner], storage.named["abc"].amount) == (-5, 7, 8)
        assert (storage.orders[0].who, storage.orders[-1].amount) == (owner, 1)
        assert (storage.four, storage.text, storage.is_open) == (b"\1\2\3\4", "", False)
        assert list(storage.three) == [0, 0, 0]
        assert (storage.token, storage.state, storage.oracle) == (ZERO_ADDRESS, 0, 0)

    def test_set(self, node: Node, vyper: Artifact) -> None:
        """What is set is what the contract reads; blocks are not mined for it."""
        bob = node.funded_accounts[1]
        contract = node.deploy(vyper)
        storage, height = contract.storage, node.block_number
        storage.owner, storage.change, storage.four = bob, -7, b"\xff\0\0\1"
        storage.balances[bob] = 5
        storage.balances[bob] += 1
        storage.named["x"].amount = 3
        storage.orders[0].amount = 99
        storage.oracle = storage.token = bob
        storage.text, storage.is_open, storage.three[2] = "hello " * 10, True, 9

        assert contract.read(bob, "x") == (6, 3, 99, b"\xff\0\0\1", bob, -7, bob)
        assert (contract.text(), storage.text) == ("hello " * 10, "hello " * 10)
        assert (storage.token, storage.is_open, list(storage.three)) == (bob, True, [0, 0, 9])
        assert node.block_number == height

    def test_names(self, node: Node, vyper: Artifact) -> None:
        """Completion and `repr` name the variables. A view cannot be copied."""
        storage = node.deploy(vyper).storage

        assert {"owner", "orders"} <= {*dir(storage)}
        assert repr(storage.orders[0]) == "<storage of orders[0]: amount, who>"
        with pytest.raises(AttributeError, match="__place"):
            copy.copy(storage)
        assert storage["total"] == 0

    @pytest.mark.parametrize(
        ("code", "error", "message"),
        [
            (
                "s.ownr",
                AttributeError,
                "Contract has no variable ownr in storage: did you mean owner?",
            ),
            (
                "s.orders.total",
                AttributeError,
                "orders has no variable total in storage: it has none",
            ),
            ("s.change = 'x'", InvalidInput, "want int128 change, got 'x'"),
            ("s.balances = 1", InvalidInput, "balances is a HashMap.*: set its parts"),
            ("s.balances['zz']", InvalidInput, "want address, got 'zz'"),
            ("s.orders[1]", IndexError, "orders.1.: the length is 1"),
            ("s.three['a']", IndexError, "the length is 3"),
            ("s.text = 'x' * 71", InvalidInput, "text holds at most 70 bytes, got 71"),
            ("len(s.balances)", InvalidInput, "balances has no elements that can be counted"),
            ("s.state = object()", InvalidInput, "is not an address"),
        ],
    )
    def test_refused(
        self, node: Node, vyper: Artifact, code: str, error: type[Exception], message: str
    ) -> None:
        """A wrong name or value is refused, with what to give."""
        with pytest.raises(error, match=message):
            exec(code, {"s": node.deploy(vyper).storage})  # noqa: S102  # written above


class TestSolidity:
    def test_packed(self, solidity: Any, node: Node) -> None:
        """Variables that share a slot do not change each other."""
        bob = node.funded_accounts[1]
        solidity.flag, solidity._owner, solidity.change = True, bob, -3
        solidity.four, solidity.fee, solidity.state = b"\1\2\3\4", 2**64 - 1, 2

        assert (solidity.flag, solidity._owner, solidity.change) == (True, bob, -3)
        assert (solidity.four, solidity.fee, solidity.state) == (b"\1\2\3\4", 2**64 - 1, 2)
        solidity.flag = False
        assert (solidity.flag, solidity._owner, solidity.change) == (False, bob, -3)

    def test_arrays(self, solidity: Any) -> None:
        """Small elements share slots; a list begins at the hash of its slot."""
        solidity.small[33] = 7
        solidity.small[32] = 1
        assert (solidity.small[33], len(solidity.small)) == (7, 40)
        with pytest.raises(IndexError):
            solidity.list[0]

    @pytest.mark.parametrize("size", [0, 31, 32, 100])
    def test_text(self, solidity: Any, size: int) -> None:
        """Short and long strings."""
        solidity.text, solidity.data = "x" * size, b"\xff" * size
        solidity.named["key" * 20] = size

        assert (solidity.text, solidity.data) == ("x" * size, b"\xff" * size)
        assert solidity.named["key" * 20] == size

    def test_too_long(self, vault: Any, node: Node) -> None:
        """A length that no string has is refused."""
        node.set_storage(vault, 1, 2**200 + 1)

        with pytest.raises(InvalidInput, match="text has more than 1,048,576 bytes"):
            assert vault.storage.text


class TestOpen:
    def test_no_layout(self, node: Node) -> None:
        """Without a layout the error says so."""
        vault = node.deploy(replace(VAULT, storage_layout=None), 100)

        with pytest.raises(InvalidInput, match="the storage layout of Vault is not known"):
            assert vault.storage

    def test_earlier_block(self, node: Node, vyper: Artifact) -> None:
        """At an earlier block variables are read, and cannot be set."""
        contract = node.deploy(vyper)
        at = contract.at(node.block_number)
        contract.storage.change = 1

        assert at.storage.balances[node.funded_accounts[0]] == 7
        with pytest.raises(InvalidInput, match="after the newest block only"):
            at.storage.change = 2
