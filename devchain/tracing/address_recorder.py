"""Recording which accounts the messages inside a block's transactions involve, by a replay.

Unlike the recorder of frames it hooks into messages and SELFDESTRUCT alone, so that the fast
engine's compiled code runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from devchain.chain.block import Block
from devchain.chain.chain import Chain
from devchain.chain.remasc import is_closing
from devchain.chain.transaction import SET_CODE
from devchain.evm.compiler.computation import FastComputation
from devchain.evm.compiler.program import ProgramCache
from devchain.evm.instruction_counts import uncounted
from devchain.evm.opcodes import Op
from devchain.tracing.opcode_step import as_address
from devchain.tracing.recorder import MessageComputation
from devchain.tracing.replay import Replay
from devchain.types import Address, Transfer


@dataclass(slots=True)
class InternalAddresses:
    """The accounts of one transaction's messages below the first.

    `touched` are the accounts whose code they ran or that got value, in reverted messages too. In
    messages that were not reverted, `created` are the contracts they created with their creators,
    in the order in which their code was stored, `transfers` those of the coin.
    """

    touched: set[Address] = field(default_factory=set)
    created: list[tuple[Address, Address]] = field(default_factory=list)
    transfers: list[Transfer] = field(default_factory=list)


class AddressRecorder:
    """Replays blocks and collects the accounts of their internal messages.

    Code that it has run often stays compiled, for as long as it is the same recorder.
    """

    def __init__(self) -> None:
        self._classes: dict[Any, Any] = {}
        self.found = InternalAddresses()  # of the transaction that runs

    def record_block(self, chain: Chain, block: Block) -> list[InternalAddresses]:
        """The internal addresses of each transaction; a block that runs no code is not replayed."""
        if not _may_run_code(chain, block):
            return [InternalAddresses() for _ in block.transactions]
        replay = Replay(chain, block)
        state = replay.builder.state
        kind = uncounted(state.computation_class)
        if kind not in self._classes:
            self._classes[kind] = _recording_class(kind, self)
        state.computation_class = self._classes[kind]
        internal = []
        for tx in block.transactions:
            self.found = InternalAddresses()
            replay.run(tx)
            internal.append(self.found)
        return internal

    def run_message(
        self, run: Callable[..., Any], state: Any, message: Any, context: Any, parent: Any
    ) -> Any:
        """Run a message, and note its accounts unless it is that of a transaction."""
        found = self.found
        if message.depth:  # of a delegation (EIP-7702) it is the account that delegates
            is_own = message.is_create or message.is_delegation
            found.touched.add(Address(message.storage_address if is_own else message.code_address))
        created, moved, has_failed = len(found.created), len(found.transfers), True
        if message.depth and message.value and message.should_transfer_value:
            parties = Address(message.sender), Address(message.storage_address)
            found.transfers.append(Transfer(None, *parties, message.value))
        try:
            computation = run(state, message, context, parent)
            has_failed = computation.is_error
        finally:
            if has_failed:
                del found.created[created:], found.transfers[moved:]
        if message.is_create and message.depth and not has_failed:
            found.created.append((Address(message.storage_address), Address(message.sender)))
        return computation


def _may_run_code(chain: Chain, block: Block) -> bool:
    # None can if all go to accounts that had no code before the block: then none creates code
    # either.
    wanted = [tx for tx in block.transactions if not is_closing(tx)]
    if not wanted:
        return False
    if any(tx.to is None or tx.type == SET_CODE for tx in wanted):
        return True
    code, precompiled = chain.state_at(block.number - 1).code, chain.rules.precompiled_abis()
    receivers = {tx.to for tx in wanted if tx.to}
    return any(code(receiver) or receiver in precompiled for receiver in receivers)


def _recording_class(kind: Any, recorder: AddressRecorder) -> Any:
    plain = getattr(kind, "reference", kind)

    def selfdestruct(computation: Any) -> None:
        words = computation._stack.values  # noqa: SLF001  # as the recorder of frames
        if words:
            own, beneficiary = Address(computation.msg.storage_address), as_address(words[-1])
            recorder.found.touched.add(beneficiary)
            if wei := computation.state.get_balance(own):
                recorder.found.transfers.append(Transfer(None, own, beneficiary, wei))
        plain.opcodes[Op.SELFDESTRUCT](computation=computation)

    def note_payment(computation: Any, receiver: Address, amount: int) -> None:
        payer = Address(computation.msg.storage_address)
        recorder.found.touched.add(receiver)
        recorder.found.transfers.append(Transfer(None, payer, receiver, amount))

    opcodes = {**plain.opcodes, Op.SELFDESTRUCT: selfdestruct}
    members = {"recorder": recorder, "opcodes": opcodes, "note_payment": note_payment}
    if issubclass(kind, FastComputation):
        members["programs"] = ProgramCache(opcodes, plain.opcode_rules)
    return type(kind.__name__, (MessageComputation, kind), members)
