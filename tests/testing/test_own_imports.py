"""`devchain.testing.own_imports`"""

from __future__ import annotations

import pytest


def test_assertions_are_not_rewritten(pytester: pytest.Pytester) -> None:
    """Pytest marks what a plugin's distribution has; modules of devchain are imported as always."""
    pytester.makepyfile(
        installed='import pytest\npytest.register_assert_rewrite("devchain")',
        test_loaders="""
import sys

def test_loaders(devchain):
    loaders = {
        name: type(module.__spec__.loader).__name__
        for name, module in sys.modules.items()
        if name.startswith("devchain.node")
    }
    assert loaders["devchain.node.core"] == "SourceFileLoader"
    assert set(loaders.values()) == {"SourceFileLoader"}
""",
    )

    result = pytester.runpytest_subprocess("-p", "installed", "-p", "no:cacheprovider")

    result.assert_outcomes(passed=1)
