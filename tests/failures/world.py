"""A node with the contracts of a build, on which cases are run."""

from __future__ import annotations

from typing import Any

from eth_hash.auto import keccak

from devchain import Config, Node
from devchain.contracts.abi import Entry
from devchain.contracts.artifact_formats import parse_artifacts
from devchain.contracts.artifacts import Artifact
from devchain.contracts.contract import Contract
from devchain.errors import ExecutionReverted, VmError
from devchain.types import Address, TransactionRequest
from tests.failures.builds import Build
from tests.failures.cases import DEPLOYED, LINKED, Case, vyper_name

BLUEPRINT = bytes.fromhex("fe7100")
"""What ERC-5202 puts before the code."""

RETURN_REST = bytes.fromhex("61") + b"%b" + bytes.fromhex("3d81600a3d39f3")
"""Creation code that returns what follows: PUSH2 of its size, RETURNDATASIZE DUP2 PUSH1 10 ..."""


def describe(error: VmError) -> str:
    """How an execution failed: `"text"`, `panic 0x11`, `error Name`, `bare`, or the EVM's words."""
    if error.panic_code is not None:
        return f"panic 0x{error.panic_code:02x}"
    if error.has_reason:
        return f'"{error.reason}"'
    if error.custom_error is not None:
        return f"error {error.custom_error.name}"
    if isinstance(error, ExecutionReverted):
        return f"error 0x{error.payload[:4].hex()}" if error.payload else "bare"
    return str(error)


class World:
    """A node of its own with the contracts of a build; every case starts from the same state."""

    def __init__(self, build: Build) -> None:
        """Deploy the contracts."""
        self.build = build
        # Without limits of time, which a busy machine would reach.
        self.node = Node(Config(accounts=2, request_timeout=0, execution_timeout=0))
        written = build.read()
        parsed = parse_artifacts(written)
        self.artifacts = {each.name: each for each in parsed}
        for artifact in self.artifacts.values():
            self.node.artifacts.add(artifact)
        self.deployed: dict[str, Contract] = {}
        for name, arguments in DEPLOYED.items():
            artifact = self.artifacts.get(self._named(name))
            if artifact:
                self.deployed[name] = self._deploy(name, artifact, arguments)

    def run(self, case: Case) -> VmError | None:
        """Run a case; returns how it failed, None if it did not.

        The node is left as the failure left it: `with world.node.snapshot():` around.
        """
        for request in self.setup(case):
            self.node.transact(request)
        try:
            self.node.transact(self.request(case))
        except VmError as error:
            return error
        return None

    def setup(self, case: Case) -> list[TransactionRequest]:
        """The transactions that come before a case."""
        parts = (each.partition(".") for each in case.setup)
        contracts = ((self.deployed[name], function) for name, _, function in parts)
        return [
            TransactionRequest(to=each.address, data=each[function].encode())
            for each, function in contracts
        ]

    def request(self, case: Case) -> TransactionRequest:
        """The transaction of a case."""
        language = self.build.language
        name, function = case.contract(language), case.function(language)
        artifact = self.artifacts[name]
        arguments = [self._argument(each) for each in case.arguments]
        if function == "constructor":
            data = artifact.creation.template
            if case.data is None:
                data += artifact.abi.constructor.encode(arguments)
            return TransactionRequest(data=data, value=case.value, gas=case.gas)
        at = self.deployed[self.callee(case)].address
        if case.data is None:
            named = artifact.abi.functions_named(function)
            [entry] = [each for each in named if len(each.inputs) == len(arguments)]
            data = entry.selector + entry.encode(arguments)
        else:
            data = self._call_data(case)
        return TransactionRequest(to=at, data=data, value=case.value, gas=case.gas)

    def callee(self, case: Case) -> str:
        """The contract that a case calls, by its name in Solidity."""
        name = case.contract(self.build.language)
        found = (each for each in self.deployed if self._named(each) == name)
        return case.at or next(found, "")

    def constructor(self, name: str) -> Entry:
        """The constructor of a contract, by its name in Solidity."""
        return self.artifacts[self._named(name)].abi.constructor

    def _call_data(self, case: Case) -> bytes:
        signature, _, digits = (case.data or "").rpartition(" ")
        if not signature:
            return bytes.fromhex(digits.removeprefix("0x"))
        _, parenthesis, types = signature.partition("(")
        signature = case.function(self.build.language) + parenthesis + types
        return keccak(signature.encode())[:4] + bytes.fromhex(digits)

    def _argument(self, argument: Any) -> Any:
        if isinstance(argument, str) and argument.startswith("@blueprint "):
            return self._blueprint(self.artifacts[argument.partition(" ")[2]])
        if isinstance(argument, str) and argument.startswith("@"):
            return self.deployed[argument[1:]].address
        return argument

    def _blueprint(self, artifact: Artifact) -> Address | None:
        """Deploy a contract's creation code as a blueprint (ERC-5202)."""
        code = BLUEPRINT + artifact.creation.template
        size = len(code).to_bytes(2, "big")
        mined = self.node.transact(data=RETURN_REST % size + code)
        return mined.contract_address

    def _named(self, name: str) -> str:
        return vyper_name(name) if self.build.language == "Vyper" else name

    def _deploy(self, name: str, artifact: Artifact, arguments: tuple[str, ...]) -> Contract:
        expected = len(artifact.abi.constructor.inputs)
        given = [self._argument(each) for each in arguments[:expected]]
        used = LINKED.get(name) if self.build.language == "Solidity" else None
        libraries = {used: self.deployed[used]} if used else None
        return self.node.deploy(artifact, *given, libraries=libraries)
