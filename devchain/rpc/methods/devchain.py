"""`devchain_` methods: contracts by name, and explanations of transactions that use the names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
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
    WORD_SIZE,
    Address,
    BlockOverride,
    Hash32,
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
ADDRESS_SIZE = 20
MAX_SLOTS = 1_000


@rpc("devchain_addArtifacts", slow=True)
def add_artifacts(node: Node, written: JsonMap, address: Address | None = None) -> list[str]:
    """Add contracts from the output of a compiler; their names.

    Takes the content of an artifact or build-info file of Hardhat, Foundry, Truffle, Brownie or
    ape, the standard or combined JSON output of solc or vyper, or any object with an `abi`.
    Contracts are recognized by their code; with an address, the contract there gets the name even
    if its code does not match. The names are used in errors, the activity log and call trees, and
    source maps and sources, where the object has both, for places in the source. Error -32602 if
    the object has no contracts.
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
    """The artifacts of the contracts of a name, or of a full name like `src/Vault.sol:Vault`.

    An address in its place, 0x and 40 hex digits, gives the artifact of the contract there. They
    are of `--artifacts`, where what has been compiled meanwhile is read again, and of
    `devchain_addArtifacts`. Each has `contractName`, `sourceName`, `abi`, `bytecode`,
    `deployedBytecode`, and `isLinked`, false if addresses of libraries are still to be put into the
    bytecode, at `linkReferences` and `deployedLinkReferences`.
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
    """The compilation of one contract: sources, source maps and storage layout.

    `contract` is its address, 20 bytes, or code: that of a contract, or init code with its
    arguments. The result has the form of Hardhat's build-info, the standard JSON given to the
    compiler as `input` and what it wrote as `output`, of this contract and the sources that its
    code is from; numbers are JSON numbers. `devchain_addArtifacts` of another node takes it. What
    no artifact has is empty; null if no artifact of the code is known. Error -32012 if it is larger
    than `--max-response`.
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
    """What a mined transaction did, as text, with names of contracts that have artifacts.

    `called` is the contract, function and arguments, `events` the first 20 events, `failure` the
    reason it failed or null, `callTree` the calls, events and reverts as lines of text, `console`
    the lines printed with `console.log`, `consolePlaces` where in the source each was, or null.
    Null if no transaction of that hash is mined.

    `sourceTrace` is null if it succeeded. Otherwise it has the `reason` of the call in which the
    failure arose, a `hint` where that says too little, and in `frames` the functions that were
    running, the outermost first: `contract`, `function` and its `kind`, `arguments` as text, `path`
    and range (`line`, `column`, `endLine`, `endColumn`, from 1, the end exclusive), `confidence`
    (`exact`, `near` where the compiler's source map has only a place nearby, or `unknown` without
    a place), `note` for code that the compiler made, and `values`, each with `name` and `value`:
    variables at the place, those in storage that the statement has read first. What is not known is
    null: places need artifacts with sources and source maps. `text` has all of it as lines for
    people, with the line of source.
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
    """What a call does, as text, with names of contracts that have artifacts.

    Takes the parameters of `eth_call`, and answers what that would do: why it fails and where in
    the source. The result is that of `devchain_explainTransaction`, without `events`, which are in
    the call tree. A call that could not begin (too little gas, too little balance) has an empty
    call tree.
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
        top = node.call_frames(request, block, overrides, block_overrides)
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
        "console": [line.text for line in printed],
        "consolePlaces": [line.place or None for line in printed],
        "sourceTrace": source_trace_object(trace) if trace is not None else None,
    }


@rpc("devchain_profileTransaction", slow=True)
def profile_transaction(node: Node, transaction_hash: Hash32) -> JsonObject | None:
    """Where a mined transaction used its gas, by functions, source lines and storage.

    `functions` have `name`, `calls` (0 for inlined ones), `gas` of their own, `total` with what
    they called. `lines` have `path`, `line` and `text`, or the `function` for gas without a line,
    a `note`, `gas`, and of that `generated`, the part that code of the compiler used. `storage` has
    `contract`, `variable`, `reads`, `writes`, `gas`, and of that `coldGas`, the price of first
    accesses (EIP-2929). `stacks` have the `functions` of a call stack, the `gas` at its end and its
    `calls`. Lists begin with the most gas; those of lines and of stacks sum up to `gasUsed` +
    `refunds`. Names in parentheses, such as `(intrinsic gas)`, are no functions.

    The transaction is executed once more. Null if no transaction of that hash is mined.
    """
    from devchain.rpc.trace_objects import gas_profile_object

    node.artifacts.refresh()
    profile = node.explainer.gas_profile(transaction_hash)
    return gas_profile_object(profile) if profile else None


@rpc("devchain_describeStorage", slow=True)
def describe_storage(
    node: Node, address: Address, slots: list[int] | None = None, block: StateRef = Tag.LATEST
) -> Slices[list[JsonObject]]:
    """Storage slots of a contract, with the variables in them by name, type and value.

    Each has its number as `slot`, its `word`, and `variables` with `name`, `type` (empty if not
    known) and `value` as text; none if the contract's artifact has no storage layout. A proxy has
    the variables of its implementation, too, which ERC-1967, ERC-1822, ERC-1167 or EIP-7702 names;
    else of what ran by delegation in the transactions below. Without `slots`, of which there may be
    1,000, these are the layout's variables with the first elements of arrays, and what the newest
    10 transactions of the contract wrote: at most 300. Keys of mappings are known as far as these
    transactions used them; they are executed once more. Error -32602 for too many slots.
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
    """The names of the contracts at some addresses by their artifacts, null where not known."""
    names = _names(node, addresses)
    return [names.contract(address) for address in addresses]


def _names(node: Node, addresses: Iterable[Address]) -> Names:
    node.artifacts.refresh()
    node.explainer.need_codes(addresses)
    return node.explainer.names()


@rpc("devchain_describeCalls", slow=True)
def describe_calls(node: Node, calls: list[TransactionRequest]) -> list[str | None]:
    """Contract, function and arguments of some calls as text, null where not known.

    Only `to` and the data of each call object are read; without `to` it creates a contract. A
    function that only artifacts of other contracts have is written without a contract.
    """
    names = _names(node, (call.to for call in calls if call.to))
    return [names.known_call(call.to, call.data) or None for call in calls]


@rpc("devchain_describeLogs", slow=True)
def describe_logs(node: Node, logs: list[Log]) -> list[str | None]:
    """Event and arguments of some logs as text, null where not known.

    Only `address`, `topics` and `data` of each log are read, as `eth_getLogs` returns them.
    """
    names = _names(node, (log.address for log in logs))
    return [names.event(log.address, log.topics, log.data) for log in logs]


@rpc("devchain_getTime")
def get_time(node: Node) -> int:
    """The chain's time in seconds since 1970, as a block mined now would have at least.

    It is the wall clock's plus what methods have added, or the time of `--fixed-clock`, and never
    before the newest block.
    """
    return node.clock.now()


@rpc("devchain_getFork")
def get_fork(node: Node) -> JsonObject | None:
    """Where the chain was forked, and what was read of the upstream so far; null if it is no fork.

    `url` has no path and no key; it is null offline. `newestBlock` is the upstream's when the fork
    began, null if it was not asked. Counts and numbers are JSON numbers.
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
    """Add the contracts of a compilation; true if it has any.

    Takes the compiler's version, its standard JSON input and its output, as Hardhat's plugins send
    them.
    """
    from devchain.contracts.artifact_formats import parse_artifacts

    written = {"input": compiler_input, "output": compiler_output}
    artifacts = list(parse_artifacts(written))
    node.artifacts.add_sent(artifacts)
    return bool(artifacts)
