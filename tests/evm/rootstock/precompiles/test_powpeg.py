"""`devchain.evm.rootstock.precompiles.powpeg`"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from eth_keys.datatypes import PrivateKey

from devchain.evm.rootstock.precompiles.bridge.federation import account_of
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


CONSTANTS = json.loads((Path(__file__).parent / "powpeg.json").read_text("utf-8"))


@pytest.mark.parametrize("chain_id", CONSTANTS)
class TestConstants:
    """The data are those of rskj's constants of its three networks."""

    def test_rules(self, chain_id: str) -> None:
        """Amounts, heights and ages are the real node's."""
        peg = powpeg_of(int(chain_id))
        ages = [age for _, age in peg.activation_ages]
        found = vars(peg) | {"activation_ages": ages, "migration_ages": list(peg.migration_ages)}
        assert found | CONSTANTS[chain_id]["rules"] == found

    def test_voters(self, chain_id: str) -> None:
        """Those who may change the peg are the accounts of its keys."""
        for name, keys in CONSTANTS[chain_id]["voters"].items():
            accounts = {account_of(bytes.fromhex(key)) for key in keys}
            assert getattr(powpeg_of(int(chain_id)).authorizers, name) == accounts
