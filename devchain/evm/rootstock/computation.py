"""Message execution on Rootstock: contract creation, code storage, return data, refunds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, ClassVar, cast

from eth.abc import ComputationAPI, MessageAPI, StateAPI, TransactionContextAPI
from eth.constants import GAS_CALLSTIPEND, GAS_CODEDEPOSIT
from eth.exceptions import OutOfGas, ReservedBytesInCode, VMError
from eth.vm.code_stream import CodeStream
from eth.vm.computation import memory_gas_cost
from eth.vm.forks.frontier.computation import FrontierComputation
from eth.vm.gas_meter import GasMeter, allow_negative_refund_strategy

from devchain.evm import memory_limit
from devchain.evm.bounded import IterativeComputation
from devchain.evm.opcodes import OpcodeRules
from devchain.evm.rootstock import gas as costs
from devchain.evm.rootstock.gas import CodeTooLarge
from devchain.evm.rootstock.opcodes import opcode_table
from devchain.evm.rootstock.precompiles import input_limits, precompiled
from devchain.evm.rootstock.precompiles.native_contract import PrecompileFailed
from devchain.evm.rootstock.upgrades import Rule, rules_of
from devchain.networks import NEWEST
from devchain.types import Address

CODE_HEADER = b"\xfc"
_INVALID = b"\xfe"
_RESERVED = b"\xef"


class RootstockComputation(IterativeComputation, FrontierComputation):
    """Executes messages; this class follows the newest upgrade, `computation_class` others.

    `input_limits` are the bytes that precompiled contracts read at most, `refusal` is the error of
    one that a transaction called directly (`absorb_refusal`).
    """

    rules: ClassVar[frozenset[Rule]] = rules_of(NEWEST)
    code_limit: ClassVar[int | None] = costs.CODE_LIMIT
    init_code_limit: ClassVar[int | None] = costs.INIT_CODE_LIMIT
    opcodes = opcode_table(rules)
    opcode_rules: ClassVar[OpcodeRules] = costs.OPCODE_RULES
    _precompiles: Any = precompiled(NEWEST)
    input_limits: ClassVar[Mapping[Address, int]] = input_limits(NEWEST)
    refusal: PrecompileFailed | None = None

    def __init__(
        self, state: StateAPI, message: MessageAPI, transaction_context: TransactionContextAPI
    ) -> None:
        super().__init__(state, message, transaction_context)
        if message.code[:1] == CODE_HEADER:
            self.skip_code_header(message.code)

    def note_payment(self, receiver: Address, amount: int) -> None:
        """Called before a precompiled contract pays, which sends no message; for recorders."""

    def skip_code_header(self, code: bytes) -> None:
        """Skip 0xFC, two version bytes, the size of an extension and the extension."""
        start = 4 + code[3] if len(code) > 3 else 0
        if start < len(code):
            self.code.program_counter = start
        else:
            self.code = CodeStream(_INVALID)

    @classmethod
    def apply_create_message(
        cls,
        state: StateAPI,
        message: MessageAPI,
        transaction_context: TransactionContextAPI,
        parent_computation: ComputationAPI | None = None,
    ) -> ComputationAPI:
        snapshot = state.snapshot()
        if Rule.DESTROYED_KEEP_NONCE in cls.rules:
            cast(Any, state).created_accounts.add(message.storage_address)
        address, by_transaction = message.storage_address, message.depth == 0
        state.set_nonce(address, 1 if Rule.CREATE2 in cls.rules and not by_transaction else 0)
        if by_transaction and Rule.CREATION_KEEPS_BALANCE not in cls.rules:
            state.set_balance(address, 0)
        computation = cls.apply_message(state, message, transaction_context, parent_computation)
        if computation.is_success:
            cls._store_code(state, computation)
        if computation.is_error:
            state.revert(snapshot)
        else:
            state.commit(snapshot)
        return computation

    @classmethod
    def _store_code(cls, state: StateAPI, computation: Any) -> None:
        # Before RSKIP453 a CREATE whose code could not be stored succeeded without code.
        message, code = computation.msg, computation.output
        try:
            cls._check_code(code)
            computation.consume_gas(GAS_CODEDEPOSIT * len(code), "contract code")
        except VMError as error:
            if message.depth == 0 or Rule.FAILED_CREATION in cls.rules:
                computation.error = error
            else:
                computation.output = b""
        else:
            if code:
                state.set_code(message.storage_address, code)

    @classmethod
    def _check_code(cls, code: bytes) -> None:
        if code[:1] == _RESERVED and Rule.RESERVED_CODE_PREFIX in cls.rules:
            raise ReservedBytesInCode("contract code starts with 0xef")
        if cls.code_limit is not None and len(code) > cls.code_limit:
            raise CodeTooLarge(
                f"contract code has {len(code)} bytes, the limit is {cls.code_limit}"
            )

    def add_child_computation(self, child_computation: ComputationAPI) -> None:
        """Add the child and set the return data, which a creation does not have (as in rskj)."""
        child: Any = child_computation
        if child.msg.is_create:
            self.return_data = b""
        elif Rule.CLEAN_RETURN_DATA in self.rules or self._sets_return_data(child):
            self.return_data = child.output
        self.children.append(child)

    def _sets_return_data(self, child: Any) -> bool:
        if child.msg.code_address in self.precompiles and not child.msg.is_delegation:
            return bool(child.is_success)
        return bool(child.msg.code)

    def charge_access(self, address: Address, reason: str) -> None:
        """Charge for the use of an account; before RSKIP555 that is in the opcode's price."""
        if Rule.ACCESS_GAS in self.rules:
            self.consume_gas(costs.access_gas(self.state, address), reason)

    def gas_for_child(self, gas: int, value: int) -> int:
        """What a call with that gas operand and value passes on; raises `OutOfGas`."""
        remaining = self.get_gas_remaining()
        if not value:
            return min(remaining, gas)
        if remaining < GAS_CALLSTIPEND:
            raise OutOfGas(f"a call with value needs {GAS_CALLSTIPEND} gas for the callee")
        return min(remaining, gas + GAS_CALLSTIPEND)

    def absorb_refusal(self) -> None:
        """Let a transaction whose precompiled contract refused its input succeed, without effect.

        As in rskj, which keeps such an error out of the receipt; all of the gas limit is paid.
        Since RSKIP692 it fails.
        """
        if not isinstance(self._error, PrecompileFailed):
            return
        if Rule.DIRECT_PRECOMPILE_FAILURE in self.rules:
            self.consume_gas(self._gas_meter.gas_remaining, "precompiled contract")
        else:
            self.refusal, self._error = self._error, None  # type: ignore[assignment]  # None until it fails

    # Memory

    def memory_fee(self, *ranges: tuple[int, int]) -> int:
        """Gas for memory up to the furthest end of those ranges, each an offset and a size."""
        end = max((start + size for start, size in ranges if size), default=0)
        present = len(self._memory)
        return memory_gas_cost(end) - memory_gas_cost(present) if end > present else 0

    def grow_memory(self, start: int, size: int) -> None:
        """Extend the memory to the end of a range, without charge, within the limit."""
        before, after = len(self._memory), start + size + 31 & -32
        if size and after > before:
            memory_limit.expand(before, after)
            self._memory.extend(start, size)

    def _configure_gas_meter(self) -> GasMeter:
        return GasMeter(self.msg.gas, allow_negative_refund_strategy)

    def get_gas_refund(self) -> int:
        computations = self.successful_computations(with_creations=False)
        return sum([computation.own_refund for computation in computations])


def computation_class(upgrade: str) -> Any:
    rules = rules_of(upgrade)
    return RootstockComputation.configure(
        __name__=f"RootstockComputation:{upgrade}",
        rules=rules,
        opcodes=opcode_table(rules),
        opcode_rules=costs.ACCESS_RULES if Rule.ACCESS_GAS in rules else costs.OPCODE_RULES,
        _precompiles=precompiled(upgrade),
        input_limits=input_limits(upgrade),
    )


# The most gas that a message has charged at any moment, which `eth_estimateGas` of rskj returns. A
# call charges its caller for all the gas that it passes on, and what the callee leaves comes back.
# So a message needs more gas than it uses in the end: its gas limit has to cover the peak. A
# creation gets all remaining gas, and its peak is the gas limit itself.


class PeakComputation(RootstockComputation):
    """The base class that `peak_class` puts before a computation class of Rootstock.

    `peak` is the most gas charged when a call or creation began; `forwards_all` says whether a call
    got all the remaining gas, `sends_value` whether a call had a value. The latter two are also
    those of the calls that succeeded, without creations.
    """

    peak = 0
    forwards_all = sends_value = False

    def gas_for_child(self, gas: int, value: int) -> int:
        child_gas = super().gas_for_child(gas, value)
        left = self.get_gas_remaining() - child_gas
        self.peak = max(self.peak, self.msg.gas - left)
        self.forwards_all |= left == 0
        self.sends_value |= value > 0
        return child_gas

    def add_child_computation(self, child_computation: Any) -> None:
        """Add the child, and what it notes if it is a call that succeeded."""
        super().add_child_computation(child_computation)
        if child_computation.msg.is_create:
            self.peak = self.msg.gas
        elif child_computation.is_success:
            self.forwards_all |= child_computation.forwards_all
            self.sends_value |= child_computation.sends_value


@lru_cache(maxsize=16)
def peak_class(kind: Any) -> Any:
    """A subclass of a computation class of Rootstock that measures as it runs, on its engine."""
    return type(kind.__name__, (PeakComputation, kind), {})
