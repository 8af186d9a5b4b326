"""Pages of a contract: source, functions to call, storage by variable, events, code."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import Any

from devchain.chain.slices import SLOW, Slices
from devchain.contracts.abi import Entry, Param, format_arguments
from devchain.contracts.artifacts import Artifact
from devchain.contracts.source_file import display_path, text_of
from devchain.contracts.storage_names import fork_note
from devchain.errors import (
    DevchainError,
    ExecutionTimedOut,
    ForkCacheMiss,
    InvalidInput,
    NotFound,
    UnsupportedTransactionType,
    VmError,
)
from devchain.node import Node
from devchain.node.address_history import Role
from devchain.node.contract_storage import storage_in_slices
from devchain.node.proxies import contracts_at
from devchain.server.explorer.account_pages import account_head, address_of
from devchain.server.explorer.page import Page, Query, RawCall
from devchain.server.explorer.search import known_contracts
from devchain.server.explorer.sources import CoveredFile, covered_files, source_lines
from devchain.server.explorer.transaction_pages import Failure, located
from devchain.server.explorer.values import (
    EventRow,
    Party,
    Reader,
    hex_of,
    how_to_add_artifacts,
    long_text,
    one_line,
)
from devchain.text import parse_amount, parse_integer, plural, printable
from devchain.tracing.disassembly import disassemble
from devchain.types import Address, LogQuery, Tag, TransactionRequest

MAX_CONTRACTS = 200
MAX_CODES = 40
MAX_EVENTS = 50
MAX_EVENT_BLOCKS = 5_000
INCOMPLETE = "Not all of its newest transactions could be executed once more in time."

REPLAYED = 10
"""Newest transactions of a contract whose lines its source page marks."""

MAX_INSTRUCTIONS = 1_000


@dataclass(frozen=True, slots=True)
class FunctionForm:
    """A function as a form: `fields` are labels and types, `result` what a call returned.

    `implementation` is the name of the contract that has it, if calls of it are delegated.
    """

    signature: str
    name: str
    fields: Sequence[tuple[str, str, str]]
    outputs: str
    is_read_only: bool
    is_payable: bool
    implementation: str = ""
    result: str = ""
    error: Failure | None = None
    is_open: bool = False


def contracts(node: Node, query: Query) -> Page:  # noqa: ARG001  # as every page
    """Contracts that the newest blocks created, and artifacts that the node knows."""
    reader = Reader(node)
    state = node.chain.state_at(Tag.LATEST)
    found = list(dict.fromkeys(known_contracts(node)))[:MAX_CONTRACTS]
    rows = [(reader.party(each), len(state.code(each)), _source_of(reader, each)) for each in found]
    return Page(
        "contracts.html",
        "Contracts",
        {
            "contracts": rows,
            "artifacts": [one_line(each) for each in node.artifacts.names()[:MAX_CONTRACTS]],
            "precompiled": _precompiled(reader),
        },
        raw=[
            ("devchain_nameContracts", [[hex_of(each) for each in found]]),
            *(("eth_getCode", [hex_of(each), "latest"]) for each in found[:MAX_CODES]),
        ],
        section="contracts",
    )


def _source_of(reader: Reader, address: Address) -> str:
    artifact = reader.names.artifact(address)
    return one_line(artifact.source) if artifact else ""


def _precompiled(reader: Reader) -> list[Party]:
    return [reader.party(each) for each in reader.chain.rules.precompiled_abis()]


def source(node: Node, query: Query, text: str) -> Slices[Page]:
    """The sources of a contract, highlighted, and its ABI; with `ran` the lines that ran."""
    account = address_of(text)
    covered: dict[str, CoveredFile] = {}
    note = ""
    if query.text("ran"):
        covered, note = yield from _ran(node, account)
    reader = Reader(node)
    head = account_head(reader, account)
    artifact = reader.artifact(account)
    if artifact is None and not head.implementations:
        raise NotFound(f"no artifact of this contract is known: {how_to_add_artifacts(node)}")
    sources = _sources(artifact, covered) if artifact else []
    entries = artifact.abi.entries if artifact else ()
    return Page(
        "source.html",
        f"Source of {head.party.name}",
        {
            "head": head,
            "sources": sources,
            "has_artifact": artifact is not None,
            "abi": [one_line(f"{each.kind} {each.described}") for each in entries],
            "note_of_lines": note,
            "replayed": REPLAYED,
        },
        raw=[("devchain_findArtifacts", [hex_of(account)])],
        section="contracts",
    )


def _sources(
    artifact: Artifact, covered: Mapping[str, CoveredFile]
) -> list[tuple[CoveredFile, bool]]:
    sources = []
    for each in artifact.sources.values():
        content = text_of(each)
        if not content:
            continue
        path = one_line(display_path(each.path))
        file = covered.get(path) or CoveredFile(path, source_lines(content, artifact.language))
        sources.append((file, each.path == artifact.source))
    return sorted(sources, key=lambda each: (not each[1], each[0].path))


def _ran(node: Node, account: Address) -> Slices[tuple[dict[str, CoveredFile], str]]:
    history = yield from node.address_history.page_in_slices(
        account, count=REPLAYED, roles=Role.RECIPIENT | Role.CREATED | Role.INTERNAL
    )
    recorder = node.explainer.new_gas_recorder()
    executed = 0
    for each in history.appearances:
        yield SLOW
        try:
            recorder.record_transaction(node.chain, each.receipt.transaction.hash)
        except (ExecutionTimedOut, UnsupportedTransactionType):
            break
        executed += 1
    yield SLOW
    note = f"Marked is what its newest {plural(executed, 'transaction')} ran, with gas in all."
    if executed < len(history.appearances):
        note += f" {INCOMPLETE}"
    return {each.path: each for each in covered_files(recorder, whole=True)}, note


# Calling


def call(node: Node, query: Query, text: str) -> Page:
    """The functions of a contract, of a proxy its implementation's too.

    One that only reads is called by its form.
    """
    reader, account = Reader(node), address_of(text)
    head = account_head(reader, account)
    known = contracts_at(node, account)
    if not known:
        raise NotFound("no artifact of this contract is known, hence none of its functions")
    wanted = query.text("f")
    forms = [
        _form(reader, account, entry, query if entry.signature == wanted else None, name)
        for entry, name in _functions(account, known)
    ]
    return Page(
        "call.html",
        f"Call {head.party.name}",
        {
            "head": head,
            "reading": [each for each in forms if each.is_read_only],
            "writing": [each for each in forms if not each.is_read_only],
            "senders": [reader.party(each) for each in senders(node)],
            "filled": query.values,
        },
        raw=[("devchain_findArtifacts", [hex_of(each)]) for each, _ in known],
        section="contracts",
    )


def _functions(
    account: Address, known: Sequence[tuple[Address, Artifact]]
) -> list[tuple[Entry, str]]:
    # A proxy does not delegate calls of its own functions.
    found: dict[bytes, tuple[Entry, str]] = {}
    for address, artifact in known:
        name = "" if address == account else artifact.name
        for selector, entry in artifact.abi.functions.items():
            found.setdefault(selector, (entry, name))
    return list(found.values())


def senders(node: Node) -> list[Address]:
    """The accounts that can send without a passphrase."""
    own = [each for each in node.accounts.addresses() if node.accounts.is_unlocked(each)]
    return list(dict.fromkeys([*own, *node.accounts.impersonated()]))[:50]


def _form(
    reader: Reader, account: Address, entry: Entry, query: Query | None, implementation: str
) -> FunctionForm:
    result, error = "", None
    if query is not None and entry.is_read_only:
        try:
            result = _read(reader, account, entry, query.values)
        except ForkCacheMiss:
            raise  # of a fork: they are fetched, and the page is made again
        except DevchainError as failure:
            trace = None
            if isinstance(failure, VmError) and not reader.node.config.hosted:
                trace = reader.node.explainer.error_source(failure)
            error = located(long_text(str(failure)), trace)
    return FunctionForm(
        signature=entry.signature,
        name=printable(entry.name),
        fields=[
            (
                f"a{index}",
                printable(each.name or f"argument {index + 1}"),
                printable(each.described),
            )
            for index, each in enumerate(entry.inputs)
        ],
        outputs=one_line(
            ", ".join(f"{each.described} {each.name}".rstrip() for each in entry.outputs)
        ),
        is_read_only=entry.is_read_only,
        is_payable=entry.mutability == "payable",
        implementation=one_line(implementation),
        result=long_text(result),
        error=error,
        is_open=query is not None,
    )


def _read(reader: Reader, account: Address, entry: Entry, form: Mapping[str, str]) -> str:
    data = encode_call(entry, form)
    output = reader.node.call(TransactionRequest(to=account, data=data))
    values = entry.decode_output(output)
    if values is None:
        return hex_of(output)
    return format_arguments(entry.outputs, values, reader.names.address) or "nothing"


def encode_call(entry: Entry, form: Mapping[str, str]) -> bytes:
    """The data of a call with the arguments of a form; raises `InvalidInput`."""
    arguments = [
        argument_of(each, form.get(f"a{index}", "")) for index, each in enumerate(entry.inputs)
    ]
    return entry.selector + entry.encode(arguments)


def argument_of(param: Param, text: str) -> object:
    """An argument as it is typed: text and bytes as they are, arrays and tuples as JSON."""
    name = f"{param.described} {param.name}".rstrip()
    if param.kind.endswith("]") or param.components:
        try:  # with integers of any size, and all digits of decimals
            given = json.loads(text or "[]", parse_float=Decimal)
        except (ValueError, RecursionError):
            raise InvalidInput(f"{name} must be JSON, such as [1, 2]") from None
        return _with_decimals(param, given)
    if limits := param.number_limits:
        try:
            return param.parse_number(text)
        except ValueError:
            raise InvalidInput(f"{name} must be {limits}") from None
    if param.kind.startswith(("uint", "int")):
        try:
            return parse_integer(text)
        except ValueError:
            raise InvalidInput(
                f"{name} must be a whole number, such as 10, 0xa or 1.5rbtc"
            ) from None
    if param.kind == "bool":
        if text.strip().lower() not in {"true", "false"}:
            raise InvalidInput(f"{name} must be true or false")
        return text.strip().lower() == "true"
    return text if param.kind == "string" else text.strip()


def _with_decimals(param: Param, value: object) -> object:
    # What is of another type is left as it is, for the encoding to refuse.
    if param.kind.endswith("]") and isinstance(value, list):
        return [_with_decimals(param.element, each) for each in value]
    if isinstance(value, dict):
        components = {each.name: each for each in param.components}
        return {
            name: _with_decimals(components[name], each) if name in components else each
            for name, each in value.items()
        }
    if param.components and isinstance(value, list) and len(value) == len(param.components):
        pairs = zip(param.components, value, strict=True)
        return [_with_decimals(each, part) for each, part in pairs]
    if param.fixed_point is not None and isinstance(value, int | str | Decimal):
        try:
            return param.parse_number(str(value))
        except ValueError:
            name = f"{param.described} {param.name}".rstrip()
            raise InvalidInput(f"{name} {value} must be {param.number_limits}") from None
    return value


def transaction_call(node: Node, form: Mapping[str, str]) -> list[RawCall]:
    """The request that sends a call of a contract's form."""
    account = address_of(form.get("to", ""))
    functions = [each for each, _ in _functions(account, contracts_at(node, account))]
    entry = next((each for each in functions if each.signature == form.get("f")), None)
    if entry is None:
        raise NotFound("this contract has no such function")
    request: dict[str, Any] = {
        "from": hex_of(address_of(form.get("from", ""))),
        "to": hex_of(account),
        "data": hex_of(encode_call(entry, form)),
        "gas": hex(node.chain.max_transaction_gas()),
    }
    if value := form.get("value", "").strip():
        try:
            request["value"] = hex(parse_amount(value))
        except ValueError:
            raise InvalidInput(
                "value must be an amount, such as 1.5rbtc, 10gwei or 21000 (wei)"
            ) from None
    return [("eth_sendTransaction", [request])]


# Storage


@dataclass(frozen=True, slots=True)
class SlotRow:
    """A slot of a contract's storage: its variables with values, and the word."""

    slot: str
    word: str
    variables: Sequence[tuple[str, str]]


def storage(node: Node, query: Query, text: str) -> Slices[Page]:  # noqa: ARG001  # as every page
    """The storage of a contract by variable: what the layout has, and what was written lately."""
    account, reader = address_of(text), Reader(node)
    found = yield from storage_in_slices(node, account, address_text=reader.names.address)
    rows = [
        SlotRow(
            hex_of(each.number.to_bytes(32)),
            f"0x{each.word:064x}",
            [(long_text(known.name), long_text(known.value)) for known in each.variables],
        )
        for each in found.slots
    ]
    notes = [] if found.is_complete else [INCOMPLETE]
    if found.forked_at is not None:
        notes.append(fork_note(found.forked_at))
    head = account_head(reader, account)
    return Page(
        "storage.html",
        f"Storage of {head.party.name or head.party.short}",
        {"head": head, "slots": rows, "replayed": found.replayed, "note": " ".join(notes)},
        raw=[("eth_getStorageAt", [hex_of(account), each.slot, "latest"]) for each in rows[:40]],
        section="contracts",
    )


# Events and code


def events(node: Node, query: Query, text: str) -> Page:
    """The newest events of a contract."""
    reader, account = Reader(node), address_of(text)
    chain = node.chain
    newest = query.number("before")
    last = chain.height if newest is None else min(newest, chain.height)
    first = max(chain.first, last - MAX_EVENT_BLOCKS + 1)
    wanted = LogQuery(first, last, addresses=frozenset({account}))
    logs = list(chain.logs(wanted))[-MAX_EVENTS:]
    rows: list[EventRow] = [
        reader.event(each.log, each.index, each.block.number, hex_of(each.receipt.transaction_hash))
        for each in reversed(logs)
    ]
    head = account_head(reader, account)
    older = logs[0].block.number - 1 if len(logs) == MAX_EVENTS else first - 1
    return Page(
        "events.html",
        f"Events of {head.party.name or head.party.short}",
        {
            "head": head,
            "events": rows,
            "first": first,
            "last": last,
            "older": older if older >= max(chain.first, 0) and older > 0 else None,
        },
        raw=[
            (
                "eth_getLogs",
                [{"address": hex_of(account), "fromBlock": hex(first), "toBlock": hex(last)}],
            )
        ],
        section="contracts",
    )


def code(node: Node, query: Query, text: str) -> Page:
    """The code of a contract as opcodes."""
    reader, account = Reader(node), address_of(text)
    content = node.chain.state_at(Tag.LATEST).code(account)
    start = query.number("from") or 0
    opcodes = islice(disassemble(content, node.chain.vm_class), start, None)
    shown = list(islice(opcodes, MAX_INSTRUCTIONS))
    has_more = next(opcodes, None) is not None
    head = account_head(reader, account)
    return Page(
        "code.html",
        f"Code of {head.party.name or head.party.short}",
        {
            "head": head,
            "instructions": shown,
            "size": len(content),
            "start": start,
            "more": start + MAX_INSTRUCTIONS if has_more else None,
        },
        raw=[("eth_getCode", [hex_of(account), "latest"])],
        section="contracts",
    )
