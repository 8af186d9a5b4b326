"""Gas of state accesses under `next`: the cases of RSKIP555, by their numbers there."""

from __future__ import annotations

import pytest

from devchain.evm.rootstock.opcodes import contract_address
from devchain.networks import NEWEST
from tests.accounts import ALICE
from tests.bytecode import assemble
from tests.evm.rootstock.machine import (
    ABSENT,
    CONTRACT,
    OTHER,
    Machine,
    number_of,
    returning,
    storing,
)

THERE, NOWHERE, SENDER = number_of(OTHER), number_of(ABSENT), number_of(ALICE)
COLD, WARM, SLOT = 2_600, 100, 2_100
CALLS = {"CALL": 7, "CALLCODE": 7, "DELEGATECALL": 6, "STATICCALL": 6}
NATIVE = (6, 8, 9, 0x10, 0x11, 0x16, 0x17)
PRECOMPILED = [*range(1, 10), *(0x01000000 + number for number in NATIVE)]


def call(kind: str, to: str, gas: str = "0") -> str:
    """A call without value and data; it costs 3 gas for each operand, beside the access."""
    return f"{'0 ' * (CALLS[kind] - 2)}{to} {gas} {kind}"


COSTS = [
    pytest.param("0 SLOAD 0 SLOAD", 6 + SLOT + WARM, id="1"),
    pytest.param("0 SLOAD 1 SLOAD", 6 + SLOT + SLOT, id="2"),
    pytest.param(f"{SENDER} BALANCE", 3 + WARM, id="7"),
    pytest.param(call("CALL", number_of(CONTRACT)), 21 + WARM, id="8"),
    *(
        pytest.param(f"0x{each:x} EXTCODESIZE", 3 + WARM, id=f"9-10-{each:x}")
        for each in PRECOMPILED
    ),
    pytest.param(f"{THERE} BALANCE", 3 + COLD, id="11"),
    pytest.param("COINBASE BALANCE", 2 + COLD, id="11-coinbase"),
    *(
        pytest.param(f"{THERE} {name} {THERE} {name}", 6 + COLD + WARM, id=f"12-{name}")
        for name in ("BALANCE", "EXTCODESIZE", "EXTCODEHASH")
    ),
    *(
        pytest.param(f"{call(each, THERE)} " * 2, 6 * n + COLD + WARM, id=f"12-{each}")
        for each, n in CALLS.items()
    ),
    pytest.param(f"32 0 0 {THERE} EXTCODECOPY", 12 + COLD + 3 + 3, id="13"),
    pytest.param(f"0 0 0 0 1 {THERE} 0 CALL", 21 + COLD + 9_000, id="14-value"),
    pytest.param(call("CALL", NOWHERE), 21 + COLD + 25_000, id="14-new"),
    pytest.param(f"{THERE} SELFDESTRUCT", 3 + 5_000 + COLD, id="15-cold"),
    pytest.param(f"{SENDER} SELFDESTRUCT", 3 + 5_000, id="15-warm"),
    pytest.param("1 0 SSTORE", 6 + SLOT + 20_000, id="18-cold"),
    pytest.param("0 SLOAD POP 1 0 SSTORE", 3 + SLOT + 2 + 6 + 20_000, id="18-warm"),
]
FAILING = {
    "reverts": "0 0 REVERT",
    "invalid": "INVALID",
    "static": "0 0 SSTORE",
    "gas": "0 NOT 0 MSTORE 0 NOT MLOAD",
}


@pytest.fixture(params=["fast", "reference"])
def machine(request: pytest.FixtureRequest) -> Machine:
    """Rootstock's next upgrade, on each engine."""
    return Machine("next", engine=request.param)


@pytest.mark.parametrize(("source", "gas"), COSTS)
@pytest.mark.filterwarnings("ignore:.*SELFDESTRUCT opcode present:DeprecationWarning")
def test_costs(machine: Machine, source: str, gas: int) -> None:
    """Of one message."""
    run = machine.execute(source, 1 if source.startswith("0 0 0 0 1") else 0)

    assert (run.succeeded, run.code_gas) == (True, gas)


def test_nested_calls_share_the_sets(machine: Machine) -> None:
    """Case 3: what a callee accesses is warm for its caller."""
    machine.install(f"{NOWHERE} EXTCODESIZE 5 SLOAD", address=OTHER)
    run = machine.execute(f"{call('DELEGATECALL', THERE, 'GAS')} {NOWHERE} EXTCODESIZE 5 SLOAD")

    assert run.code_gas == 17 + COLD + 6 + COLD + SLOT + 6 + WARM + WARM


@pytest.mark.parametrize("ending", FAILING)
def test_failure_restores_the_sets(machine: Machine, ending: str) -> None:
    """Cases 4 and 5: what a callee that fails accessed is cold again."""
    kind = "STATICCALL" if ending == "static" else "DELEGATECALL"
    machine.install(f"{NOWHERE} EXTCODESIZE 5 SLOAD {FAILING[ending]}", address=OTHER)
    before = call(kind, THERE, "9000")
    alone = machine.execute(returning(before))
    machine.state.lock_changes()
    run = machine.execute(f"{before} {NOWHERE} EXTCODESIZE 5 SLOAD")

    assert alone.word == 0
    assert run.code_gas == alone.code_gas - 15 + 6 + COLD + SLOT  # without the `returning`


def test_too_little_gas_for_the_slot(machine: Machine) -> None:
    """Case 5: a slot that a message could not pay for stays cold."""
    machine.install("5 SLOAD", address=OTHER)
    run = machine.execute(
        f"{call('CALL', THERE, '2000')} POP {call('CALL', THERE, '2103')} POP"
        f" {call('CALL', THERE, '103')}"
    )

    assert run.word == 0
    assert run.code_gas == 3 * 21 + 2 * 2 + COLD + 2 * WARM + 2_000 + 2_103 + 103


def test_transactions_begin_cold(machine: Machine) -> None:
    """Case 6: nothing is warm from the transaction before."""
    machine.install(f"0 SLOAD {THERE} BALANCE")
    used = []
    for _ in range(2):
        used.append(machine.mine().gas_used)
        machine.state.lock_changes()

    assert used == [21_000 + 6 + SLOT + COLD] * 2


@pytest.mark.parametrize("init", ["", "0 0 REVERT"], ids=["runs", "reverts"])
@pytest.mark.parametrize("funds", [0, 1], ids=["free", "unaffordable"])
def test_created_accounts_are_warm(machine: Machine, init: str, funds: int) -> None:
    """Case 16: also if the init code reverts, but not if the creation does not begin."""
    code = assemble(init)
    created = number_of(contract_address(CONTRACT, 0))
    creation = f"{storing(code)} {len(code)} 0 {funds} CREATE POP"
    measured = returning(f"{creation} GAS {created} EXTCODESIZE POP GAS SWAP1 SUB")
    run = machine.execute(measured)

    assert run.word == 3 + (COLD if funds else WARM) + 2 + 2


def test_refunds_across_messages(machine: Machine) -> None:
    """Case 20: a message's own refunds may be negative."""
    machine.install("7 1 SSTORE", address=OTHER)
    run = machine.execute(f"0 1 SSTORE {call('DELEGATECALL', THERE, 'GAS')}", slot_1=5)

    assert (run.succeeded, run.computation.get_gas_refund()) == (True, 0)
    assert run.computation.children[0].own_refund == -15_000


def test_not_before(machine: Machine) -> None:
    """Case 21: the newest upgrade that networks have keeps its prices."""
    earlier = Machine(NEWEST).execute(f"0 SLOAD 0 SLOAD {THERE} BALANCE")

    assert earlier.code_gas == 9 + 200 + 200 + 400
    assert machine.execute("0 SLOAD").code_gas == 3 + SLOT
