"""Pages of a contract: source, functions to call, storage by variable, events, code."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice, takewhile

from devchain import errors
from devchain.chain.block import MinedLog
from devchain.chain.chain import Chain
from devchain.chain.slices import QUICK, SLOW, Slices
from devchain.contracts.abi import Entry, Param
from devchain.contracts.artifacts import Artifact
from devchain.contracts.source_map import source_ids
from devchain.contracts.sources import display_path, texts_of
from devchain.contracts.standard_abis import standard_entries
from devchain.contracts.storage_names import TypedValue, fork_note
from devchain.contracts.typed_arguments import account_text, encode_typed
from devchain.evm import deadline
from devchain.evm.rootstock.precompiles.bridge.storage import ADDRESS as BRIDGE
from devchain.node import Node, contract_storage
from devchain.server.explorer.account_pages import ContractRow, account_page
from devchain.server.explorer.bitcoin_pages import peg
from devchain.server.explorer.chain_pages import PAGE_ROWS
from devchain.server.explorer.gas_pages import highlighted
from devchain.server.explorer.page import Page, RawCall
from devchain.server.explorer.reader import (
    ADD_ARTIFACTS,
    Reader,
    address_of,
    bytes_of,
    hex_of,
)
from devchain.server.explorer.send_page import senders
from devchain.source.source_trace import SourceTrace
from devchain.tracing.opcode_step import disassemble
from devchain.types import WORD_SIZE, Address, Hash32, LogQuery, Tag, TransactionRequest

MAX_CONTRACTS = 200
MAX_CODES = 40
MAX_ENTRIES = 1_000  # functions, and items of the ABI
MAX_EVENTS = 50
MAX_EVENT_BLOCKS = 5_000
MAX_PART = 1_000  # logs that are read of several blocks at a time
MAX_INSTRUCTIONS = 1_000
MAX_INSTRUCTION = 33  # bytes, those of PUSH32
INSTRUCTIONS = re.compile(
    b"(?:[^\x60-\x7f]++%b)*+" % b"".join(b"|\\x%x.{%d}" % (0x5F + n, n) for n in range(1, 33)),
    re.DOTALL,
)
"""Whole instructions."""

MAX_SOURCES = 4_000_000  # characters of HTML, about, of the sources that a page shows
LINE = 40  # characters of HTML around a line


def contracts(reader: Reader) -> Slices[Page]:
    """Contracts, the newest first, others that artifacts or a fork know, and artifacts."""
    node, start = reader.node, reader.query.number("from") or 0
    known = yield from reader.known_contracts(MAX_CONTRACTS)
    index = yield from reader.index()
    made = index.contracts(PAGE_ROWS + 1, start)
    own = {each.address for each in index.contracts(MAX_CONTRACTS)}
    rows = [ContractRow.of(reader, each.address, each) for each in made[:PAGE_ROWS]]
    rows += [ContractRow.of(reader, each) for each in known if not start and each not in own]
    created = [row.party.address for row in rows]
    return Page(
        "contracts.html",
        "Contracts",
        {
            "contracts": rows,
            "older": start + PAGE_ROWS if len(made) > PAGE_ROWS else None,
            "is_first": not start,
            "artifacts": node.artifacts.names()[:MAX_CONTRACTS],
            "precompiled": [*map(reader.account, node.chain.rules.precompiled_abis())],
        },
        raw=[
            ("devchain_nameContracts", [created]),
            *(("eth_getCode", [address, "latest"]) for address in created[:MAX_CODES]),
        ],
    )


def source(reader: Reader, text: str) -> Slices[Page]:
    """The sources of a contract, highlighted, and its ABI."""
    node, account = reader.node, address_of(text)
    artifact = contract_storage.compiled_artifact(node, reader.names.code_at(account), account)
    artifact = artifact or reader.names.artifact(account)  # such as a precompiled contract's
    if artifact is None and not contract_storage.implementations(node, account):
        return account_page(reader, account, "unknown.html", "Source of", _how_to(reader, account))
    shows_all = bool(reader.query.text("all"))
    sources, hidden = (yield from _sources(artifact, shows_all=shows_all)) if artifact else ([], 0)
    entries = artifact.abi.entries if artifact else ()
    others = len(artifact.sources) - len(_own(artifact)) if artifact and not shows_all else 0
    values = {
        "sources": sources,
        "hidden": hidden,
        "others": others,
        "has_artifact": artifact is not None,
        "abi": [f"{entry.kind} {entry.described}" for entry in entries[:MAX_ENTRIES]],
        "abi_size": len(entries),
    }
    raw = ("devchain_findArtifacts", [hex_of(account)])
    return account_page(reader, account, "source.html", "Source of", values, raw)


def _how_to(reader: Reader, account: Address) -> dict[str, object]:
    # What a page of a contract without artifact offers; there has to be a contract.
    if not reader.names.code_at(account):
        raise errors.NotFound("there is no contract at this address")
    return {"advice": ADD_ARTIFACTS}


def _own(artifact: Artifact) -> set[int]:
    # The sources that the contract's code is of; all if that is not known.
    maps = (artifact.creation.source_map, artifact.runtime.source_map)
    used = {number for each in maps for number in source_ids(each)} & set(artifact.sources)
    own = {number for number, each in artifact.sources.items() if each.path == artifact.source}
    return used | own if used else set(artifact.sources)


def _sources(
    artifact: Artifact, *, shows_all: bool
) -> Slices[tuple[list[tuple[str, Sequence[str], bool]], int]]:
    # Paths and lines, the contract's own file, which is marked, first; and how many are not shown.
    yield SLOW
    own = artifact.sources.keys() if shows_all else _own(artifact)
    texts = ((number, text) for number, text in texts_of(artifact).items() if number in own)
    known = [(artifact.sources[number].path, text) for number, text in texts]
    known.sort(key=lambda source: (source[0] != artifact.source, display_path(source[0])))
    shown = []
    left = MAX_SOURCES
    for path, content in known:
        left -= len(content) + LINE * content.count("\n")
        if left < 0:
            break
        yield SLOW
        deadline.check()
        lines = highlighted(content, artifact.language)
        shown.append((display_path(path), lines, path == artifact.source))
    return shown, len(known) - len(shown)


# Calling


def call(reader: Reader, text: str) -> Slices[Page]:
    """The functions of a contract as forms; of a proxy its implementation's too."""
    node, account = reader.node, address_of(text)
    known = contract_storage.contracts_at(node, account)
    functions = _functions(node, account, known)
    if not functions and not known:
        return account_page(reader, account, "unknown.html", "Call", _how_to(reader, account))
    shown, token = list(functions.values())[:MAX_ENTRIES], reader.token(account)
    chosen, _ = functions.get(reader.query.values.get("f", ""), (None, ""))
    values = {
        "reading": [function for function in shown if function[0].is_read_only],
        "writing": [function for function in shown if not function[0].is_read_only],
        "chosen": chosen,
        "answer": chosen and chosen.is_read_only and _answer(reader, account, chosen),
        "senders": senders(reader),
        "filled": reader.query.values,
        "members": partial(enum_members, node),
        "hidden": len(functions) - len(shown),
        "unit": token and token.decimals and (token.label, 10**token.decimals),
        "proxies": (yield from reader.proxies()).get(account, ()),
    }
    raw: list[RawCall] = [("devchain_findArtifacts", [hex_of(contract)]) for contract, _ in known]
    return account_page(reader, account, "call.html", "Call", values, *raw)


def _functions(
    node: Node, account: Address, known: Sequence[tuple[Address, Artifact]]
) -> dict[str, tuple[Entry, str]]:
    # By signature, with the name of the implementation to which calls are delegated: not those of
    # a proxy's own functions. Of contracts without an artifact those of standards whose selectors
    # are in the code.
    functions: dict[str, tuple[Entry, str]] = {}
    for address, artifact in known:
        name = "" if address == account else artifact.name
        for entry in artifact.abi.functions.values():
            functions.setdefault(entry.signature, (entry, name))
    unknown = {account, *contract_storage.implementations(node, account)}.difference(dict(known))
    code = b"".join(map(node.explainer.names().code_at, unknown))
    for selector, (entry, *_) in standard_entries().items():
        if entry.kind == "function" and selector in code:
            functions.setdefault(entry.signature, (entry, ""))
    return functions


def _answer(reader: Reader, account: Address, entry: Entry) -> str | SourceTrace:
    # What a call of a function returns, or why it fails.
    node = reader.node
    try:
        data = encode_call(node, entry, reader.query.values)
        output = node.call(TransactionRequest(to=account, data=data))
        values = entry.decode_output(output)
        text = hex_of(output) if values is None else reader.names.output_text(entry, values)
        return text or "nothing"
    except errors.ForkCacheMiss:
        raise  # of a fork: they are fetched, and the page is made again
    except errors.DevchainError as failure:
        trace = None
        if isinstance(failure, errors.VmError) and not node.config.hosted:
            trace = node.explainer.error_source(failure)
        return replace(trace or SourceTrace(""), reason=str(failure))


def encode_call(node: Node, entry: Entry, form: Mapping[str, str]) -> bytes:
    arguments = []
    for index, param in enumerate(entry.inputs):
        text = form.get(f"a{index}", "")
        if param.kind != "string":
            text = text.strip() or "[]" * param.kind.endswith("]")
        members = enumerate(enum_members(node, param))
        named = (f"{n}" for n, name in members if text in (name, name.rpartition(".")[2]))
        arguments.append(next(named, text))
    accounts = node.accounts.addresses()
    return entry.selector + encode_typed(
        entry.inputs, arguments, lambda text: account_text(text, accounts)
    )


def enum_members(node: Node, param: Param) -> list[str]:
    """The members of a parameter's enum, such as `Door.Closed`; empty if it is no enum."""
    kind = param.source_type
    names = (node.artifacts.enum_text(kind, number) for number in range(256))
    return list(takewhile(bool, names)) if kind.startswith("enum ") else []


def with_call_data(node: Node, form: Mapping[str, str]) -> dict[str, str]:
    """A form of a function, with the data of its call."""
    account = address_of(form.get("to", ""))
    functions = _functions(node, account, contract_storage.contracts_at(node, account))
    if (known := functions.get(form.get("f", ""))) is None:
        raise errors.NotFound("this contract has no such function")
    return {**form, "data": hex_of(encode_call(node, known[0], form))}


# Storage


def storage(reader: Reader, text: str) -> Slices[Page]:
    """The storage of a contract by variable: what the layout has, and what was written lately."""
    node, account = reader.node, address_of(text)
    wanted, problem = reader.query.text("variable", 2_000), ""
    keyed: list[TypedValue] = []
    slot, text_of = None, reader.names.address
    try:
        slot = contract_storage.raw_slot(wanted)
        if wanted and slot is None:
            keyed = contract_storage.read_variable(
                node, account, wanted, list(reader.own_accounts), text_of
            )
    except errors.InvalidInput as error:
        problem = str(error)
    only = None if slot is None else [slot]
    known = yield from contract_storage.storage_in_slices(node, account, only, address_text=text_of)
    slots = [(hex_of(slot.number.to_bytes(32)), slot) for slot in known.slots]
    notes = []
    if not known.is_complete:
        notes.append("Not all of its newest transactions could be executed once more in time.")
    if known.forked_at is not None:
        notes.append(fork_note(known.forked_at))
    values = {"slots": slots, "replayed": known.replayed, "note": " ".join(notes)}
    values |= {"keyed": keyed, "wanted": wanted, "problem": problem, "is_one": slot is not None}
    values["mappings"] = contract_storage.names_at(node, account).mappings
    raw: list[RawCall] = [
        ("eth_getStorageAt", [hex_of(account), number, "latest"]) for number, _ in slots[:40]
    ]
    return account_page(reader, account, "storage.html", "Storage of", values, *raw)


# Events and code


def events(reader: Reader, text: str = "") -> Slices[Page]:
    """The newest events of a contract, or of all: those of `topic`, those before a block."""
    chain, newest, topic = reader.chain, reader.query.number("before"), reader.query.text("topic")
    wanted = Hash32(bytes_of(topic))
    if topic and len(wanted) != WORD_SIZE:
        raise errors.InvalidInput("topic: an event's is 0x and 64 hex digits")
    account = address_of(text) if text else None
    last = chain.height if newest is None else min(newest, chain.height)
    first = max(chain.first, last - MAX_EVENT_BLOCKS + 1)
    addresses = frozenset({account} if account else ())
    topics = (frozenset({wanted}),) if topic else ()
    asked = LogQuery(addresses=addresses, topics=topics)
    logs = yield from newest_logs(chain, first, last, asked)
    older = logs[-1].block.number - 1 if len(logs) == MAX_EVENTS else first - 1
    query = {"fromBlock": hex(first), "toBlock": hex(last), "address": [*map(hex_of, addresses)]}
    values = {
        "events": [reader.log(mined) for mined in logs],
        "topic": topic and hex_of(wanted),
        "is_first": newest is None,
        "hashes": peg(reader)["hashes"] if account == BRIDGE else {},
        "first": first,
        "last": last,
        "older": older if older >= max(chain.first, 1) else None,
    }
    raw = ("eth_getLogs", [{**query, "topics": [hex_of(wanted)]} if topic else query])
    if account is None:
        return Page("events.html", "Events", {"head": None, **values}, [raw], section="contracts")
    return account_page(reader, account, "events.html", "Events of", values, raw)


def newest_logs(chain: Chain, first: int, last: int, wanted: LogQuery) -> Slices[list[MinedLog]]:
    """Logs of blocks from `first` to `last`, newest first.

    They are read from parts of the range; one with many logs is read again, half as long.
    """
    found: list[MinedLog] = []
    size = 1
    while last >= first and len(found) < MAX_EVENTS:
        yield QUICK
        start = max(last - size + 1, first)
        logs = chain.logs(replace(wanted, from_block=start, to_block=last))
        newest = deque(islice(logs, MAX_PART), MAX_EVENTS - len(found))
        if start < last and len(newest) and next(logs, None):
            size = (last - start + 1) // 2
            continue
        newest.extend(logs)
        found += reversed(newest)
        last, size = start - 1, 2 * size
    return found


def code(reader: Reader, text: str) -> Page:
    """Opcodes of a contract, from the one at the offset `from` on, or around it."""
    node, account = reader.node, address_of(text)
    content = node.chain.state_at(Tag.LATEST).code(account)
    before = INSTRUCTIONS.match(content, 0, reader.query.number("from") or 0)
    start = before.end() if before else 0
    # As much as so many instructions may take, so that another page has the rest.
    part = content[start : start + MAX_INSTRUCTIONS * MAX_INSTRUCTION]
    shown = list(islice(disassemble(part, node.chain.vm_class), MAX_INSTRUCTIONS))
    end = start + (shown[-1].offset + 1 + len(shown[-1].operand) if shown else 0)
    values = {
        "instructions": shown,
        "size": len(content),
        "start": start,
        "more": end if end < len(content) else None,
    }
    raw = ("eth_getCode", [hex_of(account), "latest"])
    return account_page(reader, account, "code.html", "Code of", values, raw)
