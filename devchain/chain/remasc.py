"""REMASC: collects the fees of blocks, and pays them to miners and federation when they mature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import rlp
from eth_hash.auto import keccak
from rlp.sedes import big_endian_int, binary

from devchain.chain.block import Log
from devchain.chain.transaction import Transaction
from devchain.evm.rootstock.precompiles.chain_contracts import REMASC_ADDRESS
from devchain.types import ZERO_ADDRESS, Address, Hash32

# The contract's storage: a slot is named by ASCII text.
REWARD_SLOT = int.from_bytes(b"rewardBalance", "big")
FEDERATION_SLOT = int.from_bytes(b"federationBalance", "big")


# Rules


@dataclass(frozen=True, slots=True)
class RemascRules:
    """How a network distributes its fees.

    A block's fees join the pool `maturity` blocks later. Each block pays the `span`-th part of the
    pool. The labs get the `labs_divisor`-th part of that, the federators the
    `federation_divisor`-th part of the rest, and the miner what remains. A payment below the price
    of `least_gas` (`least_federator_gas` for one federator), at the paying block's minimum gas
    price, is kept for a later block (RSKIP85).
    """

    maturity: int
    span: int
    labs: Address
    labs_divisor: int = 5
    federation_divisor: int = 100
    least_gas: int = 200_000
    least_federator_gas: int = 50_000


@cache
def remasc_rules(network: str) -> RemascRules:
    """The rules of a network as of its newest upgrade."""
    maturity, span, labs = {
        "main": (4000, 10, "dcb12179ba4697350f66224c959bdd9c282818df"),
        "test": (50, 10, "dabadabadabadabadabadabadabadabadaba0003"),
        "dev": (20, 10, "dabadabadabadabadabadabadabadabadaba0002"),
        "local": (10, 5, "dabadabadabadabadabadabadabadabadaba0001"),
    }[network]
    return RemascRules(maturity, span, Address(bytes.fromhex(labs)))


# The closing transaction


@dataclass(frozen=True, slots=True)
class ClosingTransaction:
    """The unsigned last transaction of a block, with the fields of a signed one."""

    nonce: int
    to: Address = REMASC_ADDRESS
    data: bytes = b""
    gas_price: ClassVar = 0
    gas: ClassVar = 0
    sender: ClassVar = ZERO_ADDRESS

    def encode(self) -> bytes:
        zero = b"\0"  # the node encodes price and gas so here, as an empty string elsewhere
        return bytes(rlp.encode([self.nonce, zero, zero, self.to, 0, self.data, 0, 0, 0]))


def is_closing(tx: Transaction) -> bool:
    return isinstance(tx.signed, ClosingTransaction)


def closing_transaction(number: int) -> Transaction:
    signed = ClosingTransaction(number - 1)
    raw = signed.encode()
    return Transaction(
        hash=Hash32(keccak(raw)),
        sender=ZERO_ADDRESS,
        nonce=signed.nonce,
        gas_price=0,
        gas=0,
        to=REMASC_ADDRESS,
        value=0,
        data=b"",
        v=0,
        r=0,
        s=0,
        raw=raw,
        signed=signed,
    )


# Paying


def pay(
    rules: RemascRules,
    find_header: Callable[[int], Any],
    find_federators: Callable[[Any, int], tuple[Address, ...]],
    state: Any,
    header: Any,
) -> list[Log]:
    """Apply the closing transaction of that header's block; its logs, one for each payment.

    `find_header` gives those of earlier blocks, `find_federators` the accounts of the federation
    that is active in a state as of a block number. The py-evm state is as the block's other
    transactions left it, their fees on the account of REMASC; blocks have no uncles.
    """
    matured = header.block_number - rules.maturity
    if matured < 1:
        return []
    rewarded = find_header(matured)
    pool = state.get_storage(REMASC_ADDRESS, REWARD_SLOT) + rewarded.paid_fees
    state.set_storage(REMASC_ADDRESS, REWARD_SLOT, pool)
    share = pool // rules.span
    if matured < rules.span or share < header.minimum_gas_price * rules.least_gas:
        return []
    kept_for_federation = state.get_storage(REMASC_ADDRESS, FEDERATION_SLOT)
    if state.get_balance(REMASC_ADDRESS) < share + kept_for_federation:
        return []  # a caller has set the account's balance
    state.set_storage(REMASC_ADDRESS, REWARD_SLOT, pool - share)
    for_labs = share // rules.labs_divisor
    for_federation = (share - for_labs) // rules.federation_divisor
    payments = [(rules.labs, for_labs)]
    due = kept_for_federation + for_federation
    *others, last = find_federators(state, matured)
    for_each, rest = divmod(due, len(others) + 1)
    if for_each >= header.minimum_gas_price * rules.least_federator_gas:
        payments += [(federator, for_each) for federator in others]
        payments.append((last, for_each + rest))
        due = 0
    state.set_storage(REMASC_ADDRESS, FEDERATION_SLOT, due)
    payments.append((rewarded.coinbase, share - for_labs - for_federation))
    for receiver, amount in payments:
        if amount:
            state.set_balance(REMASC_ADDRESS, state.get_balance(REMASC_ADDRESS) - amount)
            state.set_balance(receiver, state.get_balance(receiver) + amount)
    return [
        Log(
            REMASC_ADDRESS,
            (_MINING_FEE, Hash32(receiver.rjust(32, b"\0"))),
            rlp.encode([rewarded.hash, amount]),
        )
        for receiver, amount in payments
    ]


_MINING_FEE = Hash32(b"mining_fee_topic".rjust(32, b"\0"))


@dataclass(frozen=True, slots=True)
class Payment:
    """A payment of REMASC, in wei, for the fees of the block with that hash."""

    receiver: Address
    block_hash: Hash32
    amount: int


def read_payment(log: Log) -> Payment | None:
    if log.address != REMASC_ADDRESS or len(log.topics) != 2 or log.topics[0] != _MINING_FEE:
        return None
    try:
        block_hash, amount = rlp.decode(log.data, rlp.sedes.List([binary, big_endian_int]))
    except rlp.RLPException:
        return None
    return Payment(Address(log.topics[1][-20:]), Hash32(block_hash), amount)
