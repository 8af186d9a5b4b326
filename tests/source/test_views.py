"""What is shown at a step: call stack with arguments, storage with names."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from devchain import Node
from devchain.client.http import LocalClient
from devchain.client.rpc_trace import trace_transaction
from devchain.source.follow import Execution
from devchain.source.steps import ValueView, call_stack, source_title, storage
from devchain.types import checksum
from tests.contracts.test_changed_sources import LATER, PAST, vyper_project
from tests.source.executions import debugger_of, execution_of, successful


def stack(build: str, case: str) -> list[str]:
    """Titles and places of the call stack where a case fails."""
    debugger = debugger_of(build, case)
    debugger.failure()
    return [f"{each.title} {each.place}" for each in call_stack(debugger.execution, debugger.step)]


def slots(execution: Execution, step: int) -> dict[str, tuple[str, str]]:
    """Values before and now by name, of all contracts."""
    return {
        slot.name: (slot.before, slot.now)
        for _, slots in storage(execution, step)
        for slot in slots
    }


class TestCallStack:
    @pytest.mark.parametrize("build", ["solc-0.4", "solc-0.6", "solc-0.8", "solc-0.8-optimized"])
    def test_internal_functions(self, build: str) -> None:
        """Internal functions have their arguments, and the places of their calls."""
        found = stack(build, "nested_internal")

        assert [each.partition(" ")[0] for each in found] == [
            "Structure.inner(amount=10)",
            "Structure.middle(amount=10)",
            "Structure.outer(amount=10)",
        ]
        assert all("Structure.sol:" in each for each in found)

    def test_modifiers(self) -> None:
        """A modifier is a frame of its own, on the function that it is of."""
        found = stack("solc-0.8", "modifier_internal")

        assert [each.rpartition(" ")[0] for each in found] == [
            "Base.check(amount=0)",
            "modifier Base.withHelper",
            "Structure.helped(amount=0)",
        ]

    @pytest.mark.parametrize("build", ["solc-0.4", "solc-0.8", "solc-0.8-ir"])
    def test_proxies(self, build: str) -> None:
        """A proxy is on the stack with its own code, under that of its implementation."""
        found = stack(build, "proxy")

        assert [re.split(r"[( ]", each)[0] for each in found] == [
            "Implementation.spend",
            "Proxy.fallback",
        ]

    def test_without_sources(self) -> None:
        """A contract without source has its address, and the function if an ABI has it."""
        found = stack("solc-0.8", "minimal_proxy")

        assert found[1].startswith("0x")
        assert ".spend(amount=6)" in found[1]

    @pytest.mark.parametrize(
        ("build", "case", "name"),
        [
            ("solc-0.8", "receive_reverts", "Receiver.receive"),
            ("solc-0.8", "fallback_reverts", "Receiver.fallback"),
            ("solc-0.4", "fallback_reverts", "Receiver.fallback"),
            ("vyper-0.4", "fallback_reverts", "refuser.__default__"),
        ],
    )
    def test_fallback(self, build: str, case: str, name: str) -> None:
        """Functions for any call data have no arguments; they are not unknown."""
        debugger = debugger_of(build, case)
        debugger.failure()
        [frame] = call_stack(debugger.execution, debugger.step)

        assert (frame.title, frame.arguments) == (name, ())

    def test_constructor(self) -> None:
        """A contract that is being created has the arguments of its constructor."""
        assert stack("solc-0.8", "constructor")[-1].startswith("new Child(wanted=")


class TestSourceTitle:
    @pytest.mark.parametrize("is_newer", [False, True])
    def test_newer(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_newer: bool
    ) -> None:
        """The place has that the source is newer than the artifact, since it may be wrong."""
        file = vyper_project(tmp_path, "combined.json", hashed=False) / "a.vy"
        os.utime(file, (LATER, LATER) if is_newer else (PAST, PAST))
        monkeypatch.chdir(tmp_path)
        node = Node()
        node.artifacts.load(tmp_path / "a.json")
        box = node.deploy("a", 5)
        mined = box.store(4)
        trace = trace_transaction(LocalClient(node), f"0x{mined.hash.hex()}")
        execution = Execution(trace, node.artifacts)
        [frame] = call_stack(execution, execution.last)

        newer = ", newer than a.json" if is_newer else ""
        assert source_title(execution, frame, is_innermost=False) == f"{frame.place}{newer}"


class TestStorage:
    def test_names_and_values(self) -> None:
        """Variables have their names, and the values before and now."""
        execution = successful("solc-0.8")

        assert slots(execution, 0) == {}
        assert slots(execution, execution.last) == {"total": ("0", "3")}

    def test_mappings(self) -> None:
        """An element of a mapping has the key that was hashed, by the layout of the caller."""
        execution = execution_of("solc-0.8", "external_library")
        found = slots(execution, execution.messages.all[1].last)

        assert any(each.startswith("book.owed[0x") for each in found)

    def test_undone(self) -> None:
        """What a failed message wrote is gone after it."""
        execution = execution_of("solc-0.8", "proxy")
        inner = execution.messages.all[1]

        assert slots(execution, inner.last)["total"] == ("0", "5")
        assert "total" not in slots(execution, execution.last)

    def test_without_a_layout(self) -> None:
        """Without names a slot has its number, and values are in hex."""
        known = successful("solc-0.8")
        execution = Execution(known.trace, type(known.registry)())
        [view] = storage(execution, execution.last)

        top = execution.messages.top.address
        assert view == (checksum(top or b""), [ValueView("slot 0x0", "0x3", "0x0")])


class TestLimits:
    def test_call_stack(self) -> None:
        """The innermost functions are those that a limit leaves."""
        debugger = debugger_of("solc-0.8", "nested_internal")
        debugger.failure()
        whole = call_stack(debugger.execution, debugger.step)

        assert call_stack(debugger.execution, debugger.step, 2) == whole[:2]
        assert len(whole) > 2

    def test_storage(self) -> None:
        """The slot accessed last is the one that a limit leaves."""
        execution = execution_of("solc-0.8", "proxy")
        step = execution.messages.all[1].last
        *_, newest = (each for each in execution.messages.accesses if each.step < step)
        whole = [slot for _, slots in storage(execution, step) for slot in slots]

        [(_, limited)] = storage(execution, step, 1)

        names = execution.storage_names(newest.message).describe(newest.slot, newest.value)
        assert [(each.name, each.now) for each in limited] == names
        assert len(limited) < len(whole)
