"""`devchain.rpc.methods.client`"""

from __future__ import annotations

import sys
import zlib

import pytest

from devchain.client.http import LocalClient
from devchain.config import Config
from devchain.node import Node, version
from devchain.rpc.methods.client import accounts, chain_id, client_version
from tests.accounts import ALICE


class TestChainId:
    @pytest.mark.parametrize(
        ("network", "expected"), [("main", 30), ("test", 31), ("dev", 32), ("local", 33)]
    )
    def test_networks(self, network: str, expected: int) -> None:
        """Each network has its chain id, which is its network id, as decimal text."""
        client = LocalClient(Node(Config(network=network)))

        assert client.call("eth_chainId") == hex(expected)
        assert client.call("net_version") == str(expected)

    def test_option(self) -> None:
        """`--chain-id` replaces it."""
        assert chain_id(Node(Config(chain_id=1337))) == 1337


def test_accounts(node: Node) -> None:
    """A locked account is still listed."""
    node.accounts.lock(ALICE)

    assert accounts(node)[0] == ALICE


def test_client_version(node: Node) -> None:
    """Name, version, hardfork and Python, between slashes; `--client-version` sets another text."""
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"

    assert client_version(node) == f"devchain/{version()}/vetiver/{python}"
    assert client_version(Node(Config(client_version="anvil/v1"))) == "anvil/v1"


class TestConfig:
    def test_prague(self) -> None:
        """Names, numbers and fields are those of the example of EIP-7910."""
        node = Node(Config(hardfork="prague"))
        config = LocalClient(node).call("eth_config")

        current = config["current"]
        assert (config["next"], config["last"]) == (None, None)
        assert current["blobSchedule"] == {"baseFeeUpdateFraction": 5007716, "max": 9, "target": 6}
        assert current["activationTime"] == 0
        assert current["chainId"] == hex(node.config.effective_chain_id)
        assert current["forkId"] == f"0x{zlib.crc32(node.chain.block(0).hash):08x}"
        names = [
            *("BLAKE2F", "BLS12_G1ADD", "BLS12_G1MSM", "BLS12_G2ADD", "BLS12_G2MSM"),
            *("BLS12_MAP_FP2_TO_G2", "BLS12_MAP_FP_TO_G1", "BLS12_PAIRING_CHECK", "BN254_ADD"),
            *("BN254_MUL", "BN254_PAIRING", "ECREC", "ID", "KZG_POINT_EVALUATION", "MODEXP"),
            *("RIPEMD160", "SHA256"),
        ]
        assert list(current["precompiles"]) == names
        assert current["precompiles"]["BLS12_MAP_FP_TO_G1"] == "0x" + "10".zfill(40)
        assert current["systemContracts"] == {
            "BEACON_ROOTS_ADDRESS": "0x000f3df6d732807ef1319fb7b8bb8522d0beac02",
            "CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS": "0x0000bbddc7ce488642fb579f8b00f3a590007251",
            "DEPOSIT_CONTRACT_ADDRESS": "0x00000000219ab540356cbb839cbe05303d7705fa",
            "HISTORY_STORAGE_ADDRESS": "0x0000f90827f1c53a10cb7a02335b175320002935",
            "WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS": "0x00000961ef480eb55e80d19ad83579a64c007002",
        }

    def test_cancun(self) -> None:
        """Cancun has fewer blobs, and no requests to validators."""
        current = LocalClient(Node(Config(hardfork="cancun"))).call("eth_config")["current"]

        assert current["blobSchedule"] == {"baseFeeUpdateFraction": 3338477, "max": 6, "target": 3}
        assert list(current["systemContracts"]) == ["BEACON_ROOTS_ADDRESS"]

    def test_rootstock(self, node: Node) -> None:
        """Rootstock has no blobs, and precompiled contracts of its own."""
        current = LocalClient(node).call("eth_config")["current"]

        assert current["blobSchedule"] is None
        assert current["systemContracts"] == {}
        assert current["precompiles"]["Bridge"] == "0x" + "1000006".zfill(40)
        assert current["precompiles"]["SECP256K1_MUL"] == "0x" + "1000017".zfill(40)
