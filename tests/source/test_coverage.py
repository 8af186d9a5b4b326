"""`devchain.source.coverage`"""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devchain.config import Config
from devchain.contracts.abi import Abi
from devchain.contracts.artifact_files import load_artifacts
from devchain.contracts.artifact_formats import parse_artifacts
from devchain.contracts.artifact_registry import Registry
from devchain.contracts.artifacts import Artifact, Code, Source
from devchain.contracts.contract import Contract
from devchain.contracts.sources import StaleSource
from devchain.errors import ExecutionReverted
from devchain.node import Node
from devchain.source.coverage import MAX_CACHED, MAX_UNKNOWN, Coverage, branch_kind, build_report
from devchain.source.coverage_report import Report, format_lcov, format_table
from devchain.source.hints import NO_SOURCE_MAP, NO_TEXT, OTHER_CODE
from devchain.types import TransactionRequest
from tests.contracts.test_artifact_files import PROJECTS
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
        """A contract that was not deployed is not listed, or all of it is missed."""
        node = coverage_node("till-plain")
        node.artifacts.load(CONTRACTS / "bids-venom.json", detailed=True)
        node.deploy("Till")

        listed = report_of(node)
        everything = build_report([node.coverage] if node.coverage else [], everything=True)

        assert (listed.files.keys(), listed.undeployed) == ({TILL}, {"Bids.vy"})
        assert "not listed: 1 file of contracts that were not deployed" in " ".join(
            format_table(listed)
        )
        assert (everything.files.keys(), everything.undeployed) == ({TILL, "Bids.vy"}, set())
        assert everything.files["Bids.vy"].figures[1] == 0
        assert everything.files[TILL] == listed.files[TILL]

    def test_deployed_on_another_node(self) -> None:
        """A contract that one of several nodes has deployed is listed, with the counts of all."""
        one, other = coverage_node("till-plain"), coverage_node("till-plain")
        one.deploy("Till")

        report = report_of(one, other)

        assert (report.files, report.undeployed) == (report_of(one).files, set())

    def test_nothing_deployed(self) -> None:
        """Without any deployed contract the table says so."""
        text = " ".join(format_table(report_of(coverage_node("till-plain"))))

        assert text.startswith("nothing to measure: no contract was deployed")

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

    @pytest.mark.parametrize("ran", [True, False])
    def test_other_code(self, tmp_path: Path, ran: bool) -> None:
        """Without metadata it is not known: no line is measured, and the contract is named."""
        file = tmp_path / "bids.json"
        build_info = json.loads((CONTRACTS / "bids-venom.json").read_text())
        code = build_info["output"]["contracts"]["Bids.vy"]["Bids"]["evm"]["bytecode"]
        code["object"] = code["object"][: -2 * int(code["object"][-4:], 16)]
        file.write_text(json.dumps(build_info))
        node = Node(Config(artifacts=(str(file),), coverage="-", hardfork="vetiver"))
        bids = node.deploy("Bids", 300)
        if ran:
            bids.bid(5)

        hit, missed, unknown = lines(node, "Bids.vy")

        assert not hit
        assert unknown == {12, 18, 19, 25, 26, 27, 28, 29, 30, 32, 33, 34, 35, 40}
        assert not missed
        assert report_of(node).unmeasured == {("Bids", OTHER_CODE)}


class TestBranches:
    """Each kind of branch, with the counts of both ways; executions are the same in both."""

    @staticmethod
    def run(node: Node, name: str) -> Contract:
        """Deploy a contract and call its functions."""
        contract = node.deploy(name)
        for count in (11, 6, 0, 1):
            contract.chosen.call(count)
        for count in (1, 7, 8, 100):
            with suppress(ExecutionReverted):
                contract.checked(count)
        for count in (4, 0, 1):
            contract.ternary.call(count)
        for count in (1, 4, 10, 20):
            contract.both.call(count)
        for count in (0, 2, 6):
            contract.turns.call(count)
        return contract

    @pytest.mark.parametrize("engine", ["fast", "reference"])
    def test_solidity(self, engine: str) -> None:
        """Statements, checks, operators, assembly and `try`."""
        node = coverage_node("branches", engine=engine)
        contract = self.run(node, "Branches")
        contract.assembled.call(1)
        contract.assembled.call(7)
        contract.tried(1)
        contract.tried(100)
        contract.odd.call(2)

        assert branches(node, "Branches.sol") == {
            (10, "check"): (4, 2),  # in a modifier of two functions
            (15, "if"): (1, 3),
            (16, "if"): (1, 2),
            (18, "if"): (1, 1),
            (26, "check"): (2, 1),
            (27, "check"): (1, 1),
            (36, "choice"): (1, 2),
            (36, "choice", 37): (1, 1),
            (40, "and"): (3, 1),
            (40, "or"): (2, 1),
            (45, "loop"): (6, 2),
            (46, "if"): (1, 5),
            (49, "loop"): (1, 3),
            (50, "loop"): (2, 3),  # do-while: repeated, ended
            (52, "and"): (3, 2),
            (57, "if"): (1, 1),
            (58, "loop"): (8, 2),
            (60, "case"): (1, 1),
            (61, "case"): (0, 1),
            (67, "try"): (1, 1),
            (75, "if"): (0, 1),
        }

    def test_vyper(self) -> None:
        """Statements, checks and operators, whichever way the compiler turned them around."""
        node = coverage_node("branches-vyper", "cancun")
        self.run(node, "branches")

        assert branches(node, "branches.vy") == {
            (9, "if"): (1, 3),
            (11, "if"): (1, 2),
            (20, "check"): (3, 1),
            (21, "check"): (2, 1),
            (27, "choice"): (1, 2),
            (32, "and"): (3, 1),
            (32, "or"): (2, 1),
            (38, "loop"): (6, 2),
            (42, "loop"): (6, 3),
            (44, "loop"): (6, 3),
        }

    @pytest.mark.parametrize(
        ("text", "is_vyper", "kind"),
        [
            ("if (a) b();", False, "if"),
            ("elif a:\n    b", True, "if"),
            ("iffy(a)", False, ""),
            ("require(a && b)", False, "check"),
            ("require(a) && b", False, "and"),
            ("required(a)", False, ""),
            ("assert a, 'b'", True, "check"),
            ("a || b && c", False, "or"),
            ("a ? b || c : d", False, "choice"),
            ("x = a && b", False, ""),
            ("x == a && b", False, "and"),
            ("f(a && b)", False, ""),
            ('f("a && b")', False, ""),
            ("a /* && */ + b", False, ""),
            ("a and (b or c)", True, "and"),
            ("a if b or c else d", True, "choice"),
            ("android(a)", True, ""),
            ("function f() public { a && b; }", False, ""),
        ],
    )
    def test_kind(self, text: str, is_vyper: bool, kind: str) -> None:
        """The kind follows from the text of the range: keyword, or operator that binds least."""
        assert branch_kind(text, is_vyper=is_vyper) == kind


def branches(node: Node, path: str) -> dict[tuple[object, ...], tuple[int, int]]:
    """Counts of the branches of a source by line and kind; a second one has its column too."""
    found: dict[tuple[object, ...], tuple[int, int]] = {}
    for branch, counts in sorted(report_of(node).files[path].branches.items()):
        key = (branch.line, branch.kind)
        found[(*key, branch.column) if key in found else key] = counts
    return found


class TestOptimized:
    """Code that was optimized is measured in the same way, and marked."""

    @pytest.mark.parametrize("build", ["till-optimized", "till-plain"])
    def test_marked(self, build: str) -> None:
        """The report names the contracts and the setting to change."""
        node = coverage_node(build)
        run_till(node)
        report = report_of(node)

        words = " ".join(format_table(report)).split()
        is_marked = "compile with optimizer.enabled and viaIR" in " ".join(words)
        assert is_marked is (build == "till-optimized")
        assert ("Till" in report.approximate) is is_marked


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
    source_map=SOURCE_MAPS | st.text("0123:;-", max_size=40) | st.none() | st.integers(),
    text=st.text(max_size=30),
    path=st.sampled_from(["a.sol", "b.vy", "\n\x1b[2J.sol", "\0", "lib/a/b.sol"]),
    settings=st.sampled_from([{}, {"viaIR": True}, {"optimizer": None}, {"optimizer": {}}, None]),
)
def test_random_artifacts(
    codes: tuple[str, str], source_map: Any, text: str, path: str, settings: Any
) -> None:
    """Any artifact gives a report with existing lines that survives JSON."""
    creation, runtime = ({"object": each, "sourceMap": source_map} for each in codes)
    contract = {"abi": [], "evm": {"bytecode": creation, "deployedBytecode": runtime}}
    output = {"contracts": {path: {"C": contract}}, "sources": {path: {"id": 0}}}
    compiler_input = {"sources": {path: {"content": text}}, "settings": settings}
    coverage = Coverage(Registry(parse_artifacts({"input": compiler_input, "output": output})))
    for creating, code in zip((True, False), codes, strict=True):
        counts = coverage.counts(bytes.fromhex(code), creating=creating)
        counts.update(dict.fromkeys(range(0, 60, 2), 1))

    report = build_report([coverage])

    for one in report.files.values():
        assert all(1 <= line <= text.count("\n") + 1 for line in one.lines)
    assert not any("\x1b" in line or "\n" in line for line in format_table(report))
    assert all(line.isprintable() for line in format_lcov(report).split("\n"))


TEXT = "contract A { function f() public {\n  one();\n  two(\n  );\n} }\n"
CODE = "600160025500"  # PUSH1, PUSH1, SSTORE, STOP
PLACES = {each: f"{TEXT.index(each)}:{len(each)}:0" for each in ("one()", "two(\n  )", "A")}
SOURCE_MAP = ";".join([PLACES["A"], PLACES["one()"], PLACES["two(\n  )"], "-1:-1:-1"])


def build_info(path: str = "A.sol", text: str = TEXT) -> dict[str, Any]:
    """A build-info file of one contract."""
    deployed = {"object": CODE, "sourceMap": SOURCE_MAP, "immutableReferences": {}}
    contract = {"abi": [], "evm": {"deployedBytecode": deployed}}
    return {
        "input": {"sources": {path: {"content": text}}},
        "output": {"contracts": {path: {"A": contract}}, "sources": {path: {"id": 0}}},
    }


def coverage_report(*files: Path, ran: tuple[int, ...] = (0, 2)) -> Report:
    """The report of artifacts in files after the instructions at some offsets ran."""
    found = [each for file in files for each in load_artifacts(file, detailed=True)]
    coverage = Coverage(Registry(found))
    coverage.counts(bytes.fromhex(CODE), creating=False).update(dict.fromkeys(ran, 1))
    return build_report([coverage])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


class TestSources:
    def test_statements_and_functions(self, folder: Path) -> None:
        """Statements and functions are found in the text."""
        (folder / "a.json").write_text(json.dumps(build_info()))

        one = coverage_report(folder / "a.json").files["A.sol"]

        assert (one.lines, one.functions) == ({2: 1, 3: 0}, {"A.f": (1, 1)})

    def test_initializer(self) -> None:
        """The value of a state variable ran if the constructor did; its getter is no line."""
        text = 'contract A {\n string public name = "vault";\n}\n'
        declared = 'string public name = "vault"'
        source = f"{text.index(declared)}:{len(declared)}:0"
        info = build_info(text=text)
        code = {"object": CODE, "sourceMap": source, "immutableReferences": {}}
        info["output"]["contracts"]["A.sol"]["A"]["evm"] = {
            "bytecode": code,
            "deployedBytecode": {**code, "object": "5f5f5500"},
        }
        registry = Registry(parse_artifacts(info))

        def lines(*, creating: bool) -> dict[int, int]:
            coverage = Coverage(registry)
            ran = bytes.fromhex(CODE if creating else "5f5f5500")
            coverage.counts(ran, creating=creating).update({0: 1})
            return build_report([coverage]).files["A.sol"].lines

        assert lines(creating=True) == {2: 1}
        assert lines(creating=False) == {2: 0}

    def test_vyper(self) -> None:
        """A variable with a getter is no line."""
        text = "owner: public(address)\n\n@external\ndef f():\n    self.owner = msg.sender\n"
        getter, body = "owner: public(address)", "self.owner = msg.sender"
        places = [f"{text.index(each)}:{len(each)}:0" for each in (getter, body)]
        code = {"object": CODE, "sourceMap": ";".join(places), "immutableReferences": {}}
        info = build_info("A.vy", text)
        info["input"]["language"] = "Vyper"
        info["output"]["contracts"]["A.vy"]["A"]["evm"] = {"deployedBytecode": code}
        coverage = Coverage(Registry(parse_artifacts(info)))
        coverage.counts(bytes.fromhex(CODE), creating=False).update({2: 1})

        assert build_report([coverage]).files["A.vy"].lines == {5: 1}

    def test_text_from_the_file(self, folder: Path) -> None:
        """A source text that the artifact lacks is read from the source's path."""
        (folder / "a.json").write_text(json.dumps(build_info(text="")))
        assert coverage_report(folder / "a.json").left_out == {"A.sol"}

        (folder / "A.sol").write_text(TEXT)

        assert coverage_report(folder / "a.json").files["A.sol"].lines == {2: 1, 3: 0}

    def test_current_text(self, folder: Path) -> None:
        """Of two build-info files with a path, the one with the file's current text counts."""
        (folder / "A.sol").write_text(TEXT)
        (folder / "new.json").write_text(json.dumps(build_info()))
        (folder / "old.json").write_text(json.dumps(build_info(text="\n" + TEXT)))

        for order in (["new.json", "old.json"], ["old.json", "new.json"]):
            assert coverage_report(*(folder / each for each in order)).files["A.sol"].lines == {
                2: 1,
                3: 0,
            }

    def test_changed(self, folder: Path) -> None:
        """A source whose file has changed since it was compiled is reported as such."""
        project = shutil.copytree(PROJECTS / "foundry", folder / "foundry")
        (project / "src" / "Lid.sol").write_text("contract Lid {}")

        found = coverage_report(project)

        assert (found.stale, found.left_out) == ({StaleSource("src/Lid.sol")}, set())
        assert "src/Jar.sol" in found.undeployed
