"""The Rootstock block header: fields, RLP order, hash."""

from __future__ import annotations

from typing import Any, cast

import rlp
from eth.abc import BlockHeaderAPI
from eth.constants import BLANK_ROOT_HASH, EMPTY_UNCLE_HASH
from eth.rlp.sedes import address, hash32, trie_root, uint256
from eth_hash.auto import keccak
from rlp.sedes import big_endian_int, binary

from devchain.types import ZERO_ADDRESS, ZERO_HASH

# The last field is absent from the hash that merged mining commits to.
_MERGED_MINING_FIELDS = 1


class RootstockHeader(rlp.Serializable, BlockHeaderAPI):  # type: ignore[misc]  # rlp is untyped
    """A block header in the field order of the Rootstock node.

    `bitcoin_merged_mining_header` is empty as long as the block has not been merged-mined.
    """

    fields = (
        ("parent_hash", hash32),
        ("uncles_hash", hash32),
        ("coinbase", address),
        ("state_root", trie_root),
        ("transaction_root", trie_root),
        ("receipt_root", trie_root),
        ("bloom", uint256),
        ("difficulty", big_endian_int),
        ("block_number", big_endian_int),
        ("gas_limit", big_endian_int),
        ("gas_used", big_endian_int),
        ("timestamp", big_endian_int),
        ("extra_data", binary),
        ("paid_fees", big_endian_int),
        ("minimum_gas_price", big_endian_int),
        ("uncle_count", big_endian_int),
        ("bitcoin_merged_mining_header", binary),
    )

    def __init__(self, **values: Any) -> None:
        """Fill in what is not said with the values of an empty block."""
        super().__init__(**(_EMPTY | values))

    @property
    def hash(self) -> Any:
        """Keccak-256 of the RLP of the header."""
        return _memo(self, "_hash", lambda: keccak(rlp.encode(self)))

    @property
    def hash_for_merged_mining(self) -> bytes:
        """What a bitcoin miner commits to: the hash without the merged-mining fields."""
        items = rlp.decode(rlp.encode(self))[:-_MERGED_MINING_FIELDS]
        return keccak(rlp.encode(items))

    # What py-evm asks of every header and Rootstock answers with another field.

    @property
    def mining_hash(self) -> Any:
        """The hash that sealing commits to."""
        return self.hash_for_merged_mining

    @property
    def hex_hash(self) -> str:
        """The hash as 0x hex."""
        return f"0x{self.hash.hex()}"

    # Constants: Rootstock has no Ethash, its proof of work is in the bitcoin header.
    mix_hash = ZERO_HASH
    nonce = bytes(8)

    @property
    def base_fee_per_gas(self) -> int:
        """What BASEFEE returns (RSKIP412): the block's minimum gas price."""
        return cast(int, self.minimum_gas_price)

    @property
    def is_genesis(self) -> bool:
        """Whether this is block zero."""
        return bool(self.block_number == 0)

    # Fields of Ethereum's later headers that py-evm's interface declares.
    withdrawals_root = None
    blob_gas_used = 0
    excess_blob_gas = 0
    parent_beacon_block_root = None
    requests_hash = None


_EMPTY: dict[str, Any] = {
    "parent_hash": ZERO_HASH,
    "uncles_hash": EMPTY_UNCLE_HASH,
    "coinbase": ZERO_ADDRESS,
    "state_root": BLANK_ROOT_HASH,
    "transaction_root": BLANK_ROOT_HASH,
    "receipt_root": BLANK_ROOT_HASH,
    "bloom": 0,
    "difficulty": 1,
    "block_number": 0,
    "gas_limit": 0,
    "gas_used": 0,
    "timestamp": 0,
    "extra_data": b"",
    "paid_fees": 0,
    "minimum_gas_price": 0,
    "uncle_count": 0,
    "bitcoin_merged_mining_header": b"",
}


def _memo(header: Any, name: str, compute: Any) -> Any:
    if name not in header.__dict__:
        header.__dict__[name] = compute()
    return header.__dict__[name]
