"""EIP-1191 address checksums: the letters' case, made from the address and the chain id."""

from __future__ import annotations

import sha3  # type: ignore[import-untyped]  # safe-pysha3 has no type hints


def checksum(address: bytes, chain_id: int) -> str:
    """An address in the mixed case EIP-1191 gives it on that chain."""
    digits = address.hex()
    hashed = sha3.keccak_256(f"{chain_id}0x{digits}".encode()).hexdigest()
    cased = (
        digit.upper() if nibble >= "8" else digit
        for digit, nibble in zip(digits, hashed, strict=False)
    )
    return "0x" + "".join(cased)


def is_checksummed(text: str, chain_id: int) -> bool:
    """Whether a text is a 20-byte address in its EIP-1191 mixed case."""
    try:
        address = bytes.fromhex(text[2:])
    except ValueError:
        return False
    return len(address) == 20 and text == checksum(address, chain_id)
