"""The machine: py-evm's virtual machines, configured for the rules devchain offers."""

from devchain.evm.hashing import use_fastest_keccak

use_fastest_keccak()
