"""`devchain.contracts.syntax_tree`"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devchain.contracts.syntax_tree import OWN_PARTS, SIMPLE, outline

KINDS = [
    *sorted(SIMPLE | set(OWN_PARTS)),
    *("ContractDefinition", "FunctionDefinition", "ModifierDefinition", "FunctionDef"),
    *("VariableDeclaration", "SourceUnit"),
]
SPANS = st.builds("{}:{}:{}".format, *[st.integers(-2, 40)] * 3) | st.text("0:-9", max_size=6)
LEAVES = st.none() | st.booleans() | st.text(max_size=3) | st.integers()


def nodes(inner: Any) -> Any:
    """Nodes of a syntax tree, valid and invalid, with children."""
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


@given(TREES)
def test_outline(tree: Any) -> None:
    """Any value has an outline or none; function names are unique."""
    found = outline(tree)

    if found:
        names = [each.name for each in found.functions]
        assert len(names) == len(set(names))


def test_deep_trees() -> None:
    """A tree may be deeper than Python's recursion limit."""
    tree: Any = {"nodeType": "Return", "src": "1:2:0"}
    for _ in range(20_000):
        tree = {"nodeType": "Block", "statements": [tree]}

    found = outline(tree)

    assert found is not None
    assert [each.whole for each in found.statements] == [(1, 3)]


@pytest.mark.parametrize("kind", ["StructDef", "FlagDef", "EnumDef"])
def test_declarations_of_vyper(kind: str) -> None:
    """Members of structs and flags are no statements."""
    member = {"ast_type": "Expr", "src": "14:4:0"}
    declared = {"ast_type": kind, "src": "0:18:0", "name": "State", "body": [member]}

    found = outline({"ast_type": "Module", "src": "0:18:0", "body": [declared]})

    assert found is not None
    assert not found.statements
