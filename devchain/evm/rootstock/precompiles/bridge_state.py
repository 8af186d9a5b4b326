"""The two-way peg as a network starts it: the genesis federation, one bitcoin block, no funds."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import rlp

from devchain.evm.rootstock.precompiles.abi import Call, NativeContractError, int32
from devchain.evm.rootstock.precompiles.bitcoin import (
    base58check,
    hash160,
    merkle_root,
    multisig_script,
    sha256_twice,
)

HEADERS_GAS, HEADER_GAS = 25_000, 3_500
CONFIRMATIONS_GAS, HASH_GAS = 27_000, 144

KEY_TYPES = {"btc", "rsk", "mst"}

# Encodings of nothing: of a list in a list, and of the parts of the debugging state.
EMPTY_STATE = rlp.encode([[]])
EMPTY_LIST = rlp.encode([])
EMPTY_NUMBER = rlp.encode(0)


def of_peg(name: str) -> Callable[[Call], Any]:
    """That property of the peg."""
    return lambda call: getattr(peg(call), name)


def key_of_type(answer: Callable[[Call, int], bytes]) -> Callable[..., bytes]:
    """Takes an index and `btc`, `rsk` or `mst`; a genesis federator's three keys are the same."""

    def typed(call: Call, index: int, kind: str) -> bytes:
        if kind not in KEY_TYPES:
            msg = f"a federator's key is of type btc, rsk or mst, not {kind[:64]!r}"
            raise NativeContractError(msg)
        return answer(call, int32(index))

    return typed


def federator(call: Call, index: int) -> bytes:
    """One of the public keys."""
    return peg(call).key(int32(index))


def creation_time(call: Call) -> int:
    """In seconds, before Lovell (RSKIP419) in milliseconds."""
    created = peg(call).created
    return created // 1000 if call.since("lovell") else created


def minimum_pegin(call: Call) -> int:
    """In satoshis (RSKIP219)."""
    return 500_000 if call.since("iris") else 1_000_000


def processed(answer: Any) -> Callable[..., Any]:
    """That of a transaction no bridge has seen; refuses what is no hash."""

    def told(_: Call, transaction: str) -> Any:
        if not re.fullmatch("[0-9a-f]{64}", transaction):
            msg = f"not the hash of a bitcoin transaction: {transaction[:64]!r}"
            raise NativeContractError(msg)
        return answer

    return told


def block_hash(call: Call, depth: int) -> bytes:
    """That of the known block, at depth 0."""
    if int32(depth) != 0:
        raise NativeContractError("the bridge knows one bitcoin block: the depth has to be 0")
    return peg(call).block_hash


def header_by_hash(call: Call, block: bytes) -> bytes:
    """The known block, or nothing."""
    return peg(call).block if block == peg(call).block_hash else b""


def header_by_height(call: Call, height: int) -> bytes:
    """The known block, or nothing."""
    return peg(call).block if int32(height) == peg(call).height else b""


def confirmations(call: Call, leaf: bytes, block: bytes, path: int, branch: list[bytes]) -> int:
    """How many blocks, or which error."""
    return peg(call).confirmations(leaf, block, int32(path), branch)


def confirmations_gas(call: Call, leaf: bytes, block: bytes, path: int, branch: list[bytes]) -> int:
    """More for a longer branch, if there is such a block."""
    del leaf, path
    known = block == peg(call).block_hash
    return CONFIRMATIONS_GAS + (HASH_GAS * len(branch) if known else 0)


def headers_gas(call: Call, headers: list[bytes]) -> int:
    """More for every header after the first."""
    del call
    return HEADERS_GAS + HEADER_GAS * max(0, len(headers) - 1)


def debugging_state(call: Call) -> bytes:
    """Best height, then no funds, signatures, requests or peg-outs, and no next peg-out."""
    empty = [EMPTY_LIST] * 4
    return bytes(rlp.encode([peg(call).height, *empty, EMPTY_NUMBER]))


def no_key(call: Call, index: int, kind: str) -> bytes:
    """Nothing, if the type is one."""
    return key_of_type(lambda *_: b"")(call, index, kind)


MAIN_SCRIPT_VERSION = 5
TEST_SCRIPT_VERSION = 196

BITCOIN = 10**8
"""Satoshis in a bitcoin."""

CREATION_BLOCK = 1
UNKNOWN_BLOCK = -1
WRONG_BRANCH = -5

# The sizes, in bytes, of what a bitcoin transaction is made of.
SIGNATURE = 72
TRANSACTION = 4 + 1 + 1 + 4
INPUT = 36 + 4
OUTPUT = 8 + 1 + 23


@dataclass(frozen=True, slots=True)
class Peg:
    """What a network's bridge knows before anybody has used it.

    `created` is in milliseconds, amounts are in satoshis. `block` is the header of the one
    bitcoin block it knows, of height `height`.
    """

    script_version: int
    federators: tuple[str, ...]
    created: int
    fee_per_kilobyte: int
    locking_cap: int
    height: int
    block: bytes

    @property
    def keys(self) -> list[bytes]:
        """The federation's public keys in order."""
        return sorted(bytes.fromhex(key) for key in self.federators)

    @property
    def size(self) -> int:
        """How many federators there are."""
        return len(self.federators)

    @property
    def threshold(self) -> int:
        """How many of the federation have to sign."""
        return self.size // 2 + 1

    @property
    def redeem_script(self) -> bytes:
        """The script that spends what is sent to the federation."""
        return multisig_script(self.threshold, self.keys)

    @property
    def address(self) -> str:
        """Where bitcoins are sent to be locked."""
        return base58check(bytes([self.script_version]) + hash160(self.redeem_script))

    @property
    def block_hash(self) -> bytes:
        """The hash of the one bitcoin block, as bitcoin shows it."""
        return sha256_twice(self.block)[::-1]

    def key(self, index: int) -> bytes:
        """One of the federation's public keys; raises `NativeContractError`."""
        if not 0 <= index < self.size:
            msg = f"the federator index has to be between 0 and {self.size - 1}"
            raise NativeContractError(msg)
        return self.keys[index]

    @property
    def pegout_fee(self) -> int:
        """What a transaction with two inputs and two outputs would cost."""
        script = len(self.redeem_script)
        prefix = 1 if script < 0xFD else 3
        signed = INPUT + prefix + script + self.threshold * SIGNATURE
        return self.fee_per_kilobyte * (TRANSACTION + 2 * signed + 2 * OUTPUT) // 1000

    def confirmations(self, leaf: bytes, block: bytes, path: int, branch: list[bytes]) -> int:
        """1 if the branch leads from that transaction to the known block, else an error code."""
        root = merkle_root(leaf, path, branch)
        if block != self.block_hash:
            return UNKNOWN_BLOCK
        return 1 if root == self.block[36:68][::-1] else WRONG_BRANCH


def peg(call: Call) -> Peg:
    """The peg of the network that chain id belongs to; regtest's for any other."""
    return _PEGS.get(call.computation.state.execution_context.chain_id, _REGTEST)


_REGTEST = Peg(
    script_version=TEST_SCRIPT_VERSION,
    federators=(
        "0362634ab57dae9cb373a5d536e66a8c4f67468bbcfb063809bab643072d78a124",
        "03c5946b3fbae03a654237da863c9ed534e0878657175b132b8ca630f245df04db",
        "02cd53fc53a07f211641a677d250f6de99caf620e8e77071e811a28b3bcddf0be1",
    ),
    created=1_451_606_400_000,
    fee_per_kilobyte=100_000,
    locking_cap=1000 * BITCOIN,
    height=0,
    block=bytes.fromhex(
        "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b2"
        "7ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4adae5494dffff7f2002000000"
    ),
)

_PEGS = {
    30: Peg(
        script_version=MAIN_SCRIPT_VERSION,
        federators=(
            "03b53899c390573471ba30e5054f78376c5f797fda26dde7a760789f02908cbad2",
            "027319afb15481dbeb3c426bcc37f9a30e7f51ceff586936d85548d9395bcc2344",
            "0355a2e9bf100c00fc0a214afd1bf272647c7824eb9cb055480962f0c382596a70",
            "02566d5ded7c7db1aa7ee4ef6f76989fb42527fcfdcddcd447d6793b7d869e46f7",
            "0294c817150f78607566e961b3c71df53a22022a80acbb982f83c0c8baac040adc",
            "0372cd46831f3b6afd4c044d160b7667e8ebf659d6cb51a825a3104df6ee0638c6",
            "0340df69f28d69eef60845da7d81ff60a9060d4da35c767f017b0dd4e20448fb44",
            "02ac1901b6fba2c1dbd47d894d2bd76c8ba1d296d65f6ab47f1c6b22afb53e73eb",
            "031aabbeb9b27258f98c2bf21f36677ae7bae09eb2d8c958ef41a20a6e88626d26",
            "0245ef34f5ee218005c9c21227133e8568a4f3f11aeab919c66ff7b816ae1ffeea",
            "02550cc87fa9061162b1dd395a16662529c9d8094c0feca17905a3244713d65fe8",
            "02481f02b7140acbf3fcdd9f72cf9a7d9484d8125e6df7c9451cfa55ba3b077265",
            "03f909ae15558c70cc751aff9b1f495199c325b13a9e5b934fd6299cd30ec50be8",
            "02c6018fcbd3e89f3cf9c7f48b3232ea3638eb8bf217e59ee290f5f0cfb2fb9259",
            "03b65694ccccda83cbb1e56b31308acd08e993114c33f66a456b627c2c1c68bed6",
        ),
        created=1_514_948_400,
        fee_per_kilobyte=500_000,
        locking_cap=300 * BITCOIN,
        height=499_968,
        block=bytes.fromhex(
            "00000020e37c80a7a8b850e3e89add09090b6b89b874496513ef89000000000000000000285ddc7985e7c34e"
            "b205d2c3129727f7bc10873e11e054b48d1a92786a42d7d2c8c8375a459600189b3aa792"
        ),
    ),
    31: Peg(
        script_version=TEST_SCRIPT_VERSION,
        federators=(
            "039a060badbeb24bee49eb2063f616c0f0f0765d4ca646b20a88ce828f259fcdb9",
            "02afc230c2d355b1a577682b07bc2646041b5d0177af0f98395a46018da699b6da",
            "0344a3c38cd59afcba3edcebe143e025574594b001700dec41e59409bdbd0f2a09",
            "034844a99cd7028aa319476674cc381df006628be71bc5593b8b5fdb32bb42ef85",
        ),
        created=1_538_967_600,
        fee_per_kilobyte=100_000,
        locking_cap=200 * BITCOIN,
        height=1_413_216,
        block=bytes.fromhex(
            "00000020c4891929bff550199ebac0f3c8691f19d84633de53da8af346000000000000000c109cfe5b24faa1"
            "e0174b788c7e3e8f2fb340bcee07a544914b167ad4c27b82b9a9995bf05f4c1908698a4b"
        ),
    ),
}
