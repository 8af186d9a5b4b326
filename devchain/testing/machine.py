"""Invariant testing: sequences of calls, and what has to hold after each; `devchain.fuzzing`.

A sequence of `Step` runs on one open state (`sandbox(node)`), which is restored before the next
one. `hypothesis_machine` draws the steps, or `campaign` does, guided by coverage.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from inspect import getmembers, isfunction
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from devchain.chain.sandbox import Outcome, Sandbox
from devchain.contracts.abi import Decoded, Entry, Param, decode_event
from devchain.contracts.contract import ContractBase, Function
from devchain.errors import InvalidInput, VmError
from devchain.node.sandboxed import new_sandbox, sandbox
from devchain.testing.reproducer import (
    Read,
    address_names,
    call_text,
    expression,
    integer_text,
    read_lines,
)
from devchain.text import misspelt, shown_argument
from devchain.types import Address, AddressBytes, TransactionRequest, address_of, checksum

if TYPE_CHECKING:
    from devchain.node import Node

F = TypeVar("F", bound=Callable[..., Any])
HANDLER, INVARIANT = "devchain_handler", "devchain_invariant"
OF_HYPOTHESIS = {"hypothesis_stateful_rule": "rule", "hypothesis_stateful_invariant": "invariant"}
"""What Hypothesis marks methods with."""


def invariant(function: F) -> F:
    """Mark a method of a `ContractMachine` that checks an invariant after every step."""
    setattr(function, INVARIANT, True)
    return function


def handler(*kinds: str) -> Callable[[F], F]:
    """Mark a method of a `ContractMachine` that is a step, with arguments of ABI types.

    `@handler("uint256", "address")` above `def deposit_twice(self, amount, who):`. Calls of
    contracts in it are transactions. A revert that it does not catch ends the step. Raises
    `InvalidInput` for an unknown type.
    """
    if any(map(callable, kinds)):
        raise InvalidInput('a handler names the types that it takes: write @handler("uint256")')
    params = tuple(map(Param.from_text, kinds))

    def mark(function: F) -> F:
        setattr(function, HANDLER, params)
        return function

    return mark


@dataclass(frozen=True, slots=True)
class Action:
    """What a step can do: a function of the target at an address, or a handler without one."""

    name: str
    entry: Entry
    contract: str = ""
    address: Address | None = None

    @property
    def is_payable(self) -> bool:
        return self.entry.mutability == "payable"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a sequence: time and blocks that pass, then an action with its values.

    `sender` is the number of one of the machine's senders, `value` in wei.
    """

    action: str
    arguments: tuple[Any, ...] = ()
    sender: int = 0
    value: int = 0
    seconds: int = 0
    blocks: int = 0


@dataclass(slots=True)
class Call:
    """A call that a step made, as `ContractMachine.after_call` is given it."""

    name: str
    contract: str
    arguments: tuple[Any, ...]
    sender: AddressBytes
    value: int
    succeeded: bool
    reason: str
    outcome: Outcome = field(repr=False)
    target: ContractBase = field(repr=False)

    @property
    def events(self) -> list[Decoded]:
        """The events of the called contract: `event.name`, `event["amount"]`."""
        own = (log for log in self.outcome.logs if log.address == self.target.address)
        abi = self.target.contract.interface
        return [event for log in own if (event := decode_event(abi, log.topics, log.data))]


@dataclass(slots=True)
class Counts:
    """Calls of a run by function: those that succeeded, and reverts by reason."""

    succeeded: Counter[str] = field(default_factory=Counter)
    reverted: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def calls(self) -> int:
        return self.succeeded.total() + self.reverted.total()

    def lines(self) -> list[str]:
        """A table: each function with its calls, and its reverts by reason below it."""
        names = sorted({*self.succeeded, *(name for name, _ in self.reverted)})
        width = max((len(name) for name in names), default=0)
        rows = []
        for name in names:
            reasons = {why: n for (of, why), n in self.reverted.items() if of == name}
            done, failed = self.succeeded[name], sum(reasons.values())
            rows.append(f"{name:{width}}  {done + failed:>9,} calls  {failed:>9,} reverts")
            rows += [
                f"  {count:>{width + 28},} {why}"
                for why, count in sorted(reasons.items(), key=lambda each: -each[1])
            ]
        return rows


class Machine:
    """Contracts under test, those who call them, and what has to hold; see `ContractMachine`."""

    targets: ClassVar[Sequence[ContractBase]] = ()
    senders: Sequence[Any] = ()
    functions: ClassVar[Sequence[str | Function] | None] = None
    excluded: ClassVar[Sequence[str | Function]] = ()
    max_value: ClassVar[int] = 10**20
    max_seconds: ClassVar[int] = 30 * 86_400
    forbidden_reverts: ClassVar[Sequence[str]] = ()
    compared: ClassVar[Sequence[tuple[ContractBase, ContractBase]]] = ()

    def __init__(self, run: MachineRun | None = None) -> None:
        """Start a sequence in the state of a run; tests do not call it."""
        super().__init__()
        if run is None:
            raise InvalidInput(f"start {type(self).__name__} with its check() or campaign()")
        self.devchain_run = run
        self.senders = self.senders or run.default_senders
        run.restore()
        self.setup()

    def setup(self) -> None:
        """Initialize ghost variables; calls of contracts here are part of every sequence."""

    def after_call(self, call: Call) -> None:
        """Update ghost variables after a call of a step, successful or not."""

    @property
    def node(self) -> Node:
        return self.devchain_run.node


class UnknownStep(InvalidInput):
    """A step of a corpus is from another version of the contract."""


class MachineRun:
    """The state and the actions that the sequences of one machine share.

    `reads` are those of the last step, or of the invariant checked last, while they are recorded.
    """

    def __init__(self, machine: type[Machine], sandbox: Sandbox, node: Node) -> None:
        self.machine, self.sandbox, self.node = machine, sandbox, node
        self.actions = {action.name: action for action in _actions(machine)}
        if not self.actions:
            raise InvalidInput(f"{machine.__name__} has nothing to call: give it targets")
        self.default_senders = [AddressBytes(address) for address in node.accounts.addresses()[:3]]
        self.senders = [address_of(sender) for sender in machine.senders or self.default_senders]
        if not self.senders:
            raise InvalidInput(f"{machine.__name__} has no senders")
        self.invariants = [
            name for name, method in getmembers(machine, isfunction) if hasattr(method, INVARIANT)
        ]
        self.counts = Counts()
        self.reads: list[Read] = []
        self._start = sandbox.checkpoint()
        self._reasons: dict[bytes, str] = {}
        self._others = {address_of(one): address_of(two) for one, two in machine.compared}
        if not self._others.keys() <= {address_of(target) for target in machine.targets}:
            raise InvalidInput(f"{machine.__name__} compares a contract that is no target")

    def restore(self) -> None:
        self._start = self.sandbox.restore(self._start)

    def step(self, machine: Machine, step: Step) -> Outcome | None:
        """Run a step, without the invariants; what its call did, None of a handler.

        Raises `UnknownStep` for values that cannot be encoded, and what a handler asserts.
        """
        __tracebackhide__ = True
        self.reads.clear()
        action = self.actions[step.action]
        try:
            data = action.entry.selector + action.entry.encode(step.arguments)
        except InvalidInput as error:
            raise UnknownStep(str(error)) from None
        if step.seconds or step.blocks:
            self.sandbox.advance(step.seconds + step.blocks, step.blocks or 1)
        if action.address is None:
            try:
                getattr(machine, action.entry.name)(*step.arguments)
            except VmError as error:
                self._count(action, self._error_name(error.payload) or str(error))
            else:
                self._count(action, "")
            return None
        sender = self.senders[step.sender]
        request = TransactionRequest(sender, action.address, value=step.value, data=data)
        outcome = self.sandbox.transact(request)
        reason = self._reason(outcome)
        self._count(action, reason)
        if type(machine).after_call is not Machine.after_call:
            machine.after_call(self._call(action, step, sender, outcome, reason))
        if action.address in self._others:
            self._compare(action, request, outcome)
        if reason and any(revert in reason for revert in machine.forbidden_reverts):
            raise AssertionError(f"{action.name} failed: {reason}")
        return outcome

    def _count(self, action: Action, reason: str) -> None:
        if reason:
            self.counts.reverted[action.name, reason] += 1
        else:
            self.counts.succeeded[action.name] += 1

    def _compare(self, action: Action, request: TransactionRequest, outcome: Outcome) -> None:
        __tracebackhide__ = True
        if outcome.is_valid:
            self.sandbox.advance(-1, -1)
        other = self.sandbox.transact(request._replace(to=self._others[request.to]))  # type: ignore[index]  # a target's
        results = [
            (result.failure is None, result.output, [(log.topics, log.data) for log in result.logs])
            for result in (outcome, other)
        ]
        for what, one, two in zip(("success", "output", "logs"), *results, strict=True):
            if one != two:
                raise AssertionError(f"{action.name}: {what} differs: {one!r} and {two!r}")

    def compare_views(self) -> None:
        """Call every view function without arguments of both; raises `AssertionError`."""
        __tracebackhide__ = True
        for pair in self.machine.compared:
            for entry in pair[0].contract.interface.functions.values():
                if not entry.is_read_only or entry.inputs:
                    continue
                results = []
                for contract in pair:
                    request = TransactionRequest(to=address_of(contract), data=entry.selector)
                    results.append(entry.decode_output(self.sandbox.call(request).output))
                if results[0] != results[1]:
                    raise AssertionError(
                        f"{entry.signature} differs: {results[0]!r} and {results[1]!r}"
                    )

    def check(self, machine: Machine) -> None:
        __tracebackhide__ = True
        self.compare_views()
        for name in self.invariants:
            self.reads.clear()
            getattr(machine, name)()

    def _reason(self, outcome: Outcome) -> str:
        # Why a call failed: the name of a custom error, without its values.
        failure = outcome.failure
        if failure is None:
            return ""
        key = failure.payload or failure.message.encode()
        if key not in self._reasons:
            name = self._error_name(failure.payload)
            self._reasons[key] = name or failure.describe(self.node.artifacts)
        return self._reasons[key]

    def _error_name(self, payload: bytes) -> str:
        decoded = self.node.artifacts.decode_error(payload)
        return decoded.name if decoded else ""

    def _call(
        self, action: Action, step: Step, sender: Address, outcome: Outcome, reason: str
    ) -> Call:
        target = next(target for target in self.machine.targets if target.address == action.address)
        return Call(
            action.entry.name,
            action.contract,
            step.arguments,
            AddressBytes(sender),
            step.value,
            not outcome.failure,
            reason,
            outcome,
            target,
        )

    def failing_program(self, steps: Sequence[Step]) -> list[str]:
        """A sequence that failed, followed by what was read last, which an assertion was about."""
        names = address_names(self.node, map(address_of, self.machine.targets))
        return [*self.program(steps), *read_lines(self.node, self.reads, names)]

    def program(self, steps: Sequence[Step]) -> list[str]:
        """A sequence as lines of Python, for the state in which it started."""
        names = address_names(self.node, map(address_of, self.machine.targets))
        lines = []
        for step in steps:
            action = self.actions[step.action]
            if step.blocks > 1:
                lines.append(f"devchain.mine({step.blocks - 1})")
            if step.seconds or step.blocks > 1:
                lines.append(f"devchain.time_travel({step.seconds + 1})")
            elif step.blocks:
                lines.append("devchain.mine()")
            pairs = zip(action.entry.inputs, step.arguments, strict=True)
            arguments = [expression(param, value, names) for param, value in pairs]
            target = "self"
            options: dict[str, str | None] = {}
            if action.address is not None:
                sender = self.senders[step.sender]
                options["sender"] = names.get(sender) or f'"{checksum(sender)}"'
                options["value"] = integer_text(step.value) if step.value else None
                target = names.get(action.address, action.contract)
            lines.append(call_text(target, action.entry.name, arguments, options))
        return lines


Chosen = set[tuple[Address, Entry]]


def _chosen(machine: type[Machine], attribute: str, values: Sequence[str | Function]) -> Chosen:
    named: dict[str, Chosen] = {}  # `deposit`, `deposit(uint256)`, `Pool.deposit`
    for contract in machine.targets:
        for entry in contract.contract.interface.functions.values():
            for name in (entry.name, entry.signature, f"{contract.contract.name}.{entry.name}"):
                named.setdefault(name, set()).add((address_of(contract), entry))
    chosen: Chosen = set()
    for value in (values,) if isinstance(values, str | Function) else values:
        if isinstance(value, Function):
            own = {(address_of(value.contract), entry) for entry in value.entries}
            meant = own & set().union(*named.values())
        else:
            meant = named.get(value, set())
        if not meant and isinstance(value, str):
            close = misspelt(value, named)
            text = f"{attribute} of {machine.__name__}: its targets have no function {value}"
            raise InvalidInput(f"{text}: did you mean {close}?" if close else text)
        if not meant:
            raise InvalidInput(
                f"{attribute} of {machine.__name__}: {shown_argument(value)} is no function of its "
                'targets: give names, as "deposit", or functions, as vault.deposit'
            )
        chosen |= meant
    return chosen


def _actions(machine: type[Machine]) -> Iterator[Action]:
    wanted = None if machine.functions is None else _chosen(machine, "functions", machine.functions)
    excluded = _chosen(machine, "excluded", machine.excluded)
    names: Counter[str] = Counter()
    for contract in machine.targets:
        api, address = contract.contract, address_of(contract)
        names[api.name] += 1
        label = api.name if names[api.name] == 1 else f"{api.name}{names[api.name]}"
        for entry in api.interface.functions.values():
            is_wanted = not entry.is_read_only if wanted is None else (address, entry) in wanted
            if is_wanted and (address, entry) not in excluded:
                yield Action(f"{label}.{entry.signature}", entry, label, address)
    for name, method in getmembers(machine, isfunction):
        params = getattr(method, HANDLER, None)
        if params is not None:
            entry = Entry("function", name, params)
            yield Action(f"self.{entry.signature}", entry)


def node_of(machine: type[Machine]) -> Node:
    if not machine.targets or not isinstance(machine.targets, list | tuple):
        raise InvalidInput(f"{machine.__name__} has no targets: give it contracts, as (vault,)")
    node: Node = machine.targets[0].contract.chain
    return node


@contextmanager
def machine_run(machine: type[Machine], rules: Any = None) -> Iterator[MachineRun]:
    """A run of a machine in a sandbox on its node; `rules` are those of the chain unless given."""
    node = node_of(machine)
    with sandbox(node, new_sandbox(node, rules)) as opened:
        yield MachineRun(machine, opened, node)
