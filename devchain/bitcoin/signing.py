"""Keys, addresses and signatures: BIP32 derivation, regtest's addresses, signing of inputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from btclib.b58 import prv_key_data_from_wif
from btclib.exceptions import BTClibException
from btclib.hashes import hash160, sha256
from btclib.script import script_pub_key, sig_hash
from btclib.script.script import serialize
from btclib.script.script_pub_key import address as script_address
from btclib.script.witness import Witness
from btclib.tx import Tx, TxOut
from btclib_wallet.bip32.bip32 import BIP32KeyData, derive_
from btclib_wallet.mnemonic.bip39 import mxprv_from_mnemonic
from coincurve import PrivateKey

from devchain.bitcoin.chain import NETWORK
from devchain.errors import InvalidInput

HARDENED = 2**31
SIGHASH_ALL = 1
PURPOSES = {"legacy": 44, "p2sh-segwit": 49, "bech32": 84}
"""Types of addresses, as Bitcoin Core names them, and their purpose in derivation paths."""


@lru_cache(maxsize=64)
def _parent_key(mnemonic: str, path: tuple[int, ...]) -> BIP32KeyData:
    root = mxprv_from_mnemonic(mnemonic, "", NETWORK, verify_checksum=False)
    return derive_(root, [*(step + HARDENED for step in path[:3]), *path[3:]])


@lru_cache(maxsize=4_096)
def wallet_key(mnemonic: str, path: tuple[int, ...]) -> bytes:
    """The private key of a BIP39 mnemonic at a BIP32 path, whose first three steps are hardened."""
    return derive_(_parent_key(mnemonic, path[:-1]), [path[-1]]).key[1:]


def public_key(key: bytes) -> bytes:
    """The compressed public key of a private key."""
    return PrivateKey(key).public_key.format()


def redeem_script(pubkey: bytes) -> bytes:
    """The witness program of a public key, which is the redeem script of P2SH-P2WPKH."""
    return b"\0\x14" + hash160(pubkey)


def key_script(pubkey: bytes, kind: str) -> bytes:
    """The output script of a public key for that type of address."""
    match kind:
        case "legacy":
            return b"\x76\xa9\x14" + hash160(pubkey) + b"\x88\xac"
        case "p2sh-segwit":
            return b"\xa9\x14" + hash160(redeem_script(pubkey)) + b"\x87"
        case "bech32":
            return redeem_script(pubkey)
        case _:
            raise InvalidInput(f"Unknown address type '{kind!s:.40}': choose {', '.join(PURPOSES)}")


@lru_cache(maxsize=4_096)
def address_of(script: bytes, network: str = NETWORK) -> str:
    """The address of an output script; empty if it has none."""
    return script_address(script, network)


def script_of(address: str) -> bytes:
    """The output script of an address; raises `InvalidInput` if it is not one of regtest."""
    text = str(address).strip()
    try:
        script = script_pub_key.ScriptPubKey.from_address(text).script
    except (BTClibException, ValueError):
        script = b""
    # That of another network differs.
    if not script or address_of(script) not in {text, text.lower()}:
        raise InvalidInput(f"Invalid address: {text!r:.100} is not one of Bitcoin's regtest")
    return script


def key_of_wif(text: str) -> bytes:
    """The private key of a text in wallet import format; raises `InvalidInput`."""
    try:
        return prv_key_data_from_wif(text, NETWORK).q.to_bytes(32)
    except (BTClibException, ValueError):
        raise InvalidInput("Invalid private key encoding") from None


def sign(
    tx: Tx, outputs: Sequence[TxOut | None], keys: Iterable[bytes], scripts: Iterable[bytes] = ()
) -> dict[int, str]:
    """Sign the inputs of a transaction whose keys are there; what is wrong with each other one.

    `outputs` are those that it spends, None for one that is unknown. `scripts` are redeem and
    witness scripts.
    """
    signer, problems = _Signer(keys, scripts), dict[int, str]()
    for index, out in enumerate(outputs):
        if out is None:
            problems[index] = "Input not found or already spent"
        elif not signer.sign_input(tx, index, out):
            problems[index] = "Unable to sign input, invalid stack size (possibly missing key)"
    return problems


class _Signer:
    def __init__(self, keys: Iterable[bytes], scripts: Iterable[bytes]) -> None:
        self._keys: dict[bytes, PrivateKey] = {}  # by public key
        self._pubkeys: dict[bytes, bytes] = {}  # by its hash
        self._scripts: dict[bytes, bytes] = {}  # by either hash
        known = [*scripts]
        for secret in keys:
            key = PrivateKey(secret)
            known.append(redeem_script(key.public_key.format()))
            for pubkey in (key.public_key.format(), key.public_key.format(compressed=False)):
                self._keys[pubkey] = key
                self._pubkeys[hash160(pubkey)] = pubkey
        for script in known:
            self._scripts[hash160(script)] = self._scripts[sha256(script)] = script

    def sign_input(self, tx: Tx, index: int, out: TxOut) -> bool:
        spent, script, redeem = tx.vin[index], out.script_pub_key.script, list[bytes]()
        if script_pub_key.is_p2sh(script):
            script = self._scripts.get(script[2:-1], b"")
            redeem = [script]
        if not (script_pub_key.is_p2wpkh(script) or script_pub_key.is_p2wsh(script)):
            stack = self._solve(sig_hash.legacy(script, tx, index, SIGHASH_ALL), script)
            if stack:
                spent.script_sig = serialize([*stack, *redeem])
            return bool(stack)
        if script_pub_key.is_p2wpkh(script):
            code, last = b"\x76\xa9\x14" + script[2:] + b"\x88\xac", list[bytes]()
        else:
            code = self._scripts.get(script[2:], b"")
            last = [code]
        stack = self._solve(sig_hash.segwit_v0(code, tx, index, SIGHASH_ALL, out.value), code)
        if stack:
            spent.script_sig = serialize([*redeem])
            spent.script_witness = Witness([*stack, *last])
        return bool(stack)

    def _solve(self, digest: bytes, code: bytes) -> list[bytes]:
        # The stack that satisfies a script; empty without the keys for it.
        def signature(pubkey: bytes) -> bytes:
            return self._keys[pubkey].sign(digest, hasher=None) + bytes([SIGHASH_ALL])

        if script_pub_key.is_p2pkh(code):
            pubkey = self._pubkeys.get(code[3:-2])
            return [signature(pubkey), pubkey] if pubkey else []
        if script_pub_key.is_p2ms_var(code):
            needed, pubkeys = script_pub_key.p2ms_m_and_keys_var(code)
            known = [pubkey for pubkey in pubkeys if pubkey in self._keys][:needed]
            return [b"", *map(signature, known)] if len(known) == needed else []
        return []
