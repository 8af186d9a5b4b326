"""`devchain.errors`"""

from __future__ import annotations

import inspect
import re

from devchain import errors
from devchain.errors import DevchainError, ExecutionReverted, RpcFailure, VmError

CLASSES = {
    name: kind
    for name, kind in vars(errors).items()
    if inspect.isclass(kind) and kind.__module__ == errors.__name__
}


def drawn() -> list[tuple[str, str]]:
    """Each class in the docstring's tree with the one above it."""
    path: list[str] = []
    found = []
    for line in (errors.__doc__ or "").splitlines():
        match = re.match(r"^([│ ├└─]*)([A-Z]\w+)", line)
        if match and match[2] in CLASSES:
            depth = len(match[1]) // 4
            path = [*path[:depth], match[2]]
            found.append((match[2], path[depth - 1] if depth else "Exception"))
    return found


class TestTree:
    def test_as_drawn(self) -> None:
        """The docstring draws every class, once, below its parent, in the order of the module."""
        real = [(name, kind.__base__.__name__) for name, kind in CLASSES.items() if kind.__base__]

        assert sorted(drawn()) == sorted(real)

    def test_one_root(self) -> None:
        """Every error is a `DevchainError`."""
        assert all(issubclass(kind, DevchainError) for kind in CLASSES.values())

    def test_docstrings(self) -> None:
        """Every class has a docstring of its own."""
        assert [name for name, kind in CLASSES.items() if not kind.__dict__.get("__doc__")] == []


class TestPayloads:
    def test_vm_error(self) -> None:
        """A failed execution has a message and the returned payload."""
        error = ExecutionReverted("execution reverted: no", b"\x01")

        assert (str(error), error.payload) == ("execution reverted: no", b"\x01")
        assert VmError("out of gas").payload == b""

    def test_rpc_failure(self) -> None:
        """A JSON-RPC error has code, message and data."""
        error = RpcFailure(-32_000, "header not found", {"why": 1})

        assert (error.code, error.message, error.data) == (-32_000, "header not found", {"why": 1})
        assert str(error) == "header not found"
