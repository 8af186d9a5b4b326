"""`devchain.types`"""

from __future__ import annotations

import subprocess
import sys

import pytest

from devchain.types import checksum

ADDRESS = bytes.fromhex("5aaeb6053f3e94c9b9a09f33669435e7ef1beaed")
COW = bytes.fromhex("cd2a3d9f938e13cd947ec05abc7fe734df8dd826")


class TestChecksum:
    @pytest.mark.parametrize(
        ("address", "chain_id", "text"),
        [
            (ADDRESS, 30, "0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD"),
            (ADDRESS, 31, "0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd"),
            (ADDRESS, 33, "0x5aAeb6053f3E94C9b9a09F33669435E7Ef1BEaeD"),
            (COW, 30, "0xCD2a3d9F938E13CD947ec05Abc7Fe734DF8dd826"),
            (COW, 31, "0xCD2a3D9f938e13cD947ec05abC7Fe734Df8DD826"),
            (COW, 33, "0xCd2a3D9f938e13Cd947EC05aBc7fE734df8dD826"),
        ],
    )
    def test_known(self, address: bytes, chain_id: int, text: str) -> None:
        """The values of EIP-1191 come out."""
        assert checksum(address, chain_id) == text

    def test_imports_little(self) -> None:
        """Commands that only print addresses do not wait for the chain's imports."""
        code = "import sys, devchain.types; print(*sys.modules)"

        loaded = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.split()

        assert not {"eth", "eth_utils", "eth_hash", "quart"} & set(loaded)
