"""A chain with tokens of three kinds, a factory, clones, a proxy, and many empty blocks.

Contracts are from `contracts/Bazaar.sol`; of the tokens the node has no artifacts.
"""

from __future__ import annotations

import lzma
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from devchain.contracts.abi import Abi

FOLDER = Path(__file__).parent
SOURCE = "contracts/Bazaar.sol"
UNKNOWN = ("Coin", "Art", "Items")
EMPTY_BLOCKS = 1_100
SENDERS, EACH = 10, 15  # of equal transfers in one block
HOSTILE_NAME = "<script>alert(3)</script>\u202e"


def compiled() -> dict[str, Any]:
    """The compiled contracts, as a build info of Hardhat."""
    found: dict[str, Any] = orjson.loads(lzma.decompress((FOLDER / "bazaar.json.xz").read_bytes()))
    return found


def known_artifacts() -> dict[str, Any]:
    """Those that the node is told of: all but the tokens."""
    known = deepcopy(compiled())
    for name in UNKNOWN:
        del known["output"]["contracts"][SOURCE][name]
    return known


@dataclass
class Bazaar:
    """What is on the chain: accounts, contracts by name, and hashes of transactions by name.

    `before` is the block before a piece of art was moved.
    """

    accounts: list[str] = field(default_factory=list)
    contracts: dict[str, str] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    before: int = 0


def fill(call: Callable[..., Any], empty_blocks: int = EMPTY_BLOCKS) -> Bazaar:  # noqa: PLR0915  # in order
    """Deploy and use the contracts with JSON-RPC calls to a node."""
    call("devchain_addArtifacts", known_artifacts())
    contracts = compiled()["output"]["contracts"][SOURCE]
    made = Bazaar(call("eth_accounts"))
    first, second, third, fourth = made.accounts[:4]

    def send(name: str, sender: str, data: bytes, to: str | None, **more: str) -> Any:  # JSON
        request = {"from": sender, "gas": hex(6_000_000), "data": f"0x{data.hex()}", **more}
        made.hashes[name] = call("eth_sendTransaction", request | ({"to": to} if to else {}))
        return call("eth_getTransactionReceipt", made.hashes[name])

    def deploy(name: str, contract: str, *arguments: object) -> None:
        abi = Abi.from_json(contracts[contract]["abi"])
        code = bytes.fromhex(contracts[contract]["evm"]["bytecode"]["object"])
        receipt = send(f"deploy {name}", first, code + abi.constructor.encode(arguments), None)
        made.contracts[name] = receipt["contractAddress"]

    def data(contract: str, function: str, *arguments: object) -> bytes:
        entry = Abi.from_json(contracts[contract]["abi"]).functions_named(function)[0]
        return entry.selector + entry.encode(arguments)

    def use(
        name: str,
        sender: str,
        to: str,
        contract: str,
        function: str,
        *arguments: object,
        **more: str,
    ) -> Any:  # JSON
        return send(name, sender, data(contract, function, *arguments), made.contracts[to], **more)

    deploy("coin", "Coin", "Bazaar Coin", "BZR")
    deploy("hostile", "Coin", HOSTILE_NAME, HOSTILE_NAME)
    deploy("art", "Art")
    deploy("items", "Items")
    use("mint", first, "coin", "Coin", "mint", fourth, 12_345_678_900)
    use("mint hostile", first, "hostile", "Coin", "mint", fourth, 5_000_000)
    use("coin moved", fourth, "coin", "Coin", "transfer", second, 2_500_000)
    use("coin failed", third, "coin", "Coin", "transfer", second, 1)
    for number, owner in enumerate((fourth, second, fourth), 1):
        use(f"art {number}", second, "art", "Art", "mint", owner)
    made.before = int(call("eth_blockNumber"), 16)
    use("art moved", fourth, "art", "Art", "transferFrom", fourth, third, 3)
    use("items", first, "items", "Items", "mint", fourth, 7, 30)
    deploy("factory", "Factory")
    shops = use("make", first, "factory", "Factory", "make", 4)["logs"]
    made.contracts |= {f"shop {n}": f"0x{log['data'][-40:]}" for n, log in enumerate(shops, 1)}
    cloned = use("clone", first, "factory", "Factory", "clone")["logs"]
    made.contracts["clone"] = f"0x{cloned[0]['data'][-40:]}"
    deploy("proxy", "Proxy", made.contracts["shop 1"])
    use("open clone", second, "clone", "Shop", "open", 1)
    use("open proxy", second, "proxy", "Shop", "open", 1)
    use("order", third, "clone", "Shop", "order", 3, 40, value=hex(10**16))
    nested = data("Coin", "mint", first, 77)
    use("run", third, "clone", "Shop", "run", made.contracts["coin"], nested)
    inner = data("Shop", "open", 1)
    use("run open", third, "clone", "Shop", "run", made.contracts["shop 2"], inner)
    within = data("Shop", "run", first, b"\xab" * 200)
    use("run batch", third, "clone", "Shop", "run", made.contracts["shop 2"], within)
    deploy("stall", "Stall")
    use("paint", first, "stall", "Stall", "paint", 1, 251)
    use("ring", first, "stall", "Stall", "ring", 40)
    for number in (1, 2):
        use(f"mint again {number}", first, "hostile", "Coin", "mint", third, 3_000_000)
    call("evm_setAutomine", False)
    for sender in made.accounts[:SENDERS]:
        for _ in range(EACH):
            call("eth_sendTransaction", {"from": sender, "to": second, "value": "0x1"})
    call("hardhat_mine", "0x1")
    call("evm_setAutomine", True)
    if empty_blocks:
        call("hardhat_mine", hex(empty_blocks))
    return made


def source() -> str:
    """The text of the contracts."""
    return (FOLDER / SOURCE).read_text()
