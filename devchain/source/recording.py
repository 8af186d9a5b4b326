"""Recording a transaction of a chain to step through it, within bounds of steps and memory.

The transaction is executed once more, and no further than its steps are kept: however long it is,
that takes about half a second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from devchain.chain.chain import Chain
from devchain.errors import InvalidInput
from devchain.source.trace import Step, Subject, Trace, delegate_of
from devchain.tracing.options import MUX, Budget, TraceOptions
from devchain.tracing.replay import trace_transaction
from devchain.tracing.tracers import AccountState
from devchain.tracing.tracers import Step as StructStep
from devchain.types import Address, Hash32

CodeAt = Callable[[Address], bytes]

MAX_RECORDED = 50_000  # opcodes that are recorded: others wait for half a second meanwhile

MAX_WORDS = 2_500_000
"""Words of the stacks of an execution, with 8 for each step: twice those of 50,000 usual steps,
since recursions have deep stacks."""

MAX_COPIED = 2**24  # bytes that are copied to memory and calls in all: they are kept

OPTIONS = TraceOptions(
    MUX,
    parts=(
        TraceOptions(disable_storage=True, limit=MAX_RECORDED, stops=True),
        TraceOptions("prestateTracer"),
    ),
    stops=True,
)


@dataclass(frozen=True, slots=True)
class RecordedAccounts:
    """Code and storage of accounts before a transaction, from a replay of it.

    `created` are the codes of contracts that it created, `outputs` what precompiled contracts
    returned. `code_at` is asked for the code of accounts that it did not touch, for their names.
    """

    before: Mapping[Address, AccountState]
    created: Mapping[Address, bytes]
    outputs: Mapping[tuple[Address, bytes], bytes]
    code_at: CodeAt

    def code(self, address: Address) -> bytes:
        code = self._own_code(address)
        delegate = delegate_of(code)
        return code if delegate is None else self._own_code(delegate)

    def _own_code(self, address: Address) -> bytes:
        if address in self.created:
            return self.created[address]
        known = self.before.get(address)
        return self.code_at(address) if known is None else known.code or b""

    def storage(self, address: Address, slot: int) -> int | None:
        known = self.before.get(address)
        return known.storage.get(slot) if known else None

    def output(self, to: Address, data: bytes) -> bytes | None:
        return self.outputs.get((to, data))


def record_transaction(
    chain: Chain,
    tx_hash: Hash32,
    code_at: CodeAt,
    options: TraceOptions = OPTIONS,
    max_words: int = MAX_WORDS,
) -> Trace | None:
    """The steps of a mined transaction; None if there is none of that hash.

    `code_at` gives the code of accounts that it did not touch. Raises `InvalidInput` if it ran no
    code.
    """
    found = trace_transaction(chain, tx_hash, options, Budget(max_words))
    if found is None or found.mined is None:
        return None
    log, accounts = found.parts[0].steps, found.parts[1].accounts
    _, receipt = found.mined
    tx = receipt.transaction
    title = f"transaction 0x{tx_hash.hex()}"
    if log is None or not log.steps:
        raise InvalidInput(f"{title} ran no code: there is nothing to step through")
    subject = Subject(title, tx.sender, tx.to, tx.data, tx.value, receipt.contract_address)
    frames = list(found.top.walk())
    return Trace(
        subject,
        tuple(_steps(log.steps)),
        not receipt.succeeded,
        b"" if found.is_cut else found.top.output,
        found.is_cut,
        RecordedAccounts(
            accounts if isinstance(accounts, dict) else {},
            {frame.to: frame.output for frame in frames if frame.is_creation and not frame.failure},
            {
                (frame.to, frame.input): frame.output
                for frame in frames
                if frame.precompiled and not frame.failure
            },
            code_at,
        ),
    )


def _steps(logged: list[StructStep]) -> Iterator[Step]:
    words: dict[int, int] = {}
    for each in logged:
        stack = tuple(words.setdefault(word, word) for word in each.stack or ())
        yield Step(each.op, each.pc, each.gas, each.cost, each.depth, stack, each.error or "")
