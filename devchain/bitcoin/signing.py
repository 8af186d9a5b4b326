"""Keys, addresses and signatures: BIP32 derivation, regtest's addresses, signing of inputs."""

from __future__ import annotations

import hmac
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import pbkdf2_hmac

from btclib.b58 import prv_key_data_from_wif, wif_from_prv_key
from btclib.exceptions import BTClibException
from btclib.hashes import hash160, sha256
from btclib.script import sig_hash
from btclib.script.engine import ALL_FLAGS, verify_input
from btclib.script.script import parse, serialize
from btclib.script.script_pub_key import (
    ScriptPubKey,
    is_p2ms_var,
    is_p2pk_var,
    is_p2pkh,
    is_p2sh,
    is_p2wpkh,
    is_p2wsh,
    p2ms_m_and_keys_var,
)
from btclib.script.script_pub_key import address as script_address
from btclib.script.witness import Witness
from btclib.tx import Tx, TxOut
from coincurve import PrivateKey, PublicKey

from devchain.bitcoin.chain import NETWORK
from devchain.errors import InvalidInput

HARDENED = 2**31
SIGHASH_ALL = 1
PURPOSES = {"legacy": 44, "p2sh-segwit": 49, "bech32": 84}
"""Types of addresses, as Bitcoin Core names them, and their purpose in derivation paths."""


@lru_cache(maxsize=64)
def _derive(mnemonic: str, path: tuple[int, ...]) -> tuple[PrivateKey, bytes]:
    if not path:
        words = unicodedata.normalize("NFKD", mnemonic).encode()
        seed = pbkdf2_hmac("sha512", words, b"mnemonic", 2048)
        node = hmac.digest(b"Bitcoin seed", seed, "sha512")
        return PrivateKey(node[:32]), node[32:]
    (key, chain_code), index = _derive(mnemonic, path[:-1]), path[-1]
    parent = b"\0" + key.secret if index >= HARDENED else key.public_key.format()
    node = hmac.digest(chain_code, parent + index.to_bytes(4), "sha512")
    return key.add(node[:32]), node[32:]


def derive_key(mnemonic: str, path: tuple[int, ...]) -> bytes:
    """The private key of a BIP39 mnemonic without passphrase at a BIP32 path."""
    return _derive(mnemonic, path)[0].secret


def wallet_key(mnemonic: str, path: tuple[int, ...]) -> bytes:
    """The key at a path of a wallet, whose first three steps are hardened."""
    return derive_key(mnemonic, tuple(step + HARDENED for step in path[:3]) + path[3:])


def public_key(key: bytes) -> bytes:
    """The compressed public key of a private key."""
    return PrivateKey(key).public_key.format()


def key_scripts(pubkey: bytes, kind: str) -> tuple[bytes, bytes]:
    """The output script of a public key for that type of address, and its redeem script if any."""
    program = b"\0\x14" + hash160(pubkey)
    match kind:
        case "legacy":
            return b"\x76\xa9\x14" + hash160(pubkey) + b"\x88\xac", b""
        case "p2sh-segwit":
            return b"\xa9\x14" + hash160(program) + b"\x87", program
        case "bech32":
            return program, b""
        case _:
            raise InvalidInput(f"unknown address type {kind!r}: choose {', '.join(PURPOSES)}")


@lru_cache(maxsize=4_096)
def address_of(script: bytes) -> str:
    """The address of an output script; empty if it has none."""
    return script_address(script, NETWORK)


def script_of(address: str) -> bytes:
    """The output script of an address; raises `InvalidInput` if it is not one of regtest."""
    text = address.strip()
    try:
        script = ScriptPubKey.from_address(text).script
    except (BTClibException, ValueError):
        script = b""
    if address_of(script) not in {text, text.lower()}:  # that of another network differs
        raise InvalidInput(f"Invalid address: {text!r:.100} is not one of Bitcoin's regtest")
    return script


def wif(key: bytes) -> str:
    """A private key in wallet import format."""
    return wif_from_prv_key(key, NETWORK)


def key_of_wif(text: str) -> bytes:
    """The private key of a text in wallet import format; raises `InvalidInput`."""
    try:
        return prv_key_data_from_wif(text, NETWORK).q.to_bytes(32)
    except (BTClibException, ValueError):
        raise InvalidInput("Invalid private key encoding") from None


class Signer:
    """Signs inputs with private keys, knowing some redeem and witness scripts."""

    def __init__(self, keys: Iterable[bytes], scripts: Iterable[bytes] = ()) -> None:
        self._keys: dict[bytes, PrivateKey] = {}  # by public key
        self._pubkeys: dict[bytes, bytes] = {}  # by its hash
        self._scripts: dict[bytes, bytes] = {}  # by either hash
        for secret in keys:
            key = PrivateKey(secret)
            for is_compressed in (True, False):
                pubkey = key.public_key.format(compressed=is_compressed)
                self._keys[pubkey] = key
                self._pubkeys[hash160(pubkey)] = pubkey
            self._add_script(b"\0\x14" + hash160(key.public_key.format()))
        for script in scripts:
            self._add_script(script)

    def _add_script(self, script: bytes) -> None:
        self._scripts[hash160(script)] = self._scripts[sha256(script)] = script

    def sign(
        self, tx: Tx, outputs: Sequence[TxOut | None], hash_type: int = SIGHASH_ALL
    ) -> dict[int, str]:
        """Sign the inputs of a transaction as far as the keys allow.

        `outputs` are those that it spends, None for one that is unknown. Returns for each input
        that is not complete what is wrong.
        """
        problems: dict[int, str] = {}
        for index, out in enumerate(outputs):
            if out is None:
                problems[index] = "Input not found or already spent"
                continue
            if _is_valid(tx, index, outputs):
                continue
            if not self._sign_input(tx, index, out, hash_type):
                problems[index] = "Unable to sign input, invalid stack size (possibly missing key)"
        return problems

    def _sign_input(self, tx: Tx, index: int, out: TxOut, hash_type: int) -> bool:
        # Whether all signatures are there.
        spent, script = tx.vin[index], out.script_pub_key.script
        pushes = [item for item in parse(spent.script_sig) if isinstance(item, str)]
        before = [bytes.fromhex(item) for item in pushes if not item.startswith("OP_")]
        redeem = b""
        if is_p2sh(script):
            redeem = self._scripts.get(script[2:-1], b"")
            script = redeem
        is_witness = is_p2wpkh(script) or is_p2wsh(script)
        stack, is_complete = list[bytes](), False
        if is_p2wpkh(script):
            code = b"\x76\xa9\x14" + script[2:] + b"\x88\xac"
            digest = sig_hash.segwit_v0(code, tx, index, hash_type, out.value)
            stack, is_complete = self._solve(digest, code, hash_type, [])
        elif is_p2wsh(script):
            code = self._scripts.get(script[2:], b"")
            digest = sig_hash.segwit_v0(code, tx, index, hash_type, out.value)
            old = spent.script_witness.stack
            stack, is_complete = self._solve(digest, code, hash_type, old)
            stack = [*stack, code] if stack else []
        elif script:
            digest = sig_hash.legacy(script, tx, index, hash_type)
            stack, is_complete = self._solve(digest, script, hash_type, before)
        if is_witness:
            spent.script_sig = serialize([redeem]) if redeem else b""
            spent.script_witness = Witness(stack)
        elif stack:
            spent.script_sig = serialize([*stack, redeem] if redeem else [*stack])
        return is_complete

    def _solve(
        self, digest: bytes, code: bytes, hash_type: int, old: Iterable[bytes]
    ) -> tuple[list[bytes], bool]:
        # The stack that satisfies a script, and whether it does: with too few keys of a
        # multi-signature script it is what there is, so that others can add theirs.
        def signature(pubkey: bytes) -> bytes:
            key = self._keys.get(pubkey)
            return key.sign(digest, hasher=None) + bytes([hash_type]) if key else b""

        if is_p2pkh(code):
            pubkey = self._pubkeys.get(code[3:-2], b"")
            return [signature(pubkey), pubkey] if pubkey else [], bool(pubkey)
        if is_p2pk_var(code):
            made = signature(code[1:-1])
            return [made] if made else [], bool(made)
        if not is_p2ms_var(code):
            return [], False
        needed, pubkeys = p2ms_m_and_keys_var(code)
        known = {pubkey: signature(pubkey) or _known(old, pubkey, digest) for pubkey in pubkeys}
        signatures = [known[pubkey] for pubkey in pubkeys if known[pubkey]][:needed]
        return [b"", *signatures] if signatures else [], len(signatures) == needed


def _known(old: Iterable[bytes], pubkey: bytes, digest: bytes) -> bytes:
    # A signature of that key among those that are there already.
    for signature in old:
        try:
            if PublicKey(pubkey).verify(signature[:-1], digest, hasher=None):
                return signature
        except ValueError:
            continue
    return b""


def _is_valid(tx: Tx, index: int, outputs: Sequence[TxOut | None]) -> bool:
    if not (tx.vin[index].script_sig or tx.vin[index].script_witness.stack):
        return False
    known = [out or TxOut(0, b"") for out in outputs]
    try:
        verify_input(known, tx, index, ALL_FLAGS)
    except BTClibException:
        return False
    return True
