"""Recording which accounts the messages inside a block's transactions involve, by a replay.

Unlike the recorder of frames this one hooks into messages and SELFDESTRUCT alone, so that the fast
engine's compiled code runs, and keeps addresses alone, so that its memory does not grow with the
number of calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from eth.exceptions import VMError
from eth.vm.computation import BaseComputation

from devchain.chain.block import Block
from devchain.chain.chain import Chain
from devchain.chain.remasc import is_closing
from devchain.chain.transaction import SET_CODE, Transaction
from devchain.evm.compiler.computation import FastComputation
from devchain.evm.compiler.program import ProgramCache
from devchain.evm.instruction_counts import uncounted
from devchain.evm.opcodes import Op
from devchain.tracing.opcode_step import as_address
from devchain.tracing.replay import Replay
from devchain.types import Address


@dataclass(frozen=True, slots=True)
class InternalAddresses:
    """The accounts of one transaction's messages below the first.

    `touched` are the accounts that they were sent to or whose code they ran, and the beneficiaries
    of self-destructs, in messages that were reverted too; `created` are the contracts they created,
    in those that were not.
    """

    touched: frozenset[Address] = frozenset()
    created: frozenset[Address] = frozenset()


NONE = InternalAddresses()


class AddressRecorder:
    """Replays blocks and collects the accounts of their internal messages.

    Code that it has run often stays compiled, for as long as it is the same recorder.
    """

    def __init__(self) -> None:
        """Record nothing yet."""
        self._classes: dict[Any, Any] = {}
        self.touched: set[Address] = set()
        self.created: list[Address] = []

    def record_block(self, chain: Chain, block: Block) -> list[InternalAddresses]:
        """The internal addresses of each transaction; a block that runs no code is not replayed."""
        if not _may_run_code(chain, block):
            return [NONE] * len(block.transactions)
        return [
            InternalAddresses(frozenset(self.touched), frozenset(self.created))
            for _ in self._replay(chain, block)
        ]

    def _replay(self, chain: Chain, block: Block) -> Iterator[Transaction]:
        replay = Replay(chain, block)
        state = replay.builder.state
        state.computation_class = self._recording_class(uncounted(state.computation_class))
        for tx in block.transactions:
            self.touched, self.created = set(), []
            replay.run(tx)
            yield tx

    def _recording_class(self, kind: Any) -> Any:
        recording = self._classes.get(kind)
        if recording is None:
            recording = self._classes[kind] = _recording_class(kind, self)
        return recording

    def add_message(self, message: Any) -> None:
        """Note the account whose code a message runs; of a delegation (EIP-7702) who delegates."""
        is_own = message.is_create or message.is_delegation
        self.touched.add(Address(message.storage_address if is_own else message.code_address))

    def add_created(self, message: Any) -> None:
        """Note the contract that a message created."""
        self.created.append(Address(message.storage_address))

    def selfdestruct(self, plain: Any, computation: Any) -> None:
        """Note the beneficiary of a SELFDESTRUCT, and run it."""
        words = computation._stack.values  # noqa: SLF001  # as the recorder of frames
        if words:
            self.touched.add(as_address(words[-1]))
        plain(computation=computation)


def _may_run_code(chain: Chain, block: Block) -> bool:
    # None can if all go to accounts that had no code before the block: then none creates code
    # either.
    wanted = [tx for tx in block.transactions if not is_closing(tx)]
    if not wanted:
        return False
    if any(tx.to is None or tx.type == SET_CODE for tx in wanted):
        return True
    code = chain.state_at(block.number - 1).code
    return any(code(receiver) for receiver in {_receiver(tx) for tx in wanted})


def _receiver(tx: Transaction) -> Address:
    assert tx.to is not None  # noqa: S101  # creations have been found
    return tx.to


class _RecordingComputation(BaseComputation):
    """The base class that `_recording_class` puts before a computation class."""

    recorder: ClassVar[AddressRecorder]

    @classmethod
    def apply_message(
        cls, state: Any, message: Any, transaction_context: Any, parent_computation: Any = None
    ) -> Any:
        recorder = cls.recorder
        if message.depth:
            recorder.add_message(message)
        before = len(recorder.created)
        try:
            computation: Any = super().apply_message(
                state, message, transaction_context, parent_computation
            )
        except VMError:
            del recorder.created[before:]
            raise
        if computation.is_error:
            del recorder.created[before:]
        return computation

    @classmethod
    def apply_create_message(
        cls, state: Any, message: Any, transaction_context: Any, parent_computation: Any = None
    ) -> Any:
        recorder = cls.recorder
        before = len(recorder.created)
        computation: Any = super().apply_create_message(
            state, message, transaction_context, parent_computation
        )
        if computation.is_error:
            del recorder.created[before:]
        elif message.depth:
            recorder.add_created(message)
        return computation


def _recording_class(kind: Any, recorder: AddressRecorder) -> Any:
    plain = getattr(kind, "reference", kind)

    def selfdestruct(computation: Any) -> None:
        recorder.selfdestruct(plain.opcodes[Op.SELFDESTRUCT], computation)

    opcodes = {**plain.opcodes, Op.SELFDESTRUCT: selfdestruct}
    members = {"recorder": recorder, "opcodes": opcodes}
    if issubclass(kind, FastComputation):
        members["programs"] = ProgramCache(opcodes, plain.opcode_rules)
    return type(kind.__name__, (_RecordingComputation, kind), members)
