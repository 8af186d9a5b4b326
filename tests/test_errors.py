"""`devchain.errors`"""

from __future__ import annotations

import inspect

from devchain import errors
from devchain.errors import DevchainError, ExecutionReverted, RpcFailure, Simulation, VmError

CLASSES = {
    name: kind
    for name, kind in vars(errors).items()
    if inspect.isclass(kind) and kind.__module__ == errors.__name__ and kind is not Simulation
}


class TestTree:
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
