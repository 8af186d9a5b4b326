"""`devchain.source.gas`: profiles, and gas by function and line with every compiler."""

from __future__ import annotations

import json
import pickle
from functools import cache
from pathlib import Path

import pytest

from devchain.errors import ConfigError
from devchain.source.gas import (
    BURNED,
    DEPOSIT,
    GENERATED,
    INTRINSIC,
    GasNode,
    GasProfile,
    LineGas,
    check_suffix,
    write_flame_graph,
)
from devchain.tracing.gas_recorder import MAX_CONTEXTS, StorageUse
from devchain.types import Address, Hash32
from tests.actions import deploy, send
from tests.bytecode import assemble, init_code
from tests.failures.builds import BUILDS, Build
from tests.failures.cases import snake_case
from tests.failures.world import World
from tests.tracing.reading import new_node

SSTORE_SET, SSTORE_RESET = 20_000, 5_000


@cache
def world(build: Build) -> World:
    """The node of a build; each test leaves it as it was."""
    return World(build)


def profile_of(build: Build, target: str, *arguments: object, **options: object) -> GasProfile:
    """The profile of a successful call of `Contract.function`."""
    at = world(build)
    contract, _, function = target.partition(".")
    if build.language == "Vyper":
        function = snake_case(function)
    with at.node.snapshot():
        sent = at.deployed[contract][function].transact(*arguments, **options)
        profile = at.node.gas_profile(sent.hash)
        assert profile.gas_used == sent.gas_used
        return profile


def named(build: Build, target: str) -> str:
    """The name of a function in the language of a build."""
    contract, _, function = target.partition(".")
    if build.language == "Vyper":
        return f"{snake_case(contract)}.{snake_case(function)}"
    return target


def stacks(profile: GasProfile) -> set[tuple[str, ...]]:
    """Call stacks of functions."""
    return {
        (*above[1:], node.name)
        for above, node in profile.stacks.walk()
        if above and not node.name.startswith("(")
    }


def lines(profile: GasProfile, text: str) -> int:
    """Gas of the lines that have this text."""
    return sum(each.gas for each in profile.lines.values() if each.text.startswith(text))


@pytest.mark.parametrize("build", BUILDS, ids=str)
class TestBuilds:
    def test_internal_functions(self, build: Build) -> None:
        """Internal functions are frames below their callers, inlined or not, and those alone."""
        outer, middle, inner = (
            named(build, f"Structure.{each}") for each in ("outer", "middle", "inner")
        )
        if build.language == "Vyper":
            middle, inner = "structure._middle", "structure._inner"

        profile = profile_of(build, "Structure.outer", 3)

        assert stacks(profile) == {(outer,), (outer, middle), (outer, middle, inner)}
        functions = {each.name: each for each in profile.functions()}
        assert functions[outer].calls == 1
        assert functions[outer].total > functions[middle].total > functions[inner].total
        assert (
            functions[outer].total == profile.gross - profile.stacks.children["(intrinsic gas)"].gas
        )

    def test_lines(self, build: Build) -> None:
        """The gas of a line is that of its storage access and little more.

        Of the five writes the optimizer of the newest pipeline leaves three, without lines.
        """
        if build.via_ir:
            pytest.skip("the optimizer removes these writes")
        own = "" if build.language == "Solidity" else "self."

        profile = profile_of(build, "Structure.outer", 3)

        cost = lines(profile, f"{own}total = 1")
        assert SSTORE_SET <= cost < SSTORE_SET + 1_000
        last = lines(profile, f"{own}total = 2")
        assert SSTORE_RESET <= last < SSTORE_RESET + 1_000

    def test_calls_of_others(self, build: Build) -> None:
        """The gas of a call is that of its callee, in a frame below the caller."""
        caller, callee = (named(build, each) for each in ("Caller.sibling", "Target.take"))

        profile = profile_of(build, "Caller.sibling", 1)

        assert (caller, callee) in stacks(profile)

    def test_storage(self, build: Build) -> None:
        """Storage is by contract and variable, where the compiler writes a layout."""
        profile = profile_of(build, "Structure.outer", 3)

        uses = profile.sorted_storage()
        assert sum(use.writes for _, use in uses) == (3 if build.via_ir else 5)
        name = "structure" if build.language == "Vyper" else "Structure"
        assert {contract for (contract, _), _ in uses} == {name}
        if world(build).artifacts[name].storage_layout:
            assert {variable for (_, variable), _ in uses} == {"total"}


class TestPlainCode:
    def test_without_source(self) -> None:
        """A contract without artifact is a frame by its address; precompiled ones by their name."""
        node = new_node("vetiver")
        identity = Address((4).to_bytes(20))
        at = deploy(node, assemble(f"32 0 32 0 0x{identity.hex()} 10000 STATICCALL POP"))

        profile = node.gas_profile(Hash32(send(node, at, bytes(4))))

        name = f"{node.explainer.names().address_text(at)}.0x00000000"
        assert stacks(profile) == {(name,), (name, "identity")}
        assert profile.stacks.children[name].children["identity"].gas == 15 + 3

    def test_failure(self) -> None:
        """What a failure burns is not the gas of the opcode that failed."""
        node = new_node("vetiver")
        at = deploy(node, assemble("1 2 ADD INVALID"))

        profile = node.gas_profile(Hash32(send(node, at, gas=50_000)))

        (top,) = [each for each in profile.stacks.children.values() if each.children]
        assert (top.gas, top.children[BURNED].gas) == (9, 50_000 - 21_000 - 9)

    def test_creation(self) -> None:
        """Storing code is an entry of its own; so is the price of init code on Ethereum."""
        node = new_node("prague")
        code = assemble("1 POP STOP")

        profile = node.gas_profile(Hash32(send(node, None, init_code(code))))

        new = profile.stacks.children["new contract.constructor"]
        assert new.children[DEPOSIT].gas == 200 * len(code)
        assert new.calls == 1

    def test_cold_storage(self) -> None:
        """First accesses cost more under Ethereum's newer rules, and not on Rootstock."""
        expected = {"prague": (2_000 + 2_100, 1), "vetiver": (0, 1)}
        code = assemble("7 SLOAD POP 7 SLOAD POP 1 8 SSTORE")

        for hardfork, (cold, writes) in expected.items():
            node = new_node(hardfork)
            profile = node.gas_profile(Hash32(send(node, deploy(node, code))))
            uses = list(profile.storage.values())

            assert sum(each.cold_gas for each in uses) == cold
            assert [(each.reads, each.writes) for each in uses] == [(2, 0), (0, writes)]

    def test_many_callees(self) -> None:
        """A contract that calls without end makes no profile without end."""
        node = new_node("vetiver")
        body = "CALLDATASIZE CALLDATASIZE CALLDATASIZE CALLDATASIZE GAS GAS STATICCALL POP"
        at = deploy(node, assemble(f"JUMPDEST {body} 0 JUMP"))

        profile = node.gas_profile(Hash32(send(node, at, gas=1_000_000)))

        assert profile.gas_used == 1_000_000
        assert len(stacks(profile)) < MAX_CONTEXTS


def profile(name: str = "Vault.take") -> GasProfile:
    """Vault.take calls itself, a check, and code of the compiler."""
    stacks = GasNode("")
    stacks.child(INTRINSIC).gas = 21_000
    take = stacks.child(name)
    take.gas, take.calls = 100, 1
    take.child(GENERATED).gas = 7
    again = take.child(name)
    again.gas, again.calls = 50, 2
    check = again.child("Vault._check")
    check.gas = 5
    return GasProfile(
        stacks,
        {("Vault.sol", 17, ""): LineGas(162, 7, "take(1);"), ("", 0, INTRINSIC): LineGas(21_000)},
        {("Vault", "owner"): StorageUse(2, 1, 5_200, 2_100)},
        refunds=12,
        transactions=1,
    )


class TestGasProfile:
    def test_sums(self) -> None:
        """Gas used is the gas of all stacks without refunds."""
        assert profile().gas_used == 21_000 + 162 - 12

    def test_functions(self) -> None:
        """Recursive calls count once in a total; calls of inlined functions are not known."""
        take, check = profile().functions()

        assert (take.name, take.calls, take.gas, take.total) == (
            "Vault.take", 3, 157, 162,
        )  # fmt: skip
        assert (check.gas, check.calls) == (5, 0)

    def test_folded(self) -> None:
        """Stacks in the format of speedscope, names of frames without semicolons."""
        assert list(profile("a;b").folded()) == [
            "(intrinsic gas) 21000",
            "a,b 100",
            "a,b;(generated) 7",
            "a,b;a,b 50",
            "a,b;a,b;Vault._check 5",
        ]

    def test_merging(self) -> None:
        """Profiles of processes are added up; pickling loses nothing, of long chains neither."""
        merged = GasProfile()
        for _ in range(2):
            merged.add(pickle.loads(pickle.dumps(profile())))  # noqa: S301
        deep = GasProfile()
        node = deep.stacks
        for number in range(2_000):
            node = node.child(f"A.f{number}")
        node.gas = 3
        merged.add(pickle.loads(pickle.dumps(deep)))  # noqa: S301

        assert merged.gas_used == 2 * profile().gas_used + 3
        assert merged.lines["Vault.sol", 17, ""] == LineGas(324, 14, "take(1);")
        assert merged.storage["Vault", "owner"] == StorageUse(4, 2, 10_400, 4_200)
        assert merged.functions()[0].calls == 6
        assert merged.transactions == 2


class TestFiles:
    """`write_flame_graph`."""

    def test_speedscope(self, tmp_path: Path) -> None:
        """JSON has a sample for each stack, whose weights are the gas; names are printable."""
        path = tmp_path / "a.json"
        write_flame_graph(profile("take\x1b[2J"), str(path))

        written = json.loads(path.read_text())
        [samples] = written["profiles"]
        names = [each["name"] for each in written["shared"]["frames"]]
        assert names == ["(intrinsic gas)", "take\\x1b[2J", "(generated)", "Vault._check"]
        assert samples["samples"] == [[0], [1], [1, 2], [1, 1], [1, 1, 3]]
        assert samples["weights"] == [21_000, 100, 7, 50, 5]
        assert samples["endValue"] == sum(samples["weights"]) == profile().gross

    @pytest.mark.parametrize("name", ["a.folded", "a.TXT"])
    def test_folded(self, tmp_path: Path, name: str) -> None:
        """Other endings are stacks in lines."""
        write_flame_graph(profile(), str(tmp_path / name))

        assert (tmp_path / name).read_text().startswith("(intrinsic gas) 21000\n")

    def test_other_endings(self) -> None:
        """A name that ends otherwise is an error, which says what there is."""
        with pytest.raises(ConfigError, match=r"ends in \.html, name it \.json, or"):
            check_suffix("a.html")
