"""Local variables where something fails: exactly those with a value, with every compiler.

In source traces, and in the debugger at the failure.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import pytest

from devchain import Config, Node
from devchain.client.http import LocalClient
from devchain.client.rpc_trace import trace_transaction
from devchain.contracts.contract import Contract
from devchain.errors import VmError
from devchain.source.follow import Execution
from devchain.source.source_trace import SourceTrace
from devchain.source.steps import call_stack, local_variables
from devchain.types import Tag, TransactionRequest, address_of
from tests.bytecode import assemble
from tests.failures.builds import BUILDS, Build
from tests.values import contract_name, json_of, new_node

SENDER = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
WORDS = {
    "total": "14",
    "large": "true",
    "who": SENDER,
    "signed": "-4",
    "tag": "0x01020304",
}
DYNAMIC = {"note": '"rent of a week"', "raw": "0x010203", "some": "[9, 2]"}

MAIN = f"0x{b'main'.hex():0<64}"

Values = dict[str, str]

SOLIDITY: dict[str, tuple[tuple[object, ...], list[Values]]] = {
    "words": ((7,), [{"result": "14", **WORDS, "picked": "1"}]),
    "dynamic": ((9,), [{**DYNAMIC, "fixedSize": "[7, 9]"}]),
    "outer": ((9,), [{"before": "10"}, {"half": "5", "length": "4"}]),
    "blocks": ((9,), [{"total": "29", "other": "15"}]),
    "loop": ((1,), [{"total": "1", "i": "1", "square": "1"}]),
    "guarded": ((0,), [{}, {}]),
    "tuples": ((1,), [{"one": "1", "three": "true", "four": "4"}]),
    "spend": ((9,), [{}]),
    "lend": ((3,), [{}, {"doubled": "6"}]),
    "share": ((3,), [{"mine": "4"}, {"share": "2"}]),
    "packed": ((9,), [{}]),
    "early": ((9,), [{"total": "10", "extra": "10"}]),
    "straight": ((3,), [{"one": "11", "two": "8"}]),
    "element": ((9,), [{}]),
    "pointed": ((9,), [{}]),
    "pointedList": ((9,), [{}]),
    "pointedMapping": ((9,), [{}]),
    "passed": ((9,), [{}, {}]),
    "condition": ((9,), [{}]),
}
"""Functions, their arguments, and the variables of each function that was running."""

VYPER: dict[str, tuple[tuple[object, ...], list[Values]]] = {
    "words": ((7,), [WORDS]),
    "dynamic": ((9,), [{**DYNAMIC, "fixed": "[7, 9]"}]),
    "outer": ((9,), [{"before": "10"}, {"half": "5"}]),
    "blocks": ((9,), [{"total": "29", "other": "15"}]),
    "loop": ((1,), [{"total": "1", "i": "1", "square": "1"}]),
    "checked": ((5,), [{"small": "2"}]),
    "straight": ((3,), [{"one": "11", "two": "8"}]),
    "spend": ((9,), [{}]),
    "element": ((9,), [{}]),
    "condition": ((10,), [{}]),
}

NOT_KNOWN = {
    ("vyper-0.3", "dynamic"): [{}],  # no code with a position writes one of them at once
    ("vyper-0.3", "loop"): [{"total": "1", "square": "1"}],  # no type in the source
}


STORAGE = {
    "words": {"limit": "3"},
    "spend": {f"balances[{SENDER}]": "5"},
    "packed": {"item.left": "9"},
    "guarded": {"limit": "1000"},
    "dynamic": {"items[1].whole": "6"},
    "lend": {f"books[{MAIN}].left": "1"},
    "element": {"list (length)": "1", "list[0].left": "4"},
    "pointed": {"items[1].left": "2"},
    "pointedList": {f"lists[{SENDER}][0].left": "6"},
    "pointedMapping": {f"nestedItems[{SENDER}][2].left": "8"},
    "passed": {f"nestedItems[{SENDER}][2].left": "8"},
    "condition": {"items[1].left": "2"},
}
"""What the statement that fails reads of the storage, of members the one that it names."""

VYPER_STORAGE = {
    "words": {"limit": "3"},
    "spend": {f"balances[{SENDER}]": "5"},
    "element": {"queue (length)": "1", "queue[0]": "11"},
    "condition": {"items[1].left": "9"},
}

NO_LAYOUT = frozenset({"solidity-0.4", "vyper-0.3"})
MERGED = frozenset({"guarded", "dynamic", "lend", "pointed", "condition"})
"""What optimizers have merged with code of other functions that reads the same."""
UNPLACED = frozenset({"words", "guarded", "lend", "pointed", "pointedList", "passed", "condition"})
"""What code via IR reads without a position, or far behind one."""


def storage_of(build: Build, function: str) -> Values:
    """The storage variables that are shown."""
    if build.family in NO_LAYOUT or (build.via_ir and build.optimized):  # the place is near
        return {}
    if build.language == "Vyper":
        return VYPER_STORAGE.get(function, {})
    unknown = UNPLACED if build.via_ir else MERGED if build.optimized else frozenset()
    return {} if function in unknown else STORAGE.get(function, {})


def expected(build: Build, function: str) -> list[Values]:
    """The variables that are shown, of each function that was running."""
    if (build.name, function) in NOT_KNOWN:
        return NOT_KNOWN[build.name, function]
    values = (SOLIDITY if build.language == "Solidity" else VYPER)[function][1]
    if build.via_ir:
        return [{} for _ in values]
    if build.family == "solidity-0.4":  # jumps into external functions are not marked
        return [{}, *values[1:]] if function != "lend" else [{}, {}]
    return values


@cache
def world(build: Build) -> tuple[Node, Contract]:
    """A node with the contract of a build."""
    node = new_node(build)
    return node, contract_of(node, build)


def contract_of(node: Node, build: Build) -> Contract:
    """The contract of a build, deployed on a node that knows it."""
    name = contract_name(build, "Values")
    if build.language == "Vyper":
        return node.deploy(name)
    artifact = node.artifacts.find_by_name(name)[0]
    code = bytearray(artifact.creation.template)
    book = bytes(node.deploy("Book").address)
    for start, size in artifact.creation.placeholders:
        code[start : start + size] = book
    created = node.transact(TransactionRequest(data=bytes(code), gas=6_000_000))
    return node.contract(name, created.contract_address)


CASES = [
    pytest.param(build, function, id=f"{build}-{function}")
    for build in BUILDS
    for function in (SOLIDITY if build.language == "Solidity" else VYPER)
    if (build.family, function) != ("solidity-0.4", "pointedMapping")  # that it does not have
]


@pytest.mark.parametrize(("build", "function"), CASES)
def test_values(build: Build, function: str) -> None:
    """Each frame of a source trace has its variables with their values, and no others.

    Before them the last one has what the statement read of the storage.
    """
    node, contract = world(build)
    arguments = (SOLIDITY if build.language == "Solidity" else VYPER)[function][0]
    with node.snapshot():
        with pytest.raises(VmError) as caught:
            getattr(contract, function)(*arguments)
        trace = caught.value.source_trace

    found = [dict(each.values) for each in trace.frames]
    *others, last = expected(build, function)
    assert found == [*others, storage_of(build, function) | last]


OTHER = "0x00000000000000000000000000000000000000c0"
DELEGATE = f"""
    CALLDATASIZE 0 0 CALLDATACOPY
    0 0 CALLDATASIZE 0 {OTHER} GAS DELEGATECALL @done JUMPI
    RETURNDATASIZE 0 0 RETURNDATACOPY RETURNDATASIZE 0 REVERT
    done: STOP
"""


@pytest.mark.parametrize(
    ("build", "function"),
    [each for each in CASES if each.values[0].name in {"solc-0.8", "solc-0.6", "vyper-0.4"}],
)
def test_values_of_a_called_contract(build: Build, function: str) -> None:
    """It is the same where another contract has called the one that fails."""
    node, contract = world(build)
    arguments = (SOLIDITY if build.language == "Solidity" else VYPER)[function][0]
    with node.snapshot():
        with pytest.raises(VmError) as caught:
            getattr(contract, function)(*arguments)
        direct = caught.value.source_trace
        node.set_code(OTHER, node.chain.state_at(Tag.LATEST).code(address_of(contract)))
        node.set_code(contract.address, assemble(DELEGATE))
        with pytest.raises(VmError) as caught:
            getattr(contract, function)(*arguments)
        caller, *called = caught.value.source_trace.frames

    assert not caller.values
    assert [each.values for each in called] == [each.values for each in direct.frames]
    assert [each.arguments for each in called[1:]] == [each.arguments for each in direct.frames[1:]]


@pytest.mark.parametrize("build", [each for each in BUILDS if each.language == "Vyper"], ids=str)
def test_arguments_in_memory(build: Build) -> None:
    """Those of internal functions of Vyper are right where others were called to copy arrays."""
    _, contract = world(build)

    with pytest.raises(VmError) as caught:
        contract.handed.call(4)

    last = caught.value.source_trace.frames[-1]
    assert last.arguments == "amounts=[4, 2], total=5, kept=true"


SENT = [each for each in CASES if each.values[1] != "packed"]  # that is a call


@pytest.mark.parametrize(("build", "function"), SENT)
def test_debugger(build: Build, function: str) -> None:
    """At the failure the debugger shows the same for each function on its call stack.

    Apart from functions called from outside that solc 0.4 compiled: the trace tells where they
    begin.
    """
    node, contract = world(build)
    arguments = (SOLIDITY if build.language == "Solidity" else VYPER)[function][0]
    with node.snapshot():
        with pytest.raises(VmError) as caught:
            getattr(contract, function)(*arguments)
        digits = caught.value.transaction_hash.hex()
        trace = trace_transaction(LocalClient(node), f"0x{digits}")
    execution = Execution(trace, node.artifacts)
    assert execution.failure is not None

    frames = call_stack(execution, execution.failure)[::-1]
    found = [dict(local_variables(execution, each)) for each in frames]

    table = SOLIDITY if build.language == "Solidity" else VYPER
    same = [NOT_KNOWN.get((build.name, function)), expected(build, function)]
    if build.family == "solidity-0.4":
        same.append(table[function][1])
        same.append([{**table[function][1][0], "inside": "14"}])  # blocks are no scopes
    assert found in same


PAGE = (Path(__file__).parents[2] / "docs" / "failures.md").read_text(encoding="utf-8")


def documented(build: Build) -> dict[str, Any]:
    """A build with the parts of the output alone that the input in `docs/failures.md` selects."""
    name = "vyper" if build.language == "Vyper" else "solc"
    [written] = re.findall(rf"<!-- {name} input -->\n\n```json .*?\n(.*?)```", PAGE, re.DOTALL)
    selected = orjson.loads(written)["settings"]["outputSelection"]["*"]
    parts = set(selected if isinstance(selected, list) else selected["*"])
    found: dict[str, Any] = orjson.loads(json_of(build))
    for named in found["output"]["contracts"].values():
        for contract in named.values():
            for key in [each for each in contract if each != "evm" and each not in parts]:
                del contract[key]
            for code in ("bytecode", "deployedBytecode"):
                described = contract["evm"].get(code, {})
                for key in [each for each in described if f"evm.{code}.{each}" not in parts]:
                    del described[key]
    for each in found["output"]["sources"].values():
        del each["ast"]
    return found


def with_sources(written: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The output alone, the sources in files."""
    for path, described in written["input"]["sources"].items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(described["content"], encoding="utf-8")
    found: dict[str, Any] = written["output"]
    return found


@pytest.mark.parametrize("name", ["solc-0.8", "vyper-0.4"])
class TestDocumentedInput:
    """What `docs/failures.md` says of the compilers' standard JSON."""

    def failed(self, name: str, written: dict[str, Any], folder: Path) -> SourceTrace:
        build = next(each for each in BUILDS if each.name == name)
        (folder / "Till.json").write_bytes(orjson.dumps(written))
        node = Node(Config(artifacts=(str(folder / "Till.json"),)))
        function = "words" if build.language == "Vyper" else "loop"
        contract = contract_of(node, build)
        with pytest.raises(VmError) as caught:
            getattr(contract, function)(7 if function == "words" else 1)
        return caught.value.source_trace

    def build(self, name: str) -> dict[str, Any]:
        return documented(next(each for each in BUILDS if each.name == name))

    def test_complete(self, name: str, tmp_path: Path) -> None:
        """Input and output in one object have places and local variables."""
        trace = self.failed(name, self.build(name), tmp_path)

        assert trace.has_place
        assert "total" in dict(trace.frames[-1].values)

    def test_output_alone(self, name: str, tmp_path: Path) -> None:
        """The output alone has no places, unless the sources are where its paths say."""
        written = self.build(name)
        for each in ("alone", "beside"):
            (tmp_path / each).mkdir()

        alone = self.failed(name, written["output"], tmp_path / "alone")
        beside = self.failed(name, with_sources(written, tmp_path / "beside"), tmp_path / "beside")

        assert not alone.has_place
        assert beside.has_place
        assert "total" in dict(beside.frames[-1].values)
