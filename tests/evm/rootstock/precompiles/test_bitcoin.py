"""`devchain.evm.rootstock.precompiles.bitcoin`"""

from __future__ import annotations

import pytest

from devchain.evm.rootstock.precompiles.bitcoin import (
    base58check,
    from_base58check,
)


@pytest.mark.parametrize("size", [0, 1, 20, 74, 75, 500, 5000])
def test_base58check(size: int) -> None:
    """Payloads of any size are decoded, with their leading zeros."""
    payload = b"\0" + bytes(range(1, 256)) * 20

    assert from_base58check(base58check(payload[:size])) == payload[:size]
