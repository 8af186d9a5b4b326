"""The rules of each hardfork, with its VM class: py-evm's for Ethereum, ours for Rootstock."""

from __future__ import annotations

from functools import cache
from typing import Any

from eth.abc import ComputationAPI, SignedTransactionAPI
from eth.constants import GAS_EXPBYTE, GAS_LOW, GAS_SRESET, GAS_SSET, REFUND_SCLEAR
from eth.vm import forks
from eth.vm.computation import BaseComputation
from eth.vm.forks.berlin.logic import GAS_SCHEDULE_EIP2929
from eth.vm.forks.constantinople.storage import GAS_SCHEDULE_EIP1283
from eth.vm.forks.istanbul.storage import GAS_SCHEDULE_EIP2200
from eth.vm.forks.london.storage import GAS_SCHEDULE_EIP3529
from eth.vm.forks.spurious_dragon.constants import GAS_EXPBYTE_EIP160
from eth.vm.opcode import as_opcode

from devchain.errors import ConfigError
from devchain.evm.bounded import IterativeComputation, calls_as_methods, with_bounds
from devchain.evm.compiler import fast_vm
from devchain.evm.opcodes import Op, OpcodeRules, SstoreGas
from devchain.evm.precompiles import with_fast_precompiles
from devchain.evm.rootstock.vm import upgrade_vm
from devchain.evm.rules import EthereumRules, RootstockRules, Rules, vm_with
from devchain.networks import EXPERIMENTAL, HARDFORKS, canonical, is_ethereum, is_since

VM_CLASSES = {name.lower(): kind for name, kind in vars(forks).items() if name.endswith("VM")}


def rules_for(
    hardfork: str,
    engine: str = "reference",
    *,
    unlimited_contract_size: bool = False,
    is_fork: bool = False,
) -> Rules:
    """The rules of a hardfork, by our name of it or the Rootstock node's; raises `ConfigError`.

    The engines `fast` and `reference` give equal results. The accounts of a fork are over those of
    another chain.
    """
    return _rules(canonical(hardfork), engine, unlimited_contract_size, is_fork)


@cache
def _rules(name: str, engine: str, is_unlimited: bool, is_fork: bool) -> Rules:  # noqa: FBT001  # cache keys
    if name not in HARDFORKS:
        raise ConfigError(f"unknown hardfork {name!r}; choose one of: {', '.join(HARDFORKS)}")
    vm_class = _vm_class(name, engine, is_unlimited)
    if is_fork:
        from devchain.state.fork_state import ForkAccountDatabase

        vm_class = vm_with(vm_class, account_db_class=ForkAccountDatabase)
    kind = EthereumRules if is_ethereum(name) else RootstockRules
    return kind(name, vm_class, unlimited_contract_size=is_unlimited)


@cache
def _vm_class(name: str, engine: str, is_unlimited: bool) -> Any:  # noqa: FBT001  # a cache key
    if engine == "fast":
        return fast_vm(_vm_class(name, "reference", is_unlimited))
    vm_class: Any = ethereum_vm(name) if is_ethereum(name) else upgrade_vm(name)
    if is_since(name, "prague" if is_ethereum(name) else "next"):
        vm_class = _with_exact_gas(vm_class)
    return with_bounds(
        _with_computation(vm_class, UnlimitedComputation) if is_unlimited else vm_class
    )


def _with_computation(vm_class: Any, base: Any, **members: Any) -> Any:
    # The VM class with that class before its computation class.
    plain = vm_class.get_state_class().computation_class
    return vm_with(vm_class, computation_class=type(plain.__name__, (base, plain), members))


class UnlimitedComputation(BaseComputation):
    """The base class that contracts of unlimited size put before a computation class."""

    code_limit = init_code_limit = None

    @classmethod
    def validate_contract_code(cls, contract_code: bytes) -> None:
        """Check the first byte alone (EIP-3541), which is never too long for EIP-170."""
        super().validate_contract_code(contract_code[:1])  # type: ignore[misc]  # of the class behind

    @classmethod
    def validate_create_message(cls, message: Any) -> None:
        """Do not check the size of init code (EIP-3860)."""


def ethereum_vm(hardfork: str) -> Any:
    """py-evm's VM class of a hardfork, with fast precompiled contracts and deep calls.

    Osaka's, which py-evm does not have yet, is Prague's with a new opcode, without what concerns
    blobs.
    """
    is_osaka = hardfork == EXPERIMENTAL
    vm_class: Any = VM_CLASSES["praguevm" if is_osaka else f"{hardfork}vm"]
    plain = vm_class.get_state_class().computation_class
    vm_class = _with_computation(
        vm_class,
        IterativeComputation,
        opcodes=calls_as_methods(plain.opcodes | (OSAKA_OPCODES if is_osaka else {})),
        opcode_rules=_opcode_rules(hardfork),
        _precompiles=with_fast_precompiles(plain.get_precompiles(), hardfork),
    )
    if is_osaka:
        vm_class = vm_class.configure(__name__="OsakaVM", fork=EXPERIMENTAL)
    return vm_class


def count_leading_zeros(computation: Any) -> None:
    """CLZ: the number of zero bits before the first one of a word, 256 for zero (EIP-7939)."""
    computation.stack_push_int(256 - computation.stack_pop1_int().bit_length())


OSAKA_OPCODES = {Op.CLZ: as_opcode(count_leading_zeros, "CLZ", GAS_LOW)}


def _opcode_rules(hardfork: str) -> OpcodeRules:
    plain = SstoreGas(GAS_SSET, GAS_SRESET, REFUND_SCLEAR)
    sstore: tuple[str, Any] = ("plain", plain)
    for first, variant, schedule in (
        ("constantinople", "eip1283", GAS_SCHEDULE_EIP1283),
        ("petersburg", "plain", plain),
        ("istanbul", "eip2200", GAS_SCHEDULE_EIP2200),
        ("berlin", "eip2929", GAS_SCHEDULE_EIP2929),
        ("london", "eip2929", GAS_SCHEDULE_EIP3529),
    ):
        if is_since(hardfork, first):
            sstore = variant, schedule
    return OpcodeRules(
        *sstore,
        exp_byte_gas=GAS_EXPBYTE_EIP160 if is_since(hardfork, "spuriousdragon") else GAS_EXPBYTE,
        has_static_calls=is_since(hardfork, "byzantium"),
        has_warm_slots=is_since(hardfork, "berlin"),
        has_prev_randao=is_since(hardfork, "paris"),
    )


def _with_exact_gas(vm_class: Any) -> Any:
    # A VM class since Prague with receipts that show the gas that is charged.
    # py-evm charges the floor price of data (EIP-7623) correctly, but when it writes the receipt it
    # counts the floor as gas that refunds may be taken from. On Rootstock, `data_floor_gas` has the
    # refund for authorizations.

    def gas_used(cls: Any, transaction: SignedTransactionAPI, computation: ComputationAPI) -> int:
        consumed = transaction.gas - computation.get_gas_remaining()
        refund = cls.calculate_net_gas_refund(consumed, computation.get_gas_refund())
        return int(consumed - refund + computation.data_floor_gas)

    return vm_class.configure(__name__=vm_class.__name__, finalize_gas_used=classmethod(gas_used))
