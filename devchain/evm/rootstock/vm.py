"""Rootstock's virtual machines for py-evm, one for each upgrade: state, transactions, blocks."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, ClassVar, cast

import rlp
from eth._utils.transactions import EIP155_CHAIN_ID_OFFSET
from eth.abc import (
    BlockHeaderAPI,
    ChainContextAPI,
    ComputationAPI,
    ExecutionContextAPI,
    MessageAPI,
    SignedTransactionAPI,
)
from eth.constants import CREATE_CONTRACT_ADDRESS
from eth.vm.chain_context import ChainContext
from eth.vm.execution_context import ExecutionContext
from eth.vm.forks.byzantium.blocks import ByzantiumBlock
from eth.vm.forks.cancun.state import CancunState
from eth.vm.forks.frontier.constants import MAX_REFUND_QUOTIENT
from eth.vm.forks.frontier.state import FrontierTransactionExecutor
from eth.vm.forks.homestead.validation import validate_homestead_transaction
from eth.vm.forks.prague.constants import MAGIC, SET_CODE_TRANSACTION_TYPE
from eth.vm.forks.prague.transactions import PragueTransactionBuilder, PragueTypedTransaction
from eth.vm.forks.shanghai import ShanghaiVM
from eth.vm.forks.spurious_dragon.transactions import (
    SpuriousDragonTransaction,
    SpuriousDragonUnsignedTransaction,
)
from eth.vm.message import Message
from eth.vm.transaction_context import BaseTransactionContext
from eth_keys.datatypes import Signature
from eth_keys.exceptions import BadSignature
from eth_utils.exceptions import ValidationError
from rlp.sedes import CountableList

from devchain.evm.memory_limit import DEFAULT_LIMIT
from devchain.evm.opcodes import DELEGATION
from devchain.evm.rootstock.computation import RootstockComputation, computation_class
from devchain.evm.rootstock.gas import (
    AUTHORIZATION_REFUND,
    InitCodeTooLarge,
    intrinsic_gas,
    typed_gas,
)
from devchain.evm.rootstock.header import RootstockHeader, TypedTransactionsHeader
from devchain.evm.rootstock.opcodes import contract_address, executed_code, is_delegation
from devchain.evm.rootstock.upgrades import Rule, rules_of
from devchain.networks import DEFAULT_FEDERATORS, NEWEST
from devchain.types import ZERO_ADDRESS, Address, Hash32


class RootstockTransactionContext(BaseTransactionContext):
    """Gas price, sender, and the transaction; `local_call` is False if it is one of a block."""

    local_call = True
    transaction: Any = None

    def __init__(self, gas_price: int, origin: Any) -> None:
        """Without py-evm's validation: both are of a transaction."""
        self._gas_price, self._origin = gas_price, origin
        self._log_counter = itertools.count()
        self._blob_versioned_hashes = self._authorization_list = ()


class RootstockTransactionExecutor(FrontierTransactionExecutor):
    """Executes transactions: refunds up to half of the gas used, empty accounts are kept."""

    vm_state: Any
    local_call = True
    refund = 0  # for authorizations (RSKIP545), which no limit applies to

    def __call__(self, transaction: SignedTransactionAPI) -> ComputationAPI:
        self.local_call = False
        computation = super().__call__(transaction)
        self.vm_state.finish_transaction(computation)
        return computation

    def build_evm_message(self, transaction: SignedTransactionAPI) -> MessageAPI:
        """Charge the gas, increment the nonce, return the message; raises `InitCodeTooLarge`."""
        state, sender = self.vm_state, transaction.sender
        state.check_init_code(transaction)
        nonce = state.get_nonce(sender)
        state.delta_balance(sender, -transaction.gas * state.get_gas_price(transaction))
        state.increment_nonce(sender)
        if transaction.to == CREATE_CONTRACT_ADDRESS:
            created: Any = contract_address(sender, nonce)
            code, payload = transaction.data, b""
        else:
            created = None
            code, payload = state.get_code(transaction.to), transaction.data
        return Message(
            gas=transaction.gas - transaction.intrinsic_gas,
            to=transaction.to,
            sender=sender,
            value=transaction.value,
            data=payload,
            code=code,
            create_address=created,
        )

    def build_computation(
        self, message: MessageAPI, transaction: SignedTransactionAPI
    ) -> ComputationAPI:
        """Execute the message; a creation does not check for address collisions."""
        state = self.vm_state
        context = state.transaction_context_class(transaction.gas_price, transaction.sender)
        context.local_call = self.local_call
        context.transaction = transaction
        kind = state.computation_class
        run = kind.apply_create_message if message.is_create else kind.apply_message
        computation: ComputationAPI = run(state, message, context)
        if computation.is_error:
            computation.absorb_refusal()  # type: ignore[attr-defined]  # of this class
        return computation

    def finalize_computation(
        self, transaction: SignedTransactionAPI, computation: ComputationAPI
    ) -> ComputationAPI:
        """Refund unused gas to the sender, pay the miner, delete destroyed accounts.

        If the transaction calls a precompiled contract that refuses it, the receipt shows the gas
        used up to then, but the whole gas limit is paid for (as in rskj).
        """
        if cast(RootstockComputation, computation).refusal is not None:
            state = self.vm_state
            computation.data_floor_gas = 0
            state.delta_balance(state.coinbase, transaction.gas * state.get_tip(transaction))
            return computation
        return super().finalize_computation(transaction, computation)

    def calc_data_floor_gas(self, *_: Any) -> int:  # type: ignore[override]  # py-evm's is static
        """What is charged beside the gas used: the refund for authorizations, negative."""
        return -self.refund


SENDER_HAS_CODE = "the sender of a transaction of type 4 has code"


class SetCodeExecutor:
    """The base class that upgrades with transactions of type 4 put before an executor.

    It also begins what a transaction has: warm accounts (RSKIP555), created ones (RSKIP701).
    """

    vm_state: Any

    def validate_transaction(self, transaction: Any) -> None:
        if transaction.type_id == SET_CODE_TRANSACTION_TYPE:
            code = self.vm_state.get_code(transaction.sender)
            if code and not is_delegation(code):
                raise ValidationError(SENDER_HAS_CODE)
        super().validate_transaction(transaction)  # type: ignore[misc]  # as below

    def build_computation(self, message: Any, transaction: Any) -> Any:
        state = self.vm_state
        state.created_accounts.clear()
        state.mark_address_warm(transaction.sender)
        state.mark_address_warm(message.storage_address)
        return super().build_computation(message, transaction)  # type: ignore[misc]  # as below

    def build_evm_message(self, transaction: Any) -> Any:
        message = super().build_evm_message(transaction)  # type: ignore[misc]  # of the class behind
        state = self.vm_state
        is_type_4 = transaction.type_id == SET_CODE_TRANSACTION_TYPE
        authorizations = transaction.authorization_list if is_type_4 else ()
        self.refund = sum([authorize(state, each) for each in authorizations])
        if transaction.to != CREATE_CONTRACT_ADDRESS:
            message.code = executed_code(state, state.get_code(transaction.to))
        return message


def authorize(state: Any, authorization: Any) -> int:
    """Let an account execute the code of another, if it has signed that; the gas refunded."""
    signed = [authorization.chain_id, authorization.address, authorization.nonce]
    try:
        authorization.validate(state.execution_context.chain_id)
        signature = Signature(vrs=(authorization.y_parity, authorization.r, authorization.s))
        key = signature.recover_public_key_from_msg(MAGIC + rlp.encode(signed))
    except (ValidationError, BadSignature, ValueError):
        return 0
    authority = Address(key.to_canonical_address())
    code = state.get_code(authority)
    if (code and not is_delegation(code)) or state.get_nonce(authority) != authorization.nonce:
        return 0
    is_removed = authorization.address == ZERO_ADDRESS
    state.set_code(authority, b"" if is_removed else DELEGATION + authorization.address)
    state.increment_nonce(authority)
    return AUTHORIZATION_REFUND if code else 0


class RootstockState(CancunState):
    """The state during a block; this class follows the newest upgrade."""

    rules: ClassVar[frozenset[Rule]] = RootstockComputation.rules
    computation_class: Any = RootstockComputation
    transaction_context_class = RootstockTransactionContext
    transaction_executor_class: Any = RootstockTransactionExecutor

    transaction_index = 0  # how many transactions of the block have been applied
    deleted_accounts: frozenset[Address] = frozenset()  # the accounts that these have deleted

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.created_accounts: set[Address] = set()  # by the transaction

    def delete_account(self, address: Address) -> None:
        """Delete an account; one that is older than its transaction keeps its nonce (RSKIP701)."""
        is_kept = Rule.DESTROYED_KEEP_NONCE in self.rules and address not in self.created_accounts
        nonce = self.get_nonce(address) if is_kept else 0
        super().delete_account(address)
        if nonce:
            self.set_nonce(address, nonce)

    def finish_transaction(self, computation: ComputationAPI) -> None:
        self.clear_transient_storage()
        self.deleted_accounts |= frozenset(computation.get_accounts_for_deletion())
        self.transaction_index += 1

    def set_system_contracts(self) -> None:
        """Do nothing: Rootstock does not have Ethereum's system contracts."""

    def account_exists(self, address: Address) -> bool:
        """Whether the account exists, even if empty; precompiled contracts always exist."""
        precompiled = self.computation_class.get_precompiles()
        return address in precompiled or super().account_exists(address)

    def delta_balance(self, address: Address, delta: int) -> None:
        """Add to a balance; adding 0 does not create the account, such as the miner's."""
        if delta:
            super().delta_balance(address, delta)

    def get_tip(self, transaction: SignedTransactionAPI) -> int:
        return transaction.gas_price

    def get_gas_price(self, transaction: SignedTransactionAPI) -> int:
        return transaction.gas_price

    def get_transaction_context(self, transaction: SignedTransactionAPI) -> Any:
        return self.get_transaction_context_class()(
            gas_price=transaction.gas_price, origin=transaction.sender
        )

    def validate_transaction(self, transaction: SignedTransactionAPI) -> None:
        """Check init code size, nonce, balance and signature; the mempool checks the gas price."""
        self.check_init_code(transaction)
        validate_homestead_transaction(self, transaction)

    def check_init_code(self, transaction: SignedTransactionAPI) -> None:
        """Raise `InitCodeTooLarge` for a creation whose init code exceeds the limit (RSKIP438)."""
        is_creation = transaction.to == CREATE_CONTRACT_ADDRESS
        size = len(transaction.data) if is_creation else 0
        limit = self.computation_class.init_code_limit
        if limit is not None and size > limit and Rule.INIT_CODE_LIMIT in self.rules:
            raise InitCodeTooLarge(f"init code has {size} bytes, the limit is {limit}")


class ChainView(ChainContext):
    """The chain as executions see it: its id, its blocks, their memory limit, its federators."""

    def __init__(
        self,
        chain_id: int,
        find_ancestor: Callable[[Hash32, int], Any],
        memory_limit: int = DEFAULT_LIMIT,
        federators: int = DEFAULT_FEDERATORS,
    ) -> None:
        """`find_ancestor` gives the block so many blocks before the one of a hash, or None.

        `federators` is how many the genesis federation of a local network has.
        """
        super().__init__(chain_id)
        self.find_ancestor = find_ancestor
        self.memory_limit = memory_limit
        self.federators = federators


NAMESPACE, LARGEST_TYPE = 2, 0x7F  # bytes before Rootstock's own types, and of types (EIP-2718)
SIGNED_FIELDS = ("nonce", "gas_price", "gas", "to", "value", "data", "v", "r", "s")


class RootstockTransaction(SpuriousDragonTransaction):
    """A signed legacy transaction, with or without a chain id (EIP-155)."""

    rules: ClassVar[frozenset[Rule]] = rules_of(NEWEST)
    # These hide the properties of py-evm's class: an attribute is read without a call.
    nonce: Any = None
    gas_price: Any = None
    gas: Any = None
    to: Any = None
    value: Any = None
    data: Any = None
    v: Any = None
    r: Any = None
    s: Any = None
    chain_id: Any = None
    intrinsic_gas: Any = None

    def __init_subclass__(cls) -> None:
        for name in SIGNED_FIELDS:
            setattr(cls, name, None)

    def __init__(  # noqa: PLR0913, PLR0917  # the fields of a transaction
        self,
        nonce: int,
        gas_price: int,
        gas: int,
        to: Address,
        value: int,
        data: bytes,
        v: int,
        r: int,
        s: int,
    ) -> None:
        """Keep each field, by the name under which rlp reads it too, and what follows from them."""
        self.nonce = self._nonce = nonce
        self.gas_price = self._gas_price = gas_price
        self.gas = self._gas = gas
        self.to = self._to = to
        self.value = self._value = value
        self.data = self._data = data
        self.v = self._v = v
        self.r = self._r = r
        self.s = self._s = s
        self.chain_id = (v - EIP155_CHAIN_ID_OFFSET) // 2 if v >= EIP155_CHAIN_ID_OFFSET else None
        self.intrinsic_gas = intrinsic_gas(to, data, self.rules)

    def get_intrinsic_gas(self) -> int:
        gas: int = self.intrinsic_gas
        return gas


class RootstockTypedTransaction(PragueTypedTransaction):
    """A transaction of type 1, 2 (RSKIP546) or 4 (RSKIP545): its price has no base fee in it."""

    rules: ClassVar[frozenset[Rule]] = frozenset()
    gas_price: Any = None
    intrinsic_gas: Any = None

    def __init__(self, type_id: int, proxy_target: SignedTransactionAPI) -> None:
        super().__init__(type_id, proxy_target)
        inner: Any = proxy_target
        self.gas_price = min(inner.max_priority_fee_per_gas, inner.max_fee_per_gas)
        self.intrinsic_gas = typed_gas(inner, self.rules)


class NamespacedTransaction(RootstockTransaction):
    """A transaction of one of Rootstock's own types: `0x02`, a byte, a legacy one (RSKIP543).

    Both bytes are its `type_id`.
    """

    type_id: Any = None

    def encode(self) -> bytes:
        return self._prefix + bytes(rlp.encode(self))

    def get_message_for_signing(self) -> bytes:
        """The chain id is signed as in a legacy transaction; one without it signs no type."""
        prefix = b"" if self.chain_id is None else self._prefix
        return prefix + super().get_message_for_signing()

    @property
    def _prefix(self) -> bytes:
        return int(self.type_id).to_bytes(2)


class RootstockTransactionBuilder(PragueTransactionBuilder):
    """Decodes transactions of every type; upgrades set the classes that it makes."""

    legacy_unsigned = SpuriousDragonUnsignedTransaction
    namespaced: Any = NamespacedTransaction

    @classmethod
    def decode(cls, encoded: bytes) -> Any:
        if len(encoded) > 1 and encoded[0] == NAMESPACE and encoded[1] <= LARGEST_TYPE:
            decoded: Any = rlp.decode(encoded[2:], cls.namespaced)
            decoded.type_id = int.from_bytes(encoded[:2])
            return decoded
        return super().decode(encoded)

    @classmethod
    def deserialize(cls, encoded: Any) -> Any:
        return cls.decode(encoded) if isinstance(encoded, bytes) else super().deserialize(encoded)

    @classmethod
    def serialize(cls, obj: Any) -> Any:
        return obj.encode() if isinstance(obj, NamespacedTransaction) else super().serialize(obj)


def _block_fields(transaction: Any, header: Any = RootstockHeader) -> Any:
    return (
        ("header", header),
        ("transactions", CountableList(transaction)),
        ("uncles", CountableList(header)),
    )


class RootstockBlock(ByzantiumBlock):
    """A block of legacy transactions under a Rootstock header."""

    transaction_builder: Any = RootstockTransaction
    fields: Any = _block_fields(RootstockTransaction)


class RootstockVM(ShanghaiVM):
    """The virtual machine of the newest upgrade; `upgrade_vm` returns that of others."""

    fork = NEWEST
    block_class: Any = RootstockBlock
    _state_class: Any = RootstockState

    @classmethod
    def create_execution_context(
        cls, header: BlockHeaderAPI, prev_hashes: Any, chain_context: ChainContextAPI
    ) -> ExecutionContextAPI:
        context: Any = ExecutionContext(
            header.coinbase,
            header.timestamp,
            header.block_number,
            header.difficulty,
            header.mix_hash,
            header.gas_limit,
            prev_hashes,
            chain_context.chain_id,
            header.base_fee_per_gas,
        )
        if isinstance(chain_context, ChainView):
            context.view = chain_context  # for precompiled contracts that read earlier blocks
        return cast(ExecutionContextAPI, context)

    @classmethod
    def calculate_net_gas_refund(cls, consumed_gas: int, gross_refund: int) -> int:
        """Limit the refund to half of the gas used; it is not negative."""
        return max(0, min(gross_refund, consumed_gas // MAX_REFUND_QUOTIENT))


def upgrade_vm(upgrade: str) -> type[RootstockVM]:
    if upgrade == NEWEST:
        return RootstockVM
    rules, computation = rules_of(upgrade), computation_class(upgrade)
    transaction: Any = type("Transaction", (RootstockTransaction,), {"rules": rules})
    executor: Any = RootstockTransactionExecutor
    header: Any = RootstockHeader
    if Rule.TYPED_TRANSACTIONS in rules:
        kinds = {
            "legacy_signed": transaction,
            "namespaced": type("Namespaced", (NamespacedTransaction,), {"rules": rules}),
            "typed_transaction": type("Typed", (RootstockTypedTransaction,), {"rules": rules}),
        }
        transaction = type("TransactionBuilder", (RootstockTransactionBuilder,), kinds)
        executor = type("Executor", (SetCodeExecutor, executor), {})
        header = TypedTransactionsHeader
    state = RootstockState.configure(
        __name__=f"RootstockState:{upgrade}",
        computation_class=computation,
        rules=rules,
        transaction_executor_class=executor,
    )
    block = type(
        "RootstockBlock",
        (RootstockBlock,),
        {"transaction_builder": transaction, "fields": _block_fields(transaction, header)},
    )
    vm: type[RootstockVM] = RootstockVM.configure(
        __name__=f"RootstockVM:{upgrade}", fork=upgrade, block_class=block, _state_class=state
    )
    return vm
