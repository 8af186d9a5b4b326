"""Coverage of artifacts that no compiler made: whatever they say, there is a report."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from devchain.contracts.artifacts import parse_artifacts
from devchain.contracts.coverage import Coverage, build_report
from devchain.contracts.coverage_report import format_lcov, format_table, report_from_json
from devchain.contracts.registry import Registry
from devchain.contracts.syntax_tree import OWN_PARTS, SIMPLE, outline

KINDS = [
    *sorted(SIMPLE | set(OWN_PARTS)),
    *("ContractDefinition", "FunctionDefinition", "ModifierDefinition", "FunctionDef"),
    *("VariableDeclaration", "SourceUnit"),
]
SPANS = st.builds("{}:{}:{}".format, *[st.integers(-2, 40)] * 3) | st.text("0:-9", max_size=6)
LEAVES = st.none() | st.booleans() | st.text(max_size=3) | st.integers()


def nodes(inner: Any) -> Any:
    """Nodes of a syntax tree, right and wrong, with others in them."""
    kinds = st.sampled_from(KINDS) | LEAVES
    parts = inner | st.lists(inner, max_size=3)
    return st.fixed_dictionaries(
        {},
        optional={
            "nodeType": kinds,
            "ast_type": kinds,
            "src": SPANS | LEAVES,
            "name": st.text(max_size=3) | LEAVES,
            "kind": LEAVES,
            "stateVariable": LEAVES,
            **dict.fromkeys(("body", "condition", "value", "iter", "nodes", "target"), parts),
        },
    )


TREES = st.recursive(LEAVES, nodes, max_leaves=12)
CODES = st.binary(max_size=40).map(bytes.hex)
# PUSH1 and jumps often, so that there are blocks to merge
JUMPY = st.lists(
    st.sampled_from(["5b", "6000", "6002", "6005", "56", "57", "00", "01"]), max_size=20
).map("".join)
MAPS = st.lists(st.builds("{}:{}:{}".format, *[st.integers(-2, 40)] * 2, st.integers(-1, 2))).map(
    ";".join
)


@given(
    codes=st.tuples(CODES | JUMPY, JUMPY),
    source_map=MAPS | st.text("0123:;-", max_size=40) | LEAVES,
    tree=TREES,
    text=st.text(max_size=30),
    path=st.sampled_from(["a.sol", "b.vy", "\n\x1b[2J.sol", "\0", "lib/a/b.sol"]),
    settings=st.sampled_from([{}, {"viaIR": True}, {"optimizer": None}, {"optimizer": {}}, None]),
)
def test_anything(
    codes: tuple[str, str], source_map: Any, tree: Any, text: str, path: str, settings: Any
) -> None:
    """What ran is told in lines that are there, and survives the way through another process."""
    creation, runtime = ({"object": each, "sourceMap": source_map} for each in codes)
    contract = {"abi": [], "evm": {"bytecode": creation, "deployedBytecode": runtime}}
    output = {"contracts": {path: {"C": contract}}, "sources": {path: {"id": 0, "ast": tree}}}
    given_to = {"sources": {path: {"content": text}}, "settings": settings}
    coverage = Coverage(
        Registry(parse_artifacts({"input": given_to, "output": output}, outlined=True))
    )
    for creating, code in zip((True, False), codes, strict=True):
        counts = coverage.counts(bytes.fromhex(code), creating=creating)
        counts.update(dict.fromkeys(range(0, 60, 2), 1))

    told = build_report([coverage])

    for one in told.files.values():
        assert all(1 <= line <= text.count("\n") + 1 for line in one.lines)
    assert report_from_json(told.to_json()) == told
    assert not any("\x1b" in line or "\n" in line for line in format_table(told))
    assert all(line.isprintable() for line in format_lcov(told).split("\n"))


@given(TREES)
def test_outline(tree: Any) -> None:
    """Any value has an outline, or none; its names are unique."""
    found = outline(tree)

    if found:
        names = [each.name for each in found.functions]
        assert len(names) == len(set(names))


def test_deep_trees() -> None:
    """A tree may be deeper than Python's stack."""
    tree: Any = {"nodeType": "Return", "src": "1:2:0"}
    for _ in range(20_000):
        tree = {"nodeType": "Block", "statements": [tree]}

    found = outline(tree)

    assert found is not None
    assert [each.whole for each in found.statements] == [(1, 3)]
