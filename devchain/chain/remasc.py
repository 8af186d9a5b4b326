"""REMASC: collects the fees of blocks, and pays them to miners and federation when they mature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import rlp
from eth.rlp.sedes import address as address_sedes
from eth_hash.auto import keccak
from rlp.sedes import big_endian_int, binary

from devchain.chain.block import Log
from devchain.chain.transaction import Transaction
from devchain.types import ZERO_ADDRESS, Address, Hash32

REMASC_ADDRESS = Address(bytes.fromhex("0000000000000000000000000000000001000008"))
"""The account that fees go to, and the contract that the closing transaction calls."""

# The contract's storage: a slot is named by ASCII text.
REWARD_SLOT = int.from_bytes(b"rewardBalance", "big")
FEDERATION_SLOT = int.from_bytes(b"federationBalance", "big")


# Rules


@dataclass(frozen=True, slots=True)
class RemascRules:
    """How a network distributes its fees.

    A block's fees join the pool `maturity` blocks later; each block pays the `span`-th part of
    the pool. Of that the labs get the `labs_divisor`-th part, of the rest the federators the
    `federation_divisor`-th, and the miner what remains. What would be less than the price of
    `least_gas` (`least_federator_gas` for one federator), at the paying block's minimum gas
    price, is kept for a later block (RSKIP85).
    """

    maturity: int
    span: int
    labs: Address
    federators: tuple[Address, ...]
    labs_divisor: int = 5
    federation_divisor: int = 100
    least_gas: int = 200_000
    least_federator_gas: int = 50_000


def _addresses(text: str) -> tuple[Address, ...]:
    return tuple(Address(bytes.fromhex(word)) for word in text.split())


# The genesis federation: the members before any federation change.
_LOCAL_FEDERATORS = _addresses("""
    85845342b0d5260d516d6da5280a7df9a96d1925
    138161cda86b55c0de1bc3a0adef974633c85fbe
    6b045752f4d650a510a353bbf7e52988331e7f5b
""")
_TEST_FEDERATORS = _addresses("""
    9a3bfdea2245738dd5f25453d13742350a4f1c6e
    4495768e683423a4299d6a7f02a0689a6ff5a0a4
    0345174501d5f6fc7926377b63317c4ad7215905
    13bcf2c2342b6eaa24119f9690aca0d718f384ff
""")
_MAIN_FEDERATORS = _addresses("""
    0a1d7f3c50dae072b019eff0f306ae1613b56b3c
    1e01385c6d522583575f60fee384f30405ffae01
    ee877101e4e5758930222e6605cbd0a19e8ad981
    2c40fc683ee04c1b918635005ae7c89e1eb7b1f1
    304660d1beeb0918b7b3f7657d8418686cb578b1
    67af698c927ae574fb43d45a50522c207f81100f
    f006f6202e0c29ef2e3b1532d2307427864ed77a
    e4945372d758650275e23fa90f754d0f67fa66e2
    32c865f2dbf36ce6f4cfcb624b559ef98b33a2d1
    1888fa870b97a4845a6a1f7eee4ebb507dbe0967
    0474f314fef5373fd2afaafdcd7a8bdec1ab4309
    530aad5be57e9be2084881b1d84f2a30e896ae36
    f74b7e0d5bdd14eaedf725bb1549ce14abeb71dd
    abb1d944a0dc0ead5a36b31087bd1fc31726e674
    571dde4b32017efaad8dc0c9fa9b748096c036a2
""")
_MAIN_LABS, _TEST_LABS, _DEV_LABS, _LOCAL_LABS = _addresses("""
    dcb12179ba4697350f66224c959bdd9c282818df
    dabadabadabadabadabadabadabadabadaba0003
    dabadabadabadabadabadabadabadabadaba0002
    dabadabadabadabadabadabadabadabadaba0001
""")

REMASC_RULES = {
    "main": RemascRules(4000, 10, _MAIN_LABS, _MAIN_FEDERATORS),
    "test": RemascRules(50, 10, _TEST_LABS, _TEST_FEDERATORS),
    # The node has no federation for this network: the local one is used.
    "dev": RemascRules(20, 10, _DEV_LABS, _LOCAL_FEDERATORS),
    "local": RemascRules(10, 5, _LOCAL_LABS, _LOCAL_FEDERATORS),
}
"""The networks' rules as of the newest upgrade."""


# The closing transaction


class _ZeroByte:
    """Zero as one zero byte: the node encodes it so here, and as an empty string elsewhere."""

    @staticmethod
    def serialize(_value: int) -> bytes:
        return b"\0"

    @staticmethod
    def deserialize(_serial: bytes) -> int:
        return 0


class ClosingTransaction(rlp.Serializable):  # type: ignore[misc]  # rlp is untyped
    """The unsigned last transaction of a block, with the fields of a signed one."""

    fields = (
        ("nonce", big_endian_int),
        ("gas_price", _ZeroByte),
        ("gas", _ZeroByte),
        ("to", address_sedes),
        ("value", big_endian_int),
        ("data", binary),
        ("v", big_endian_int),
        ("r", big_endian_int),
        ("s", big_endian_int),
    )
    sender = ZERO_ADDRESS

    def encode(self) -> bytes:
        return bytes(rlp.encode(self))

    @property
    def hash(self) -> bytes:
        return bytes(keccak(self.encode()))


def is_closing(tx: Transaction) -> bool:
    return isinstance(tx.signed, ClosingTransaction)


def closing_transaction(number: int) -> Transaction:
    signed: Any = ClosingTransaction(number - 1, 0, 0, REMASC_ADDRESS, 0, b"", 0, 0, 0)
    return Transaction(
        hash=Hash32(signed.hash),
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
        raw=signed.encode(),
        signed=signed,
    )


# Paying


@dataclass(frozen=True, slots=True)
class Remasc:
    """REMASC's rules, and the headers of earlier blocks by number."""

    rules: RemascRules
    find_header: Callable[[int], Any]


def pay(remasc: Remasc, state: Any, header: Any) -> list[Log]:
    """Apply the closing transaction of that header's block; its logs, one for each payment.

    The py-evm state is as the block's other transactions left it, their fees on the account of
    REMASC; blocks have no uncles.
    """
    rules = remasc.rules
    matured = header.block_number - rules.maturity
    if matured < 1:
        return []
    rewarded = remasc.find_header(matured)
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
    for_each, rest = divmod(due, len(rules.federators))
    if for_each >= header.minimum_gas_price * rules.least_federator_gas:
        *others, last = rules.federators
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
