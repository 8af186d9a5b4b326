"""`devchain.chain.predeploys`"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from eth_hash.auto import keccak

from devchain.chain import predeploys
from devchain.client.http import LocalClient
from devchain.config import PREDEPLOYS, Config
from devchain.errors import ConfigError
from devchain.node import Node
from tests.conftest import GENESIS_TIME

KNOWN = json.loads(Path(predeploys.__file__).with_suffix(".json").read_bytes())
CONTRACTS = [contract for contracts in KNOWN.values() for contract in contracts]
CREATE2 = KNOWN["create2"][0]["address"]
MULTICALL3 = KNOWN["multicall3"][0]["address"]
RETURNS_7 = bytes.fromhex("600760005260206000f3")
CREATES_IT = bytes.fromhex("69" + RETURNS_7.hex() + "600052600a6016f3")


def client_of(**options: Any) -> LocalClient:
    """A client of a new node with a fixed clock."""
    return LocalClient(Node(Config(fixed_clock=GENESIS_TIME, **options)))


def read(client: LocalClient, address: str, signature: str, arguments: bytes = b"") -> bytes:
    """What a view function returns."""
    data = keccak(signature.encode())[:4] + arguments
    answer = client.call("eth_call", {"to": address, "input": f"0x{data.hex()}"}, "latest")
    return bytes.fromhex(answer[2:])


class TestData:
    def test_names(self) -> None:
        """The option knows the names that the file has, in its order."""
        assert tuple(KNOWN) == PREDEPLOYS

    @pytest.mark.parametrize("contract", CONTRACTS, ids=[each["name"] for each in CONTRACTS])
    def test_code(self, contract: dict[str, Any]) -> None:
        """Each code has the hash that is noted, and a source."""
        code = bytes.fromhex(contract["code"][2:])

        assert contract["code_hash"] == f"0x{keccak(code).hex()}"
        assert contract["source"]
        assert contract["license"] in {"MIT", "ISC"}  # what may be part of a package with MIT's

    @pytest.mark.parametrize(
        ("name", "published"),
        [
            ("create2", "0x2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989"),
            ("multicall3", "0xd5c15df687b16f2ff992fc8d767b4216323184a2bbc6ee2f9c398c318e770891"),
        ],
    )
    def test_published_hash(self, name: str, published: str) -> None:
        """Code whose hash is published elsewhere has that hash."""
        assert KNOWN[name][0]["code_hash"] == published


class TestChain:
    def test_default(self) -> None:
        """Only `--like anvil` begins with a contract, the CREATE2 deployer; Hardhat has none."""
        codes = [
            client_of(**options).call("eth_getCode", CREATE2, "latest")
            for options in ({}, {"like": "hardhat"}, {"like": "anvil", "predeploy": ""})
        ]

        assert codes == ["0x"] * 3
        anvil = client_of(like="anvil")
        assert anvil.call("eth_getCode", CREATE2, "latest") == KNOWN["create2"][0]["code"]

    def test_create2(self) -> None:
        """The CREATE2 deployer creates a contract at the address of salt and creation code."""
        client = client_of(predeploy="create2")
        salt = bytes(31) + b"\1"
        sender = client.call("eth_accounts")[0]
        preimage = b"\xff" + bytes.fromhex(CREATE2[2:]) + salt + keccak(CREATES_IT)
        created = f"0x{keccak(preimage)[12:].hex()}"

        client.call(
            "eth_sendTransaction",
            {"from": sender, "to": CREATE2, "data": f"0x{(salt + CREATES_IT).hex()}"},
        )

        assert client.call("eth_getCode", created, "latest") == f"0x{RETURNS_7.hex()}"

    def test_multicall3(self) -> None:
        """Multicall3 answers calls, and its name and functions are known."""
        node = Node(Config(fixed_clock=GENESIS_TIME, predeploy=["create2,multicall3"]))
        client = LocalClient(node)
        chain_id = keccak(b"getChainId()")[:4]

        call = {"to": MULTICALL3, "input": f"0x{chain_id.hex()}"}
        answer = client.call("eth_call", call, "latest")

        assert int(answer, 16) == 33
        names = client.call("devchain_nameContracts", [MULTICALL3, CREATE2])
        assert names == ["Multicall3", "Create2Deployer"]
        assert "getChainId()" in str(client.call("devchain_describeCalls", [call]))

    def test_permit2(self) -> None:
        """Permit2 signs for the chain that it is on, whatever chain its code was made on."""
        client = client_of(predeploy="permit2")
        address = KNOWN["permit2"][0]["address"]
        types = b"EIP712Domain(string name,uint256 chainId,address verifyingContract)"
        words = [keccak(types), keccak(b"Permit2"), (33).to_bytes(32, "big")]
        domain = keccak(b"".join([*words, bytes(12), bytes.fromhex(address[2:])]))

        assert read(client, address, "DOMAIN_SEPARATOR()") == domain

    @pytest.mark.parametrize(("network", "member"), [("main", "address"), ("test", "testnet")])
    def test_rns(self, network: str, member: str) -> None:
        """The first account owns the root of names, whose resolver is at its network's address."""
        node = Node(Config(fixed_clock=GENESIS_TIME, network=network, predeploy="rns"))
        client = LocalClient(node)
        registry, resolver = (contract[member] for contract in KNOWN["rns"])

        owner = read(client, registry, "owner(bytes32)", bytes(32))

        assert owner[12:] == node.accounts.dev_keys[0][0]
        assert read(client, registry, "resolver(bytes32)", bytes(32))[12:].hex() == resolver[2:]
        assert client.call("eth_getStorageAt", resolver, "0x0")[-40:] == registry[2:]

    def test_reset(self) -> None:
        """After a reset of the chain they are there again."""
        client = client_of(predeploy="create2")

        client.call("hardhat_setCode", CREATE2, "0x")
        client.call("hardhat_reset")

        assert client.call("eth_getCode", CREATE2, "latest") != "0x"

    def test_genesis_file(self, tmp_path: Path) -> None:
        """An account of a genesis file replaces the contract at its address."""
        file = tmp_path / "genesis.json"
        file.write_text(json.dumps({"alloc": {CREATE2: {"balance": "0x1", "code": "0xfe"}}}))
        client = client_of(predeploy="create2", init=file)

        assert client.call("eth_getCode", CREATE2, "latest") == "0xfe"

    def test_unknown(self) -> None:
        """An unknown name is refused with the known ones."""
        with pytest.raises(ConfigError, match="unknown predeploy 'create3'; did you mean create2"):
            Config(predeploy="create3")
