"""`devchain.contracts.artifacts`, and what is known of contracts that were linked"""

from __future__ import annotations

from typing import Any

import pytest

from devchain import Config, Node
from devchain.contracts.artifact_formats import parse_artifacts
from devchain.contracts.artifacts import (
    Artifact,
    Link,
    library_hash,
    linked_code,
    missing_libraries,
)
from devchain.errors import ExecutionReverted, InvalidInput
from devchain.testing.reproducer import reproducer
from tests.failures.builds import BUILDS

SOLIDITY = [pytest.param(each, id=each.name) for each in BUILDS if each.language == "Solidity"]
FULL = "contracts/lib/Lib.sol:Lib"
HASHED = f"__{library_hash(FULL)}__"
ADDRESS = bytes(range(20))
PLACE = {"start": 1, "length": 20}


def single(mark: str, **members: Any) -> dict[str, Any]:
    """An artifact of one contract: PUSH20 of a library, ADDRESS."""
    return {"contractName": "User", "abi": [], "bytecode": f"0x73{mark}30", **members}


def parsed(written: dict[str, Any]) -> Artifact:
    """The contract User of an artifact."""
    [found] = [each for each in parse_artifacts(written) if each.name == "User"]
    return found


def standard(path: str, mark: str) -> dict[str, Any]:
    """Standard JSON output with a contract that uses the library at a path."""
    code = {"object": f"73{mark}30", "linkReferences": {path: {"Lib": [PLACE]}}}
    return {"contracts": {"User.sol": {"User": {"abi": [], "evm": {"bytecode": code}}}}}


COMBINED = {
    "contracts": {
        "User.sol:User": {"abi": [], "bin": f"73{HASHED}30"},
        FULL: {"abi": [], "bin": ""},
    }
}
HARDHAT_3 = {"contracts/lib/Lib.sol": "project/contracts/lib/Lib.sol"}


@pytest.mark.parametrize(
    ("written", "library"),
    [
        (standard("contracts/lib/Lib.sol", HASHED), FULL),
        (standard("contracts/lib/Lib.sol", f"__{FULL:_<36}__"), FULL),
        (COMBINED, FULL),
        (
            {
                "input": {},
                "output": standard("project/contracts/lib/Lib.sol", HASHED),
                "userSourceNameMap": HARDHAT_3,
            },
            FULL,
        ),
        (single(HASHED, linkReferences={"contracts/lib/Lib.sol": {"Lib": [PLACE]}}), FULL),
        (
            single(
                HASHED,
                inputSourceName="project/contracts/User.sol",
                linkReferences={"project/contracts/lib/Lib.sol": {"Lib": [PLACE]}},
            ),
            FULL,
        ),
        (single(f"{'__Lib':_<40}"), "Lib"),
        (single(HASHED), library_hash(FULL)),
        (
            {
                "contractName": "User",
                "abi": [],
                "deploymentBytecode": {"bytecode": f"0x73{'0' * 40}30"},
                "linkReferences": [{"offsets": [1], "length": 20, "name": "Lib"}],
            },
            "Lib",
        ),
    ],
    ids=[
        "solc",
        "solc 0.4",
        "combined",
        "hardhat 3 build-info",
        "hardhat 2",
        "hardhat 3",
        "truffle",
        "hash alone",
        "ethpm",
    ],
)
def test_formats(written: dict[str, Any], library: str) -> None:
    """The artifacts of every tool say which library goes where; its name or full name gives it."""
    artifact = parsed(written)

    assert artifact.creation.links == (Link(library, 1),)
    for name in (FULL, library):
        code = linked_code(artifact, {name: ADDRESS}, str)
        assert code == b"\x73" + ADDRESS + b"\x30"
        assert artifact.creation.matches(code)


def test_linked_by_tool() -> None:
    """An artifact that a tool has linked is deployed as it is, though it has the references."""
    references = {"contracts/lib/Lib.sol": {"Lib": [PLACE]}}
    artifact = parsed(single("11" * 20, linkReferences=references))

    assert artifact.creation.is_linked
    assert artifact.creation.matches(b"\x73" + ADDRESS + b"\x30")


class TestErrors:
    """What lacks and what is too much is named."""

    TWO = parsed(
        {
            "contractName": "User",
            "abi": [],
            "bytecode": f"0x73{HASHED}73{'__$' + '0' * 34 + '$__'}",
            "linkReferences": {
                "contracts/lib/Lib.sol": {"Lib": [PLACE]},
                "other/Lib.sol": {"Lib": [{"start": 22, "length": 20}]},
            },
        }
    )

    @pytest.mark.parametrize(
        ("libraries", "error"),
        [
            (
                {},
                (
                    f"User cannot be deployed without its libraries {FULL} and other/Lib.sol:Lib: "
                    "deploy those first, then give their addresses, "
                    f"['{FULL}', 'other/Lib.sol:Lib']"
                ),
            ),
            (
                {"other/Lib.sol:Lib": ADDRESS},
                (
                    f"User cannot be deployed without its library {FULL}: deploy that first, then "
                    "give its address, ['Lib']"
                ),
            ),
            ({"Lib": ADDRESS}, f"Lib means several libraries of User: give {FULL} or other/Lib"),
            ({"Lob": ADDRESS}, f"User needs no library Lob, but {FULL} and other/Lib.sol:Lib"),
            (
                {FULL: ADDRESS, "lib/Lib.sol:Lib": ADDRESS},
                f"the library {FULL} of User was given twice",
            ),
        ],
    )
    def test_named(self, libraries: dict[str, bytes], error: str) -> None:
        """Every library is named with its source."""
        with pytest.raises(InvalidInput) as raised:
            linked_code(self.TWO, libraries, str)

        assert error in str(raised.value)

    def test_none_needed(self) -> None:
        """A contract that uses none takes none."""
        with pytest.raises(InvalidInput, match="User needs no library Lib: its code has no place"):
            linked_code(parsed(single("11" * 20)), {"Lib": ADDRESS}, str)


@pytest.fixture(scope="module", params=SOLIDITY)
def node(request: pytest.FixtureRequest) -> Node:
    """A node that knows the contracts of a build."""
    node = Node(Config(accounts=2))
    for each in parse_artifacts(request.param.read()):
        node.artifacts.add(each)
    return node


class TestDeploy:
    """`Node.deploy` of contracts with an external library, compiled by every version of solc."""

    def test_known(self, node: Node) -> None:
        """The contract runs the library, and both have names and places in errors."""
        ledger = node.deploy("Ledger")
        structure = node.deploy("Structure", libraries={"Ledger": ledger})

        with pytest.raises(ExecutionReverted) as raised:
            structure.inExternalLibrary(1)

        assert raised.value.reason == "Ledger: too little"
        assert raised.value.source_trace is not None
        contracts = [each.contract for each in raised.value.source_trace.frames]
        assert contracts == ["Structure", "Ledger"]
        for address, name in ((ledger.address, "Ledger"), (structure.address, "Structure")):
            code = node.at().code(address)
            found = node.artifacts.find_by_code(code)
            assert found is not None
            assert found.name == name
            assert node.artifacts.code_map(code, creating=False) is not None

    def test_missing(self, node: Node) -> None:
        """Without the library the error names it, and what to give."""
        with pytest.raises(InvalidInput) as raised:
            node.deploy("Structure")

        assert str(raised.value) == (
            "Structure cannot be deployed without its library Structure.sol:Ledger: deploy that "
            'first, then give its address, libraries={"Ledger": ...}'
        )
        assert missing_libraries(node.artifacts.find_by_name("Structure")[0]) == [
            "Structure.sol:Ledger"
        ]

    def test_wrong_kind(self, node: Node) -> None:
        """Libraries are a mapping of names to addresses."""
        with pytest.raises(InvalidInput, match="by their names: libraries="):
            node.deploy("Structure", libraries=["Ledger"])  # type: ignore[arg-type]  # wrong
        with pytest.raises(InvalidInput, match="'x' is not an address"):
            node.deploy("Structure", libraries={"Ledger": "x"})

    def test_reproducer(self, node: Node) -> None:
        """A chain written as a program has the libraries."""
        with node.snapshot():
            node.reset()
            node.deploy("Structure", libraries={"Ledger": node.deploy("Ledger")})
            lines = reproducer(node)

        assert lines == [
            'ledger = devchain.deploy("Ledger", sender=accounts[0])',
            (
                'structure = devchain.deploy("Structure", '
                "libraries={'Structure.sol:Ledger': ledger}, sender=accounts[0])"
            ),
        ]
