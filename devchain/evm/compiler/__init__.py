"""The fast engine: py-evm's rules, run as Python functions compiled from bytecode."""

from __future__ import annotations

from typing import Any

from eth_utils.logging import get_extended_debug_logger

from devchain.evm.compiler.computation import fast_computation
from devchain.evm.compiler.transactions import fast_executor
from devchain.state.account_database import Accounts, TransientSlots

TRANSIENT = "_transient_storage_class"


def fast_vm(vm_class: Any) -> Any:
    """That VM class with the same rules, run by the fast engine."""
    state_class = vm_class.get_state_class()
    has_transient = hasattr(state_class, TRANSIENT)  # from Cancun on
    fast_state = state_class.configure(
        __name__=state_class.__name__,
        # py-evm makes one anew whenever it is asked.
        logger=get_extended_debug_logger(f"eth.vm.state.{state_class.__name__}"),
        account_db_class=Accounts,
        transaction_executor_class=fast_executor(state_class.transaction_executor_class),
        computation_class=fast_computation(state_class.computation_class),
        **({TRANSIENT: TransientSlots} if has_transient else {}),
    )
    return vm_class.configure(__name__=vm_class.__name__, _state_class=fast_state)
