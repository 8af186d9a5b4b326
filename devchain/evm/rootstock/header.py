"""The Rootstock block header: fields, RLP, hashes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, Self

import rlp
from eth.constants import BLANK_ROOT_HASH, EMPTY_UNCLE_HASH
from eth_hash.auto import keccak

from devchain.state.rlp import encode_bytes, encode_int, encode_signed, wrap
from devchain.types import ZERO_ADDRESS, ZERO_HASH

BITCOIN_HEADER_SIZE = 80
COMMITTED_PREFIX = 20
"""Bytes of the hash for merged mining that stay when fork detection data takes its end."""

_BLOOM_SIZE = 256
_BLOOM_HEAD = b"\xb9\x01\x00"
_NO_BLOOM = _BLOOM_HEAD + bytes(_BLOOM_SIZE)
_HASH_HEAD = b"\xa0"


@dataclass(slots=True, kw_only=True)
class RootstockHeader:
    """A block header in the field order of the Rootstock node; a value, never changed.

    It is not frozen since that doubles the time of making one. `umm_root` is None before Papyrus
    and empty since; `bitcoin_merged_mining_header` is empty as long as the block has not been
    merged-mined. `fork_data` (RSKIP110) is no field: it is told in the bitcoin coinbase alone.
    """

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
        """Its RLP, whose keccak-256 is the block's hash."""
        proof = self.bitcoin_merged_mining_header
        return wrap(self._before_proof() + (encode_bytes(proof) if proof else b""))

    def _before_proof(self) -> bytes:
        """The fields that the hash for merged mining covers, encoded one after the other."""
        bloom, gas_limit = self.bloom, self.gas_limit
        return b"".join(
            (
                _HASH_HEAD,
                self.parent_hash,
                _HASH_HEAD,
                self.uncles_hash,
                _address(self.coinbase),
                _HASH_HEAD,
                self.state_root,
                _HASH_HEAD,
                self.transaction_root,
                _HASH_HEAD,
                self.receipt_root,
                _BLOOM_HEAD + bloom.to_bytes(_BLOOM_SIZE, "big") if bloom else _NO_BLOOM,
                encode_signed(self.difficulty),
                encode_int(self.block_number),
                # Genesis has it as a file tells it, every other block as Java does.
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
        """Keccak-256 of the RLP of the header."""
        if self._hash is None:
            self._hash = keccak(self.encode())
        return self._hash

    @property
    def hash_for_merged_mining(self) -> bytes:
        """What a bitcoin miner commits to: the hash without the proof, and fork detection data."""
        return self._hash_of_uncommitted(self._before_proof())

    def _hash_of_uncommitted(self, encoded: bytes) -> bytes:
        base = keccak(wrap(encoded))
        return base[:COMMITTED_PREFIX] + self.fork_data if self.fork_data else base

    # Changed copies

    def copy(self, **changes: Any) -> Self:
        """The header with other values in some fields."""
        return type(self)(**(dict(zip(_NAMES, _VALUES(self), strict=True)) | changes))

    def committed(self, seal: Callable[[bytes], bytes]) -> Self:
        """The header with the bitcoin header that `seal` makes for its hash for merged mining.

        What both hashes cover is encoded once.
        """
        encoded = self._before_proof()
        proof = seal(self._hash_of_uncommitted(encoded))
        sealed = self.copy(bitcoin_merged_mining_header=proof)
        sealed._hash = keccak(wrap(encoded + encode_bytes(proof)))  # noqa: SLF001  # of this class
        return sealed

    # What rlp asks of whatever stands in a list it writes or reads.

    @classmethod
    def serialize(cls, header: RootstockHeader) -> Any:
        """The header as rlp's lists have it."""
        return rlp.decode(header.encode())

    @classmethod
    def deserialize(cls, items: Any) -> RootstockHeader:
        """The header that such a list is."""
        has_proof = bool(items) and len(items[-1]) == BITCOIN_HEADER_SIZE
        values = items[:-1] if has_proof else items
        if len(values) not in (len(_ENCODED) - 1, len(_ENCODED)):
            msg = f"a header has {len(_ENCODED)} or {len(_ENCODED) - 1} fields, not {len(values)}"
            raise rlp.DeserializationError(msg, items)
        known: dict[str, Any] = {
            name: int.from_bytes(value, "big") if name in _NUMBERS else bytes(value)
            for name, value in zip(_ENCODED, values, strict=False)
        }
        known["coinbase"] = known["coinbase"] or ZERO_ADDRESS
        return cls(**known, bitcoin_merged_mining_header=bytes(items[-1]) if has_proof else b"")

    # What py-evm asks of every header and Rootstock answers with another field.

    @property
    def mining_hash(self) -> bytes:
        """The hash that sealing commits to."""
        return self.hash_for_merged_mining

    @property
    def hex_hash(self) -> str:
        """The hash as 0x hex."""
        return f"0x{self.hash.hex()}"

    @property
    def mix_hash(self) -> bytes:
        """Zero: Rootstock has no Ethash, its proof of work is in the bitcoin header."""
        return ZERO_HASH

    @property
    def nonce(self) -> bytes:
        """Zero, as `mix_hash`."""
        return bytes(8)

    @property
    def base_fee_per_gas(self) -> int:
        """What BASEFEE returns (RSKIP412): the block's minimum gas price."""
        return self.minimum_gas_price

    @property
    def is_genesis(self) -> bool:
        """Whether this is block zero."""
        return self.block_number == 0


_FIELDS = [each for each in fields(RootstockHeader) if each.init]
_NAMES = [each.name for each in _FIELDS]
FIELDS = frozenset(_NAMES)
_VALUES = attrgetter(*_NAMES)
_ENCODED = _NAMES[: _NAMES.index("bitcoin_merged_mining_header")]
_NUMBERS = {each.name for each in _FIELDS if each.type == "int"}


def _address(address: bytes) -> bytes:
    """An address, of which the node writes the zero one as nothing."""
    return encode_bytes(b"" if address == ZERO_ADDRESS else address)
