"""Rootstock's block header: fields, RLP encoding, block hash, hash for merged mining."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, ClassVar, Self

import rlp
from eth.constants import BLANK_ROOT_HASH, EMPTY_UNCLE_HASH

from devchain.state.keccak import keccak
from devchain.state.rlp import encode_bytes, encode_int, encode_signed, wrap
from devchain.types import ZERO_ADDRESS, ZERO_HASH

BITCOIN_HEADER_SIZE = 80
COMMITTED_PREFIX = 20  # bytes of the hash for merged mining without fork detection data
_BLOOM_SIZE = 256
_BLOOM_HEAD = b"\xb9\x01\x00"
_NO_BLOOM = _BLOOM_HEAD + bytes(_BLOOM_SIZE)
HASH_HEAD = b"\xa0"


@dataclass(slots=True)
class RootstockHeader:
    """A block header, its fields in the order of their encoding. Treat it as immutable.

    (A frozen dataclass takes twice as long to create.) `umm_root` is None before Papyrus and empty
    since; `bitcoin_merged_mining_header` is empty until the block is merged-mined. `fork_data`
    (fork detection data, RSKIP110) is not encoded: it appears in the Bitcoin coinbase only.
    """

    shows_base_fee: ClassVar[bool] = False  # whether blocks have `baseFeePerGas`, 0, in JSON-RPC

    parent_hash: bytes = ZERO_HASH
    uncles_hash: bytes = EMPTY_UNCLE_HASH
    coinbase: bytes = ZERO_ADDRESS
    state_root: bytes = BLANK_ROOT_HASH
    transaction_root: bytes = BLANK_ROOT_HASH
    receipt_root: bytes = BLANK_ROOT_HASH
    bloom: int = 0
    difficulty: int = 1
    block_number: int = 0
    gas_limit: int = 0
    gas_used: int = 0
    timestamp: int = 0
    extra_data: bytes = b""
    paid_fees: int = 0
    minimum_gas_price: int = 0
    uncle_count: int = 0
    umm_root: bytes | None = None
    bitcoin_merged_mining_header: bytes = b""
    fork_data: bytes = field(default=b"", compare=False)
    _hash: bytes | None = field(default=None, init=False, repr=False, compare=False)

    # Encoding

    def encode(self) -> bytes:
        """RLP of the header; its keccak-256 is the block hash."""
        proof = self.bitcoin_merged_mining_header
        return wrap(self._before_proof() + (encode_bytes(proof) if proof else b""))

    def _before_proof(self) -> bytes:
        bloom, gas_limit = self.bloom, self.gas_limit
        return b"".join(
            (
                HASH_HEAD,
                self.parent_hash,
                HASH_HEAD,
                self.uncles_hash,
                encode_bytes(b"" if self.coinbase == ZERO_ADDRESS else self.coinbase),
                HASH_HEAD,
                self.state_root,
                HASH_HEAD,
                self.transaction_root,
                HASH_HEAD,
                self.receipt_root,
                _BLOOM_HEAD + bloom.to_bytes(_BLOOM_SIZE, "big") if bloom else _NO_BLOOM,
                encode_signed(self.difficulty),
                encode_int(self.block_number),
                # The genesis block has it unsigned, every other block as a Java BigInteger.
                encode_signed(gas_limit) if self.block_number else encode_int(gas_limit),
                encode_int(self.gas_used),
                encode_int(self.timestamp),
                encode_bytes(self.extra_data),
                encode_int(self.paid_fees),
                encode_signed(self.minimum_gas_price),
                encode_int(self.uncle_count),
                b"" if self.umm_root is None else encode_bytes(self.umm_root),
            )
        )

    @property
    def hash(self) -> bytes:
        if self._hash is None:
            self._hash = keccak(self.encode())
        return self._hash

    @property
    def hash_for_merged_mining(self) -> bytes:
        """Hash that a Bitcoin miner commits to: without the proof, with fork detection data."""
        return self._merged_mining_hash(self._before_proof())

    def _merged_mining_hash(self, encoded: bytes) -> bytes:
        base = keccak(wrap(encoded))
        return base[:COMMITTED_PREFIX] + self.fork_data if self.fork_data else base

    # Changed copies

    def as_dict(self) -> dict[str, Any]:
        return dict(zip(_NAMES, _VALUES(self), strict=True))

    def copy(self, **changes: Any) -> Self:
        copied = type(self)(*_VALUES(self))
        for name, value in changes.items():
            setattr(copied, name, value)
        return copied

    def committed(self, seal: Callable[[bytes], bytes]) -> Self:
        """A copy with the Bitcoin header that `seal` returns for the hash for merged mining.

        The fields that both hashes cover are encoded once.
        """
        encoded = self._before_proof()
        proof = seal(self._merged_mining_hash(encoded))
        sealed = self.copy(bitcoin_merged_mining_header=proof)
        sealed._hash = keccak(wrap(encoded + encode_bytes(proof)))  # noqa: SLF001  # of this class
        return sealed

    # Interface of an rlp sedes: header lists in blocks are encoded and decoded with it.

    @classmethod
    def serialize(cls, header: RootstockHeader) -> Any:
        return rlp.decode(header.encode())

    @classmethod
    def deserialize(cls, items: Any) -> RootstockHeader:
        """The header of a list of encoded fields; raises `rlp.DeserializationError`."""
        has_proof = bool(items) and len(items[-1]) == BITCOIN_HEADER_SIZE
        values = items[:-1] if has_proof else items
        if len(values) not in (len(_ENCODED) - 1, len(_ENCODED)):
            raise rlp.DeserializationError(
                f"a header has {len(_ENCODED)} or {len(_ENCODED) - 1} fields, not {len(values)}",
                items,
            )
        known: dict[str, Any] = {
            name: int.from_bytes(value, "big") if name in _NUMBERS else bytes(value)
            for name, value in zip(_ENCODED, values, strict=False)
        }
        known["coinbase"] = known["coinbase"] or ZERO_ADDRESS
        return cls(**known, bitcoin_merged_mining_header=bytes(items[-1]) if has_proof else b"")

    # Fields of Ethereum headers that py-evm reads.

    @property
    def mix_hash(self) -> bytes:
        """Zero: the proof of work is in the Bitcoin header."""
        return ZERO_HASH

    @property
    def nonce(self) -> bytes:
        return bytes(8)

    @property
    def base_fee_per_gas(self) -> int:
        """The minimum gas price of the block, which BASEFEE returns (RSKIP412)."""
        return self.minimum_gas_price


class TypedTransactionsHeader(RootstockHeader):
    """The header of a block that may have typed transactions (RSKIP546)."""

    __slots__ = ()
    shows_base_fee = True


_FIELDS = [each for each in fields(RootstockHeader) if each.init]
_NAMES = [each.name for each in _FIELDS]
FIELDS = frozenset(_NAMES)
_VALUES = attrgetter(*_NAMES)
_ENCODED = _NAMES[: _NAMES.index("bitcoin_merged_mining_header")]
_NUMBERS = {each.name for each in _FIELDS if each.type == "int"}
