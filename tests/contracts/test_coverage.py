"""`devchain.source.coverage`"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devchain.config import Config
from devchain.contracts.abi import Abi
from devchain.contracts.artifact_formats import parse_artifacts
from devchain.contracts.artifact_registry import Registry
from devchain.contracts.artifacts import Artifact, Code, Source
from devchain.contracts.coverage_report import UNKNOWN, format_lcov, format_table, report_from_json
from devchain.errors import ExecutionReverted
from devchain.node import Node
from devchain.source.coverage import MAX_CACHED, MAX_UNKNOWN, Coverage, build_report
from devchain.source.missing_places import NO_SOURCE_MAP, NO_TEXT, OTHER_CODE
from devchain.types import TransactionRequest
from tests.contracts.test_syntax_tree import LEAVES, TREES
from tests.fork.upstreams import fork_of
from tests.testing.covered import CONTRACTS, TILL, coverage_node, report_of, run_till

UNUSED = 14  # the body of Shares.third, which is never called: compilers emit no code for it


def lines(node: Node, path: str = TILL) -> tuple[set[int], set[int], set[int]]:
    """The lines of a source that ran, that did not run, and that cannot be measured."""
    found = report_of(node).files[path].lines
    return (
        {line for line, count in found.items() if count > 0},
        {line for line, count in found.items() if count == 0},
        {line for line, count in found.items() if count < 0},
    )


class TestUnoptimized:
    """Without an optimizer every compiled statement can be measured."""

    MISSED = frozenset({27, 55, 68, 72, 82, 114, 126})

    @pytest.mark.parametrize("engine", ["fast", "reference"])
    @pytest.mark.parametrize("hardfork", ["london", "vetiver"])
    def test_lines(self, hardfork: str, engine: str) -> None:
        """Executed lines are hit, others missed, under all hardforks and engines."""
        node = coverage_node("till-plain", hardfork, engine)
        run_till(node)

        hit, missed, unknown = lines(node)

        assert (missed, unknown) == (self.MISSED, {UNUSED})
        assert hit == {
            *(10, 20, 23, 44, 48, 49, 50, 52, 53, 54, 57),
            *(61, 62, 63, 64, 77, 79, 92, 96, 97, 99, 108, 112, 113, 117, 130),
        }

    def test_counts(self) -> None:
        """Lines count executions, including those in inner calls and delegate calls."""
        node = coverage_node("till-plain")
        run_till(node)

        found = report_of(node).files[TILL]

        assert found.lines[50] == 2 + 3 + 100  # the loop's turns
        assert (found.lines[52], found.lines[53], found.lines[54]) == (3, 1, 2)
        assert found.lines[79] == 1  # run by the proxy
        assert found.functions["Till.price"] == (47, 3)
        assert found.functions["Till.wipe"] == (71, 0)
        assert found.functions["Owned.constructor"] == (22, 1)
        assert found.functions["Shares.third"][1] < 0

    def test_not_deployed(self) -> None:
        """A contract that was not deployed is missed, not left out."""
        hit, missed, _ = lines(coverage_node("till-plain"))

        assert not hit
        assert missed > self.MISSED

    def test_reverted_executions_count(self) -> None:
        """Executions in calls count, and so do those reverted by a snapshot."""
        node = coverage_node("till-plain")
        with node.snapshot():
            node.deploy("Shop")
            node.deploy("Till").price(11)

        hit, _, _ = lines(node)

        assert hit == {20, 23, 48, 49, 50, 52, 53, 10, 57}

    @pytest.mark.parametrize("engine", ["fast", "reference"])
    def test_estimates_and_traces(self, engine: str) -> None:
        """Estimates that succeed do not count, nor do traces: what is sent or called does."""
        node = coverage_node("till-plain", engine=engine)
        till = node.deploy("Till")
        till.price.estimate(1)
        before = report_of(node).files[TILL].lines[48]
        till.price(1)
        mined = till.setRate(9)
        node.explainer.transaction_frames(mined.hash)

        found = report_of(node).files[TILL].lines

        assert (before, found[48], found[68]) == (0, 1, 1)

    @pytest.mark.parametrize("like", [None, "rskj"])
    def test_failing_estimate(self, like: str | None) -> None:
        """An estimate that fails counts once: nothing is sent after it."""
        node = coverage_node("till-plain", hardfork="vetiver", like=like)
        till = node.deploy("Till")

        with pytest.raises(ExecutionReverted):
            till.setRate.estimate(1, sender=node.accounts.addresses()[1])

        found = report_of(node).files[TILL].lines
        assert (found[27], found[68]) == (1, 0)

    @pytest.mark.parametrize(
        ("hardfork", "like"),
        [("vetiver", None), ("london", None), ("london", "hardhat"), ("vetiver", "rskj")],
    )
    def test_transaction_without_gas(self, hardfork: str, like: str | None) -> None:
        """A transaction counts once, whether its gas is estimated before or not."""
        node = coverage_node("till-plain", hardfork, like=like)
        till = node.deploy("Till")
        sender, other = node.accounts.addresses()[:2]
        data = till.setRate.encode(9)

        node.send(TransactionRequest(sender=sender, to=till.address, data=data))
        with suppress(ExecutionReverted):
            node.send(TransactionRequest(sender=other, to=till.address, data=data))

        found = report_of(node).files[TILL].lines
        assert (found[27], found[68]) == (2, 1)

    def test_fork(self) -> None:
        """What is run to find out which facts a call needs does not count."""
        upstream = coverage_node("till-plain", hardfork="vetiver")
        till = upstream.deploy("Till")
        node, _ = fork_of(upstream, artifacts=upstream.config.artifacts, coverage="-")
        on_fork = node.contract("Till", till.address)

        on_fork.price(11)
        on_fork.setRate(9)

        found = report_of(node).files[TILL].lines
        assert (found[48], found[50], found[68]) == (1, 11, 1)


class TestVyper:
    """Lines of Vyper: those without a range in the source map are not measurable."""

    def test_lines(self) -> None:
        """Lines of modules count; of a function that is not called there is no code."""
        node = coverage_node("jar")
        jar = node.deploy("Jar", 3)
        jar.put(20)
        jar.total(2)

        hit, missed, unknown = lines(node, "Jar.vy")

        assert hit == {13, 18, 19, 20, 34, 35, 36, 38}
        assert missed == {22, 28, 44, 45}
        assert unknown == {12, 37, 39}
        assert lines(node, "lid.vy") == (set(), {7}, {13})

    def test_other_branch(self) -> None:
        """The branch that is not taken is missed, though both branches use the argument."""
        node = coverage_node("jar")
        node.deploy("Jar", 3).put(2)

        hit, missed, _ = lines(node, "Jar.vy")

        assert hit >= {18, 19, 22, 28}
        assert missed >= {20, 44, 45}
        assert lines(node, "lid.vy")[0] == {7}

    @pytest.mark.parametrize("version", ["0.3", "0.4"])
    def test_fallback(self, version: str) -> None:
        """The fallback function has run if it was chosen, not when another was chosen."""
        node = coverage_node(f"purse-{version}", "vetiver")
        purse = node.deploy("Purse")
        mined = purse.put(3)
        before = report_of(node).files["Purse.vy"].functions
        paid = node.transact(to=purse, value=1)

        after = report_of(node).files["Purse.vy"].functions

        assert before == {"put": (9, 1), "__default__": (15, 0)}
        assert after == {"put": (9, 1), "__default__": (15, 1)}
        assert [each.name for each in node.gas_profile(mined).functions()] == ["Purse.put"]
        assert [each.name for each in node.gas_profile(paid).functions()] == ["Purse.fallback"]


def price(node: Node, count: int) -> None:
    """Deploy a till and call `price`."""
    node.deploy("Till").price(count)


def set_rate_as_other(node: Node) -> None:
    """Call `setRate` from an account that is not the owner."""
    till = node.deploy("Till")
    with pytest.raises(ExecutionReverted):
        till.setRate(1, sender=node.accounts.addresses()[1])


CALLS = {
    "all": run_till,
    "deployed": lambda node: node.deploy("Till"),
    "none": lambda node: price(node, 0),
    "few": lambda node: price(node, 2),
    "many": lambda node: price(node, 11),
    "limit": lambda node: node.deploy("Till").limit(),
    "sell": lambda node: node.deploy("Till").sell(3),
    "set": lambda node: node.deploy("Till").setRate(3),
    "refused": set_rate_as_other,
    "wipe": lambda node: node.deploy("Till").wipe(),
    "low": lambda node: node.deploy("Till").low(2),
    "high": lambda node: node.deploy("Till").low(9),
    "first": lambda node: node.deploy("Twins").first(),
    "second": lambda node: node.deploy("Twins").second(),
    "both": lambda node: (node.deploy("Twins").first(), node.deploy("Twins").second()),
}


class TestVenom:
    """Vyper's other code generator, whose `deployedBytecode` is not always what is deployed."""

    def test_lines(self) -> None:
        """The deployed code is that in the creation code; what ran is never missed."""
        node = coverage_node("bids-venom", "vetiver")
        bids = node.deploy("Bids", 300)
        bids.bid(5)
        bids.close(0)

        _, missed, unknown = lines(node, "Bids.vy")

        assert not missed
        assert unknown == {12, 27, 28, 30, 32, 35}
        assert not report_of(node).unmeasured

    def test_function_that_did_not_run(self) -> None:
        """Its lines are missed."""
        node = coverage_node("bids-venom", "vetiver")
        node.deploy("Bids", 300).bid(5)

        hit, missed, _ = lines(node, "Bids.vy")

        assert {18, 19} & hit
        assert missed >= {25, 26, 29, 33, 34, 35}

    @pytest.mark.parametrize("ran", [True, False])
    def test_other_code(self, tmp_path: Path, ran: bool) -> None:
        """Without metadata it is not known: no line is measured, and the contract is named."""
        file = tmp_path / "bids.json"
        build_info = json.loads((CONTRACTS / "bids-venom.json").read_text())
        code = build_info["output"]["contracts"]["Bids.vy"]["Bids"]["evm"]["bytecode"]
        code["object"] = code["object"][: -2 * int(code["object"][-4:], 16)]
        file.write_text(json.dumps(build_info))
        node = Node(Config(artifacts=(str(file),), coverage="-", hardfork="vetiver"))
        if ran:
            node.deploy("Bids", 300).bid(5)

        hit, missed, unknown = lines(node, "Bids.vy")

        assert not hit
        assert unknown == {12, 18, 19, 25, 26, 27, 28, 29, 30, 32, 33, 34, 35, 40}
        assert not missed
        assert report_of(node).unmeasured == {("Bids", OTHER_CODE)}


class TestOptimized:
    """Statements that the optimizer inlined, moved or merged are measured where possible."""

    @pytest.mark.parametrize("build", ["till-optimized", "till-ir"])
    @pytest.mark.parametrize("name", CALLS)
    def test_agrees_with_plain_build(self, name: str, build: str) -> None:
        """A line reported as hit or missed is the same in the build without optimizer."""
        plain, node = coverage_node("till-plain"), coverage_node(build)
        CALLS[name](plain)
        CALLS[name](node)

        hit, missed, unknown = lines(node)
        truly_hit, truly_missed, _ = lines(plain)

        assert hit <= truly_hit
        assert missed <= truly_missed
        assert hit | missed | unknown == truly_hit | truly_missed | {UNUSED}

    @pytest.mark.parametrize("build", ["till-plain", "till-optimized", "till-ir"])
    def test_total_does_not_depend_on_what_ran(self, build: str) -> None:
        """However much runs, the total is the same, and no percentage is above the true one."""
        totals = set()
        for call in CALLS.values():
            plain, node = coverage_node("till-plain"), coverage_node(build)
            call(plain)
            call(node)
            truth, found = report_of(plain).files[TILL], report_of(node).files[TILL]
            totals.add(found.counted_lines)
            assert found.hit_lines * truth.counted_lines <= truth.hit_lines * found.counted_lines

        assert len(totals) == 1

    def test_legacy(self) -> None:
        """The optimizer merged equal functions, reverts and the ends of two functions."""
        node = coverage_node("till-optimized")
        run_till(node)

        _, missed, unknown = lines(node)

        assert missed == {55, 68, 72, 82, 114}
        assert unknown == {UNUSED, 27, 57, 126, 130}
        assert report_of(node).files[TILL].functions["Till.price"] == (47, 3)

    @pytest.mark.parametrize(("value", "ran"), [(5, -2), (50, 1)], ids=["jump", "fall-through"])
    def test_block_equal_to_a_merged_block(self, value: int, ran: int) -> None:
        """A block equal to a merged block is unknown if it did not run: jumps go to the other.

        Line 35 ends `tens`; a jump to it runs the end of `twos`, falling through to it does not.
        """
        node = coverage_node("ends", hardfork="cancun")
        node.deploy("Ends").both(value)

        counts = report_of(node).files["Ends.sol"].lines

        assert counts[35] == ran
        assert counts[29] == 0

    @pytest.mark.parametrize(
        ("calls", "mint", "hit"),
        [
            ([], 0, 5),
            (["refused"], 0, 6),
            (["transfer"], 0, 9),
            (["refused", "transfer"], UNKNOWN, 10),
            (["mint", "transfer"], 1, 11),
        ],
        ids=["deployed", "refused", "transfer", "refused-transfer", "mint-transfer"],
    )
    def test_statement_that_shares_code(self, calls: list[str], mint: int, hit: int) -> None:
        """Line 24, whose code is also that of `transfer`, never leaves the total.

        It is missed as long as `mint` does not get that far for sure, then unknown.
        """
        node = coverage_node("coin", hardfork="cancun")
        coin, (owner, other) = node.deploy("Coin", 100), node.accounts.addresses()[:2]
        steps = {
            "refused": lambda: coin.mint(other, 5, sender=other),
            "mint": lambda: coin.mint(other, 5, sender=owner),
            "transfer": lambda: coin.transfer(other, 5),
        }
        for each in calls:
            with suppress(ExecutionReverted):
                steps[each]()

        report = report_of(node).files["Coin.sol"]

        assert (report.lines[24], report.hit_lines, report.counted_lines) == (mint, hit, 12)
        assert "not measurable" in "".join(format_table(report_of(node))) or mint != UNKNOWN

    def test_via_ir(self) -> None:
        """Many statements have no code left; loads before a loop do not count for its body."""
        node = coverage_node("till-ir")
        run_till(node)

        _, missed, unknown = lines(node)

        assert missed == {55, 114}
        assert unknown == {UNUSED, 10, 27, 44, 48, 53, 57, 68, 72, 77, 79, 82, 117, 126, 130}


# PUSH1 0, STOP and a CBOR map of one entry as metadata
PLAIN, METADATA = bytes.fromhex("600000"), bytes.fromhex("a16178610100")
OTHER_METADATA = bytes.fromhex("a16178610200")
SIZE = b"\0\x06"


def artifact(metadata: bytes = METADATA, source_map: str = "0:1:0") -> Artifact:
    """An artifact whose creation and runtime code are equal."""
    code = Code(PLAIN + metadata + SIZE, source_map=source_map)
    return Artifact("One", Abi(()), creation=code, runtime=code)


class TestCounts:
    def test_creation_and_runtime(self) -> None:
        """Init code with any arguments counts as the artifact's creation code."""
        one = artifact()
        coverage = Coverage(Registry([one]))
        for argument in (b"\1", b"\2"):
            counts = coverage.counts(one.creation.template + argument, creating=True)
            counts[0] = counts.get(0, 0) + 1

        assert coverage.counts_of(one, creating=True) == {0: 2}
        assert coverage.counts_of(one, creating=False) == {}

    def test_same_metadata(self) -> None:
        """Of two artifacts with the same code, the one with the same metadata counts."""
        one, other = artifact(), artifact(OTHER_METADATA)
        coverage = Coverage(Registry([one, other]))
        coverage.counts(one.runtime.template, creating=False)[0] = 1

        assert coverage.counts_of(one, creating=False) == {0: 1}
        assert coverage.counts_of(other, creating=False) == {}

    def test_other_metadata(self) -> None:
        """If no artifact has the same metadata, all that match count."""
        one = artifact()
        coverage = Coverage(Registry([one]))
        coverage.counts(PLAIN + OTHER_METADATA + SIZE, creating=False)[0] = 1

        assert coverage.counts_of(one, creating=False) == {0: 1}

    def test_artifact_added_later(self) -> None:
        """Executions before the artifact is added count."""
        one, registry = artifact(), Registry()
        coverage = Coverage(registry)
        coverage.counts(one.runtime.template, creating=False)[0] = 3
        registry.add(one)
        coverage.counts(one.runtime.template, creating=False)[0] += 1

        coverage.match_new_artifacts()

        assert coverage.counts_of(one, creating=False) == {0: 4}

    def test_named_without_source_map(self) -> None:
        """A contract without source map is named, unless another artifact of it has one."""
        node = coverage_node("till-plain")
        [till] = node.artifacts.find_by_name("Till")
        bare = replace(till, runtime=Code(till.runtime.template), creation=Code())
        other = replace(bare, name="Other", runtime=Code(b"\x01"), sources={})
        node.artifacts.add(bare)
        node.artifacts.add(other)
        node.artifacts.add(replace(other, name="Dependency", source="node_modules/a/B.sol"))
        node.artifacts.add(Artifact("Interface", till.abi))

        assert report_of(node).unmeasured == {("Other", NO_SOURCE_MAP)}

    def test_named_without_text(self) -> None:
        """A contract whose source is not found is named."""
        node = coverage_node("till-plain")
        [till] = node.artifacts.find_by_name("Till")
        path = "contracts/Gone.sol"
        [number] = (each for each, source in till.sources.items() if source.path == till.source)
        gone = replace(till, name="Gone", source=path, sources={number: Source(path)})
        node.artifacts.add(gone)

        report = report_of(node)

        assert report.unmeasured == {("Gone", NO_TEXT)}
        assert report_from_json(report.to_json()) == report

    def test_without_source_map(self) -> None:
        """An artifact without a source map is ignored."""
        one = artifact()
        unmapped = replace(one, runtime=replace(one.runtime, source_map=""))
        coverage = Coverage(Registry([one, unmapped]))
        coverage.counts(one.runtime.template, creating=False)[0] = 1

        assert coverage.counts_of(unmapped, creating=False) == {}
        assert coverage.counts_of(one, creating=False) == {0: 1}

    def test_bounded(self) -> None:
        """Counts of unknown code are bounded; those of known code are complete."""
        one = artifact()
        coverage = Coverage(Registry([one]))
        for number in range(MAX_CACHED + MAX_UNKNOWN):
            unknown, argument = number.to_bytes(4, "big"), number.to_bytes(4, "big")
            coverage.counts(unknown, creating=False)
            counts = coverage.counts(one.creation.template + argument, creating=True)
            counts[0] = counts.get(0, 0) + 1

        assert len(coverage._unmatched) == MAX_UNKNOWN
        assert len(coverage._by_code) <= MAX_CACHED
        assert coverage.counts_of(one, creating=True) == {0: MAX_CACHED + MAX_UNKNOWN}


RANDOM_CODES = st.binary(max_size=40).map(bytes.hex)
# PUSH1 and jumps often, so that some blocks are equal
JUMP_CODES = st.lists(
    st.sampled_from(["5b", "6000", "6002", "6005", "56", "57", "00", "01"]), max_size=20
).map("".join)
SOURCE_MAPS = st.lists(
    st.builds("{}:{}:{}".format, *[st.integers(-2, 40)] * 2, st.integers(-1, 2))
).map(";".join)


@given(
    codes=st.tuples(RANDOM_CODES | JUMP_CODES, JUMP_CODES),
    source_map=SOURCE_MAPS | st.text("0123:;-", max_size=40) | LEAVES,
    tree=TREES,
    text=st.text(max_size=30),
    path=st.sampled_from(["a.sol", "b.vy", "\n\x1b[2J.sol", "\0", "lib/a/b.sol"]),
    settings=st.sampled_from([{}, {"viaIR": True}, {"optimizer": None}, {"optimizer": {}}, None]),
)
def test_random_artifacts(
    codes: tuple[str, str], source_map: Any, tree: Any, text: str, path: str, settings: Any
) -> None:
    """Any artifact gives a report with existing lines that survives JSON."""
    creation, runtime = ({"object": each, "sourceMap": source_map} for each in codes)
    contract = {"abi": [], "evm": {"bytecode": creation, "deployedBytecode": runtime}}
    output = {"contracts": {path: {"C": contract}}, "sources": {path: {"id": 0, "ast": tree}}}
    compiler_input = {"sources": {path: {"content": text}}, "settings": settings}
    coverage = Coverage(
        Registry(parse_artifacts({"input": compiler_input, "output": output}, outlined=True))
    )
    for creating, code in zip((True, False), codes, strict=True):
        counts = coverage.counts(bytes.fromhex(code), creating=creating)
        counts.update(dict.fromkeys(range(0, 60, 2), 1))

    report = build_report([coverage])

    for one in report.files.values():
        assert all(1 <= line <= text.count("\n") + 1 for line in one.lines)
    assert report_from_json(report.to_json()) == report
    assert not any("\x1b" in line or "\n" in line for line in format_table(report))
    assert all(line.isprintable() for line in format_lcov(report).split("\n"))
