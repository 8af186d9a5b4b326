"""The HDWalletUtils precompile (RSKIP106): Bitcoin addresses, BIP-32 keys, multisig scripts."""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass, replace

from coincurve import PublicKey

from devchain.evm.rootstock.precompiles.bitcoin import base58check, from_base58check, hash160
from devchain.evm.rootstock.precompiles.bitcoin_script import multisig_script
from devchain.evm.rootstock.precompiles.native_contract import (
    Call,
    Method,
    NativeContract,
    PrecompileFailed,
)

BASE58_GAS = 13_000
DERIVE_GAS = 107_000
EXTRACT_GAS = 11_300
MULTISIG_GAS = 20_000
MULTISIG_KEY_GAS = 700

# First characters and first four bytes of an extended public key.
VERSIONS = {"xpub": bytes.fromhex("0488b21e"), "tpub": bytes.fromhex("043587cf")}
EXTENDED_KEY = 78
LONGEST = 128  # more characters than any key has; bounds the time that decoding takes
FINGERPRINT = 4

LEVELS = 10
MINIMUM_KEYS, MAXIMUM_KEYS = 2, 15
COMPRESSED, UNCOMPRESSED = 33, 65
CHILDREN = 2**31
_LEVEL = re.compile(r"([+-]?)(?=\d)0*(\d{0,10})")


@dataclass(frozen=True, slots=True)
class ExtendedKey:
    """An extended public key, from which child keys are derived (BIP-32)."""

    version: bytes
    depth: int
    fingerprint: bytes
    number: int
    chain_code: bytes
    key: PublicKey

    @classmethod
    def parse(cls, text: str) -> ExtendedKey:
        failed = PrecompileFailed(f"not an extended public key: {text[:64]!r}")
        try:
            version, raw = VERSIONS[text[:4]], from_base58check(text[:LONGEST])
            if len(raw) != EXTENDED_KEY or not raw.startswith(version):
                raise failed
            number = int.from_bytes(raw[9:13], "big")
            return cls(version, raw[4], raw[5:9], number, raw[13:45], PublicKey(raw[45:]))
        except (KeyError, ValueError) as error:
            raise failed from error

    def child(self, number: int) -> ExtendedKey:
        parent = self.key.format()
        hashed = hmac.digest(self.chain_code, parent + number.to_bytes(4, "big"), hashlib.sha512)
        return replace(
            self,
            depth=(self.depth + 1) % 256,
            fingerprint=hash160(parent)[:FINGERPRINT],
            number=number,
            chain_code=hashed[32:],
            key=self.key.add(hashed[:32]),
        )

    def __str__(self) -> str:
        path = bytes([self.depth]) + self.fingerprint + self.number.to_bytes(4, "big")
        return base58check(self.version + path + self.chain_code + self.key.format())


def _to_base58check(_: Call, hashed: bytes, version: int) -> str:
    if len(hashed) != 20:
        raise PrecompileFailed(f"a hash160 has 20 bytes, not {len(hashed)}")
    if not 0 <= version < 256:
        raise PrecompileFailed("the version has to be between 0 and 255")
    return base58check(bytes([version]) + hashed)


def _derive(_: Call, extended: str, path: str) -> str:
    key = ExtendedKey.parse(extended)
    for number in _numbers(path):
        key = key.child(number)
    return str(key)


def _numbers(path: str) -> list[int]:
    levels = path.split("/")
    if len(levels) > LEVELS:
        raise PrecompileFailed(f"a path has at most {LEVELS} levels, not {len(levels)}")
    matches = map(_LEVEL.fullmatch, levels)
    numbers = [int(f"{match[1]}{match[2] or 0}") if match else -1 for match in matches]
    is_path = path[:1].isdecimal() and path[-1:].isdecimal()
    if not (is_path and all(0 <= number < CHILDREN for number in numbers)):
        raise PrecompileFailed(f"not a path: {path[:64]!r}")
    return numbers


def _multisig_gas(_: Call, _threshold: int, keys: list[memoryview]) -> int:
    return MULTISIG_GAS + MULTISIG_KEY_GAS * max(0, len(keys) - MINIMUM_KEYS)


def _multisig_hash(_: Call, threshold: int, keys: list[memoryview]) -> bytes:
    if threshold <= 0:
        raise PrecompileFailed("the number of required signatures has to be greater than zero")
    if not MINIMUM_KEYS <= len(keys) <= MAXIMUM_KEYS:
        raise PrecompileFailed(
            f"want {MINIMUM_KEYS} to {MAXIMUM_KEYS} public keys, got {len(keys)}"
        )
    if len(keys) < threshold:
        raise PrecompileFailed(
            f"{len(keys)} public keys are fewer than the {threshold} required signatures"
        )
    return hash160(multisig_script(threshold, map(_compressed, keys)))


def _compressed(key: memoryview) -> bytes:
    if len(key) not in {COMPRESSED, UNCOMPRESSED}:
        raise PrecompileFailed(
            f"a public key has {COMPRESSED} or {UNCOMPRESSED} bytes, not {len(key)}"
        )
    try:
        return PublicKey(bytes(key)).format()
    except ValueError as error:
        raise PrecompileFailed(f"not a public key: 0x{key.hex()}") from error


HD_WALLET_UTILS = NativeContract(
    "HDWalletUtils",
    (
        Method("toBase58Check(bytes,int256) -> string", BASE58_GAS, _to_base58check),
        Method("deriveExtendedPublicKey(string,string) -> string", DERIVE_GAS, _derive),
        Method(
            "extractPublicKeyFromExtendedPublicKey(string) -> bytes",
            EXTRACT_GAS,
            lambda _, extended: ExtendedKey.parse(extended).key.format(),
        ),
        Method("getMultisigScriptHash(int256,bytes[]) -> bytes", _multisig_gas, _multisig_hash),
    ),
)
