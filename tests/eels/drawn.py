"""Drawn programs and transactions as state tests, which every EVM can read."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import rlp
from eth_hash.auto import keccak
from eth_keys.datatypes import PrivateKey

from devchain.evm.alt_bn128 import PRIME
from devchain.evm.hardforks import rules_for
from devchain.networks import GWEI
from devchain.types import ZERO_ADDRESS
from tests.bytecode import word
from tests.evm.compiler.engines import _CODES as HELPER_CODES
from tests.evm.compiler.engines import COINBASE, address
from tests.evm.compiler.programs import SELF, random_program
from tests.evm.compiler.transactions import CONTRACTS, DELEGATED, Scenario, UnsignedTransaction
from tests.vectors.state_fixtures import KEY, SENDER, account
from tests.vectors.state_tests import HARDFORK_NAMES

FORKS = (
    *("Frontier", "Homestead", "EIP150", "EIP158", "Byzantium", "ConstantinopleFix", "Istanbul"),
    *("Berlin", "London", "Paris", "Shanghai", "Cancun", "Prague", "Osaka"),
)
"""The hardforks that the specification has, without those that only delay the difficulty bomb."""
TYPES = {0: "Frontier", 1: "Berlin", 2: "London", 4: "Prague"}
"""The transaction types that are drawn, with the hardforks that brought them."""

AUTHORITIES = tuple(PrivateKey(bytes([number]) * 32) for number in (0x46, 0x47, 0x48))
"""Keys whose accounts delegate in transactions of type 4: a new account, and two in the state."""
FIELD = 2**256 - 1
PRECOMPILES = (*range(1, 0x12), 0x100)
WORDS = (0, 1, 2, 27, 28, PRIME, PRIME - 1, 2**255, FIELD)
BASE_FEE = 10


def fixtures(fork: str, seeds: range) -> Iterator[tuple[int, dict[str, Any]]]:
    """The state test of each seed, with one case of a hardfork and without expected results."""
    for seed in seeds:
        yield seed, fixture(fork, Random(f"{fork} {seed}"))  # noqa: S311  # reproducible


def fixture(fork: str, rng: Random) -> dict[str, Any]:
    """A drawn state test: one program, contracts that call one another, or a precompiled contract.

    Accounts, code and calls are those of `tests.evm.compiler`.
    """
    ours = HARDFORK_NAMES[fork]
    known = rules_for(ours).vm_class.get_state_class().computation_class.opcodes
    codes = dict(HELPER_CODES)
    storage = {number: {1: number} for number in (*codes, SELF)}
    kind = rng.random()
    if kind < 0.2:
        tx = _precompile_call(rng)
    elif kind < 0.6:
        codes[SELF] = random_program(rng, known)
        tx = UnsignedTransaction(
            to=address(SELF),
            data=bytes(rng.randint(0, 255) for _ in range(rng.choice((0, 4, 68)))),
            value=rng.choice((0, 0, 1)),
            gas=rng.choice((230_000, 230_000, rng.randint(22_000, 80_000))),
            access_list=(),
        )
    else:
        scenario = Scenario(rng, ours, known)
        codes |= scenario.codes
        storage |= {number: {0: 1, 1: 2} for number in CONTRACTS}
        if fork in FORKS[FORKS.index("Prague") :]:
            codes |= {number: b"\xef\x01\x00" + address(to) for number, to in DELEGATED.items()}
        tx = next(scenario.transactions())
    pre = {
        f"0x{address(number).hex()}": account(10**9, code)
        | {"storage": {hex(slot): hex(word) for slot, word in storage.get(number, {}).items()}}
        for number, code in codes.items()
    }
    pre[f"0x{SENDER.hex()}"] = account(10**24, b"")
    for key in AUTHORITIES[1:]:
        pre[key.public_key.to_address()] = account(5, b"")
    return {
        "env": {
            "currentCoinbase": f"0x{COINBASE.hex()}",
            "currentDifficulty": "0x20000",
            "currentRandom": f"0x{keccak(b'random').hex()}",
            "currentGasLimit": hex(10**8),
            "currentNumber": "0x1",
            "currentTimestamp": hex(1_700_000_000),
            "currentBaseFee": hex(BASE_FEE),
            "currentExcessBlobGas": "0x0",
            "previousHash": f"0x{keccak(b'0').hex()}",  # as state tests define it
        },
        "pre": pre,
        "transaction": _transaction(fork, rng, tx),
        "post": {
            fork: [
                {
                    "hash": f"0x{bytes(32).hex()}",
                    "logs": f"0x{bytes(32).hex()}",
                    "indexes": {"data": 0, "gas": 0, "value": 0},
                }
            ]
        },
    }


def _precompile_call(rng: Random) -> UnsignedTransaction:
    """A call of a precompiled contract with words that it may understand."""
    number = rng.choice((*PRECOMPILES, *(5,) * 10))
    if number == 5:
        sizes = [rng.choice((0, 0, 0, 0, 1, 2, 32, 33, 65, 1_024, 1_025)) for _ in range(3)]
        operands = [
            rng.choice((bytes(size), b"\1".rjust(size, b"\0")[:size], rng.randbytes(size)))
            for size in sizes
        ]
        data = b"".join(word(size) for size in sizes) + b"".join(operands)
        data = data[: rng.choice((len(data), len(data), rng.randint(0, len(data))))]
    else:
        count = rng.choice((0, 1, 2, 3, 4, 6, 12))
        data = b"".join(word(rng.choice((*WORDS, rng.getrandbits(256)))) for _ in range(count))
        if number == 9:
            data = word(rng.randint(0, 9))[-4:] + rng.randbytes(208) + bytes([rng.randint(0, 2)])
        data = data[: len(data) - rng.choice((0, 0, 0, 1, 31))]
    return UnsignedTransaction(
        to=address(number), data=data, value=rng.choice((0, 1)), gas=3_000_000, access_list=()
    )


def _transaction(fork: str, rng: Random, tx: UnsignedTransaction) -> dict[str, Any]:
    """The transaction with a type of the hardfork, and its fees."""
    kinds = [kind for kind, first in TYPES.items() if FORKS.index(fork) >= FORKS.index(first)]
    kind = rng.choice(kinds) if tx.to else rng.choice([each for each in kinds if each != 4])
    value: dict[str, Any] = {
        "data": [f"0x{tx.data.hex()}"],
        "gasLimit": [hex(tx.gas)],
        "nonce": "0x0",
        "secretKey": f"0x{KEY.hex()}",
        "sender": f"0x{SENDER.hex()}",
        "to": f"0x{tx.to.hex()}" if tx.to else "",
        "value": [hex(tx.value)],
    }
    if kind in {0, 1}:
        value["gasPrice"] = hex(rng.choice((BASE_FEE, 11, GWEI)))
    else:
        value["maxFeePerGas"] = hex(GWEI)
        value["maxPriorityFeePerGas"] = hex(rng.choice((0, 1, GWEI)))
    if kind:
        value["accessLists"] = [
            [
                {"address": f"0x{each.hex()}", "storageKeys": [f"0x{slot:064x}" for slot in slots]}
                for each, slots in tx.access_list
            ]
        ]
    if kind == 4:
        value["authorizationList"] = [_authorization(rng) for _ in range(rng.randint(1, 3))]
    return value


def _authorization(rng: Random) -> dict[str, str]:
    """A signed authorization, at times with a nonce, a chain or a signature that is wrong."""
    key = rng.choice((*AUTHORITIES, *AUTHORITIES, PrivateKey(KEY)))
    chain_id = rng.choice((0, 1, 1, 1, 2))
    nonce = rng.choice((0, 0, 0, 1, 1, 2**64 - 1))
    to = rng.choice((*map(address, CONTRACTS), ZERO_ADDRESS, address(2), address(0xD1)))
    signed = key.sign_msg_hash(keccak(b"\x05" + rlp.encode([chain_id, to, nonce])))
    s = FIELD - signed.s if rng.random() < 0.05 else signed.s
    parity = hex(signed.v if rng.random() < 0.95 else 27)
    return {
        "chainId": hex(chain_id),
        "address": f"0x{to.hex()}",
        "nonce": hex(nonce),
        "v": parity,
        "yParity": parity,
        "r": hex(signed.r),
        "s": hex(s),
    }
