"""`devchain.cli.commands.inspect.storage`"""

from __future__ import annotations

import json

import pytest

from devchain.node import Node
from tests.actions import deploy, run
from tests.bytecode import STORE_AT, word
from tests.cli.conftest import Runner

FAR = 2**200


@pytest.fixture
def store(node: Node) -> str:
    """A contract with 7 in slot 1 and 9 in a far one."""
    address = deploy(node, STORE_AT)
    run(node, address, word(1) + word(7))
    run(node, address, word(FAR) + word(9))
    return f"0x{address.hex()}"


class TestStorage:
    def test_slot(self, devchain: Runner, store: str) -> None:
        """A slot is shown as hex and as a number."""
        ran = devchain("inspect", "storage", store, "1")

        assert ran.out == f"Slot 1        0x{word(7).hex()}\n              7\n"

    def test_far_slot(self, devchain: Runner, store: str) -> None:
        """A slot with a long number has a line of its own."""
        ran = devchain("inspect", "storage", store, hex(FAR))

        assert ran.out == f"Slot {hex(FAR)}\n              0x{word(9).hex()}\n              9\n"

    def test_several(self, devchain: Runner, store: str) -> None:
        """--count reads on; --json has the values unchanged."""
        found = json.loads(devchain("inspect", "storage", store, "--count", "2", "--json").out)

        assert found == {"0x0": f"0x{word(0).hex()}", "0x1": f"0x{word(7).hex()}"}

    def test_past(self, devchain: Runner, store: str) -> None:
        """--block looks at the past."""
        assert devchain("inspect", "storage", store, "1", "--block", "1").out.endswith(" 0\n")

    def test_no_slot(self, devchain: Runner, store: str) -> None:
        """A slot beyond 256 bits is refused, not taken for another."""
        for slot in (str(2**256), "9" * 90, "1_0", "٣", "-1"):
            assert devchain("inspect", "storage", store, "--", slot).code == 2

    def test_last_slots(self, devchain: Runner, store: str) -> None:
        """Reading ends at the last slot there is."""
        ran = devchain("inspect", "storage", store, hex(2**256 - 1), "--count", "5", "--json")

        assert list(json.loads(ran.out)) == [hex(2**256 - 1)]

    def test_refused(self, devchain: Runner) -> None:
        """What the node refuses is an error."""
        assert devchain("inspect", "storage", "0x12").code == 1
