"""`devchain.evm.rootstock.precompiles.powpeg`"""

from __future__ import annotations

from eth_keys.datatypes import PrivateKey

from devchain.evm.rootstock.precompiles.powpeg import federator_keys, powpeg_of


def public(keys: tuple[bytes, ...]) -> list[str]:
    """Their compressed public keys."""
    return [PrivateKey(key).public_key.to_compressed_bytes().hex() for key in keys]


class TestFederators:
    def test_default(self) -> None:
        """The three keys of the real node's regtest."""
        assert public(federator_keys()) == list(powpeg_of(33).federators)

    def test_other_number(self) -> None:
        """Of a local network; the main and the test network have their own."""
        assert list(powpeg_of(33, 5).federators) == public(federator_keys(5))
        assert powpeg_of(33, 3) == powpeg_of(33)
        assert powpeg_of(30, 5) == powpeg_of(30)
