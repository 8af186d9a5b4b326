"""`devchain.source.failing_statements`"""

from __future__ import annotations

import pytest

from devchain.contracts.abi import Abi
from devchain.contracts.artifact_registry import Registry
from devchain.contracts.artifacts import Artifact, Code, Source
from devchain.contracts.code_map import CodeMap, Location
from devchain.contracts.names import Names
from devchain.source.explain import FailureData, may_fail
from tests.bytecode import error_payload, panic_payload

ERRORS = [{"type": "error", "name": name, "inputs": []} for name in ("NoSender", "NoReceiver")]
NO_SENDER = bytes.fromhex("06ea8054")
NO_RECEIVER = bytes.fromhex("c8721389")
REASONED = bytes.fromhex("6308c379a0")
"""Code that pushes the selector of reasons."""

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
        ('require(a + b > 0, "closed");', panic_payload(0x12), False),
        ('require(open, "a + b");', panic_payload(0x11), False),
        ("assert(a /* + b */ > 0);", panic_payload(0x11), False),
        ("assert(a > 0);", panic_payload(0x01), True),
        ("level = addmod(a, b, c);", panic_payload(0x12), True),
        ("state = State(a);", panic_payload(0x21), True),
        ("level = uint8(a);", panic_payload(0x21), False),
        ("uint256[] memory a = b;", panic_payload(0x32), False),
        ("level = b[a];", panic_payload(0x32), True),
        ("list.pop();", panic_payload(0x31), True),
        ("a = new uint256[](b);", panic_payload(0x41), True),
        ("level = 3;", panic_payload(0x99), True),
        ("level = 3;", error_payload("closed"), False),
        ("revert(0, 4)", panic_payload(0x11), True),
        ("revert(add(32, data), mload(data))", NO_SENDER, True),
        ('require(open, "closed");', b"", False),
        ("require(open);", b"", True),
        ("assert(open);", b"", False),
        ("target.take(1);", b"", True),
    ],
)
def test_may_fail(statement: str, payload: bytes, expected: bool) -> None:
    """A statement that names its reason fails with no other; a computed one may be any."""
    code_map = code_map_of(f"enum State {{ A }} {statement}", REASONED)
    names = Names(Registry([code_map.artifact]), lambda _: b"")
    text = statement.removesuffix(";")
    start = code_map.files[0].text.index(text)
    location = Location("Book.sol", code_map.files[0], (start, start + len(text)), None, None)

    assert may_fail(code_map, location, FailureData(payload, has_calls=False), names) is expected


def test_stripped_reasons() -> None:
    """Code without any reason may have been compiled without those of the source."""
    text = 'require(open, "closed")'
    code_map = code_map_of(text, b"")
    names = Names(Registry([code_map.artifact]), lambda _: b"")
    location = Location("Book.sol", code_map.files[0], (0, len(text)), None, None)

    assert may_fail(code_map, location, FailureData(b"", has_calls=False), names)


def code_map_of(text: str, code: bytes) -> CodeMap:
    """The code map of a contract with this source."""
    artifact = Artifact(
        "Book",
        Abi.from_json(ERRORS),
        source="Book.sol",
        runtime=Code(code, source_map="0:1:0"),
        sources={0: Source("Book.sol", text)},
        via_ir=True,
    )
    return CodeMap(artifact, creating=False)
