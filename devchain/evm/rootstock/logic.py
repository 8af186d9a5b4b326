"""Opcodes that mean something else on Rootstock than on Ethereum, or exist only there."""

from __future__ import annotations

from typing import Any

from eth._utils.address import force_bytes_to_address
from eth.constants import GAS_SELFDESTRUCT_NEWACCOUNT, UINT_256_MAX
from eth.exceptions import Halt
from eth.vm import mnemonics


def extcodesize(computation: Any) -> None:
    """Size of an account's code; a precompiled contract's is 2^256 - 1 (RSKIP90)."""
    address = force_bytes_to_address(computation.stack_pop1_bytes())
    if address in computation.precompiles:
        computation.stack_push_int(UINT_256_MAX)
    else:
        computation.stack_push_int(len(computation.state.get_code(address)))


def extcodehash(computation: Any) -> None:
    """Hash of an account's code: of no code if it has none, 0 if there is no account (RSKIP140)."""
    address = force_bytes_to_address(computation.stack_pop1_bytes())
    if computation.state.account_exists(address):
        computation.stack_push_bytes(computation.state.get_code_hash(address))
    else:
        computation.stack_push_int(0)


def selfdestruct(computation: Any) -> None:
    """Give the balance away and mark the account for deletion, whenever it was created.

    Without a balance the beneficiary is not touched, yet an absent one is still paid for.
    """
    beneficiary = force_bytes_to_address(computation.stack_pop1_bytes())
    state, own = computation.state, computation.msg.storage_address
    if not state.account_exists(beneficiary):
        computation.consume_gas(GAS_SELFDESTRUCT_NEWACCOUNT, mnemonics.SELFDESTRUCT)
    balance = state.get_balance(own)
    if balance:
        state.set_balance(own, 0)
        if beneficiary != own:
            state.delta_balance(beneficiary, balance)
    computation.register_account_for_deletion(beneficiary)
    raise Halt(mnemonics.SELFDESTRUCT)


def dupn(computation: Any) -> None:
    """Duplicate the word as deep as the top of the stack says; the byte after it is skipped."""
    depth = computation.stack_pop1_int()
    computation.stack_dup(depth + 1)
    computation.code.program_counter += 1


def swapn(computation: Any) -> None:
    """Swap with the word as deep as the top of the stack says; the byte after it is skipped."""
    depth = computation.stack_pop1_int()
    computation.stack_swap(depth + 1)
    computation.code.program_counter += 1


def txindex(computation: Any) -> None:
    """Index of the transaction in its block."""
    computation.stack_push_int(computation.state.transaction_index)
