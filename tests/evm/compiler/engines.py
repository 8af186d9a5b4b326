"""A state with test contracts on the fast or the reference engine, to compare results."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from eth.constants import CREATE_CONTRACT_ADDRESS
from eth.exceptions import VMError
from eth.vm.chain_context import ChainContext
from eth.vm.message import Message

from devchain.evm.compiler.computation import fast_computation
from devchain.evm.compiler.program import ProgramCache
from devchain.evm.failures import Failure
from devchain.evm.hardforks import rules_for
from devchain.evm.rules import HeaderFields, Rules
from devchain.state.state_database import open_database
from devchain.types import Address, Hash32
from tests.evm.compiler.programs import HELPERS, SELF

EMPTY_ROOT = Hash32(
    bytes.fromhex("56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421")
)
ORIGIN = Address(b"\x0a" * 20)
COINBASE = Address(b"\x33" * 20)
CREATED = Address(b"\xcc" * 20)
GAS = 200_000
DEEPEST = 100_000

RETURNING = bytes.fromhex("6001600054016000556020600060003760206000a060406000f3")
"""Counts in slot 0, logs, returns 64 bytes of its call data."""
REVERTING = bytes.fromhex("600a600a60003960206000fd")
BURNING = bytes.fromhex("5b60015a6000526001600056")
_CODES = dict(zip(HELPERS, (RETURNING, REVERTING, BURNING), strict=True))


def address(number: int) -> Address:
    """The address with that number."""
    return Address(number.to_bytes(20, "big"))


class Engine:
    """A state on one engine, on which messages are executed."""

    def __init__(self, fork: str, code: bytes, engine: str, hot: int = 0) -> None:
        found = rules_for(fork, engine)
        state_class = found.vm_class.get_state_class()
        kind = state_class.computation_class
        if engine == "fast":  # with an empty program cache
            kind = fast_computation(kind.reference, hot)
        own = state_class.configure(__name__=state_class.__name__, computation_class=kind)
        vm_class = found.vm_class.configure(__name__=found.vm_class.__name__, _state_class=own)
        self._kind: Any = kind
        self.state: Any = vm_class.build_state(
            open_database(engine), _header(found), ChainContext(33), ()
        )
        for number, runtime in {**_CODES, SELF: code}.items():
            self.state.set_code(address(number), runtime)
            self.state.set_balance(address(number), 10**9)
            self.state.set_storage(address(number), 1, number)
        self.state.set_balance(ORIGIN, 10**18)
        self.state.lock_changes()
        self.programs: ProgramCache | None = getattr(kind, "programs", None)

    def replace(self, code: bytes) -> None:
        """Give the program other code."""
        self.state.set_code(address(SELF), code)
        self.state.lock_changes()

    def call(self, data: bytes, gas: int = GAS, *, is_static: bool = False) -> dict[str, Any]:
        """Call the program and return all its effects."""
        to = address(SELF)
        code = self.state.get_code(to)
        message = Message(
            gas=gas, to=to, sender=ORIGIN, value=0, data=data, code=code, is_static=is_static
        )
        return self._run(self._kind.apply_message, message)

    def create(self, code: bytes, gas: int = GAS) -> dict[str, Any]:
        """Run init code and return all its effects."""
        message = Message(
            gas=gas,
            to=CREATE_CONTRACT_ADDRESS,
            sender=ORIGIN,
            value=0,
            data=b"",
            code=code,
            create_address=CREATED,
        )
        return self._run(self._kind.apply_create_message, message)

    def _run(self, apply: Any, message: Message) -> dict[str, Any]:
        state = self.state
        context = state.transaction_context_class(gas_price=7, origin=ORIGIN)
        try:
            with _deep_stack():
                computation = apply(state, message, context)
        except (VMError, NotImplementedError, ValueError) as raised:
            return {"raised": type(raised), "root": self.root()}
        return {**outcome(computation), "root": self.root()}

    def root(self) -> bytes:
        """The state root."""
        self.state.lock_changes()
        return bytes(self.state.make_state_root())


@contextmanager
def _deep_stack() -> Iterator[None]:
    """Raise the recursion limit as py-evm does on import; hypothesis lowers it."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def outcome(computation: Any) -> dict[str, Any]:
    """All effects of a message: output, gas, refund, logs, accounts, inner calls."""
    error = computation.error if computation.is_error else None
    return {
        "error": error and Failure.of(error, computation.output).message,
        "output": computation.output,
        "gas": computation.get_gas_remaining(),
        "refund": computation.get_gas_refund(),
        "logs": computation.get_raw_log_entries(),
        "deleted": set(computation.get_accounts_for_deletion()),
        "beneficiaries": set(computation.get_self_destruct_beneficiaries()),
        "returned": computation.return_data,
        "created": list(getattr(computation, "contracts_created", [])),
        "children": _children(computation),
    }


def _children(computation: Any) -> list[Any]:
    return [
        (child.msg.to, child.msg.gas, child.get_gas_remaining(), child.output, _children(child))
        for child in computation.children
    ]


def _header(found: Rules) -> Any:
    fields = HeaderFields(
        timestamp=1_700_000_000, coinbase=COINBASE, gas_limit=10**8, minimum_gas_price=0
    )
    return found.genesis_header(fields, EMPTY_ROOT)
