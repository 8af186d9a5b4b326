"""`devchain_` methods: contracts by name, and transactions explained with them."""

from __future__ import annotations

from devchain.contracts.artifacts import parse_artifacts
from devchain.errors import InvalidInput
from devchain.node import Node
from devchain.rpc.decoders import JsonMap
from devchain.rpc.method import rpc
from devchain.rpc.objects import JsonObject
from devchain.tracing.call_tree import console_lines
from devchain.types import Address, Hash32, Tag


@rpc("devchain_addArtifacts")
def add_artifacts(node: Node, written: JsonMap, address: Address | None = None) -> list[str]:
    """Know contracts by name from now on, of what a compiler wrote; the names.

    Takes the content of an artifact or build-info file of Hardhat or Foundry, of solc's or vyper's
    standard JSON output, or any object with an `abi`. With an address what is there goes by that
    name even if its code says nothing. Names appear in errors, the activity log and call trees.
    Error -32602 if there is no contract in it.
    """
    found = list(parse_artifacts(written))
    if not found:
        msg = "no contract in it: want what a compiler wrote, with an abi"
        raise InvalidInput(msg)
    if address is not None and len(found) > 1:
        msg = f"{len(found)} contracts cannot all be at one address: give one artifact"
        raise InvalidInput(msg)
    for each in found:
        node.artifacts.add(each)
        if address is not None:
            code = node.chain.state_at(Tag.LATEST).code(address)
            node.artifacts.add_deployed(each, address, code)
    return [each.name for each in found]


@rpc("devchain_explainTransaction")
def explain_transaction(node: Node, transaction_hash: Hash32) -> JsonObject | None:
    """What a mined transaction did, for people: names where artifacts tell them.

    `called` is contract, function and arguments, `failure` why it failed or null, `callTree` its
    calls, events and reverts as lines of text, `console` what it printed with `console.log`. Null
    if no transaction of that hash is mined.
    """
    mined, top = (
        node.chain.receipt(transaction_hash),
        node.explainer.transaction_frames(transaction_hash),
    )
    if mined is None or top is None:
        return None
    return {
        "called": node.explainer.call_title(*mined) or None,
        "failure": node.explainer.failure_text(mined[1]),
        "callTree": node.explainer.draw_tree(top).splitlines(),
        "console": console_lines(top),
    }


@rpc("hardhat_addCompilationResult")
def add_compilation_result(
    node: Node, compiler: str, compiler_input: JsonMap, compiler_output: JsonMap
) -> bool:
    """Know the contracts of a compilation by name; true if there are any in it.

    Takes the compiler's version, its standard JSON input and its output, as Hardhat's plugins do.
    """
    found = list(parse_artifacts({"input": compiler_input, "output": compiler_output}))
    for each in found:
        node.artifacts.add(each)
    return bool(found)
