"""`devchain_` methods: contracts by name, and explanations of transactions that use the names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

from devchain.chain.block import Log
from devchain.chain.slices import Slices
from devchain.errors import InvalidInput, TransferUnaffordable, VmError
from devchain.node import Node
from devchain.rpc.json_codec import Encoded, Number
from devchain.rpc.method import rpc
from devchain.rpc.result_objects import JsonObject
from devchain.rpc.scalar_decoders import JsonMap
from devchain.types import (
    ADDRESS_SIZE,
    WORD_SIZE,
    Address,
    BlockOverride,
    Hash32,
    LogQuery,
    StateOverrides,
    StateRef,
    Tag,
    TransactionRequest,
)

if TYPE_CHECKING:
    # Few runs explain anything: what does is imported by the functions that need it.
    from devchain.contracts.names import Names
    from devchain.tracing.frames import Frame

ADDRESS = re.compile("0x[0-9a-fA-F]{40}")
MAX_SLOTS = 1_000


@rpc("devchain_addArtifacts", slow=True)
def add_artifacts(node: Node, written: JsonMap, address: Address | None = None) -> list[str]:
    """Add contracts from the output of a compiler, and return their names.

    Takes an artifact or build-info file of Hardhat, Foundry, Truffle, Brownie or ape, standard or
    combined JSON output of solc or vyper, or any object with an `abi`. Contracts are recognized by
    their code. With `address`, the contract there gets the name in any case. Error -32602: the
    object has no contracts.
    """
    from devchain.contracts.artifact_formats import parse_artifacts

    artifacts = list(parse_artifacts(written))
    if not artifacts:
        raise InvalidInput("no contracts found: want the output of a compiler, with an abi")
    if address is not None and len(artifacts) > 1:
        raise InvalidInput(
            f"{len(artifacts)} contracts cannot all be at one address: give one artifact"
        )
    artifacts = node.artifacts.add_sent(artifacts)
    if address is not None:
        code = node.chain.state_at(Tag.LATEST).code(address)
        node.artifacts.add_deployed(artifacts[0], address, code)
    return [artifact.name for artifact in artifacts]


@rpc("devchain_findArtifacts", slow=True)
def find_artifacts(node: Node, name: str) -> list[JsonObject]:
    """The artifacts of the contracts with a name such as `Vault` or `src/Vault.sol:Vault`.

    An address instead of the name gives the artifact of the contract there. `isLinked` is false if
    the bytecode lacks addresses of libraries, at `linkReferences` and `deployedLinkReferences`.
    """
    node.artifacts.refresh()
    if ADDRESS.fullmatch(name):
        at_address = node.explainer.names().artifact(Address(bytes.fromhex(name[2:])))
        artifacts = [at_address] if at_address else []
    else:
        artifacts = node.artifacts.find_by_name(name)
    return [
        Encoded({**artifact.to_json(), "isLinked": artifact.creation.is_linked})
        for artifact in artifacts
    ]


@rpc("devchain_getBuildInfo", slow=True)
def get_build_info(node: Node, contract: bytes, block: StateRef = Tag.LATEST) -> JsonObject | None:
    """The compilation of one contract: sources, source maps and storage layout. Null if unknown.

    `contract` is an address, a contract's code, or init code with its arguments. The result has the
    form of Hardhat's build-info, which `devchain_addArtifacts` of another node takes. Error -32012:
    it is larger than `--max-response`.
    """
    from devchain.contracts.artifact_formats import build_info

    node.artifacts.refresh()
    address, code = None, contract
    if len(contract) == ADDRESS_SIZE:
        address = Address(contract)
        code = node.chain.state_at(block).code(address)
    compiled = node.artifacts.compiled(code, address, creating=False) if code else None
    if compiled is None and address is None:
        compiled = node.artifacts.compiled(code, creating=True)
    return Encoded(build_info(compiled)) if compiled else None


@rpc("devchain_explainTransaction", slow=True)
def explain_transaction(node: Node, transaction_hash: Hash32) -> JsonObject | None:
    """What a mined transaction did, as text with names of contracts. Null if it is not mined.

    - `called`: contract, function and arguments
    - `events`: the first 20 events
    - `failure`: the reason, or null
    - `callTree`: calls and events as lines
    - `console`: the lines of `console.log`, with their places in `consolePlaces`
    - `sourceTrace`: where it failed, or null

    A source trace has `reason` and `hint`, and all as lines in `text`. Its `frames` are the
    functions that were running, the outermost first: `contract`, `function`, `kind`, `arguments`,
    `path`, `line`, `column`, `endLine`, `endColumn`, `note`, and `values` of variables.
    `confidence` is `exact`, `near` or `unknown`. What is not known is null: places need artifacts
    with sources and source maps.
    """
    node.artifacts.refresh()
    mined = node.chain.receipt(transaction_hash)
    top = node.explainer.transaction_frames(transaction_hash)
    if mined is None or top is None:
        return None
    node.explainer.need_codes_of(top, (mined[0].number, Tag.LATEST))
    return {
        "called": node.explainer.call_title(*mined) or None,
        "events": node.explainer.event_titles(*mined),
        "failure": node.explainer.failure_text(mined[1], top),
        **_execution(node, top),
    }


@rpc("devchain_explainCall", slow=True)
def explain_call(
    node: Node,
    request: TransactionRequest,
    block: StateRef = Tag.LATEST,
    overrides: StateOverrides | None = None,
    block_overrides: BlockOverride | None = None,
) -> JsonObject:
    """What a call does, as text with names of contracts: why it fails, and where in the source.

    The result is that of `devchain_explainTransaction` without `events`. The call tree is empty if
    the call could not begin.
    """
    node.artifacts.refresh()
    failure = None
    # As `eth_call` first, for its very error and console output; then once more with a recorder.
    try:
        node.call(request, block, overrides, block_overrides)
    except (VmError, TransferUnaffordable) as error:
        failure = str(error)
    members: JsonObject = {"callTree": [], "console": [], "consolePlaces": [], "sourceTrace": None}
    with suppress(VmError, TransferUnaffordable):
        context, limited = node.call_context(request, block, block_overrides)
        top = node.explainer.call_frames(limited, context, overrides)
        node.explainer.need_codes_of(top)
        members = _execution(node, top)
    called = node.explainer.names().known_call(request.to, request.data)
    return {"called": called or None, "failure": failure, **members}


def _execution(node: Node, top: Frame) -> JsonObject:
    from devchain.rpc.trace_objects import source_trace_object
    from devchain.source.call_tree import console_lines

    trace = node.explainer.source_trace(top) if top.failure else None
    printed = console_lines(top)
    return {
        "callTree": node.explainer.draw_tree(top).splitlines(),
        "console": [text for text, _ in printed],
        "consolePlaces": [place or None for _, place in printed],
        "sourceTrace": source_trace_object(trace) if trace is not None else None,
    }


@rpc("devchain_profileTransaction", slow=True)
def profile_transaction(node: Node, transaction_hash: Hash32) -> JsonObject | None:
    """Where a mined transaction used its gas. Null if it is not mined.

    - `functions`: `name`, `calls`, `gas` of their own, `total` with what they called
    - `lines`: `path`, `line`, `text`, `gas`, and `generated`, the part in code made by the compiler
    - `storage`: `contract`, `variable`, `reads`, `writes`, `gas`, `coldGas` for first accesses
    - `stacks`: the `functions` of a call stack, the `gas` at its end, `calls`

    Lists begin with the most gas. The lists of lines and of stacks sum up to `gasUsed` + `refunds`.
    Names in parentheses, such as `(intrinsic gas)`, are no functions.
    """
    from devchain.rpc.trace_objects import gas_profile_object

    node.artifacts.refresh()
    profile = node.explainer.gas_profile(transaction_hash)
    return gas_profile_object(profile) if profile else None


@rpc("devchain_compareHardforks", slow=True)
def compare_hardforks(
    node: Node, target: bytes, hardfork: str, count: int = 100, since: int | None = None
) -> Slices[JsonObject]:
    """What another hardfork changes in the newest transactions that touched an account, or in one.

    `target` is an address or a transaction hash. At most 1,000 are executed again. By function
    there are JSON numbers: `calls`, those that have `changed`, `otherStatus`, `otherResult`, `gas`
    and `newGas`; beside them `reason`, `place`, and `transaction`, the newest that has changed.

    On a fork `since` adds those from that block on that left logs of the account upstream.
    """
    if count > MAX_SLOTS:
        raise InvalidInput(f"argument count: want at most {MAX_SLOTS:,}, got {count:,}")
    node.artifacts.refresh()
    if len(target) == ADDRESS_SIZE:
        page = yield from node.address_history.page_in_slices(Address(target), count=count)
        mined = [(found.block, found.receipt) for found in page.appearances]
        if node.fork and since is not None:
            query = LogQuery(since, node.chain.first, addresses=frozenset({Address(target)}))
            logs = yield from node.search.logs_in_slices(query)
            hashes = dict.fromkeys(log.transaction_hash for log in reversed(list(logs)))
            earlier = map(node.chain.receipt, islice(hashes, max(0, count - len(mined))))
            mined += filter(None, earlier)
    elif known := node.chain.receipt(Hash32(target)):
        mined = [known]
    else:
        raise InvalidInput("argument target: want an address, or the hash of a mined transaction")
    own = node.config.hardfork
    rows = yield from node.explainer.compare_hardforks(own, hardfork, mined)
    return {
        name: {key: Number(it) if isinstance(it, int) else it for key, it in row.items()}
        for name, row in rows.items()
    }


@rpc("devchain_describeStorage", slow=True)
def describe_storage(
    node: Node, address: Address, slots: list[int] | None = None, block: StateRef = Tag.LATEST
) -> Slices[list[JsonObject]]:
    """The storage of a contract by slots, with the variables in each.

    Each slot has `slot`, `word` and `variables` with name, type and value. Without `slots` (at most
    1,000) it lists the variables of the layout with the first elements of arrays, and what the
    newest 10 transactions wrote: at most 300 slots. Keys of mappings are known only from these
    transactions. A proxy has the variables of its implementation too. Error -32602: too many slots.
    """
    from devchain.node.contract_storage import storage_in_slices

    if slots is not None and len(slots) > MAX_SLOTS:
        raise InvalidInput(f"argument slots: want at most {MAX_SLOTS:,} slots, got {len(slots):,}")
    node.artifacts.refresh()
    names = node.explainer.names()
    storage = yield from storage_in_slices(node, address, slots, block, names.address)
    return [
        {
            "slot": Hash32(slot.number.to_bytes(WORD_SIZE)),
            "word": Hash32(slot.word.to_bytes(WORD_SIZE)),
            "variables": [known._asdict() for known in slot.variables],
        }
        for slot in storage.slots
    ]


@rpc("devchain_nameContracts", slow=True)
def name_contracts(node: Node, addresses: list[Address]) -> list[str | None]:
    """The names of the contracts at some addresses. Null where unknown."""
    names = _names(node, addresses)
    return [names.contract(address) for address in addresses]


def _names(node: Node, addresses: Iterable[Address]) -> Names:
    node.artifacts.refresh()
    node.explainer.need_codes(addresses)
    return node.explainer.names()


@rpc("devchain_describeCalls", slow=True)
def describe_calls(node: Node, calls: list[TransactionRequest]) -> list[str | None]:
    """Contract, function and arguments of some calls as text. Null where unknown.

    Only `to` and data are read. Without `to` the call creates a contract.
    """
    names = _names(node, (call.to for call in calls if call.to))
    return [names.known_call(call.to, call.data) or None for call in calls]


@rpc("devchain_describeLogs", slow=True)
def describe_logs(node: Node, logs: list[Log]) -> list[str | None]:
    """Event and arguments of some logs as text. Null where unknown.

    Only `address`, `topics` and `data` are read.
    """
    names = _names(node, (log.address for log in logs))
    return [names.event(log.address, log.topics, log.data) for log in logs]


@rpc("devchain_getTime")
def get_time(node: Node) -> int:
    """The chain's time in seconds since 1970: the earliest timestamp of a block mined now."""
    return node.clock.now()


@rpc("devchain_getFork")
def get_fork(node: Node) -> JsonObject | None:
    """Where the chain was forked, and what was read of the upstream node. Null if it is no fork.

    `url` has no path and no key, and is null offline. Counts and numbers are JSON numbers.
    """
    if node.fork is None:
        return None
    status = node.fork.status()
    return {
        "url": status.address,
        "chainId": Number(status.block.chain_id),
        "blockNumber": Number(status.block.number),
        "blockHash": status.block.hash,
        "newestBlock": None if status.newest is None else Number(status.newest),
        "hardfork": node.config.hardfork,
        "cacheFile": status.cache,
        "cacheHits": Number(status.hits),
        "upstreamRequests": Number(status.requests),
        "upstreamRoundTrips": Number(status.round_trips),
    }


@rpc("hardhat_addCompilationResult", slow=True)
def add_compilation_result(
    node: Node, compiler: str, compiler_input: JsonMap, compiler_output: JsonMap
) -> bool:
    """Add the contracts of a compilation, as Hardhat's plugins send it. False if it has none.

    `compiler` is the version, the others the standard JSON input and output.
    """
    from devchain.contracts.artifact_formats import parse_artifacts

    written = {"input": compiler_input, "output": compiler_output}
    artifacts = list(parse_artifacts(written))
    node.artifacts.add_sent(artifacts)
    return bool(artifacts)
