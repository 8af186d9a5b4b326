"""`devchain.node.python_api`: the Python API"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy, deepcopy
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from eth_abi.abi import encode
from eth_hash.auto import keccak

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.contracts.abi import Abi
from devchain.contracts.artifacts import Artifact
from devchain.contracts.contract import Contract
from devchain.errors import (
    AccountUnknown,
    ConfigError,
    ExecutionFailed,
    ExecutionReverted,
    InvalidInput,
    NodeClosed,
    RpcFailure,
    TransactionNotFound,
)
from devchain.evm.console_capture import CONSOLE
from devchain.node import Node
from devchain.types import Address, Hash32, Tag, TransactionRequest, checksum
from tests.accounts import ALICE, BOB, CAROL, UNFUNDED
from tests.actions import deploy, run
from tests.bytecode import assemble, init_code
from tests.conftest import GENESIS_TIME
from tests.contracts.vault import FILE, VAULT, WRITTEN

RATES = Path(__file__).parents[1] / "contracts" / "Rates.vy"


@pytest.fixture
def config() -> Config:
    """A node with the artifacts of the example contracts."""
    return Config(network="test", fixed_clock=GENESIS_TIME, artifacts=(str(FILE.parent),))


@pytest.fixture
def vault(node: Node) -> Contract:
    """A vault that opens after 100 seconds, of ALICE."""
    return node.deploy("Vault", 100)


class TestDeploy:
    @pytest.mark.parametrize(
        ("arguments", "options", "message"),
        [
            ((5,), {}, "5 is a int: give the name of a contract, its JSON file, or what a"),
            ((None,), {}, "None is a NoneType: give the name of a contract"),
            (
                (VAULT,),
                {"secondsLocked": 5},
                r"takes 1 argument, got 0; give arguments by position",
            ),
            (
                (VAULT, 5, {"from": BOB}),
                {},
                r"takes 1 argument, got 2; give options by name: sender=\.\.\.",
            ),
        ],
    )
    def test_mistakes(
        self, node: Node, arguments: tuple[Any, ...], options: dict[str, Any], message: str
    ) -> None:
        """What is given as with other libraries is said to be written otherwise."""
        with pytest.raises(InvalidInput, match=message):
            node.deploy(*arguments, **options)

    """`Node.deploy` makes a contract of an artifact."""

    @pytest.mark.parametrize(
        "named", ["Vault", "Vault.sol:Vault", FILE, VAULT, WRITTEN], ids=range(5)
    )
    def test_by_name_file_or_artifact(self, node: Node, named: Any) -> None:
        """An artifact can be given by name, file, JSON or object."""
        vault = node.deploy(named, 100, sender=BOB)

        assert vault.owner() == BOB

    @pytest.mark.parametrize(
        ("name", "hint"),
        [("Vaul", "did you mean Vault"), ("missing", "the node knows Vault")],
        ids=str,
    )
    def test_unknown_name(self, node: Node, name: Any, hint: str) -> None:
        """A name that no artifact has is refused; the message lists the names."""
        with pytest.raises(InvalidInput, match=f"no artifact is named .*{hint}"):
            node.deploy(name)

    def test_spelt_in_another_way(self, node: Node) -> None:
        """A hint passes over underscores and letter case, and over interfaces of similar names."""
        node.artifacts.add(replace(VAULT, name="fee_vault", source="fee_vault.vy"))
        node.artifacts.add(Artifact("IFeeVault", Abi(())))

        for name in ("FeeVault", "FeeVaults"):
            with pytest.raises(InvalidInput, match=r"did you mean fee_vault\?"):
                node.deploy(name)

    @pytest.mark.parametrize(
        ("what", "words"),
        [
            ({}, r"the object has no contract: want .*\"abi\""),
            ({"bytecode": "0x00"}, "the object has no contract"),
            ("vy/Counter.vy", r"no artifact is named vy/Counter.vy, nor is there such a file"),
            (Path("src/Vault.sol"), r"named src/Vault.sol, nor .*the node knows Vault"),
            (RATES.with_stem("Rats"), r"nor is there such a file: did you mean .*/Rates.vy\?"),
        ],
        ids=str,
    )
    def test_no_artifact(self, node: Node, what: Any, words: str) -> None:
        """What is no artifact is refused with what to give instead."""
        with pytest.raises(InvalidInput, match=words):
            node.deploy(what)

    def test_ambiguous_name(self, node: Node) -> None:
        """A name of several artifacts is refused, with their full names."""
        other = replace(VAULT, source="Other.sol", abi=Abi(VAULT.abi.entries[1:]))
        node.artifacts.add(other)

        with pytest.raises(InvalidInput, match=r"2 contracts .* Vault.sol:Vault or Other.sol:Vaul"):
            node.deploy("Vault", 1)
        with pytest.raises(InvalidInput, match=r"did you mean Vault.sol:Vault or Other.sol:Vault"):
            node.deploy("Third.sol:Vault", 1)
        assert node.contract("Other.sol:Vault", BOB).contract.interface == other.abi

    def test_without_code(self, node: Node) -> None:
        """An interface cannot be deployed."""
        with pytest.raises(InvalidInput, match="Vault cannot be deployed: it has no bytecode"):
            node.deploy(replace(VAULT, creation=replace(VAULT.creation, template=b"")), 1)

    def test_refused_constructor(self, node: Node) -> None:
        """A constructor that reverts raises; this one is not payable."""
        with pytest.raises(ExecutionReverted, match="execution reverted"):
            node.deploy("Vault", 1, value=1)


class TestContract:
    """A contract's functions are attributes."""

    def test_estimate_is_exact(self, vault: Contract) -> None:
        """The estimate suffices, one less does not."""
        estimate = vault.deposit.estimate(value=5)

        vault.deposit(value=5, gas=estimate)
        with pytest.raises(ExecutionFailed, match="out of gas"):
            vault.deposit(value=5, gas=estimate - 1, sender=BOB)

    def test_events(self, vault: Contract) -> None:
        """Events of one transaction, or all of the contract's, with values by name."""
        vault.deposit(value=4)
        mined = vault.deposit(value=5, sender=BOB)

        (event,) = vault.events("Deposited", mined)
        everything = vault.events()

        assert (event.name, event["from"], event["amount"]) == ("Deposited", BOB, 5)
        assert event.arguments == {"from": BOB, "amount": 5}
        assert event.transaction_hash == mined.hash
        assert [each["amount"] for each in everything] == [4, 5]
        assert vault.events("Withdrawn") == []
        assert "Deposited(from=0x" in repr(event)

    def test_earlier_blocks(self, vault: Contract, node: Node) -> None:
        """`at` reads the state of an earlier block."""
        before = node.chain.height
        vault.deposit(value=5)

        assert vault.at(before).deposits(ALICE) == 0
        assert vault.at(before).events() == []

    @pytest.mark.parametrize(
        ("given", "hint"),
        [
            (
                {"from_": BOB, "gasPrice": 1},
                r"no option from_ or gasPrice: did you mean sender and gas_price\?",
            ),
            ({"sendr": BOB}, r"option sendr: did you mean sender\? The options are sender, v"),
            ({"zzz": 1}, "there is no option zzz: the options are sender, value, gas"),
        ],
    )
    def test_meant_options(self, vault: Contract, given: dict[str, Any], hint: str) -> None:
        """The error names the option that was meant, and all that there are."""
        with pytest.raises(InvalidInput, match=hint):
            vault.deposit(**given)

    def test_hints_at_impersonation(self, node: Node) -> None:
        """A sender without a key: the error says how it can send all the same."""
        shown = checksum(UNFUNDED)
        with pytest.raises(AccountUnknown, match=rf'{shown.lower()}: impersonate\("{shown}"\)'):
            node.transact(sender=shown, to=BOB)


class TestErrors:
    """Failures are typed and say what happened."""

    def test_text(self, vault: Contract) -> None:
        """The text of `require`, and the call tree."""
        with pytest.raises(ExecutionReverted, match="nothing to deposit") as caught:
            vault.deposit()

        assert caught.value.reason == "nothing to deposit"
        assert caught.value.panic_code is None
        assert caught.value.call_tree.splitlines()[1] == "└─ ✗ reverted: nothing to deposit"

    def test_custom_error(self, vault: Contract) -> None:
        """A custom error has its name and values, for calls, estimates and transactions."""
        for way in (vault.withdraw, vault.withdraw.call, vault.withdraw.estimate):
            with pytest.raises(
                ExecutionReverted, match=r"custom error NotOwner\(caller=0x"
            ) as caught:
                way(sender=BOB)

            assert caught.value.custom_error["caller"] == BOB
            assert caught.value.call_tree.startswith("✗ Vault.withdraw()")


def test_the_tree_of_a_capped_call(config: Config) -> None:
    """The call tree shows the calls that failed, executed with the same gas."""
    with Node(replace(config, call_gas_cap=60_000)) as node:
        looping = deploy(node, assemble("again: @again JUMP"))

        with pytest.raises(ExecutionFailed, match="out of gas") as caught:
            node.call(TransactionRequest(to=looping, gas=1_000_000))

        assert caught.value.call_tree.splitlines()[0].endswith("[60,000 gas]")


class TestCallTree:
    """`Node.call_tree` draws a mined transaction."""

    def test_forms_of_a_transaction(self, node: Node) -> None:
        """A transaction is given as what `transact` returned, or by its hash."""
        mined = node.deploy("Vault", 5).deposit(value=1)
        tree = node.call_tree(mined.hash)

        assert tree
        for form in (mined, mined.hash.hex(), f"0x{mined.hash.hex()}"):
            assert node.call_tree(form) == tree

    @pytest.mark.parametrize("wrong", ["0x12", "", 5, None, b"", bytes(31)], ids=repr)
    def test_no_hash(self, node: Node, wrong: Any) -> None:
        """What is no hash is refused."""
        with pytest.raises(InvalidInput, match="is not a transaction's hash: give 32 bytes, hex"):
            node.call_tree(wrong)

    def test_unknown_hash(self, node: Node) -> None:
        """A transaction that is not mined is an error."""
        for read in (node.call_tree, node.console):
            with pytest.raises(TransactionNotFound, match=r"no transaction 0x00.*00 is mined"):
                read(Hash32(bytes(32)))

    def test_console(self, node: Node) -> None:
        """Console output is a line of the call tree."""
        line = keccak(b"log(string)")[:4] + encode(["string"], ["hello"])
        words = [line[place : place + 32].ljust(32, b"\0") for place in range(0, len(line), 32)]
        stores = " ".join(f"0x{word.hex()} {32 * place} MSTORE" for place, word in enumerate(words))
        source = f"{stores} 0 0 {len(line)} 0 0x{CONSOLE.hex().lstrip('0')} 50000 STATICCALL STOP"
        printing = deploy(node, assemble(source))

        mined = run(node, printing)

        assert node.console(mined.transaction.hash) == ["hello"]
        assert node.call_tree(mined.transaction.hash).splitlines()[1] == "└─ console.log: hello"


class TestClose:
    def test_closed(self) -> None:
        """A closed node says so; closing it again does nothing."""
        with Node(network="test") as node:
            vault = node.deploy(VAULT, 100)
            client = LocalClient(node)
            assert not node.closed
        node.close()

        assert node.closed
        assert repr(node) == "<Node of test, closed>"
        assert node.config.network == "test"
        uses: list[Callable[[], object]] = [
            lambda: node.block_number,
            lambda: node.deploy(VAULT, 100),
            node.copy,
            node.mine,
            node.snapshot().__enter__,
            vault.owner,
            lambda: node.chain.height,
            lambda: client.call("eth_blockNumber"),
        ]
        for use in uses:
            with pytest.raises((NodeClosed, RpcFailure), match="the node is closed: use it before"):
                use()
        with pytest.raises(AttributeError, match="'Node' object has no attribute 'chian'"):
            node.chian  # type: ignore[attr-defined]  # noqa: B018


class TestSnapshot:
    """`with node.snapshot()` takes everything back."""

    def test_takes_back(self, node: Node, vault: Contract) -> None:
        """Changes are undone, also when the block of code raises; the snapshot is removed."""
        height = node.chain.height
        with pytest.raises(ExecutionReverted), node.snapshot():  # noqa: PT012  # that is the case
            vault.deposit(value=5)
            vault.withdraw()

        assert node.chain.height == height
        assert vault.deposits(ALICE) == 0
        assert node.snapshots.take() == 2


class TestAt:
    """`node.at(block)` reads what was."""

    def test_reads(self, node: Node, vault: Contract) -> None:
        """Balance, nonce, code, storage and calls of an earlier block."""
        past = node.at(node.chain.height)
        vault.deposit(value=5)

        assert past.balance(vault) == 0
        assert past.nonce(ALICE) == 1
        assert past.code(vault) == node.at(node.chain.height).code(vault)
        assert past.storage(vault, 0) == 0
        assert (
            past.call(TransactionRequest(to=vault.address, data=vault.owner.encode()))[12:] == ALICE
        )


def test_artifacts_that_are_not_there(tmp_path: Path) -> None:
    """A path without artifacts is refused when the node starts."""
    with pytest.raises(Exception, match="there are no artifacts at"):
        Node(Config(artifacts=(str(tmp_path / "none"),)))


def named(node: Node, address: Address) -> str:
    """The name of the contract at an address."""
    artifact = node.artifacts.find_by_code(node.at().code(address), address)
    assert artifact is not None
    return artifact.name


TILL = Path(__file__).parents[1] / "testing" / "contracts" / "till-plain.json"


class TestMissingOpcodes:
    """Contracts with opcodes that the node's hardfork lacks."""

    PUSH0 = "PUSH0 is not available before arrowhead; compile with evmVersion paris"

    @pytest.fixture
    def node(self) -> Node:
        """A node before PUSH0."""
        return Node(hardfork="iris", fixed_clock=GENESIS_TIME)

    def newer(self, creation: bytes) -> dict[str, Any]:
        """An artifact of that creation code."""
        return {"contractName": "Newer", "abi": [], "bytecode": f"0x{creation.hex()}"}

    def test_deployed(self, node: Node) -> None:
        """A deployment warns of them, and a call that reaches one says why it fails."""
        with pytest.warns(UserWarning, match=f"^Newer: {self.PUSH0}$") as warned:
            newer = node.deploy(self.newer(init_code(assemble("PUSH0 STOP"))))

        assert warned[0].filename == __file__
        for act in (node.call, node.transact):
            with pytest.raises(ExecutionFailed, match=f"^invalid opcode: {self.PUSH0}$") as failed:
                act(TransactionRequest(to=newer.address))
            assert failed.value.source_trace.hint == self.PUSH0

    @pytest.mark.parametrize("engine", ["fast", "reference"])
    def test_in_a_constructor(self, engine: str) -> None:
        """A constructor that fails for one says so."""
        node = Node(hardfork="iris", engine=engine, fixed_clock=GENESIS_TIME)

        with pytest.raises(ExecutionFailed, match=f"^invalid opcode: {self.PUSH0}$"):
            node.deploy(self.newer(assemble("PUSH0")))

    def test_inside(self, node: Node) -> None:
        """The call tree names one that stopped another contract."""
        inner = deploy(node, assemble("PUSH0 STOP"))
        outer = assemble(f"0 0 0 0 0 0x{inner.hex()} 9000 CALL POP 0 0 REVERT")
        node.artifacts.add(VAULT)

        with pytest.raises(ExecutionReverted) as failed:
            node.call(TransactionRequest(to=deploy(node, outer)))

        assert "invalid opcode: PUSH0" in failed.value.call_tree


class TestWithoutCode:
    """Transactions to the address of a contract that is not there."""

    @pytest.mark.parametrize("method", ["__call__", "transact"])
    def test_warned_of(self, node: Node, method: str) -> None:
        """The warning names the line of the test; the transaction is sent."""
        vault = node.contract(VAULT, BOB)

        with pytest.warns(UserWarning, match="no code at 0x7099.*, the address of Vault") as warned:
            mined = getattr(vault.deposit, method)(value=1)

        assert [each.filename for each in warned] == [__file__]
        assert mined.status == 1
        with pytest.raises(InvalidInput, match="is there a contract at that address"):
            vault.owner()

    def test_created_since(self, node: Node) -> None:
        """What is created there later, or mocked, is called without a warning."""
        first = node.deploy(VAULT, 60)
        vault = node.contract(VAULT, BOB)
        node.set_code(BOB, node.at().code(first.address))
        other = node.contract(VAULT, CAROL)
        node.mock_call(other.deposit, returns=())

        assert vault.deposit(value=1).status == 1
        assert other.deposit().status == 1

    def test_precompiled(self, node: Node) -> None:
        """Precompiled contracts have no code and answer."""
        function = {"type": "function", "name": "run", "inputs": [], "outputs": []}
        identity = node.contract([function], f"0x{4:040x}")

        assert identity.run().status == 1


class TestNamesGiven:
    """`Node.contract` of an address whose code may be known to be another contract's."""

    @pytest.fixture
    def node(self) -> Node:
        """A node that knows the vault, and a till with a proxy."""
        return Node(artifacts=(str(FILE), str(TILL)))

    def test_another_contract(self, node: Node, vault: Contract) -> None:
        """Functions that the contract lacks are warned of; reports have its real name."""
        with pytest.warns(UserWarning, match=r"is no Till: .* that of Vault, .* limit, low, price"):
            till = node.contract("Till", vault)

        assert repr(till).startswith("<Till at ")
        assert named(node, vault.address) == "Vault"
        with pytest.raises(ExecutionReverted) as caught:
            till.setRate(5)
        assert caught.value.source_trace.hint.endswith("; Till.setRate(uint256) has it")

    def test_abi_alone(self, node: Node, vault: Contract) -> None:
        """The warning about an ABI without a name has none."""
        with pytest.warns(
            UserWarning, match=f"{vault.address} is not of this ABI: .* no function f"
        ):
            node.contract([{"type": "function", "name": "f"}], vault)

    @pytest.mark.parametrize("kind", ["functon", 5, None])
    def test_unknown_entries(self, node: Node, vault: Contract, kind: object) -> None:
        """An entry of an ABI that is of no known type is refused."""
        hint = "did you mean function" if kind == "functon" else "there are constructor, error"
        with pytest.raises(InvalidInput, match=f"{kind!r} is no type of an entry: {hint}"):
            node.contract([{"type": kind}], vault)

    def test_interface(self, node: Node, vault: Contract) -> None:
        """An interface of a known contract is no other name, and its events are decoded."""
        event = {"type": "event", "name": "Noted", "inputs": [{"type": "uint256"}]}
        owner = next(each for each in VAULT.abi.to_json() if each.get("name") == "owner")
        seen = node.contract([owner, event], vault)
        logging = deploy(
            node, assemble(f"7 0 MSTORE 0x{keccak(b'Noted(uint256)').hex()} 32 0 LOG1")
        )

        assert seen.owner() == node.funded_accounts[0]
        assert named(node, vault.address) == "Vault"
        assert [str(each.decoded) for each in node.transact(to=logging).events] == ["Noted(7)"]

    def test_accounts_by_index(self, node: Node) -> None:
        """The keys cannot be indexed or iterated over; the error names the funded accounts."""
        hint = r"write node\.funded_accounts\[0\]"
        with pytest.raises(TypeError, match=hint):
            node.accounts[0]
        with pytest.raises(TypeError, match=hint):
            list(node.accounts)  # type: ignore[call-overload]  # what users write

    def test_copied_accounts(self, node: Node) -> None:
        """A copy of an account is the account: it goes on to read its node."""
        account = node.funded_accounts[0]

        assert copy(account) is deepcopy([account])[0] is account

    def test_proxy(self, node: Node) -> None:
        """A contract with a fallback function may be a proxy: it is what it is said to be."""
        till = node.deploy("Till")
        proxy = node.deploy("Proxy", till)
        assert named(node, proxy.address) == "Proxy"

        node.contract("Till", proxy)

        assert named(node, proxy.address) == "Till"


class TestTransact:
    """`Node.transact` sends and mines."""

    def test_with_options(self, node: Node) -> None:
        """What is sent can be named; a contract or hex text will do for an address."""
        mined = node.transact(to=f"0x{BOB.hex()}", value=5, sender=ALICE)

        assert (mined.receipt.transaction.to, mined.receipt.transaction.value) == (BOB, 5)

    def test_other_contract_at_the_same_address(self, node: Node, vault: Contract) -> None:
        """A name given to an address is that of the code there, not of what comes later."""
        with node.snapshot():
            echo = deploy(node, assemble("0 0 REVERT"))
            node.contract([], echo)
            assert named(node, echo) == "Contract"

        second = node.deploy("Vault", 1)
        assert second.address == echo
        assert named(node, echo) == "Vault"


def test_a_transaction_that_cannot_be_mined(node: Node) -> None:
    """A transaction with a nonce gap stays in the mempool, and the error says so."""
    with pytest.raises(InvalidInput, match="waits in the mempool"):
        node.transact(TransactionRequest(to=BOB, nonce=1, data=init_code(b"")))


RBTC = 10**18


class TestImpersonate:
    """`Node.impersonate`"""

    def test_until_the_block_ends(self, node: Node) -> None:
        """The account can send inside the `with` block, but not after it."""
        node.set_balance(UNFUNDED, RBTC)

        with node.impersonate("0x" + UNFUNDED.hex()) as sender:
            mined = node.transact(to=BOB, value=1, sender=sender)

        assert mined.receipt.transaction.sender == UNFUNDED
        with pytest.raises(AccountUnknown):
            node.transact(to=BOB, value=1, sender=UNFUNDED)

    def test_without_with(self, node: Node) -> None:
        """Without `with` it does not end, also not with a later `with` block."""
        node.set_balance(UNFUNDED, RBTC)
        node.impersonate(UNFUNDED)

        with node.impersonate(UNFUNDED):
            pass

        assert node.transact(to=BOB, sender=UNFUNDED).receipt.succeeded

    def test_a_contract(self, node: Node) -> None:
        """A contract's object is both an address to impersonate and a sender."""
        wallet = node.deploy(VAULT, 100)
        node.set_balance(wallet, RBTC)

        with node.impersonate(wallet):
            vault = node.deploy(VAULT, 5, sender=wallet)
            vault.deposit(value=3, sender=wallet)

        assert vault.owner() == wallet.address
        assert vault.deposits(wallet) == 3


class TestTimeTravel:
    """`Node.time_travel`"""

    def test_by_seconds(self, node: Node) -> None:
        """Calls and the next block see the new time; the vault opens."""
        vault = node.deploy(VAULT, 1_000)
        vault.deposit(value=5)
        before = node.clock.now()

        there = node.time_travel(1_000)

        assert there == before + 1_000 == node.chain.head.timestamp
        assert vault.withdraw.call() is None

    def test_to_a_timestamp(self, node: Node) -> None:
        """The block has exactly that timestamp, despite overrides for the next blocks."""
        wanted = node.chain.head.timestamp + 86_400
        node.clock.step = 7

        assert node.time_travel(to=wanted) == wanted
        assert node.chain.block(Tag.LATEST).timestamp == wanted

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({}, "say how far"),
            ({"seconds": 1, "to": 2}, "in one way"),
            ({"seconds": 0}, "by 0 seconds"),
            ({"seconds": -5}, "give 1 or more"),
            ({"seconds": "5"}, "seconds '5' is a str: give a whole number$"),
            ({"seconds": 60.0}, r"seconds 60.0 is a float: give a whole number; write 60$"),
            ({"to": "5"}, "to '5' is a str"),
            ({"to": -5}, "to -5 is out of range"),
            ({"to": 5}, "timestamp 5 is not after"),
            ({"seconds": 2**64}, "too large"),
        ],
        ids=str,
    )
    def test_impossible(self, node: Node, options: dict[str, int], words: str) -> None:
        """Invalid times are refused, and nothing changes."""
        with pytest.raises(InvalidInput, match=words):
            node.time_travel(**options)

        assert node.chain.height == 0


class TestWrongTypes:
    """Values of other types than Python's integers and bytes say what to write."""

    @pytest.mark.parametrize("name", ["value", "gas_price", "gas", "nonce"])
    @pytest.mark.parametrize("wrong", [1e18, 1.5, "1rbtc", "0x1", b"1", [1]], ids=repr)
    def test_options(self, node: Node, name: str, wrong: Any) -> None:
        """Numbers of a transaction, however it is sent."""
        vault = node.deploy("Vault", 5)
        words = rf"^{name} .* is a \w+: give a whole number"
        sends = (
            lambda: vault.deposit(**{name: wrong}),
            lambda: vault.owner(**{name: wrong}),
            lambda: vault.deposit.estimate(**{name: wrong}),
            lambda: node.deploy("Vault", 5, **{name: wrong}),
            lambda: node.transact(to=BOB, **{name: wrong}),
            lambda: node.transact(TransactionRequest(to=BOB, **{name: wrong})),
        )

        for send in sends:
            with pytest.raises(InvalidInput, match=words):
                send()

    def test_amounts(self, node: Node) -> None:
        """An amount says that it is in wei; what is out of range names the range."""
        with pytest.raises(InvalidInput, match=r"value 1e\+18 is a float: .* wei, like 10\*\*18"):
            node.transact(to=BOB, value=1e18)
        for wrong in (-1, 2**256):
            with pytest.raises(InvalidInput, match=rf"value {wrong} is out of range: give a whole"):
                node.transact(to=BOB, value=wrong)

    def test_data(self, node: Node) -> None:
        """Data is bytes or hex text."""
        node.set_code(BOB, "0x6001")

        assert node.at().code(BOB) == b"\x60\x01"
        assert node.transact(to=CAROL, data="0x12").receipt.transaction.data == b"\x12"
        for wrong in ("0xzz", 5, "0x1"):
            with pytest.raises(InvalidInput, match="is not data: give bytes or hex text"):
                node.transact(to=CAROL, data=wrong)

    def test_config(self) -> None:
        """A dictionary in place of the configuration is refused."""
        with pytest.raises(ConfigError, match=r"not dict: write Node\(network=\"test\"\)"):
            Node({"network": "test"})  # type: ignore[arg-type]  # that is the test

    def test_block_as_an_option(self, vault: Contract) -> None:
        """A call at an earlier block is written another way."""
        with pytest.raises(InvalidInput, match=r"no option block: .* contract.at\(block\)"):
            vault.owner(block=1)

    def test_no_recipient(self, node: Node) -> None:
        """A transaction without recipient and data creates no empty contract."""
        for request in (None, TransactionRequest(value=1)):
            with pytest.raises(InvalidInput, match=r"has no recipient: give to=..., or the init"):
                node.transact(request, **({} if request else {"value": 1}))

    @pytest.mark.parametrize("wrong", [b"\x01", b"\x01" * 33], ids=["short", "long"])
    def test_length_of_bytes(self, node: Node, wrong: object) -> None:
        """Bytes of a fixed size are not padded; the error says how long they are."""
        inputs = [{"type": "bytes32", "name": "key"}, {"type": "bytes4[]"}]
        store = node.contract([{"type": "function", "name": "put", "inputs": inputs}], BOB)
        with pytest.raises(InvalidInput, match=r"want bytes32 key, got .*, which has (1|33) byte"):
            store.put.encode(wrong, [])
        with pytest.raises(InvalidInput, match=r"want bytes4\[\], got"):
            store.put.encode(bytes(32), [wrong])

    def test_checksums(self, node: Node) -> None:
        """Hex text with a wrong letter case is taken, with a warning; both checksums are right."""
        token = node.deploy("Vault", 5)
        wrong = "0x70997970C51812dc3A010C7d01b50e0d17dc79c8"
        for use in (node.balance, token.deposits):
            with pytest.warns(
                UserWarning, match="letter case of 0x70997970C.* compare its digits"
            ) as warned:
                use(wrong)
            assert [each.filename for each in warned] == [__file__]
        for right in (checksum(BOB), checksum(BOB, 31), BOB.hex(), f"0x{BOB.hex().upper()}"):
            node.balance(right)  # warnings are errors here
        account = SimpleNamespace(address=wrong)
        assert node.balance(account) == node.balance(BOB)
        assert token.deposits(account) == 0  # an object's address was not typed


class TestEdits:
    """Accounts edited by hand."""

    def test_are_seen(self, node: Node) -> None:
        """Balance, nonce, code and storage are as set; no block is mined."""
        node.set_balance(BOB, 5)
        node.add_balance(BOB, 2)
        node.set_nonce(BOB, 9)
        node.set_code(UNFUNDED, b"\x60\x00")
        node.set_storage(UNFUNDED, 3, 4)

        now = node.at()
        assert (now.balance(BOB), now.nonce(BOB)) == (7, 9)
        assert (now.code(UNFUNDED), now.storage(UNFUNDED, 3)) == (b"\x60\x00", 4)
        assert node.chain.height == 0

    @pytest.mark.parametrize(
        "edit",
        [
            lambda node: node.set_balance(BOB, -1),
            lambda node: node.set_balance(BOB, 2**256),
            lambda node: node.set_nonce(BOB, 2**64),
            lambda node: node.set_storage(BOB, -1, 0),
            lambda node: node.set_storage(BOB, 0, 2**256),
            lambda node: node.deal(ALICE, BOB, -1),
            lambda node: node.set_balance(BOB, 1.5),
            lambda node: node.add_balance(BOB, "5"),
            lambda node: node.rollback("1"),
        ],
        ids=range(9),
    )
    def test_numbers_that_do_not_fit(self, node: Node, edit: Callable[[Node], Any]) -> None:
        """A number out of range or of another type is refused; the message names the parameter."""
        with pytest.raises(InvalidInput, match=r"is (out of range|a \w+): give a whole number"):
            edit(node)


def test_html(node: Node) -> None:
    """Notebooks show a transaction as its `repr`, escaped."""
    mined = node.transact(to=node.funded_accounts[1], value=1)

    assert mined._repr_html_().startswith("<pre>&lt;Mined 0x")
