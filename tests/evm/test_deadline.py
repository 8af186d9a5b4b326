"""`devchain.evm.deadline`"""

from __future__ import annotations

import threading
from itertools import count, islice

import pytest

from devchain.chain.slices import QUICK, Slices, finish
from devchain.config import Config
from devchain.errors import ExecutionTimedOut
from devchain.evm import deadline
from devchain.node import Node
from devchain.types import StateOverride, TransactionRequest
from tests.accounts import UNFUNDED
from tests.actions import fingerprint
from tests.bytecode import LOOP, assemble, word
from tests.clocks import Stopwatch, Ticks
from tests.conftest import GENESIS_TIME

AMPLE = 10**9
CALL = "9000 GAS SUB CALL"
"""A call that leaves its caller some gas, as it must before EIP-150."""

CALL_TREE = assemble("60000 GAS LT @end JUMPI" + f" 0 0 0 0 0 ADDRESS {CALL}" * 40 + " end: STOP")
"""Calls itself until its gas is used up; no loop."""


class TestWithin:
    def test_not_set(self) -> None:
        """Without a deadline no check raises."""
        deadline.check()

        assert not deadline.expired()

    def test_passes(self) -> None:
        """Once the seconds have passed a check raises and names them."""
        with deadline.within(2.5, Ticks()):
            deadline.check()
            deadline.check()
            assert deadline.expired()
            with pytest.raises(ExecutionTimedOut, match=r"after 2\.5 s \(--request-") as caught:
                deadline.check()

        assert caught.value.seconds == 2.5
        deadline.check()

    def test_zero(self) -> None:
        """0 suspends an outer deadline, which applies again afterwards."""
        with deadline.within(1, Ticks()):
            with deadline.within(0, Ticks()):
                deadline.check()
                deadline.check()
            with pytest.raises(ExecutionTimedOut):
                deadline.check()

    def test_left_by_an_error(self) -> None:
        """After an error the deadline no longer applies."""
        with pytest.raises(KeyError), deadline.within(1, Ticks()):
            raise KeyError

        assert not deadline.expired()

    def test_other_threads(self) -> None:
        """A deadline does not apply to other threads."""
        seen: list[bool] = []
        with deadline.within(1, Ticks(step=2)):
            other = threading.Thread(target=lambda: seen.append(deadline.expired()))
            other.start()
            other.join()
            assert deadline.expired()

        assert seen == [False]


class TestOwnTime:
    def test_slices(self) -> None:
        """The time of the slices counts together, that between them does not."""
        clock = Stopwatch()
        limit = deadline.within(5, clock)

        def work() -> Slices[str]:
            for _ in range(3):
                clock.seconds += 1.5
                yield QUICK
            return "done"

        serving = limit.own_time(work())
        for _ in range(3):
            next(serving)
            clock.seconds += 100

        assert finish(serving) == "done"
        assert limit.expires - clock() == 0.5


class TestTwoClocks:
    """Beside a monotonic clock, the CPU clock is read only when the limit may have passed."""

    def test_readings(self) -> None:
        """Read after 0.01 s, and when all that was left may have been used."""
        cpu, wall = Stopwatch(), Stopwatch()
        readings: list[float] = []

        def cpu_time() -> float:
            readings.append(round(wall.seconds, 3))
            return cpu.seconds

        with deadline.within(5, cpu_time, wall):
            while not deadline.expired():
                wall.seconds += 0.005
                cpu.seconds += 0.0025

        assert readings[:4] == pytest.approx([0.01, 5, 7.5, 8.75], abs=0.01)
        assert wall.seconds == pytest.approx(10, abs=0.02)
        assert len(readings) < 14

    def test_late_first_check(self) -> None:
        """What was used until a late first check is not known, and taken as little."""
        cpu, wall = Stopwatch(), Stopwatch()
        with deadline.within(5, cpu, wall):
            wall.seconds, cpu.seconds = 60, 0.5
            deadline.check()
            wall.seconds, cpu.seconds = 66, 5.45
            deadline.check()
            wall.seconds, cpu.seconds = 66.05, 5.49
            with pytest.raises(ExecutionTimedOut):
                deadline.check()

    def test_short_limit(self) -> None:
        """A limit below that is one of all time that passes."""
        cpu, wall = Stopwatch(1_000), Stopwatch()
        with deadline.within(0.002, cpu, wall):
            wall.seconds = 0.001
            deadline.check()
            wall.seconds = 0.003
            with pytest.raises(ExecutionTimedOut):
                deadline.check()

    @pytest.mark.parametrize("seconds", [0, 5])
    def test_short(self, seconds: float) -> None:
        """A request of less than 0.01 s never reads the CPU clock."""
        wall = Stopwatch()
        with deadline.within(seconds, pytest.fail, wall):
            wall.seconds = 0.009
            deadline.check()
            deadline.check_work(0.0005)


class TestChecked:
    def test_without_a_deadline(self) -> None:
        """Without a deadline all items are returned."""
        assert list(deadline.checked("abc", every=2)) == ["a", "b", "c"]

    def test_stops(self) -> None:
        """The deadline is checked before each group of items."""
        items = deadline.checked(count(), every=10)

        with deadline.within(3, Ticks()):
            assert list(islice(items, 20)) == list(range(20))
            with pytest.raises(ExecutionTimedOut):
                next(items)


@pytest.fixture(params=["vetiver", "orchid", "frontier", "prague"])
def hardfork(request: pytest.FixtureRequest) -> str:
    """The rules to run under."""
    return str(request.param)


@pytest.fixture(params=["fast", "reference"])
def node(hardfork: str, request: pytest.FixtureRequest) -> Node:
    """A node with a gas limit that no test reaches."""
    return Node(
        Config(
            hardfork=hardfork,
            engine=request.param,
            gas_limit=AMPLE,
            fixed_clock=GENESIS_TIME,
        )
    )


def call(node: Node, code: bytes, data: bytes = b"") -> bytes:
    """Call that code at an address without code, by a state override."""
    return node.call(
        TransactionRequest(to=UNFUNDED, data=data), overrides={UNFUNDED: StateOverride(code=code)}
    )


class TestExecution:
    def test_loop(self, node: Node) -> None:
        """A loop with a billion gas stops at the deadline and changes nothing."""
        before = fingerprint(node)

        with deadline.within(50, Ticks()), pytest.raises(ExecutionTimedOut):
            call(node, LOOP, word(10**9))

        assert fingerprint(node) == before

    def test_nested_calls(self, node: Node) -> None:
        """Nested calls without a loop stop at the deadline."""
        with deadline.within(50, Ticks()), pytest.raises(ExecutionTimedOut):
            call(node, CALL_TREE)

    def test_a_caught_failure(self, node: Node) -> None:
        """A contract cannot catch the failure of a call that exceeded the deadline."""
        loop = assemble("loop: @loop JUMP")
        caller = assemble(f"again: 0 0 0 0 0 {0x77} {CALL} POP @again JUMP")
        overrides = {
            UNFUNDED: StateOverride(code=caller),
            bytes(19) + b"\x77": StateOverride(code=loop),
        }

        with deadline.within(50, Ticks()), pytest.raises(ExecutionTimedOut):
            node.call(TransactionRequest(to=UNFUNDED), overrides=overrides)  # 20 bytes

    def test_in_time(self, node: Node) -> None:
        """Execution that ends in time uses the same gas as without a deadline."""
        request = TransactionRequest(to=UNFUNDED, data=word(50))
        overrides = {UNFUNDED: StateOverride(code=LOOP)}
        unlimited = node.estimate(request, overrides=overrides)

        with deadline.within(10_000, Ticks()):
            assert node.estimate(request, overrides=overrides) == unlimited
