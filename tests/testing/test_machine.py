"""`devchain.testing.machine`, `campaign`, `sequences` and `hypothesis_machine`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest
from eth_hash.auto import keccak
from hypothesis import settings
from hypothesis import stateful as hypothesis_stateful
from hypothesis import strategies as st
from hypothesis.database import DirectoryBasedExampleDatabase

from devchain.config import Config
from devchain.contracts.contract import Contract
from devchain.errors import ExecutionReverted, InvalidInput
from devchain.evm.opcodes import block_starts
from devchain.fuzzing import Call, ContractMachine, handler, invariant, sandbox
from devchain.node import Node
from devchain.testing.machine import Step, machine_run
from devchain.testing.sequences import SequenceGenerator, smallest
from devchain.types import AddressBytes, Tag, address_of
from tests.bytecode import assemble, init_code
from tests.contracts.vault import VAULT

CONTRACTS = Path(__file__).parents[2] / "examples" / "property" / "contracts"
EXAMPLE = CONTRACTS.parent
FEW = settings(max_examples=20, stateful_step_count=8, database=None, deadline=None)


@pytest.fixture
def pool(node: Node) -> Contract:
    """The pool with the planted rounding bug."""
    return node.deploy(CONTRACTS / "Pool.json")


@pytest.fixture
def vault(node: Node) -> Contract:
    """A vault that opens after a day."""
    return node.deploy(VAULT, 86_400)


@pytest.fixture
def pool_machine(pool: Contract, node: Node) -> type[ContractMachine]:
    """A machine whose invariant fails."""

    class PoolMachine(ContractMachine):
        targets = (pool,)

        def setup(self) -> None:
            self.price = (0, 1)

        @invariant
        def price_never_falls(self) -> None:
            coins, shares = pool.contract.balance, pool.totalShares()
            if shares:
                assert coins * self.price[1] >= self.price[0] * shares
                self.price = (coins, shares)

    return PoolMachine


def code_of(contract: Contract) -> bytes:
    """A contract's code on its chain."""
    node: Any = contract.contract.chain
    return bytes(node.chain.state_at(Tag.LATEST).code(address_of(contract)))


def kept(folder: Path, machine: type[ContractMachine]) -> list[bytes]:
    """The sequences in the corpus of a machine."""
    key = f"devchain corpus of {machine.__name__}".encode()
    return list(DirectoryBasedExampleDatabase(folder).fetch(key))


def ticks(step: float = 0.001) -> Any:
    """A clock that each reading moves on."""
    count = iter(range(10**9))
    return lambda: next(count) * step


class TestCampaign:
    def test_finds_the_shortest(
        self, pool_machine: type[ContractMachine], pool: Contract, node: Node, tmp_path: Path
    ) -> None:
        """The planted bug takes three calls with a wei each; the program shows it in blocks too."""
        with pytest.raises(AssertionError) as raised:
            pool_machine.campaign(calls=100_000, seed=1, corpus=tmp_path)

        note = raised.value.__notes__[-1].splitlines()
        assert note[0].endswith("seed 1; the shortest sequence found:")
        assert sorted(note[1:4]) == [
            "pool.deposit(sender=accounts[0], value=1)",
            "pool.earn(sender=accounts[0], value=1)",
            "pool.withdraw(1, sender=accounts[0])",
        ]
        assert note[4:] == ["pool.contract.balance  # 1", "pool.totalShares()  # returned 1"]
        assert (node.block_number, pool.contract.balance) == (1, 0)
        scope = {"pool": pool, "accounts": node.funded_accounts}
        for line in note[1:]:
            exec(line, scope)  # noqa: S102  # the program under test
        assert (pool.contract.balance, pool.totalShares()) == (1, 1)

    def test_finds_limits(self, pool: Contract, tmp_path: Path) -> None:
        """A number that fails from some limit on is reported as that limit."""

        class Limited(ContractMachine):
            targets = (pool,)

            def after_call(self, call: Call) -> None:
                if call.name == "deposit":
                    assert call.value <= 12_345

        with pytest.raises(AssertionError) as raised:
            Limited.campaign(calls=100_000, seed=1, corpus=tmp_path)

        program = raised.value.__notes__[-1].splitlines()[1:]
        assert program == ["pool.deposit(sender=accounts[0], value=12346)"]

    def test_failures_are_tried_first(
        self, pool_machine: type[ContractMachine], tmp_path: Path
    ) -> None:
        """A sequence that failed is in the corpus, and fails at once in the next campaign."""
        for _ in range(2):
            with pytest.raises(AssertionError) as raised:
                pool_machine.campaign(calls=100_000, seed=2, corpus=tmp_path)

        calls = int(raised.value.__notes__[-1].split()[1])
        assert calls <= 3 * len(kept(tmp_path, pool_machine))

    def test_report(self, pool: Contract, node: Node, tmp_path: Path) -> None:
        """It counts calls, reverts by reason, blocks of code reached, and the corpus."""

        class Calls(ContractMachine):
            targets = (pool,)
            excluded = ("earn",)

        report = Calls.campaign(calls=600, seed=1, corpus=tmp_path)

        assert report.counts.calls >= 600
        assert {*report.counts.succeeded} <= {"Pool.deposit()", "Pool.withdraw(uint256)"}
        assert 0 < report.reached["Pool"] <= report.blocks["Pool"]
        assert report.kept == report.added == len(kept(tmp_path, Calls))
        text = str(report)
        assert text.startswith("Calls: ")
        assert "panic: division or modulo by zero (0x12)" in text
        assert f"reached Pool: {report.reached['Pool']} of " in text

    def test_line_coverage(self, tmp_path: Path) -> None:
        """With line coverage the same calls are made; what they reached is counted."""
        reports = []
        for coverage in (None, "-"):
            with Node(Config(coverage=coverage)) as node:
                pool = node.deploy(CONTRACTS / "Pool.json")

                class Calls(ContractMachine):
                    targets = (pool,)

                corpus = tmp_path / str(coverage)
                reports.append(Calls.campaign(calls=600, seed=1, corpus=corpus))
                code = code_of(pool)
                if node.coverage:
                    counted = node.coverage.counts(code, creating=False)

        without, with_coverage = reports
        assert with_coverage.counts == without.counts
        assert with_coverage.reached == without.reached
        assert len(counted.keys() & block_starts(code)) == without.reached["Pool"]

    def test_line_coverage_of_a_failure(self, tmp_path: Path) -> None:
        """The sequence that fails is counted."""
        with Node(Config(coverage="-")) as node:
            pool = node.deploy(CONTRACTS / "Pool.json")

            class Failing(ContractMachine):
                targets = (pool,)

                def after_call(self, call: Call) -> None:
                    assert call.name != "deposit" or not call.succeeded

            with pytest.raises(AssertionError):
                Failing.campaign(calls=10_000, seed=1, corpus=tmp_path)

            assert node.coverage
            assert len(node.coverage.counts(code_of(pool), creating=False)) > 100

    @pytest.mark.parametrize("way", ["campaign", "check"])
    def test_senders_by_default(self, pool: Contract, node: Node, tmp_path: Path, way: str) -> None:
        """An invariant reads the senders as `self.senders`, named by the test or not."""
        read = []

        class Shares(ContractMachine):
            targets = (pool,)

            @invariant
            def no_more_than_all(self) -> None:
                read.append(list(self.senders))
                held = sum(pool.shares(each) for each in self.senders)
                assert held <= pool.totalShares()

        if way == "campaign":
            Shares.campaign(calls=20, seed=1, corpus=tmp_path)
        else:
            Shares.check(settings(max_examples=2, stateful_step_count=3, database=None))

        assert read[-1] == node.funded_accounts[:3]

    def test_corpus_is_merged(self, vault: Contract, tmp_path: Path) -> None:
        """A campaign starts from what another has kept; what does not fit is left out."""

        class Calls(ContractMachine):
            targets = (vault,)

        first = Calls.campaign(calls=300, seed=1, corpus=tmp_path)
        database = DirectoryBasedExampleDatabase(tmp_path)
        deposit = {"action": "Vault.deposit()", "sender": 0, "seconds": 0, "blocks": 0}
        for damaged in (
            b"{",
            b"1",
            orjson.dumps([{"action": "Other.f()"}]),
            orjson.dumps([{**deposit, "value": "-1", "arguments": ""}]),
            orjson.dumps([{**deposit, "value": "1", "arguments": "00"}]),
        ):
            database.save(b"devchain corpus of Calls", damaged)
        second = Calls.campaign(calls=1, seed=2, corpus=tmp_path)

        assert (second.reached, second.added) == (first.reached, 0)
        assert second.kept > 0

    def test_seed(self, vault: Contract, tmp_path: Path) -> None:
        """The same seed gives the same campaign."""

        class Calls(ContractMachine):
            targets = (vault,)

        counts = [
            Calls.campaign(calls=300, seed=7, corpus=tmp_path / str(turn)).counts
            for turn in range(2)
        ]

        assert counts[0] == counts[1]

    def test_time_and_constants(self, vault: Contract, node: Node, tmp_path: Path) -> None:
        """The vault opens after a day: a campaign gets there."""

        class Opened(ContractMachine):
            targets = (vault,)

            def after_call(self, call: Call) -> None:
                assert not (call.name == "withdraw" and call.succeeded)

        with pytest.raises(AssertionError) as raised:
            Opened.campaign(calls=200_000, seed=1, corpus=tmp_path)

        assert raised.value.__notes__[-1].splitlines()[1].startswith("devchain.time_travel(")

    def test_values_of_storage(self, node: Node, tmp_path: Path) -> None:
        """A value that a sequence has written to a private slot becomes an argument."""
        claim, draw = (keccak(each)[:4] for each in (b"claim(uint256)", b"draw()"))
        runtime = assemble(f"""
            0 CALLDATALOAD 224 SHR DUP1 {int.from_bytes(draw)} EQ @draw JUMPI
            4 CALLDATALOAD 0 SLOAD EQ CALLDATASIZE 36 EQ AND @claimed JUMPI STOP
            draw: NUMBER 0 MSTORE 32 0 KECCAK256 0 SSTORE STOP
            claimed: 0 SLOAD ISZERO @none JUMPI 1 1 SSTORE
            none: STOP
        """)
        functions = [
            {"type": "function", "name": "draw", "inputs": []},
            {"type": "function", "name": "claim", "inputs": [{"name": "", "type": "uint256"}]},
        ]
        assert claim != draw
        code = init_code(runtime).hex()
        lottery = node.deploy({"contractName": "Lottery", "abi": functions, "bytecode": code})

        class Lottery(ContractMachine):
            targets = (lottery,)

            @invariant
            def is_not_claimed(self) -> None:
                assert self.node.at().storage(lottery, 1) == 0

        with pytest.raises(AssertionError) as raised:
            Lottery.campaign(calls=100_000, seed=1, corpus=tmp_path)

        program = raised.value.__notes__[-1].splitlines()[1:]
        assert [each.partition("(")[0] for each in program] == ["lottery.draw", "lottery.claim"]

    def test_addresses_of_the_target(self, node: Node, tmp_path: Path) -> None:
        """Addresses that a target's code and storage name are drawn in a fifth of the calls."""
        one, two = (bytes([number]) * 20 for number in (0x71, 0x72))
        runtime = assemble(f"""
            4 CALLDATALOAD DUP1 {int.from_bytes(one)} EQ SWAP1 0 SLOAD EQ OR @known JUMPI 0 0 REVERT
            known: STOP
        """)
        swap = {"type": "function", "name": "swap", "inputs": [{"name": "", "type": "address"}]}
        pair = node.deploy(
            {"contractName": "P", "abi": [swap], "bytecode": init_code(runtime).hex()}
        )
        node.set_storage(pair, 0, int.from_bytes(two))
        taken = set()

        class Pair(ContractMachine):
            targets = (pair,)

            def after_call(self, call: Call) -> None:
                if call.succeeded:
                    taken.add(call.arguments[0])

        counts = Pair.campaign(calls=1_000, seed=1, corpus=tmp_path).counts

        assert taken == {one, two}
        assert counts.succeeded.total() > 200

    def test_successful_calls(self, node: Node) -> None:
        """Four in ten steps are copies of calls that succeeded, with one value changed."""
        kinds = [{"name": "", "type": "uint256"}] * 2
        put = {"type": "function", "name": "put", "inputs": kinds}
        code = init_code(assemble("STOP")).hex()

        class Box(ContractMachine):
            targets = (node.deploy({"contractName": "B", "abi": [put], "bytecode": code}),)

        with machine_run(Box) as run:
            generator = SequenceGenerator(Random(1), run, 30)  # noqa: S311  # reproducible
            call = Step("B.put(uint256,uint256)", (123_456, 654_321))
            generator.succeeded[call.action] = [call]
            drawn = [step for _ in range(40) for step in generator.sequence([])]
        copies = [step for step in drawn if {*step.arguments} & {*call.arguments}]

        assert 0.3 * len(drawn) < len(copies) < 0.5 * len(drawn)

    def test_ends_after_its_time(self, vault: Contract, tmp_path: Path) -> None:
        """Without a number of calls the clock ends it."""
        from devchain.testing.campaign import CampaignSettings, run_campaign

        class Calls(ContractMachine):
            targets = (vault,)

        report = run_campaign(Calls, CampaignSettings(tmp_path, 0.05), ticks())

        assert report.seconds > 0.05
        assert report.calls_per_second == report.counts.calls / report.seconds

    @pytest.mark.parametrize(
        ("name", "lines"),
        [
            (
                "failing_machines.py",
                [
                    "*shortest sequence found:",
                    "*pool.withdraw(1, sender=accounts[[]?])",
                    "*safe.accept(100048494811902, sender=accounts[[]*])",
                    "*customer.withdraw(1, sender=accounts[[]*])",
                ],
            ),
            (
                "failing_versions.py",
                [
                    ">       Versions.campaign(seconds=60, corpus=tmp_path)",
                    "E *success differs: False and True",
                    "*pool.withdraw(1, sender=accounts[[]?])",
                    "*pool.withdraw(1, sender=accounts[[]?])",
                    "E *1 wei cost no share",
                ],
            ),
        ],
    )
    def test_examples(self, pytester: pytest.Pytester, name: str, lines: list[str]) -> None:
        """Each of the planted bugs is found, and shown at the line of the test."""
        options = ("-c", str(EXAMPLE / "pytest.ini"), "-p", "no:cacheprovider")
        result = pytester.runpytest_inprocess(*options, str(EXAMPLE / name))

        result.assert_outcomes(failed=3)
        result.stdout.fnmatch_lines(lines)


class TestCheck:
    def test_hypothesis_finds_it(self, pool_machine: type[ContractMachine]) -> None:
        """Hypothesis finds the bug too, drops all other steps, and shows them as Python."""
        wanted = settings(FEW, max_examples=1_000, stateful_step_count=15, derandomize=True)
        with pytest.raises(AssertionError) as raised:
            pool_machine.check(wanted)

        notes = "\n".join(raised.value.__notes__)
        program = next(note for note in raised.value.__notes__ if note.startswith("the calls"))
        assert len([line for line in program.splitlines() if "sender=" in line]) == 3
        assert "pool.withdraw(1, sender=accounts[0])" in notes
        assert "state.step(step=pool.earn(sender=accounts[0], value=1))" in notes

    def test_own_rules(self, vault: Contract, node: Node) -> None:
        """Rules of Hypothesis, handlers, invariants of both, and ghost variables work together."""
        seen = set()

        class Mixed(ContractMachine):
            targets = (vault,)
            senders = node.funded_accounts[:2]
            max_value = 1_000
            max_seconds = 60  # the vault stays closed

            def setup(self) -> None:
                self.deposited = 0
                vault.deposit(value=3)

            def after_call(self, call: Call) -> None:
                for event in call.events:
                    if event.name == "Deposited":
                        self.deposited += event["amount"]
                        assert event["from"] == call.sender

            @handler("uint8", "address")
            def deposit_twice(self, amount: int, who: AddressBytes) -> None:
                seen.add("handler")
                for _ in range(2):
                    vault.deposit(value=amount, sender=who)
                self.deposited += 2 * amount * (who != vault)

            @hypothesis_stateful.rule(amount=st.integers(1, 5))
            def deposit_as_owner(self, amount: int) -> None:
                seen.add("rule")
                self.deposited += amount
                vault.deposit(value=amount)

            @invariant
            def is_all_there(self) -> None:
                seen.add("invariant")
                assert self.node.balance(vault) == self.deposited + 3

            @hypothesis_stateful.invariant()
            def has_an_owner(self) -> None:
                seen.add("theirs")
                assert vault.owner() == self.node.funded_accounts[0]

        with sandbox(node):
            node.set_balance(node.funded_accounts[1], 10**30)
        counts = Mixed.check(FEW)

        assert seen == {"handler", "rule", "invariant", "theirs"}
        assert counts.succeeded["Vault.deposit()"] > 0
        assert counts.succeeded["self.deposit_twice(uint8,address)"] > 0
        assert node.balance(vault) == 0
        with pytest.raises(InvalidInput, match="deposit_as_owner is a rule of Hypothesis's"):
            Mixed.campaign(calls=1)


class TestMachine:
    def test_handlers_in_a_campaign(self, vault: Contract, tmp_path: Path) -> None:
        """Handlers are steps like calls; what they assert fails; their program names them."""

        class Handled(ContractMachine):
            targets = (vault,)
            functions = ("deposit",)

            @handler("uint8")
            def small(self, amount: int) -> None:
                with pytest.raises(ExecutionReverted):
                    vault.withdraw()
                vault.deposit(value=0)

            @handler("(uint8,bool)[]", "bytes4", "string", "fixed128x18", "int8")
            def many(self, pairs: list[Any], word: bytes, text: str, part: Any, small: int) -> None:
                assert len(pairs) < 3

        with pytest.raises(AssertionError) as raised:
            Handled.campaign(calls=10_000, seed=3, corpus=tmp_path)

        (program,) = raised.value.__notes__[-1].splitlines()[1:]
        assert program.startswith("self.many([(0, False), (0, False), (0, False)], ")

    @pytest.mark.parametrize("of_handler", [True, False], ids=["handler", "invariant"])
    def test_wrong_calls(self, vault: Contract, tmp_path: Path, *, of_handler: bool) -> None:
        """A call that a handler or an invariant writes wrongly fails; it is no step to skip."""

        class Wrong(ContractMachine):
            targets = (vault,)
            functions = ("deposit",)

            @handler("uint8")
            def act(self, _: int) -> None:
                if of_handler:
                    vault.withdraw(sender="bob")

            @invariant
            def holds(self) -> None:
                if not of_handler:
                    vault.deposits()

        with pytest.raises(InvalidInput, match="bob" if of_handler else "deposits"):
            Wrong.campaign(calls=500, seed=3, corpus=tmp_path)

    def test_forbidden_reverts(self, pool: Contract, tmp_path: Path) -> None:
        """A revert whose reason is forbidden fails."""

        class Strict(ContractMachine):
            targets = (pool,)
            forbidden_reverts = ("division",)

        with pytest.raises(AssertionError, match=r"Pool.withdraw\(uint256\) failed: .*division"):
            Strict.campaign(calls=10_000, seed=3, corpus=tmp_path)

    def test_functions_as_objects(self, pool: Contract, tmp_path: Path) -> None:
        """Functions are chosen and left out as objects, too."""

        class Chosen(ContractMachine):
            targets = (pool,)
            functions = (pool.deposit, "deposit", "Pool.deposit", "withdraw")
            excluded = (pool.withdraw,)

        report = Chosen.campaign(calls=50, seed=1, corpus=tmp_path)

        called = {*report.counts.succeeded, *(name for name, _ in report.counts.reverted)}
        assert called == {"Pool.deposit()"}

    def test_reasons_of_handlers(self, vault: Contract, tmp_path: Path) -> None:
        """A custom error in a handler is one reason, whatever its values, as in a function."""

        class Handled(ContractMachine):
            targets = (vault,)
            functions = ()

            @handler("uint256")
            def withdraw(self, value: int) -> None:
                vault.withdraw(sender=self.senders[value % 2])

        report = Handled.campaign(calls=200, seed=1, corpus=tmp_path)

        reasons = [reason for _, reason in report.counts.reverted]
        assert 1 <= len(reasons) <= 2
        assert not any("(" in each for each in reasons)

    def test_own_names(self, vault: Contract, tmp_path: Path) -> None:
        """A machine's methods may have any name that its documentation does not mention."""

        class Named(ContractMachine):
            targets = (vault,)

            def run(self) -> int:
                return 1

            @invariant
            def holds(self) -> None:
                assert self.run() == 1

        assert Named.campaign(calls=10, seed=1, corpus=tmp_path).counts.calls
        assert Named.check(FEW).calls

    def test_mistakes(self, vault: Contract) -> None:
        """Without targets, functions or senders the error says what is missing."""

        class Empty(ContractMachine):
            pass

        class OneTarget(ContractMachine):
            targets = vault  # type: ignore[assignment]  # no sequence

        class NothingToCall(ContractMachine):
            targets = (vault,)
            functions = ()

        class Misspelt(ContractMachine):
            targets = (vault,)
            excluded = ("depositt",)

        class Elsewhere(ContractMachine):
            targets = (vault,)
            functions = (7,)  # type: ignore[assignment]  # no function

        with pytest.raises(InvalidInput, match="no targets"):
            Empty.campaign()
        with pytest.raises(InvalidInput, match=r"OneTarget has no targets: give .* \(vault,\)"):
            OneTarget.campaign()
        with pytest.raises(InvalidInput, match=r"no function depositt: did you mean deposit\?"):
            Misspelt.campaign()
        with pytest.raises(InvalidInput, match="functions of Elsewhere: 7 is no function"):
            Elsewhere.campaign()
        with pytest.raises(InvalidInput, match="has nothing to call"):
            NothingToCall.campaign()
        with pytest.raises(InvalidInput, match="at least one step"):
            NothingToCall.campaign(steps=0)
        with pytest.raises(InvalidInput, match=r"check\(\) or campaign\(\)"):
            NothingToCall()
        with pytest.raises(InvalidInput, match="no ABI type"):
            handler("uint7")
        with pytest.raises(InvalidInput, match="names the types that it takes"):
            handler(print)  # type: ignore[arg-type]

    def test_two_contracts_of_a_kind(self, node: Node, tmp_path: Path) -> None:
        """Contracts of one artifact are told apart, in the report and in the program."""
        vaults = [node.deploy(VAULT, 60) for _ in range(2)]

        class Two(ContractMachine):
            targets = vaults
            functions = ("deposit", "deposits")

            @invariant
            def second_is_empty(self) -> None:
                assert vaults[1].contract.balance == 0

        with pytest.raises(AssertionError) as raised:
            Two.campaign(calls=10_000, seed=1, corpus=tmp_path)

        program = raised.value.__notes__[-1].splitlines()[1:]
        assert program == [
            "vault2.deposit(sender=accounts[0], value=1)",
            "vault2.contract.balance  # 1",
        ]


class TestCompared:
    def test_two_versions(self, node: Node, tmp_path: Path) -> None:
        """A version that forbids the planted bug differs; the same version does not."""
        one, same = (node.deploy(CONTRACTS / "Pool.json") for _ in range(2))
        written = orjson.loads((CONTRACTS / "Pool.json").read_bytes())
        # Another version: the text of its `require` ends differently.
        changed = written["bytecode"].replace("746f6f206c6974746c65", "746f6f206c6974746c66")
        other = node.deploy({**written, "bytecode": changed, "deployedBytecode": "0x"})

        class Same(ContractMachine):
            targets = (one,)
            compared = ((one, same),)

        class Different(ContractMachine):
            targets = (one,)
            compared = ((one, other),)

        Same.campaign(calls=400, seed=1, corpus=tmp_path / "same")
        Same.check(FEW)
        with pytest.raises(AssertionError, match=r"Pool.deposit\(\): output differs") as raised:
            Different.campaign(calls=4_000, seed=1, corpus=tmp_path / "different")

        program = raised.value.__notes__[-1].splitlines()[1:]
        assert program == ["pool.deposit(sender=accounts[0])"]

    def test_views(self, node: Node, tmp_path: Path) -> None:
        """View functions are compared after every step; what is no target cannot be."""
        one, two = (node.deploy(CONTRACTS / "Pool.json") for _ in range(2))
        two.deposit(value=1)

        class Different(ContractMachine):
            targets = (one,)
            compared = ((one, two),)
            functions = ("earn",)

        class NoTarget(ContractMachine):
            targets = (one,)
            compared = ((two, one),)

        with pytest.raises(AssertionError, match=r"totalShares\(\) differs: \(0,\) and \(1,\)"):
            Different.campaign(calls=10, seed=1, corpus=tmp_path)
        with pytest.raises(InvalidInput, match="is no target"):
            NoTarget.campaign(calls=10, corpus=tmp_path)

    def test_model(self, vault: Contract, tmp_path: Path) -> None:
        """A Python model as a ghost variable keeps up with the contract."""

        class Modelled(ContractMachine):
            targets = (vault,)

            def setup(self) -> None:
                self.model: dict[AddressBytes, int] = {}

            def after_call(self, call: Call) -> None:
                if call.name == "deposit" and call.succeeded:
                    self.model[call.sender] = self.model.get(call.sender, 0) + call.value

            @invariant
            def agrees(self) -> None:
                assert all(vault.deposits(who) == sum_ for who, sum_ in self.model.items())

        assert Modelled.campaign(calls=300, seed=1, corpus=tmp_path).counts.calls >= 300


@pytest.mark.parametrize(
    ("value", "limit", "least"),
    [
        (10**30, 10**20, 10**20),
        (-500, 7, -7),
        (1, 1, 1),
        (0, 0, 0),
        ((900, [600, True, 700], b"abc", "x"), 300, (300, [], b"", "")),
        ((AddressBytes(20), True), 0, (AddressBytes(20), False)),
    ],
)
def test_smallest(value: Any, limit: int, least: Any) -> None:
    """Each integer becomes the nearest to 0 that fails, in few tries; lists and texts shorter."""
    tries = []

    def numbers(each: Any) -> Iterator[int]:
        if isinstance(each, list | tuple):
            for item in each:
                yield from numbers(item)
        elif isinstance(each, int) and not isinstance(each, bool):
            yield abs(each)

    def fails(each: Any) -> bool:
        tries.append(each)
        return all(number >= limit for number in numbers(each))

    assert smallest(value, fails) == least
    assert len(tries) <= 101  # 0, and as often as 10**30 can be halved
