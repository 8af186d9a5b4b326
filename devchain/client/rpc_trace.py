"""Traces that a node is asked for: steps and calls of transactions, code and storage before them.

Everything that a node answers is checked: it may be of any kind, and hostile. Loads py-evm: import
this module only where it is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from eth_hash.auto import keccak

from devchain.client.http import Client, all_results
from devchain.client.project_names import names_on
from devchain.client.views import data_bytes, number
from devchain.contracts.artifact_formats import parse_artifacts
from devchain.contracts.artifact_registry import Registry
from devchain.contracts.artifacts import Artifact
from devchain.errors import DevchainError, InvalidInput, RpcFailure, TransactionNotFound
from devchain.evm.revert_reasons import revert_message
from devchain.networks import coin
from devchain.source.call_tree import call_tree
from devchain.source.trace import MAX_STEPS, Step, Subject, Trace, delegate_of
from devchain.tracing.frames import REVERTED, Frame, FrameFailure, FrameLog
from devchain.types import ADDRESS_SIZE, WORD_SIZE, ZERO_ADDRESS, Address, Hash32

METHOD_NOT_FOUND = -32601
ENDS = frozenset({"STOP", "RETURN", "REVERT", "INVALID", "SELFDESTRUCT", "SUICIDE"})
OLD_NAMES = {"SHA3": "KECCAK256", "SUICIDE": "SELFDESTRUCT"}
CALL_TRACER = {"tracer": "callTracer", "tracerConfig": {"withLog": True}}
MAX_DEPTH = 256  # calls nested deeper are not drawn: Python's stack is limited
Json = Mapping[str, Any]


@dataclass(slots=True)
class NodeAccounts:
    """Code and storage of accounts before the execution, as far as the node gives them."""

    client: Client
    block: object
    _known: Json = field(default_factory=dict)
    _codes: dict[Address, bytes] = field(default_factory=dict)
    _outputs: dict[tuple[Address, bytes], bytes | None] = field(default_factory=dict)

    def code(self, address: Address) -> bytes:
        if address not in self._codes:
            code = self._find_code(address)
            delegate = delegate_of(code)
            self._codes[address] = code if delegate is None else self._find_code(delegate)
        return self._codes[address]

    def _find_code(self, address: Address) -> bytes:
        if code := _data(self._account(address).get("code")):
            return code
        return self._ask("eth_getCode", f"0x{address.hex()}", self.block) or b""

    def storage(self, address: Address, slot: int) -> int | None:
        storage = self._account(address).get("storage")
        if not isinstance(storage, Mapping):
            return None
        return number(storage.get(f"0x{slot:064x}"))

    def _account(self, address: Address) -> Json:
        account = self._known.get(f"0x{address.hex()}")
        return account if isinstance(account, Mapping) else {}

    def output(self, to: Address, data: bytes) -> bytes | None:
        key = to, data
        if key not in self._outputs:
            request = {"to": f"0x{to.hex()}", "data": f"0x{data.hex()}"}
            self._outputs[key] = self._ask("eth_call", request, self.block)
        return self._outputs[key]

    def _ask(self, method: str, *params: object) -> bytes | None:
        try:
            return _data(self.client.call(method, *params))
        except RpcFailure:
            return None


def trace_transaction(client: Client, tx_hash: str, max_steps: int = MAX_STEPS) -> Trace:
    """Trace a mined transaction.

    Raises `TransactionNotFound`, `InvalidInput` if it ran no code or the node does not trace it,
    and `RpcFailure` for other errors of the node.
    """
    transaction, receipt = all_results(
        client, [("eth_getTransactionByHash", tx_hash), ("eth_getTransactionReceipt", tx_hash)]
    )
    if not isinstance(transaction, dict):
        raise TransactionNotFound(f"the node has no transaction {tx_hash}")
    if not isinstance(receipt, dict):
        raise TransactionNotFound(f"transaction {tx_hash} is not mined yet: mine it first")
    block = receipt.get("blockNumber")
    subject = Subject(
        f"transaction {tx_hash}",
        _address(transaction.get("from")) or ZERO_ADDRESS,
        _address(transaction.get("to")),
        _data(transaction.get("input", transaction.get("data"))) or b"",
        number(transaction.get("value")) or 0,
        _address(receipt.get("contractAddress")),
    )
    at = block if isinstance(block, str) else "latest"
    return _trace(client, subject, at, max_steps, "debug_traceTransaction", tx_hash)


def trace_call(
    client: Client, request: Json, block: object = "latest", max_steps: int = MAX_STEPS
) -> Trace:
    """Trace a call with a parameter of `eth_call`; raises `InvalidInput` if it runs no code."""
    subject = Subject(
        "call",
        _address(request.get("from")) or ZERO_ADDRESS,
        _address(request.get("to")),
        _data(request.get("data", request.get("input"))) or b"",
        number(request.get("value")) or 0,
    )
    return _trace(client, subject, block, max_steps, "debug_traceCall", dict(request), block)


def _trace(
    client: Client, subject: Subject, block: object, max_steps: int, method: str, *params: object
) -> Trace:
    options = {"disableMemory": True, "enableMemory": False, "disableStorage": True}
    answer = _call(client, method, *params, {**options, "limit": max_steps})
    if len(answer["structLogs"]) < max_steps and not _has_ended(answer["structLogs"]):
        # Newer versions of geth limit bytes, not steps.
        answer = _call(client, method, *params, options)
    logs = answer["structLogs"][:max_steps]
    is_cut = len(answer["structLogs"]) >= max_steps and not _has_ended(logs)
    if not logs:
        raise InvalidInput(f"{subject.title} ran no code: there is nothing to step through")
    state: object = None
    with suppress(RpcFailure):
        state = client.call(method, *params, {"tracer": "prestateTracer"})
    return Trace(
        subject,
        tuple(_steps(logs)),
        answer.get("failed", answer.get("reverted")) is True or bool(answer.get("error")),
        _data(answer.get("returnValue", answer.get("result"))) or b"",
        is_cut or len(logs) < len(answer["structLogs"]),
        NodeAccounts(client, block, state if isinstance(state, dict) else {}),
    )


def _call(client: Client, method: str, *params: object) -> Json:
    try:
        answer = client.call(method, *params)
    except RpcFailure as failure:
        if failure.code != METHOD_NOT_FOUND:
            raise
        raise InvalidInput(
            f"this node does not offer {method}, which the debugger needs: switch its debug "
            "methods on, or give another node with --url"
        ) from None
    if not isinstance(answer, dict) or not isinstance(answer.get("structLogs"), list):
        raise InvalidInput(f"the node's answer to {method} has no structLogs")
    return answer


def _has_ended(logs: Sequence[Any]) -> bool:
    last = logs[-1] if logs else None
    return not isinstance(last, dict) or bool(last.get("error")) or last.get("op") in ENDS


def _steps(logs: Sequence[Any]) -> Iterator[Step]:
    words: dict[str, int] = {}
    lift: int | None = None
    for index, log in enumerate(logs):
        if not isinstance(log, dict) or not isinstance(log.get("stack"), list):
            raise InvalidInput(f"step {index} of the node's trace has no stack")
        pc, gas, depth = (number(log.get(name)) for name in ("pc", "gas", "depth"))
        if pc is None or gas is None or depth is None:
            raise InvalidInput(f"step {index} of the node's trace has no pc, gas or depth")
        lift = 1 - depth if lift is None else lift
        error, name = log.get("error"), log.get("op")
        yield Step(
            OLD_NAMES.get(name, name) if isinstance(name, str) and name else "UNKNOWN",
            pc,
            gas,
            number(log.get("gasCost")) or 0,
            depth + lift,
            tuple(_word(word, words) for word in log["stack"]),
            error if isinstance(error, str) else "",
        )


def _word(text: object, known: dict[str, int]) -> int:
    word = text if isinstance(text, str) else ""
    if word not in known:
        value = number(word if word.startswith("0x") else f"0x{word}")
        if value is None or not 0 <= value < 2**256:
            raise InvalidInput("the stack in the node's trace has something else than words")
        known[word] = value
    return known[word]


def _data(value: object) -> bytes | None:
    if not isinstance(value, str):
        return None
    try:
        return bytes.fromhex(value.removeprefix("0x"))
    except ValueError:
        return None


def _address(value: object) -> Address | None:
    data = _data(value)
    return Address(data) if data is not None and len(data) == ADDRESS_SIZE else None


# Calls, by geth's `callTracer`, which anvil, geth, erigon, reth and newer versions of rskj have


def explain_traced(node: Client, tx_hash: str) -> dict[str, Any]:
    """The members `callTree` and `failure` of `devchain_explainTransaction`.

    Empty if the node returns something else than calls; raises `RpcFailure` if it does not trace.
    """
    traced = node.call("debug_traceTransaction", tx_hash, CALL_TRACER)
    if not isinstance(traced, dict) or "type" not in traced:
        return {}  # the steps of a node that knows no tracers
    chain_id = number(node.call("eth_chainId")) or 0
    try:
        top = _frame(traced)
    except (InvalidInput, TypeError, ValueError, OverflowError):
        return {}
    names = names_on(node)
    failure = None
    if top.failure:
        failure = revert_message(top.output, names.registry) if top.reverted else top.failure.geth
    tree = call_tree(top, names, coin(chain_id))
    return {"failure": failure, "callTree": tree.splitlines()}


def _frame(call: object, depth: int = 0) -> Frame:
    if not isinstance(call, dict) or depth > MAX_DEPTH:
        raise InvalidInput("the node returned no calls, or calls nested too deep")
    error = call.get("error")
    failure = None
    if error:
        is_revert = "revert" in str(error).lower()
        failure = REVERTED if is_revert else FrameFailure(str(error))
    return Frame(
        kind=str(call.get("type") or "CALL").upper(),
        sender=_address_or_zero(call.get("from")),
        to=_address_or_zero(call.get("to")),
        gas=number(call.get("gas")) or 0,
        input=data_bytes(call.get("input") or "0x"),
        value=number(call.get("value")),
        gas_used=number(call.get("gasUsed")) or 0,
        output=data_bytes(call.get("output") or "0x"),
        failure=failure,
        calls=[_frame(inner, depth + 1) for inner in call.get("calls") or ()],
        logs=[_log(log) for log in call.get("logs") or ()],
    )


def _log(log: object) -> FrameLog:
    if not isinstance(log, dict):
        raise InvalidInput("the node returned something that is no log")
    topics = [number(topic) or 0 for topic in log.get("topics") or ()]
    return FrameLog(
        address=_address_or_zero(log.get("address")),
        topics=tuple(Hash32(topic.to_bytes(WORD_SIZE)) for topic in topics),
        data=data_bytes(log.get("data") or "0x"),
        index=number(log.get("index")) or 0,
        position=number(log.get("position")) or 0,
    )


def _address_or_zero(text: object) -> Address:
    raw = data_bytes(text or "0x")
    return Address(raw) if len(raw) == ADDRESS_SIZE else ZERO_ADDRESS


# Contracts


class NodeContracts(Registry):
    """Artifacts that were loaded here, and of code that none of them is of, those of a node.

    A node that is not devchain is asked once; a devchain node once for each code and contract.
    """

    def __init__(self, client: Client) -> None:
        super().__init__()
        self._client = client
        self._is_devchain = True
        self._asked: set[bytes] = set()

    def matching(self, code: bytes, *, creating: bool) -> tuple[Artifact, ...]:
        """As of every registry."""
        found = super().matching(code, creating=creating)
        if not found and self._ask_for(code):
            found = super().matching(code, creating=creating)
        return found

    def _ask_for(self, contract: bytes) -> bool:
        key = keccak(contract)
        if not contract or not self._is_devchain or key in self._asked:
            return False
        self._asked.add(key)
        try:
            written = self._client.call("devchain_getBuildInfo", f"0x{contract.hex()}")
            self.add_sent(parse_artifacts(written))
        except RpcFailure as failure:
            self._is_devchain = failure.code != METHOD_NOT_FOUND
        except DevchainError:  # more than a registry takes
            self._is_devchain = False
        else:
            return bool(written)
        return False
