"""The chain that execution-apis' conformance tests were recorded on, executed again and served.

`genesis.json` and `chain.rlp` have a block for each of Ethereum's hardforks from Frontier to Osaka.
Executing them gives what the recorded node had beside them: states, receipts, logs and proofs.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import rlp
from eth.constants import BLANK_ROOT_HASH, EMPTY_UNCLE_HASH

from devchain.chain.block import Block, MinedLog, Receipt, mined_logs
from devchain.chain.genesis import read_accounts, write_accounts
from devchain.chain.storage.block_store import log_matches
from devchain.chain.transaction import BLOB, Transaction
from devchain.config import Config
from devchain.evm.headers import encode_header
from devchain.evm.rules import Rules
from devchain.rpc.json_codec import encode
from devchain.rpc.object_decoders import log_query
from devchain.rpc.result_objects import (
    block_object,
    log_object,
    proof_object,
    receipt_object,
    transaction_object,
)
from devchain.rpc.scalar_decoders import DecodeContext
from devchain.state.keccak import keccak
from devchain.state.rlp import wrap
from devchain.state.state_database import open_database
from devchain.state.state_view import StateView
from devchain.types import Address, Hash32
from tests.upstream.server import FakeUpstream
from tests.vectors.block_tests import (
    ImportedChain,
    _checking,
    _decode_block,
    decode_string,
    split_list,
)

SHARED = Path(__file__).parents[2] / "shared/conformance/execution-apis/recorded"
FOLDER = Path(os.environ.get("RECORDED_ETHEREUM") or SHARED)
"""`tests` of ethereum/execution-apis, or a folder with its chain beside a folder `tests`."""
TESTS = FOLDER / "tests" if (FOLDER / "tests").is_dir() else FOLDER
IS_AVAILABLE = (FOLDER / "chain.rlp").is_file()

CONFIG_NAMES = {
    "homesteadBlock": "homestead",
    "eip150Block": "tangerinewhistle",
    "eip158Block": "spuriousdragon",
    "byzantiumBlock": "byzantium",
    "constantinopleBlock": "constantinople",
    "petersburgBlock": "petersburg",
    "istanbulBlock": "istanbul",
    "muirGlacierBlock": "muirglacier",
    "berlinBlock": "berlin",
    "londonBlock": "london",
    "arrowGlacierBlock": "arrowglacier",
    "grayGlacierBlock": "grayglacier",
    "mergeNetsplitBlock": "paris",
    "shanghaiTime": "shanghai",
    "cancunTime": "cancun",
    "pragueTime": "prague",
    "osakaTime": "osaka",
}
"""Members of a genesis file's `config`, oldest first: the hardfork that begins there."""


class Schedule(NamedTuple):
    """The first block or timestamp of each hardfork, by the member of `config`."""

    config: dict[str, int]

    def rules(self, number: int, timestamp: int) -> Rules:
        """The rules of the block with that number and timestamp."""
        hardfork = "frontier"
        for member, name in CONFIG_NAMES.items():
            at = timestamp if member.endswith("Time") else number
            if at >= self.config[member]:
                hardfork = name
        return _checking(hardfork, "fast")


class ValidBlocks(ImportedChain):
    """A chain of blocks that are known to be valid, which may have uncles."""

    def append(self, encoded: bytes) -> None:
        """Execute a block; raises `BlockRejected` if another header results."""
        self._append(self._build(_decode_block(encoded, self._schedule), self.head))


class RecordedChain(FakeUpstream):
    """The recorded chain as a node with the state of every block, to fork from."""

    def __init__(self) -> None:
        """Execute all blocks; each has to end with the recorded header."""
        super().__init__()
        self.results = {
            "eth_chainId": lambda: self.chain_id,
            "eth_blockNumber": lambda: self.blocks[-1].number,
            "web3_clientVersion": "Geth/v1.16.0-stable/linux-amd64/go1.24.4",
            "eth_getBlockByNumber": self._block_by_number,
            "eth_getBlockByHash": self._block_by_hash,
            "debug_getRawHeader": lambda block_hash: encode_header(
                self._by_hash[block_hash].header
            ),
            "debug_getRawBlock": lambda block_hash: self._raw(self._by_hash[block_hash]),
            "eth_getTransactionByHash": self._transaction,
            "eth_getTransactionReceipt": self._receipt,
            "eth_getLogs": self._logs,
            "eth_getBalance": self._balance,
            "eth_getTransactionCount": self._nonce,
            "eth_getCode": self._code,
            "eth_getStorageAt": self._storage,
            "eth_getProof": self._proof,
        }
        genesis = json.loads((FOLDER / "genesis.json").read_text(encoding="utf-8"))
        config = genesis["config"]
        self.chain_id: int = config["chainId"]
        self._chain = ValidBlocks(Schedule(config), "fast", self.chain_id)  # type: ignore[arg-type]
        accounts = read_accounts(genesis["alloc"], "alloc")
        root = write_accounts(open_database("fast"), accounts).root
        self._chain.start(_genesis_block(genesis, root), accounts)
        self.blocks: list[Block] = [self._chain.head]
        self._encoded = [b"", *split_list(wrap((FOLDER / "chain.rlp").read_bytes()))]
        for encoded in self._encoded[1:]:
            self._chain.append(encoded)
            self.blocks.append(self._chain.head)

    @property
    def hardforks(self) -> tuple[str, ...]:
        """The first block of each hardfork, as `fork_hardfork` has them."""
        schedule = self._chain._schedule
        rules = [schedule.rules(block.number, block.timestamp) for block in self.blocks]
        first: dict[str, int] = {}
        for block, each in zip(self.blocks, rules, strict=True):
            first.setdefault(each.hardfork, block.number)
        return tuple(f"{name}@{number}" for name, number in first.items())

    # The answers

    def answer(self, call: dict[str, Any]) -> dict[str, Any]:
        """The response to a call; an unknown method is an error."""
        response = super().answer(call)
        return (
            response if "error" in response else response | {"result": encode(response["result"])}
        )

    def _block_by_number(self, number: str, full: bool) -> Any:
        return self._shown(self._block(number), full=full)

    def _block_by_hash(self, block_hash: str, full: bool) -> Any:
        block = self._by_hash.get(block_hash)
        return self._shown(block, full=full) if block else None

    def _raw(self, block: Block) -> bytes:
        return self._encoded[block.number] or wrap(encode_header(block.header) + b"\xc0\xc0")

    def _transaction(self, transaction_hash: str) -> Any:
        found = self._receipts.get(transaction_hash)
        return _transaction(found[1].transaction, *found) if found else None

    def _receipt(self, transaction_hash: str) -> Any:
        found = self._receipts.get(transaction_hash)
        return _receipt(*found) if found else None

    def _logs(self, query: Any) -> Any:
        wanted = log_query(query, DecodeContext.from_config(Config()))
        first, last = int(query["fromBlock"], 16), int(query["toBlock"], 16)
        return [
            log_object(mined)
            for block in self.blocks[first : last + 1]
            for mined in _logs(block)
            if log_matches(mined.log, wanted)
        ]

    def _balance(self, address: str, block: str) -> int:
        return self._state(block).balance(_address(address))

    def _nonce(self, address: str, block: str) -> int:
        return self._state(block).nonce(_address(address))

    def _code(self, address: str, block: str) -> bytes:
        return self._state(block).code(_address(address))

    def _storage(self, address: str, slot: str, block: str) -> bytes:
        return self._state(block).storage(_address(address), int(slot, 16)).to_bytes(32)

    def _proof(self, address: str, slots: list[str], block: str) -> Any:
        proof = self._state(block).proof(_address(address), [int(slot, 16) for slot in slots])
        return proof_object(proof, slots)

    def _block(self, number: str) -> Block:
        return self.blocks[int(number, 16)]

    def _state(self, number: str) -> StateView:
        root, database = self._block(number).state_root, self._chain._database
        return StateView(database.accounts(root), database, root)

    @cached_property
    def _by_hash(self) -> dict[str, Block]:
        return {f"0x{block.hash.hex()}": block for block in self.blocks}

    @cached_property
    def _receipts(self) -> dict[str, tuple[Block, Receipt]]:
        return {
            f"0x{receipt.transaction.hash.hex()}": (block, receipt)
            for block in self.blocks
            for receipt in block.receipts
        }

    def _shown(self, block: Block, *, full: bool) -> Any:
        shown = block_object(block, full=full)
        if full:
            shown["transactions"] = [
                _transaction(receipt.transaction, block, receipt) for receipt in block.receipts
            ]
        encoded = self._raw(block)
        shown["size"] = len(encoded)
        shown["uncles"] = list(map(keccak, split_list(split_list(encoded)[2])))
        for item in split_list(encoded)[3:4]:  # withdrawals, since Shanghai
            shown["withdrawals"] = [_withdrawal(split_list(each)) for each in split_list(item)]
        return shown


def _genesis_block(genesis: dict[str, Any], root: Hash32) -> bytes:
    def value(name: str) -> bytes:
        digits = genesis[name][2:]
        return bytes.fromhex(digits.zfill(len(digits) + len(digits) % 2))

    numbers = [
        value(name).lstrip(b"\0")
        for name in ("difficulty", "number", "gasLimit", "gasUsed", "timestamp")
    ]
    roots = [EMPTY_UNCLE_HASH, value("coinbase"), root, BLANK_ROOT_HASH, BLANK_ROOT_HASH]
    seal = [value("extraData"), value("mixHash"), value("nonce").rjust(8, b"\0")]
    return bytes(rlp.encode([[value("parentHash"), *roots, bytes(256), *numbers, *seal], [], []]))


def _withdrawal(fields: list[bytes]) -> dict[str, Any]:
    index, validator, address, amount = map(decode_string, fields)
    return {
        "index": int.from_bytes(index),
        "validatorIndex": int.from_bytes(validator),
        "address": address,
        "amount": int.from_bytes(amount),
    }


def _transaction(tx: Transaction, block: Block, receipt: Receipt) -> Any:
    shown = transaction_object(tx, block, receipt.index)
    if tx.signed.chain_id is not None:
        shown["chainId"] = tx.signed.chain_id
    if tx.type == BLOB:
        shown["maxFeePerBlobGas"] = tx.signed.max_fee_per_blob_gas
        shown["blobVersionedHashes"] = list(tx.signed.blob_versioned_hashes)
    return shown


def _receipt(block: Block, receipt: Receipt) -> Any:
    shown = receipt_object(block, receipt)
    if receipt.transaction.type == BLOB:
        hashes = receipt.transaction.signed.blob_versioned_hashes
        shown |= {"blobGasUsed": len(hashes) << 17, "blobGasPrice": 1}
    return shown


def _logs(block: Block) -> Iterator[MinedLog]:
    for receipt in block.receipts:
        yield from mined_logs(block, receipt)


def _address(text: str) -> Address:
    return Address(bytes.fromhex(text[2:]))
