"""`devchain.evm.rootstock.precompiles.bitcoin_script`"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devchain.evm.rootstock.precompiles.bitcoin import hash160
from devchain.evm.rootstock.precompiles.bitcoin_script import (
    OP_CHECKMULTISIG,
    OP_CHECKMULTISIGVERIFY,
    OP_CHECKSEQUENCEVERIFY,
    OP_DROP,
    OP_ELSE,
    OP_ENDIF,
    OP_NOTIF,
    Chunk,
    RedeemScript,
    multisig_script,
    p2sh_output_script,
    parse_script,
    pay_to_key,
    push,
    script_hash_of,
)

KEYS = [bytes([2]) + bytes([number]) * 32 for number in range(1, 6)]
MULTISIG, EMERGENCY = multisig_script(2, KEYS[:3]), multisig_script(1, KEYS[3:])
DELAY = b"\x02\xd0\x02"
BETWEEN = bytes([OP_ELSE]) + DELAY + bytes([OP_CHECKSEQUENCEVERIFY, OP_DROP])
FLYOVER = b"\x20" + bytes(32) + bytes([OP_DROP])
ERP = bytes([OP_NOTIF]) + MULTISIG + BETWEEN + EMERGENCY + bytes([OP_ENDIF])
OLD_ERP = (
    bytes([OP_NOTIF])
    + MULTISIG[:-1]
    + BETWEEN
    + EMERGENCY[:-1]
    + bytes([OP_ENDIF, OP_CHECKMULTISIG])
)


class TestParse:
    def test_chunks(self) -> None:
        """Each push has its bytes, an opcode has none; 0 pushes nothing."""
        raw = b"\0\2ab" + b"\x4c\1c" + b"\x4d\1\0d" + b"\x4e\1\0\0\0e" + b"\x51\xae"
        pushes = [Chunk(0, b""), Chunk(2, b"ab"), Chunk(0x4C, b"c"), Chunk(0x4D, b"d")]
        rest = [Chunk(0x4E, b"e"), Chunk(0x51), Chunk(0xAE)]

        assert parse_script(raw) == pushes + rest

    @pytest.mark.parametrize("raw", ["02ff", "4c", "4c02ff", "4dff", "4effffffffff"])
    def test_cut_off(self, raw: str) -> None:
        """A push longer than the script is refused, whatever size it declares."""
        with pytest.raises(ValueError, match="a push is cut off"):
            parse_script(bytes.fromhex(raw))

    @given(st.binary(max_size=300))
    def test_push(self, item: bytes) -> None:
        """What is pushed is read again; a byte from 1 to 16 becomes an opcode."""
        (chunk,) = parse_script(push(item))

        assert chunk.pushed == item or bytes([chunk.number() or 0]) == item


class TestRedeemScript:
    @pytest.mark.parametrize("prefix", [b"", FLYOVER, FLYOVER * 3], ids=["", "flyover", "three"])
    @pytest.mark.parametrize(
        ("raw", "is_erp"), [(MULTISIG, False), (ERP, True), (OLD_ERP, True)], ids=str
    )
    def test_formats(self, raw: bytes, is_erp: bool, prefix: bytes) -> None:
        """The keys are the federation's, not those of the emergency part, and make a multisig."""
        parsed = RedeemScript.parse(prefix + raw)

        assert parsed == RedeemScript(prefix + raw, 2, tuple(KEYS[:3]), is_erp, MULTISIG)

    def test_numbers(self) -> None:
        """More than 16 keys are counted by a push; the check may be OP_CHECKMULTISIGVERIFY."""
        keys = b"".join(map(push, KEYS[:1] * 17))
        parsed = RedeemScript.parse(b"\x52" + keys + b"\1\x11" + bytes([OP_CHECKMULTISIGVERIFY]))

        assert (parsed.threshold, len(parsed.keys)) == (2, 17)

    @pytest.mark.parametrize(
        "raw",
        [
            b"",
            MULTISIG[:-1],
            MULTISIG[:-2] + b"\x52\xae",
            b"\x51\xac\x51\xae",
            b"\1\x81" + MULTISIG[1:],
            b"\2\1\0" + MULTISIG[1:],
            b"\0" + MULTISIG[1:],
            b"\1\0" + MULTISIG[1:],
            bytes([OP_NOTIF, OP_ELSE, OP_CHECKMULTISIG, OP_ENDIF]),
            b"\5\1\1\1\1\1" + MULTISIG[1:],
            b"\x4f" + MULTISIG[1:],
            FLYOVER,
            ERP[:-1],
            ERP.replace(DELAY, b"\xac"),
            ERP.replace(EMERGENCY, EMERGENCY[1:]),
            ERP[:1] + ERP[2:],
            OLD_ERP.replace(bytes([OP_DROP]), b"\xac"),
        ],
        ids=bytes.hex,
    )
    def test_others(self, raw: bytes) -> None:
        """Other scripts are refused."""
        with pytest.raises(ValueError, match="no multi-signature"):
            RedeemScript.parse(raw)

    @given(st.binary(max_size=200))
    def test_any_bytes(self, raw: bytes) -> None:
        """Any bytes are a redeem script or refused."""
        try:
            RedeemScript.parse(raw)
        except ValueError:
            return


def test_outputs() -> None:
    """The hash is found in the output of a script's address only."""
    assert script_hash_of(p2sh_output_script(MULTISIG)) == hash160(MULTISIG)
    assert script_hash_of(pay_to_key(b"\1" * 20)) is None
