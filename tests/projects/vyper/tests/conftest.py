"""The registry on titanoboa or on devchain: `CHAIN=boa` or `CHAIN=devchain`.

Both have the same few methods here, and each test starts from a newly deployed contract.
"""

import contextlib
import os
from pathlib import Path

import pytest
import vyper

SOURCE = Path(__file__).parents[1] / "contracts" / "Registry.vy"
PERIOD = 3600


class Boa:
    """titanoboa's own environment."""

    def __init__(self):
        import boa

        self.boa = boa
        self.users = [boa.env.generate_address() for _ in range(3)]
        for each in self.users:
            boa.env.set_balance(each, 10**18)

    def deploy(self):
        with self.boa.env.prank(self.users[0]):
            return self.boa.load(str(SOURCE), PERIOD)

    def reverts(self, reason=None):
        return self.boa.reverts(reason) if reason else self.boa.reverts()

    def sleep(self, seconds):
        self.boa.env.time_travel(seconds=seconds)

    def balance(self, address):
        return self.boa.env.get_balance(getattr(address, "address", address))

    def address(self, account):
        return str(getattr(account, "address", account)).lower()

    def events(self, contract, sent):
        del sent
        return [type(each).__name__ for each in contract.get_logs()]


class Devchain:
    """devchain's node of the pytest plugin."""

    def __init__(self, request):
        self.node = request.getfixturevalue("devchain")
        self.users = request.getfixturevalue("accounts")[:3]
        outputs = ["abi", "bytecode", "bytecode_runtime", "source_map_runtime"]
        compiled = vyper.compile_code(SOURCE.read_text(), output_formats=outputs)
        self.artifact = {
            "contractName": "Registry",
            "abi": compiled["abi"],
            "bytecode": compiled["bytecode"],
            "deployedBytecode": compiled["bytecode_runtime"],
        }

    def deploy(self):
        return self.node.deploy(self.artifact, PERIOD, sender=self.users[0])

    def reverts(self, reason=None):
        from devchain.errors import ExecutionReverted

        return pytest.raises(ExecutionReverted, match=reason)

    def sleep(self, seconds):
        self.node.time_travel(seconds)

    def balance(self, address):
        return self.node.at().balance(address)

    def address(self, account):
        address = getattr(account, "address", account)
        return f"0x{address.hex()}" if isinstance(address, bytes) else str(address).lower()

    def events(self, contract, sent):
        return [each.name for each in contract.events(where=sent)]


@pytest.fixture
def chain(request):
    """The chain that `CHAIN` names."""
    if os.environ.get("CHAIN") == "boa":
        found = Boa()
        with found.boa.env.anchor():
            yield found
    else:
        with contextlib.nullcontext(Devchain(request)) as found:
            yield found


@pytest.fixture
def registry(chain):
    """A registry that its first user has deployed."""
    return chain.deploy()
