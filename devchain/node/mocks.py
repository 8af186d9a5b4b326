"""Mocked calls of contracts, and what tests expect of the calls between contracts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from devchain.contracts.abi import Entry, Param
from devchain.contracts.contract import ContractBase, Function
from devchain.contracts.expectations import BlockExpectation
from devchain.errors import InvalidInput
from devchain.evm.mocks import NO_MOCKS, Mock, Mocks
from devchain.node.core import NodeCore
from devchain.node.expected_calls import ExpectedCall, Open, calls_after
from devchain.text import shown_argument
from devchain.types import Address, Tag, address_of, amount_of, bytes_of, whole_number

if TYPE_CHECKING:
    from devchain.tracing.frames import Frame

CODE = b"\0"
ARGUMENTS_BY_NAME = (
    "give a function, or an address with a signature, then the rest by name: arguments=(...) and "
    "value=... of the calls, returns=... of mock_call, error=... of mock_revert"
)
ERROR = Entry("error", "Error", (Param("message", "string"),))


def mock_call(node: NodeCore, mock: Mock) -> None:
    """Answer calls as a mock says, until a revert of the chain.

    An account that has no code gets a byte of it, since Solidity does not call accounts without.
    """
    computation = node.chain.vm_class.get_state_class().computation_class
    is_precompiled = mock.address in computation.get_precompiles()
    if not is_precompiled and not node.state_at(Tag.LATEST).code(mock.address):
        with node.edited_accounts() as accounts:
            accounts.set_code(mock.address, CODE)
    _set_mocks(node, (node.open_sandbox or node.chain).mocks.with_mock(mock))


def clear_mocks(node: NodeCore) -> None:
    _set_mocks(node, NO_MOCKS)


def _set_mocks(node: NodeCore, mocks: Mocks) -> None:
    if node.open_sandbox:
        node.open_sandbox.set_mocks(mocks)
    else:
        node.chain.set_mocks(mocks)
        node.on_head_changed()


# What the Python API is given


def call_data(target: object, call: object, arguments: Sequence[object] | None) -> bytes:
    """The beginning of the data of calls to be mocked; empty for all calls of the target."""
    if isinstance(target, Function):
        if call is not None:
            raise InvalidInput(ARGUMENTS_BY_NAME)
        if arguments is not None:
            if not isinstance(arguments, list | tuple):
                raise InvalidInput(f"arguments: {arguments!r} is no list of a call's arguments")
            return target.encode(*arguments)
        if len(target.entries) > 1:
            raise InvalidInput(f"{target!r} is overloaded: choose by signature")
        return target.entries[0].selector
    if arguments is not None:
        raise InvalidInput("arguments are encoded by a function: give contract.function")
    if isinstance(call, str) and "(" in call:
        return _selector(target, Entry.from_signature(call))
    if isinstance(call, str) and not call.startswith("0x"):
        hint = f", such as {call}()" if call.isidentifier() else ""
        if hint and isinstance(target, ContractBase):
            hint = f", such as {target[call].entries[0].signature}"
        raise InvalidInput(
            f"call {shown_argument(call)} names no function: give its signature{hint}, call data "
            "as bytes or hex text, or the function itself as the target, contract.function"
        )
    return b"" if call is None else bytes_of("call", call)


def _selector(target: object, entry: Entry) -> bytes:
    if isinstance(target, ContractBase) and not target.contract.interface.has("fallback"):
        (entry,) = target[entry.signature].entries  # raises for one that the ABI does not have
    return entry.selector


def sent(value: object) -> int | None:
    return None if value is None else amount_of("value", value)


def target_address(target: object) -> Address:
    """The address of a function's contract, or of an address or contract."""
    try:
        return address_of(target.contract if isinstance(target, Function) else target)
    except InvalidInput as error:
        raise InvalidInput(
            f"target {shown_argument(target)} is neither a function nor an address: give the "
            "function itself, such as oracle.price, without calling it"
        ) from error


def encoded_answer(target: object, call: object, returns: Any) -> bytes:
    """What a mocked call returns: bytes as they are, other values by ABI or signature."""
    is_signature = isinstance(call, str) and "(" in call
    if isinstance(target, Function):
        entry = target.entries[0]
    elif is_signature and (written := Entry.from_signature(str(call))).outputs:
        entry = written
    else:
        is_data = returns is None or isinstance(returns, bytes | bytearray | memoryview | str)
        if not is_data and is_signature:
            kind = "bool" if isinstance(returns, bool) else "uint256"
            raise InvalidInput(
                f"returns: {shown_argument(returns)} is encoded by a type: write it behind the "
                f"signature, {call}({kind}), or give a contract's function as the target"
            )
        if not is_data and call is None:
            raise InvalidInput(
                f"returns: {shown_argument(returns)} is encoded as the type that a function "
                "returns: give the function as the target, such as oracle.price"
            )
        return b"" if returns is None else bytes_of("returns", returns)
    outputs_count = len(entry.outputs)
    if returns is None and not outputs_count:
        return b""
    values = returns if outputs_count != 1 else (returns,)
    if not isinstance(values, list | tuple):
        raise InvalidInput(
            f"{entry.signature} returns {outputs_count} values: give a tuple of them"
        )
    return entry.encode_output(values)


def encoded_error(target: object, error: str | bytes, values: Sequence[object]) -> bytes:
    """The payload of a mocked revert: a custom error of the contract's ABI, a text, or bytes."""
    if isinstance(error, bytes):
        return error
    if isinstance(target, Function):
        for entry in target.contract.interface.errors.values():
            if error in (entry.name, entry.signature) and len(values) != len(entry.inputs):
                raise InvalidInput(
                    f"give the values of {entry.described}: "
                    f"mock_revert(function, {entry.name!r}, ...)"
                )
            if error in (entry.name, entry.signature):
                return entry.selector + entry.encode(values)
    if values:
        raise InvalidInput(f"{error} is no error of the contract's ABI: only these have values")
    return ERROR.selector + ERROR.encode((error,)) if error else b""


@dataclass
class expect_call(BlockExpectation):  # noqa: N801  # read as a function: `with devchain.expect_call(oracle.price):`
    """Expect that transactions in the `with` block call a function, between contracts or directly.

    Calls in frames that reverted do not count. Afterwards `frames` are the calls, in their order.
    """

    node: Any  # with `block_number`, which `NodeCore` has not
    target: object
    call: object = None
    arguments: Sequence[object] | None = None
    value: int | None = None
    count: int | None = None
    frames: list[Frame] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        super().__init__(self.node)
        where = target_address(self.target)
        data, value = call_data(self.target, self.call, self.arguments), sent(self.value)
        count = None if self.count is None else whole_number("count", self.count, bits=64)
        self._expected = ExpectedCall(where, data, value, count)

    def check(self, start: int) -> None:
        __tracebackhide__ = True
        expected = self._expected
        wanted = [Open(0, expected, start)]
        (self.frames,) = calls_after(self.node.chain, self.node.explainer, wanted)
        if expected.is_met(len(self.frames)):
            return
        times = "a call" if expected.count is None else f"{expected.count} calls"
        data = f" with data 0x{expected.data.hex()}" if expected.data else ""
        count = (
            len(self.frames) or "0 in transactions (calls of view functions from Python are none)"
        )
        raise AssertionError(f"expected {times} of {self.target!r}{data}, got {count}")
