"""Execution rules: what a transaction does to accounts, under Rootstock's and Ethereum's hardforks.

Everything that executes bytecode belongs here: py-evm's VM class of each hardfork, the fast engine
(`compiler`), precompiled contracts, and Rootstock's differences (`rootstock`). Blocks and receipts
are built in `devchain.chain`. Public entry: `hardforks.rules_for`; packages above this one use the
`rules.Rules` it returns for everything that depends on the hardfork.

Importing the package makes eth-hash, and with it py-evm, use its fastest backend for keccak-256,
safe-pysha3, which it would not choose. Its environment variable would reach child processes.
"""

from eth_hash.auto import keccak
from eth_hash.backends import pysha3

from devchain.evm import deferred_bls12_381

keccak.hasher = pysha3.keccak256  # type: ignore[assignment]  # the name of its argument differs
keccak.preimage = pysha3.preimage  # type: ignore[assignment]  # as before

deferred_bls12_381.defer()
