"""`devchain.tracing.frames` and `devchain.tracing.frames`"""

from __future__ import annotations

import pytest
from eth.exceptions import OutOfGas, Revert, VMError

from devchain.tracing.frames import (
    ADDRESS_COLLISION,
    REVERTED,
    Frame,
    FrameLog,
    failure_of,
    flatten,
    selectors,
)
from tests.accounts import ALICE, BOB


def frame(kind: str = "CALL", data: bytes = b"", *calls: Frame, precompiled: bool = False) -> Frame:
    """A frame with calls below it."""
    return Frame(kind, ALICE, BOB, 1, data, 0, precompiled=precompiled, calls=list(calls))


class TestSelectors:
    def test_counted(self) -> None:
        """Calls are counted by selector and size of the arguments."""
        tree = frame(
            "CALL", b"abcdefgh", frame("DELEGATECALL", b"abcdefgh"), frame("CALL", b"abcd")
        )

        assert selectors(tree) == {(b"abcd", 4): 2, (b"abcd", 0): 1}

    def test_not_counted(self) -> None:
        """Creations, self-destructs, precompiled contracts and short data are not counted."""
        tree = frame(
            "CREATE",
            b"abcdefgh",
            frame("CALL", b"abc"),
            frame("CALL", b"abcdefgh", precompiled=True),
            frame("SELFDESTRUCT", b""),
        )

        assert selectors(tree) == {}


class TestDropLogs:
    """A frame that fails has no logs, nor have those below it."""

    def test_below(self) -> None:
        """Logs of calls that succeeded go with those of the frame that called them."""
        log = FrameLog(ALICE, (), b"", 0, 0)
        inner = frame()
        top = frame("CALL", b"", frame("CALL", b"", inner))
        inner.logs.append(log)
        top.logs.append(log)

        top.drop_logs()

        assert [each.logs for each in top.walk()] == [[], [], []]


class TestFlatten:
    def test_order(self) -> None:
        """Frames are in the order in which they began, each with its path."""
        tree = frame("CALL", b"", frame("CALL", b"", frame("CREATE")), frame("STATICCALL"))

        found = [(flat.frame.kind, flat.path, flat.subtraces) for flat in flatten(tree)]

        assert found == [
            ("CALL", (), 2),
            ("CALL", (0,), 1),
            ("CREATE", (0, 0), 0),
            ("STATICCALL", (1,), 0),
        ]

    def test_precompiled(self) -> None:
        """Plain calls of precompiled contracts are left out unless `precompiles` is set."""
        tree = frame("CALL", b"", frame(precompiled=True), frame("CALLCODE", precompiled=True))

        without = [(flat.path, flat.subtraces) for flat in flatten(tree)]
        with_them = [(flat.path, flat.subtraces) for flat in flatten(tree, precompiles=True)]

        assert without == [((), 1), ((0,), 0)]
        assert with_them == [((), 2), ((0,), 0), ((1,), 0)]


class TestErrorTexts:
    @pytest.mark.parametrize(
        ("error", "expected"),
        [
            (Revert(b""), "execution reverted"),
            (OutOfGas("Out of gas: Needed 5"), "out of gas"),
            (VMError("the bridge said no."), "the bridge said no"),
            (VMError(""), "execution failed"),
        ],
    )
    def test_named(self, error: VMError, expected: str) -> None:
        """An error has geth's text if there is one, else its own."""
        assert failure_of(error).geth == expected

    def test_parity(self) -> None:
        """Some errors have texts of their own in Parity, others geth's."""
        assert REVERTED.parity == "Reverted"
        assert ADDRESS_COLLISION.parity == "contract address collision"
