"""`devchain_` methods: contracts by name, and explanations of transactions that use the names."""

from __future__ import annotations

from devchain.chain.block import Log
from devchain.contracts.artifact_formats import parse_artifacts
from devchain.errors import InvalidInput
from devchain.node import Node
from devchain.rpc.method import rpc
from devchain.rpc.result_objects import JsonObject
from devchain.rpc.scalar_decoders import JsonMap
from devchain.tracing.call_tree import console_lines
from devchain.types import Address, Hash32, Tag, TransactionRequest


@rpc("devchain_addArtifacts", slow=True)
def add_artifacts(node: Node, written: JsonMap, address: Address | None = None) -> list[str]:
    """Add contracts from the output of a compiler; their names.

    Takes the content of an artifact or build-info file of Hardhat, Foundry, Truffle, Brownie or
    ape, the standard or combined JSON output of solc or vyper, or any object with an `abi`.
    Contracts are recognized by their code; with an address, the contract there gets the name even
    if its code does not match. The names are used in errors, the activity log and call trees. Error
    -32602 if the object has no contracts.
    """
    artifacts = list(parse_artifacts(written))
    if not artifacts:
        raise InvalidInput("no contracts found: want the output of a compiler, with an abi")
    if address is not None and len(artifacts) > 1:
        raise InvalidInput(
            f"{len(artifacts)} contracts cannot all be at one address: give one artifact"
        )
    node.artifacts.add_sent(artifacts)
    if address is not None:
        code = node.chain.state_at(Tag.LATEST).code(address)
        node.artifacts.add_deployed(artifacts[0], address, code)
    return [each.name for each in artifacts]


@rpc("devchain_explainTransaction", slow=True)
def explain_transaction(node: Node, transaction_hash: Hash32) -> JsonObject | None:
    """What a mined transaction did, as text, with names of contracts that have artifacts.

    `called` is the contract, function and arguments, `events` the first 20 events, `failure` the
    reason it failed or null, `callTree` the calls, events and reverts as lines of text, `console`
    the lines printed with `console.log`. Null if no transaction of that hash is mined.
    """
    mined = node.chain.receipt(transaction_hash)
    top = node.explainer.transaction_frames(transaction_hash)
    if mined is None or top is None:
        return None
    return {
        "called": node.explainer.call_title(*mined) or None,
        "events": node.explainer.event_titles(*mined),
        "failure": node.explainer.failure_text(mined[1]),
        "callTree": node.explainer.draw_tree(top).splitlines(),
        "console": console_lines(top),
    }


@rpc("devchain_nameContracts", slow=True)
def name_contracts(node: Node, addresses: list[Address]) -> list[str | None]:
    """The names of the contracts at some addresses by their artifacts, null where not known."""
    names = node.explainer.names()
    return [names.contract(each) for each in addresses]


@rpc("devchain_describeCalls", slow=True)
def describe_calls(node: Node, calls: list[TransactionRequest]) -> list[str | None]:
    """Contract, function and arguments of some calls as text, null where not known.

    Of each call object only `to` and its data are read; without `to` it creates a contract. A
    function that only artifacts of other contracts have is written without a contract.
    """
    names = node.explainer.names()
    return [node.explainer.describe_call(names, each.to, each.data) or None for each in calls]


@rpc("devchain_describeLogs", slow=True)
def describe_logs(node: Node, logs: list[Log]) -> list[str | None]:
    """Event and arguments of some logs as text, null where not known.

    Of each log object `address`, `topics` and `data` are read, as `eth_getLogs` returns them.
    """
    names = node.explainer.names()
    return [names.event(each.address, each.topics, each.data) for each in logs]


@rpc("hardhat_addCompilationResult", slow=True)
def add_compilation_result(
    node: Node, compiler: str, compiler_input: JsonMap, compiler_output: JsonMap
) -> bool:
    """Add the contracts of a compilation; true if it has any.

    Takes the compiler's version, its standard JSON input and its output, as Hardhat's plugins send
    them.
    """
    artifacts = list(parse_artifacts({"input": compiler_input, "output": compiler_output}))
    node.artifacts.add_sent(artifacts)
    return bool(artifacts)
