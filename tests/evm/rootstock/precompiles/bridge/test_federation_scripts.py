"""`devchain.evm.rootstock.precompiles.bridge.federation`: members and scripts

The federations are real ones, from rskj's NonStandardErpFederationsTest, P2shErpFederationTest and
P2shP2wshErpFederationTest.
"""

from __future__ import annotations

import pytest
from eth_keys import keys

from devchain.evm.rootstock.precompiles.bridge.federation import (
    Federation,
    FederationMember,
    Format,
    build_federation,
)
from devchain.evm.rootstock.precompiles.native_contract import PrecompileFailed
from tests.evm.rootstock.precompiles.bridge.calls import reading_call
from tests.evm.rootstock.precompiles.calling import Machine

NON_STANDARD_KEYS = [
    "0208f40073a9e43b3e9103acec79767a6de9b0409749884e989960fee578012fce",
    "0225e892391625854128c5c4ea4340de0c2a70570f33db53426fc9c746597a03f4",
    "025a2f522aea776fab5241ad72f7f05918e8606676461cb6ce38265a52d4ca9ed6",
    "02afc230c2d355b1a577682b07bc2646041b5d0177af0f98395a46018da699b6da",
    "0344a3c38cd59afcba3edcebe143e025574594b001700dec41e59409bdbd0f2a09",
]
TESTNET_KEYS = [
    "02099fd69cf6a350679a05593c3ff814bfaa281eb6dde505c953cf2875979b1209",
    "022a159227df514c7b7808ee182ae07d71770b67eda1e5ee668272761eefb2c24c",
    "0233bc8c1a994a921d7818f93e57a559373133ba531928843bf84c59c15e47eab0",
    "02937df9948c6f18359e473beeee0a19c27dd4f6d4114e5809aa862671bb765b5b",
    "02afc230c2d355b1a577682b07bc2646041b5d0177af0f98395a46018da699b6da",
    "03db2ebad883823cefe8b2336c03b8d9c6afee4cbac77c7e935bc8c51ec20b2663",
    "03fb8e1d5d0392d35ca8c3656acb6193dbf392b3e89b9b7b86693f5c80f7ce8581",
]
MAINNET_KEYS = [
    "020ace50bab1230f8002a0bfe619482af74b338cc9e4c956add228df47e6adae1c",
    "0275d473555de2733c47125f9702b0f870df1d817379f5587f09b6c40ed2c6c949",
    "025093f439fb8006fd29ab56605ffec9cdc840d16d2361004e1337a2f86d8bd2db",
    "026b472f7d59d201ff1f540f111b6eb329e071c30a9d23e3d2bcd128fe73dc254c",
    "03250c11be0561b1d7ae168b1f59e39cbc1fd1ba3cf4d2140c1a365b2723a2bf93",
    "0357f7ed4c118e581f49cd3b4d9dd1edb4295f4def49d6dcf2faaaaac87a1a0a42",
    "03ae72827d25030818c4947a800187b1fbcc33ae751e248ae60094cc989fb880f6",
    "03e05bf6002b62651378b1954820539c36ca405cbb778c225395dd9ebff6780299",
    "03b58a5da144f5abab2e03e414ad044b732300de52fa25c672a7f7b35888771906",
]


def federation(
    members: list[bytes], kind: Format, upgrade: str = "vetiver", chain_id: int = 33
) -> Federation:
    """A federation with these keys, created in block 7."""
    joined = [FederationMember(key, key, key) for key in members]
    return build_federation(reading_call(Machine(upgrade, chain_id)), joined, 1_000, 7, kind)


def some_keys(count: int) -> list[bytes]:
    """Public keys of the private keys 100, 200, and so on, as in rskj's PendingFederationTest."""
    private = (keys.PrivateKey((100 * at).to_bytes(32)) for at in range(1, count + 1))
    return [key.public_key.to_compressed_bytes() for key in private]


@pytest.mark.parametrize(
    ("chain_id", "members", "kind", "upgrade", "address", "script"),
    [
        pytest.param(
            31,
            NON_STANDARD_KEYS,
            Format.NON_STANDARD_ERP,
            "fingerroot",
            "2MtxpJPt2xCa3AyFYUjTT7Aop9Z6gGf4rqA",
            "a91412d5d2996618c8abcb1e6fc17be3cd8e2790c25f87",
            id="non-standard",
        ),
        pytest.param(
            31,
            TESTNET_KEYS,
            Format.P2SH_ERP,
            "lovell",
            "2MsHnjFiAt5srgHJtwnwZTtZQPrKN8yiDqh",
            "a914007c29a1d854639220aefca2587cdde07f381f4787",
            id="testnet",
        ),
        pytest.param(
            30,
            MAINNET_KEYS,
            Format.P2SH_ERP,
            "lovell",
            "35iEoWHfDfEXRQ5ZWM5F6eMsY2Uxrc64YK",
            "a9142c1bab6ea51fdaf85c8366bd2b1502eaa69b6ae687",
            id="mainnet",
        ),
    ],
)
def test_real_federations(  # columns of the table
    chain_id: int, members: list[str], kind: Format, upgrade: str, address: str, script: str
) -> None:
    """Addresses and output scripts are those of federations that Rootstock had."""
    built = federation(list(map(bytes.fromhex, members)), kind, upgrade, chain_id)

    assert built.address == address
    assert built.output_script.hex() == script
    assert built.threshold == len(members) // 2 + 1
    assert built.keys == sorted(map(bytes.fromhex, members))


class TestScripts:
    def test_order_of_bytes(self) -> None:
        """Under Iris the confirmations are big-endian, later little-endian (RSKIP293)."""
        iris = federation(some_keys(3), Format.NON_STANDARD_ERP, "iris", 30)
        later = federation(some_keys(3), Format.NON_STANDARD_ERP, "fingerroot", 30)

        assert bytes.fromhex("6702cd50b275") in iris.redeem_script
        assert bytes.fromhex("670350cd00b275") in later.redeem_script

    def test_testnet_under_iris(self) -> None:
        """Testnet has one script for any federation under Iris (RSKIP284)."""
        one = federation(some_keys(3), Format.NON_STANDARD_ERP, "iris", 31)
        other = federation(some_keys(4), Format.NON_STANDARD_ERP, "iris", 31)

        assert one.redeem_script == other.redeem_script
        assert one.redeem_script.hex().startswith("6453210208f40073a9e43b3e9103acec79767a6de9b040")

    @pytest.mark.parametrize("kind", list(Format))
    def test_default(self, kind: Format) -> None:
        """The script without emergency keys is that of the members alone."""
        built = federation(some_keys(3), kind)
        standard = federation(some_keys(3), Format.STANDARD)

        assert built.default_redeem_script == standard.redeem_script
        assert (built.default_redeem_script == built.redeem_script) == (kind is Format.STANDARD)
        assert (built.default_output_script == standard.output_script) != built.is_segwit

    @pytest.mark.parametrize(
        ("kind", "most"),
        [(Format.STANDARD, 20), (Format.P2SH_ERP, 9), (Format.P2SH_P2WSH_ERP, 20)],
        ids=["standard", "p2sh", "p2wsh"],
    )
    def test_largest(self, kind: Format, most: int) -> None:
        """OP_CHECKMULTISIG has at most 20 keys, a script in a scriptSig at most 486 bytes."""
        assert federation(some_keys(most), kind).size == most
        with pytest.raises(PrecompileFailed, match=r"at most 20 keys|more than 486 bytes"):
            federation(some_keys(most + 1), kind)
