"""Hypothesis tests on a chain: every example starts from the state in which the test started."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any

from devchain.errors import InvalidInput
from devchain.testing.campaign_workers import CampaignTests

if TYPE_CHECKING:
    import pytest
    from hypothesis import settings

    from devchain.node import Node
    from devchain.testing.reproducer import Read


def runs_examples(item: pytest.Item) -> bool:
    """Whether a test has `@given`; asks nothing of Hypothesis, which need not be installed."""
    return bool(getattr(getattr(item, "obj", None), "is_hypothesis_test", False))


@contextmanager
def isolated_examples(item: pytest.Item, node: Node) -> Iterator[list[Read]]:
    """Revert each example when the next one starts.

    Yields what the last example has read. The state that it leaves stays until the test ends: it is
    the smallest one that fails, if any does, and the report of the failure reads it.
    """
    from devchain.testing.reproducer import recorded_reads

    _adapt_settings(item)
    handle = item.obj.hypothesis  # type: ignore[attr-defined]  # Hypothesis's tests have it
    body = handle.inner_test
    start = node.snapshots.take()

    @wraps(body)
    def run_example(*arguments: Any, **named: Any) -> Any:
        __tracebackhide__ = True
        if not node.revert(start):
            raise InvalidInput(
                "an example reverted the chain to before its test: take a snapshot in the example"
            )
        reads.clear()
        node.explainer.forget_failures()
        return body(*arguments, **named)

    handle.inner_test = run_example
    try:
        with recorded_reads(node) as reads:
            yield reads
    finally:
        handle.inner_test = body


def _adapt_settings(item: pytest.Item) -> None:
    # Fixtures of a test are set up once for all examples, but their state is restored. There is no
    # deadline by default: code that becomes hot is compiled in the middle of an example.
    from hypothesis import HealthCheck, settings

    test: Any = getattr(item.obj, "__func__", item.obj)  # type: ignore[attr-defined]  # as above
    # Where Hypothesis keeps them, and its own pytest plugin changes them.
    current = test._hypothesis_internal_use_settings  # noqa: SLF001
    suppressed = {*current.suppress_health_check, HealthCheck.function_scoped_fixture}
    is_default = current.deadline == settings.default.deadline  # type: ignore[union-attr]  # set
    test._hypothesis_internal_use_settings = settings(  # noqa: SLF001
        with_phases(current),
        suppress_health_check=sorted(suppressed, key=lambda check: check.value),
        deadline=None if is_default else current.deadline,
    )


def with_phases(wanted: settings) -> settings:
    """Settings without explanations, for which Hypothesis traces every line of Python that runs.

    With a mutant the first example that fails is enough. It is not kept: the contract is wrong.
    """
    from hypothesis import Phase, settings

    phases = set(wanted.phases) - {Phase.explain}
    if CampaignTests.only_corpus:
        return settings(wanted, phases=phases - {Phase.reuse, Phase.shrink}, database=None)
    return settings(wanted, phases=phases)
