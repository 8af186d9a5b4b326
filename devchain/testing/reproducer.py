"""A chain's transactions as a Python program: deployments and calls with names and values.

It has what the test has read too, which `recorded_reads` notes: an assertion was about that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, NamedTuple

from devchain.contracts.abi import Entry, Param
from devchain.contracts.abi_decoder import are_decoded
from devchain.errors import VmError
from devchain.text import printable
from devchain.types import (
    ADDRESS_SIZE,
    Address,
    Hash32,
    StateLike,
    Tag,
    TransactionRequest,
    checksum,
)

if TYPE_CHECKING:
    from devchain.chain.block import Block, Receipt
    from devchain.node import Node

MAX_LINES = 60
MAX_BLOCKS = 500  # newest blocks that are searched for contracts
LEAST_GAP = 60  # seconds between blocks that are meant; less may pass between two tests
LEAST_POWER = 6

# Neither is in a block, so that it cannot be read again from the chain.
EDITED = "# here the test edited storage, code or a balance, which is not part of this program"
MOCKED = "# the test mocked calls, which is not part of this program"
MAX_RESULT = 100  # characters of what a call returned


class ProgramNote(str):
    """The note of an error that has the calls which led to it, as a program."""

    __slots__ = ()


class Read(NamedTuple):
    """A call or balance that was read after the block `head`.

    A balance is a request without `data`. `result` is a call's output, a balance in wei, or the
    error that was raised.
    """

    head: Hash32
    request: TransactionRequest
    block: StateLike
    result: bytes | int | VmError


@contextmanager
def recorded_reads(node: Node) -> Iterator[list[Read]]:
    """Add to a list what is read of a node in the `with` block: calls that ran, and balances."""
    reads: list[Read] = []

    def record(
        request: TransactionRequest, block: StateLike, result: bytes | int | VmError
    ) -> None:
        reads.append(Read(node.chain.head.hash, request, block, result))

    before, node.on_read = node.on_read, record
    try:
        yield reads
    finally:
        node.on_read = before


def contract_names(node: Node, first: Iterable[Address] = ()) -> dict[str, Address]:
    """Names of those contracts and of created ones; two of one artifact are `vault`, `vault2`."""
    known = node.explainer.names()
    named: dict[str, Address] = {}
    for address in dict.fromkeys([*first, *_creators(node)]):
        plain = re.sub(r"\W", "", known.contract(address) or "contract", flags=re.ASCII)
        base = plain[:1].lower() + plain[1:]
        base = base if base.isidentifier() and not iskeyword(base) else "contract"
        taken = (base, *(f"{base}{count}" for count in range(2, len(named) + 3)))
        named[next(name for name in taken if name not in named)] = address
    return named


def _creators(node: Node) -> dict[Address, Address]:
    # Who sent the transactions that created contracts, in their order.
    newest = max(node.chain.first + 1, node.chain.height - MAX_BLOCKS)
    blocks = node.chain.blocks_between(newest, node.chain.height)
    return {
        receipt.contract_address: receipt.transaction.sender
        for block in blocks
        for receipt in block.receipts
        if receipt.succeeded and receipt.contract_address
    }


def address_names(node: Node, first: Iterable[Address] = ()) -> dict[bytes, str]:
    """Python expressions of the addresses that a test has a name for: `accounts[1]`, `vault`."""
    names: dict[bytes, str] = {each: name for name, each in contract_names(node, first).items()}
    names |= {each: f"accounts[{place}]" for place, each in enumerate(node.accounts.addresses())}
    return names


def expression(param: Param, value: Any, names: Mapping[bytes, str]) -> str:
    """A value of an ABI type as a Python expression that `Function` takes."""
    if param.kind.endswith("]"):
        return f"[{', '.join(expression(param.element, item, names) for item in value)}]"
    if param.components:
        parts = _expressions(param.components, value, names)
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    if param.kind == "address":
        plain = bytes(getattr(value, "canonical", getattr(value, "address", value)))
        return names.get(plain) or f'"{checksum(plain)}"'
    if isinstance(value, bytes):
        return f'"0x{value.hex()}"'
    if isinstance(value, int) and not isinstance(value, bool):
        return integer_text(value)
    return ascii(value)


def _expressions(
    params: Sequence[Param], values: Sequence[Any], names: Mapping[bytes, str]
) -> list[str]:
    pairs = zip(params, values, strict=True)
    return [expression(param, value, names) for param, value in pairs]


def integer_text(number: int) -> str:
    """An integer as people write it: `5 * 10**18`, `2**256 - 1`."""
    size = abs(number)
    for offset, suffix in ((0, ""), (1, " - 1")):
        power = (size + offset).bit_length() - 1
        if number > 2**32 and size + offset == 1 << power:
            return f"2**{power}{suffix}"
    zeros = len(str(size)) - len(str(size).rstrip("0"))
    if size and zeros >= LEAST_POWER:
        head = number // 10**zeros
        return f"10**{zeros}" if head == 1 else f"{head} * 10**{zeros}"
    return str(number)


def call_text(
    target: str,
    name: str,
    arguments: Sequence[str],
    options: Mapping[str, str | None],
    *,
    way: str = "",
) -> str:
    """A call as Python: `vault.deposit(5, sender=accounts[1])`; options that are None are left out.

    `name` is the function's, or its signature if it is overloaded; `way` may be `.call`.
    """
    is_attribute = name.isidentifier() and not iskeyword(name)
    function = f"{target}.{name}" if is_attribute else f'{target}["{name}"]'
    given = [f"{key}={text}" for key, text in options.items() if text is not None]
    return f"{function}{way}({', '.join([*arguments, *given])})"


def reproducer(node: Node, since: int = 0, reads: Sequence[Read] = ()) -> list[str]:
    """Lines of Python that send again what the blocks after that height contain.

    They use `devchain`, the node, and `accounts`. Earlier contracts are looked up by address. Reads
    after the last transaction are included, and the same reads before it, since an assertion may
    compare them.
    """
    known = node.explainer.names()
    read = dict.fromkeys(Address(bytes(read.request.to)) for read in reads if read.request.to)
    names = address_names(node, [address for address in read if known.artifact(address)])

    def read_after(block: Block) -> list[str]:
        return read_lines(node, [read for read in reads if read.head == block.hash], names)

    last = read_after(node.chain.head)
    wanted = {_without_comment(line) for line in last}

    def read_before(block: Block) -> list[str]:
        lines = read_after(block) if block is not node.chain.head else []
        return [line for line in lines if _without_comment(line) in wanted]

    lines = list(islice(_lines(node, since, names, read_before), MAX_LINES + 1))
    text = "\n".join([*lines, *last])
    created = {line.partition(" =")[0] for line in lines}
    looked_up = [
        f'{name} = devchain.contract("{known.contract(Address(address)) or "?"}", '
        f'"{checksum(Address(address))}")'
        for address, name in names.items()
        if not name.startswith("accounts[") and name not in created and name in text
    ]
    if len(lines) > MAX_LINES:
        lines[MAX_LINES:] = ["..."]
    return [*map(printable, (*looked_up, *lines)), *last]


def read_lines(node: Node, reads: Iterable[Read], names: Mapping[bytes, str]) -> list[str]:
    """The lines that read again what was read of named contracts, with results in comments."""
    creators = _creators(node)
    lines = (_read_line(node, read, names, creators) for read in reads)
    return list(dict.fromkeys(printable(line) for line in lines if line))


def _without_comment(line: str) -> str:
    return line.partition("  # ")[0]


def _read_line(
    node: Node, read: Read, names: Mapping[bytes, str], creators: Mapping[Address, Address]
) -> str:
    request, result = read.request, read.result
    to = Address(bytes(request.to or b""))
    name = names.get(to, "")
    is_contract = bool(name) and not name.startswith("accounts[")
    if not isinstance(read.block, int | Tag) or not to:
        return ""
    at = f"{read.block}" if isinstance(read.block, int) else f'"{read.block.value}"'
    of_block = "" if read.block is Tag.LATEST else f".contract.at({at})"
    if isinstance(result, int):
        wei = integer_text(result)
        if is_contract:
            return f"{name}{of_block}.contract.balance  # {wei}"
        account = [name or f'"{checksum(to)}"', *([at] if of_block else [])]
        return f"{call_text('devchain', 'balance', account, {})}  # {wei}"
    code = node.explainer.names().code_at(to)
    decoded = node.artifacts.decode_call(code, request.data, to) if is_contract else None
    if decoded is None or not are_decoded(decoded.arguments):
        return ""
    entry, sender = decoded.entry, bytes(request.sender or b"")
    first = next(iter(node.accounts.addresses()), None)
    is_default = sender in (b"", creators.get(to, first))
    options = {
        "sender": None if is_default else names.get(sender) or f'"{checksum(sender)}"',
        "value": integer_text(request.value) if request.value else None,
    }
    arguments = _expressions(entry.inputs, decoded.arguments, names)
    way = "" if entry.is_read_only else ".call"
    line = call_text(f"{name}{of_block}", decoded.name, arguments, options, way=way)
    if isinstance(result, VmError):
        return f"{line}  # failed: {result}"
    return f"{line}  # returned {_output_text(entry, result, names)}"


def _output_text(entry: Entry, output: bytes, names: Mapping[bytes, str]) -> str:
    values = entry.decode_output(output)
    if values is None or not are_decoded(values):
        text = f"0x{output.hex()}"
    else:
        shown = _expressions(entry.outputs, values, names)
        text = shown[0] if len(shown) == 1 else f"({', '.join(shown)})"
    return text if len(text) <= MAX_RESULT else f"{text[:MAX_RESULT]}..."


def _lines(
    node: Node,
    since: int,
    names: Mapping[bytes, str],
    reads_after: Callable[[Block], Iterable[str]],
) -> Iterator[str]:
    edited = node.chain.edited_roots()
    before = node.chain.block(since)
    yield from reads_after(before)
    for block in node.chain.blocks_after(since):
        if before.hash in edited:
            yield EDITED
        gap = block.timestamp - before.timestamp
        # REMASC's has no sender.
        sent = [receipt for receipt in block.receipts if any(receipt.transaction.sender)]
        if not sent:
            yield f"devchain.time_travel({gap})" if gap > 1 else "devchain.mine()"
        elif gap >= LEAST_GAP and before.number:
            yield f"devchain.clock.advance({gap})"
        for receipt in sent:
            yield _transaction(node, block, receipt, names)
        yield from reads_after(block)
        before = block
    if before.hash in edited:
        yield EDITED
    if node.chain.mocks.ordered:
        yield MOCKED


def _transaction(node: Node, block: Block, receipt: Receipt, names: Mapping[bytes, str]) -> str:
    tx = receipt.transaction
    sender = names.get(bytes(tx.sender)) or f'"{checksum(tx.sender)}"'
    options = {"sender": sender, "value": integer_text(tx.value) if tx.value else None}
    line = _creation(node, receipt, names, options) if tx.is_creation else ""
    if not line and tx.to:
        target = names.get(bytes(tx.to), "")
        state = node.chain.state_at(block.number)
        decoded = node.artifacts.decode_call(state.code(tx.to), tx.data, tx.to) if target else None
        if decoded and are_decoded(decoded.arguments):
            arguments = _expressions(decoded.entry.inputs, decoded.arguments, names)
            line = call_text(target, decoded.name, arguments, options)
    if not line:
        to = (names.get(bytes(tx.to)) or f'"{checksum(tx.to)}"') if tx.to else None
        data = f'bytes.fromhex("{tx.data.hex()}")' if tx.data else None
        line = call_text("devchain", "transact", [], {"to": to, "data": data, **options})
    if receipt.failure:
        return f"{line}  # failed: {receipt.failure.describe(node.artifacts)}"
    return line


def _creation(
    node: Node, receipt: Receipt, names: Mapping[bytes, str], options: Mapping[str, str | None]
) -> str:
    data = receipt.transaction.data
    artifact = node.artifacts.find_by_init_code(data)
    decoded = node.artifacts.decode_creation(data)
    if artifact is None or decoded is None or not are_decoded(decoded.arguments):
        return ""
    values = _expressions(decoded.entry.inputs, decoded.arguments, names)
    arguments = [f'"{artifact.name}"', *values]
    libraries = {}
    for link in artifact.creation.links:
        address = data[link.start : link.start + ADDRESS_SIZE]
        libraries[link.library] = names.get(address) or repr(checksum(Address(address)))
    given = ", ".join(f"{library!r}: {address}" for library, address in libraries.items())
    options = {"libraries": f"{{{given}}}" if given else None, **options}
    line = call_text("devchain", "deploy", arguments, options)
    created = names.get(bytes(receipt.contract_address or b""))
    return f"{created} = {line}" if created else line
