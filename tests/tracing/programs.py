"""Generated contracts that call, create, fail and destroy each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from devchain.node import Node
from devchain.types import Address
from tests.accounts import BOB
from tests.actions import deploy
from tests.bytecode import assemble

ENDINGS = {
    "stop": "STOP",
    "return": "7 0 MSTORE 32 0 RETURN",
    "revert": "8 0 MSTORE 32 0 REVERT",
    "invalid": "INVALID",
    "underflow": "ADD",
    "jump": "0 JUMP",
    "destroy": f"0x{BOB.hex()} SELFDESTRUCT",
}
PAYING = ("CALL", "CALLCODE")


@dataclass(frozen=True)
class Program:
    """The actions of a contract in order, and its ending; `value` is its balance in wei."""

    actions: tuple[tuple[Any, ...], ...]
    ending: str
    value: int = 0


def store(slot: int, value: int) -> tuple[Any, ...]:
    """Write a slot."""
    return ("store", slot, value)


def call(kind: str, callee: Program | Address, value: int = 0, gas: int = 0) -> tuple[Any, ...]:
    """Call a program with 4 bytes of data and that much gas; with all gas if it is 0."""
    return ("call", kind, callee, value, gas)


def create(kind: str, init: Program, value: int = 0) -> tuple[Any, ...]:
    """Create a contract with a program as its init code."""
    return ("create", kind, init, value)


LOG = ("log",)


def runtime(node: Node, program: Program) -> bytes:
    """The code of a program, after deploying the contracts it calls."""
    code, tails = b"", []
    for name, *operands in program.actions:
        if name == "create":
            kind, init, value = operands
            code += _creating(kind, value, len(tails))
            tails.append(runtime(node, init))
        else:
            code += assemble(_text(node, name, operands))
    return _joined(code + assemble(ENDINGS[program.ending]), tails)


def place(node: Node, program: Program) -> Address:
    """Deploy a program; its address."""
    return deploy(node, runtime(node, program), value=program.value)


def _text(node: Node, name: str, operands: list[Any]) -> str:
    if name == "store":
        slot, value = operands
        return f"{value} {slot} SSTORE"
    if name == "log":
        return "0xabcd 32 0 LOG1"
    kind, callee, value, gas = operands
    to = callee if isinstance(callee, bytes) else place(node, callee)
    paid = str(value) if kind in PAYING else ""
    return f"0x20 0 4 28 {paid} 0x{to.hex()} {gas or 'GAS'} {kind} POP"


MARK = b"\xfa\xce\xfa"


def _creating(kind: str, value: int, index: int) -> bytes:
    """Code that copies init code from the end of the code; `_joined` fills in start and size."""
    hole = MARK + bytes([index])
    copy = b"\x61" + hole[:2] + b"\x61" + hole[2:]  # PUSH2 size, PUSH2 start
    salt = "5" if kind == "CREATE2" else ""
    return (
        copy
        + assemble(f"0 CODECOPY {salt}")
        + b"\x61"
        + hole[:2]
        + assemble(f"0 {value} {kind} POP")
    )


def _joined(code: bytes, tails: list[bytes]) -> bytes:
    end = len(code)
    for index, tail in enumerate(tails):
        hole = MARK + bytes([index])
        start, size = end.to_bytes(2, "big"), len(tail).to_bytes(2, "big")
        before = code.index(b"\x61" + hole[:2] + b"\x61" + hole[2:])
        code = code[: before + 1] + size + b"\x61" + start + code[before + 6 :]
        again = code.index(b"\x61" + hole[:2], before)
        code = code[: again + 1] + size + code[again + 3 :]
        end += len(tail)
    return code + b"".join(tails)


ends = st.sampled_from(["stop", "return", "stop", "return", *ENDINGS])
stores = st.builds(store, st.integers(0, 2), st.integers(0, 2))
precompiles = st.sampled_from([Address(number.to_bytes(20, "big")) for number in (2, 4)])
plain = st.builds(
    Program, st.lists(stores | st.just(LOG), max_size=2).map(tuple), ends, st.integers(0, 1)
)


def _above(inner: st.SearchStrategy[Program]) -> st.SearchStrategy[Program]:
    calls = st.builds(
        call,
        st.sampled_from(["CALL", "CALLCODE", "DELEGATECALL", "STATICCALL"]),
        inner | precompiles,
        st.sampled_from([0, 0, 1, 9]),
        st.sampled_from([0, 60_000]),
    )
    creations = st.builds(
        create, st.sampled_from(["CREATE", "CREATE2"]), inner, st.sampled_from([0, 0, 1])
    )
    actions = st.lists(st.one_of(stores, st.just(LOG), calls, creations), max_size=4)
    return st.builds(Program, actions.map(tuple), ends, st.integers(0, 1))


programs = st.recursive(plain, _above, max_leaves=5)
"""Programs with a few calls and creations in them."""
