"""`devchain.contracts.contract`: contracts as Python objects"""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from devchain import Config, Node, connect
from devchain.contracts.abi import Abi, Decoded, Entry, Param
from devchain.contracts.contract import Contract, ContractApi, Event, Mined
from devchain.errors import InvalidInput
from devchain.types import Address, Hash32, checksum
from tests.accounts import ALICE, BOB
from tests.contracts.vault import VAULT, WRITTEN

ODD = Path(__file__).with_name("odd.json")


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    """A node of these tests, none of which changes what another looks at."""
    with Node(Config()) as node:
        yield node


@pytest.fixture(scope="module")
def odd(node: Node) -> Contract:
    """A contract whose functions have the names that devchain has for contracts."""
    return node.deploy(ODD)


class TestNames:
    """The contract's own functions come first."""

    def test_functions_first(self, odd: Contract) -> None:
        """Functions named as devchain's members are called like any other."""
        assert odd.name() == "Odd"
        assert odd.at(5) == 5
        assert odd.events() == "mine"
        assert odd.block() == 7
        assert odd.sender(sender=BOB) == BOB
        assert odd.balance() is True
        assert odd.chain().receipt.succeeded

    def test_members_of_devchain(self, odd: Contract, node: Node) -> None:
        """What devchain offers is in `contract`, which no function of Solidity is named."""
        odd.chain()

        assert odd.contract.name == "Odd"
        assert odd.contract.balance == 0
        assert odd.contract.chain is node
        assert odd.contract.sender == ALICE
        assert odd.contract.events("Named")[0]["data"] == b"\x01"
        assert odd.contract.at(0).contract.block == 0

    def test_members_without_such_a_function(self, node: Node) -> None:
        """Where the contract has no such function, devchain's member is an attribute of it."""
        vault = node.deploy(VAULT, 100)

        assert vault.name == "Vault"
        assert vault.abi == WRITTEN["abi"]
        assert repr(vault.contract.interface) == "<Abi with 5 functions, 2 events, 1 errors>"
        assert vault.balance == 0
        assert vault.at(0).block == 0
        assert vault.events() == []
        assert {"at", "deposit", "contract"} <= set(dir(vault))

    def test_functions_that_are_not_called(self, node: Node) -> None:
        """A function is no value: an `assert` that lacks the parentheses does not pass."""
        vault = node.deploy(VAULT, 100)
        text = r"Vault.deposits is a function and not its value: call it, Vault.deposits\(...\)"

        for compare in (
            lambda: bool(vault.deposits),
            lambda: vault.deposits == 5,
            lambda: vault.deposits != vault.address,
            lambda: vault.deposits in {"a", "0x01"} or vault.deposits == "0x01",
            lambda: vault.deposits > 5,
            lambda: 5 - vault.deposits,
        ):
            with pytest.raises(TypeError, match=text):
                compare()
        with pytest.raises(AttributeError, match=r"write \.storage\.deposits = 5"):
            vault.deposits = 5
        assert vault.deposits == vault.deposits
        assert vault.deposits != vault.deposit
        assert vault.deposits != object()
        assert len({vault.deposits, vault.deposits}) == 1

    def test_functions_named_as_reserved(self, node: Node) -> None:
        """`contract` and `address` are always devchain's; such functions are items."""
        abi = Abi.from_json(
            [
                {"type": "function", "name": name, "stateMutability": "view", "inputs": []}
                for name in ("contract", "address")
            ]
        )
        hand_written = Contract(ContractApi(node, BOB, abi))

        assert hand_written.address == BOB
        assert isinstance(hand_written.contract, ContractApi)
        assert repr(hand_written["address"]) == "<Contract.address()>"

    def test_misspelt(self, odd: Contract) -> None:
        """A misspelt function or signature names what was meant."""
        with pytest.raises(AttributeError, match=r"Odd has no function mov: did you mean move\?"):
            _ = odd.mov
        with pytest.raises(InvalidInput, match=r"did you mean move\(address,uint256\)\?"):
            _ = odd["move(uint256)"]
        assert not hasattr(odd, "__len__")
        assert copy.copy(odd) == odd


class TestAddresses:
    """Addresses are equal in every form, and shown as text."""

    def test_equal(self, odd: Contract, node: Node) -> None:
        """A returned address equals bytes, text in any case, accounts and contracts."""
        alice = node.funded_accounts[0]
        owner = odd.owner()
        spellings: list[Any] = [
            ALICE,
            alice,
            alice.address,
            f"0x{ALICE.hex()}",
            alice.address.upper(),
        ]
        spellings[-1] = "0x" + spellings[-1][2:]

        assert all(owner == each and each == owner for each in spellings)
        assert not any(owner != each or each != owner for each in spellings)
        assert owner != BOB
        assert owner != "0x"
        assert owner != 5
        assert hash(owner) == hash(alice) == hash(ALICE)

    def test_contract(self, odd: Contract, node: Node) -> None:
        """A contract equals its address, and another object of it."""
        same = node.contract(ODD, odd.address)

        assert odd == same
        assert odd == checksum(odd.address)
        assert checksum(odd.address).lower() == odd
        assert odd.address == odd
        assert odd != node.deploy(ODD)
        assert {odd: 1}[same] == 1

    def test_shown(self, odd: Contract, node: Node) -> None:
        """Reprs are short: accounts, contracts, functions, addresses, nodes."""
        owner = odd.owner()

        assert repr(owner) == str(owner) == checksum(ALICE)
        assert repr(odd) == f"<Odd at {checksum(odd.address)}>"
        assert repr(odd.move) == "<Odd.move(address,uint256)>"
        assert repr(odd.f) == "<Odd.f(int256) or f(uint256) or f(address)>"
        assert repr(node.funded_accounts[0]) == f"<account {checksum(ALICE)}>"
        assert repr(node).startswith("<Node of local, block ")
        assert repr(odd.contract) == f"<ContractApi of Odd at {checksum(odd.address)}>"
        assert repr(odd.contract.sender) == checksum(ALICE)
        assert checksum(BOB) in repr(odd.contract.events("Transfer", odd.move(BOB, 5)))

    def test_plain_bytes_on_the_chain(self, odd: Contract, node: Node) -> None:
        """What devchain shows so is plain bytes in transactions and state."""
        mined = node.transact(to=odd.owner(), value=1, sender=odd.owner())

        assert type(mined.receipt.transaction.to) is bytes
        assert type(mined.receipt.transaction.sender) is bytes


class TestOverloads:
    """Overloads are chosen by their arguments, if only one accepts them."""

    def test_by_type(self, odd: Contract) -> None:
        """One overload accepts the arguments."""
        assert odd.f(BOB) == "address"
        assert odd.f(-1) == "int256"

    def test_ambiguous(self, odd: Contract) -> None:
        """Several accept them: the error names these, and how to choose one."""
        with pytest.raises(InvalidInput) as raised:
            odd.f(5)

        assert str(raised.value) == (
            'f(5) could be f(int256) or f(uint256): choose by signature, Odd["f(int256)"](...)'
        )
        assert odd["f(uint256)"](5) == "uint256"

    @pytest.mark.parametrize("arguments", [(), (1, 2), ("x",)], ids=str)
    def test_none(self, odd: Contract, arguments: tuple[object, ...]) -> None:
        """None accepts them: the error names all."""
        with pytest.raises(InvalidInput, match=r"fits none of f\(int256\) or f\(uint256\) or f\("):
            odd.f(*arguments)

    def test_one_of_that_length(self, node: Node) -> None:
        """If one overload has as many arguments, the error names the one that is wrong."""
        inputs = [{"type": "uint256", "name": name} for name in ("count", "limit")]
        abi = [{"type": "function", "name": "buy", "inputs": inputs[:n]} for n in (1, 2)]
        shop = node.contract(abi, BOB)

        with pytest.raises(
            InvalidInput, match=r"buy\(uint256,uint256\): want uint256 count, got 'x'"
        ):
            shop.buy.encode("x", 5)


class TestSuggestions:
    """An unknown attribute of a public object names what may be meant."""

    @pytest.mark.parametrize(
        ("name", "meant"),
        [
            ("gasUsed", "gas_used"),
            ("gas_usd", "gas_used"),
            ("transactionHash", "hash"),
            ("zzz", None),
            ("_gas_used", None),
        ],
    )
    def test_of_a_transaction(self, odd: Contract, name: str, meant: str | None) -> None:
        """Other styles, misspellings, and what other libraries call it."""
        with pytest.raises(AttributeError) as raised:
            getattr(odd.chain(), name)

        hint = f": did you mean {meant}?" if meant else ""
        assert str(raised.value) == f"'Mined' object has no attribute {name!r}{hint}"

    @pytest.mark.parametrize(
        ("name", "meant"),
        [
            ("block_numbr", "block_number"),
            ("increase_time", "time_travel"),
            ("warp", r"time_travel\(to=...\)"),
        ],
    )
    def test_of_a_node(self, node: Node, name: str, meant: str) -> None:
        """The node's own names, and those of other tools."""
        with pytest.raises(AttributeError, match=rf"did you mean {meant}\?"):
            getattr(node, name)

    def test_of_an_account(self, node: Node) -> None:
        """Accounts send nothing by themselves."""
        with pytest.raises(
            AttributeError, match=r"mean node.transact\(to=..., value=..., sender=a"
        ):
            node.funded_accounts[0].transfer(BOB, 1)

    def test_errors_of_properties(self) -> None:
        """An `AttributeError` within a property is shown as it is."""
        with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'number'"):
            _ = Mined(None, None).block_number


@pytest.mark.parametrize(
    ("arguments", "options", "advice"),
    [
        ((), {"to": BOB, "value": 1}, "got 0; give arguments by position"),
        ((BOB,), {"value": 1}, "got 1; give arguments by position"),
        ((BOB, 1, {"from": BOB}), {}, "got 3; give options by name: sender=..."),
        ((BOB, {"from": 1, "gas_limit": 5}), {}, "; give options by name: sender=..., gas=..."),
        ((BOB, 1, {"other": BOB}), {}, "got 3"),
        ((BOB,), {"amuont": 1}, "got 1; give arguments by position"),
        ((BOB, 1, {}), {}, "got 3"),
        ((BOB, 1, 2), {}, "got 3"),
    ],
)
def test_other_libraries(
    odd: Contract, arguments: tuple[object, ...], options: dict[str, object], advice: str
) -> None:
    """Arguments by name and options in a mapping, as elsewhere, are answered with how to write."""
    with pytest.raises(InvalidInput) as raised:
        odd.move(*arguments, **options)

    assert str(raised.value).endswith(advice)


INFO = {
    "type": "tuple",
    "components": [
        {"name": "who", "type": "address"},
        {"name": "count", "type": "uint256"},
        {"name": "parts", "type": "tuple[]", "components": [{"name": "size", "type": "uint8"}]},
    ],
}
RETURNED = (bytes(BOB), 5, ((7,), (8,)))


class TestNamedValues:
    """Structs, and several values that a function returns, are tuples with names."""

    @pytest.fixture
    def returning(self, node: Node) -> Callable[..., Any]:
        """Calls a contract that returns some values, with those outputs in its ABI."""

        def call(outputs: list[dict[str, Any]], *values: object) -> Any:
            described = {"type": "function", "name": "get", "inputs": [], "outputs": outputs}
            abi = Abi.from_json([described | {"stateMutability": "view"}])
            data = abi.functions_named("get")[0].outputs
            payload = Entry("function", "get", data).encode(values)
            # PUSH2 size, PUSH1 15, PUSH1 0, CODECOPY, PUSH2 size, PUSH1 0, RETURN
            size = len(payload).to_bytes(2, "big").hex()
            code = bytes.fromhex(f"61{size}600f60003961{size}6000f300") + payload
            node.set_code(BOB, code)
            return Contract(ContractApi(node, BOB, abi)).get()

        return call

    def test_struct(self, returning: Callable[..., Any]) -> None:
        """Members by attribute, name and position; equal to the plain tuple."""
        info = returning([INFO | {"name": ""}], RETURNED)

        assert info.who == info["who"] == info[0] == BOB
        assert info["count"] == info[1] == 5
        assert info.count(5) == 1  # the method of tuples
        assert [each.size for each in info.parts] == [7, 8]
        assert info == (BOB, 5, [(7,), (8,)])
        assert hash(info[:2]) == hash((BOB, 5))
        assert info[-2:] == (5, [(7,), (8,)])
        assert repr(info) == f"(who={checksum(BOB)}, count=5, parts=[(size=7), (size=8)])"
        assert info._asdict() == {"who": BOB, "count": 5, "parts": [(7,), (8,)]}
        assert "parts" in dir(info)

    def test_arrays_of_structs(self, returning: Callable[..., Any]) -> None:
        """Elements of an array are structs, too."""
        infos = returning([INFO | {"name": "all", "type": "tuple[]"}], [RETURNED, RETURNED])

        assert [each["who"] for each in infos] == [BOB, BOB]
        assert infos[1].parts[1].size == 8

    def test_several_values(self, returning: Callable[..., Any]) -> None:
        """Several values have the names of the function's outputs; those without have none."""
        outputs = [{"name": name, "type": "uint256"} for name in ("reserve", "", "_params")]
        found = returning(outputs, 1, 2, 3)

        assert found == (1, 2, 3)
        assert (found.reserve, found["_params"], found._params) == (1, 3, 3)
        assert repr(found) == "(reserve=1, 2, _params=3)"
        first, *rest = found
        assert (first, rest) == (1, [2, 3])

    def test_single_and_no_values(self, returning: Callable[..., Any]) -> None:
        """A single value is itself, though it has a name; no value is None."""
        assert returning([{"name": "total", "type": "uint256"}], 7) == 7
        assert returning([]) is None

    def test_unknown_names(self, returning: Callable[..., Any]) -> None:
        """Errors name the members that there are; no member can be set."""
        info = returning([INFO | {"name": ""}], RETURNED)

        with pytest.raises(AttributeError, match="named owner; the names are who, count, parts"):
            assert info.owner
        with pytest.raises(KeyError, match="no value is named owner"):
            assert info["owner"]
        with pytest.raises(KeyError):
            assert info[""]
        with pytest.raises(AttributeError, match="who cannot be set"):
            info.who = ALICE

    def test_misspelt_name(self, returning: Callable[..., Any]) -> None:
        """The error has the name that was meant, and pytest shows no frame of devchain for it."""
        info = returning([INFO | {"name": ""}], RETURNED)

        with pytest.raises(AttributeError, match="the names are who, count, parts") as caught:
            assert info.cuont

        assert {each.path for each in caught.traceback.filter(caught)} == {Path(__file__)}

    def test_hostile_names(self, returning: Callable[..., Any]) -> None:
        """Names of an ABI are escaped in the text, and take no attribute that Python asks for."""
        names = ("__class__", "a\n\x1b[31m", "x", "x")
        found = returning([{"name": name, "type": "uint8"} for name in names], 1, 2, 3, 4)

        assert found.x == 3
        assert "\n" not in repr(found)
        assert "\x1b" not in repr(found)
        assert found["__class__"] == 1
        assert isinstance(found, tuple)
        assert not hasattr(found, "__deepcopy__")

    @pytest.mark.parametrize(
        "copied",
        [copy.copy, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))],  # noqa: S301
        ids=["copy", "deepcopy", "pickle"],
    )
    def test_copies(self, returning: Callable[..., Any], copied: Callable[[Any], Any]) -> None:
        """Copies and pickles have the names."""
        assert copied(returning([INFO | {"name": ""}], RETURNED)).who == BOB

    def test_given_back(self, returning: Callable[..., Any]) -> None:
        """A struct that was returned is an argument like the plain tuple."""
        info = returning([INFO | {"name": ""}], RETURNED)
        param = Param.from_json(INFO)

        assert param.encode(info) == param.encode(RETURNED)


class TestMined:
    """What there is to read of a mined transaction."""

    def test_attributes(self, node: Node) -> None:
        """Receipt, block and events, by obvious names."""
        vault = node.deploy(VAULT, 100)
        mined = vault.deposit(sender=BOB, value=5)

        assert mined.status == 1
        assert mined.sender == BOB
        assert mined.block_number == node.block_number
        assert mined.block_hash == node.chain.block(node.block_number).hash
        assert mined.gas_used == mined.receipt.gas_used
        assert [each.address for each in mined.logs] == [vault.address]
        [event] = mined.events
        assert (event.name, event["amount"], event.address) == ("Deposited", 5, vault)
        assert event == vault.events("Deposited", mined)[0]

    def test_values_of_events(self, node: Node) -> None:
        """Values are attributes, but for those that every event has; a wrong name says which."""
        kinds = [("uint256", name) for name in ("_amount", "index", "", "from")]
        event_abi = Entry("event", "Paid", tuple(Param(name, kind) for kind, name in kinds))
        decoded = Decoded(event_abi, (1, 2, 3, 4))
        event = Event(decoded, ALICE, 7, Hash32(bytes(32)), 9)

        assert (event._amount, event.index, event["index"], event[2]) == (1, 9, 2, 3)
        assert event.from_ == getattr(event, "from") == 4
        assert {"_amount", "from", "from_", "block_number"} <= set(dir(event))
        with pytest.raises(AttributeError, match=r"did you mean from_\?"):
            _ = event.form
        with pytest.raises(AttributeError, match="no attribute '_amout'"):
            _ = event._amout
        with pytest.raises(AttributeError, match="did you mean block_number"):
            _ = event.blocknumber
        assert copy.copy(event) == pickle.loads(pickle.dumps(event)) == event  # noqa: S301  # its own

    def test_unknown_events(self, node: Node) -> None:
        """Logs whose event no ABI has are in `logs` alone."""
        # PUSH1 0, PUSH1 0, LOG0
        node.set_code(ALICE[:-1] + b"\x01", bytes.fromhex("60006000a0"))
        mined = node.transact(to=ALICE[:-1] + b"\x01")

        assert len(mined.logs) == 1
        assert mined.events == []


class TestNode:
    """What there is to read of a node and its accounts."""

    def test_newest_block(self) -> None:
        """Number and timestamp are the newest block's."""
        with Node(Config(fixed_clock=1_700_000_000)) as node:
            node.time_travel(50)

            assert node.block_number == 1
            assert node.timestamp == 1_700_000_050
            assert node.chain_id == 33
            assert node.base_fee == 0
            assert node.minimum_gas_price == node.chain.lowest_gas_price()

    def test_base_fee(self) -> None:
        """Ethereum's blocks have a base fee."""
        with Node(Config(hardfork="cancun")) as node:
            assert node.base_fee == 10**9

    def test_accounts(self, odd: Contract) -> None:
        """An account has its balance and nonce on the chain."""
        with Node(Config(accounts=2, balance=5)) as node:
            alice, bob = node.funded_accounts
            node.transact(to=bob, value=3, sender=alice, gas_price=0)

            assert (alice.nonce, bob.nonce) == (1, 0)
            assert bob.balance == 5 * 10**18 + 3
            assert node.balance(bob) == node.balance(bob.address) == bob.balance
            assert node.balance(bob, 0) == 5 * 10**18

    def test_account_is_text(self, node: Node) -> None:
        """An account is the text of its address, for clients that take nothing else."""
        alice, bob = node.funded_accounts[:2]

        assert str(alice) == f"{alice}" == alice.address == checksum(ALICE)
        assert repr(alice) == f"<account {alice.address}>"
        assert json.dumps([alice]) == f'["{checksum(ALICE)}"]'
        assert connect(node).call("eth_getBalance", alice) == hex(alice.balance)
        assert alice == checksum(ALICE).lower()
        assert alice != bob
        assert len({alice, bob, node.funded_accounts[0]}) == 2


def test_odd_is_compiled_from_its_source() -> None:
    """The file of the contract is the one of `Odd.sol`, by its functions."""
    abi = json.loads(ODD.read_text())["abi"]
    source = ODD.with_name("Odd.sol").read_text()

    assert all(each["name"] in source for each in abi if "name" in each)
    assert Address(bytes(20)) not in (ALICE, BOB)
