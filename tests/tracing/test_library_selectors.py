"""Selectors of functions of libraries that no ABI has, in profiles of gas."""

from __future__ import annotations

from devchain.contracts.source_parser import outlines
from devchain.tracing.gas_recorder import _library_selector

LIBRARY = """
library L {
    struct Rate { uint v; } enum State { Off }
    function a(Rate storage r) external {}
    function c(Rate[] storage r, uint x) external {}
    function d(mapping(address => uint) storage m) external {}
    function f(State s, IToken t, address payable p) external {}
    function j(mapping(uint => mapping(address => bool)) storage m, string calldata s) external {}
}
interface IToken { function f() external; }
"""
COMPILED = {"a": "384c60f7", "c": "9db6b879", "d": "f374a733", "f": "f9b4ab83", "j": "8ff85f66"}
"""The `methodIdentifiers` of solc 0.8.28."""


def test_library_selector() -> None:
    """Types in storage are written as solc does in signatures of libraries."""
    [outline] = outlines({0: LIBRARY}, is_vyper=False).values()

    found = {each.own_name: _library_selector(each).hex() for each in outline.functions}

    assert found == COMPILED
