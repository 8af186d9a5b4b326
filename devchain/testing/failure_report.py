"""What a failing test shows: its traceback, where in the source its error arose, call trees."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from sysconfig import get_path
from traceback import walk_tb
from types import TracebackType
from typing import TYPE_CHECKING, Any

import pytest

from devchain.contracts.contract import Contract, Function
from devchain.errors import ConfigError, DevchainError, InvalidInput, RpcFailure, VmError
from devchain.testing.reproducer import ProgramNote, reproducer
from devchain.text import LineKind, printable
from devchain.types import ADDRESS_SIZE, AddressBytes, Hash32, checksum

if TYPE_CHECKING:
    from devchain.node import Node
    from devchain.testing.isolation import Isolation

SECTION = "devchain:"  # the beginning of the names of sections of a report

STYLES = {
    LineKind.FAILURE: {"red": True},
    LineKind.HINT: {"yellow": True},
    LineKind.MARKED: {"bold": True},
    LineKind.CONTEXT: {"light": True},
}
"""Markup of pytest's terminal by the kind of a line."""

MAX_SHOWN = 20
COMPARED = (AddressBytes, Contract, Function)
LAYOUT = re.compile(r"(\n|\t)")
LAYOUT_IN_COLORS = re.compile(r"(\n|\t|\x1b\[(?:[01]?0?|[39][0-9]|49|;)*m)")
"""What pytest's own text has of what `printable` escapes, and that of assertions."""

PACKAGE = Path(__file__).parents[1]
MISTAKES = (
    AttributeError,
    ImportError,
    NameError,
    SyntaxError,
    TypeError,
    ConfigError,
    InvalidInput,
    pytest.FixtureLookupError,
)
"""Errors of the test's program itself, whatever the chain did.

Not LookupError and ValueError: values read from the chain, such as events of a receipt, may be
missing.
"""

LIBRARIES = frozenset(Path(get_path(each)) for each in ("stdlib", "purelib", "platlib"))
GENERATED = "<string>"  # the file of methods that `dataclass` generates


def end_traceback_at_test(raised: pytest.ExceptionInfo[BaseException]) -> None:
    """Remove devchain's frames from the traceback of an error that devchain reports to its caller.

    Any other exception is a defect, of devchain or of the test, and keeps them. The frames are
    taken out of the chain itself: pytest reads that anew, and debuggers start at its end.
    """
    error = raised.value
    reported = error.__context__ if error.__suppress_context__ else None  # raised `from None`
    if not (isinstance(error, DevchainError) or isinstance(reported, DevchainError)):
        return
    for chained in _chain(error):
        context = chained.__context__
        if isinstance(chained, DevchainError) and isinstance(context, DevchainError):
            # What was raised and handled within devchain, such as a fact to fetch, is no cause.
            beginning = context.__traceback__
            if chained.__cause__ is None and (beginning is None or _is_devchain(beginning)):
                chained.__suppress_context__ = True
    entry = raised.tb
    while entry.tb_next is not None:
        if _is_devchain(entry.tb_next):
            entry.tb_next = entry.tb_next.tb_next
        else:
            entry = entry.tb_next
    raised.traceback = type(raised.traceback)(raised.tb)


def _is_devchain(entry: TracebackType) -> bool:
    file = entry.tb_frame.f_code.co_filename
    return PACKAGE in Path(file).parents or file == GENERATED


def shown_comparison(operator: str, left: object, right: object) -> str:
    """A comparison with an address, account, contract or function; empty for any other.

    pytest would cut these short, and compare the bytes of addresses one by one.
    """
    if not isinstance(left, COMPARED) and not isinstance(right, COMPARED):
        return ""
    sides = [
        checksum(side) if isinstance(side, bytes) and len(side) == ADDRESS_SIZE else repr(side)
        for side in (left, right)
    ]
    return printable(f"{sides[0]} {operator} {sides[1]}")


def escape_report(report: Any, error: BaseException) -> None:
    """Escape what may be the text of a contract in all that pytest shows of a test's outcome.

    Errors of clients, of tests and of pytest repeat what a contract wrote.
    """
    layout = LAYOUT_IN_COLORS if isinstance(error, AssertionError) else LAYOUT

    def escaped(text: str) -> str:
        parts = layout.split(text)  # what separates them is at odd places
        return "".join(part if place % 2 else printable(part) for place, part in enumerate(parts))

    shown = report.longrepr
    if isinstance(shown, str):
        report.longrepr = escaped(shown)
    elif isinstance(shown, tuple):  # of a skipped test: file, line, reason
        report.longrepr = (*shown[:2], escaped(shown[2]))
    elif hasattr(shown, "reprtraceback"):  # of an error, and with most styles of those before it
        last = (shown.reprtraceback, shown.reprcrash)
        for traceback, crash, *_ in getattr(shown, "chain", [last]):
            for entry in traceback.reprentries:
                entry.lines[:] = map(escaped, entry.lines)
            if crash is not None:
                crash.message = escaped(crash.message)
    if hasattr(report, "wasxfail"):
        report.wasxfail = escaped(report.wasxfail)


def sections(
    node: Node,
    isolation: Isolation,
    raised: pytest.ExceptionInfo[BaseException] | None,
    shown: str,
    *,
    of_example: bool,
) -> Iterator[tuple[str, str]]:
    """Where the error raised arose in the source, or its call tree; trees of transactions.

    Before them, of a test with `@given`, what its example and the fixtures sent, as a program.

    `shown` is the value of `--devchain-trace`: trees of `all` transactions, of those that `failed`,
    or `auto`: of those that failed if the test ended with such an error or with one of `MISTAKES`,
    else of all. By `auto` the error itself has a tree only if its source is not known or if it
    contains failures that a contract caught; failures that the test caught are left out, and so is
    what succeeded before calls that the report has as a program.
    """
    if of_example and (lines := reproducer(node, node.chain.first, isolation.reads)):
        yield f"{SECTION} reproducer", "\n".join(lines)
    failure = failure_of(node, raised)
    is_mistake = raised is not None and isinstance(raised.value, MISTAKES)
    everything = shown == "all" or (shown == "auto" and failure is None and not is_mistake)
    trace = failure.source_trace if failure and shown == "auto" else None
    if trace and (trace.caught or not trace.has_place):
        trace = None
    failure_tree = failure.call_tree if failure and not trace else ""
    if trace:
        yield f"{SECTION} where it failed", trace.text
        if printed := _printed(failure) if failure else "":
            yield f"{SECTION} console.log", printed
    elif failure_tree:
        yield f"{SECTION} calls of the failure", f"{printable(str(failure))}\n{failure_tree}"
    ended_with = failure.transaction_hash if failure else None
    caught = [each for each in node.explainer.raised if each != ended_with]
    start = isolation.start_height
    whole = max(start, _set_up_height(isolation, node, raised)) if shown == "auto" else start
    mined = [
        transaction
        for transaction in mined_transactions(node, start, everything=False)
        if (shown == "failed" or transaction[0] not in caught)
        and not (everything and transaction[1] > whole)
    ]
    mined += mined_transactions(node, whole, everything=True) if everything else ()
    for tx_hash, number in mined[:MAX_SHOWN]:
        if trace and failure and tx_hash == failure.transaction_hash:
            continue
        tree = node.call_tree(tx_hash)
        if tree != failure_tree:  # which is shown already
            note = " (caught by the test)" if tx_hash in caught else ""
            # As a plain `str`: pytest-xdist sends no other class.
            yield f"{SECTION} transaction 0x{tx_hash.hex()} in block {number}{note}", str(tree)
    if len(mined) > MAX_SHOWN:
        yield SECTION, f"{len(mined) - MAX_SHOWN} more transactions are not shown"


def _set_up_height(
    isolation: Isolation, node: Node, raised: pytest.ExceptionInfo[BaseException] | None
) -> int:
    notes = getattr(raised.value, "__notes__", ()) if raised else ()
    if any(isinstance(note, ProgramNote) for note in notes):
        return node.chain.height  # its calls are undone
    return isolation.example_height or 0


def _printed(failure: VmError) -> str:
    from devchain.source.call_tree import console_lines
    from devchain.source.source_trace import beside

    top = failure.find_frames() if failure.find_frames else None
    return "\n".join(beside(console_lines(top)[:MAX_SHOWN] if top else []))


def paint(content: str, markup: Callable[..., str]) -> str:
    kinds = ((word, LineKind.of(word)) for word in content.split("\n"))
    return "\n".join(markup(line, **STYLES[kind]) if kind else line for line, kind in kinds)


def failure_of(node: Node, raised: pytest.ExceptionInfo[BaseException] | None) -> VmError | None:
    """The error raised, or the one a client turned into its own; None after a plain `assert`.

    After `reverts` it is the failure that was not expected. It is None also if the test caught the
    last failure and ended with an error that has nothing to do with it.
    """
    error = raised.value if raised else None
    if isinstance(error, AssertionError) and isinstance(error.__cause__, VmError):
        return error.__cause__
    if isinstance(error, VmError):
        return error
    failure = node.last_failure
    if failure is None or not isinstance(error, Exception) or isinstance(error, AssertionError):
        return None
    return failure if _has_become(failure, list(_chain(error))) else None


def _chain(error: BaseException) -> Iterator[BaseException]:
    found: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        each = waiting.pop()
        if each is not None and not any(each is other for other in found):
            found.append(each)
            waiting += (each.__cause__, each.__context__)
            yield each


def _has_become(failure: VmError, errors: Sequence[BaseException]) -> bool:
    # It is not if the test caught the failure itself, or raised all of these errors itself: those
    # of a client, or of what ran one as a program, are raised in a library.
    if any(error is failure or isinstance(error, RpcFailure) for error in errors):
        return True
    was_raised_to_test = failure.__traceback__ and not _is_devchain(failure.__traceback__)
    return not was_raised_to_test and any(_is_raised_in_library(error) for error in errors)


def _is_raised_in_library(error: BaseException) -> bool:
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    return bool(frames) and not LIBRARIES.isdisjoint(Path(frames[-1].f_code.co_filename).parents)


def mined_transactions(node: Node, since: int, *, everything: bool) -> Iterator[tuple[Hash32, int]]:
    """Hash and block of each transaction after a block: of all, or of those that failed."""
    for block in node.chain.blocks_after(since):
        for receipt in block.receipts:
            if everything or receipt.failure:
                yield receipt.transaction.hash, block.number
