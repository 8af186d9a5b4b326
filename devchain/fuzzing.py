"""Invariant tests and campaigns of contracts, and the sandbox that they run in."""

from devchain.node.sandboxed import sandbox
from devchain.testing.contract_machine import ContractMachine
from devchain.testing.machine import Call, handler, invariant

__all__ = ["Call", "ContractMachine", "handler", "invariant", "sandbox"]
