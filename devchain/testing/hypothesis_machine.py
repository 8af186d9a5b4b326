"""A `ContractMachine` as a state machine of Hypothesis, which draws its steps and shrinks them."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from hypothesis.strategies import SearchStrategy

from devchain.contracts.contract import ShortPretty
from devchain.testing.dictionary import dictionary_of
from devchain.testing.hypothesis_examples import with_phases
from devchain.testing.machine import Action, Counts, Machine, MachineRun, Step, machine_run
from devchain.testing.reproducer import ProgramNote, recorded_reads
from devchain.testing.strategies import strategy_of

STEPS = 30
IDLE_STEPS = 64  # one of so many drawn steps does nothing


class DrawnStep(ShortPretty):
    """A step that Hypothesis shows as the line of Python that it is; None does nothing."""

    def __init__(self, run: MachineRun, step: Step | None) -> None:
        self.run, self.step = run, step

    def __repr__(self) -> str:
        return "; ".join(self.run.program([self.step])) if self.step else "None"


def check_machine(machine: type[Machine], wanted: settings | None) -> Counts:
    with machine_run(machine) as run, recorded_reads(run.node) as run.reads:

        def begin(self: Any) -> None:
            Machine.__init__(self, run)
            self.devchain_steps = []

        kind = type(
            machine.__name__,
            (machine, RuleBasedStateMachine),
            {
                "__init__": begin,
                "step": rule(step=_steps(run))(step),
                "devchain_invariants": invariant()(invariants),
            },
        )
        # Without a deadline by default: code that becomes hot is compiled within a step.
        wanted = wanted or settings(
            deadline=None, stateful_step_count=STEPS, suppress_health_check=[HealthCheck.too_slow]
        )
        run_state_machine_as_test(kind, settings=with_phases(wanted))
        return run.counts


def step(self: Any, step: DrawnStep) -> None:
    """A step of the machine, which Hypothesis shows as `state.step(vault.deposit(...))`."""
    if step.step is None:
        return
    self.devchain_steps.append(step.step)
    try:
        self.devchain_run.step(self, step.step)
    except Exception as error:
        _add_program(self, error)
        raise


def invariants(self: Any) -> None:
    """Call the methods marked with devchain's `invariant`; Hypothesis calls its own."""
    try:
        self.devchain_run.check(self)
    except Exception as error:
        _add_program(self, error)
        raise


def _add_program(machine: Any, error: Exception) -> None:
    program = "\n".join(machine.devchain_run.failing_program(machine.devchain_steps))
    if program:
        error.add_note(ProgramNote(f"the calls of this example:\n{program}"))


def _steps(run: MachineRun) -> SearchStrategy[DrawnStep]:
    # Hypothesis drops at most five choices at once, and a step has more: its function, its sender,
    # each argument. But it also tries to make all choices of a step 0. Such a step does nothing and
    # has a single choice, so that it is dropped next.
    each = st.one_of([_steps_of(run, action) for action in run.actions.values()])
    nothing: SearchStrategy[Step | None] = st.none()
    any_step = st.integers(0, IDLE_STEPS - 1).flatmap(lambda number: each if number else nothing)
    return any_step.map(lambda step: DrawnStep(run, step))


def _steps_of(run: MachineRun, action: Action) -> SearchStrategy[Step]:
    known = dictionary_of(list(run.machine.targets))
    most = run.machine.max_value
    amounts = st.one_of(st.integers(0, most), st.sampled_from(known.integers(0, most)))
    time = st.one_of(st.just(0), st.just(0), st.just(0), st.integers(0, run.machine.max_seconds))

    return st.builds(
        Step,
        action=st.just(action.name),
        arguments=st.tuples(*(strategy_of(param, known) for param in action.entry.inputs)),
        sender=st.integers(0, len(run.senders) - 1) if action.address else st.just(0),
        value=amounts if action.is_payable else st.just(0),
        seconds=time,
        blocks=time.map(bool).map(int),
    )
