"""Calls and transactions on a fork: executed speculatively, so that values are fetched together."""

from __future__ import annotations

from functools import cache

from devchain.chain.chain import Chain
from devchain.chain.eth_call import Call, CallResult, call_block
from devchain.chain.fork import Fork
from devchain.errors import ForkCacheMiss
from devchain.evm.instruction_counts import counts_instructions
from devchain.types import ZERO_ADDRESS, Address, Tag, TransactionRequest


def prepare(fork: Fork, chain: Chain, request: TransactionRequest, coinbase: Address) -> None:
    """Have what a transaction needs fetched in one batch, what its execution reads included.

    Does nothing when all that every transaction needs is known.
    """
    header = chain.header_for_calls(chain.head)
    sender, receiver = request.sender or ZERO_ADDRESS, request.to

    def read_accounts() -> None:
        accounts = chain.state_at(Tag.LATEST).accounts
        accounts.get_nonce(sender)
        accounts.get_balance(sender)
        accounts.get_balance(coinbase)
        if receiver is not None:
            accounts.get_code(receiver)
            if not request.data:  # no contract then, as a rule: more is read of an account
                accounts.get_nonce(receiver)
                accounts.get_balance(receiver)

    def read_all() -> None:
        read_accounts()
        call.run(gas)

    try:
        with fork.speculation.execution():
            read_accounts()
    except ForkCacheMiss:
        call = Call(chain, call_block(chain, header), request._replace(gas_price=None), {})
        call.is_counted = False
        gas = min(request.gas or header.gas_limit, header.gas_limit)
        fork.speculation.complete(read_all, receiver, request.data)


def _counts(chain: Chain) -> bool:
    return counts_instructions(chain.vm_class.get_state_class().computation_class)


@cache
def call_class(plain: type[Call]) -> type[Call]:
    """The class of calls on a fork: they are executed speculatively until all values are known."""

    class ForkCall(plain):  # type: ignore[misc,valid-type]
        is_counted: bool

        def run(self, gas: int, *, pays: bool = True) -> CallResult:
            if self._on_open_state:  # a tracer must not see what is guessed
                return plain.run(self, gas, pays=pays)
            fork: Fork = self.chain.fork
            called = self.request.to, self.request.data
            if not self.is_counted or not _counts(self.chain):
                return fork.speculation.complete(lambda: plain.run(self, gas, pays=pays), *called)
            self.is_counted = False  # a guess may run other lines than the call does
            try:
                fork.speculation.complete(lambda: plain.run(self, gas, pays=pays), *called)
            finally:
                self.is_counted = True
            return plain.run(self, gas, pays=pays)

    return ForkCall
