"""`devchain.evm.gas_observers`"""

from __future__ import annotations

import pytest

from devchain.evm.gas_observers import OBSERVERS, observes_gas
from devchain.evm.opcodes import ENDS


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param("", False, id="no-code"),
        pytest.param("6001600055", False, id="sstore"),
        pytest.param("5a", True, id="gas"),
        pytest.param("605a50", False, id="pushed"),
        pytest.param("625a5a5a5a", True, id="behind-a-push"),
        pytest.param("7f" + 32 * "f1", False, id="pushed-32"),
        pytest.param("61f1", False, id="pushed-past-the-end"),
        pytest.param("00f1", False, id="behind-the-end"),
        pytest.param("fe5af15bf1", True, id="jumped-to"),
        pytest.param("0060605b5a", True, id="jumped-to-behind-a-push"),
        pytest.param("00605bf1", False, id="no-jumpdest"),
        pytest.param("600057f1", True, id="conditional-jump"),
        *(pytest.param(f"{each:02x}", True, id=f"{each:02x}") for each in OBSERVERS),
        *(pytest.param(f"{each:02x}f1", False, id=f"{each:02x}-f1") for each in sorted(ENDS)),
        pytest.param("ef0100" + 20 * "00", True, id="delegation"),
        pytest.param("0a5a", True, id="newline"),
    ],
)
def test_observes_gas(code: str, expected: bool) -> None:
    """Only instructions that can be reached count, and bytes of a PUSH are none."""
    assert observes_gas(bytes.fromhex(code)) is expected
