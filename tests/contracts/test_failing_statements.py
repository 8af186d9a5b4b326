"""`devchain.contracts.failing_statements`"""

from __future__ import annotations

import pytest

from devchain.contracts.abi import Abi
from devchain.contracts.artifact_registry import Registry
from devchain.contracts.artifacts import Artifact
from devchain.contracts.code_map import Position
from devchain.contracts.failing_statements import may_fail_with
from devchain.contracts.names import Names
from devchain.contracts.source_file import SourceFile
from tests.bytecode import error_payload, panic_payload

ERRORS = [{"type": "error", "name": name, "inputs": []} for name in ("NoSender", "NoReceiver")]
NO_SENDER = bytes.fromhex("06ea8054")
NO_RECEIVER = bytes.fromhex("c8721389")
UNKNOWN = bytes.fromhex("11111111")


@pytest.mark.parametrize(
    ("statement", "payload", "expected"),
    [
        ("revert NoSender();", NO_SENDER, True),
        ("revert NoSender();", NO_RECEIVER, False),
        ("revert Lib.NoSender();", NO_RECEIVER, False),
        ("revert NoSender(/* NoReceiver() */);", NO_RECEIVER, False),
        ("revert NoSender();", UNKNOWN, True),
        ("revert NoSender();", error_payload("no sender"), False),
        ('require(open, "closed");', error_payload("closed"), True),
        ('require(open, "closed");', error_payload("paused"), False),
        ("require(\n    open,\n    'closed'\n);", error_payload("paused"), False),
        ('require(open, "closed");', NO_SENDER, False),
        ('revert("closed");', error_payload("paused"), False),
        ("revert(reason);", error_payload("paused"), True),
        ('require(open, string.concat("pau", "sed"));', error_payload("paused"), True),
        ('require(open, "pau" "sed");', error_payload("paused"), True),
        (r'require(open, "\x70aused");', error_payload("paused"), True),
        ("require(open, NoSender());", NO_SENDER, True),
        ('require(a + b > 0, "closed");', panic_payload(0x11), True),
        ('require(open, "closed");', b"", True),
    ],
)
def test_may_fail_with(statement: str, payload: bytes, expected: bool) -> None:
    """A statement that names its reason fails with no other; a computed one may be any."""
    names = Names(Registry([Artifact("Book", Abi.from_json(ERRORS))]), lambda _: b"")
    text = statement.removesuffix(";")
    span = (0, len(text))
    position = Position("Book.sol", SourceFile(text, None, is_vyper=False), span, None, None)

    assert may_fail_with(position, payload, names) is expected
